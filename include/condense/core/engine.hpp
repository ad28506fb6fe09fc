// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

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

/// Runs the layers again, under more pressure with each pass; `passes` or `time` where more than the line is still
/// used.
template <bool Timed, class Mix, class Run>
constexpr outcome press(Mix const& mix, Run& shared, typename Mix::memory& kept, pressure_schedule const& how,
                        instant began, std::uint32_t& passes) {
    scope_exit const relax{[&] {
        shared.pressure = 0;
        shared.top = false;
    }};
    for (auto pass = how.first; pass <= how.passes; ++pass) {
        if constexpr (Timed)
            if (shared.options.clock() - began >= how.within) return outcome::time;
        auto const before = shared.draft.used().tokens;
        shared.pressure = pass;
        shared.top = pass == how.passes;
        shared.target = shared.top ? how.line : how.target;
        ++passes;
        mix.run_hook(shared, shared.entries, kept, reduce_hook{});
        auto const now = shared.draft.used().tokens;
        if (now <= how.line) return outcome::fits;
        if (shared.top) break;
        if (now >= before) pass = how.passes - 1;
    }
    return outcome::passes;
}

/// Of a run that has dropped all that it may.
template <class Draft>
constexpr outcome outcome_at_the_top(Draft const& whole, tokens limit) noexcept {
    auto const now = whole.used().tokens;
    return now <= limit ? outcome::fits : now <= whole.floor() ? outcome::exhausted : outcome::over;
}

/// Presses as the last layer's schedule says, where that is due, and says in its entry whether that helped. `began` is
/// when the run first did so.
template <class Mix, class Run>
constexpr std::optional<outcome> escalate_run(Mix const& mix, Run& shared, typename Mix::memory& kept,
                                              report<Mix::size>& made, instant& began) {
    auto const& layer = mix.last();
    constexpr bool timed = std::remove_cvref_t<decltype(layer)>::effects & effect::reads_clock;
    auto& entry = made.layers.back();
    auto const before = shared.draft.used();
    if (entry.runs == 0) entry.before = before.tokens;
    if (!is_due(layer, before) || stops(shared)) return {};
    ++entry.runs;
    std::optional<outcome> result;
    scope_exit const end{[&] { shared.deadline = {u64_limit}; }};
    auto const act = [&] {
        auto const how = layer.schedule(before.input);
        if constexpr (timed) {
            if (began.count == u64_limit) began = shared.options.clock();
            shared.deadline = began + how.within;
        }
        result = press<timed>(mix, shared, kept, how, began, entry.passes);
        made.limit = how.limit;
        if (Mix::last_resort && *result == outcome::passes) result = outcome_at_the_top(shared.draft, how.limit);
        if (shared.draft.used().tokens < before.tokens) entry.outcome = layer_outcome::applied;
        else if (entry.outcome != layer_outcome::applied) entry.outcome = layer_outcome::declined;
    };
    guarded(shared, act, [&](std::string_view reason) {
        ++entry.failures;
        entry.outcome = layer_outcome::failed;
        entry.note = reason;
    });
    return result;
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
    made.limit = made.before.input;
    shared.ends_in_last_resort = Mix::ends_in_last_resort;
    bool const one_shot = kind != run_kind::session;
    shared.resumes = one_shot;
    if (one_shot)
        for (std::uint32_t index = 0; index < whole.outline().size(); ++index)
            mix.run_hook(shared, shared.entries, kept, arrive_hook<true>{sequence{index}});
    // Later layers may open work for earlier ones. The run goes on until nothing changes, so that
    // another run on its result would change nothing.
    constexpr unsigned most_sweeps = 16;
    [[maybe_unused]] instant escalated{u64_limit};
    for (unsigned sweep = 0; sweep < most_sweeps; ++sweep) {
        auto const steps = whole.mark();
        shared.leaves_work = false;
        mix.run_hook(shared, shared.entries, kept, reduce_hook{});
        std::optional<outcome> pressed;
        if constexpr (Mix::effects & effect::reruns) pressed = escalate_run(mix, shared, kept, made, escalated);
        shared.untriggered = false;
        shared.until.reset();
        made.after = whole.used();
        made.outcome = pressed ? *pressed : made.after.tokens <= made.limit ? outcome::fits : outcome::over;
        bool const ended = made.outcome == outcome::passes || made.outcome == outcome::time || shared.stopped;
        bool const wanted = whole.wanted_room();
        if (ended || whole.mark() == steps || !(wanted || mix.due(made.after))) break;
        if (sweep + 1 == most_sweeps) made.outcome = outcome::passes;
    }
    if (made.outcome == outcome::fits && shared.leaves_work) made.outcome = outcome::passes;
    if (demand.forced) {
        std::uint32_t passes = 0;
        pressure_schedule const how{.line = demand.target, .target = demand.target, .limit = made.limit};
        if (made.after.tokens > how.line && !shared.stopped) press<false>(mix, shared, kept, how, {}, passes);
        made.after = whole.used();
        made.outcome = outcome_at_the_top(whole, made.limit);
    }
    if (shared.stopped) take_back(made, whole, mark, "stopped");
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
