// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <condense/core/pipeline.hpp>

// Layers tried in order until one does not fail: fallback{summarize{.with = model}, summarize{}} summarises by rule
// where the model fails.

namespace condense {
inline namespace v1 {

/// A layer fails if it throws, returns `failed`, or its store or journal fails. It has not failed if it is not due, or
/// its edits were refused or not smaller; nor does a cancelled run count as a failure. The next alternative also acts
/// while a layer waits for its model. A model that failed is not asked again in the same run. An alternative may be a
/// pipeline, which fails if one of its layers does. Due when the first alternative is; costs what the alternatives cost
/// that run. Each alternative has its own entry in the report.
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
    /// Which alternative acts is known only at run time, so these hold only if they hold for each of them.
    static constexpr bool records = (detail::pipeline_of<Layers>::records && ...);
    static constexpr bool last_resort = (detail::pipeline_of<Layers>::last_resort && ...);

    /// One memory for each alternative, in their order.
    using memory = detail::hana::basic_tuple<typename detail::pipeline_of<Layers>::memory...>;

    /// What a pipeline can promise after this entry, given what it could before: effects are those of any alternative,
    /// guarantees those of all.
    static constexpr detail::properties after(detail::properties before) noexcept {
        auto result = before;
        result.recorded = result.last_resort = true;
        auto const join = [&](detail::properties const& branch) {
            result.effects = result.effects | branch.effects;
            result.recorded = result.recorded && branch.recorded;
            result.journals = result.journals || branch.journals;
            result.recoverable = result.recoverable && branch.recoverable;
            result.durable = result.durable && branch.durable;
            result.last_resort = result.last_resort && branch.last_resort;
            result.plans_summaries = result.plans_summaries || branch.plans_summaries;
        };
        (join(detail::properties_after<Layers>(before)), ...);
        return result;
    }

    constexpr fallback(Layers... layers) : choices_{detail::pipeline_of<Layers>{std::move(layers)}...} {}

    // What a pipeline has in place of hooks (see `runs_layers` in core/layer.hpp).

    template <class Function>
    constexpr void each(Function&& visit) const {
        each_choice([&](auto const& choice) { choice.each(visit); });
    }
    template <class Function>
    constexpr void each_memory(memory& memories, Function&& visit) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (detail::hana::at_c<Index>(choices_).each_memory(detail::hana::at_c<Index>(memories), visit), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    constexpr bool due(usage const& current) const noexcept { return detail::hana::at_c<0>(choices_).due(current); }
    /// One bit for each layer, the first lowest; all from the 64th on share the highest.
    constexpr std::uint64_t due_layers(usage const& current) const noexcept {
        std::uint64_t due_bits = 0;
        std::size_t entry = 0;
        each_choice([&](auto const& choice) {
            due_bits |= choice.due_layers(current) << (entry < 63 ? entry : 63);
            entry += choice.size;
        });
        return due_bits;
    }

    /// Calls the hook of one alternative after another until one succeeds; true if one did. A hook that is for all
    /// layers, as the one that records what was sent, is called for each; true if all succeeded. `entry` is the first
    /// of this layer's entries in the report.
    template <class Run, class Hook>
    bool run_hook(Run& run, layer_report* entry, memory& memories, Hook const& hook, bool recorded) const {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            auto const run_choice = [&](auto const& choice, auto& choice_memory) {
                bool const worked = choice.run_hook(run, entry, choice_memory, hook, recorded);
                entry += choice.size;
                return worked || run.stopped;
            };
            bool all = true;
            if constexpr (Hook::for_all)
                return (
                    (all = run_choice(detail::hana::at_c<Index>(choices_), detail::hana::at_c<Index>(memories)) && all),
                    ...);
            else return (run_choice(detail::hana::at_c<Index>(choices_), detail::hana::at_c<Index>(memories)) || ...);
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
    constexpr void each_choice(Function&& visit) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (visit(detail::hana::at_c<Index>(choices_)), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    detail::hana::basic_tuple<detail::pipeline_of<Layers>...> choices_;
};

template <class... Layers>
fallback(Layers...) -> fallback<Layers...>;

}  // namespace v1
}  // namespace condense
