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
#include <condense/core/pipeline.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/session/observer.hpp>
#include <condense/session/pacing.hpp>
#include <condense/session/state.hpp>
#include <condense/session/statistics.hpp>
#include <condense/session/summary_job.hpp>

// Runs the pipeline of a session on drafts: decides when a run makes sense, keeps the layers' memories and the
// statistics, and tells the observer.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Mix, class Options>
class runner {
public:
    using report_type = report<Mix::size>;
    using entries_type = std::array<layer_report, Mix::size>;
    using memory_type = typename Mix::memory;
    static constexpr bool records = properties_of<std::remove_cv_t<Mix>>().journals;

    runner(Mix mix, Options options) : mix_(std::move(mix)), options_(std::move(options)) {
        mix_.name_entries(blank_entries_.data());
        statistics_.add(blank_entries_);  // names alone
    }

    Options const& options() const noexcept { return options_; }
    v1::statistics<Mix::size> const& statistics() const noexcept { return statistics_; }
    template <class Message>
    bool pins(sequence at, Message const& m) const {
        return detail::pins(options_, at, m);
    }
    template <class Event>
    void tell(Event const& event) {
        detail::tell(options_.observer, event);
    }
    template <class Event, class Make>
    void tell_made(Make&& make) {
        detail::tell_made<Event>(options_.observer, make);
    }

    bool due(usage now) const noexcept { return mix_.due(now); }
    /// The least use at which a layer with a limit in tokens is due; 0 for none.
    tokens threshold(usage now) const noexcept {
        auto const always = always_due(now);
        now = {.input = now.input, .cached = now.cached};
        auto const due_at = [&](std::uint64_t count) {
            return now.tokens = {count}, (mix_.due_layers(now) & ~always) != 0;
        };
        if (!due_at(now.input.count)) return {};
        std::uint64_t below = 0;
        auto at = now.input.count;
        while (at - below > 1) (due_at(below + (at - below) / 2) ? at : below) = below + (at - below) / 2;
        return {at};
    }
    /// Why a reduction that is due does not run by itself; empty if none waits.
    template <class Reducible>
    std::string waits(usage now, Reducible const& reducible) const {
        auto const due_now = mix_.due_layers(now) & ~always_due(now);
        if (due_now == 0) return {};
        auto why = pace_.pause_of(options_.pacing, now, due_now, due_now & due_by_count(now), reducible).text();
        if (!why.empty() && !pace_.cause.empty()) why.append(" (").append(std::string_view{pace_.cause}).append(")");
        return why;
    }
    /// A run by itself is due and makes sense.
    template <class Reducible>
    bool may_run(usage now, Reducible const& reducible) const {
        auto const due_now = mix_.due_layers(now);
        return due_now != 0 && pace_.may_run(options_.pacing, now, due_now, due_by_count(now), reducible);
    }
    /// Whether that run may call a model.
    run_demand demand(usage now) const noexcept {
        return {.may_ask = pace_.may_ask(options_.pacing, now), .may_ask_layers = pace_.may_ask_of(due_by_count(now))};
    }

    /// A message was appended; one of the assistant or a plain user message may end a round.
    void pushed(cost more, bool ends_round) noexcept { pace_.pushed_more(more, ends_round); }
    /// The input of a run has changed: layers that were ineffective may succeed now.
    void changed() noexcept { pace_.changed(); }
    std::uint64_t revision() const noexcept { return pace_.changes; }
    /// Messages from `first` on have changed: layers forget them.
    void rewind(std::uint32_t first) { rewind_memories(mix_, memory_, first); }

    /// No journal has taken the latest arrival.
    bool unrecorded() const noexcept { return unrecorded_; }
    /// Messages were appended without telling the layers.
    void note_untold() noexcept { unrecorded_ = unrecorded_ || records; }
    /// A state was adopted, and the journals were not asked yet what they hold.
    bool unread() const noexcept { return unread_; }

