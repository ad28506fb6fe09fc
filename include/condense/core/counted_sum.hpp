// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/cost.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/tokens.hpp>

// A request as an estimator has counted it, and what an estimator needs that learns from reports: only sums
// are corrected, what a message was counted as stays.

namespace condense {
inline namespace v1 {

/// The sum of a request, or of what has been added to one.
struct counted_sum {
    cost counted = {};           ///< of its messages, as the estimator counts them, uncorrected
    std::uint64_t messages = 0;  ///< how many these are
    cost overhead = {};          ///< what is known apart: system prompt and tool schemas outside the messages
    std::uint8_t content = 0;    ///< a class of content of the caller's choice, learnt apart

    constexpr cost total() const noexcept { return counted + overhead; }
    friend constexpr bool operator==(counted_sum const&, counted_sum const&) = default;
};

/// An estimator that is told what was reported, and corrects later sums by it: `e.observe(sum, reported)`,
/// `e.corrected(sum) -> cost`, which must not throw. A session does both. Optional: `e.use_model(name)` for another
/// model, and `e.save()`, `e.load(text)` for what was learnt.
template <class Estimator>
concept learning_estimator = token_estimator<Estimator> &&
                             requires(Estimator& learns, Estimator const& same, counted_sum const& sum, tokens reported) {
    { same.corrected(sum) } noexcept -> std::same_as<cost>;
    { learns.observe(sum, reported) } noexcept;
};

namespace detail {

/// One whose learning goes into a saved session; `load` does all or nothing, and has not to throw.
template <class Estimator>
concept saved_estimator = requires(Estimator& learns, Estimator const& same, std::string_view text) {
    { same.save() } -> std::same_as<std::string>;
    { learns.load(text) } -> std::same_as<bool>;
};

/// What a sum comes to: corrected where the estimator learns.
template <token_estimator Estimator>
constexpr cost corrected(Estimator const& count, counted_sum const& sum) noexcept {
    if constexpr (learning_estimator<Estimator>) return count.corrected(sum);
    else return sum.total();
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
