// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <condense/core/layer.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/reject.hpp>

// Leaves the reducing to the provider, and acts only where that does not: fallback{leave_to_provider{}, summarize{}}.
// The request asks for it: ask_provider(body, layer.asks_at(budget.input())), of adapt/ask_provider.hpp.

namespace condense {
inline namespace v1 {

/// Does nothing while a provider may reduce by its own means, which need no edit of the history, so that its prompt
/// cache and reasoning bound to the history stay. It fails from `until` on, as reported usage then shows that the
/// provider has not reduced, under pressure, and where the program forces a run: in a `fallback` the next layer acts.
///
/// Drops what the provider's newest compaction stands for, as the model does not read it: all before one that must come
/// first, pinned or not, else all but the user's messages. Costs a walk over what is before it.
struct leave_to_provider {
    percent at = {6'000};  ///< share of the input from which on the provider is asked to reduce
    percent until = {8'500};  ///< share of the input from which on it had its chance
    std::string_view label = {};  ///< the layer's name in reports, which it must outlive

    static constexpr effect effects = drops;

    constexpr void validate() const {
        detail::reject_unless(at < until && until.basis_points <= percent::one_hundred,
                              "condense: leave_to_provider: at must be below until, which is at most 100 % (see "
                              "leave_to_provider)");
    }
    /// Only when the provider had its chance: to wait is no run.
    constexpr bool due(usage const& now) const noexcept { return now.tokens >= until.of_rounded_up(now.input); }
    /// How many tokens of a request the provider is told to reduce at.
    constexpr tokens asks_at(tokens input) const noexcept { return at.of_rounded_up(input); }

    /// Messages that could not leave before one that must come first, such as the user's latest, leave later.
    void arrive(auto& draft, sequence arrived, auto& pass) const {
        auto const& facts = draft.outline();
        auto const place = facts.compaction();
        if (place == detail::none32) return;
        if (place == arrived.number || facts.message_at(place).compaction == compaction_place::first)
            static_cast<void>(drop_before(draft, pass));
    }
    failed reduce(auto& draft, auto& pass) const {
        bool const dropped = drop_before(draft, pass);
        bool const had_chance = pass.pressure() != 0 || pass.untriggered() || due(draft.used());
        if (!dropped && had_chance) return {"the provider has not reduced"};
        pass.idle_as("nothing to do: it is left to the provider");
        return {};
    }

    friend bool operator==(leave_to_provider const&, leave_to_provider const&) = default;

private:
    /// True if something left.
    static bool drop_before(auto& draft, auto& pass) {
        auto const& facts = draft.outline();
        auto const place = facts.compaction();
        if (place == detail::none32 || !draft.present(group{facts.group_of(place)})) return false;
        bool const is_first = facts.message_at(place).compaction == compaction_place::first;
        bool dropped = false;
        for (auto const which : draft.groups()) {
            if (which.id() >= place) break;
            auto const about = draft.about(which);
            if (about.last >= place || about.system || (!is_first && about.plain_user)) continue;
            auto const refused = draft.drop(which);
            pass.note(refused);
            dropped = dropped || !refused;
        }
        return dropped;
    }
};

}  // namespace v1
}  // namespace condense
