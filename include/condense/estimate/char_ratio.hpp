// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <condense/core/estimator.hpp>
#include <condense/core/part.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/family.hpp>

// Tokens estimated from the number of characters at a fixed ratio: char_ratio<family::gpt>{}. Within 10 % on English
// prose; too low for code, JSON and other scripts, for which script_aware is better.

namespace condense {
inline namespace v1 {
namespace detail {

/// The cost of a part beside its text: the name and id of a call, the id of a result.
template <class Estimator>
constexpr cost name_frame(Estimator const& count, part_view const& part) {
    if (part.kind == part_kind::tool_call) return count(part.tool) + count(part.call);
    if (part.kind == part_kind::tool_result) return count(part.call);
    return {};
}

}  // namespace detail

/// A fixed ratio, in tenths of a character (Unicode code point) per token, and a fixed cost for each message.
/// `chars_per_token{.tenths = 37, .per_message = 4_tokens}`; 0 tenths count as 1.
struct chars_per_token {
    std::uint32_t tenths = 37;
    tokens per_message = {4};  ///< the highest of the published overheads, 2 to 4

    /// Rounded up to 1/256 of a token, at least one token for text that is not empty. Costs one pass.
    constexpr cost operator()(std::string_view text) const noexcept {
        if (text.empty()) return {};
        auto const points = detail::utf8::count(text);
        cost const total{detail::scale_up(points, 10 * cost::per_token, tenths == 0 ? 1 : tenths)};
        return total.steps < cost::per_token ? cost{cost::per_token} : total;
    }
    constexpr cost frame(role) const noexcept { return cost::of(per_message); }
    constexpr cost frame(part_view const& part) const noexcept { return detail::name_frame(*this, part); }

    friend constexpr bool operator==(chars_per_token const&, chars_per_token const&) = default;
};

/// The ratio of a family of models, as in the preset `cascade`: claude 3.7, gpt 4.0, kimi 3.8, gemini 4.2, other 3.7
/// characters per token; claude_4_7 2.8, which is 3.7 by the published mean growth of 1.325. Frames of published
/// request overheads: claude 2 tokens a message, others 4.
template <class Family>
struct char_ratio {
    static constexpr bool deterministic = true;

    /// The ratio and the frame of the family.
    static constexpr chars_per_token ratio() noexcept {
        if constexpr (std::same_as<Family, family::claude>) return {37, {2}};
        else if constexpr (std::same_as<Family, family::claude_4_7>) return {28, {2}};
        else if constexpr (std::same_as<Family, family::gpt>) return {40, {4}};
        else if constexpr (std::same_as<Family, family::kimi>) return {38, {4}};
        else if constexpr (std::same_as<Family, family::gemini>) return {42, {4}};
        else return {37, {4}};
    }
    constexpr cost operator()(std::string_view text) const noexcept { return ratio()(text); }
    constexpr cost frame(role speaker) const noexcept { return ratio().frame(speaker); }
    constexpr cost frame(part_view const& part) const noexcept { return ratio().frame(part); }

    friend constexpr bool operator==(char_ratio, char_ratio) = default;
};

}  // namespace v1
}  // namespace condense
