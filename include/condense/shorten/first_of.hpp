// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <condense/detail/unset.hpp>
#include <condense/shorten/shortener.hpp>

// Several shorteners as one: first_of(json_sample{}, head_tail{}). Uses the first that applies to a part and brings it
// within the layer's limit; if none does, the one with the shortest result.

namespace condense {
inline namespace v1 {
namespace detail {

/// Two shorteners as one; first_of nests them to the right. It is a composite: the library binds it and asks it by
/// may_apply(), so that each of the two keeps its own kinds of parts and limits.
template <class First, class Second>
struct either_shortener {
    static_assert(check_shortener<First>() && check_shortener<Second>());

    using is_composite = void;
    static constexpr part_kinds applies_to = kinds_of<First>() | kinds_of<Second>();
    static constexpr bool removes = removes_parts<First>() || removes_parts<Second>();
    static constexpr bool sees_others = detail::sees_others<First>() || detail::sees_others<Second>();

    First first = slot_default<First>();
    Second second = slot_default<Second>();

    constexpr void validate() const {
        if constexpr (requires { first.validate(); }) first.validate();
        if constexpr (requires { second.validate(); }) second.validate();
    }
    constexpr bool may_apply(part_kind kind, bool sealed, bytes size, cut const& context) const noexcept {
        return detail::may_apply(first, kind, sealed, size, context) ||
               detail::may_apply(second, kind, sealed, size, context);
    }
    /// The first result, unless it is still over the layer's limit and the second is shorter.
    template <class Draft>
    auto bind(Draft const& draft) const {
        return [apply_first = bind_shortener(first, draft), apply_second = bind_shortener(second, draft)](
                   part_ref ref, part_view const& part, cut const& context) {
            auto shorter = apply_first(ref, part, context);
            bool const any_size = takes_any_size<First>() || context.over == text_limit{chars{0}};
            if (shorter && (any_size || shorter->empty() || context.over.holds(*shorter))) return shorter;
            auto other = apply_second(ref, part, context);
            return other && (!shorter || other->size() < shorter->size()) ? other : shorter;
        };
    }
    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        return bind(no_conversation{})({}, part, context);
    }
    friend bool operator==(either_shortener const&, either_shortener const&) = default;
};

}  // namespace detail

/// Several shorteners as one; put the one that loses least first. Loses what the chosen one loses. Costs an attempt for
/// each shortener before it, and for those after it if no result is within the layer's limit.
template <class Only>
constexpr Only first_of(Only only) {
    return only;
}
template <class First, class... Rest>
constexpr auto first_of(First first, Rest... rest) {
    auto others = v1::first_of(std::move(rest)...);
    return detail::either_shortener<First, decltype(others)>{std::move(first), std::move(others)};
}

}  // namespace v1
}  // namespace condense
