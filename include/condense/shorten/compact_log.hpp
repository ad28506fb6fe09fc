// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
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

/// Why a line may be kept; `output` if it is.
enum class line_rank : std::uint8_t { ordinary, gap, alarm_again, rare, alarm, end, output };

/// The lines of a text, each with a rank, in five bits a line. Refers to the text.
class ranked_lines {
public:
    constexpr ranked_lines(std::string_view text, std::size_t count) : text_{text} {
        blocks_.reserve(count / block_size + 1);
    }

    /// Adds the line that begins at `offset`. `repeated`: it has the shape of the line before.
    constexpr void add(std::size_t offset, line_rank worth, bool repeated) {
        auto const index = size_++;
        if (index % block_size == 0) blocks_.push_back({.begin = offset});
        if (repeated) blocks_.back().repeated |= bit_of(index);
        rank(index, worth);
    }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr line_rank rank(std::size_t index) const noexcept {
        unsigned worth = 0;
        for (unsigned digit = 0; digit < rank_digits; ++digit)
            worth |= (blocks_[index / block_size].ranks[digit] & bit_of(index)) != 0 ? 1u << digit : 0u;
        return static_cast<line_rank>(worth);
    }
    constexpr void rank(std::size_t index, line_rank worth) noexcept {
        for (unsigned digit = 0; digit < rank_digits; ++digit) {
            auto& bits = blocks_[index / block_size].ranks[digit];
            bits = (static_cast<unsigned>(worth) >> digit & 1u) != 0 ? bits | bit_of(index) : bits & ~bit_of(index);
        }
    }
    constexpr bool repeated(std::size_t index) const noexcept {
        return (blocks_[index / block_size].repeated & bit_of(index)) != 0;
    }

    /// The first line of this rank in [begin, end); `end` if there is none.
    constexpr std::size_t first(line_rank worth, std::size_t begin, std::size_t end) const noexcept {
        while (begin < end) {
            auto const bits = blocks_[begin / block_size].of(worth) >> begin % block_size;
            if (bits == 0) {
                begin += block_size - begin % block_size;
                continue;
            }
            begin += static_cast<std::size_t>(std::countr_zero(bits));
            return begin < end ? begin : end;
        }
        return end;
    }
    /// One past the last line of this rank in [begin, end); `begin` if there is none.
    constexpr std::size_t past_last(line_rank worth, std::size_t begin, std::size_t end) const noexcept {
        while (begin < end) {
            auto const bits = blocks_[(end - 1) / block_size].of(worth) << (block_size - 1 - (end - 1) % block_size);
            if (bits == 0) {
                end = (end - 1) / block_size * block_size;
                continue;
            }
            end -= static_cast<std::size_t>(std::countl_zero(bits));
            return end > begin ? end : begin;
        }
        return begin;
    }

    /// The line with its line break. A walk from both ends inward finds the lines of each block once.
    constexpr std::string_view operator[](std::size_t index) noexcept {
        auto& lines = line_begins_[index < size_ / 2 ? 0 : 1];
        auto const block_index = index / block_size;
        if (lines.block_index != block_index) {
            lines.block_index = block_index;
            lines.begins[0] = blocks_[block_index].begin;
            for (std::size_t line = 0; line < block_size; ++line) {
                auto const stop = text_.find('\n', lines.begins[line]);
                lines.begins[line + 1] = stop == std::string_view::npos ? text_.size() : stop + 1;
            }
        }
        auto const* const begin = &lines.begins[index % block_size];
        return text_.substr(begin[0], begin[1] - begin[0]);
    }

private:
    static constexpr std::size_t block_size = 64;
    static constexpr unsigned rank_digits = 3;
    static constexpr std::uint64_t bit_of(std::size_t index) noexcept { return std::uint64_t{1} << index % block_size; }
    /// A bit for each of 64 lines.
    struct block {
        std::size_t begin = 0;  ///< of the first line, in the text
        std::uint64_t repeated = 0;
        std::array<std::uint64_t, rank_digits> ranks = {};  ///< the binary digits of the ranks

