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
#include <condense/detail/reject.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/session/conversation.hpp>
#include <condense/session/deferred_pushes.hpp>
#include <condense/session/runner.hpp>
#include <condense/session/summary_job.hpp>

// A conversation that goes on: a turn costs what it adds, and messages are never rewritten; the request is a view
// of them. session.push(m), then session.call(model), or prepare() and request().

namespace condense {
inline namespace v1 {

/// Owns the messages in any container with push_back and random access, or works on the program's by
/// std::ref. Used by one thread at a time; a model that it calls may push.
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
        : runs_(std::move(mix), std::move(options)), talk_(std::move(first), limits, std::move(count), runs_) {
        detail::reject_unless(!runs_.options().alternate || shortenable<message_type>,
                              "condense: session: alternate must have messages with with_part (see shortenable)");
        if (runs_.options().alternate) talk_.alternate();
        note_pushed(0);
        auto const sent = runs_.options().sent.count;
        talk_.note_sent(sent < talk_.size() ? sent : talk_.size());
        arrive(0, true);
    }
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    // The conversation.

    /// Appends a message, tells the layers that act on arrival, and returns whether a reduction is due. If reading
    /// the message throws, nothing has changed; if a layer fails, the message stays as it is. During a run the message
    /// is deferred to its end, and the result is false.
    bool push(message_type m) {
        if (busy()) {
            deferred_.push(std::move(m));
            return false;
        }
        static_cast<void>(append_and_notify(std::move(m)));
        return due();
    }
    /// The original messages, without those released.
    container const& history() const noexcept { return talk_.history(); }
    v1::outline const& outline() const noexcept { return talk_.outline(); }
    view const& edits() const noexcept { return talk_.edits(); }

    /// No layer edits the message from now on; edits so far stay. One that was dropped or summarised is restored
    /// first, or `no_room` is returned. `gone` for a number beyond the history, or during a run.
    refusal pin(sequence which) {
        if (busy()) return refusal::gone;
        catch_up();
        if (which.number >= talk_.size()) return refusal::gone;
        auto const index = static_cast<std::uint32_t>(which.number);
        if (!edits().present(group{outline().group_of(index)}))
            if (auto const refused = transact([&](auto& whole) {
                    auto const no = whole.restore(which);
                    if (!no) whole.settle_head();
                    return no;
                }))
                return refused;
        talk_.pin(index, true);
        jobs_.touched(outline().group_of(index));
        runs_.changed();
        return refusal::none;
    }
    void unpin(sequence which) noexcept {
        if (busy() || which.number >= talk_.size()) return;
        talk_.pin(static_cast<std::uint32_t>(which.number), false);
        runs_.changed();
    }
    /// No result will come for the calls with this id: they no longer keep their group open. Returns their number.
    std::size_t abandon(std::string_view call) {
        if (busy()) return 0;
        catch_up();
        auto const count = talk_.abandon(call);
        if (count != 0) runs_.changed();
        return count;
    }
    /// Destroys originals before `before` that are no longer sent, and returns their number. The journal has them:
    /// while it is behind, nothing is released. Earlier edits can no longer be undone or restored.
    std::size_t release(sequence before)
        requires detail::erasable<container> && (!borrowed)
    {
        static_assert(recoverable<Mix>,
                      "condense: session.release: the pipeline must be recoverable, with record before what drops (see "
                      "recoverable)");
        if (busy()) return 0;
        if (runs_.unread()) static_cast<void>(tell_layers(talk_.size() - 1, false, true));
        if (runs_.unrecorded()) return 0;
        auto const until_done = deferred_.occupy();
        return talk_.release(before);
    }
    /// The program has changed its container: messages from `first_changed` on are read again, or from an earlier one
    /// that differs. Edits of older messages stay in force.
    void sync(sequence first_changed)
        requires borrowed
    {
        if (busy()) return;
        if (first_changed.number < talk_.size()) {
            auto const seen = talk_.first_difference(true);
            reread(static_cast<std::uint32_t>(seen < first_changed.number ? seen : first_changed.number));
        }
        catch_up();
    }

    // Use and limits.

    /// Tokens as estimated; once a provider has reported, its figure plus an estimate of later messages; after an
    /// edit, estimates in proportion to that report. All layers of a run measure in this scale.
    usage used() const noexcept { return talk_.used(); }
    budget const& limits() const noexcept { return talk_.meter().limits(); }
    /// Another budget, such as for another model.
    void set_limits(budget limits) noexcept {
        talk_.meter().set_limits(limits);
        runs_.changed();
    }
    /// Another model: reports of the previous one no longer count, and an estimator that learns starts again.
    void set_model(std::string_view name, budget limits) noexcept {
        set_limits(limits);
        talk_.meter().use_model(name);
    }
    /// The estimator, with everything learnt so far.
    Estimator const& estimator() const noexcept { return talk_.meter().estimator(); }
    turn_tracker const& turns() const noexcept { return talk_.meter().turns(); }
    std::optional<std::uint64_t> turns_left() const noexcept { return turns().turns_left(used()); }
    /// Sums by layer over all runs and arrivals.
    v1::statistics<Mix::size> const& statistics() const noexcept { return runs_.statistics(); }
    /// The smallest use in tokens at which a layer becomes due; 0 for none. Layers that are always due do not count.
    tokens threshold() const noexcept { return runs_.threshold(used()); }
    /// Why a reduction that is due does not run by itself, and why the latest run left it due; empty if none waits.
    std::string waits() const {
        if (busy() || !limits().is_possible()) return {};
        auto why = runs_.waits(used(), [&] { return talk_.reducible(); });
        if (!why.empty() && jobs_.under_way()) why += "; a summary is under way";
        return why;
    }
    /// One line for display.
    std::string status() const { return usage_line(used(), threshold(), turns_left(), waits()); }

    // Reducing.

    /// Some layer is due. A few comparisons, no allocation, at any length.
    bool due() const noexcept { return limits().is_possible() && runs_.due(used()); }
    /// Runs the pipeline if it is due and `run_options::pacing` allows it; otherwise reports the use and changes
    /// nothing.
    report_type prepare() {
        catch_up();
        auto const now = used();
        if (busy() || !limits().is_possible() || !runs_.may_run(now, [&] { return talk_.reducible(); }))
            return runs_.settled(runs_.unchanged(now, limits()), now);
        runs_.tell(events::due{now});
        auto const report = run(runs_.demand(now), false);
        return runs_.settled(report, used());
    }
    /// Runs the pipeline now, regardless of pacing.
    report_type run() {
        if (busy()) return runs_.unchanged(used(), limits());
        catch_up();
        return run({}, true);
    }
    /// Runs each layer once, due or not, down to its own target or that of `how`; protections hold.
    report_type run(force how) {
        if (busy()) return runs_.unchanged(used(), limits());
        catch_up();
        return run({.untriggered = true, .until = how.target}, true, how.focus);
    }
    /// Reports what `run` would do, without calling a model, storing or changing anything. Costs a copy of the edits.
    report_type draft() const {
        auto const until_done = deferred_.occupy();
        auto report = talk_.rehearse([&](auto& whole) { return runs_.walk(whole); });
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
    /// Takes back the edits of the newest run or arrival that made any; false if there is none. Messages pushed since
    /// then stay.
    bool undo() {
        if (busy()) return false;
        catch_up();
        if (talk_.undo_points().empty()) return false;
        auto const until_done = deferred_.occupy();
        jobs_.touched(outline(), edits(), detail::as_size(talk_.undo_points().back().steps));
        talk_.undo();
        runs_.changed();
        return true;
    }

    // Calling a model.

    using request_range = detail::request_range<conversation>;

    /// The messages to send, in order, valid until the session changes. Renders messages that edits have changed
    /// since the last call. `observe` refers to the newest request.
    request_range request() const {
        bool const amid = busy();
        auto const until_made = deferred_.occupy();
        talk_.render(amid);
        return request_range{talk_};
    }
    request_range request()
        requires borrowed
    {
        catch_up();
        return std::as_const(*this).request();
    }
    /// Reduces if that is due, calls the model with the request, and pushes its answer. If the provider refuses the
    /// request as too large, it is reduced further and sent once more, provided that nothing was shown yet and it is
    /// strictly smaller. Any other error is returned unchanged; exceptions propagate. `show` is called with each piece
    /// of a streamed answer.
    template <class Model, class Show>
    call_result<message_type> call(Model&& model, Show&& show) {
        auto* shown = detail::address_of(show);  // also of a function
        auto const to = [](void* of, std::string_view piece) { (**static_cast<decltype(shown)*>(of))(piece); };
        return call_with(model, delivery{to, &shown});
    }
    template <class Model>
    call_result<message_type> call(Model&& model) {
        return call_with(model, delivery{nullptr, nullptr});
    }
    /// The provider's report for the newest request: `used` counts by it from now on. A report without figures is
    /// told to the observer.
    void observe(provider_usage const& told, instant took = {}) {
        note_usage(told, took);
        if (!told.reported()) runs_.tell(events::usage_missing{turns().turns});
    }
    /// For programs that call the model themselves: on a context overflow learns the window that the error names and
    /// reduces under pressure; other errors change nothing. `delivered`: part of an answer was shown.
    recover_outcome recover(provider_error const& error, bool delivered = false) {
        return recover(error, delivered, false);
    }

    // Summaries in the background.

    /// The prompt of the first layer that summarises, to be answered on any thread while the session goes on. False if
    /// there is nothing to summarise, or a job under way covers some of it.
    summary_job begin_summary() {
        static_assert(detail::has_planner<std::remove_cv_t<Mix>>,
                      "condense: session.begin_summary: the pipeline must hold a layer that summarises, not behind "
                      "any_pipeline (see summarize)");
        if (busy()) return {};
        catch_up();
        return begin([](auto const& layer, auto& draft, auto& pass) { return layer.plan(draft, pass); }, 0);
    }
    /// The model refused a job's prompt as too large: returns a job in its place that has strictly less to read. False
    /// if the error is no overflow; then the job goes on. Also false after eight such errors, if nothing smaller is
    /// left, or if its messages have changed; then the job is over.
    summary_job retry(summary_job const& refused, provider_error const& error) {
        constexpr unsigned most_shrinks = 8;
        auto const said = overflow_of(error.status, error.text);
        auto const* const job = jobs_.find(refused.id);
        if (busy() || !said || job == nullptr) return {};
        auto const [size, shrinks] = std::pair{job->size, job->shrinks + 1};
        jobs_.erase(refused.id);
        if (shrinks > most_shrinks) return {};
        catch_up();
        return begin([&](auto const& layer, auto& draft, auto& pass) { return layer.plan(draft, pass, size, &*said); },
                     shrinks);
    }
    /// Puts the summary in place of the job's messages, unless these have changed since; messages pushed meanwhile
    /// follow it. `undo` takes it back.
    commit_outcome commit(summary_job const& job, std::string text) {
        if (busy()) return commit_outcome::busy;
        catch_up();
        auto const* const live = jobs_.find(job.id);
        if (live == nullptr) return commit_outcome::stale;
        auto const entry = *live;
        if (!detail::job_ledger::holds_still(entry, outline(), edits())) {
            jobs_.erase(job.id);
            return commit_outcome::stale;
        }
        if (runs_.unrecorded()) return declined(detail::not_all_recorded);
        auto const before = used();
        layer_report report;
        runs_.note(transact([&](auto& whole) { return runs_.conclude(whole, entry, std::move(text), report); }));
        bool const applied = report.outcome == layer_outcome::applied;
        if (applied) {
            runs_.changed();
            auto const after = used();
            runs_.tell(events::reduced{.outcome = after.fits() ? outcome::fits : outcome::over,
                                       .before = before,
                                       .after = after,
                                       .layers_applied = 1,
                                       .groups_dropped = report.groups_dropped,
                                       .manual = true});
        }
        drain_deferred();
        jobs_.erase(job.id);
        return applied ? commit_outcome::committed : declined(report.note);
    }
    /// Ends the job without a summary; false if it was not under way.
    bool abandon(summary_job const& job) noexcept { return jobs_.erase(job.id); }
    /// Why the latest commit was declined.
    std::string_view note() const noexcept { return note_; }

    // State, to go on in another process.

    /// A copy of everything a later session needs to go on. Jobs under way are not included: their commits return
    /// `stale`.
    taken_state state() {
        check_storable();
        if (busy())
            return {
                .error = {state_fault::busy, "condense: save: the session must not be in a run (see session_state)"}};
        catch_up();
        taken_state taken;
        if (!runs_.save(taken.state))
            return {.error = {state_fault::unsavable,
                              "condense: save: the memory of a layer must have save and load (see session_state)"}};
        talk_.save(taken.state);
        taken.state.latest_job = jobs_.latest();
        taken.state.note = std::string_view{note_};
        taken.state.overflowed = overflowed_;
        return taken;
    }
    /// Goes on from a saved state. The session must have been constructed with an empty container and the same
    /// pipeline, estimator and options. The state may be forged: all of it is checked, and each message counted. On an
    /// error or exception the session is unchanged.
    state_error adopt(session_state from) {
        check_storable();
        if (busy()) return detail::unrestorable(state_fault::busy, "the session", "not be in a run");
        if (talk_.size() != 0 || detail::ranges_access::begin_of(history()) != detail::ranges_access::end_of(history()))
            return detail::unrestorable(state_fault::not_empty, "the session", "be made of an empty container");
        if (auto const problem = runs_.belongs(from)) return problem;
        detail::restored_conversation<Messages> talk;
        if (auto const problem = talk.load(from, talk_.meter())) return problem;
        auto memory = runs_.memories(from.memories, talk.outline.size());
        if (!memory) return detail::impossible("a layer's memory", "be as the layer saved it");

        // From here on nothing fails, except for a layer's memory whose move throws.
        runs_.adopt(from, std::move(*memory), talk.outline.size() != 0);
        talk_.adopt(std::move(talk), from);
        jobs_.go_on(from.latest_job);
        note_ = std::string_view{from.note};
        overflowed_ = from.overflowed;
        return {};
    }

private:
    bool busy() const noexcept { return deferred_.busy(); }

    // Arrivals.

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
        auto const until_in = deferred_.occupy();
        return talk_.append(runs_, std::forward<Message>(m)...);
    }
    void on_appended(std::uint32_t index, bool told = true) {
        note_pushed(index);
        overflowed_ = false;
        if (told) arrive(index, false);
        else runs_.note_untold();
        runs_.template tell_made<events::arrived>(
            [&] { return events::arrived{sequence{index}, talk_.cost_of(index, true).tokens(), used()}; });
    }
    void note_pushed(std::uint32_t index) noexcept {
        for (; index < talk_.size(); ++index) {
            auto const& record = outline().message_at(index);
            runs_.pushed(talk_.cost_of(index, false), record.plain_user || record.speaker == role::assistant);
            if (record.plain_user) talk_.meter().begin_turn();
        }
    }
    /// Tells the layers of the messages from `first` on.
    void arrive(std::size_t first, bool resumes) {
        if constexpr (Mix::acts_on_arrival)
            if (first != talk_.size()) runs_.note(tell_layers(first, resumes, false));
    }
    auto tell_layers(std::size_t first, bool resumes, bool journals_only) {
        return transact([&](auto& whole) {
            return runs_.arrive(whole, static_cast<std::uint32_t>(first), resumes, journals_only);
        });
    }

    void catch_up() {
        if constexpr (borrowed)
            if (!busy()) detect_external_changes();
        drain_deferred();
    }
    /// Appends messages that were pushed during a run or an arrival; one that fails stays, with those behind it.
    /// Messages pushed meanwhile are appended, too, but layers see them only in their next run, so that this ends.
    void drain_deferred() {
        if (busy()) return;
        for (auto told = deferred_.size(); deferred_.next() != nullptr;) {
            if constexpr (borrowed) {
                detect_external_changes();  // what the program has appended stands before it
                if (deferred_.next() == nullptr) return;  // an observer's push has taken it in
            }
            auto const index = append(std::move(*deferred_.next()));
            deferred_.pop();
            on_appended(index, told != 0);
            if (told != 0) --told;
        }
    }
    /// Layers see these messages in their next run. Those for which memory is lacking wait for the next call.
    void drain_after_failure() noexcept {
#if defined(__cpp_exceptions)
        if (deferred_.next() == nullptr) return;
        if constexpr (borrowed)
            if (talk_.external_size() != talk_.size()) return;
        runs_.note_untold();
        try {
            for (; auto* const next = deferred_.next(); deferred_.pop()) note_pushed(append(std::move(*next)));
        } catch (...) { return; }
#endif
    }

    /// Reads messages that the program has appended or changed.
    void detect_external_changes()
        requires borrowed
    {
        auto const first = talk_.first_difference();
        if (first < talk_.size()) reread(static_cast<std::uint32_t>(first));
        while (talk_.size() < talk_.external_size()) on_appended(append());
    }
    void reread(std::uint32_t first)
        requires borrowed
    {
        talk_.reread(first, runs_);
        jobs_.clear();
        runs_.changed();
        runs_.rewind(first);
        arrive(first, false);
    }

    // Edits.

    /// Calls f(draft): its edits stand together, or not at all if it throws.
    template <class Function>
    auto transact(Function&& f) {
        // Also after an exception, once the edits are taken back, messages pushed meanwhile are appended.
        detail::scope_exit failed{[this]() noexcept { drain_after_failure(); }};
        auto const mark = talk_.mark();
        auto result = talk_.transact([&](auto& whole) {
            auto const until_done = deferred_.occupy();
            return f(whole);
        });
        jobs_.touched(outline(), edits(), mark);
        failed.release();
        return result;
    }
    report_type run(detail::run_demand demand, bool manual, std::string_view focus = {}) {
        auto const before = used();
        auto report = transact([&](auto& whole) { return runs_.run(whole, demand, focus); });
        auto const now = used();
        report.before = before;
        if (runs_.options().alternate) report.after.tokens = now.tokens;
        report.after.source = now.source;
        runs_.note(report, manual, demand.may_ask, now, [&] { return talk_.reducible(); });
        drain_deferred();
        return report;
    }

    // Calls.

    void note_usage(provider_usage const& told, instant took) noexcept {
        talk_.observe(told, took);
        if (told.reported()) overflowed_ = false;
    }
    /// `again`: this was the second attempt, which is the last.
    recover_outcome recover(provider_error const& error, bool delivered, bool again) {
        auto const said = overflow_of(error.status, error.text);
        if (!said) return recover_outcome::not_overflow;
        if (delivered) return recover_outcome::delivered;
        if (busy()) return recover_outcome::exhausted;
        catch_up();
        if (std::exchange(overflowed_, true) || again) return recover_outcome::repeated;
        runs_.tell(events::overflow{said->limit, said->requested});
        auto const before = talk_.counted();
        auto const target = talk_.learn(*said);
        runs_.changed();
        static_cast<void>(run({.forced = true, .target = target}, true));
        return talk_.counted() < before ? recover_outcome::retry : recover_outcome::exhausted;
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
            auto const began = runs_.options().clock();
            auto const sent = request();
            auto const may_retry = [&] { return !again && !overflowed_; };
            auto given = detail::ask_model<message_type>(model, sent, sink, runs_.options().stop, may_retry);
            if (given.message) {
                note_usage(given.usage, runs_.options().clock() - began);  // of what was sent: without the answer
                events::usage_missing const missing{turns().turns};
                auto const index = append_and_notify(std::move(*given.message));
                if (!given.usage.reported()) runs_.tell(missing);
                result.answer = detail::address_of(talk_.source()[index]);
                result.outcome = call_outcome::answered;
                result.error = {};
                return result;
            }
            result.error = std::move(given.error);
            auto const next = recover(result.error, sink.delivered(), again);
            if (next == recover_outcome::retry) continue;
            result.outcome = next == recover_outcome::not_overflow ? call_outcome::failed : call_outcome::overflow;
            if (!result.error) result.error.text = "the model gave neither a message nor an error";
            return result;
        }
    }

    // Summaries.

    template <class Plan>
    summary_job begin(Plan const& plan_of, unsigned shrinks) {
        auto plan = talk_.with_draft([&](auto& whole) {
            auto const until_done = deferred_.occupy();
            return runs_.plan(whole, plan_of);
        });
        return jobs_.begin(outline(), std::move(plan), shrinks, runs_.revision());
    }
    commit_outcome declined(std::string_view why) noexcept {
        note_ = why;
        return commit_outcome::declined;
    }

    // State.

    static constexpr void check_storable() noexcept {
        static_assert(storable<message_type>,
                      "condense: session.state: the messages must have to_bytes and from_bytes (see storable)");
    }

    runner runs_;
    conversation talk_;
    detail::deferred_pushes<message_type> deferred_;
    detail::job_ledger jobs_;
    detail::small_text<96> note_ = {};
    bool overflowed_ = false;  ///< since the latest message
};

/// A layer alone is a pipeline of one.
template <class Messages, layer Layer, class Estimator = default_estimator<>, class Options = run_options<>>
session(Messages, Layer, budget, Estimator = {}, Options = {})
    -> session<Messages, pipeline<Layer>, Estimator, Options>;

}  // namespace v1
}  // namespace condense
