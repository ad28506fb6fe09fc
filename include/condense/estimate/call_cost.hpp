// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <condense/core/estimator.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>

// Replaces what an estimator takes for calls and results beside their text, where it counts ids that a provider does
// not: call_cost{script_aware<family::gpt>{}, {.per_call = 8_tokens, .per_result = 4_tokens}}.

namespace condense {
inline namespace v1 {

/// What a call and a result cost beside the call's name and arguments and the result's text.
struct call_frame {
    bool ids = false;  ///< the id is counted as text at the call, and again at the result
    tokens per_call = {0};
    tokens per_result = {0};

    friend constexpr bool operator==(call_frame const&, call_frame const&) = default;
};

/// Texts, messages and all other parts cost what `count` says.
template <token_estimator Estimator>
struct call_cost {
    static constexpr bool deterministic = requires { requires Estimator::deterministic; };

    Estimator count = {};
    call_frame calls = {};

    constexpr cost operator()(std::string_view text) const { return count(text); }
    constexpr cost frame(role speaker) const { return detail::frame_cost(count, speaker); }
    constexpr cost frame(role speaker, std::string_view name) const
        requires detail::counts_names<Estimator>
    {
        return count.frame(speaker, name);
    }
    constexpr cost frame(part_view const& part) const {
        auto const id = [&] { return calls.ids ? count(part.call) : cost{}; };
        if (part.kind == part_kind::tool_call) return count(part.tool) + id() + cost::of(calls.per_call);
        if (part.kind == part_kind::tool_result) return id() + cost::of(calls.per_result);
        return detail::frame_cost(count, part);
    }

    friend constexpr bool operator==(call_cost const&, call_cost const&) = default;
};

template <class Estimator>
call_cost(Estimator, call_frame) -> call_cost<Estimator>;

}  // namespace v1
}  // namespace condense
