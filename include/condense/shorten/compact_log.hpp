// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/detail/log_line.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>

// Shortens logs and the output of builds and tests: compact_log{.at_most = 8'000_chars}. Keeps the first and last
// lines, alarms and lines unlike the others; runs of lines that differ only in figures become one.

namespace condense {
inline namespace v1 {
namespace detail {

/// Chooses the lines of a text to keep, and writes the result: read(), then select(), then text(). Lines are kept in
/// the order of their rank, from both ends inward, while they fit together with the markers between them. A line's
/// "shape" is a hash of it without its figures, so that lines that differ only in those are alike. Refers to the text.
class log_selection {
public:
    constexpr log_selection(std::string_view text, text_limit const& limit, recovery const& origin)
        : text_{text}, limit_{limit}, origin_{origin} {
        auto const room = limit.chars.count < limit.bytes.count ? limit.chars.count : limit.bytes.count;
        width_ = room / 8;
        auto const total = count_lines(text);
        gap_size_ = gap(total + total, total).size() + 1;
    }

    /// Splits the text into lines and gives each a rank. Whether a shape is rare is known only at the end of the text,
    /// so lines first get the rank `rare`, which is corrected then.
    constexpr void read(text_limit const& head, text_limit const& tail) {
        auto const head_end = head.prefix_of(text_);
        auto const tail_begin = tail.suffix_of(text_);
        lines_.reserve(as_size(count_lines(text_)));
        std::vector<std::uint8_t> runs(shape_slots);
        for (std::size_t offset = 0; offset < text_.size();) {
            auto const stop = text_.find('\n', offset);
            auto const end = stop == std::string_view::npos ? text_.size() : stop + 1;
            auto const body = without_end(text_.substr(offset, end - offset));
            auto const facts = facts_of_line(body);
            bool const first = lines_.empty();
            bool const like_last = !first && lines_.back().shape == facts.shape;
            auto& run_count = runs[facts.shape % shape_slots];
            auto worth = rank::ordinary;
            if (first || end == text_.size()) worth = rank::end;
            else if (offset < head_end || end > tail_begin) {
                auto const last = without_end(text_.substr(lines_.back().begin, offset - lines_.back().begin));
                bool const again = like_last && without_stamp(last) == without_stamp(body);
                bool const new_alarm = facts.alarming && !like_last && run_count < rare_runs;
                worth = again ? rank::ordinary : new_alarm ? rank::alarm : rank::end;
            } else if (like_last) worth = rank::ordinary;
            else if (facts.alarming) worth = run_count < rare_runs ? rank::alarm : rank::alarm_again;
            else if (!facts.blank) worth = rank::rare;  // until the whole text is known
            if (!like_last && run_count != 255) ++run_count;
            lines_.push_back({offset, facts.shape, worth, false, 1});
            offset = end;
        }
        merge_earlier_gaps();
        for (auto& line : lines_)
            if (line.worth == rank::rare && runs[line.shape % shape_slots] > rare_runs) line.worth = rank::ordinary;
    }

    /// Keeps lines while they fit: half of the limit for the ends, so that a long head leaves room for alarms, then
    /// what is worth most, and what remains for the rest of the ends.
    constexpr void select(v1::lines context) {
        keep_ranked(rank::end, {}, limit_.halved(1));
        keep_ranked(rank::alarm, context, limit_);
        keep_ranked(rank::rare, {}, limit_);
        keep_ranked(rank::alarm_again, context, limit_);
        keep_ranked(rank::end, {}, limit_);
    }

    /// True if at least one line is kept.
    constexpr bool any() const noexcept { return sum_.lines.count != 0; }

    /// The kept lines with a marker in each gap; the first marker states the totals and where the rest is.
    constexpr std::string text() {
        std::uint64_t missing = 0;
        std::uint64_t gaps = 0;
        for (std::size_t index = 0; index < lines_.size(); ++index) {
            missing += is_kept(index) ? 0u : lines_[index].stands_for;
            gaps += !is_kept(index) && (index == 0 || is_kept(index - 1)) ? 1u : 0u;
        }
        std::string result;
        bool has_total = false;
        for (std::size_t index = 0; index < lines_.size();) {
            if (is_kept(index)) {
                result.append(displayed_line(index++));
                continue;
            }
            auto const begin = index;
            std::uint64_t alike = 0;
            std::uint64_t gap_lines = 0;
            for (; index < lines_.size() && !is_kept(index); gap_lines += lines_[index++].stands_for)
                if (begin != 0 && alike == index - begin && lines_[index].worth != rank::gap &&
                    lines_[index].shape == lines_[begin - 1].shape)
                    ++alike;
            if (alike == 1 && gap_lines != 1) alike = 0;  // by chance
            if (has_total) result += gap(gap_lines, alike);
            else if (gaps == 1 && alike == 0) result += omission(missing, total_, "lines", origin_);
            else result += gap(gap_lines, alike, missing, total_, origin_);
            has_total = true;
            if (index != lines_.size()) result.push_back('\n');
        }
        return result;
    }

private:
    enum class rank : std::uint8_t { gap, ordinary, alarm_again, rare, alarm, end };
    /// One line; an earlier cut's marker stands for the lines that it replaced.
    struct log_line {
        std::size_t begin;
        std::uint32_t shape;
        rank worth;
        bool is_kept;
        std::uint64_t stands_for = 1;
    };
    /// Shapes that share a counter only make each other seem less rare.
    static constexpr std::size_t shape_slots = 4'096;
    static constexpr std::uint8_t rare_runs = 2;

    static constexpr std::string_view without_end(std::string_view line) noexcept {
        if (line.ends_with('\n')) line.remove_suffix(1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }
    /// Adds the gaps of an earlier cut to those of this one, if their figures agree with the lines of the text.
    constexpr void merge_earlier_gaps() {
        total_ = lines_.size();
        if (text_.find(opening) == std::string_view::npos) return;
        omitted all;
        std::uint64_t gaps = 0;
        std::uint64_t missing = 0;
        for (std::size_t index = 0; index < lines_.size(); ++index)
            if (std::uint64_t gap_size = 0; read_gap(without_end(full_line(index)), gap_size, all)) {
                ++gaps;
                missing = add_capped(missing, gap_size);
            }
        if (all.total == 0 || missing != all.missing || all.total - missing != total_ - gaps) return;
        for (std::size_t index = 0; index < lines_.size(); ++index)
            if (std::uint64_t gap_size = 0; read_gap(without_end(full_line(index)), gap_size, all))
                lines_[index] = {lines_[index].begin, 0, rank::gap, false, gap_size};
        total_ = all.total;
        origin_.shortened = all.of_rest;
    }
    constexpr bool is_kept(std::size_t index) const noexcept { return lines_[index].is_kept; }
    constexpr bool gap_before(std::size_t index) const noexcept { return index != 0 && !is_kept(index - 1); }
    constexpr bool gap_after(std::size_t index) const noexcept {
        return index + 1 != lines_.size() && !is_kept(index + 1);
    }

    /// The line as it is in the text, with its line break.
    constexpr std::string_view full_line(std::size_t index) const noexcept {
        auto const end = index + 1 == lines_.size() ? text_.size() : lines_[index + 1].begin;
        return text_.substr(lines_[index].begin, end - lines_[index].begin);
    }

    /// The line with its line break; a line longer than an eighth of the limit without its middle. Valid until the
    /// next call.
    constexpr std::string_view displayed_line(std::size_t index) {
        auto const line = full_line(index);
        if (line.size() <= omission_limit || line.size() - omission_limit <= width_) return line;
        auto const body = without_end(line);
        auto const points = utf8::count(body);
        if (points <= width_ + omission_limit) return line;
        auto const front = utf8::prefix(body, width_ / 2);
        auto const back = utf8::suffix(body, width_ - width_ / 2);
        cut_line_.assign(body.substr(0, front)).append(" ");
        cut_line_.append(omission(points - width_, points, "characters", origin_)).append(" ");
        cut_line_.append(body.substr(back)).append(line.substr(body.size()));
        return cut_line_;
    }

    /// Keeps a line; false if it does not fit. Counts all gaps with the largest marker, so the result may be smaller
    /// than the sum, but never larger. Characters are counted only if the bytes alone might exceed the limit.
    constexpr bool keep_line(std::size_t index, text_limit const& limit) {
        auto const line = displayed_line(index);
        auto const gaps = gaps_ - 1 + (gap_before(index) ? 1u : 0u) + (gap_after(index) ? 1u : 0u);
        auto const markers = gaps * gap_size_ + omission_limit;
        auto sum = sum_;
        sum.bytes.count += line.size();
        ++sum.lines.count;
        if (sum.bytes.count + markers > limit.bytes.count || sum.lines.count + gaps > limit.lines.count) return false;
        if (limit.chars.count < sum.bytes.count + markers) {
            sum.chars.count += utf8::count(line);
            if (sum.chars.count + markers > limit.chars.count) return false;
        } else sum.chars.count += line.size();  // no more than that
        sum_ = sum;
        gaps_ = gaps;
        lines_[index].is_kept = true;
        return true;
    }

    /// Keeps lines around `index`, outward, up to one that is kept already, does not fit, or is like it.
    constexpr void keep_around(std::size_t index, v1::lines context, text_limit const& limit) {
        auto const try_keep = [&](std::size_t other) {
            return !is_kept(other) && lines_[other].worth != rank::gap && lines_[other].shape != lines_[index].shape &&
                   keep_line(other, limit);
        };
        for (std::size_t off = 1; off <= context.count && off <= index && try_keep(index - off);) ++off;
        for (std::size_t off = 1; off <= context.count && index + off < lines_.size() && try_keep(index + off);) ++off;
    }

    /// Keeps the lines of one rank, taken in turn from the front and the back, and the lines around each.
    constexpr void keep_ranked(rank worth, v1::lines context, text_limit const& limit) {
        for (std::size_t turn = 0; turn < lines_.size(); ++turn) {
            auto const index = turn % 2 == 0 ? turn / 2 : lines_.size() - 1 - turn / 2;
            if (lines_[index].worth == worth && !is_kept(index) && keep_line(index, limit))
                keep_around(index, context, limit);
        }
        // A single line that is no longer than its marker.
        auto const marker = gap(1, 1).size();
        for (std::size_t index = 0; index < lines_.size(); ++index)
            if (!is_kept(index) && lines_[index].worth != rank::gap && !gap_before(index) && !gap_after(index) &&
                full_line(index).size() <= marker)
                keep_line(index, limit_);
    }

    std::string_view text_;
    text_limit limit_;
    recovery origin_;
    std::uint64_t width_ = 0;
    std::uint64_t total_ = 0;  ///< lines of the original, as far as is known
    std::uint64_t gap_size_ = 0;
    std::uint64_t gaps_ = 1;
    text_limit sum_{chars{0} && bytes{0} && lines{0}};  ///< size of the kept lines
    std::vector<log_line> lines_;
    std::string cut_line_;
};

/// The compacted text; both ends of it if not even one line fits.
constexpr std::string compact_lines(std::string_view text, text_limit const& head, text_limit const& tail,
                                    v1::lines context, text_limit const& limit, recovery const& origin) {
    log_selection selection{text, limit, origin};
    selection.read(head, tail);
    selection.select(context);
    if (selection.any()) return selection.text();
    return cut_middle(text, false, limit, limit, limit, origin).value_or(std::string{text});
}

}  // namespace detail

/// Brings a text of several lines within `at_most`, markers included. Keeps, as far as they fit: lines that begin in
/// `head` or end in `tail`, without repetitions that differ only in their time; lines with a word of alarm, each new
/// kind first, and the lines around them; lines whose shape occurs at most twice. Classifies a line by its first 1,024
/// bytes; lines longer than an eighth of the limit lose their middle. Costs a few passes over the text and 24 bytes a
/// line.
struct compact_log {
    text_limit head = lines{10};
    text_limit tail = lines{20};
    text_limit at_most = chars{8'000};  ///< as in the preset `cascade`; shorter texts are left alone
    lines context = {1};  ///< before and after an alarm

    constexpr std::optional<std::string> operator()(part_view const& part, cut cut_context) const {
        auto const limit = detail::no_less_than_marker(at_most.halved(cut_context.halvings));
        auto const first_end = part.text.find('\n');
        bool const several = first_end != std::string_view::npos && first_end + 1 != part.text.size();
        if (!several || limit.holds(part.text)) return std::nullopt;
        std::string clean;
        if (!detail::utf8::valid(part.text)) detail::utf8::append_scrubbed(clean, part.text);
        auto result = detail::compact_lines(clean.empty() ? part.text : std::string_view{clean},
                                            head.halved(cut_context.halvings), tail.halved(cut_context.halvings),
                                            context, limit, cut_context.how);
        if (result.size() >= part.text.size()) return std::nullopt;
        return result;
    }
    constexpr void validate() const {
        detail::reject_unless(at_most.bounded(), "condense: compact_log: at_most must be given (see text_limit)");
        detail::check_room(at_most);
    }
    /// The most of a text that it keeps, per unit.
    constexpr text_limit most() const noexcept { return at_most; }
    friend constexpr bool operator==(compact_log const&, compact_log const&) = default;
};

}  // namespace v1
}  // namespace condense
