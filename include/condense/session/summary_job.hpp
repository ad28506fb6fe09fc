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
#include <condense/detail/fnv.hpp>

// A summary that is made while the conversation goes on: what to ask is taken out, the answer is put in if
// nothing it stands for has changed meanwhile.

namespace condense {
inline namespace v1 {

/// A value of its own, for any thread. One that asks nothing is false.
struct summary_job {
    std::uint64_t id = 0;    ///< of the prompt, and of how many came before it
    std::uint64_t base = 0;  ///< changes of the session before it
    sequence first = {};     ///< the oldest message that it stands for
    sequence last = {};      ///< the newest
    std::string prompt = {};
    tokens limit = {};

    explicit operator bool() const noexcept { return id != 0; }
    friend bool operator==(summary_job const&, summary_job const&) = default;
};

/// What became of a job's text.
enum class commit_outcome : std::uint8_t {
    committed,
    stale,     ///< what it stands for has changed, or it was abandoned or committed before
    declined,  ///< the text is empty, not smaller, or a law refused it, and the job is over; or a journal does
               ///< not hold all yet, and it is not: `session.note()` says why
    busy,      ///< the session is in a run: try again
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

/// The jobs under way, and what each stands for.
template <class = void>
class basic_job_ledger {
public:
    struct entry {
        std::uint64_t id = 0;
        std::vector<group> groups = {};
        std::vector<std::uint32_t> counts = {};  ///< messages in each
        tokens limit = {};
        cost size = {};         ///< of what its model reads
        unsigned shrinks = 0;   ///< prompts before it that were too large
    };

    /// Some job stands for one of the groups.
    bool overlaps(std::vector<group> const& groups) const noexcept {
        for (auto const& live : live_)
            for (auto const& which : groups)
                if (holds(live, which.id())) return true;
        return false;
    }
    std::uint64_t add(outline const& facts, summary_plan const& plan, unsigned shrinks = 0) {
        entry made{.groups = plan.groups, .limit = plan.limit, .size = plan.size, .shrinks = shrinks};
        for (auto const& which : plan.groups) made.counts.push_back(facts.group_at(which.id()).count);
        made.id = id_of(plan.prompt, ++latest_);
        live_.push_back(std::move(made));
        return live_.back().id;
    }
    /// A job with this plan; false where it stands for nothing, or another job for some of it.
    summary_job begin(outline const& facts, summary_plan&& plan, unsigned shrinks, std::uint64_t base) {
        if (plan.groups.empty() || overlaps(plan.groups)) return {};
        auto const id = add(facts, plan, shrinks);
        summary_job job{.id = id, .base = base, .prompt = std::move(plan.prompt), .limit = plan.limit};
        job.first = job.last = {facts.group_at(plan.groups.front().id()).first};
        for (auto const& which : plan.groups) {
            auto const& record = facts.group_at(which.id());
            if (record.first < job.first.number) job.first = {record.first};
            if (record.last > job.last.number) job.last = {record.last};
        }
        return job;
    }
    entry const* find(std::uint64_t id) const noexcept {
        for (auto const& live : live_)
            if (live.id == id) return &live;
        return nullptr;
    }
    bool erase(std::uint64_t id) noexcept {
        for (std::size_t at = 0; at < live_.size(); ++at)
            if (live_[at].id == id) return live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at)), true;
        return false;
    }
    void clear() noexcept { live_.clear(); }
    bool under_way() const noexcept { return !live_.empty(); }
    /// The newest id that was given; later ones are larger, so that no job of before passes for one of now.
    std::uint64_t latest() const noexcept { return latest_; }
    void go_on(std::uint64_t latest) noexcept {
        live_.clear();
        latest_ = latest;
    }

    /// Ends the job that stands for this group.
    void touched(std::uint32_t group_id) noexcept {
        for (std::size_t at = 0; at < live_.size();)
            if (holds(live_[at], group_id)) live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
            else ++at;
    }
    /// Ends the jobs that steps from `mark` on have touched.
    void touched(outline const& facts, view const& edits, std::size_t mark) noexcept {
        for (; !live_.empty() && mark < edits.steps().size(); ++mark) {
            auto const& made = edits.steps()[mark];
            touched(made.on_part ? facts.group_of(facts.part_at(made.target).message_index) : group{made.target}.id());
        }
    }
    /// All that it stands for is there, with the messages it had.
    static bool holds_still(entry const& job, outline const& facts, view const& edits) noexcept {
        for (std::size_t at = 0; at < job.groups.size(); ++at)
            if (!edits.present(job.groups[at]) || facts.group_at(job.groups[at].id()).count != job.counts[at])
                return false;
        return true;
    }

private:
    /// Another session's job, or an earlier one, does not have the same.
    static std::uint64_t id_of(std::string_view prompt, std::uint64_t count) noexcept {
        auto const state = fnv1a(prompt, fnv_basis ^ count);
        return state == 0 ? 1 : state;
    }
    static bool holds(entry const& job, std::uint32_t group_id) noexcept {
        for (auto const& which : job.groups)
            if (which.id() == group_id) return true;
        return false;
    }

    std::vector<entry> live_;
    std::uint64_t latest_ = 0;
};
using job_ledger = basic_job_ledger<>;

template <class Mix>
inline constexpr bool has_planner = properties_of<Mix>().plans_summaries;

/// Calls f(layer, entry of the report) with the first layer that can plan a summary; false where there is none.
template <class Mix, class Function>
bool with_planner(Mix const& mix, Function& f) {
    bool done = false;
    if constexpr (has_planner<Mix>) {
        std::size_t entry = 0;
        as_pipeline(mix).each([&](auto const& layer) {
            if constexpr (plans_summaries<std::remove_cvref_t<decltype(layer)>>)
                if (!std::exchange(done, true)) f(layer, entry);
            ++entry;
        });
    }
    return done;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