        constexpr std::uint64_t of(line_rank worth) const noexcept {
            auto all = ~std::uint64_t{0};
            for (unsigned digit = 0; digit < rank_digits; ++digit)
                all &= (static_cast<unsigned>(worth) >> digit & 1u) != 0 ? ranks[digit] : ~ranks[digit];
            return all;
        }
    };
    /// Where the lines of one block begin.
    struct block_begins {
        std::size_t block_index = std::string_view::npos;
        std::array<std::size_t, block_size + 1> begins = {};
    };

    std::string_view text_;
    std::vector<block> blocks_;
    std::size_t size_ = 0;
    std::array<block_begins, 2> line_begins_;  ///< for the first half of the lines and the second
};

/// Chooses the lines of a text to keep, and writes the result: read(), then select(), then text(). Lines are kept in
/// the order of their rank, from both ends inward, while they fit together with the markers between them. A line's
/// "shape" is a hash of it without its figures, so that lines that differ only in those are alike. Refers to the text.
class log_selection {
public:
    constexpr log_selection(std::string_view text, text_limit const& limit, recovery const& origin)
        : text_{text}, limit_{limit}, origin_{origin}, total_{count_lines(text)}, lines_{text, as_size(total_)} {
        auto const room = limit.chars.count < limit.bytes.count ? limit.chars.count : limit.bytes.count;
        width_ = room / 8;
        gap_size_ = gap(total_ + total_, total_).size() + 1;
    }

    /// Splits the text into lines and gives each a rank. Whether a shape is rare is known only at the end of the text,
    /// so of each kind of shape the first two lines that may be are noted until then.
    constexpr void read(text_limit const& head, text_limit const& tail) {
        struct candidate {
            std::size_t index;
            std::size_t slot;
        };
        auto const head_end = head.prefix_of(text_);
        auto const tail_begin = tail.suffix_of(text_);
        std::vector<std::uint8_t> runs(shape_slots);
        std::vector<candidate> candidates;
        std::string_view last;
        std::uint32_t last_shape = 0;
        for (std::size_t offset = 0; offset < text_.size();) {
            auto const stop = text_.find('\n', offset);
            auto const end = stop == std::string_view::npos ? text_.size() : stop + 1;
            auto const body = without_line_end(text_.substr(offset, end - offset));
            auto const facts = facts_of_line(body);
            bool const first = offset == 0;
            bool const like_last = !first && last_shape == facts.shape;
            auto const slot = facts.shape % shape_slots;
            auto& run_count = runs[slot];
            auto worth = line_rank::ordinary;
            if (first || end == text_.size()) worth = line_rank::end;
            else if (offset < head_end || end > tail_begin) {
                bool const again = like_last && without_stamp(last) == without_stamp(body);
                bool const new_alarm = facts.alarming && !like_last && run_count < rare_runs;
                worth = again ? line_rank::ordinary : new_alarm ? line_rank::alarm : line_rank::end;
            } else if (like_last) worth = line_rank::ordinary;
            else if (facts.alarming) worth = run_count < rare_runs ? line_rank::alarm : line_rank::alarm_again;
            else if (!facts.blank && run_count < rare_runs) candidates.push_back({lines_.size(), slot});
            if (!like_last && run_count != 255) ++run_count;
            lines_.add(offset, worth, like_last);
            last = body;
            last_shape = facts.shape;
            offset = end;
        }
        for (auto const& [index, slot] : candidates)
            if (runs[slot] <= rare_runs) lines_.rank(index, line_rank::rare);
        merge_earlier_gaps();
    }

    /// Keeps lines while they fit: half of the limit for the ends, so that a long head leaves room for alarms, then
    /// what is worth most, and what remains for the rest of the ends.
    constexpr void select(v1::lines context) {
        keep_ranked(line_rank::end, {}, limit_.halved(1));
        keep_ranked(line_rank::alarm, context, limit_);
        keep_ranked(line_rank::rare, {}, limit_);
        keep_ranked(line_rank::alarm_again, context, limit_);
        keep_ranked(line_rank::end, {}, limit_);
    }

    /// True if at least one line is kept.
    constexpr bool any() const noexcept { return sum_.lines.count != 0; }

