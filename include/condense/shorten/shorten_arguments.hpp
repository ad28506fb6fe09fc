// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/unset.hpp>
#include <condense/shorten/arguments.hpp>
#include <condense/shorten/shortener.hpp>

// Cuts long strings in the arguments of tool calls, which stay JSON:
// compress{.with = shorten_arguments{.over = 2'000_chars, .tools = tools("write_*")}}.

namespace condense {
inline namespace v1 {

/// Keeps the beginning of each string over the limit, and everything else byte for byte: keys, the spelling of numbers,
/// white space. Loses the rest of those strings. Costs a pass over the arguments and one over each such string. Leaves
/// alone arguments that are no JSON or nested deeper than 128, and strings that a marker would not shorten: those of up
/// to about a hundred characters more than `keep`.
template <detail::tool_choice Tools = any_tool_t>
struct shorten_arguments {
    chars over = {2'000};  ///< of one string, an escape counted as one character; as in the preset `harness`
    chars keep = {20};  ///< characters
    /// How to get the rest back if neither a store nor a journal has it; must outlive the shortener.
    std::string_view otherwise = "the tool received all of them";
    Tools tools = detail::slot_default<Tools>();

    static constexpr part_kinds applies_to = part_kind::tool_call;

    constexpr void validate() const {
        detail::reject_unless(keep < over,
                              "condense: shorten_arguments: keep must be below over (see shorten_arguments)");
        detail::reject_unless(
            otherwise.size() <= 96 && detail::utf8::valid(otherwise),
            "condense: shorten_arguments: otherwise must be UTF-8 of at most 96 bytes (see shorten_arguments)");
    }

    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        if (part.kind != part_kind::tool_call || part.sealed || !tools.holds(part)) return std::nullopt;
        auto const halved = [&context](chars size) { return text_limit{size}.halved(context.halvings).chars.count; };
        detail::string_cutter const cut_string{halved(keep), halved(over), context.how, otherwise};
        if (part.text.size() <= cut_string.limit()) return std::nullopt;
        return detail::json::with_strings(
            part.text, [&](detail::json::spelt_string const& string) { return cut_string(string.text); });
    }
    friend constexpr bool operator==(shorten_arguments const&, shorten_arguments const&) = default;
};

}  // namespace v1
}  // namespace condense
