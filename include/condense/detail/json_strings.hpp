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

/// A string value, as spelt between its quotes.
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
    scanner read{json};
    std::string_view key;
    for (;;) {
        auto const kind = read.next();
        if (kind == token::bad || kind == token::done) return kind == token::done;
        auto const spelt = kind == token::key || kind == token::string ? read.text().substr(1, read.text().size() - 2)
                                                                       : std::string_view{};
        if (kind == token::string)
            f(spelt_string{key, spelt, static_cast<std::size_t>(spelt.data() - json.data()), read.depth()});
        key = kind == token::key ? spelt : std::string_view{};
    }
}

/// `json` with the spelling of each string replaced by f(spelt_string), which must be shorter, or nothing to keep it.
/// Nothing if no string changes, or if the text is no JSON.
template <class Function>
constexpr std::optional<std::string> with_strings(std::string_view json, Function&& f) {
    std::string out;
    std::size_t copied = 0;
    bool const whole = each_string(json, [&](spelt_string const& found) {
        std::optional<std::string> const made = f(found);
        if (!made || made->size() >= found.text.size()) return;
        out.append(json.substr(copied, found.begin - copied)).append(*made);
        copied = found.begin + found.text.size();
    });
    if (!whole || copied == 0) return std::nullopt;
    out.append(json.substr(copied));
    return out;
}

constexpr bool is_surrogate(std::string_view spelt, std::size_t at, bool low) noexcept {
    if (spelt.size() - at < 6 || spelt[at] != '\\' || spelt[at + 1] != 'u') return false;
    if (spelt[at + 2] != 'd' && spelt[at + 2] != 'D') return false;
    return std::string_view{low ? "cCdDeEfF" : "89aAbB"}.find(spelt[at + 3]) != std::string_view::npos;
}

/// Bytes of the spelling of the character at `at` of a string: an escape, or a pair of surrogates, counts as one.
constexpr std::size_t spelling(std::string_view spelt, std::size_t at) noexcept {
    if (spelt[at] != '\\') return utf8::decode(spelt, at).size;
    if (spelt[at + 1] != 'u') return 2;
    return is_surrogate(spelt, at, false) && is_surrogate(spelt, at + 6, true) ? 12 : 6;
}

constexpr std::uint64_t count_spelt(std::string_view spelt) noexcept {
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < spelt.size(); ++total) at += spelling(spelt, at);
    return total;
}

constexpr std::size_t prefix_spelt(std::string_view spelt, std::uint64_t points) noexcept {
    std::size_t at = 0;
    for (; points != 0 && at < spelt.size(); --points) at += spelling(spelt, at);
    return at;
}

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
