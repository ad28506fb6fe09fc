// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/layer_run.hpp>
#include <condense/core/render.hpp>
#include <condense/detail/scope_exit.hpp>

// One run of a pipeline on a draft: sweeps over its layers, pressure, and the outcome.

namespace condense {
inline namespace v1 {
namespace detail {

/// Takes back all edits made in a scope, unless it is released: for runs that an exception may leave.
template <class View>
constexpr auto rollback_on_exit(outline const& facts, View& edits) noexcept {
    return scope_exit{[&facts, &edits, mark = edits.steps().size()] { edits.take_back(facts, mark); }};
}

/// Leaves the view, and the report, as if nothing had been done.
template <std::size_t Layers, class Draft>
constexpr void take_back(v1::report<Layers>& made, Draft& whole, std::size_t mark, std::string_view why) noexcept {
    whole.take_back(mark);
    for (auto& layer : made.layers) {
        auto const note = layer.note;
        bool const failed = layer.outcome == layer_outcome::failed;
        layer = {.name = layer.name,
                 .before = made.before.tokens,
                 .runs = layer.runs,
                 .failures = layer.failures,
                 .asked = layer.asked,
                 .summarizes = layer.summarizes,
                 .note = why};
        if (!failed) continue;
        layer.outcome = layer_outcome::failed;
        layer.note = note;
    }
    made.first_changed = {};
    made.prefix = made.before.tokens;
    made.after = made.before;
    made.limit = made.before.input;
    made.outcome = made.after.tokens <= made.limit ? outcome::fits : outcome::over;
}

/// Runs all layers under pressure, at last as escalate's last pass does, until the target is reached.
template <class Mix, class Run>
constexpr void press(Mix const& mix, Run& shared, typename Mix::memory& kept, tokens target, report<Mix::size>& made) {
    for (unsigned pressure = 1; pressure <= 2 && shared.draft.used().tokens > target && !shared.stopped; ++pressure) {
        pressed const while_running{shared, pressure, pressure == 2, target};
        mix.run_hook(shared, shared.entries, kept, reduce_hook{});
    }
    made.after = shared.draft.used();
    made.outcome = made.after.tokens <= shared.limit           ? outcome::fits
                   : made.after.tokens <= shared.draft.floor() ? outcome::exhausted
                                                               : outcome::over;
}

/// Runs a pipeline on a draft, from its first layer to the outcome.
template <class Mix, class Draft, class Options>
constexpr report<Mix::size> run_layers(Mix const& mix, typename Mix::memory& kept, Draft& whole, Options const& options,
                                       bool dry, run_kind kind, run_demand demand = {}) {
    report<Mix::size> made;
    mix.name_entries(made.layers.data());
    made.before = whole.used();
    if (!whole.limits().is_possible()) {
        made.outcome = outcome::over;
        made.after = made.before;
        made.prefix = made.before.tokens;
        made.refused = budget_refused;
        return made;
    }
    auto const started = options.clock();
    auto const mark = whole.mark();
    run<Draft, Options> shared{.draft = whole,
                               .options = options,
                               .entries = made.layers.data(),
                               .dry = dry,
                               .begun = mark,
                               .may_ask = demand.may_ask,
                               .may_ask_too = demand.may_ask_too,
                               .untriggered = demand.untriggered,
                               .until = demand.until};
    shared.limit = made.before.input;
    shared.ends_in_last_resort = Mix::ends_in_last_resort;
    bool const one_shot = kind != run_kind::session;
    shared.resumes = one_shot;
    if (one_shot)
        for (std::uint32_t index = 0; index < whole.outline().size(); ++index)
            mix.run_hook(shared, shared.entries, kept, arrive_hook<true>{sequence{index}});
    // Later layers may open work for earlier ones. The run goes on until nothing changes, so that
    // another run on its result would change nothing.
    constexpr unsigned most_sweeps = 16;
    for (unsigned sweep = 0; sweep < most_sweeps; ++sweep) {
        auto const steps = whole.mark();
        shared.leaves_work = false;
        mix.run_hook(shared, shared.entries, kept, reduce_hook{});
        shared.untriggered = false;
        shared.until.reset();
        made.after = whole.used();
        // What an inner pipeline concluded no longer holds when later layers have changed something.
        bool const concluded = shared.concluded && shared.concluded_at == made.after.tokens;
        made.outcome = concluded ? shared.outcome : made.after.tokens <= shared.limit ? outcome::fits : outcome::over;
        bool const ended = made.outcome == outcome::passes || made.outcome == outcome::time || shared.stopped;
        bool const wanted = whole.wanted_room();
        if (ended || whole.mark() == steps || !(wanted || mix.due(made.after))) break;
        if (sweep + 1 == most_sweeps) made.outcome = outcome::passes;
        shared.concluded = false;
    }
    if (made.outcome == outcome::fits && shared.leaves_work) made.outcome = outcome::passes;
    if (demand.forced) press(mix, shared, kept, demand.target, made);
    if (shared.stopped) take_back(made, whole, mark, "stopped");
    else made.limit = shared.limit;
    if (made.outcome == outcome::exhausted) made.floor = whole.least();
    made.first_changed = first_changed(whole.outline(), whole.edits(), mark);
    made.prefix = made.first_changed ? kept_prefix(whole, mark) : made.after.tokens;
    if constexpr (Mix::journals && storable<typename Draft::message_type>)
        if (one_shot && !dry) {
            auto const each = [&](auto&& f) { each_sent(whole, options.marks, f); };
            // What could not be noted would be taken for new messages by the next run.
            made_hook<decltype(each)> const told{each, kind == run_kind::commit};
            if (!mix.run_hook(shared, shared.entries, kept, told) && made.changed())
                take_back(made, whole, mark, not_all_recorded);
        }
    made.time = options.clock() - started;
    return made;
}

/// The same for a mix whose layers are known only at run time.
template <class Mix, class Draft, class Options>
constexpr report<Mix::size> run_pipeline(Mix const& mix, typename Mix::memory& kept, Draft& whole,
                                         Options const& options, bool dry, run_kind kind, run_demand demand = {}) {
    if constexpr (requires { mix.run_on(kept, whole, options, dry, kind, demand); })
        return mix.run_on(kept, whole, options, dry, kind, demand);
    else return run_layers(mix, kept, whole, options, dry, kind, demand);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
