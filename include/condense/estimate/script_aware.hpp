// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/core/estimator.hpp>
#include <condense/core/part.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/estimate/char_ratio.hpp>
#include <condense/estimate/family.hpp>
#include <condense/estimate/script_scan.hpp>
#include <condense/estimate/script_weights.hpp>

// Estimates tokens from the characters and words of a text, in one pass without a vocabulary: within 10 % on nearly
// all prose, code, markup, logs, base64 and hex, and most of the greater languages; 10 to 30 % off for lesser ones.

namespace condense {
inline namespace v1 {
namespace detail {

/// The sink of a scan: adds up the costs of code points beyond ASCII, in 1/4096 of a token.
struct script_sum {
    script_weights const& weights;
    std::uint64_t total = 0;

    constexpr void operator()(script_class which, std::uint64_t points, std::uint64_t begins) noexcept {
        auto const index = static_cast<std::size_t>(which);
        total += points * weights.chars[index] + begins * weights.runs[index];
    }
};

/// The cost of a text by these weights, rounded up; at least one token unless the text is empty, at most one for each
/// byte. A template, so that a program that only includes it instantiates no scan.
template <class Sum = script_sum>
constexpr cost weighed(script_weights const& weights, std::string_view text) noexcept {
    if (text.empty()) return {};
    Sum sum{.weights = weights};
    auto const counts = scan_scripts(text, sum);
    auto total = sum.total;
    for (std::size_t index = 0; index < text_features; ++index) total += counts[index] * weights.text[index];
    constexpr auto finer = script_weights::per_token / cost::per_token;
    cost const result{(total + finer - 1) / finer};
    cost const most{mul_capped(text.size(), cost::per_token)};  // no vocabulary of bytes takes more
    return result.steps < cost::per_token ? cost{cost::per_token} : result < most ? result : most;
}

}  // namespace detail

/// Estimates the tokens of a text for a family of models, with weights fitted to exact tokenizers on text of every
/// kind and on recorded conversations with agents:
/// - gpt: o200k_base, the vocabulary of GPT-4o and later.
/// - claude: the published vocabulary of Claude 2, times 1.10, which is within 2.4 % of Claude 3 to Opus 4.5.
/// - claude_4_7: no vocabulary is published. That of claude, times published growth by kind of text: English 1.45,
/// Markdown
///   1.37, JSON 1.31, Python 1.20, C 1.15, JavaScript 1.13, identifiers 1.06, other scripts than Latin 1.00, else
///   1.325. It rests on those figures alone: calibrate it.
/// - gemini: the vocabulary of Gemma 3, times 1.00.
/// - kimi: o200k_base, times 1.00, which agrees with providers to 5 to 8 %; Chinese may be less than it says.
/// - other: the mean of Llama 3.1, Qwen 3 and DeepSeek V3.
/// Appending text never lowers the cost. Costs one pass, and no memory.
template <class Family>
struct script_aware {
    static constexpr bool deterministic = true;

    /// The fitted weights; kimi has those of gpt.
    static constexpr detail::script_weights const& weights() noexcept {
        if constexpr (std::same_as<Family, family::claude>) return detail::weights_of_claude;
        else if constexpr (std::same_as<Family, family::claude_4_7>) return detail::weights_of_claude_4_7;
        else if constexpr (std::same_as<Family, family::gpt> || std::same_as<Family, family::kimi>)
            return detail::weights_of_gpt;
        else if constexpr (std::same_as<Family, family::gemini>) return detail::weights_of_gemini;
        else return detail::weights_of_other;
    }
    constexpr cost operator()(std::string_view text) const noexcept { return detail::weighed<>(weights(), text); }
    constexpr cost frame(role speaker) const noexcept { return char_ratio<Family>::ratio().frame(speaker); }
    constexpr cost frame(part_view const& part) const noexcept { return detail::name_frame(*this, part); }

    friend constexpr bool operator==(script_aware, script_aware) = default;
};

/// The template behind family_estimator, so that a program that only includes it instantiates none of the families.
template <class = void>
struct basic_family_estimator {
    static constexpr bool deterministic = true;

    model_family family = model_family::other;

    constexpr cost operator()(std::string_view text) const noexcept {
        return of_family([&](auto const& count) { return count(text); });
    }
    constexpr cost frame(role speaker) const noexcept {
        return of_family([&](auto const& count) { return count.frame(speaker); });
    }
    constexpr cost frame(part_view const& part) const noexcept { return detail::name_frame(*this, part); }

    friend constexpr bool operator==(basic_family_estimator const&, basic_family_estimator const&) = default;

private:
    template <class Count>
    constexpr cost of_family(Count&& count) const noexcept {
        return with_family(family, [&](auto tag) { return count(script_aware<decltype(tag)>{}); });
    }
};

/// script_aware for a family known only at run time, `family_estimator{family_of(name)}`: one type for all families,
/// at the price of a branch per text.
using family_estimator = basic_family_estimator<>;

/// The recommended estimator for a family of models that has no exact one.
template <class Family>
using estimator_for = script_aware<Family>;

/// The estimator of `reduce` and of a session that name none.
template <>
struct default_estimator<void> : script_aware<v1::family::other> {};

}  // namespace v1
}  // namespace condense
