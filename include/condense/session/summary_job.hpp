// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/pipeline.hpp>
#include <condense/core/run_options.hpp>
#include <condense/detail/fnv.hpp>

// A summary that is written while the conversation continues: the job carries the prompt, and the answer replaces its
// messages if none of them has changed meanwhile.

namespace condense {
inline namespace v1 {

/// A prompt to be answered outside the session. Refers to nothing, so any thread may use it. Converts to false if there
/// is nothing to ask.
struct summary_job {
    std::uint64_t id = 0;  ///< a hash of the prompt and of the number of earlier jobs; 0 for none
    std::uint64_t base = 0;  ///< the session's revision when it began
    sequence first = {};  ///< the oldest message that it stands for
    sequence last = {};  ///< the newest
    model_prompt prompt = {};  ///< for the model, as it is
    tokens limit = {};  ///< the longest answer
    std::string focus = {};  ///< what `begin_summary` was told, for `retry`; the prompt has it
    std::string instructions = {};  ///< the same

    explicit operator bool() const noexcept { return id != 0; }
    friend bool operator==(summary_job const&, summary_job const&) = default;
};

/// The outcome of `session.commit`.
enum class commit_outcome : std::uint8_t {
    committed,  ///< the summary has replaced the job's messages
    stale,  ///< its messages have changed, or the job was abandoned or committed before
    declined,  ///< the text is empty, not smaller, or a law refused it: the job is over. Or a journal is behind: the
               ///< job goes on. `session.note()` says why
    busy,  ///< the session is in a run: try again
};

constexpr std::string_view name(commit_outcome which) noexcept {
    switch (which) {
        case commit_outcome::committed: return "committed";
        case commit_outcome::stale: return "stale";
        case commit_outcome::declined: return "declined";
        case commit_outcome::busy: break;
    }
    return "busy";
}

namespace detail {

/// The jobs under way, and the groups that each stands for. Jobs that `begin` made share no group. There are few jobs,
/// so searches are linear.
template <class = void>
class basic_job_ledger {
public:
    struct entry {
        std::uint64_t id = 0;
        std::vector<group> groups = {};
        std::vector<std::uint32_t> counts = {};  ///< messages in each group when the job began
        tokens limit = {};  ///< the longest answer
        cost size = {};  ///< of what its model reads
        unsigned shrinks = 0;  ///< larger prompts before it that the model refused
    };

    /// True if some job stands for one of the groups.
    bool overlaps(std::vector<group> const& groups) const noexcept {
        for (auto const& job : jobs_)
            for (auto const& which : groups)
                if (holds(job, which.id())) return true;
        return false;
    }
    /// Adds a job with this plan and returns its id.
    std::uint64_t add(outline const& facts, summary_plan const& plan, unsigned shrinks = 0) {
        entry job{.groups = plan.groups, .limit = plan.limit, .size = plan.size, .shrinks = shrinks};
        for (auto const& which : plan.groups) job.counts.push_back(facts.group_at(which.id()).count);
        job.id = id_of(plan.prompt.text(), ++latest_);
        jobs_.push_back(std::move(job));
        return jobs_.back().id;
    }
    /// A job with this plan; false if it stands for nothing, or another job stands for some of it.
    summary_job begin(outline const& facts, summary_plan&& plan, unsigned shrinks, std::uint64_t base,
                      force const& words = {}) {
        if (plan.groups.empty() || overlaps(plan.groups)) return {};
        auto const id = add(facts, plan, shrinks);
        summary_job job{.id = id,
                        .base = base,
                        .prompt = std::move(plan.prompt),
                        .limit = plan.limit,
                        .focus = std::string{words.focus},
                        .instructions = std::string{words.instructions}};
        job.first = job.last = {facts.group_at(plan.groups.front().id()).first};
        for (auto const& which : plan.groups) {
            auto const& record = facts.group_at(which.id());
            if (record.first < job.first.number) job.first = {record.first};
            if (record.last > job.last.number) job.last = {record.last};
        }
        return job;
    }
    /// The job; null if it is not under way. Valid until the next change.
    entry const* find(std::uint64_t id) const noexcept {
        for (auto const& job : jobs_)
            if (job.id == id) return &job;
        return nullptr;
    }
    /// False if the job was not under way.
    bool erase(std::uint64_t id) noexcept {
        for (std::size_t index = 0; index < jobs_.size(); ++index)
            if (jobs_[index].id == id) return jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(index)), true;
        return false;
    }
    void clear() noexcept { jobs_.clear(); }
    bool under_way() const noexcept { return !jobs_.empty(); }
    /// The number of jobs so far. A restored session continues from the saved number, so that no job from before a
    /// restart passes for one of its own.
    std::uint64_t latest() const noexcept { return latest_; }
    void go_on(std::uint64_t latest) noexcept {
        jobs_.clear();
        latest_ = latest;
    }

    /// A group was edited or pinned: ends the job that stands for it.
    void touched(std::uint32_t group_id) noexcept {
        for (std::size_t index = 0; index < jobs_.size();)
            if (holds(jobs_[index], group_id)) jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(index));
            else ++index;
    }
    /// Ends the jobs whose groups the steps from `mark` on have edited.
    void touched(outline const& facts, view const& edits, std::size_t mark) noexcept {
        for (; !jobs_.empty() && mark < edits.steps().size(); ++mark) {
            auto const& step = edits.steps()[mark];
            touched(step.on_part ? facts.group_of(facts.part_at(step.target).message_index) : group{step.target}.id());
        }
    }
    /// True if all groups of the job are present, with as many messages as when it began.
    static bool is_current(entry const& job, outline const& facts, view const& edits) noexcept {
        for (std::size_t index = 0; index < job.groups.size(); ++index)
            if (!edits.present(job.groups[index]) || facts.group_at(job.groups[index].id()).count != job.counts[index])
                return false;
        return true;
    }

private:
    /// Differs from the ids of earlier jobs and of other sessions' jobs: a commit to the wrong session is stale.
    static std::uint64_t id_of(std::string_view prompt, std::uint64_t count) noexcept {
        auto const state = fnv1a(prompt, fnv_basis ^ count);
        return state == 0 ? 1 : state;
    }
    static bool holds(entry const& job, std::uint32_t group_id) noexcept {
        for (auto const& which : job.groups)
            if (which.id() == group_id) return true;
        return false;
    }

    std::vector<entry> jobs_;
    std::uint64_t latest_ = 0;
};
using job_ledger = basic_job_ledger<>;

/// True if some layer of the pipeline can plan a summary.
template <class Mix>
inline constexpr bool has_planner = properties_of<Mix>().plans_summaries;

/// Calls f(layer, index of its entry in the report) with the first layer that can plan a summary; false if there is
/// none.
template <class Mix, class Function>
bool with_planner(Mix const& mix, Function& f) {
    bool called = false;
    if constexpr (has_planner<Mix>) {
        std::size_t index = 0;
        as_pipeline(mix).each([&](auto const& layer) {
            if constexpr (plans_summaries<std::remove_cvref_t<decltype(layer)>>)
                if (!std::exchange(called, true)) f(layer, index);
            ++index;
        });
    }
    return called;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
