// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/saturate.hpp>

// Figures as people write them into settings: 30000, 65%, 0.65, on. By hand, so that no share ever
// passes through floating point and no locale has a say.

namespace condense {
inline namespace v1 {
namespace detail {

enum class figure_fault : std::uint8_t { none, malformed, too_large, too_fine };

/// A number, or why there is none.
struct figure {
    std::uint64_t value = 0;
    figure_fault fault = figure_fault::none;

    friend constexpr bool operator==(figure const&, figure const&) = default;
};

/// Bytes of the digits that `text` begins with.
constexpr std::size_t digits_of(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

/// One digit more; false, with the figure unusable, where it does not fit.
constexpr bool append_digit(figure& into, char digit) noexcept {
    auto const more = static_cast<std::uint64_t>(digit - '0');
    if (into.value > (u64_limit - more) / 10) {
        into = {0, figure_fault::too_large};
        return false;
    }
    into.value = into.value * 10 + more;
    return true;
}

/// Decimal digits and nothing else.
constexpr figure read_count(std::string_view text) noexcept {
    if (text.empty() || digits_of(text) != text.size()) return {0, figure_fault::malformed};
    figure out;
    for (char const digit : text)
        if (!append_digit(out, digit)) break;
    return out;
}

/// Basis points of "0.65", "65%", "65 %" or "62.5%"; exactly, or not at all.
constexpr figure read_share(std::string_view text) noexcept {
    std::size_t places = 4;
    if (text.ends_with('%')) {
        places = 2;
        text.remove_suffix(text.ends_with(" %") ? 2 : 1);
    }
    auto const whole = text.substr(0, digits_of(text));
    auto rest = text.substr(whole.size());
    if (rest.starts_with('.')) rest.remove_prefix(1);
    bool const pointed = whole.size() + rest.size() != text.size();
    if (whole.empty() || digits_of(rest) != rest.size() || pointed == rest.empty()) return {0, figure_fault::malformed};
    for (char const digit : rest.substr(rest.size() < places ? rest.size() : places))
        if (digit != '0') return {0, figure_fault::too_fine};
    figure out;
    for (char const digit : whole)
        if (!append_digit(out, digit)) return out;
    for (std::size_t place = 0; place < places; ++place)
        if (!append_digit(out, place < rest.size() ? rest[place] : '0')) return out;
    return out;
}

/// 1 of "on", "true", "yes" and "1", 0 of "off", "false", "no" and "0", in letters of either case.
constexpr figure read_switch(std::string_view text) noexcept {
    auto const is = [text](std::string_view word) {
        if (text.size() != word.size()) return false;
        for (std::size_t at = 0; at < word.size(); ++at)
            if (lowered(text[at]) != word[at]) return false;
        return true;
    };
    if (is("on") || is("true") || is("yes") || is("1")) return {1};
    if (is("off") || is("false") || is("no") || is("0")) return {0};
    return {0, figure_fault::malformed};
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
