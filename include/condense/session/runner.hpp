// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/engine.hpp>
#include <condense/core/leaving_messages.hpp>
#include <condense/core/pipeline.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/session/observer.hpp>
#include <condense/session/pacing.hpp>
#include <condense/session/state.hpp>
#include <condense/session/statistics.hpp>
#include <condense/session/summary_job.hpp>

// Runs the pipeline of a session on drafts: decides when a run makes sense, holds the layers' memories and the
// statistics, and calls the observer.

namespace condense {
inline namespace v1 {
namespace detail {

/// Everything about a session that does not depend on its messages' type. Knows no conversation: each call is passed a
/// draft, or the usage.
template <class Mix, class Options>
class runner {
public:
    using report_type = report<Mix::size>;
    using entries_type = std::array<layer_report, Mix::size>;
    using memory_type = typename Mix::memory;
    static constexpr bool records = properties_of<std::remove_cv_t<Mix>>().journals;

    runner(Mix mix, Options options) : mix_(std::move(mix)), options_(std::move(options)) {
        mix_.name_entries(blank_entries_.data());
        statistics_.add(blank_entries_);  // sets the names; all figures are 0
    }

    Options const& options() const noexcept { return options_; }
    /// An error text of a provider as it may leave.
    void redact(std::string& text) const {
        if constexpr (may_redact<decltype(options_.redact)>) static_cast<void>(options_.redact(text));
    }
    v1::statistics<Mix::size> const& statistics() const noexcept { return statistics_; }
    /// True if the options pin this message.
    template <class Message>
    bool pins(sequence number, Message const& m) const {
        return detail::pins(options_, number, m);
    }
    template <class Event>
    void tell(Event const& event) {
        detail::tell(options_.observer, event);
    }
    template <class Event, class Make>
    void tell_lazily(Make&& make) {
        detail::tell_lazily<Event>(options_.observer, make);
    }

    bool due(usage current) const noexcept { return mix_.due(current); }
    /// The smallest use at which a layer with a limit in tokens is due; 0 for none. A binary search, because triggers
    /// are any condition: about 20 evaluations of all triggers. Right if a layer that is due stays due with more
    /// tokens. That of the beginning of a turn, where some wait for it.
    tokens threshold(usage current) const noexcept {
        auto const always = always_due(current);
        auto probe = usage{.input = current.input, .cached = current.cached, .begins_turn = true};
        auto const due_at = [&](std::uint64_t count) {
            return probe.tokens = {count}, (mix_.due_layers(probe) & ~always) != 0;
        };
        if (!due_at(current.input.count)) return {};
        std::uint64_t below = 0;
        auto due = current.input.count;
        while (due - below > 1) (due_at(below + (due - below) / 2) ? due : below) = below + (due - below) / 2;
        return {due};
    }
    /// Why a reduction that is due does not run; empty if none waits. For `reducible` see `pace::may_run`.
    template <class Reducible>
    std::string waits(usage current, Reducible const& reducible) const {
        auto const due_layers = mix_.due_layers(current) & ~always_due(current);
        if (due_layers == 0) return {};
        auto why =
            pace_.pause_of(options_.pacing, current, due_layers, due_layers & due_by_count(current), reducible).text();
        if (!why.empty() && !pace_.cause.empty()) why.append(" (").append(std::string_view{pace_.cause}).append(")");
        return why;
    }
    /// True if a run is due and pacing allows it.
    template <class Reducible>
    bool may_run(usage current, Reducible const& reducible) const {
        auto const due_layers = mix_.due_layers(current);
        return due_layers != 0 && pace_.may_run(options_.pacing, current, due_layers, due_by_count(current), reducible);
    }
    /// Which layers of that run may call a model.
    run_demand demand(usage current) const noexcept {
        return {.may_ask = pace_.may_ask(options_.pacing, current),
                .may_ask_layers = pace_.may_ask_of(due_by_count(current))};
    }

    /// A message was appended; one of the assistant or a plain user message may end a round.
    void on_pushed(cost more, bool ends_round) noexcept { pace_.on_pushed(more, ends_round); }
    /// The input of a run has changed: layers that were ineffective may succeed now.
    void changed() noexcept { pace_.changed(); }
    std::uint64_t revision() const noexcept { return pace_.revision; }
    /// Messages from `first` on have changed: layers forget what they remember of them.
    void rewind(std::uint32_t first) { rewind_memories(mix_, memory_, first); }

    /// True if a journal may be behind: some arrival was not recorded, so no original may be destroyed.
    bool unrecorded() const noexcept { return unrecorded_; }
    /// Messages were appended, and no layer was called for them.
    void skip_arrival() noexcept { unrecorded_ = unrecorded_ || records; }
    /// True if a state was adopted, and the journals were not asked yet what they hold.
    bool journals_unread() const noexcept { return journals_unread_; }

    /// Runs the pipeline; focus and instructions replace those of the options during the run, also if a layer throws.
    template <class Draft>
    report_type run(Draft& draft, run_demand demand, force const& words = {}) {
        auto const during = use(words);
        auto const mark = draft.mark();
        auto report = run_pipeline(mix_, memory_, draft, options_, false, run_kind::session, demand);
        collect_trail(draft, mark);
        note_leaving(report.before_drop);
        return report;
    }
    /// A run that calls no model and stores nothing; only the draft changes. Layers begin without memory, because
    /// theirs would change.
    template <class Draft>
    report_type dry_run(Draft& draft) const {
        memory_type no_memory{};
        return run_pipeline(mix_, no_memory, draft, options_, true, run_kind::rehearsal);
    }
    /// Calls the layers that act on arrival, for each message from `first` on. `resumes`: the journal may hold them
    /// already. `journals_only`: no other layer is called.
    template <class Draft>
    entries_type arrive(Draft& draft, std::uint32_t first, bool resumes, bool journals_only = false) {
        auto entries = blank_entries_;
        auto const mark = draft.mark();
        detail::run<Draft, Options> run_state{
            {.entries = entries.data(), .first_step = mark, .resumes = resumes, .journals_only = journals_only},
            draft,
            options_};
        unrecorded_ = true;  // also if a layer throws
        for (auto index = first; index < draft.outline().size(); ++index)
            mix_.run_hook(run_state, entries.data(), memory_, arrive_hook<>{sequence{index}});
        unrecorded_ = run_state.unrecorded;
        journals_unread_ = false;
        auto const leaving = tell_leaving(run_state);
        collect_trail(draft, mark);
        note_leaving(leaving);
        return entries;
    }
    /// The plan of the first layer that summarises: plan_of(layer, draft, pass). Empty if there is no such layer. Its
    /// prompt leaves the program, so it is redacted as that of a layer that asks.
    template <class Draft, class Plan>
    summary_plan plan(Draft& draft, Plan const& plan_of, force const& words) {
        auto const during = use(words);
        summary_plan plan;
        auto entries = blank_entries_;
        with_first_planner(draft, entries, [&](auto const& layer, auto& narrowed, auto& pass, auto&, auto&) {
            plan = plan_of(layer, narrowed, pass);
            pass.redact(plan.prompt);
        });
        for (std::size_t index = 0; index < Mix::size; ++index)
            statistics_.layers[index].redactions += entries[index].redactions;
        return plan;
    }
    /// Lets that layer put the summary in place of the job's groups; `report` becomes its entry.
    template <class Draft>
    entries_type conclude(Draft& draft, job_ledger::entry const& job, std::string&& text, layer_report& report) {
        auto entries = blank_entries_;
        with_first_planner(
            draft, entries, [&](auto const& layer, auto& narrowed, auto& pass, auto& run_state, layer_report& entry) {
                attempt(layer, run_state, entry, measure::any, false,
                        [&] { return layer.conclude(narrowed, pass, job.groups, std::move(text), job.limit); });
                note_leaving(tell_leaving(run_state));
                if (run_state.stopped) {
                    draft.take_back(run_state.first_step);
                    entry = {
                        .name = entry.name, .outcome = layer_outcome::declined, .note = std::string_view{"stopped"}};
                }
                report = entry;
            });
        return entries;
    }

    /// Adds what a request, or a summary that was made outside, has used.
    void answered(provider_usage const& report) noexcept { statistics_.agent_usage += report; }
    void summarized(provider_usage const& report) noexcept {
        auto const add = [&](auto const&, std::size_t index) { statistics_.layers[index].model_usage += report; };
        with_planner(mix_, add);
    }
    /// Adds entries to the statistics, and reports truncations to the observer.
    void add(entries_type const& entries) {
        statistics_.add(entries);
        tell_trail();
    }
    /// The same for a run, which also paces the next one. `current` is the usage after it.
    template <class Reducible>
    void add(report_type const& report, bool manual, bool may_ask, usage current, Reducible const& reducible) {
        statistics_.add(report.layers);
        if (report.changed()) statistics_.add_break(report.layers);
        ++statistics_.runs;
        statistics_.changed += report.changed() ? 1u : 0u;
        auto event = events::reduced{
            .outcome = report.outcome, .before = report.before, .after = report.after, .manual = manual};
        bool waiting = !may_ask && report.before.fits();
        bool model_asked = false;
        bool blocked = false;  // by a journal, which may take the next message
        bool failed = false;
        for (auto const& layer : report.layers) {
            model_asked = model_asked || layer.asked != 0;
            waiting = waiting || (layer.waits && report.before.fits());
            failed = failed || layer.failures != 0;
            blocked = blocked || (layer.failures != 0 && std::string_view{layer.note} == not_all_recorded);
            event.layers_applied += layer.outcome == layer_outcome::applied ? 1u : 0u;
            event.parts_shortened += layer.parts_shortened;
            event.groups_dropped += layer.groups_dropped;
        }
        bool const progress = report.changed() && (report.after.tokens < report.before.tokens ||
                                                   report.after.messages < report.before.messages ||
                                                   report.after.turns < report.before.turns);
        // A number of messages or turns above a trigger is no emergency: a layer that can do nothing about it has not
        // failed.
        bool const by_count =
            report.before.fits() && (mix_.due_layers(report.before) & ~due_by_count(report.before)) == 0;
        // A run that was stopped or blocked by a journal shows nothing about the layers.
        bool const stopped = !progress && options_.stop.stop_requested();
        bool const was_open = pace_.open;
        if (!stopped && (progress || !blocked)) {
            if (model_asked) pace_.on_model_asked(report.after.fits());
            auto const ineffective = ineffective_layers(report, current);
            if (manual && !progress) pace_.ran_in_vain(ineffective);
            else if (pace_.ran(options_.pacing, progress, (waiting || (by_count && !model_asked)) && !failed,
                               ineffective, due_by_count(report.after)) ||
                     pace_.open)
                pace_.stuck_at = reducible();
            pace_.explain(report.layers, mix_.due_layers(current));
        }
        tell_trail();
        tell(event);
        if (auto const saved = report.before.tokens - report.after.tokens; report.reread > saved)
            tell(events::cache_broken{{*report.first_changed}, report.reread, saved});
        if (pace_.open != was_open) tell(events::circuit{pace_.open, pace_.fruitless});
    }

    /// The report if nothing runs.
    report_type unchanged(usage current, budget const& limits) const noexcept {
        report_type report;
        report.layers = blank_entries_;
        report.before = report.after = current;
        for (auto& layer : report.layers) layer.before = current.tokens;
        report.limit = current.input;
        if (!limits.is_possible()) report.refused = budget_refused;
        report.outcome = report.fits() ? outcome::fits : outcome::over;
        return report;
    }
    /// Returns the report, and warns once while the request is nearly full and no reduction helps.
    report_type warn_if_full(report_type report, usage current) {
        bool const nearly_full = current.tokens >= percent{8'000}.of_rounded_up(current.input);
        if (nearly_full && !report.changed() && !warned_) {
            warned_ = true;
            tell(events::near_limit{current});
        }
        warned_ = warned_ && nearly_full;
        return report;
    }

    /// After a summary was put in place outside a run.
    void committed(usage const& before, usage const& after, std::uint32_t groups_dropped) {
        changed();
        tell(events::reduced{.outcome = after.fits() ? outcome::fits : outcome::over,
                             .before = before,
                             .after = after,
                             .layers_applied = 1,
                             .groups_dropped = groups_dropped,
                             .manual = true});
    }

    /// Calls f(journal, conversation, numbers) for the first layer that records; false if there is none.
    template <class Function>
    bool with_journal(Function&& f) {
        bool called = false;
        mix_.each([&](auto const& layer) {
            if constexpr (requires { layer.to.read({}, std::declval<detail::entry_sink>()); })
                mix_.each_memory(memory_, [&](auto& layer_memory) {
                    if constexpr (requires { layer_memory.numbers[0]; })
                        if (!std::exchange(called, true))
                            f(layer.to, std::string_view{options_.conversation}, layer_memory.numbers);
                });
        });
        return called;
    }

    /// False if the memory of a layer cannot be saved.
    bool save(session_state& state) {
        if (!save_memories(mix_, memory_, state.memories)) return false;
        for (auto const& entry : blank_entries_) state.layers.emplace_back(entry.name);
        state.conversation = options_.conversation;
        state.runs = statistics_.runs;
        state.changed = statistics_.changed;
        state.agent_usage = statistics_.agent_usage;
        state.statistics.assign(statistics_.layers.begin(), statistics_.layers.end());
        state.pace = pace_;
        state.unrecorded = unrecorded_;
        state.warned = warned_;
        return true;
    }
    /// An error unless the state is of this pipeline and conversation, and its figures can be this session's.
    state_error validate(session_state const& state) const {
        if (state.version > session_state::latest)
            return unrestorable(state_fault::newer, "the version", "be one that this library knows");
        if (state.version == 0) return impossible("the version", "be above 0");
        bool same = state.layers.size() == Mix::size;
        for (std::size_t index = 0; same && index < Mix::size; ++index)
            same = state.layers[index] == blank_entries_[index].name;
        if (!same)
            return unrestorable(state_fault::foreign, "the pipeline", "have the layers of the one that was saved");
        if (state.conversation != options_.conversation)
            return unrestorable(state_fault::foreign, "the conversation", "be the one that was saved");
        if (state.statistics.size() != Mix::size) return impossible("the statistics", "be one entry a layer");
        for (auto const& edit : state.edits)
            if (edit.author > Mix::size) return impossible("the author of an edit", "be a layer");
        for (auto const& step : state.earlier.steps)
            if (step.author > Mix::size) return impossible("the author of an edit", "be a layer");
        if (state.latest_job > u64_limit / 2) return impossible("the number of the latest job", "be below 2^63");
        return {};
    }
    /// The layers' memories after so many messages; nothing if a layer cannot have saved this.
    std::optional<memory_type> memories(std::vector<std::string> const& saved, std::size_t messages) const {
        std::optional<memory_type> memory{std::in_place};
        if (!load_memories(mix_, *memory, saved, messages)) memory.reset();
        return memory;
    }
    /// Throws only if moving a memory does, and then has changed nothing else.
    void adopt(session_state const& state, memory_type&& memory, bool has_messages) {
        memory_ = std::move(memory);
        statistics_.runs = state.runs;
        statistics_.changed = state.changed;
        statistics_.agent_usage = state.agent_usage;
        for (std::size_t index = 0; index < Mix::size; ++index) {
            statistics_.layers[index] = state.statistics[index];
            statistics_.layers[index].name = blank_entries_[index].name;
        }
        pace_ = state.pace;
        unrecorded_ = state.unrecorded;
        journals_unread_ = records && has_messages;
        warned_ = state.warned;
    }

private:
    /// Replaces focus and instructions of the options, as far as they are given, until the result is destroyed.
    auto use(force const& words) {
        auto const before = options_.request;
        if (!words.focus.empty()) options_.request.focus = words.focus;
        if (!words.instructions.empty()) options_.request.instructions = words.instructions;
        return scope_exit{[this, before]() noexcept { options_.request = before; }};
    }
    static constexpr bool observes_truncations = hears<decltype(Options::observer), events::truncated>;
    static constexpr bool tells_leaving = may_hear_drops<decltype(Options::before_drop)>;

    // Masks of layers have one bit each, in the order of the report.

    /// Layers that are due at any use.
    std::uint64_t always_due(usage current) const noexcept {
        return mix_.due_layers({.input = current.input, .cached = current.cached});
    }
    /// The layers that messages or turns alone make due.
    std::uint64_t due_by_count(usage current) const noexcept {
        current.tokens = {};
        auto const due = mix_.due_layers(current);
        return due == 0 ? 0 : due & ~mix_.due_layers({.input = current.input});
    }
    /// Layers that are still due after the run, or were due by tokens before it and would soon be again.
    std::uint64_t ineffective_layers(report_type const& report, usage current) const noexcept {
        auto const still_due = mix_.due_layers(current);
        current.tokens = current.tokens + options_.pacing.growth.of_rounded_up(current.input);
        auto const soon_due = mix_.due_layers(current);
        return still_due | (mix_.due_layers(report.before) & soon_due);
    }

    /// Calls f(layer, draft, pass, run, entry) with the first layer that plans summaries, outside a run of the
    /// pipeline.
    template <class Draft, class Function>
    void with_first_planner(Draft& draft, entries_type& entries, Function&& f) const {
        detail::run<Draft, Options> run_state{{.entries = entries.data(), .first_step = draft.mark()}, draft, options_};
        auto const call = [&](auto const& layer, std::size_t index) {
            using layer_type = std::remove_cvref_t<decltype(layer)>;
            auto const goal = goal_of(layer, draft.used().input, false);
            no_memory none;
            v1::pass<layer_type::effects, decltype(run_state), decltype(goal), no_memory> pass{
                run_state, entries[index], goal, message_limit_of(layer), none};
            draft_for<layer_type::effects, Draft> narrowed{draft};
            f(layer, narrowed, pass, run_state, entries[index]);
        };
        with_planner(mix_, call);
    }

    void note_leaving(before_drop_report const& latest) noexcept {
        if constexpr (tells_leaving) {
            statistics_.before_drop.add(latest);
            leaving_ = latest;
        }
    }
    /// Collects the truncations of steps from `mark` on, while the originals can still be read.
    template <class Draft>
    void collect_trail([[maybe_unused]] Draft const& draft, [[maybe_unused]] std::size_t mark) {
        if constexpr (observes_truncations) {
            trail_.clear();
            each_truncation(draft.source(), draft.outline(), draft.edits(), mark, blank_entries_,
                            records && !unrecorded_, [&](truncation const& event) { trail_.push_back(event); });
        }
    }
    /// Reports the collected truncations, and a failure of before_drop. The observer may begin another run, which
    /// collects its own: hence the exchange.
    void tell_trail() {
        if constexpr (tells_leaving)
            if (auto const latest = std::exchange(leaving_, {}); !latest.failure.empty())
                tell(events::before_drop_failed{latest.messages, latest.failure});
        if constexpr (observes_truncations)
            for (auto const& event : std::exchange(trail_, {})) tell(event);
    }

    Mix mix_;
    Options options_;
    memory_type memory_ = {};
    entries_type blank_entries_ = {};  ///< names of the layers, and no figures
    v1::statistics<Mix::size> statistics_ = {};
    pace pace_;
    std::conditional_t<observes_truncations, std::vector<truncation>, no_observer>
        trail_;  ///< of the latest run or arrival
    std::conditional_t<tells_leaving, before_drop_report, no_before_drop> leaving_;  ///< of the latest run or arrival
    bool unrecorded_ = false;  ///< a journal may be behind
    bool journals_unread_ = false;  ///< after `adopt`, until the journals were asked what they hold
    bool warned_ = false;  ///< that the request is nearly full; until the use falls below
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
