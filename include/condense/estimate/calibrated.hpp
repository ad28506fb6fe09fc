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

/// A rule that corrects sums: `corrected(sum) -> cost` and `observe(sum, reported)`, neither throws. Optional:
/// `use_model(name)`, `save() -> std::string`, `load(text) -> bool`.
template <class Rule>
concept calibration_rule =
    std::copy_constructible<Rule> && requires(Rule& rule, Rule const& same, request_count const& sum, tokens reported) {
        { same.corrected(sum) } noexcept -> std::same_as<cost>;
        { rule.observe(sum, reported) } noexcept;
    };

/// Counts texts as its estimator does, so that the cost of a message never changes, and corrects sums by its rule. A
/// session passes it the reports; without a session call `observe` and `corrected`.
template <token_estimator Estimator, calibration_rule Rule = log_ratio>
struct calibrated {
    Estimator count = {};
    Rule rule = {};
    std::uint8_t content =
        0;  ///< the class of content of sums that name none, such as those of a session that is all of one kind

    static constexpr bool deterministic = requires { requires Estimator::deterministic; };

    constexpr cost operator()(std::string_view text) const { return count(text); }
    constexpr cost frame(role speaker) const { return detail::frame_cost(count, speaker); }
    constexpr cost frame(role speaker, std::string_view name) const
        requires detail::counts_names<Estimator>
    {
        return count.frame(speaker, name);
    }
    constexpr cost frame(part_view const& part) const { return detail::frame_cost(count, part); }

    constexpr cost corrected(request_count const& sum) const noexcept { return rule.corrected(classed(sum)); }
    constexpr void observe(request_count const& sum, tokens reported) noexcept { rule.observe(classed(sum), reported); }
    constexpr void use_model(std::string_view name) noexcept
        requires requires(Rule& some) { some.use_model(name); }
    {
        rule.use_model(name);
    }
    std::string save() const
        requires requires(Rule const& some) {
            { some.save() } -> std::same_as<std::string>;
        }
    {
        return rule.save();
    }
    bool load(std::string_view text)
        requires requires(Rule& some) {
            { some.load(text) } -> std::same_as<bool>;
        }
    {
        return rule.load(text);
    }

    friend constexpr bool operator==(calibrated const&, calibrated const&) = default;

private:
    constexpr request_count classed(request_count sum) const noexcept {
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
