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

/// The byte at `index`, counted from the end.
constexpr char back_at(std::string_view text, std::size_t index) noexcept { return text[text.size() - 1 - index]; }

/// The longest border of each beginning of a text read backwards: the length of what it both begins and ends with.
/// Found as far as they are asked for.
class backward_borders {
public:
    explicit constexpr backward_borders(std::string_view text) noexcept : text_{text} {}

    /// The longest border of the first `length` bytes that is shorter than `matched`, the longest one, and goes on with
    /// the byte after them; 0 if there is none.
    constexpr std::size_t shorter(std::size_t length, std::size_t matched) {
        auto const byte = back_at(text_, length);
        do {
            // Within a repetition the same byte follows each copy, and its borders are known without a table.
            auto const unit = length - matched;
            if (matched >= 2 * unit) matched = unit + matched % unit;
            length = matched;
            matched = of(matched);
        } while (matched != 0 && byte != back_at(text_, matched));
        return matched;
    }

private:
    /// `length` is at least 1.
    constexpr std::size_t of(std::size_t length) {
        if (length > borders_.capacity()) borders_.reserve(length + length / 4);
        while (borders_.size() < length) {
            auto const next = borders_.size();
            std::size_t matched = next == 0 ? 0 : borders_[next - 1];
            while (matched != 0 && back_at(text_, next) != back_at(text_, matched)) matched = borders_[matched - 1];
            if (next != 0 && back_at(text_, next) == back_at(text_, matched)) ++matched;
            borders_.push_back(static_cast<std::uint32_t>(matched));
        }
        return borders_[length - 1];
    }

    std::string_view text_;
    std::vector<std::uint32_t> borders_;  ///< of the length 1, 2 and so on
};

/// The periodic end of a text that saves most; the last copy may lack its final white space. Knuth-Morris-Pratt on the
/// reversed text: the longest border of each suffix gives its period.
constexpr repeated_end longest_repetition(std::string_view text) {
    auto const size = text.size();
    backward_borders borders{text};
    repeated_end best;
    std::size_t longest = 0;
    for (std::size_t length = 1, matched = 0; length < size;) {
        auto const unit = length - matched;  // removing all copies but the first saves `matched` bytes
        while (length < size && back_at(text, length) == back_at(text, length - unit)) ++length;
        matched = length - unit;
        if (matched > longest &&
            (matched >= unit || (unit - matched <= 8 && all_space(text.substr(size - unit, unit - matched))))) {
            longest = matched;
            best = {size - length, unit, 0};
        }
        if (matched != 0 && length != size) matched = borders.shorter(length, matched);
        else  // the next border begins with the last byte of the text
            for (++length; length < size && back_at(text, length) != text.back();) ++length;
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
    std::string result;
    result.reserve(end_run.begin + unit_text.size() + omission_limit + rest.size());
    result.append(text.substr(0, end_run.begin)).append(unit_text);
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
/// less than an eighth would be saved. Costs a few passes over the text and a copy of what it keeps; where a repetition
/// ends amid the text also five bytes of memory for each byte of up to two copies.
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
