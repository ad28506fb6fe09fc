// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text_type.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>

// Shorteners that keep the two ends of a text: head_tail{.head = 128_lines, .tail = 128_lines,
// .at_most = 10'240_bytes}, head{.keep = 8'000_chars}, tail{...}.

namespace condense {
inline namespace v1 {

namespace detail {

/// The figures of the gap that a marker states.
struct measured_gap {
    omitted count = {};
    std::string_view what = "characters";
};

/// Measures text[head, tail), the part that is left out, in lines if both ends are at line breaks, else in characters.
/// An earlier marker within it adds its figures; one that lies across an end moves that end outward, so that no half of
/// a marker stays. `shortened`: the text is known to be the rest of an earlier cut.
constexpr measured_gap measure_gap(std::string_view text, std::size_t& head, std::size_t& tail, bool ascii,
                                   bool shortened) {
    auto const points = [ascii](std::string_view piece) { return ascii ? piece.size() : utf8::count(piece); };
    auto const total = points(text);
    bool const has_marker = text.find(opening) != std::string_view::npos;  // else lines need not be counted
    auto const earlier = has_marker ? find_cut(text, "characters", total) : std::nullopt;
    if (earlier && earlier->begin < tail && earlier->end > head) {
        head = head < earlier->begin ? head : earlier->begin;
        tail = tail > earlier->end ? tail : earlier->end;
        if (head == earlier->begin && head != 0 && text[head - 1] == '\n') --head;
        if (tail == earlier->end && tail != text.size() && text[tail] == '\n') ++tail;
        auto const remaining = points(text.substr(0, head)) + points(text.substr(tail));
        auto const missing = earlier->count.total > remaining ? earlier->count.total - remaining : 0;
        return {{missing, earlier->count.total, earlier->count.of_rest}};
    }
    bool const rest = shortened || earlier.has_value();
    auto const whole_lines = (head == 0 || text[head - 1] == '\n') && (tail == text.size() || text[tail - 1] == '\n');
    if (auto const lines = whole_lines ? count_lines(text) : 0; lines > 1) {
        auto const missing = count_lines(text.substr(head, tail - head));
        auto const previous = has_marker ? find_cut(text, "lines", lines) : std::nullopt;
        if (previous && previous->begin >= head && previous->end <= tail)
            return {{previous->count.total - (lines - missing), previous->count.total, previous->count.of_rest},
                    "lines"};
        return {{missing, lines, rest || previous}, "lines"};
    }
    auto const missing = points(text.substr(head, tail - head));
    return {{missing, total, rest || (has_marker && find_cut(text, "lines", count_lines(text)))}};
}

/// The type of the original of `text`, which an earlier marker may state; empty if unknown.
constexpr std::string_view original_type(std::string_view text, bool shortened) {
    if (text.find(opening) != std::string_view::npos) {
        if (auto const previous = find_cut(text, "characters", utf8::count(text))) return previous->count.type;
        if (auto const previous = find_cut(text, "lines", count_lines(text))) return previous->count.type;
    }
    return shortened ? std::string_view{} : type_of_text(text);
}

/// Both ends of well-formed text, as far as they fit, with a marker in between. Nothing if all fits, or if cutting
/// would not save more than the marker takes.
constexpr std::optional<std::string> cut_middle(std::string_view text, bool ascii, text_limit const& head_limit,
                                                text_limit const& tail_limit, text_limit const& at_most,
                                                recovery const& origin) {
    auto head = head_limit.prefix_of(text, ascii);
    auto tail = tail_limit.suffix_of(text, ascii);
    bool const too_large = !at_most.holds(text, ascii);
    if (!too_large && (head >= tail || tail - head <= omission_limit)) return std::nullopt;
    if (too_large) {
        // The marker's size comes off first; the ends share the rest.
        auto rest = at_most;
        rest.bytes = rest.bytes - v1::bytes{rest.bytes.count == u64_limit ? 0 : omission_limit};
        rest.chars = rest.chars - v1::chars{rest.chars.count == u64_limit ? 0 : omission_limit};
        rest.lines = rest.lines - v1::lines{rest.lines.count == u64_limit ? 0 : 3u};
        auto const wants_tail = tail_limit != text_limit{v1::chars{0}};
        auto const share = wants_tail ? rest.halved(1) : rest;
        auto const front = share.prefix_of(text, ascii);
        auto const back = wants_tail ? share.suffix_of(text, ascii) : text.size();
        head = head < front ? head : front;
        tail = tail > back ? tail : back;
        if (head > tail) head = tail;
    }
    auto gap = measure_gap(text, head, tail, ascii, origin.shortened);
    gap.count.type = origin.words.type_and_share ? original_type(text, origin.shortened) : std::string_view{};
    std::string result;
    result.reserve(head + omission_limit + 2 + (text.size() - tail));
    result.append(text.substr(0, head));
    if (head != 0 && result.back() != '\n') result.push_back('\n');
    append_omission(result, gap.count, gap.what, way_back(origin));
    if (tail != text.size()) result.push_back('\n');
    result.append(text.substr(tail));
    if (result.size() >= text.size()) return std::nullopt;
    return result;
}

/// The same for any bytes. Replaces ill-formed ones first, so that the limits hold for the result.
constexpr std::optional<std::string> cut_any(std::string_view text, text_limit const& head_limit,
                                             text_limit const& tail_limit, text_limit const& at_most,
                                             recovery const& origin) {
    auto const plain = utf8::ascii_end(text, 0);
    if (utf8::valid(text, plain))
        return cut_middle(text, plain == text.size(), head_limit, tail_limit, at_most, origin);
    auto result = cut_middle(utf8::scrubbed_copy(text), false, head_limit, tail_limit, at_most, origin);
    if (result && result->size() >= text.size()) result.reset();
    return result;
}

/// What two limits let through together, unit by unit; unset if one is unset.
constexpr text_limit sum_of(text_limit left, text_limit const& right) noexcept {
    auto const add = [](std::uint64_t& sum, std::uint64_t value) {
        if (sum == u64_limit || value == u64_limit) sum = u64_limit;  // not given
        else sum = add_capped(sum, value) == u64_limit ? u64_limit - 1 : sum + value;
    };
    if (left.by_share() && right.by_share()) left.share.basis_points += right.share.basis_points;
    else left.share = {none32};
    add(left.chars.count, right.chars.count);
    add(left.bytes.count, right.bytes.count);
    add(left.lines.count, right.lines.count);
    return left;
}

/// For validate(): throws unless a marker and something of the text fit.
constexpr void check_room(text_limit const& at_most) {
    reject_unless(at_most.bytes.count >= 2 * omission_limit && at_most.chars.count >= 2 * omission_limit &&
                      at_most.lines.count >= 5,
                  "condense: at_most: the limit must leave room for a marker: 384 bytes, 384 characters, 5 lines (see "
                  "head_tail)");
}

/// Raises a limit that pressure has halved below the size of a marker.
constexpr text_limit no_less_than_marker(text_limit at_most) noexcept {
    if (at_most.bytes.count < 2 * omission_limit) at_most.bytes.count = 2 * omission_limit;
    if (at_most.chars.count < 2 * omission_limit) at_most.chars.count = 2 * omission_limit;
    if (at_most.lines.count < 5) at_most.lines.count = 5;
    return at_most;
}

/// Lowers `at_most` to the layer's `over` if the shortener would keep more, so that no result stays too large. `most`
/// is what the shortener keeps.
constexpr text_limit bounded_by(text_limit at_most, text_limit const& most, text_limit const& over) noexcept {
    if (over == text_limit{chars{0}}) return at_most;  // none
    if (most.chars.count != u64_limit && most.chars > over.chars)
        at_most.chars = over.chars < at_most.chars ? over.chars : at_most.chars;
    if (most.bytes.count != u64_limit && most.bytes > over.bytes)
        at_most.bytes = over.bytes < at_most.bytes ? over.bytes : at_most.bytes;
    if (most.lines.count != u64_limit && most.lines > over.lines)
        at_most.lines = over.lines < at_most.lines ? over.lines : at_most.lines;
    return at_most;
}

}  // namespace detail

/// Keeps both ends, or less of them where a layer's `over` is below what they hold together. Loses the middle; costs
/// one pass over the text. `at_most` includes the marker.
struct head_tail {
    text_limit head = chars{4'000};  ///< with `tail` 8,000 characters, as in the preset `cascade`
    text_limit tail = chars{4'000};
    text_limit at_most = {};

    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        auto const bound = detail::bounded_by(context.effective(at_most), context.effective(most()), context.over);
        return detail::cut_any(part.text, context.effective(head), context.effective(tail),
                               detail::no_less_than_marker(bound), context.how);
    }
    constexpr void validate() const { detail::check_room(at_most); }
    /// The most of a text that it keeps, per unit.
    constexpr text_limit most() const noexcept { return detail::sum_of(head, tail) && at_most; }
    friend constexpr bool operator==(head_tail const&, head_tail const&) = default;
};

/// Keeps the beginning: head_tail without a tail.
struct head {
    text_limit keep = chars{8'000};
    text_limit at_most = {};

    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        return head_tail{keep, chars{0}, at_most}(part, context);
    }
    constexpr void validate() const { detail::check_room(at_most); }
    constexpr text_limit most() const noexcept { return keep && at_most; }
    friend constexpr bool operator==(head const&, head const&) = default;
};

/// Keeps the end: head_tail without a head.
struct tail {
    text_limit keep = chars{8'000};
    text_limit at_most = {};

    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        return head_tail{chars{0}, keep, at_most}(part, context);
    }
    constexpr void validate() const { detail::check_room(at_most); }
    constexpr text_limit most() const noexcept { return keep && at_most; }
    friend constexpr bool operator==(tail const&, tail const&) = default;
};

}  // namespace v1
}  // namespace condense
