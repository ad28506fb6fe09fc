// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <condense/detail/utf8.hpp>

// Cuts a text into passages that can be read alone: each_unit(text, f) calls f(offset, size) for each.

namespace condense {
inline namespace v1 {
namespace detail {

/// The size in bytes up to which lines are taken together, the largest passage, and what no empty line or cut of a long
/// line goes below.
inline constexpr std::size_t unit_target = 240;
inline constexpr std::size_t unit_most = 480;
inline constexpr std::size_t unit_least = 60;

/// Where a passage of a line of more than unit_most bytes that begins at `begin` should end: behind an element of JSON,
/// else a sentence, a comma or a word, near unit_target; else within a word, between characters.
constexpr std::size_t cut_of_line(std::string_view text, std::size_t begin) noexcept {
    constexpr auto none = std::string_view::npos;
    constexpr std::string_view blanks = " \t;|>";  // columns and markup, too, are written without spaces
    auto const limit = begin + unit_most;
    // By kind of boundary: the last one before the target, and the first one behind it.
    std::array<std::array<std::size_t, 2>, 4> ends{};
    for (auto& each : ends) each = {none, none};
    for (auto at = begin + unit_least; at < limit; ++at) {
        auto const before = text[at - 1];
        auto const earlier = text[at - 2];
        std::size_t kind = 4;
        if (before == ',') kind = earlier == '}' || earlier == ']' ? 0 : 2;
        else if (blanks.find(before) != none)
            kind = before == ' ' && (earlier == '.' || earlier == '!' || earlier == '?' || earlier == ';') ? 1 : 3;
        if (kind == 4) continue;
        auto& [last, first] = ends[kind];
        if (at - begin <= unit_target) last = at;
        else if (first == none) first = at;
    }
    for (auto const& [last, first] : ends) {
        if (last != none) return last;
        if (first != none) return first;
    }
    return utf8::floor(text, limit);
}

/// How far the line at `begin` is indented. One that closes a block belongs to the lines before it.
constexpr std::size_t indentation(std::string_view text, std::size_t begin) noexcept {
    auto at = begin;
    while (at < text.size() && at - begin < unit_target && (text[at] == ' ' || text[at] == '\t')) ++at;
    bool const closes = at < text.size() && (text[at] == '}' || text[at] == ']' || text[at] == ')');
    return closes ? unit_most : at - begin;
}

/// Where the passage that begins at `begin` ends: behind an empty line, else before the least indented line near
/// unit_target, or, up to unit_most, where the block ends that the first line opens. Reads no further than that and one
/// such line, as one line may be all of the text.
constexpr std::size_t unit_end(std::string_view text, std::size_t begin) noexcept {
    auto const line_end = [text](std::size_t from) {
        auto const rest = text.substr(from, unit_most + 1);
        auto const end = rest.find('\n');
        return from + (end == std::string_view::npos ? rest.size() : end + 1);
    };
    auto best = line_end(begin);
    if (best - begin > unit_most) return cut_of_line(text, begin);
    auto const own = indentation(text, begin);
    auto least = indentation(text, best);
    for (auto end = best; end < text.size();) {
        auto const most = least <= own ? unit_target : unit_most;
        if (end - begin >= most) break;
        auto const next = line_end(end);
        if (next - begin > most) break;
        bool const blank = text[end] == '\n' || text[end] == '\r';
        end = next;
        bool const within = end - begin <= unit_target;
        if (end == text.size() || (blank && within && end - begin >= unit_least)) return end;
        auto const indent = indentation(text, end);
        if (within ? indent <= least || best - begin < unit_least : indent <= own) best = end, least = indent;
    }
    return best;
}

/// Calls f(offset, size) for each passage, in order and without gaps: lines taken together up to `unit_target` bytes,
/// an empty line or the end of a block, and pieces of longer ones. On average they have `unit_least` bytes or more, the
/// last one aside.
template <class Function>
constexpr void each_unit(std::string_view text, Function&& f) {
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = unit_end(text, begin);
        f(begin, end - begin);
        begin = end;
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
