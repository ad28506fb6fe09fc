// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>

// Finds and cuts the strings that are values in a JSON text, in place; everything between them stays byte for byte:
// `with_strings(text, cut)`.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// A string value, as spelt between its quotes; views into the JSON text.
struct spelt_string {
    std::string_view key = {};   ///< of the member, as spelt; empty for an element
    std::string_view text = {};
    std::size_t begin = 0;       ///< offset of `text` in the JSON text
    std::size_t depth = 0;       ///< objects and arrays around it
};

/// Calls f(spelt_string) for each string value, in order. False if the text is no JSON, which may be detected only
/// after some calls.
template <class Function>
constexpr bool each_string(std::string_view json, Function&& f) {
    scanner scan{json};
    std::string_view key;
    for (;;) {
        auto const kind = scan.next();
        if (kind == token::bad || kind == token::done) return kind == token::done;
        auto const spelt = kind == token::key || kind == token::string ? scan.text().substr(1, scan.text().size() - 2)
                                                                       : std::string_view{};
        if (kind == token::string)
            f(spelt_string{key, spelt, static_cast<std::size_t>(spelt.data() - json.data()), scan.depth()});
        key = kind == token::key ? spelt : std::string_view{};
    }
}

/// `json` with the spelling of each string replaced by f(spelt_string), which must be shorter, or nothing to keep it.
/// Nothing if no string changes, or if the text is no JSON.
template <class Function>
constexpr std::optional<std::string> with_strings(std::string_view json, Function&& f) {
    std::string out;
    std::size_t copied = 0;
    bool const is_valid = each_string(json, [&](spelt_string const& string) {
        std::optional<std::string> const replacement = f(string);
        if (!replacement || replacement->size() >= string.text.size()) return;
        out.append(json.substr(copied, string.begin - copied)).append(*replacement);
        copied = string.begin + string.text.size();
    });
    if (!is_valid || copied == 0) return std::nullopt;
    out.append(json.substr(copied));
    return out;
}

/// True if the escape of a high or low surrogate begins at `index`.
constexpr bool is_surrogate(std::string_view spelt, std::size_t index, bool low) noexcept {
    if (spelt.size() - index < 6 || spelt[index] != '\\' || spelt[index + 1] != 'u') return false;
    if (spelt[index + 2] != 'd' && spelt[index + 2] != 'D') return false;
    constexpr std::string_view digits{"0123456789abcdefABCDEF"};
    for (auto const digit : spelt.substr(index + 4, 2))
        if (digits.find(digit) == digits.npos) return false;
    return std::string_view{low ? "cCdDeEfF" : "89aAbB"}.find(spelt[index + 3]) != std::string_view::npos;
}

/// Bytes of the spelling of the character at `index` of a string: an escape, or a pair of surrogates, counts as one.
constexpr std::size_t spelling(std::string_view spelt, std::size_t index) noexcept {
    if (spelt[index] != '\\') return utf8::decode(spelt, index).size;
    if (spelt[index + 1] != 'u') return 2;
    return is_surrogate(spelt, index, false) && is_surrogate(spelt, index + 6, true) ? 12 : 6;
}

/// Characters of a string as spelt.
constexpr std::uint64_t count_spelt(std::string_view spelt) noexcept {
    std::uint64_t total = 0;
    for (std::size_t index = 0; index < spelt.size(); ++total) index += spelling(spelt, index);
    return total;
}

/// Bytes of the first `points` characters of a string as spelt: cuts no escape and no pair apart.
constexpr std::size_t prefix_spelt(std::string_view spelt, std::uint64_t points) noexcept {
    std::size_t size = 0;
    for (; points != 0 && size < spelt.size(); --points) size += spelling(spelt, size);
    return size;
}

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
