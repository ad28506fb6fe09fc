// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/estimator.hpp>
#include <condense/estimate/log_ratio.hpp>

// An estimator whose sums are corrected by the provider's reports:
// session{messages, mix, budget, calibrated{.count = char_ratio<family::claude>{}, .rule = log_ratio{}}}.

namespace condense {
inline namespace v1 {

/// A rule that corrects sums: `corrected(sum) -> cost` and `observe(sum, reported)`, both noexcept. Optional members,
/// which calibrated then has too: `use_model(name)`, `save() -> std::string`, `load(text) -> bool`.
template <class Rule>
concept calibration_rule = std::copy_constructible<Rule> &&
                           requires(Rule& rule, Rule const& constant, request_count const& sum, tokens reported) {
                               { constant.corrected(sum) } noexcept -> std::same_as<cost>;
                               { rule.observe(sum, reported) } noexcept;
                           };

/// Counts texts as its estimator does, so that the cost of a message never changes, and corrects sums by its rule. A
/// session passes it the reports; without a session call `observe` and `corrected`.
template <token_estimator Estimator, calibration_rule Rule = log_ratio>
struct calibrated {
    Estimator count = {};
    Rule rule = {};
    /// The class of content, 0 to 3 for log_ratio, of sums that name none. Each class is learnt apart.
    std::uint8_t content = 0;

    static constexpr bool deterministic = requires { requires Estimator::deterministic; };

    constexpr cost operator()(std::string_view text) const { return count(text); }
    constexpr cost frame(role speaker) const { return detail::frame_cost(count, speaker); }
    constexpr cost frame(role speaker, std::string_view name) const
        requires detail::counts_names<Estimator>
    {
        return count.frame(speaker, name);
    }
    constexpr cost frame(part_view const& part) const { return detail::frame_cost(count, part); }

    /// The estimate of a whole request, corrected by what the rule has learnt.
    constexpr cost corrected(request_count const& sum) const noexcept { return rule.corrected(with_content(sum)); }
    /// Learns from the tokens that the provider reported for a request of this estimate.
    constexpr void observe(request_count const& sum, tokens reported) noexcept {
        rule.observe(with_content(sum), reported);
    }
    /// Names the model of the requests that follow, so that the rule can start over for another tokenizer.
    constexpr void use_model(std::string_view name) noexcept
        requires requires(Rule& learner) { learner.use_model(name); }
    {
        rule.use_model(name);
    }
    /// The learnt state as text; the estimator itself is not part of it.
    std::string save() const
        requires requires(Rule const& learner) {
            { learner.save() } -> std::same_as<std::string>;
        }
    {
        return rule.save();
    }
    /// Restores what `save` wrote; returns false and changes nothing for any other text.
    bool load(std::string_view text)
        requires requires(Rule& learner) {
            { learner.load(text) } -> std::same_as<bool>;
        }
    {
        return rule.load(text);
    }

    friend constexpr bool operator==(calibrated const&, calibrated const&) = default;

private:
    constexpr request_count with_content(request_count sum) const noexcept {
        if (sum.content == 0) sum.content = content;
        return sum;
    }
};
template <class Estimator>
calibrated(Estimator) -> calibrated<Estimator>;
template <class Estimator, class Rule>
calibrated(Estimator, Rule) -> calibrated<Estimator, Rule>;
template <class Estimator, class Rule>
calibrated(Estimator, Rule, std::uint8_t) -> calibrated<Estimator, Rule>;

}  // namespace v1
}  // namespace condense
