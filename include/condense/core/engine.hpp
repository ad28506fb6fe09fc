// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/layer_run.hpp>
#include <condense/core/leaving_messages.hpp>
#include <condense/core/render.hpp>
#include <condense/detail/scope_exit.hpp>

// One run of a pipeline on a draft: sweeps over its layers, then passes under pressure, until nothing changes; and the
// report of it.

namespace condense {
inline namespace v1 {
namespace detail {

/// A guard that takes back all edits made since it was created, unless it is released: an exception that leaves a run
/// must leave the view as it was.
template <class View>
constexpr auto rollback_on_exit(outline const& facts, View& edits) noexcept {
    return scope_exit{[&facts, &edits, mark = edits.steps().size()] { edits.take_back(facts, mark); }};
}

/// Rolls back a whole run: the view and the report are as if no layer had done anything, apart from run counts,
/// failures and calls of models. `reason` becomes the note of each layer that has not failed itself.
template <std::size_t Layers, class Draft>
constexpr void take_back(v1::report<Layers>& report, Draft& draft, std::size_t mark, std::string_view reason) noexcept {
    draft.take_back(mark);
    for (auto& layer : report.layers) {
        auto const note = layer.note;
        bool const failed = layer.outcome == layer_outcome::failed;
        layer = {.name = layer.name,
                 .before = report.before.tokens,
                 .runs = layer.runs,
                 .failures = layer.failures,
                 .asked = layer.asked,
                 .model_usage = layer.model_usage,
                 .summarizes = layer.summarizes,
                 .redactions = layer.redactions,
                 .note = reason};
        if (!failed) continue;
        layer.outcome = layer_outcome::failed;
        layer.note = note;
    }
    report.first_changed = {};
    report.prefix = report.before.tokens;
    report.reread = {};
    report.after = report.before;
    report.limit = report.before.input;
    report.outcome = report.after.tokens <= report.limit ? outcome::fits : outcome::over;
}

/// Runs the layers again, with more pressure in each pass, until no more than the schedule's line is used: `fits`, or
/// `passes` or `time` where more is still used in the end.
template <bool Timed, class Mix, class Run>
constexpr outcome press(Mix const& mix, Run& run, typename Mix::memory& memories, pressure_schedule const& schedule,
                        instant escalation_start, std::uint32_t& passes) {
    scope_exit const relax{[&] {
        run.pressure = 0;
        run.top = false;
    }};
    for (auto pass = schedule.first; pass <= schedule.passes; ++pass) {
        if constexpr (Timed)
            if (run.options.clock() - escalation_start >= schedule.within) return outcome::time;
        auto const before = run.draft.used().tokens;
        run.pressure = pass;
        run.top = pass == schedule.passes;
        run.target = run.top ? schedule.line : schedule.target;
        ++passes;
        mix.run_hook(run, run.entries, memories, reduce_hook{});
        auto const used_tokens = run.draft.used().tokens;
        if (used_tokens <= schedule.line) return outcome::fits;
        if (run.top) break;
        if (used_tokens >= before) pass = schedule.passes - 1;  // nothing gained: go to the last pass, at the top, next
    }
    return outcome::passes;
}

/// The outcome of a run whose last layer has dropped all that may be dropped.
template <class Draft>
constexpr outcome outcome_at_the_top(Draft const& draft, tokens limit) noexcept {
    auto const used_tokens = draft.used().tokens;
    return used_tokens <= limit ? outcome::fits : used_tokens <= draft.floor() ? outcome::exhausted : outcome::over;
}

/// Runs the passes that the last layer's schedule asks for, where that layer is due, and writes its entry: `applied`
/// where they lowered the usage. Nothing where no pass ran. `escalation_start` is when the run first escalated, as the
/// time limit is one for all sweeps.
template <class Mix, class Run>
constexpr std::optional<outcome> escalate_run(Mix const& mix, Run& run, typename Mix::memory& memories,
                                              report<Mix::size>& report, instant& escalation_start) {
    auto const& layer = mix.last();
    constexpr bool timed = std::remove_cvref_t<decltype(layer)>::effects & effect::reads_clock;
    auto& entry = report.layers.back();
    auto const before = run.draft.used();
    if (entry.runs == 0) entry.before = before.tokens;
    if (!is_due(layer, before) || poll_stop(run)) return {};
    ++entry.runs;
    std::optional<outcome> result;
    scope_exit const end{[&] { run.deadline = {u64_limit}; }};
    auto const act = [&] {
        auto const schedule = layer.schedule(before.input);
        if constexpr (timed) {
            if (escalation_start.count == u64_limit) escalation_start = run.options.clock();
            run.deadline = escalation_start + schedule.within;
        }
        result = press<timed>(mix, run, memories, schedule, escalation_start, entry.passes);
        report.limit = schedule.limit;
        if (Mix::last_resort && *result == outcome::passes) result = outcome_at_the_top(run.draft, schedule.limit);
        if (run.draft.used().tokens < before.tokens) entry.outcome = layer_outcome::applied;
        else if (entry.outcome != layer_outcome::applied) entry.outcome = layer_outcome::declined;
    };
    guarded(run, act, [&](std::string_view reason) {
        ++entry.failures;
        entry.outcome = layer_outcome::failed;
        entry.note = redacted_note<96>(run.options.redact, reason);
    });
    return result;
}

/// Runs a pipeline on a draft. Sweeps over the layers in order until nothing changes, escalates after each sweep where
/// the last layer is due, then measures: outcome, floor and unchanged prefix. A run that was stopped, or whose result
/// no journal could note, is rolled back. `memories` are the layers' memories, `dry` keeps from asking models and
/// storing.
template <class Mix, class Draft, class Options>
constexpr report<Mix::size> run_layers(Mix const& mix, typename Mix::memory& memories, Draft& draft,
                                       Options const& options, bool dry, run_kind kind, run_demand demand = {}) {
    v1::report<Mix::size> report;
    mix.name_entries(report.layers.data());
    report.before = draft.used();
    if (!draft.limits().is_possible()) {
        report.outcome = outcome::over;
        report.after = report.before;
        report.prefix = report.before.tokens;
        report.refused = budget_refused;
        return report;
    }
    auto const started = options.clock();
    auto const mark = draft.mark();
    detail::run<Draft, Options> run{.draft = draft,
                                    .options = options,
                                    .entries = report.layers.data(),
                                    .dry = dry,
                                    .first_step = mark,
                                    .may_ask = demand.may_ask,
                                    .may_ask_layers = demand.may_ask_layers,
                                    .untriggered = demand.untriggered,
                                    .until = demand.until};
    report.limit = report.before.input;  // unless escalate sets its own
    run.ends_in_last_resort = Mix::ends_in_last_resort;
    bool const one_shot = kind != run_kind::session;
    run.resumes = one_shot;
    // A session has called the arrive hooks when each message was pushed; a one-shot run does so now. Layers that
    // reduce, too, will see the messages in a moment.
    if (one_shot)
        for (std::uint32_t index = 0; index < draft.outline().size(); ++index)
            mix.run_hook(run, run.entries, memories, arrive_hook<true>{sequence{index}});
    // An edit of a later layer may make an earlier one due. The run goes on until nothing changes, so that reducing its
    // result once more would change nothing. The bound only guards against layers that never settle.
    constexpr unsigned max_sweeps = 16;
    [[maybe_unused]] instant escalation_start{u64_limit};
    for (unsigned sweep = 0; sweep < max_sweeps; ++sweep) {
        auto const steps = draft.mark();
        run.leaves_work = false;
        mix.run_hook(run, run.entries, memories, reduce_hook{});
        std::optional<outcome> pressed_outcome;
        if constexpr (Mix::effects & effect::reruns)
            pressed_outcome = escalate_run(mix, run, memories, report, escalation_start);
        // Only the first sweep ignores triggers; after it layers run again only where they are due.
        run.untriggered = false;
        run.until.reset();
        report.after = draft.used();
        report.outcome = pressed_outcome                       ? *pressed_outcome
                         : report.after.tokens <= report.limit ? outcome::fits
                                                               : outcome::over;
        // More sweeps could not help where passes or time were used up, or would be rolled back after a stop.
        bool const ended = report.outcome == outcome::passes || report.outcome == outcome::time || run.stopped;
        bool const wants_room = draft.wanted_room();
        if (ended || draft.mark() == steps || !(wants_room || mix.due(report.after))) break;
        if (sweep + 1 == max_sweeps) report.outcome = outcome::passes;
    }
    if (report.outcome == outcome::fits && run.leaves_work) report.outcome = outcome::passes;
    // A forced run presses to the last resort whatever the pipeline's own schedule says, as after a provider has
    // refused the request.
    if (demand.forced) {
        std::uint32_t passes = 0;
        pressure_schedule const schedule{.line = demand.target, .target = demand.target, .limit = report.limit};
        if (report.after.tokens > schedule.line && !run.stopped) press<false>(mix, run, memories, schedule, {}, passes);
        report.after = draft.used();
        report.outcome = outcome_at_the_top(draft, report.limit);
    }
    if (!run.stopped) report.before_drop = tell_leaving(run);
    if (run.stopped) take_back(report, draft, mark, "stopped");
    if (report.outcome == outcome::exhausted) report.floor = draft.lowest_floor();
    report.first_changed = first_changed(draft.outline(), draft.edits(), mark);
    report.prefix = report.first_changed ? prefix_before(draft, *report.first_changed) : report.after.tokens;
    if (report.first_changed) report.reread = prefix_before(draft, draft.outline().size()) - report.prefix;
    if constexpr (Mix::journals && storable<typename Draft::message_type>)
        if (one_shot && !dry) {
            auto const each = [&](auto&& f) { each_sent(draft, options.marks, f); };
            // A changed message that no journal has noted would be taken for a new one by the next run.
            made_hook<decltype(each)> const finished{each, kind == run_kind::commit};
            if (!mix.run_hook(run, run.entries, memories, finished) && report.changed())
                take_back(report, draft, mark, not_all_recorded);
        }
    report.time = options.clock() - started;
    return report;
}

/// The same for any mix: one whose layers are hidden, such as any_pipeline, runs itself.
template <class Mix, class Draft, class Options>
constexpr report<Mix::size> run_pipeline(Mix const& mix, typename Mix::memory& memories, Draft& draft,
                                         Options const& options, bool dry, run_kind kind, run_demand demand = {}) {
    if constexpr (requires { mix.run_on(memories, draft, options, dry, kind, demand); })
        return mix.run_on(memories, draft, options, dry, kind, demand);
    else return run_layers(mix, memories, draft, options, dry, kind, demand);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
