// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>

// How tokens are counted: any callable from text to cost, with optional frames for what a message
// or a part costs beside its text.

namespace condense {
inline namespace v1 {

/// A callable `e(std::string_view) -> cost`, at least one token for text that is not empty.
/// Optional: `e.frame(role) -> cost` for each message, or `e.frame(role, std::string_view name) -> cost` with its
/// author's name; `e.frame(part_view const&) -> cost` for each part.
template <class Estimator>
concept token_estimator =
    std::copy_constructible<Estimator> && requires(Estimator const& estimator, std::string_view text) {
        { estimator(text) } -> std::same_as<cost>;
    };

namespace detail {

/// For the bodies of templates that take an estimator: a constraint would make the compiler say that no function
/// matches, and not why.
template <class Estimator>
constexpr bool check_estimator() noexcept {
    static_assert(token_estimator<Estimator>,
                  "condense: token_estimator: it must have a const operator()(std::string_view) that returns a "
                  "condense::cost (see token_estimator)");
    return true;
}

/// No part counts for more than this, 2^32 tokens, so that sums of sane numbers of parts are exact.
inline constexpr cost cost_limit = cost::of({std::uint64_t{1} << 32});

constexpr cost clamped(cost value) noexcept { return value < cost_limit ? value : cost_limit; }

template <class Estimator>
concept counts_names = requires(Estimator const& estimator, std::string_view name) {
    { estimator.frame(role::user, name) } -> std::same_as<cost>;
};

template <token_estimator Estimator>
constexpr cost frame_cost(Estimator const& estimator, role speaker) {
    if constexpr (counts_names<Estimator>) return clamped(estimator.frame(speaker, std::string_view{}));
    else if constexpr (requires {
                           { estimator.frame(speaker) } -> std::same_as<cost>;
                       })
        return clamped(estimator.frame(speaker));
    else {
        static_assert(
            !requires { estimator.frame(speaker); },
            "condense: token_estimator: frame must give a cost (see token_estimator)");
        return {};
    }
}

/// The same with the name that f() gives, which is asked for only where it counts.
template <token_estimator Estimator, class Function>
constexpr cost frame_cost(Estimator const& estimator, role speaker, Function const& f) {
    if constexpr (counts_names<Estimator>) return clamped(estimator.frame(speaker, f()));
    else return frame_cost(estimator, speaker);
}

template <token_estimator Estimator>
constexpr cost frame_cost(Estimator const& estimator, part_view const& part) {
    if constexpr (requires {
                      { estimator.frame(part) } -> std::same_as<cost>;
                  })
        return estimator.frame(part);
    else return {};
}

/// What one part costs: its own figure where it has one, else its text, and its frame.
template <token_estimator Estimator>
constexpr cost part_cost(Estimator const& estimator, part_view const& part) {
    return clamped((part.cost ? *part.cost : estimator(part.text)) + frame_cost(estimator, part));
}

}  // namespace detail

// A request as an estimator has counted it, and what an estimator needs that learns from reports: only sums
// are corrected, what a message was counted as stays.

/// The sum of a request, or of what has been added to one.
struct request_count {
    cost counted = {};           ///< of its messages, as the estimator counts them, uncorrected
    std::uint64_t messages = 0;  ///< how many these are
    cost overhead = {};          ///< what is known apart: system prompt and tool schemas outside the messages
    std::uint8_t content = 0;    ///< a class of content of the caller's choice, learnt apart

    constexpr cost total() const noexcept { return counted + overhead; }
    friend constexpr bool operator==(request_count const&, request_count const&) = default;
};

/// An estimator that is told what was reported, and corrects later sums by it: `e.observe(sum, reported)`,
/// `e.corrected(sum) -> cost`, which must not throw. A session does both. Optional: `e.use_model(name)` for another
/// model, and `e.save()`, `e.load(text)` for what was learnt.
template <class Estimator>
concept learning_estimator = token_estimator<Estimator> && requires(Estimator& learns, Estimator const& same,
                                                                    request_count const& sum, tokens reported) {
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
constexpr cost corrected(Estimator const& estimator, request_count const& sum) noexcept {
    if constexpr (learning_estimator<Estimator>) return estimator.corrected(sum);
    else return sum.total();
}

}  // namespace detail
namespace detail {

template <class>
inline constexpr bool has_default_estimator = false;

}  // namespace detail

/// The estimator that is used where a user names none; the header of script_aware defines it.
template <class Which = void>
struct default_estimator {
    static_assert(
        detail::has_default_estimator<Which>,
        "condense: reduce: without an estimator the default must be included: <condense/estimate/script_aware.hpp>");
};

}  // namespace v1
}  // namespace condense
