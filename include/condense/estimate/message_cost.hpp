// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <condense/core/estimator.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>

// Replaces an estimator's cost per message: message_cost{script_aware<family::claude>{}, 50_tokens}.

namespace condense {
inline namespace v1 {

/// Texts and parts cost what `count` says; every message costs `per_message` instead of the frame of `count`, whatever
/// its role or name. The preset `cascade` uses 50 tokens.
template <token_estimator Estimator>
struct message_cost {
    static constexpr bool deterministic = requires { requires Estimator::deterministic; };

    Estimator count = {};
    tokens per_message = {50};

    constexpr cost operator()(std::string_view text) const { return count(text); }
    constexpr cost frame(role) const noexcept { return cost::of(per_message); }
    constexpr cost frame(part_view const& part) const { return detail::frame_cost(count, part); }

    friend constexpr bool operator==(message_cost const&, message_cost const&) = default;
};

template <class Estimator>
message_cost(Estimator, tokens) -> message_cost<Estimator>;

}  // namespace v1
}  // namespace condense
