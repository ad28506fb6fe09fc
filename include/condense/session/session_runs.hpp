// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/pipeline.hpp>
#include <condense/session/observer.hpp>
#include <condense/session/pacing.hpp>
#include <condense/session/rebase_edits.hpp>
#include <condense/session/session_core.hpp>
#include <condense/session/summary_job.hpp>
#include <condense/session/turn_tracker.hpp>

// When a session runs: on arrival, when a layer is due and it makes sense, when it is told to; and what
// comes in while it does.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Messages, class Mix, class Estimator, class Options>
class session_runs : public session_core<Messages, Mix, Estimator, Options> {
    using core = session_core<Messages, Mix, Estimator, Options>;

protected:
    using core::abandoned_, core::count_, core::deferred_, core::edits_, core::undo_points_, core::facts_,
        core::blank_entries_, core::kept_, core::limits_, core::messages_, core::mix_, core::options_,
        core::statistics_, core::source;
    static constexpr bool borrowed = core::held_type::borrowed;
    static constexpr bool records = properties_of<std::remove_cv_t<Mix>>().journals;

public:
    using core::used;
    using typename core::message_type;
    using report_type = report<Mix::size>;

    /// Some layer has something to do. A few comparisons: no allocation, whatever the length.
    bool due() const noexcept { return limits_.is_possible() && mix_.due(used()); }

    /// Runs the pipeline where it is due and has not just been tried in vain, as `run_options::pacing`
    /// says; else reports the usage and changes nothing.
    report_type prepare() {
        catch_up();
        auto const now = used();
        auto const due = deferred_.busy() || !limits_.is_possible() ? 0 : mix_.due_layers(now);
        if (due == 0) return settled(unchanged(now), now);
        auto const by_count = due & due_by_count(now);
        if (!pace_.may_run(options_.pacing, now, due, by_count, [&] { return reducible(); }))
            return settled(unchanged(now), now);
        tell(options_.observer, events::due{now});
        auto const made =
            run({.may_ask = pace_.may_ask(options_.pacing, now), .may_ask_too = pace_.may_ask_of(by_count)}, false);
        return settled(made, used());
    }

    /// Runs the pipeline now, whatever the pacing says.
    report_type run() {
        if (deferred_.busy()) return unchanged(used());
        catch_up();
        return run({}, true);
    }

    /// Runs each layer once though it is not due, until its target, or that of `how`; protections bind. Row D12.
    report_type run(force how) {
        if (deferred_.busy()) return unchanged(used());
        catch_up();
        scope_exit const during{[this, before = options_.request]() noexcept { options_.request = before; }};
        if (!how.focus.empty()) options_.request.focus = how.focus;
        return run({.untriggered = true, .until = how.target}, true);
    }

protected:
    using core::core;