    /// The kept lines with a marker in each gap; the first marker states the totals and where the rest is. Nothing
    /// unless that is shorter than `size` bytes.
    constexpr std::optional<std::string> text(std::size_t size) {
        std::string result;
        auto const most = sum_.bytes.count + gaps_ * gap_size_ + omission_limit;
        result.reserve(most < size ? as_size(most) : size);
        auto const append = [&](std::string_view piece) {
            bool const fits = piece.size() < size - result.size();
            if (fits) result.append(piece);
            return fits;
        };
        auto const missing = total_ - sum_.lines.count;
        bool has_total = false;
        for (std::size_t index = 0; index < lines_.size();) {
            if (is_output(index)) {
                if (!append(displayed_line(index++))) return std::nullopt;
                continue;
            }
            auto const begin = index;
            index = gap_end(begin);
            auto other = begin;
            while (begin != 0 && other != index && lines_.repeated(other) && !is_gap(other)) ++other;
            std::uint64_t alike = other - begin;
            std::uint64_t gap_lines = index - begin;
            for (auto earlier = lines_.first(line_rank::gap, begin, index); earlier != index;
                 earlier = lines_.first(line_rank::gap, earlier + 1, index))
                gap_lines += earlier_gap(earlier) - 1;
            if (alike == 1 && gap_lines != 1) alike = 0;  // by chance
            std::string marker;
            if (has_total) marker = gap(gap_lines, alike);
            else if (gaps_ == 1 && alike == 0) marker = omission(missing, total_, "lines", origin_);
            else marker = gap(gap_lines, alike, missing, total_, origin_);
            has_total = true;
            if (index != lines_.size()) marker.push_back('\n');
            if (!append(marker)) return std::nullopt;
        }
        return result;
    }

private:
    /// Shapes that share a counter only make each other seem less rare.
    static constexpr std::size_t shape_slots = 4'096;
    static constexpr std::uint8_t rare_runs = 2;

    /// Adds the gaps of an earlier cut to those of this one, if their figures agree with the lines of the text.
    constexpr void merge_earlier_gaps() {
        auto const all = find_gaps(text_);
        if (all.total == 0) return;
        for (std::size_t index = 0; index < lines_.size(); ++index) {
            std::uint64_t gap_size = 0;
            omitted sum;
            if (read_gap(without_line_end(lines_[index]), gap_size, sum)) lines_.rank(index, line_rank::gap);
        }
        total_ = all.total;
        origin_.shortened = all.of_rest;
    }
    constexpr bool is_output(std::size_t index) const noexcept { return lines_.rank(index) == line_rank::output; }
    constexpr bool is_gap(std::size_t index) const noexcept { return lines_.rank(index) == line_rank::gap; }
    constexpr bool gap_before(std::size_t index) const noexcept { return index != 0 && !is_output(index - 1); }
    constexpr bool gap_after(std::size_t index) const noexcept {
        return index + 1 != lines_.size() && !is_output(index + 1);
    }
    /// The next line that is kept.
    constexpr std::size_t gap_end(std::size_t begin) const noexcept {
        return lines_.first(line_rank::output, begin, lines_.size());
    }
    /// How many lines the marker of an earlier cut stands for.
    constexpr std::uint64_t earlier_gap(std::size_t index) noexcept {
        std::uint64_t size = 0;
        omitted all;
        read_gap(without_line_end(lines_[index]), size, all);
        return size;
    }

    /// The line with its line break; a line longer than an eighth of the limit without its middle. Valid until the
    /// next call.
    constexpr std::string_view displayed_line(std::size_t index) {
        auto const line = lines_[index];
        if (line.size() <= omission_limit || line.size() - omission_limit <= width_) return line;
        auto const body = without_line_end(line);
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
        lines_.rank(index, line_rank::output);
        return true;
    }