    template <class Draft>
    report_type run(Draft& whole, run_demand demand, std::string_view focus = {}) {
        scope_exit const during{[this, before = options_.request]() noexcept { options_.request = before; }};
        if (!focus.empty()) options_.request.focus = focus;
        auto const mark = whole.mark();
        auto report = run_pipeline(mix_, memory_, whole, options_, false, run_kind::session, demand);
        note_trail(whole, mark);
        return report;
    }
    /// A run that calls no model and stores nothing; only the draft changes.
    template <class Draft>
    report_type walk(Draft& whole) const {
        memory_type none{};
        return run_pipeline(mix_, none, whole, options_, true, run_kind::walk);
    }
    /// Tells the layers of the messages from `first` on.
    template <class Draft>
    entries_type arrive(Draft& whole, std::uint32_t first, bool resumes, bool journals_only = false) {
        auto entries = blank_entries_;
        auto const mark = whole.mark();
        detail::run<Draft, Options> shared{.draft = whole,
                                           .options = options_,
                                           .entries = entries.data(),
                                           .first_step = mark,
                                           .resumes = resumes,
                                           .journals_only = journals_only};
        unrecorded_ = true;  // until it is known
        for (auto index = first; index < whole.outline().size(); ++index)
            mix_.run_hook(shared, entries.data(), memory_, arrive_hook<>{sequence{index}});
        unrecorded_ = shared.unrecorded;
        unread_ = false;
        note_trail(whole, mark);
        return entries;
    }
    /// The plan of the first layer that summarises: plan_of(layer, draft, pass).
    template <class Draft, class Plan>
    summary_plan plan(Draft& whole, Plan const& plan_of) const {
        summary_plan plan;
        auto entries = blank_entries_;
        each_planner(whole, entries, [&](auto const& layer, auto& draft, auto& pass, auto&, auto&) {
            plan = plan_of(layer, draft, pass);
        });
        return plan;
    }
    /// That layer puts the summary in place of the job's groups; `report` is its entry.
    template <class Draft>
    entries_type conclude(Draft& whole, job_ledger::entry const& job, std::string&& text, layer_report& report) const {
        auto entries = blank_entries_;
        each_planner(
            whole, entries, [&](auto const& layer, auto& narrowed, auto& pass, auto& shared, layer_report& entry) {
                attempt<false>(layer, shared, entry, measure::any,
                               [&] { return layer.conclude(narrowed, pass, job.groups, std::move(text), job.limit); });
                report = entry;
            });
        return entries;
    }

    /// Adds entries to the statistics, and tells the observer what was cut.
    void note(entries_type const& entries) {
        statistics_.add(entries);
        tell_trail();
    }
    /// The same for a run, which also paces the next one. `now` is the use after it.
    template <class Reducible>
    void note(report_type const& report, bool manual, bool may_ask, usage now, Reducible const& reducible) {
        statistics_.add(report.layers);
        ++statistics_.runs;
        statistics_.changed += report.changed() ? 1u : 0u;
        auto event = events::reduced{
            .outcome = report.outcome, .before = report.before, .after = report.after, .manual = manual};
        bool waited = !may_ask && report.before.fits();
        bool asked = false;
        bool blocked = false;  // by a journal, which may take the next message
        bool failed = false;
        for (auto const& layer : report.layers) {
            asked = asked || layer.asked != 0;
            waited = waited || (layer.waits && report.before.fits());
            failed = failed || layer.failures != 0;
            blocked = blocked || (layer.failures != 0 && std::string_view{layer.note} == not_all_recorded);
            event.layers_applied += layer.outcome == layer_outcome::applied ? 1u : 0u;
            event.parts_shortened += layer.parts_shortened;
            event.groups_dropped += layer.groups_dropped;
        }
        bool const progress = report.changed() && (report.after.tokens < report.before.tokens ||
                                                   report.after.messages < report.before.messages ||
                                                   report.after.turns < report.before.turns);
        // A count of messages or turns may stay where it is: a layer that finds nothing to do then has not failed.
        bool const by_count =
            report.before.fits() && (mix_.due_layers(report.before) & ~due_by_count(report.before)) == 0;
        bool const stopped =
            !progress && options_.stop.stop_requested();  // then nothing was in vain, as in one that is cancelled
        bool const was_open = pace_.open;
        if (!stopped && (progress || !blocked)) {
            if (asked) pace_.asked_now(report.after.fits());
            auto const in_vain = due_for_nothing(report, now);
            if (manual && !progress) pace_.tried_in_vain(in_vain);
            else if (pace_.ran(options_.pacing, progress, (waited || (by_count && !asked)) && !failed, in_vain,
                               due_by_count(report.after)) ||
                     pace_.open)
                pace_.stuck = reducible();
            pace_.explain(report.layers, mix_.due_layers(now));
        }
        tell_trail();
        tell(event);
        if (pace_.open != was_open) tell(events::circuit{pace_.open, pace_.fruitless});
    }

