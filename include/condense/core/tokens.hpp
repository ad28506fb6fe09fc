// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <condense/core/cost.hpp>
#include <condense/core/part.hpp>
#include <condense/core/role.hpp>

// How tokens are counted: any callable from text to cost, with optional frames for what a message
// or a part costs beside its text.

namespace condense {
inline namespace v1 {

/// A callable `e(std::string_view) -> cost`, at least one token for text that is not empty.
/// Optional: `e.frame(role) -> cost` for each message, or `e.frame(role, std::string_view name) -> cost` with its
/// author's name; `e.frame(part_view const&) -> cost` for each part.
template <class Estimator>
concept token_estimator = std::copy_constructible<Estimator> && requires(Estimator const& count, std::string_view text) {
    { count(text) } -> std::same_as<cost>;
};

namespace detail {

/// For the bodies of templates that take an estimator: a constraint would make the compiler say that no function
/// matches, and not why.
template <class Estimator>
constexpr bool check_estimator() noexcept {
    static_assert(token_estimator<Estimator>,
                  "condense: token_estimator: it must have a const operator()(std::string_view) that returns a condense::cost (see token_estimator)");
    return true;
}

/// No part counts for more than this, 2^32 tokens, so that sums of sane numbers of parts are exact.
inline constexpr cost cost_limit = cost::of({std::uint64_t{1} << 32});

constexpr cost clamped(cost given) noexcept { return given < cost_limit ? given : cost_limit; }

template <class Estimator>
concept counts_names = requires(Estimator const& count, std::string_view name) {
    { count.frame(role::user, name) } -> std::same_as<cost>;
};

template <token_estimator Estimator>
constexpr cost frame_cost(Estimator const& count, role speaker) {
    if constexpr (counts_names<Estimator>) return clamped(count.frame(speaker, std::string_view{}));
    else if constexpr (requires { { count.frame(speaker) } -> std::same_as<cost>; })
        return clamped(count.frame(speaker));
    else {
        static_assert(!requires { count.frame(speaker); },
                      "condense: token_estimator: frame must give a cost (see token_estimator)");
        return {};
    }
}

/// The same with the name that f() gives, which is asked for only where it counts.
template <token_estimator Estimator, class Function>
constexpr cost frame_cost(Estimator const& count, role speaker, Function const& f) {
    if constexpr (counts_names<Estimator>) return clamped(count.frame(speaker, f()));
    else return frame_cost(count, speaker);
}

template <token_estimator Estimator>
constexpr cost frame_cost(Estimator const& count, part_view const& part) {
    if constexpr (requires { { count.frame(part) } -> std::same_as<cost>; }) return count.frame(part);
    else return {};
}

/// What one part costs: its own figure where it has one, else its text, and its frame.
template <token_estimator Estimator>
constexpr cost part_cost(Estimator const& count, part_view const& part) {
    return clamped((part.cost ? *part.cost : count(part.text)) + frame_cost(count, part));
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
