// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/saturate.hpp>

// Numbers in the spellings of settings: 30000, 65%, 0.65, on. Parses shares without floating point and without a
// locale.

namespace condense {
inline namespace v1 {
namespace detail {

/// Why a text is no figure: no number, above 64 bits, or with more decimals than its unit has.
enum class figure_fault : std::uint8_t { none, malformed, too_large, too_fine };

/// A number, or an error with value 0.
struct figure {
    std::uint64_t value = 0;
    figure_fault fault = figure_fault::none;

    friend constexpr bool operator==(figure const&, figure const&) = default;
};

/// Decimal digits with at most `places` digits after the point, in units of the last place. Exact: further digits must
/// be zeros.
constexpr figure read_decimal(std::string_view text, std::size_t places) noexcept {
    constexpr std::string_view digits = "0123456789";
    auto const point = text.find('.');
    auto const integer = text.substr(0, point);
    auto const fraction = point == text.npos ? std::string_view{"0"} : text.substr(point + 1);
    if (integer.empty() || fraction.empty() || (places == 0 && point != text.npos) ||
        integer.find_first_not_of(digits) != integer.npos || fraction.find_first_not_of(digits) != fraction.npos)
        return {0, figure_fault::malformed};
    if (fraction.find_first_not_of('0', places) != fraction.npos) return {0, figure_fault::too_fine};
    figure out;
    for (std::size_t index = 0; index < integer.size() + places; ++index) {
        // Digits that the fraction does not have count as zeros.
        auto const fraction_index = index - integer.size();
        char const digit = index < integer.size()             ? integer[index]
                           : fraction_index < fraction.size() ? fraction[fraction_index]
                                                              : '0';
        auto const more = static_cast<std::uint64_t>(digit - '0');
        if (out.value > (u64_limit - more) / 10) return {0, figure_fault::too_large};
        out.value = out.value * 10 + more;
    }
    return out;
}

/// Decimal digits only.
constexpr figure read_count(std::string_view text) noexcept { return read_decimal(text, 0); }

/// Consumes the first of several counts separated by single spaces; a space at the end is malformed.
constexpr figure take_count(std::string_view& list) noexcept {
    auto const word = list.substr(0, list.find(' '));
    bool const last = word.size() == list.size();
    list.remove_prefix(word.size() + (last ? 0 : 1));
    return !last && list.empty() ? figure{0, figure_fault::malformed} : read_count(word);
}

/// Basis points of "0.65", "65%", "65 %" or "62.5%".
constexpr figure read_share(std::string_view text) noexcept {
    if (!text.ends_with('%')) return read_decimal(text, 4);
    text.remove_suffix(text.ends_with(" %") ? 2 : 1);
    return read_decimal(text, 2);
}

/// 1 for "on", "true", "yes" and "1", 0 for "off", "false", "no" and "0", in any case.
constexpr figure read_switch(std::string_view text) noexcept {
    constexpr std::string_view words[] = {"off", "false", "no", "0", "on", "true", "yes", "1"};
    for (std::uint64_t index = 0; index < 8; ++index) {
        bool same = text.size() == words[index].size();
        for (std::size_t position = 0; same && position < text.size(); ++position)
            same = lowered(text[position]) == words[index][position];
        if (same) return {index / 4};
    }
    return {0, figure_fault::malformed};
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
