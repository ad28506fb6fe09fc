// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/session_calls.hpp>

// Summaries that are made elsewhere while the conversation goes on: begun, then committed or abandoned.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Messages, class Mix, class Estimator, class Options>
class session_jobs : public session_calls<Messages, Mix, Estimator, Options> {
    using core = session_calls<Messages, Mix, Estimator, Options>;

protected:
    using core::busy_, core::edits_, core::events_, core::facts_, core::idle_, core::mix_, core::options_;
    using core::catch_up, core::jobs_, core::pace_, core::take_waiting, core::unrecorded_;
    using typename core::on_failure;

public:
    /// What the first layer that summarises would ask for, to be answered on any thread while the session
    /// goes on; false where there is nothing to summarise, or a job under way stands for some of it.
    summary_job begin_summary() {
        static_assert(has_planner<std::remove_cv_t<Mix>>,
                      "condense: session.begin_summary: the pipeline must hold a layer that summarises, not behind any_pipeline (see summarize)");
        if (busy_) return {};
        catch_up();
        summary_plan plan;
        planning([&](auto const& layer, auto& draft, auto& pass) { plan = layer.plan(draft, pass); });
        if (plan.groups.empty() || jobs_.overlaps(plan.groups)) return {};
        auto const id = jobs_.add(facts_, plan);
        summary_job made{.id = id, .base = pace_.changes, .prompt = std::move(plan.prompt), .limit = plan.limit};
        made.first = {facts_.group_at(plan.groups.front().slot()).first};
        made.last = made.first;
        for (auto const& which : plan.groups) {
            auto const& found = facts_.group_at(which.slot());
            if (found.first < made.first.number) made.first = {found.first};
            if (found.last > made.last.number) made.last = {found.last};
        }
        return made;
    }
    /// Puts the answer in the place of what it stands for, where nothing of that has changed since; messages
    /// pushed meanwhile stand behind it. Undone as a run is.
    commit_outcome commit(summary_job const& job, std::string text) {
        if (busy_) return commit_outcome::busy;
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
    /// Calls f(layer, draft, pass) with the first layer that plans summaries.
    template <class Function>
    void planning(Function&& f) {
        this->running([&](auto& whole) {
            calibrated const as_reported{edits_, this->counted().tokens(), this->used().tokens};
            auto entries = idle_;
            using draft_type = std::remove_reference_t<decltype(whole)>;
            detail::run<draft_type, Options> shared{.draft = whole, .options = options_, .entries = entries.data(), .begun = whole.mark()};
            auto const hand_over = [&](auto const& layer) {
                using layer_type = std::remove_cvref_t<decltype(layer)>;
                auto const goal = goal_of(layer, whole.used().input);
                no_memory none;
                v1::pass<layer_type::effects, decltype(shared), decltype(goal), no_memory> hand{
                    shared, entries[0], goal, message_limit_of(layer), none};
                draft_for<layer_type::effects, draft_type> narrowed{whole};
                f(layer, narrowed, hand);
            };
            with_planner(mix_, hand_over);
        });
    }

    commit_outcome conclude(job_ledger::entry const& job, std::string text) {
        grow(events_, 1);
        auto entry = idle_[0];
        put(job, std::move(text), entry);
        take_waiting();
        return entry.outcome == layer_outcome::applied ? commit_outcome::committed : declined(entry.note);
    }
    void put(job_ledger::entry const& job, std::string text, layer_report& entry) {
        on_failure whatever_happens{this};
        transaction all{facts_, edits_};
        auto const mark = edits_.steps().size();
        this->running([&](auto& whole) {
            using draft_type = std::remove_reference_t<decltype(whole)>;
            detail::run<draft_type, Options> shared{.draft = whole, .options = options_, .entries = &entry, .begun = mark};
            auto const hand_over = [&](auto const& layer) {
                using layer_type = std::remove_cvref_t<decltype(layer)>;
                auto const goal = goal_of(layer, whole.used().input);
                no_memory none;
                v1::pass<layer_type::effects, decltype(shared), decltype(goal), no_memory> hand{
                    shared, entry, goal, message_limit_of(layer), none};
                draft_for<layer_type::effects, draft_type> narrowed{whole};
                attempt<false>(layer, shared, entry, measure::any,
                                       [&] { return layer.conclude(narrowed, hand, job.groups, std::move(text), job.limit); });
            };
            with_planner(mix_, hand_over);
        });
        whatever_happens.of = nullptr;
        if (entry.outcome != layer_outcome::applied) return;
        this->changed(mark);
        all.keep();
        pace_.changed();
    }
    commit_outcome declined(std::string_view why) noexcept {
        note_ = why;
        return commit_outcome::declined;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
