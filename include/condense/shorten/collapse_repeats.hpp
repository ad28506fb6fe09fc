// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>

// Keeps one copy of a piece that a text repeats at its end, as models caught in a loop do: collapse_repeats{}. A
// cut-off piece at the very end stays.

namespace condense {
inline namespace v1 {
namespace detail {

constexpr bool is_space(char byte) noexcept { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

constexpr bool all_space(std::string_view text) noexcept {
    for (char const byte : text)
        if (!is_space(byte)) return false;
    return true;
}

/// The end of a text: `copies` of `unit` bytes from `begin` on, and maybe a part of one more.
struct repeated_end {
    std::size_t begin = 0;
    std::size_t unit = 0;
    std::size_t copies = 0;
    constexpr std::size_t end() const noexcept { return begin + unit * copies; }
};

/// The text without the white space at its end.
constexpr std::string_view without_space_after(std::string_view text) noexcept {
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// The periodic end of a text that saves most; the last copy may lack its final white space. Knuth-Morris-Pratt on the
/// reversed text: the longest border of each suffix gives its period.
constexpr repeated_end longest_repetition(std::string_view text) {
    auto const size = text.size();
    auto const back = [&](std::size_t index) { return text[size - 1 - index]; };
    std::vector<std::uint32_t> border(size + 1);
    repeated_end best;
    std::size_t longest = 0;
    for (std::size_t length = 2, matched = 0; length <= size; ++length) {
        while (matched != 0 && back(length - 1) != back(matched)) matched = border[matched];
        if (back(length - 1) == back(matched)) ++matched;
        border[length] = static_cast<std::uint32_t>(matched);
        if (matched <= longest) continue;
        auto const unit = length - matched;  // removing all copies but the first saves `matched` bytes
        if (matched < unit && (unit - matched > 8 || !all_space(text.substr(size - unit, unit - matched)))) continue;
        longest = matched;
        best = {size - length, unit, 0};
    }
    return best;
}

/// Where in the first period to begin: after a line break, else after white space, else at a code point.
constexpr std::size_t boundary_in(std::string_view text, std::size_t begin, std::size_t unit) noexcept {
    auto const after = [&](auto const& predicate) {
        for (auto index = begin; index < begin + unit; ++index)
            if (index == 0 || predicate(text[index - 1])) return index;
        return text.size();
    };
    if (auto const line = after([](char byte) { return byte == '\n'; }); line != text.size()) return line;
    if (auto const word = after(is_space); word != text.size()) return word;
    return utf8::continues(text[begin]) ? utf8::ceil(text, begin) : begin;
}

/// True if white space follows a word somewhere.
constexpr bool has_two_words(std::string_view text) noexcept {
    for (std::size_t index = 1; index < text.size(); ++index)
        if (is_space(text[index]) && !is_space(text[index - 1])) return true;
    return false;
}

/// The text, which is valid UTF-8, with its repeated end collapsed, or nothing. `silently`: a short text that is
/// nothing but repetitions may lose them without a marker.
constexpr std::optional<std::string> collapse_once(std::string_view text, bool silently) {
    /// From so many removed characters on there is a marker; before, it would be most of the result.
    constexpr std::uint64_t silent_limit = 96;
    text = without_space_after(text);
    auto end_run = longest_repetition(text);
    if (end_run.unit == 0) return std::nullopt;
    end_run.begin = boundary_in(text, end_run.begin, end_run.unit);
    auto const piece = text.substr(end_run.begin, end_run.unit);
    auto const unit_text = without_space_after(piece);
    end_run.copies = (text.size() - end_run.begin) / end_run.unit;
    auto rest = text.substr(end_run.end());
    if (unit_text.size() != piece.size() && rest.size() == unit_text.size()) {  // the last one lacks white space only
        ++end_run.copies;
        rest = {};
    }
    if (end_run.copies < 2 || unit_text.empty()) return std::nullopt;
    std::string result{text.substr(0, end_run.begin)};
    result.append(unit_text);
    auto const missing = utf8::count(unit_text) * (end_run.copies - 1);
    if (silently && missing < silent_limit && end_run.begin == 0 && rest.empty() && unit_text.size() != piece.size() &&
        has_two_words(unit_text))
        return result;
    if (missing < silent_limit) return std::nullopt;
    auto const* const between = piece.find('\n') != std::string_view::npos ? "\n" : " ";
    result.append(between).append(repetition(end_run.copies - 1));
    if (!rest.empty()) result.append(between).append(rest);
    return result;
}

}  // namespace detail

/// Loses nothing but copies: keeps one, and a marker that counts the others. A text of repeated words alone ("A B A B")
/// that loses less than 96 characters gets no marker, except for a tool result, which is then left alone. No change if
/// less than an eighth would be saved. Costs two passes over the text and four bytes of memory for each byte of it.
struct collapse_repeats {
    static constexpr part_kinds applies_to = part_kind::text | part_kind::reasoning | part_kind::tool_result;

    text_limit over = chars{0};  ///< texts within this limit are left alone

    constexpr std::optional<std::string> operator()(part_view const& part, cut) const {
        std::optional<std::string> shorter;
        std::string clean;
        if (!detail::utf8::valid(part.text)) clean = detail::utf8::scrubbed_copy(part.text);
        std::string_view text = clean.empty() ? part.text : std::string_view{clean};
        // The result may end in a repetition in turn. Each step removes an eighth at least, so all together cost no
        // more than eight times the first.
        while (text.size() < detail::none32) {
            auto next = detail::collapse_once(text, part.kind != part_kind::tool_result);
            if (!next || next->size() > text.size() - text.size() / 8 - 1) break;
            shorter = std::move(next);
            text = *shorter;
        }
        if (shorter && shorter->size() >= part.text.size()) return std::nullopt;
        return shorter;
    }
    friend constexpr bool operator==(collapse_repeats const&, collapse_repeats const&) = default;
};

}  // namespace v1
}  // namespace condense
