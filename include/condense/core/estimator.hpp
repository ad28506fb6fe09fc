// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>

// How tokens are counted: any callable from text to cost, with optional frames for what a message or a part costs
// beside its text. A message's cost is its frame and the costs of its parts.

namespace condense {
inline namespace v1 {

/// A callable `e(std::string_view) -> cost` that gives at least one token for text that is not empty.
/// Optional: `e.frame(role) -> cost` for each message, or `e.frame(role, std::string_view name) -> cost` with its
/// author's name; `e.frame(part_view const&) -> cost` for each part. All const; called for each part that is read or
/// edited. An exception while a layer runs fails that layer; any other reaches the caller and leaves the history as
/// it was.
template <class Estimator>
concept token_estimator =
    std::copy_constructible<Estimator> && requires(Estimator const& estimator, std::string_view text) {
        { estimator(text) } -> std::same_as<cost>;
    };

namespace detail {

/// Asserts token_estimator in the body of a template: with a constraint the compiler would say that no function
/// matches, but not why.
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

/// Its frame for messages takes the author's name.
template <class Estimator>
concept counts_names = requires(Estimator const& estimator, std::string_view name) {
    { estimator.frame(role::user, name) } -> std::same_as<cost>;
};

/// The cost of a message beside its parts; 0 where the estimator has no frame for messages.
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

/// With the cost of the author's name, which f() returns; f is called only where the estimator counts names.
template <token_estimator Estimator, class Function>
constexpr cost frame_cost(Estimator const& estimator, role speaker, Function const& f) {
    if constexpr (counts_names<Estimator>) return clamped(estimator.frame(speaker, f()));
    else return frame_cost(estimator, speaker);
}

/// The cost of a part beside its text.
template <token_estimator Estimator>
constexpr cost frame_cost(Estimator const& estimator, part_view const& part) {
    if constexpr (requires {
                      { estimator.frame(part) } -> std::same_as<cost>;
                  })
        return estimator.frame(part);
    else return {};
}

/// The cost of one part: its own where its adapter gives one, else that of its text, what it has beside that, and
/// its frame.
template <token_estimator Estimator>
constexpr cost part_cost(Estimator const& estimator, part_view const& part) {
    return clamped((part.cost ? *part.cost : estimator(part.text)) + part.beside + frame_cost(estimator, part));
}

}  // namespace detail

// Estimators that learn from what providers report. Only the sums of requests are corrected: the costs of messages and
// parts stay as they were counted, so that edits keep comparing like with like.

/// The figures of an estimator for a request, or for the messages added to one.
struct request_count {
    cost counted = {};           ///< of its messages, as the estimator counts them, uncorrected
    std::uint64_t messages = 0;  ///< the number of those messages
    cost overhead = {};          ///< system prompt and tool schemas outside the messages, which are known exactly
    std::uint8_t content = 0;    ///< a class of content that the caller chooses; each class is learnt separately

    constexpr cost total() const noexcept { return counted + overhead; }
    friend constexpr bool operator==(request_count const&, request_count const&) = default;
};

/// An estimator that learns from the provider's figures: `e.observe(sum, reported)` tells it one, and
/// `e.corrected(sum) -> cost` corrects a later sum. Neither may throw. A session calls both. Optional:
/// `e.use_model(name)` when the model changes, and `e.save()`, `e.load(text)` for what was learnt.
template <class Estimator>
concept learning_estimator = token_estimator<Estimator> && requires(Estimator& learns, Estimator const& same,
                                                                    request_count const& sum, tokens reported) {
    { same.corrected(sum) } noexcept -> std::same_as<cost>;
    { learns.observe(sum, reported) } noexcept;
};

namespace detail {

/// A learning estimator whose state is saved with a session. `load` is all or nothing, and must not throw.
template <class Estimator>
concept saved_estimator = requires(Estimator& learns, Estimator const& same, std::string_view text) {
    { same.save() } -> std::same_as<std::string>;
    { learns.load(text) } -> std::same_as<bool>;
};

/// The cost of a request, corrected where the estimator learns.
template <token_estimator Estimator>
constexpr cost corrected(Estimator const& estimator, request_count const& sum) noexcept {
    if constexpr (learning_estimator<Estimator>) return estimator.corrected(sum);
    else return sum.total();
}

template <class>
inline constexpr bool has_default_estimator = false;

}  // namespace detail

/// The estimator of calls that name none. Defined in <condense/estimate/script_aware.hpp>, so that core depends on no
/// estimator; without that header its use is an error that says so.
template <class Which = void>
struct default_estimator {
    static_assert(
        detail::has_default_estimator<Which>,
        "condense: reduce: without an estimator the default must be included: <condense/estimate/script_aware.hpp>");
};

}  // namespace v1
}  // namespace condense
