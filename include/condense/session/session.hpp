// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/reduce.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/reject.hpp>
#include <condense/llm/media_limit.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/session/conversation.hpp>
#include <condense/session/deferred_pushes.hpp>
#include <condense/session/runner.hpp>
#include <condense/session/summary_job.hpp>

// A running conversation: a turn costs what it adds, and messages are never rewritten; the request is a view
// of them. session.push(m), then session.call(model), or prepare() and request().

namespace condense {
inline namespace v1 {

/// Owns the messages in any container with push_back and random access, or works on the program's by std::ref. Used by
/// one thread at a time; a model, an estimator or an observer that it calls may push. Neither copied nor moved.
template <class Messages, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
class session {
    static_assert(detail::check_estimator<Estimator>());

public:
    using container = typename detail::message_container<Messages>::container;
    using message_type = detail::element_of<container const>;
    using report_type = report<Mix::size>;
    static_assert(message<message_type>,
                  "condense: session: the elements of the container must be messages: give message_traits role_of and "
                  "each_part (see message)");
    static_assert(
        std::random_access_iterator<decltype(detail::ranges_access::begin_of(std::declval<container const&>()))>,
        "condense: session: the container must have random access, such as std::vector (see session)");

private:
    using conversation = detail::conversation<Messages, Estimator>;
    using runner = detail::runner<Mix, Options>;
    static constexpr bool borrowed = conversation::borrowed;

public:
    /// Messages in `first` are recorded unless the journal has them already. Pass those of an earlier `history()`, not
    /// of `request()`: a journal would record its summaries as messages.
    session(Messages first, Mix mix, budget limits, Estimator count = {}, Options options = {})
        : runs_(std::move(mix), std::move(options)),
          conversation_(std::move(first), limits, std::move(count), runs_, runs_.options().bound) {
        detail::reject_unless(!runs_.options().alternate || shortenable<message_type>,
                              "condense: session: alternate must have messages with with_part (see shortenable)");
        if (runs_.options().alternate) conversation_.alternate();
        note_pushed(0);
        auto const sent = runs_.options().sent.count;
        conversation_.note_sent(sent < conversation_.size() ? sent : conversation_.size());
        arrive(0, true);
    }
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    // The conversation.

    /// Appends a message, calls the layers that act on arrival, and returns whether a reduction is due. If reading the
    /// message throws, nothing has changed; if a layer fails, the message stays as it is. During a run the message is
    /// deferred to its end, and the result is false. Costs what the message costs, at any length of the conversation.
    bool push(message_type m) {
        if (busy()) {
            deferred_.push(std::move(m));
            return false;
        }
        static_cast<void>(append_and_notify(std::move(m)));
        return due();
    }
    /// The original messages, without those released.
    container const& history() const noexcept { return conversation_.history(); }
    /// What is known of messages, parts and groups; valid until the session changes.
    v1::outline const& outline() const noexcept { return conversation_.outline(); }
    /// The edits in force, and the sums of the request.
    view const& edits() const noexcept { return conversation_.edits(); }

    /// No layer edits the message from now on; edits so far stay. One that was dropped or summarised is restored
    /// first, or what `restore` says is returned; `gone` for one whose parts were all removed. A summary beside which
    /// another one has to begin the request brings that back, or is refused with `no_room`. `gone` for a number beyond
    /// the history, or during a run.
    refusal pin(sequence which) {
        if (busy()) return refusal::gone;
        catch_up();
        if (which.number >= conversation_.size()) return refusal::gone;
        auto const refused = transact([&](auto& draft) { return conversation_.pin(which, draft); });
        if (refused) return refused;
        jobs_.touched(outline().group_of(which.number));
        runs_.changed();
        return refusal::none;
    }
    /// Puts the originals of a message and its group back in the request, until a later reduction takes them out again.
    /// Refused: `no_room` if it would not fit, `gone` if it is there or released, `summary` for one beside another.
    refusal restore(sequence which) {
        if (busy()) return refusal::gone;
        catch_up();
        auto const refused = transact([&](auto& draft) { return draft.restore(which); });
        if (!refused) jobs_.touched(outline().group_of(which.number)), runs_.changed();
        return refused;
    }
    /// Names the task, which is the first plain user message otherwise, but no greeting and no command of the program.
    /// One that has left comes back with the next run. Refused with `gone` for a message that is none of a user, or was
    /// released. `sync` forgets it where it is among what was changed.
    refusal task(sequence which) {
        if (busy()) return refusal::gone;
        catch_up();
        if (!conversation_.name_task(which.number)) return refusal::gone;
        jobs_.touched(outline().group_of(which.number));
        runs_.changed();
        return refusal::none;
    }
    /// Takes back what `pin` did: a message that its traits or the options pin stays pinned.
    void unpin(sequence which) {
        catch_up();
        if (busy() || which.number >= conversation_.size()) return;
        conversation_.unpin(static_cast<std::uint32_t>(which.number), runs_), runs_.changed();
    }
    /// No result will come for the calls with this id: they no longer keep their group open. Returns their number.
    std::size_t abandon(std::string_view call) {
        if (busy()) return 0;
        catch_up();
        auto const count = conversation_.abandon(call);
        if (count != 0) runs_.changed();
        return count;
    }
    /// Destroys originals before `before` that are no longer sent, group by group, and all that is known of them;
    /// returns their number. The task, the latest answer and calls that may still be answered stay. The journal has the
    /// others: while it is behind, nothing is released. Unless it is 0, no earlier edit can be undone or restored any
    /// more, and a result whose call is nowhere is not sent from then on, as its call may be one of these. Costs what
    /// is left.
    std::size_t release(sequence before)
        requires detail::erasable<container> && (!borrowed)
    {
        static_assert(recoverable<Mix>,
                      "condense: session.release: the pipeline must be recoverable, with record before what drops (see "
                      "recoverable)");
        if (busy()) return 0;
        if (runs_.journals_unread()) static_cast<void>(tell_layers(conversation_.size() - 1, false, true));
        if (runs_.unrecorded()) return 0;
        auto const until_done = deferred_.occupy();
        return conversation_.release(before);
    }
    /// The program has changed its container: messages from `first_changed` on are read again, or from an earlier one
    /// that differs. Edits of older messages stay in force.
    void sync(sequence first_changed)
        requires borrowed
    {
        if (busy()) return;
        if (first_changed.number < conversation_.size()) {
            auto const first = conversation_.first_difference(true);
            reread(static_cast<std::uint32_t>(first < first_changed.number ? first : first_changed.number));
        }
        catch_up();
    }

    // Usage and limits.

    /// Tokens as estimated; once a provider has reported, its figure plus an estimate of later messages; after an
    /// edit, estimates in proportion to that report. All layers of a run measure in this scale.
    usage used() const noexcept { return conversation_.used(); }
    budget const& limits() const noexcept { return conversation_.meter().limits(); }
    /// Sets another budget; runs that were ineffective are tried again.
    void set_limits(budget limits) noexcept {
        conversation_.meter().set_limits(limits);
        runs_.changed();
    }
    /// Sets another model: reports of the previous one no longer count, an estimator that learns starts again, and
    /// reasoning that is bound to the previous one leaves, where one of the two binds; to be called for the first model
    /// as well, or the session does not know that another follows. `bound`, of the model, takes the place of the
    /// option; without it that stays. Changes only the limits in a run.
    void set_model(std::string_view name, budget limits, std::optional<bound_parts> bound = {}) {
        set_limits(limits);
        if (busy()) return;
        conversation_.meter().use_model(name);
        auto const id = detail::fnv1a(name);
        bool const other = model_ != 0 && model_ != id;
        bool const bound_before = conversation_.edits().binds();
        auto const said = bound.value_or(bound_before ? bound_parts::leave : bound_parts::stay);
        if (other && (bound_before || said == bound_parts::leave))
            transact([](auto& draft) { return draft.remove_bound(), 0; });
        conversation_.bind(said);
        model_ = id;
    }
    /// The estimator, with everything learnt so far.
    Estimator const& estimator() const noexcept { return conversation_.meter().estimator(); }
    /// What the newest turns cost, and how many more turns are likely to fit.
    turn_tracker const& turns() const noexcept { return conversation_.meter().turns(); }
    std::optional<std::uint64_t> turns_left() const noexcept { return turns().turns_left(used()); }
    /// Sums by layer over all runs and arrivals.
    v1::statistics<Mix::size> const& statistics() const noexcept { return runs_.statistics(); }
    /// The smallest use in tokens at which a layer becomes due; 0 for none. Layers that are always due do not count.
    tokens threshold() const noexcept { return runs_.threshold(used()); }
    /// Why `prepare` does not run a reduction that is due, and why the latest run left it due; empty if none waits.
    std::string waits() const {
        if (busy() || !limits().is_possible()) return {};
        auto why = runs_.waits(used(), [&] { return conversation_.reducible(); });
        if (!why.empty() && jobs_.under_way()) why += "; a summary is under way";
        return why;
    }
    /// One line for display.
    std::string status() const { return usage_line(used(), threshold(), turns_left(), waits()); }

    // Reducing.

    /// True if some layer is due. A few comparisons, no allocation, at any length.
    bool due() const noexcept { return limits().is_possible() && (runs_.due(used()) || has_more_to_do(used())); }
    /// Runs the pipeline if it is due and `run_options::pacing` allows it; otherwise reports the use and changes
    /// nothing.
    report_type prepare() {
        catch_up();
        auto const before = used();
        bool const may_run = has_more_to_do(before) || runs_.may_run(before, [&] { return conversation_.reducible(); });
        if (busy() || !limits().is_possible() || !may_run)
            return runs_.warn_if_full(runs_.unchanged(before, limits()), before);
        runs_.tell(events::due{before});
        auto const report = run(runs_.demand(before), false);
        return runs_.warn_if_full(report, used());
    }
    /// Runs the pipeline now, regardless of pacing.
    report_type run() {
        if (busy()) return runs_.unchanged(used(), limits());
        catch_up();
        return run({}, true);
    }
    /// Runs each layer once, due or not, down to its own target or that of `options`; protections hold.
    report_type run(force options) {
        if (busy()) return runs_.unchanged(used(), limits());
        catch_up();
        return run({.untriggered = true, .until = options.target}, true, options);
    }
    /// Reports what `run` would do, without calling a model, storing or changing anything. Costs a copy of the edits.
    report_type draft() const {
        auto const until_done = deferred_.occupy();
        auto report = conversation_.rehearse([&](auto& draft) { return runs_.dry_run(draft); });
        report.before = used();
        if (!report.changed()) report.after.source = report.before.source;
        return report;
    }
    report_type draft()
        requires borrowed
    {
        catch_up();
        return std::as_const(*this).draft();
    }
    /// Takes back the edits of the newest run, arrival, `restore` or `pin` that made any; false if there is none.
    /// Messages pushed since then stay, as do those that are pinned.
    bool undo() {
        if (busy()) return false;
        catch_up();
        if (conversation_.undo_points().empty()) return false;
        auto const until_done = deferred_.occupy();
        jobs_.touched(outline(), edits(), detail::as_size(conversation_.undo_points().back().edits));
        conversation_.undo();
        runs_.changed();
        return true;
    }

    // Calling a model.

    using request_range = detail::request_range<conversation>;

    /// The messages to send, in order, valid until the session changes. Renders messages that edits have changed
    /// since the last call. `observe` refers to the newest request.
    request_range request() const {
        bool const amid = busy();
        auto const until_done = deferred_.occupy();
        conversation_.render(amid);
        return request_range{conversation_};
    }
    request_range request()
        requires borrowed
    {
        catch_up();
        return std::as_const(*this).request();
    }
    /// Reduces if that is due, calls the model with the request, and pushes its answer. If the provider refuses the
    /// request as too large, or stops an answer because the window ends, it is reduced further and sent once more,
    /// provided that nothing was shown yet and it is strictly smaller; so it is without its bound parts, where the
    /// provider refuses these. Any other error is returned unchanged; exceptions propagate. `show` is called with each
    /// piece of a streamed answer.
    template <class Model, class Show>
    call_result<message_type> call(Model&& model, Show&& show) {
        auto* shown = detail::address_of(show);  // by a second pointer, because void* cannot point to a function
        auto const to = [](void* context, std::string_view piece) {
            (**static_cast<decltype(shown)*>(context))(piece);
        };
        return call_with(model, delivery{to, &shown});
    }
    template <class Model>
    call_result<message_type> call(Model&& model) {
        return call_with(model, delivery{nullptr, nullptr});
    }
    /// The provider's report for the newest request, and how long that took: `used` counts by the report from now on.
    /// Without figures it is an event for the observer.
    void observe(provider_usage const& report, instant duration = {}) {
        auto const estimated = conversation_.counted().tokens();
        note_usage(report, duration);
        tell_usage(report, estimated, turns().turns);
    }
    /// For programs that call the model themselves: on a context overflow learns the window that the error names and
    /// reduces under pressure. Where the provider refuses reasoning that is bound to another conversation, takes all of
    /// that out, and from now on what later changes leave behind, whatever run_options::bound says. Where it takes
    /// fewer images or bytes, lowers these limits and leaves notes of the oldest media. Other errors change nothing.
    /// `delivered`: part of an answer was shown.
    recover_outcome recover(provider_error const& error, bool delivered = false) {
        return recover(error, delivered, false);
    }

    // Summaries in the background.

    /// The prompt of the first layer that summarises, to be answered on any thread while the session goes on. False if
    /// there is nothing to summarise, or a job under way covers some of it. `words`: focus and instructions.
    summary_job begin_summary(force const& words = {}) {
        static_assert(detail::has_planner<std::remove_cv_t<Mix>>,
                      "condense: session.begin_summary: the pipeline must hold a layer that summarises, not behind "
                      "any_pipeline (see summarize)");
        if (busy()) return {};
        catch_up();
        return begin([](auto const& layer, auto& draft, auto& pass) { return layer.plan(draft, pass); }, 0, words);
    }
    /// The model refused a job's prompt as too large: returns a job in its place that has strictly less to read. False
    /// if the error is no overflow; then the job goes on. Also false after eight such errors, if nothing smaller is
    /// left, or if its messages have changed; then the job is over.
    summary_job retry(summary_job const& refused, provider_error const& error) {
        constexpr unsigned most_shrinks = 8;
        auto const over = overflow_of(error.status, error.text);
        auto const* const job = jobs_.find(refused.id);
        if (busy() || !over || job == nullptr) return {};
        auto const [size, shrinks] = std::pair{job->size, job->shrinks + 1};
        jobs_.erase(refused.id);
        if (shrinks > most_shrinks) return {};
        catch_up();
        return begin([&](auto const& layer, auto& draft, auto& pass) { return layer.plan(draft, pass, size, &*over); },
                     shrinks, {.focus = refused.focus, .instructions = refused.instructions});
    }
    /// Puts the summary in place of the job's messages, unless these have changed since; messages pushed meanwhile
    /// follow it. `undo` takes it back. `usage`, what the model has used, is added to the statistics whatever the
    /// outcome, unless the session is busy or the job goes on.
    commit_outcome commit(summary_job const& job, std::string text, provider_usage const& usage = {}) {
        if (busy()) return commit_outcome::busy;
        catch_up();
        auto const* const current = jobs_.find(job.id);
        bool const stale = current == nullptr || !detail::job_ledger::is_current(*current, outline(), edits());
        if (!stale && runs_.unrecorded()) return declined(detail::not_all_recorded);
        runs_.summarized(usage);
        if (stale) return jobs_.erase(job.id), commit_outcome::stale;
        auto const entry = *current;  // a copy: the edits below end the job
        auto const before = used();
        layer_report report;
        runs_.add(transact([&](auto& draft) { return runs_.conclude(draft, entry, std::move(text), report); }));
        bool const applied = report.outcome == layer_outcome::applied;
        if (applied) runs_.committed(before, used(), report.groups_dropped);
        drain_deferred();
        jobs_.erase(job.id);
        return applied ? commit_outcome::committed : declined(report.note);
    }
    /// Ends the job without a summary; false if it was not under way.
    bool abandon(summary_job const& job) noexcept { return jobs_.erase(job.id); }
    /// Why the latest commit was declined.
    std::string_view note() const noexcept { return note_; }

    // State, to go on in another process.

    /// Calls f(journal, conversation, numbers), numbers[index] being the journal's number of a message; false without
    /// one.
    bool with_journal(auto&& f) { return runs_.with_journal(f); }
    /// A copy of everything a later session needs to go on. Jobs under way are not included: their commits return
    /// `stale`.
    taken_state state() {
        check_storable();
        if (busy())
            return {
                .error = {state_fault::busy, "condense: save: the session must not be in a run (see session_state)"}};
        catch_up();
        taken_state result;
        if (!runs_.save(result.state))
            return {.error = {state_fault::unsavable,
                              "condense: save: the memory of a layer must have save and load (see session_state)"}};
        conversation_.save(result.state);
        result.state.latest_job = jobs_.latest();
        result.state.note = std::string_view{note_};
        result.state.overflowed = overflowed_;
        result.state.binds = conversation_.edits().binds();
        result.state.model = model_;
        result.state.settled = settled_ == present();
        return result;
    }
    /// Goes on from a saved state. The session must have been constructed with an empty container and the same
    /// pipeline, estimator and options. The state may be forged: all of it is checked, and each message counted. On an
    /// error or exception the session is unchanged.
    state_error adopt(session_state state) {
        check_storable();
        if (busy()) return detail::unrestorable(state_fault::busy, "the session", "not be in a run");
        if (conversation_.size() != 0 ||
            detail::ranges_access::begin_of(history()) != detail::ranges_access::end_of(history()))
            return detail::unrestorable(state_fault::not_empty, "the session", "be made of an empty container");
        if (auto const problem = runs_.validate(state)) return problem;
        detail::restored_conversation<Messages> restored;
        restored.edits.bind(restored.outline,
                            state.version < 5 ? runs_.options().bound == bound_parts::leave : state.binds);
        if (auto const problem = restored.load(state, conversation_.meter())) return problem;
        auto memory = runs_.memories(state.memories, restored.outline.size());
        if (!memory) return detail::impossible("a layer's memory", "be as the layer saved it");

        // From here on nothing fails, except for a layer's memory whose move throws.
        runs_.adopt(state, std::move(*memory), restored.outline.size() != 0);
        conversation_.adopt(std::move(restored), state);
        jobs_.go_on(state.latest_job);
        note_ = std::string_view{state.note};
        overflowed_ = state.overflowed;
        model_ = state.model;
        if (state.settled) settled_ = present();
        return {};
    }

private:
    bool busy() const noexcept { return deferred_.busy(); }
    /// True if there are more media than may be sent, or if the task was taken out, unless the latest run has left it
    /// so and nothing has changed since.
    bool has_more_to_do(usage const& now) const noexcept { return has_rest(now) && settled_ != present(); }
    std::pair<std::size_t, std::uint64_t> present() const noexcept { return {outline().size(), runs_.revision()}; }
    bool has_rest(usage const& now) const noexcept { return now.over_media(limits()) || edits().lacks_task(outline()); }

    /// Appends a message after those that were deferred, runs what acts on arrival, and returns its index.
    std::uint32_t append_and_notify(message_type&& m) {
        catch_up();
        auto const index = append(std::move(m));
        on_appended(index);
        drain_deferred();
        return index;
    }
    /// Appends the message, or registers the one that the program has appended to its container.
    template <class... Message>
    std::uint32_t append(Message&&... m) {
        auto const until_done = deferred_.occupy();
        return conversation_.append(runs_, std::forward<Message>(m)...);
    }
    void on_appended(std::uint32_t index, bool call_layers = true) {
        note_pushed(index);
        overflowed_ = false;
        if (call_layers) arrive(index, false);
        else runs_.skip_arrival();
        runs_.template tell_lazily<events::arrived>(
            [&] { return events::arrived{sequence{index}, conversation_.cost_of(index, true).tokens(), used()}; });
    }
    void note_pushed(std::uint32_t index) noexcept {
        for (; index < conversation_.size(); ++index) {
            auto const& m = outline().message_at(index);
            runs_.on_pushed(conversation_.cost_of(index, false), m.plain_user || m.speaker == role::assistant);
            if (m.plain_user) conversation_.meter().begin_turn();
        }
    }
    /// Calls the layers that act on arrival for the messages from `first` on.
    void arrive(std::size_t first, bool resumes) {
        if constexpr (Mix::acts_on_arrival)
            if (first != conversation_.size()) runs_.add(tell_layers(first, resumes, false));
    }
    auto tell_layers(std::size_t first, bool resumes, bool journals_only) {
        return transact([&](auto& draft) {
            return runs_.arrive(draft, static_cast<std::uint32_t>(first), resumes, journals_only);
        });
    }

    /// Reads what was pushed, or appended to the program's container, since the last verb.
    void catch_up() {
        if constexpr (borrowed)
            if (!busy()) detect_external_changes();
        drain_deferred();
    }
    /// Appends messages that were pushed during a run or an arrival; one that fails stays, with those behind it.
    /// Messages pushed meanwhile are appended, too, but layers see them only in their next run, so that this ends.
    void drain_deferred() {
        if (busy()) return;
        for (auto call_layers_for = deferred_.size(); deferred_.next() != nullptr;) {
            if constexpr (borrowed) {
                detect_external_changes();  // the program's own messages come first
                if (deferred_.next() == nullptr) return;  // a push by an observer has drained the queue
            }
            auto const index = append(std::move(*deferred_.next()));
            deferred_.pop();
            on_appended(index, call_layers_for != 0);
            if (call_layers_for != 0) --call_layers_for;
        }
    }
    /// Appends deferred messages after an exception: layers see them in their next run. What cannot be appended for
    /// lack of memory waits for the next call.
    void drain_after_failure() noexcept {
#if defined(__cpp_exceptions)
        if (deferred_.next() == nullptr) return;
        if constexpr (borrowed)
            if (conversation_.external_size() != conversation_.size()) return;
        runs_.skip_arrival();
        try {
            for (; auto* const next = deferred_.next(); deferred_.pop()) note_pushed(append(std::move(*next)));
        } catch (...) { return; }
#endif
    }

    /// Reads messages that the program has appended or changed.
    void detect_external_changes()
        requires borrowed
    {
        auto const first = conversation_.first_difference();
        if (first < conversation_.size()) reread(static_cast<std::uint32_t>(first));
        while (conversation_.size() < conversation_.external_size()) on_appended(append());
    }
    void reread(std::uint32_t first)
        requires borrowed
    {
        conversation_.reread(first, runs_);
        jobs_.clear();
        runs_.changed();
        runs_.rewind(first);
        arrive(first, false);
    }

    /// Calls f(draft): its edits are in force together, or not at all if it throws. Ends the jobs that they touch.
    template <class Function>
    auto transact(Function&& f) {
        // Also after an exception, once the edits are taken back, messages pushed meanwhile are appended.
        detail::scope_exit failed{[this]() noexcept { drain_after_failure(); }};
        auto const mark = conversation_.mark();
        auto result = conversation_.transact([&](auto& draft) {
            auto const until_done = deferred_.occupy();
            return f(draft);
        });
        jobs_.touched(outline(), edits(), mark);
        failed.release();
        return result;
    }
    report_type run(detail::run_demand demand, bool manual, force const& words = {}) {
        auto const before = used();
        auto report = transact([&](auto& draft) { return runs_.run(draft, demand, words); });
        auto const after = used();
        report.before = before;
        if (runs_.options().alternate) report.after.tokens = after.tokens;  // the run counts frames of joined messages
        report.after.source = after.source;
        runs_.add(report, manual, demand.may_ask, after, [&] { return conversation_.reducible(); });
        if (has_rest(after) && !runs_.options().stop.stop_requested()) settled_ = present();
        drain_deferred();
        return report;
    }

    void note_usage(provider_usage const& report, instant duration) noexcept {
        conversation_.observe(report, duration);
        runs_.answered(report);
        if (report.reported()) overflowed_ = false;
    }
    /// Tells the observer where a report is missing, or less than half of what was sent.
    void tell_usage(provider_usage const& report, tokens estimated, std::uint64_t turn) {
        if (!report.reported()) return runs_.tell(events::usage_missing{turn});
        auto const reported = report.request() + report.cleared;
        if (reported.count < estimated.count / 2) runs_.tell(events::usage_low{reported, estimated});
    }
    /// `again`: this was the second attempt, which is the last.
    recover_outcome recover(provider_error const& error, bool delivered, bool again) {
        auto const over = overflow_of(error.status, error.text);
        bool const bound = !over && is_bound_elsewhere(error.status, error.text);
        auto const media = over || bound ? std::nullopt : media_limit_of(error.status, error.text);
        if (!over && !bound && !media) return recover_outcome::not_overflow;
        if (delivered) return recover_outcome::delivered;
        if (busy()) return recover_outcome::exhausted;
        catch_up();
        if (bound) {
            if (again) return recover_outcome::repeated;
            auto const mark = conversation_.mark();
            transact([](auto& draft) { return draft.remove_bound(), 0; });
            return conversation_.mark() != mark ? recover_outcome::retry : recover_outcome::exhausted;
        }
        if (media) {
            if (again) return recover_outcome::repeated;
            return learn_media(*media) ? recover_outcome::retry : recover_outcome::exhausted;
        }
        if (std::exchange(overflowed_, true) || again) return recover_outcome::repeated;
        runs_.tell(events::overflow{over->limit, over->requested});
        auto const before = conversation_.counted();
        auto const target = conversation_.learn(*over);
        runs_.changed();
        static_cast<void>(run({.forced = true, .target = target}, true));
        return conversation_.counted() < before ? recover_outcome::retry : recover_outcome::exhausted;
    }
    /// Takes no more media than the provider from now on: so many as it names, or half of them, or of the bytes where
    /// it is these. False, and the limits stay, if none can be left out.
    bool learn_media(media_limit const& named) {
        auto const before = used();
        auto const known = limits();
        auto lowered = known;
        bool const says = named.most != images{} && named.most < before.images;
        if (named.of_bytes) lowered.bytes = {before.bytes.count / 2};
        else lowered.images = says ? named.most : images{before.images.count / 2};
        conversation_.meter().set_limits(lowered);
        static_cast<void>(run({.may_ask = false}, true));
        if (used().images < before.images) return true;
        conversation_.meter().set_limits(known);
        return false;
    }
    template <class Model>
    call_result<message_type> call_with(Model& model, delivery sink) {
        call_result<message_type> result;
        if (busy()) {
            result.error.text = "condense: call: the session must not be in a run (see call_result)";
            return result;
        }
        result.reduction = prepare().outcome;
        if (!used().fits() || !limits().is_possible()) {
            result.outcome = call_outcome::too_large;
            if (!limits().is_possible()) result.error.text = budget_refused;
            return result;
        }
        while (true) {
            bool const again = ++result.attempts > 1;
            auto const start = runs_.options().clock();
            auto const sent = request();
            auto const may_retry = [&] { return !again && !overflowed_; };
            auto reply = detail::ask_model<message_type>(model, sent, sink, runs_.options().stop, may_retry);
            if (reply.message) {
                auto const estimated = conversation_.counted().tokens();
                bool const may_repeat = may_retry();
                note_usage(reply.usage, runs_.options().clock() - start);  // before the answer is appended
                // Some stop where the window ends, in the middle of an answer.
                if (may_repeat && overflow_of(0, reply.stop) &&
                    recover({.text = reply.stop}, sink.delivered(), again) == recover_outcome::retry)
                    continue;
                auto const turn = turns().turns;
                auto const index = append_and_notify(std::move(*reply.message));
                tell_usage(reply.usage, estimated, turn);
                result.answer = detail::address_of(conversation_.source()[index]);
                result.outcome = call_outcome::answered;
                result.error = {};
                return result;
            }
            result.error = std::move(reply.error);
            if (recover(result.error, sink.delivered(), again) == recover_outcome::retry) continue;
            result.outcome =
                overflow_of(result.error.status, result.error.text) ? call_outcome::overflow : call_outcome::failed;
            runs_.redact(result.error.text);
            if (!result.error) result.error.text = "the model gave neither a message nor an error";
            return result;
        }
    }

    template <class Plan>
    summary_job begin(Plan const& plan_of, unsigned shrinks, force const& words = {}) {
        auto plan = conversation_.with_draft([&](auto& draft) {
            auto const until_done = deferred_.occupy();
            return runs_.plan(draft, plan_of, words);
        });
        return jobs_.begin(outline(), std::move(plan), shrinks, runs_.revision(), words);
    }
    commit_outcome declined(std::string_view why) noexcept {
        note_ = why;
        return commit_outcome::declined;
    }

    static constexpr void check_storable() noexcept {
        static_assert(storable<message_type>,
                      "condense: session.state: the messages must have to_bytes and from_bytes (see storable)");
    }

    runner runs_;
    conversation conversation_;
    detail::deferred_pushes<message_type> deferred_;
    detail::job_ledger jobs_;
    detail::small_text<96> note_ = {};
    /// Messages and revision when a run left more to do.
    std::pair<std::size_t, std::uint64_t> settled_{detail::none32, 0};
    bool overflowed_ = false;  ///< a request has overflowed since the latest message or report
    std::uint64_t model_ = 0;  ///< the hash of its name; 0 where none was set
};

/// A layer alone is a pipeline of one.
template <class Messages, layer Layer, class Estimator = default_estimator<>, class Options = run_options<>>
session(Messages, Layer, budget, Estimator = {}, Options = {})
    -> session<Messages, pipeline<Layer>, Estimator, Options>;

}  // namespace v1
}  // namespace condense
