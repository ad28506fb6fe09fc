// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/session/session_calls.hpp>

// Summaries that are made elsewhere while the conversation goes on: begun, then committed or abandoned.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Messages, class Mix, class Estimator, class Options>
class session_jobs : public session_calls<Messages, Mix, Estimator, Options> {
    using core = session_calls<Messages, Mix, Estimator, Options>;

protected:
    using core::catch_up, core::jobs_, core::pace_, core::drain_deferred, core::unrecorded_;
    using core::deferred_, core::edits_, core::facts_, core::blank_entries_, core::mix_, core::options_;

public:
    /// What the first layer that summarises would ask for, to be answered on any thread while the session
    /// goes on; false where there is nothing to summarise, or a job under way stands for some of it.
    summary_job begin_summary() {
        static_assert(has_planner<std::remove_cv_t<Mix>>,
                      "condense: session.begin_summary: the pipeline must hold a layer that summarises, not behind "
                      "any_pipeline (see summarize)");
        if (deferred_.busy()) return {};
        catch_up();
        return begin([](auto const& layer, auto& draft, auto& pass) { return layer.plan(draft, pass); }, 0);
    }
    /// The model that was given a job's prompt has refused it as too large: another job in its place that has strictly
    /// less to read, by what the error says. False where the error is no overflow, and the job goes on; and, with the
    /// job at its end, after eight such errors, or where nothing smaller is left, or what it stood for has changed.
    summary_job retry(summary_job const& refused, provider_error const& error) {
        auto const said = overflow_of(error.status, error.text);
        auto const* const found = jobs_.find(refused.id);
        if (deferred_.busy() || !said || found == nullptr) return {};
        auto const [size, shrinks] = std::pair{found->size, found->shrinks + 1};
        jobs_.erase(refused.id);
        if (shrinks > most_shrinks) return {};
        catch_up();
        return begin([&](auto const& layer, auto& draft, auto& pass) { return layer.plan(draft, pass, size, &*said); },
                     shrinks);
    }
    /// Puts the answer in the place of what it stands for, where nothing of that has changed since; messages
    /// pushed meanwhile stand behind it. Undone as a run is.
    commit_outcome commit(summary_job const& job, std::string text) {
        if (deferred_.busy()) return commit_outcome::busy;
        catch_up();
        auto const* const found = jobs_.find(job.id);
        if (found == nullptr) return commit_outcome::stale;
        if (!job_ledger::holds_still(*found, facts_, edits_)) {
            jobs_.erase(job.id);
            return commit_outcome::stale;
        }
        if (unrecorded_) return declined(not_all_recorded);
        auto const outcome = conclude(job_ledger::entry{*found}, std::move(text));
        jobs_.erase(job.id);
        return outcome;
    }
    /// The job's answer will not come, or is not wanted; false when it was not under way.
    bool abandon(summary_job const& job) noexcept { return jobs_.erase(job.id); }
    /// Why the latest commit was declined.
    std::string_view note() const noexcept { return note_; }

protected:
    using core::core;

    small_text<96> note_ = {};

private:
    static constexpr unsigned most_shrinks = 8;

    template <class Plan>
    summary_job begin(Plan const& plan_of, unsigned shrinks) {
        summary_plan plan;
        this->with_draft([&](auto& whole) {
            auto entries = blank_entries_;
            planning(whole, entries, [&](auto const& layer, auto& draft, auto& pass, auto&, auto&) {
                plan = plan_of(layer, draft, pass);
            });
        });
        if (plan.groups.empty() || jobs_.overlaps(plan.groups)) return {};
        auto const id = jobs_.add(facts_, plan, shrinks);
        summary_job made{.id = id, .base = pace_.changes, .prompt = std::move(plan.prompt), .limit = plan.limit};
        made.first = {facts_.group_at(plan.groups.front().id()).first};
        made.last = made.first;
        for (auto const& which : plan.groups) {
            auto const& found = facts_.group_at(which.id());
            if (found.first < made.first.number) made.first = {found.first};
            if (found.last > made.last.number) made.last = {found.last};
        }
        return made;
    }

    /// Calls f(layer, draft, pass, run, entry) with the first layer that plans summaries.
    template <class Draft, class Entries, class Function>
    void planning(Draft& whole, Entries& entries, Function&& f) {
        detail::run<Draft, Options> shared{
            .draft = whole, .options = options_, .entries = entries.data(), .begun = whole.mark()};
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

    commit_outcome conclude(job_ledger::entry const& job, std::string text) {
        auto const before = this->used();
        layer_report made;
        this->statistics_.add(this->transact([&](auto& whole) {
            auto entries = blank_entries_;
            planning(whole, entries,
                     [&](auto const& layer, auto& narrowed, auto& hand, auto& shared, layer_report& entry) {
                         attempt<false>(layer, shared, entry, measure::any, [&] {
                             return layer.conclude(narrowed, hand, job.groups, std::move(text), job.limit);
                         });
                         made = entry;
                     });
            return entries;
        }));
        bool const applied = made.outcome == layer_outcome::applied;
        if (applied) {
            pace_.changed();
            auto const after = this->used();
            tell(options_.observer, events::reduced{.outcome = after.fits() ? outcome::fits : outcome::over,
                                                    .before = before,
                                                    .after = after,
                                                    .layers_applied = 1,
                                                    .groups_dropped = made.groups_dropped,
                                                    .manual = true});
        }
        drain_deferred();
        return applied ? commit_outcome::committed : declined(made.note);
    }
    commit_outcome declined(std::string_view why) noexcept {
        note_ = why;
        return commit_outcome::declined;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