    /// Keeps lines around `index`, outward, up to one that is kept already, does not fit, or is like it.
    constexpr void keep_around(std::size_t index, v1::lines context, text_limit const& limit) {
        auto const shape_of = [&](std::size_t other) { return facts_of_line(without_line_end(lines_[other])).shape; };
        auto const try_keep = [&](std::size_t other) {
            if (is_output(other) || is_gap(other)) return false;
            // The shapes of neighbours have been compared.
            bool const alike = other + 1 == index   ? lines_.repeated(index)
                               : other == index + 1 ? lines_.repeated(other)
                                                    : shape_of(other) == shape_of(index);
            return !alike && keep_line(other, limit);
        };
        for (std::size_t off = 1; off <= context.count && off <= index && try_keep(index - off);) ++off;
        for (std::size_t off = 1; off <= context.count && index + off < lines_.size() && try_keep(index + off);) ++off;
    }

    /// Keeps the lines of one rank, taken in turn from the front and the back, and the lines around each.
    constexpr void keep_ranked(line_rank worth, v1::lines context, text_limit const& limit) {
        auto const middle = lines_.size() - lines_.size() / 2;
        auto front = lines_.first(worth, 0, middle);
        auto back = lines_.past_last(worth, middle, lines_.size());
        while (front != middle || back != middle) {
            bool const from_front = front != middle && (back == middle || front <= lines_.size() - back);
            auto const index = from_front ? front : back - 1;
            if (lines_.rank(index) == worth && keep_line(index, limit)) keep_around(index, context, limit);
            if (from_front) front = lines_.first(worth, index + 1, middle);
            else back = lines_.past_last(worth, middle, index);
        }
        // A single line that is no longer than its marker.
        auto const marker = gap(1, 1).size();
        for (std::size_t index = 0; index < lines_.size();) {
            auto const end = gap_end(index);
            if (end - index == 1 && !is_gap(index) && lines_[index].size() <= marker) keep_line(index, limit_);
            index = end + 1;
        }
    }

    std::string_view text_;
    text_limit limit_;
    recovery origin_;
    std::uint64_t width_ = 0;
    std::uint64_t total_;  ///< lines of the original, as far as is known
    std::uint64_t gap_size_ = 0;
    std::uint64_t gaps_ = 1;  ///< the runs of lines that are not kept
    text_limit sum_{chars{0} && bytes{0} && lines{0}};  ///< size of the kept lines
    ranked_lines lines_;
    std::string cut_line_;
};

/// The compacted text, or both ends of it if not even one line fits; nothing unless it is shorter than `size` bytes.
constexpr std::optional<std::string> compact_lines(std::string_view text, text_limit const& head,
                                                   text_limit const& tail, v1::lines context, text_limit const& limit,
                                                   recovery const& origin, std::size_t size) {
    log_selection selection{text, limit, origin};
    selection.read(head, tail);
    selection.select(context);
    if (selection.any()) return selection.text(size);
    auto result = cut_middle(text, false, limit, limit, limit, origin);
    if (result && result->size() >= size) result.reset();
    return result;
}

}  // namespace detail

/// Brings a text of several lines within `at_most`, markers included. Keeps, as far as they fit: lines that begin in
/// `head` or end in `tail`, without repetitions that differ only in their time; lines with a word of alarm, each new
/// kind first, and the lines around them; lines whose shape occurs at most twice. Classifies a line by its first 1,024
/// bytes; lines longer than an eighth of the limit lose their middle. Costs a few passes over the text and five bits a
/// line.
struct compact_log {
    text_limit head = lines{10};
    text_limit tail = lines{20};
    text_limit at_most = chars{8'000};  ///< as in the preset `cascade`; shorter texts are left alone
    lines context = {1};  ///< before and after an alarm

    constexpr std::optional<std::string> operator()(part_view const& part, cut cut_context) const {
        auto const limit = detail::no_less_than_marker(cut_context.effective(at_most));
        auto const first_end = part.text.find('\n');
        bool const several = first_end != std::string_view::npos && first_end + 1 != part.text.size();
        if (!several || limit.holds(part.text)) return std::nullopt;
        std::string clean;
        if (!detail::utf8::valid(part.text)) clean = detail::utf8::scrubbed_copy(part.text);
        return detail::compact_lines(clean.empty() ? part.text : std::string_view{clean}, cut_context.effective(head),
                                     cut_context.effective(tail), context, limit, cut_context.how, part.text.size());
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
