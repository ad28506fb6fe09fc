// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <condense/core/pipeline.hpp>

// Layers of which the next runs where the one before it failed: fallback{summarize{.with = model},
// summarize{}}.

namespace condense {
inline namespace v1 {

/// A layer fails when it throws, returns `failed`, or a store does; one that is not due, or whose edits
/// were refused or not smaller, has not failed; for one that waits for its model the next one acts, too. A model that
/// has failed in a run is not asked again in it. Due when the first one is. A cancellation is no failure.
template <class... Layers>
class fallback : public pipeline<Layers...> {
    using base = pipeline<Layers...>;
    static_assert(sizeof...(Layers) > 1, "condense: fallback: there must be a layer to fall back to (see fallback)");
    static_assert(
        !(base::effects & effect::reruns),
        "condense: fallback: what is given must not run other layers again: put escalate behind it (see escalate)");

public:
    using base::base;
    using typename base::memory;

    static constexpr bool records = detail::properties_of<fallback>().recorded;
    static constexpr bool last_resort = detail::properties_of<fallback>().last_resort;

    constexpr bool due(usage const& now) const noexcept {
        return detail::is_due(detail::item_at<0>(this->layers_), now);
    }

    template <bool Recorded, class Run>
    constexpr void reduce_all(Run& shared, std::size_t first_entry, memory& kept) const {
        until_one_works(shared, first_entry, [&]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
            this->template reduce_one<Recorded, Recorded, Index>(shared, first_entry, kept);
        });
    }

    template <bool Recorded, bool ArriveOnly, class Run>
    constexpr void arrive_all(Run& shared, sequence arrived, std::size_t first_entry, memory& kept) const {
        until_one_works(shared, first_entry, [&]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
            this->template arrive_one<Recorded, ArriveOnly, Index>(shared, arrived, first_entry, kept);
        });
    }

private:
    template <class Run, class Try>
    static constexpr void until_one_works(Run& shared, std::size_t first_entry, Try&& attempt) {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            static_cast<void>((failed_at<Index>(shared, first_entry, attempt) && ...));
        }(std::index_sequence_for<Layers...>{});
    }

    template <std::size_t Index, class Run, class Try>
    static constexpr bool failed_at(Run& shared, std::size_t first_entry, Try& attempt) {
        using layer_type = typename base::template at<Index>;
        auto const failures = [&] {
            auto const* const entries = shared.entries + first_entry + base::template entries_before<Index>();
            std::uint64_t sum = 0;
            for (std::size_t leaf = 0; leaf < detail::leaves<layer_type>::count; ++leaf) sum += entries[leaf].failures;
            return sum;
        };
        auto const before = (detail::effects_of<layer_type>() & effect::asks) ? 0 : failures();
        auto const unasked = shared.unasked;
        attempt(std::integral_constant<std::size_t, Index>{});
        return (failures() != before || shared.unasked != unasked) && !shared.stopped;
    }
};

template <class... Layers>
fallback(Layers...) -> fallback<Layers...>;

namespace detail {

template <class... Layers>
inline constexpr bool is_pipeline<fallback<Layers...>> = true;
template <class... Layers>
struct leaves<fallback<Layers...>> : leaves<pipeline<Layers...>> {};

/// Which one acts is not known: only what all of them do is certain.
template <class... Layers>
struct walk<fallback<Layers...>> {
    static constexpr void visit(properties& found) noexcept {
        auto all = found;
        all.recorded = all.last_resort = true;
        ((join(all, properties_after<Layers>(found))), ...);
        all.recorded = all.recorded || found.recorded;
        all.last_resort = all.last_resort || found.last_resort;
        found = all;
    }

private:
    template <class Layer>
    static constexpr properties properties_after(properties found) noexcept {
        walk<Layer>::visit(found);
        return found;
    }
    static constexpr void join(properties& all, properties const& one) noexcept {
        all.effects = all.effects | one.effects;
        all.recorded = all.recorded && one.recorded;
        all.journals = all.journals || one.journals;
        all.recoverable = all.recoverable && one.recoverable;
        all.durable = all.durable && one.durable;
        all.last_resort = all.last_resort && one.last_resort;
        all.well_ordered = all.well_ordered && one.well_ordered;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