    void note_pushed(std::uint32_t index) noexcept {
        for (; index < facts_.size(); ++index) {
            auto const& found = facts_.message_at(index);
            auto sum = found.frame;
            for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id)
                sum += facts_.part_at(part_id).cost;
            pace_.pushed_more(sum, found.plain_user || found.speaker == role::assistant);
            if (found.plain_user) tracker_.begin_turn();
        }
    }

    /// What has to be done for a message that has just been appended.
    void on_appended(std::uint32_t index, bool told = true) {
        note_pushed(index);
        overflowed_ = false;
        if (told) arrive(index, false);
        else unrecorded_ = unrecorded_ || records;
        tell_made<events::arrived>(options_.observer, [&] {
            auto const& found = facts_.message_at(index);
            v1::cost sum = found.frame;
            for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id)
                sum += edits_.part_cost(facts_, part_id);
            return events::arrived{sequence{index}, sum.tokens(), used()};
        });
    }

    /// Tells the layers of the messages from `first` on.
    void arrive(std::uint32_t first, bool resumes) {
        if constexpr (Mix::acts_on_arrival) {
            if (first != facts_.size()) statistics_.add(tell_layers(first, resumes, false));
            tell_trail();
        }
    }

    /// After a state was adopted, before the next message: has the journals look up what they hold.
    void read_journals() {
        if constexpr (records)
            if (unread_) static_cast<void>(tell_layers(static_cast<std::uint32_t>(facts_.size()) - 1, false, true));
    }

    auto tell_layers(std::uint32_t first, bool resumes, bool journals_only) {
        return transact([&](auto& whole) {
            auto entries = blank_entries_;
            detail::run<std::remove_reference_t<decltype(whole)>, Options> shared{.draft = whole,
                                                                                  .options = options_,
                                                                                  .entries = entries.data(),
                                                                                  .begun = whole.mark(),
                                                                                  .resumes = resumes,
                                                                                  .journals_only = journals_only};
            unrecorded_ = true;  // until it is known
            for (auto index = first; index < facts_.size(); ++index)
                mix_.template arrive_all<false, false>(shared, sequence{index}, 0, kept_);
            unrecorded_ = shared.unrecorded;
            unread_ = false;
            return entries;
        });
    }

    static constexpr bool audited = hears<decltype(Options::observer), events::truncated>;

    /// What steps from `mark` on have cut, while the originals are at hand.
    void note_trail([[maybe_unused]] std::size_t mark) {
        if constexpr (audited) {
            trail_.clear();
            each_truncation(source(), facts_, edits_, mark, blank_entries_, records && !unrecorded_,
                            [&](truncation const& each) { trail_.push_back(each); });
        }
    }
    /// The observer may begin another run meanwhile.
    void tell_trail() {
        if constexpr (audited)
            for (auto const& each : std::exchange(trail_, {})) tell(options_.observer, each);
    }

    /// Gives f(draft): its edits stand together, or not at all where it throws.
    template <class Function>
    auto transact(Function&& f) {
        grow(undo_points_, 1);
        // What was pushed meanwhile is there also when a run is left by an exception, after its edits are gone.
        scope_exit failed{[this]() noexcept { drain_after_failure(); }};
        transaction all{facts_, edits_};
        auto const mark = edits_.steps().size();
        auto const before = this->counted();
        auto made = this->with_draft([&](auto& whole) {
            auto done = f(whole);
            note_trail(mark);
            return done;
        });
        changed(mark, before);
        all.keep();
        failed.release();
        return made;
    }

    /// Steps from `mark` on stand; the sum was `before`.
    void changed(std::size_t mark, v1::cost before) noexcept {
        jobs_.touched(facts_, edits_, mark);
        this->note_event(mark, before);
    }

    report_type run(run_demand demand, bool manual) {
        auto const before = used();
        auto made = transact(
            [&](auto& whole) { return run_pipeline(mix_, kept_, whole, options_, false, run_kind::session, demand); });
        made.before = before;
        made.after.source = used().source;
        statistics_.add(made.layers);
        ++statistics_.runs;
        statistics_.changed += made.changed() ? 1u : 0u;
        note_run(made, manual, !demand.may_ask && made.before.fits());
        drain_deferred();
        return made;
    }

    void note_run(report_type const& made, bool manual, bool waited) {
        bool const progress =
            made.changed() && (made.after.tokens < made.before.tokens || made.after.messages < made.before.messages ||
                               made.after.turns < made.before.turns);
        auto told =
            events::reduced{.outcome = made.outcome, .before = made.before, .after = made.after, .manual = manual};
        bool asked = false;
        bool blocked = false;  // by a journal, which may take the next message
        bool failed = false;
        // A count of messages or turns may well stay where it is: that a layer finds nothing to do then is no failure.
        bool const by_count = made.before.fits() && (mix_.due_layers(made.before) & ~due_by_count(made.before)) == 0;
        for (auto const& layer : made.layers) {
            asked = asked || layer.asked != 0;
            waited = waited || (layer.waits && made.before.fits());
            failed = failed || layer.failures != 0;
            blocked = blocked || (layer.failures != 0 && std::string_view{layer.note} == not_all_recorded);
            told.layers_applied += layer.outcome == layer_outcome::applied ? 1u : 0u;
            told.parts_shortened += layer.parts_shortened;
            told.groups_dropped += layer.groups_dropped;
        }
        bool const stopped =
            !progress && options_.stop.stop_requested();  // then nothing was in vain, as in one that is cancelled
        bool const was_open = pace_.open;
        if (!stopped && (progress || !blocked)) {
            if (asked) pace_.asked_now(made.after.fits());
            if (manual && !progress) pace_.tried_in_vain(due_for_nothing(made));
            else if (pace_.ran(options_.pacing, progress, (waited || (by_count && !asked)) && !failed,
                               due_for_nothing(made), due_by_count(made.after)) ||
                     pace_.open)
                pace_.stuck = reducible();
            pace_.explain(made.layers, mix_.due_layers(used()));
        }
        tell_trail();
        tell(options_.observer, told);
        if (pace_.open != was_open) tell(options_.observer, events::circuit{pace_.open, pace_.fruitless});
    }

    /// The layers that are due still, and those that tokens made due and would again before long.
    std::uint64_t due_for_nothing(report_type const& made) const noexcept {
        auto now = used();
        auto const still = mix_.due_layers(now);
        now.tokens = now.tokens + options_.pacing.growth.of_rounded_up(now.input);
        auto const soon = mix_.due_layers(now);
        return still | (mix_.due_layers(made.before) & soon);
    }

    /// The layers that messages or turns alone make due.
    std::uint64_t due_by_count(usage now) const noexcept {
        now.tokens = {};
        auto const due = mix_.due_layers(now);
        return due == 0 ? 0 : due & ~mix_.due_layers({.input = now.input});
    }

    report_type unchanged(usage now) const noexcept {
        report_type idle;
        idle.layers = blank_entries_;
        idle.before = idle.after = now;
        for (auto& layer : idle.layers) layer.before = idle.before.tokens;
        idle.limit = idle.before.input;
        if (!limits_.is_possible()) idle.refused = budget_refused;
        idle.outcome = idle.fits() ? outcome::fits : outcome::over;
        return idle;
    }

    /// Warns once while nothing helps against a request that is nearly full.
    report_type settled(report_type made, usage now) {
        bool const nearly_full = now.tokens >= percent{8'000}.of_rounded_up(now.input);
        if (nearly_full && !made.changed() && !warned_) {
            warned_ = true;
            tell(options_.observer, events::near_limit{now});
        }
        warned_ = warned_ && nearly_full;
        return made;
    }

    /// What no law protects.
    tokens reducible() const {
        auto const from = source();
        auto const as_used = this->in_scale(edits_);
        v1::draft const whole{from, facts_, edits_, count_, limits_};
        return whole.used().tokens - whole.floor();
    }

    /// Layers see these messages when they next run; what does not fit into memory waits for the next call.
    void drain_after_failure() noexcept {
#if defined(__cpp_exceptions)
        if (deferred_.next() == nullptr) return;
        if constexpr (borrowed)
            if (messages_.size() != facts_.size()) return;
        unrecorded_ = unrecorded_ || records;
        try {
            for (; auto* const next = deferred_.next(); deferred_.pop()) note_pushed(this->append(std::move(*next)));
        } catch (...) { return; }
#endif
    }

    /// Appends what was pushed during a run or an arrival. One that fails stays with those behind it; what
    /// an arrival here pushes is in as well, but seen by layers when they next run, so that this ends.
    void drain_deferred() {
        if (deferred_.busy()) return;
        for (auto told = deferred_.size(); deferred_.next() != nullptr;) {
            if constexpr (borrowed) {
                detect_external_changes();  // what the program has appended stands before it
                if (deferred_.next() == nullptr) return;  // an observer's push has taken it in
            }
            auto const index = this->append(std::move(*deferred_.next()));
            deferred_.pop();
            on_appended(index, told != 0);
            if (told != 0) --told;
        }
    }

    void catch_up() {
        if constexpr (borrowed)
            if (!deferred_.busy()) detect_external_changes();
        drain_deferred();
    }

    /// What the program has done to its container since.
    void detect_external_changes()
        requires borrowed
    {
#if defined(NDEBUG)
        constexpr bool thorough = false;
#else
        constexpr bool thorough = true;
#endif
        auto const first = messages_.first_difference(thorough);
        if (first < facts_.size()) rebuild(static_cast<std::uint32_t>(first));
        while (facts_.size() < messages_.size()) on_appended(adopt_external());
    }
    std::uint32_t adopt_external()
        requires borrowed
    {
        auto const until_in = deferred_.occupy();
        auto const& m = ranges_access::begin_of(messages_.get())[static_cast<std::ptrdiff_t>(facts_.size())];
        edits_.reserve_message(this->read(m));
        this->reserve();
        messages_.note(m);
        return this->register_last();
    }

    /// Messages from `first` on are others: what is known of them, and what was done to them, begins anew.
    void rebuild(std::uint32_t first)
        requires borrowed
    {
        v1::outline facts;
        view edits;
        auto const before = this->counted();
        edits.know_summaries(edits_.knows_summaries());
        std::uint32_t index = 0;
        std::size_t abandoned = 0;
        auto const abandon_again = [&] {
            for (; abandoned < abandoned_.size() && index <= first && abandoned_[abandoned].messages == index;
                 ++abandoned)
                facts.abandon(abandoned_[abandoned].id);
        };
        for (auto const& m : messages_.get()) {
            if (index == facts_.size()) break;
            abandon_again();
            bool const pinned =
                index < first ? facts_.message_at(index).pinned : detail::pins(options_, sequence{index}, m);
            edits.reserve_message(facts.read(m, count_, {.pinned = pinned}));
            edits.on_message_placed(facts, facts.place());
            if (facts.message_at(index).pinned != pinned && index < first) facts.pin(index, pinned);
            ++index;
        }
        abandon_again();
        edit_rebaser{facts_, edits_, facts, edits, first}.all();
        edits.reserve_message(0);  // then nothing fails before all is as it has to be
        edits.note_sent(first < edits_.sent() ? first : edits_.sent());
        messages_.note_anew(first, facts.size());
        facts_ = std::move(facts);
        edits_ = std::move(edits);
        undo_points_.clear();
        abandoned_.resize(abandoned);
        jobs_.clear();
        this->edited(first, before);
        this->settle();
        pace_.changed();
        rewind_memories(mix_, kept_, first);
        arrive(first, false);
    }

    pace pace_;
    std::conditional_t<audited, std::vector<truncation>, no_observer> trail_;  ///< of the latest run or arrival
    turn_tracker tracker_;
    job_ledger jobs_;
    bool unrecorded_ = false;  ///< no journal has taken the latest arrival
    bool unread_ = false;  ///< nor said since a state was adopted what it holds
    bool overflowed_ = false;  ///< since the latest message
    bool warned_ = false;  ///< and not fallen below since
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
