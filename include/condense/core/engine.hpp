// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/layer_run.hpp>
#include <condense/core/leaving_messages.hpp>
#include <condense/core/render.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/detail/text.hpp>

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

/// The calls that a run makes to its pipeline. Refers to callables on the stack of run_layers, so that the engine is
/// compiled once for a kind of run, whatever the layers.
template <class Run>
struct mix_calls {
    callable_ref<void(Run&, sequence arrived)> arrive;  ///< of layers that do not reduce as well
    callable_ref<void(Run&)> reduce;
    callable_ref<bool(usage const&)> due;
    callable_ref<bool(usage const&)> last_due;  ///< of the last layer, which says when to escalate
    callable_ref<pressure_schedule(tokens input)> schedule;  ///< of the last layer; may throw
    callable_ref<bool(Run&, made_hook const&)> finish;
    bool last_resort;
    bool timed;  ///< the schedule has a time limit
};

/// A report without its type, which has the number of its layers.
struct report_ref {
    run_report& sums;
    layer_report* layers;
    std::size_t count;
};

/// Rolls back a whole run: the view and the report are as if no layer had done anything, apart from run counts,
/// failures and calls of models. `reason` becomes the note of each layer that has not failed itself.
template <class Draft>
void take_back(report_ref report, Draft& draft, std::size_t mark, std::string_view reason) noexcept {
    draft.take_back(mark);
    auto& sums = report.sums;
    for (std::size_t index = 0; index < report.count; ++index) {
        auto& layer = report.layers[index];
        auto const note = layer.note;
        bool const failed = layer.outcome == layer_outcome::failed;
        layer = {.name = layer.name,
                 .before = sums.before.tokens,
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
    sums.first_changed = {};
    sums.prefix = sums.before.tokens;
    sums.reread = {};
    sums.after = sums.before;
    sums.limit = sums.before.input;
    sums.outcome = sums.after.tokens <= sums.limit ? outcome::fits : outcome::over;
}

/// Runs the layers again, with more pressure in each pass, until no more than the schedule's line is used: `fits`, or
/// `passes` or `time` where more is still used in the end.
template <class Run>
outcome press(mix_calls<Run> const& mix, Run& run, pressure_schedule const& schedule, bool timed,
              instant escalation_start, std::uint32_t& passes) {
    scope_exit const relax{[&] {
        run.pressure = 0;
        run.top = false;
    }};
    run.ceiling = schedule.limit;
    for (auto pass = schedule.first; pass <= schedule.passes; ++pass) {
        if (timed && run.options.clock() - escalation_start >= schedule.within) return outcome::time;
        auto const before = run.draft.used().tokens;
        run.pressure = pass;
        run.top = pass == schedule.passes;
        run.target = run.top ? schedule.line : schedule.target;
        ++passes;
        mix.reduce(run);
        auto const used_tokens = run.draft.used().tokens;
        if (used_tokens <= schedule.line) return outcome::fits;
        if (run.top) break;
        if (used_tokens >= before) pass = schedule.passes - 1;  // nothing gained: go to the last pass, at the top, next
    }
    return outcome::passes;
}

/// The outcome of a run whose last layer has dropped all that may be dropped.
template <class Draft>
outcome outcome_at_the_top(Draft const& draft, tokens limit) noexcept {
    auto const used_tokens = draft.used().tokens;
    if (used_tokens <= limit) return outcome::fits;
    return used_tokens <= draft.floor_with_task() ? outcome::exhausted : outcome::over;
}

/// Runs the passes that the last layer's schedule asks for, where that layer is due, and writes its entry: `applied`
/// where they lowered the usage. Nothing where no pass ran. `escalation_start` is when the run first escalated, as the
/// time limit is one for all sweeps.
template <class Run>
std::optional<outcome> escalate_run(mix_calls<Run> const& mix, Run& run, report_ref report, instant& escalation_start) {
    auto& entry = report.layers[report.count - 1];
    auto const before = run.draft.used();
    if (entry.runs == 0) entry.before = before.tokens;
    if (!mix.last_due(before) || poll_stop(run)) return {};
    ++entry.runs;
    std::optional<outcome> result;
    scope_exit const end{[&] { run.deadline = {u64_limit}; }};
    auto const act = [&] {
        auto const schedule = mix.schedule(before.input);
        if (mix.timed) {
            if (escalation_start.count == u64_limit) escalation_start = run.options.clock();
            run.deadline = escalation_start + schedule.within;
        }
        result = press(mix, run, schedule, mix.timed, escalation_start, entry.passes);
        report.sums.limit = schedule.limit;
        if (mix.last_resort && *result == outcome::passes) result = outcome_at_the_top(run.draft, schedule.limit);
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

/// Leaves notes of the oldest media, in open rounds, too, until the request has no more media and bytes than the budget
/// allows. Media of the task, of the latest user message, of system messages and of pinned ones stay, and those in
/// whose place the adapter cannot write a text. Nothing is done for bytes that texts alone exceed.
template <class Draft>
void note_media(Draft& draft) {
    auto const limits = draft.limits();
    if (!draft.used().over_media(limits)) return;
    bool const open_allowed = draft.open_allowed();
    draft.allow_open(true);
    auto const each = [&](auto const& act) {
        draft.outline().parts().each([&](std::uint32_t part_id) {
            if (draft.outline().part_at(part_id).kind == part_kind::media)
                if (auto const part = draft.part_at(part_id); !draft.unshortenable(part)) act(part);
        });
    };
    std::uint64_t notable = 0;
    each([&](part_ref part) { notable += draft.outline().part_at(part.part_id).size; });
    auto const least = sub_capped(draft.used().bytes.count, notable);
    each([&](part_ref part) {
        auto const now = draft.used();
        if (now.images <= limits.images && (now.bytes <= limits.bytes || least > limits.bytes.count)) return;
        std::string note = "[";
        draft.original(part, [&](part_view const& shown) { note += printable(shown.text, 160); });
        if (note.size() == 1) note += "media";
        note += ", omitted, as the provider takes no more; ask for it again if it is needed]";
        static_cast<void>(draft.shorten(part, std::move(note)));
    });
    draft.allow_open(open_allowed);
}

/// Begins a run. A session has called the arrive hooks when each message was pushed; a one-shot run does so now. Layers
/// that reduce, too, will see the messages in a moment. The task comes back where the line of the last layer, or the
/// input, has room for it; the last layer reports that.
template <bool Escalates, class Run>
void begin_run(mix_calls<Run> const& mix, Run& run, report_ref report) {
    auto& draft = run.draft;
    if (run.resumes)
        for (std::uint32_t index = 0; index < draft.outline().size(); ++index) mix.arrive(run, sequence{index});
    if constexpr (shortenable<typename std::remove_cvref_t<decltype(draft)>::message_type>) note_media(draft);
    auto line = draft.limits().input();
    if constexpr (Escalates) {
        auto const read_line = [&] { line = (std::min)(line, mix.schedule(line).line); };
        guarded(run, read_line, [](std::string_view) {});  // escalate_run() tells of a schedule that fails
    }
    auto const before = draft.used().tokens;
    draft.return_task(line);
    if (auto const now = draft.used().tokens; now > before && report.count != 0) {
        auto& last = report.layers[report.count - 1];
        last.restored = last.restored + (now - before);
        last.outcome = layer_outcome::applied;
    }
}

/// Runs a pipeline on a draft. Sweeps over the layers in order until nothing changes, escalates after each sweep where
/// the last layer is due, then measures: outcome, floor and unchanged prefix. A run that was stopped, or whose result
/// no journal could note, is rolled back. `Escalates`: the last layer has a schedule. `Notes`: some layer records.
template <bool Escalates, bool Notes, class Run>
void run_engine(mix_calls<Run> const& mix, Run& run, report_ref report, run_kind kind, run_demand const& demand) {
    auto& draft = run.draft;
    auto& sums = report.sums;
    auto const mark = run.first_step;
    auto const started = run.options.clock();
    sums.limit = sums.before.input;  // unless escalate sets its own
    bool const one_shot = kind != run_kind::session;
    run.resumes = one_shot;
    run.one_call = kind == run_kind::walk || kind == run_kind::commit;
    begin_run<Escalates>(mix, run, report);
    // An edit of a later layer may make an earlier one due. The run goes on until nothing changes, so that reducing its
    // result once more would change nothing. The bound only guards against layers that never settle.
    constexpr unsigned max_sweeps = 16;
    [[maybe_unused]] instant escalation_start{u64_limit};
    for (unsigned sweep = 0; sweep < max_sweeps; ++sweep) {
        auto const steps = draft.mark();
        mix.reduce(run);
        std::optional<outcome> pressed_outcome;
        if constexpr (Escalates) pressed_outcome = escalate_run(mix, run, report, escalation_start);
        // Only the first sweep ignores triggers; after it layers run again only where they are due.
        run.untriggered = false;
        run.until.reset();
        sums.after = draft.used();
        sums.outcome = pressed_outcome                   ? *pressed_outcome
                       : sums.after.tokens <= sums.limit ? outcome::fits
                                                         : outcome::over;
        // More sweeps could not help where passes or time were used up, or would be rolled back after a stop.
        bool const ended = sums.outcome == outcome::passes || sums.outcome == outcome::time || run.stopped;
        bool const wants_room = draft.wanted_room();
        if (ended || draft.mark() == steps || !(wants_room || mix.due(sums.after))) break;
        if (sweep + 1 == max_sweeps) sums.outcome = outcome::passes;
    }
    // A forced run presses to the last resort whatever the pipeline's own schedule says, as after a provider has
    // refused the request.
    if (demand.forced) {
        std::uint32_t passes = 0;
        pressure_schedule const schedule{.line = demand.target, .target = demand.target, .limit = sums.limit};
        if (sums.after.tokens > schedule.line && !run.stopped) press(mix, run, schedule, false, {}, passes);
        sums.after = draft.used();
        sums.outcome = outcome_at_the_top(draft, sums.limit);
    }
    if (!run.stopped) sums.before_drop = tell_leaving(run);
    if (run.stopped) take_back(report, draft, mark, "stopped");
    if (sums.outcome == outcome::exhausted) sums.floor = draft.lowest_floor();
    sums.first_changed = first_changed(draft.outline(), draft.edits(), mark);
    sums.prefix = sums.first_changed ? prefix_before(draft, *sums.first_changed) : sums.after.tokens;
    if (sums.first_changed) sums.reread = prefix_before(draft, draft.outline().size()) - sums.prefix;
    if constexpr (Notes)
        if (one_shot && !run.dry) {
            auto const show = [&](request_messages::sink f) { each_sent(draft, run.options.marks, f); };
            request_messages const each{show};
            // A changed message that no journal has noted would be taken for a new one by the next run.
            if (!mix.finish(run, made_hook{each, kind == run_kind::commit}) && sums.changed())
                take_back(report, draft, mark, not_all_recorded);
        }
    sums.time = run.options.clock() - started;
}

/// Runs a pipeline of any type by the engine. `memories` are the layers' memories; `dry` keeps from asking models and
/// storing.
template <class Mix, class Draft, class Options>
report<Mix::size> run_layers(Mix const& mix, typename Mix::memory& memories, Draft& draft, Options const& options,
                             bool dry, run_kind kind, run_demand demand = {}) {
    using run_type = detail::run<Draft, Options>;
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
    run_type run{{.entries = report.layers.data(),
                  .dry = dry,
                  .first_step = draft.mark(),
                  .may_ask = demand.may_ask,
                  .may_ask_layers = demand.may_ask_layers,
                  .untriggered = demand.untriggered,
                  .until = demand.until},
                 draft,
                 options};
    constexpr bool escalates = Mix::effects & effect::reruns;
    constexpr bool notes = Mix::journals && storable<typename Draft::message_type>;
    auto const arrive = [&](run_type& on, sequence arrived) {
        mix.run_hook(on, on.entries, memories, arrive_hook<true>{arrived});
    };
    auto const reduce = [&](run_type& on) { mix.run_hook(on, on.entries, memories, reduce_hook{}); };
    auto const due = [&](usage const& current) { return mix.due(current); };
    auto const last_due = [&](usage const& current) {
        if constexpr (escalates) return is_due(mix.last(), current);
        else return static_cast<void>(current), false;
    };
    auto const schedule = [&](tokens input) -> pressure_schedule {
        if constexpr (escalates) return mix.last().schedule(input);
        else return static_cast<void>(input), pressure_schedule{};
    };
    auto const finish = [&](run_type& on, made_hook const& hook) {
        if constexpr (notes) return mix.run_hook(on, on.entries, memories, hook);
        else return static_cast<void>(on), static_cast<void>(hook), true;
    };
    constexpr bool timed = [] {
        if constexpr (escalates)
            return static_cast<bool>(std::remove_cvref_t<decltype(std::declval<Mix const&>().last())>::effects &
                                     effect::reads_clock);
        else return false;
    }();
    run_engine<escalates, notes>({arrive, reduce, due, last_due, schedule, finish, Mix::last_resort, timed}, run,
                                 {report, report.layers.data(), report.layers.size()}, kind, demand);
    return report;
}

/// The same for any mix: one whose layers are hidden, such as any_pipeline, runs itself.
template <class Mix, class Draft, class Options>
report<Mix::size> run_pipeline(Mix const& mix, typename Mix::memory& memories, Draft& draft, Options const& options,
                               bool dry, run_kind kind, run_demand demand = {}) {
    if constexpr (requires { mix.run_on(memories, draft, options, dry, kind, demand); })
        return mix.run_on(memories, draft, options, dry, kind, demand);
    else return run_layers(mix, memories, draft, options, dry, kind, demand);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
