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

// A text that ends in one piece over and over, as models do when they are caught in a loop, keeps that
// piece once: collapse_repeats{}. A cut-off piece at the very end stays.

namespace condense {
inline namespace v1 {
namespace detail {

constexpr bool is_space(char byte) noexcept { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

constexpr bool all_space(std::string_view text) noexcept {
    for (char const byte : text)
        if (!is_space(byte)) return false;
    return true;
}

/// The end of a text: `copies` of `unit` bytes from `begin` on, and what is left of one more.
struct repeated_end {
    std::size_t begin = 0;
    std::size_t unit = 0;
    std::size_t copies = 0;
    constexpr std::size_t end() const noexcept { return begin + unit * copies; }
};

constexpr std::string_view without_space_after(std::string_view text) noexcept {
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// The end of a text with a period that would leave out most; of the last one white space may lack.
/// Knuth-Morris-Pratt on the text read backward: the longest border of every end, hence its period.
constexpr repeated_end longest_repetition(std::string_view text) {
    auto const size = text.size();
    auto const back = [&](std::size_t at) { return text[size - 1 - at]; };
    std::vector<std::uint32_t> border(size + 1);
    repeated_end best;
    std::size_t most = 0;
    for (std::size_t length = 2, matched = 0; length <= size; ++length) {
        while (matched != 0 && back(length - 1) != back(matched)) matched = border[matched];
        if (back(length - 1) == back(matched)) ++matched;
        border[length] = static_cast<std::uint32_t>(matched);
        if (matched <= most) continue;
        auto const unit = length - matched;  // what follows the first one would be saved
        if (matched < unit && (unit - matched > 8 || !all_space(text.substr(size - unit, unit - matched)))) continue;
        most = matched;
        best = {size - length, unit, 0};
    }
    return best;
}

/// Where in the first period to begin: after a line, else after white space, else where a code point does.
constexpr std::size_t boundary_in(std::string_view text, std::size_t begin, std::size_t unit) noexcept {
    auto const after = [&](auto const& wanted) {
        for (auto at = begin; at < begin + unit; ++at)
            if (at == 0 || wanted(text[at - 1])) return at;
        return text.size();
    };
    if (auto const line = after([](char byte) { return byte == '\n'; }); line != text.size()) return line;
    if (auto const word = after(is_space); word != text.size()) return word;
    return utf8::continues(text[begin]) ? utf8::ceil(text, begin) : begin;
}

constexpr bool has_two_words(std::string_view text) noexcept {
    for (std::size_t at = 1; at < text.size(); ++at)
        if (is_space(text[at]) && !is_space(text[at - 1])) return true;
    return false;
}

/// One repetition taken out of valid UTF-8, or nothing.
constexpr std::optional<std::string> collapse_once(std::string_view text, bool silently) {
    /// As much may be left out without a word: a marker would be most of what remains.
    constexpr std::uint64_t unsaid = 96;
    text = without_space_after(text);
    auto found = longest_repetition(text);
    if (found.unit == 0) return std::nullopt;
    found.begin = boundary_in(text, found.begin, found.unit);
    auto const piece = text.substr(found.begin, found.unit);
    auto const kept = without_space_after(piece);
    found.copies = (text.size() - found.begin) / found.unit;
    auto rest = text.substr(found.end());
    if (kept.size() != piece.size() && rest.size() == kept.size()) {  // the last one lacks white space only
        ++found.copies;
        rest = {};
    }
    if (found.copies < 2 || kept.empty()) return std::nullopt;
    std::string out{text.substr(0, found.begin)};
    out.append(kept);
    auto const missing = utf8::count(kept) * (found.copies - 1);
    if (silently && missing < unsaid && found.begin == 0 && rest.empty() && kept.size() != piece.size() &&
        has_two_words(kept))
        return out;
    if (missing < unsaid) return std::nullopt;
    auto const* const between = piece.find('\n') != std::string_view::npos ? "\n" : " ";
    out.append(between).append(repetition(found.copies - 1));
    if (!rest.empty()) out.append(between).append(rest);
    return out;
}

}  // namespace detail

/// Keeps one of the pieces and says how often it occurs again, in all that is lost; where less than 96
/// characters are left out of a text that is nothing but repeated words ("A B A B"), nothing is said,
/// except of a tool result, which is left alone. Where less than an eighth would be saved, there is no
/// change. Costs two passes over the text and four bytes for each of its own.
struct collapse_repeats {
    static constexpr part_kinds applies_to = part_kind::text | part_kind::reasoning | part_kind::tool_result;

    text_limit over = chars{0};  ///< texts within it are left alone

    constexpr std::optional<std::string> operator()(part_view const& part, cut) const {
        std::optional<std::string> shorter;
        std::string clean;
        if (!detail::utf8::valid(part.text)) detail::utf8::append_scrubbed(clean, part.text);
        std::string_view text = clean.empty() ? part.text : std::string_view{clean};
        // What is made may be a repetition in turn. Each time takes an eighth at least, so all of them
        // together cost no more than eight times the first.
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
