// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>
#include <condense/policy/head_tail.hpp>
#include <condense/policy/slots.hpp>
#include <condense/policy/worth.hpp>

// Shortens tool results in place: compress{.when = used >= 65_pct, .with = head_tail{.head =
// 128_lines, .tail = 128_lines}}.

namespace condense {
inline namespace v1 {

/// Loses what the shortener leaves out of tool results; costs one pass over each result that is over
/// the limit. Acts on arrival and in reduce, oldest first. Each pressure step halves what is kept.
template <trigger When = decltype(used >= percent{}), class Until = from_when, protection Protect = task_t,
          class Worth = any_gain, shortener Shortener = head_tail>
struct compress {
    When when = detail::slot_default<When>(used >= percent{6'500});
    Until until = detail::slot_default<Until>();
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    extent over = chars{10'000};  ///< C3; results within it are left alone
    Shortener with = detail::slot_default<Shortener>();

    static constexpr effect effects = shortens;

    constexpr void validate() const {
        detail::check_target(when, until);
        if constexpr (requires { with.validate(); }) with.validate();
    }

    constexpr void arrive(auto& draft, sequence arrived, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        draft.each_part_of(arrived, [&](part_ref part) { shorten(draft, part, kept, pass); });
    }

    constexpr void reduce(auto& draft, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        for (auto const which : draft.groups()) {
            if (pass.enough()) return;
            draft.each_part_of(which, [&](part_ref part) {
                if (!pass.enough()) shorten(draft, part, kept, pass);
            });
        }
    }

    friend bool operator==(compress const&, compress const&) = default;

private:
    constexpr void shorten(auto& draft, part_ref part, auto const& kept, auto& pass) const {
        auto const facts = draft.about(part);
        auto const halvings = detail::halvings_of(pass);
        auto const limit = over.halved(halvings);
        if (facts.kind != part_kind::tool_result || facts.sealed || facts.stored_earlier) return;
        if (!detail::may_exceed(limit, facts.original_size) || kept.holds(part.message_index)) return;
        std::optional<std::string> shorter;
        draft.original(part, [&](part_view const& seen) {
            if (!kept.holds(seen) && !limit.holds(seen.text)) shorter = with(seen, {halvings, {facts.stored}});
        });
        if (shorter) pass.note(draft.shorten(part, std::move(*shorter)));
    }
};

}  // namespace v1
}  // namespace condense
