// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
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
/// has failed in a run is not asked again in it. A pipeline given as one alternative fails when a layer in it does.
/// Due when the first alternative is. A cancellation is no failure. Each alternative has its entry in the report.
template <class... Layers>
class fallback {
    static_assert(sizeof...(Layers) > 1, "condense: fallback: there must be a layer to fall back to (see fallback)");
    static_assert(
        !((detail::effects_of<Layers>() & effect::reruns) || ...),
        "condense: fallback: what is given must not run other layers again: put escalate behind it (see escalate)");

public:
    static constexpr bool runs_layers = true;
    static constexpr effect effects = (detail::pipeline_of<Layers>::effects | ...);
    static constexpr std::size_t size = (detail::pipeline_of<Layers>::size + ...);
    static constexpr bool acts_on_arrival = (detail::pipeline_of<Layers>::acts_on_arrival || ...);
    /// Which one acts is not known: only what all of them do is certain.
    static constexpr bool records = (detail::pipeline_of<Layers>::records && ...);
    static constexpr bool last_resort = (detail::pipeline_of<Layers>::last_resort && ...);

    using memory = detail::hana::basic_tuple<typename detail::pipeline_of<Layers>::memory...>;

    static constexpr detail::properties after(detail::properties before) noexcept {
        auto all = before;
        all.recorded = all.last_resort = true;
        auto const join = [&](detail::properties const& one) {
            all.effects = all.effects | one.effects;
            all.recorded = all.recorded && one.recorded;
            all.journals = all.journals || one.journals;
            all.recoverable = all.recoverable && one.recoverable;
            all.durable = all.durable && one.durable;
            all.last_resort = all.last_resort && one.last_resort;
            all.plans_summaries = all.plans_summaries || one.plans_summaries;
        };
        (join(detail::properties_after<Layers>(before)), ...);
        return all;
    }

    constexpr fallback(Layers... layers) : choices_{detail::pipeline_of<Layers>{std::move(layers)}...} {}

    template <class Function>
    constexpr void each(Function&& f) const {
        each_choice([&](auto const& choice) { choice.each(f); });
    }
    template <class Function>
    constexpr void each_memory(memory& kept, Function&& f) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (detail::hana::at_c<Index>(choices_).each_memory(detail::hana::at_c<Index>(kept), f), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    constexpr bool due(usage const& now) const noexcept { return detail::hana::at_c<0>(choices_).due(now); }
    constexpr std::uint64_t due_layers(usage const& now) const noexcept {
        std::uint64_t found = 0;
        std::size_t entry = 0;
        each_choice([&](auto const& choice) {
            found |= choice.due_layers(now) << (entry < 63 ? entry : 63);
            entry += choice.size;
        });
        return found;
    }

    /// Calls a hook of the alternatives until one has worked, and those that are for all of each. False where none has.
    template <bool Recorded, class Run, class Hook>
    constexpr bool run_hook(Run& shared, layer_report* entry, memory& kept, Hook const& hook) const {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            auto const works = [&](auto const& choice, auto& remembered) {
                bool const worked = choice.template run_hook<Recorded>(shared, entry, remembered, hook);
                entry += choice.size;
                return worked || shared.stopped;
            };
            bool all = true;
            if constexpr (Hook::for_all)
                return ((all = works(detail::hana::at_c<Index>(choices_), detail::hana::at_c<Index>(kept)) && all),
                        ...);
            else return (works(detail::hana::at_c<Index>(choices_), detail::hana::at_c<Index>(kept)) || ...);
        }(std::index_sequence_for<Layers...>{});
    }

    friend constexpr bool operator==(fallback const& left, fallback const& right)
        requires(std::equality_comparable<Layers> && ...)
    {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return ((detail::hana::at_c<Index>(left.choices_) == detail::hana::at_c<Index>(right.choices_)) && ...);
        }(std::index_sequence_for<Layers...>{});
    }

private:
    template <class Function>
    constexpr void each_choice(Function&& f) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (f(detail::hana::at_c<Index>(choices_)), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    detail::hana::basic_tuple<detail::pipeline_of<Layers>...> choices_;
};

template <class... Layers>
fallback(Layers...) -> fallback<Layers...>;

}  // namespace v1
}  // namespace condense
