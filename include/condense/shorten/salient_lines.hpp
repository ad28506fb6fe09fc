// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/part.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/items.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>

// Keeps both ends of a text and, between them, the lines that name most: salient_lines{.at_most = 40_pct}. For source
// code and listings, of which later turns need the names.

namespace condense {
inline namespace v1 {
namespace detail {

/// Scores the lines of a text, one after the other, by the names in them that no line before had. Names are known again
/// by one bit of a hash: of very many, some new ones are taken for known.
class line_scorer {
public:
    /// Scores are below this.
    static constexpr std::size_t most = 96;

    /// Of the next line: 0 for one without new names, else higher for more of them in fewer bytes.
    constexpr std::size_t operator()(std::string_view line) {
        std::uint64_t names = 0;
        each_item(line, [&](item_kind, std::string_view item) {
            auto const hash = fnv1a(item);
            auto const bit = (hash ^ hash >> 32) % (known_.size() * 64);
            auto& block = known_[as_size(bit / 64)];
            names += (block >> bit % 64 & 1) == 0 ? 1u : 0u;
            block |= std::uint64_t{1} << bit % 64;
        });
        if (names == 0) return 0;
        // A line break and the signs of a gap come to 16 bytes. Eight steps for each doubling.
        auto density = mul_capped(names, 1u << 14) / (line.size() + 16) + 8;
        std::size_t score = 1;
        for (; density >= 16; density /= 2) score += 8;
        score += as_size(density - 8);
        return score < most ? score : most - 1;
    }

private:
    std::array<std::uint64_t, 1'024> known_ = {};
};

/// Chooses the lines of well-formed text, and writes them with a marker in each gap between them. Refers to the text.
class salient_selection {
public:
    constexpr salient_selection(std::string_view text, text_limit const& head, text_limit const& tail,
                                text_limit const& limit, recovery const& origin)
        : text_{text}, limit_{limit}, origin_{origin}, earlier_{find_gaps(text)} {
        auto const end = limit.halved(2);
        head_end_ = (head && end).prefix_of(text);
        tail_begin_ = (tail && end).suffix_of(text);
        longest_ = room() / 8;
        if (earlier_.total != 0) origin_.shortened = earlier_.of_rest;
        total_ = earlier_.total != 0 ? earlier_.total : count_lines(text);
        gap_size_ = gap(total_, 0).size() + 1;
    }

    /// Nothing if not a single line fits.
    constexpr std::optional<std::string> chosen() {
        measure();
        if (least_ == none) return std::nullopt;
        std::string out;
        out.reserve(room() < text_.size() ? as_size(room()) : text_.size());
        std::uint64_t missing = 0;
        std::uint64_t pending = 0;  // lines of the present gap
        std::uint64_t gaps = 0;
        std::uint64_t first_size = 0;  // of the first gap, whose marker has the totals and is put in last
        std::size_t first_place = 0;
        auto const close_gap = [&] {
            if (pending == 0) return;
            if (gaps++ == 0) {
                first_size = pending;
                first_place = out.size();
            } else out.append(gap(pending, 0)).append("\n");
            missing += std::exchange(pending, 0);
        };
        each_kept([&](std::string_view line, std::uint64_t lines, bool keeps) {
            if (!keeps) pending += lines;
            else {
                close_gap();
                out.append(line);
            }
        });
        close_gap();
        if (gaps != 0) {
            std::string first;
            if (gaps == 1) first = omission(missing, total_, "lines", origin_);
            else first = gap(first_size, 0, missing, total_, origin_);
            first.push_back('\n');
            out.insert(first_place, first);
        }
        if (!text_.ends_with('\n') && out.ends_with('\n')) out.pop_back();
        return out;
    }

private:
    static constexpr std::size_t end_score = line_scorer::most;  ///< of the lines in head and tail
    static constexpr std::size_t none = end_score + 1;
    using counts = std::array<std::uint64_t, end_score + 2>;

    constexpr std::uint64_t room() const noexcept {
        return limit_.chars.count < limit_.bytes.count ? limit_.chars.count : limit_.bytes.count;
    }
    /// Calls f(line, lines, score) for each line; `lines` is more than one for the marker of an earlier cut, which is
    /// not kept.
    template <class Function>
    constexpr void each_line(Function&& f) const {
        line_scorer score;
        for (std::size_t begin = 0; begin < text_.size();) {
            auto const stop = text_.find('\n', begin);
            auto const end = stop == std::string_view::npos ? text_.size() : stop + 1;
            auto const line = text_.substr(begin, end - begin);
            std::uint64_t lines = 1;
            omitted sum;
            bool const marker = earlier_.total != 0 && read_gap(without_line_end(line), lines, sum);
            if (!marker) lines = 1;
            auto const names = score(line);
            if (marker || line.size() > longest_) f(line, lines, std::size_t{0});
            else f(line, lines, end <= head_end_ || begin >= tail_begin_ ? end_score : names);
            begin = end;
        }
    }
    /// Finds the lowest score of which all lines fit, with what remains for some of the score below. Lines without a
    /// score are never kept.
    constexpr void measure() {
        counts bytes = {};
        counts lines = {};
        counts begun = {};  // gaps that begin for the scores from here on, less those that do not any more
        auto previous = end_score;
        each_line([&](std::string_view line, std::uint64_t, std::size_t score) {
            bytes[score] += line.size();
            ++lines[score];
            if (score < previous) {
                ++begun[score + 1];
                --begun[previous + 1];
            }
            previous = score;
        });
        counts gaps = {};
        std::uint64_t open = 0;
        for (std::size_t score = 0; score <= end_score; ++score) gaps[score] = open += begun[score];
        std::uint64_t sum = omission_limit;
        std::uint64_t count = 0;
        for (auto score = end_score; score != 0; --score) {
            sum += bytes[score];
            count += lines[score];
            auto const size = sum + gaps[score] * gap_size_;
            auto const line_count = count + gaps[score];
            if (size > room() || line_count > limit_.lines.count) break;
            if (count == 0) continue;
            least_ = score;
            rest_ = {.bytes = room() - size, .lines = limit_.lines.count - line_count};
        }
    }
    /// Calls f(line, lines, keeps) for each line.
    template <class Function>
    constexpr void each_kept(Function&& f) const {
        auto rest = rest_;
        each_line([&](std::string_view line, std::uint64_t lines, std::size_t score) {
            bool keeps = score >= least_;
            auto const size = line.size() + gap_size_;  // a line within a gap makes two of it
            if (!keeps && score != 0 && score + 1 == least_ && size <= rest.bytes && rest.lines >= 2) {
                keeps = true;
                rest.bytes -= size;
                rest.lines -= 2;
            }
            f(line, lines, keeps);
        });
    }
    struct remaining {
        std::uint64_t bytes = 0;
        std::uint64_t lines = 0;
    };

    std::string_view text_;
    text_limit limit_;
    recovery origin_;
    omitted earlier_;  ///< of the gaps of an earlier cut; a total of 0 for none
    std::size_t head_end_ = 0;
    std::size_t tail_begin_ = 0;
    std::uint64_t longest_ = 0;  ///< line that is kept
    std::uint64_t total_ = 0;  ///< lines of the original, as far as is known
    std::uint64_t gap_size_ = 0;
    std::size_t least_ = none;  ///< score of which all lines are kept
    remaining rest_;
};

}  // namespace detail

/// Brings a text of several lines within `at_most`, markers included. Keeps `head` and `tail`, at most a quarter of
/// that each, and between them the lines with most names for their bytes: names of code, ids, paths, numbers, quoted
/// strings that stood in no line before. Lines longer than an eighth of the limit are left out, and of a text of one
/// line both ends stay. Costs two passes over the text and 8 KiB.
struct salient_lines {
    text_limit head = chars{1'000};
    text_limit tail = chars{1'000};
    text_limit at_most = chars{8'000};  ///< as in the preset `cascade`; shorter texts are left alone

    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        auto const limit = detail::no_less_than_marker(context.effective(at_most));
        if (!limit.bounded() || limit.holds(part.text)) return std::nullopt;
        std::string clean;
        if (!detail::utf8::valid(part.text)) clean = detail::utf8::scrubbed_copy(part.text);
        auto const text = clean.empty() ? part.text : std::string_view{clean};
        detail::salient_selection selection{text, context.effective(head), context.effective(tail), limit, context.how};
        auto result = selection.chosen();
        if (!result) result = detail::cut_middle(text, false, limit, limit, limit, context.how);
        if (result && result->size() >= part.text.size()) result.reset();
        return result;
    }
    constexpr void validate() const {
        detail::reject_unless(at_most.bounded(), "condense: salient_lines: at_most must be given (see text_limit)");
        detail::check_room(at_most);
    }
    /// The most of a text that it keeps, per unit.
    constexpr text_limit most() const noexcept { return at_most; }
    friend constexpr bool operator==(salient_lines const&, salient_lines const&) = default;
};

}  // namespace v1
}  // namespace condense