    /// The report if nothing runs.
    report_type unchanged(usage now, budget const& limits) const noexcept {
        report_type idle;
        idle.layers = blank_entries_;
        idle.before = idle.after = now;
        for (auto& layer : idle.layers) layer.before = now.tokens;
        idle.limit = now.input;
        if (!limits.is_possible()) idle.refused = budget_refused;
        idle.outcome = idle.fits() ? outcome::fits : outcome::over;
        return idle;
    }
    /// Warns once while the request is nearly full and no reduction helps.
    report_type settled(report_type report, usage now) {
        bool const nearly_full = now.tokens >= percent{8'000}.of_rounded_up(now.input);
        if (nearly_full && !report.changed() && !warned_) {
            warned_ = true;
            tell(events::near_limit{now});
        }
        warned_ = warned_ && nearly_full;
        return report;
    }

    /// False if the memory of a layer cannot be saved.
    bool save(session_state& to) {
        if (!save_memories(mix_, memory_, to.memories)) return false;
        for (auto const& entry : blank_entries_) to.layers.emplace_back(entry.name);
        to.conversation = options_.conversation;
        to.runs = statistics_.runs;
        to.changed = statistics_.changed;
        to.statistics.assign(statistics_.layers.begin(), statistics_.layers.end());
        to.pace = pace_;
        to.unrecorded = unrecorded_;
        to.warned = warned_;
        return true;
    }
    /// Checks that the state is of this pipeline and conversation.
    state_error belongs(session_state const& from) const {
        if (from.version > session_state::latest)
            return unrestorable(state_fault::newer, "the version", "be one that this library knows");
        if (from.version == 0) return impossible("the version", "be above 0");
        bool same = from.layers.size() == Mix::size;
        for (std::size_t at = 0; same && at < Mix::size; ++at) same = from.layers[at] == blank_entries_[at].name;
        if (!same)
            return unrestorable(state_fault::foreign, "the pipeline", "have the layers of the one that was saved");
        if (from.conversation != options_.conversation)
            return unrestorable(state_fault::foreign, "the conversation", "be the one that was saved");
        if (from.statistics.size() != Mix::size) return impossible("the statistics", "be one entry a layer");
        for (auto const& step : from.steps)
            if (step.author > Mix::size) return impossible("the author of an edit", "be a layer");
        if (from.latest_job > u64_limit / 2) return impossible("the number of the latest job", "be below 2^63");
        return {};
    }
    /// The layers' memories after so many messages; none if no layer saves that.
    std::optional<memory_type> memories(std::vector<std::string> const& saved, std::size_t messages) const {
        std::optional<memory_type> memory{std::in_place};
        if (!load_memories(mix_, *memory, saved, messages)) memory.reset();
        return memory;
    }
    /// Throws only if moving a memory does, and then has changed nothing else.
    void adopt(session_state const& from, memory_type&& memory, bool has_messages) {
        memory_ = std::move(memory);
        statistics_.runs = from.runs;
        statistics_.changed = from.changed;
        for (std::size_t at = 0; at < Mix::size; ++at) {
            statistics_.layers[at] = from.statistics[at];
            statistics_.layers[at].name = blank_entries_[at].name;
        }
        pace_ = from.pace;
        unrecorded_ = from.unrecorded;
        unread_ = records && has_messages;
        warned_ = from.warned;
    }

private:
    static constexpr bool audited = hears<decltype(Options::observer), events::truncated>;

    /// Layers that are due at any use.
    std::uint64_t always_due(usage now) const noexcept {
        return mix_.due_layers({.input = now.input, .cached = now.cached});
    }
    /// The layers that messages or turns alone make due.
    std::uint64_t due_by_count(usage now) const noexcept {
        now.tokens = {};
        auto const due = mix_.due_layers(now);
        return due == 0 ? 0 : due & ~mix_.due_layers({.input = now.input});
    }
    /// Layers that are still due, or were due by tokens and would soon be again.
    std::uint64_t due_for_nothing(report_type const& report, usage now) const noexcept {
        auto const still = mix_.due_layers(now);
        now.tokens = now.tokens + options_.pacing.growth.of_rounded_up(now.input);
        auto const soon = mix_.due_layers(now);
        return still | (mix_.due_layers(report.before) & soon);
    }

    /// Calls f(layer, draft, pass, run, entry) with the first layer that plans summaries.
    template <class Draft, class Function>
    void each_planner(Draft& whole, entries_type& entries, Function&& f) const {
        detail::run<Draft, Options> shared{
            .draft = whole, .options = options_, .entries = entries.data(), .first_step = whole.mark()};
        auto const hand_over = [&](auto const& layer, std::size_t at) {
            using layer_type = std::remove_cvref_t<decltype(layer)>;
            auto const goal = goal_of(layer, whole.used().input);
            no_memory none;
            v1::pass<layer_type::effects, decltype(shared), decltype(goal), no_memory> hand{
                shared, entries[at], goal, message_limit_of(layer), none};
            draft_for<layer_type::effects, Draft> narrowed{whole};
            f(layer, narrowed, hand, shared, entries[at]);
        };
        with_planner(mix_, hand_over);
    }

    /// Notes the cuts of steps from `mark` on, while the originals are at hand.
    template <class Draft>
    void note_trail([[maybe_unused]] Draft const& whole, [[maybe_unused]] std::size_t mark) {
        if constexpr (audited) {
            trail_.clear();
            each_truncation(whole.source(), whole.outline(), whole.edits(), mark, blank_entries_,
                            records && !unrecorded_, [&](truncation const& each) { trail_.push_back(each); });
        }
    }
    /// The observer may begin another run meanwhile.
    void tell_trail() {
        if constexpr (audited)
            for (auto const& each : std::exchange(trail_, {})) tell(each);
    }

    Mix mix_;
    Options options_;
    memory_type memory_ = {};
    entries_type blank_entries_ = {};
    v1::statistics<Mix::size> statistics_ = {};
    pace pace_;
    std::conditional_t<audited, std::vector<truncation>, no_observer> trail_;  ///< of the latest run or arrival
    bool unrecorded_ = false;
    bool unread_ = false;
    bool warned_ = false;  ///< of a request that is nearly full, and not fallen below since
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
