// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/plan/artifact.hpp>
#include <condense/plan/ranking.hpp>

// The planner without a model: the passages that answer the question by their words, then errors, then the newest.

namespace condense {
inline namespace v1 {
namespace detail {

/// What `size` of the artifact's bytes cost, rounded upward.
constexpr std::uint64_t cost_of_bytes(artifact const& candidate, std::uint64_t size) noexcept {
    if (candidate.size.count == 0) return 0;
    return scale_down(candidate.cost.count, (std::min)(size, candidate.size.count), candidate.size.count) + 1;
}

}  // namespace detail

/// Ranks passages by BM25 for question and goal; words of the goal weigh half. Artifacts whose passages rank within the
/// budget are extracted, those of which most would be extracted, or that are small, are included whole. What is left of
/// the budget takes errors and then the newest, contiguously, and the rest of it longer extracts. Reads each artifact
/// once; asks no model.
struct rule_planner {
    percent recent = {1'000};  ///< of the budget kept for the newest artifacts, whatever the question
    percent error_bonus = {2'500};  ///< by which passages of errors score more
    percent recency_bonus = {1'000};  ///< by which those of the newest artifact score more; of others less of it
    percent least_score = {1'500};  ///< passages below this share of the best score are not extracted

    artifact_plan operator()(plan_request const& request) const {
        auto const& all = request.artifacts;
        detail::query_terms terms{request.question};
        terms.add(request.goal, request.question.empty() ? 1 : 2);
        detail::passage_scores scores{std::move(terms), true};
        request.each_text([&](std::size_t index, std::string_view text) { scores.see(index, text); });

        std::vector<choice> choices(all.size());
        budget left{request, choices};
        for (std::size_t index = 0; index < all.size(); ++index)  // what is shorter than its reference
            choices[index].in_full =
                all[index].cost <= request.reference_cost && left.spend(index, all[index].cost.count);
        auto const spare = recent.of(request.budget).count;
        extract_best(request, ranked(request, scores), choices, left, spare);
        include_rest(request, choices, left);
        return plan_of(request, choices);
    }

    friend bool operator==(rule_planner const&, rule_planner const&) = default;

private:
    // Tokens of the markers between passages; the first one says where the whole is.
    static constexpr std::uint64_t first_gap_cost = 48;
    static constexpr std::uint64_t gap_cost = 6;
    static constexpr std::uint64_t brief = 96;  // tokens that are not worth cutting

    /// What happens to one artifact.
    struct choice {
        std::uint64_t cost = 0;  ///< of what is extracted; of all of it where `in_full`
        std::uint64_t score = 0;  ///< of its best passage
        std::uint32_t passages = 0;
        bool in_full = false;
    };

    /// What is left to spend. Each artifact leaves a reference until it is included.
    struct budget {
        budget(plan_request const& request, std::vector<choice>& from)
            : choices{from}, reference{request.reference_cost.count},
              left{detail::sub_capped(request.budget.count,
                                      detail::mul_capped(request.reference_cost.count, request.artifacts.size()))} {}

        /// Lets the artifact take `cost` in place of what it had. False, and nothing, where that does not fit, or less
        /// than `spare` would be left.
        bool spend(std::size_t index, std::uint64_t cost, std::uint64_t spare = 0) {
            auto& chosen = choices[index];
            auto const before = chosen.cost == 0 ? reference : chosen.cost;
            if (cost > before && detail::sub_capped(left, spare) < cost - before) return false;
            left = left + before - cost;
            chosen.cost = cost;
            return true;
        }

        std::vector<choice>& choices;
        std::uint64_t reference;
        std::uint64_t left;
    };

    /// Passages with the bonuses of their artifacts, the best first.
    std::vector<detail::ranked_passage> ranked(plan_request const& request,
                                               detail::passage_scores const& scores) const {
        auto passages = scores.rank();
        auto const count = request.artifacts.size();
        for (auto& each : passages) {
            auto const unit = std::uint64_t{percent::one_hundred};
            auto const place = count < 2 ? 0 : recency_bonus.basis_points * each.text / (count - 1);
            auto const error = request.artifacts[each.text].error ? error_bonus.basis_points : 0u;
            each.score = each.score / unit * (unit + place + error) + each.score % unit;
        }
        std::sort(passages.begin(), passages.end(), detail::is_better);
        return passages;
    }

    void extract_best(plan_request const& request, std::vector<detail::ranked_passage> const& passages,
                      std::vector<choice>& choices, budget& left, std::uint64_t spare) const {
        if (passages.empty()) return;
        auto const least = detail::scale_down(passages.front().score, least_score.basis_points, percent::one_hundred);
        bool is_first = true;  // what answers best goes before what is new
        for (auto const& each : passages) {
            if (each.score < least) break;
            auto& chosen = choices[each.text];
            if (chosen.score == 0) chosen.score = each.score;
            if (chosen.in_full) continue;
            auto const& candidate = request.artifacts[each.text];
            // A quarter more for what stands around it.
            bool const opens = chosen.passages == 0;
            auto const more =
                detail::cost_of_bytes(candidate, each.size + each.size / 4) + (opens ? first_gap_cost : gap_cost);
            auto const next = chosen.cost + more;
            bool const most = next >= candidate.cost.count / 5 * 3 || candidate.cost.count <= brief;
            if (most && left.spend(each.text, candidate.cost.count, spare)) {
                chosen.in_full = true;
                is_first = false;
                continue;
            }
            if (next >= candidate.cost.count || !left.spend(each.text, next, is_first ? 0 : spare)) break;
            is_first = false;
            ++chosen.passages;
        }
    }

    /// Errors, then the newest, whole, until one does not fit.
    static void include_rest(plan_request const& request, std::vector<choice>& choices, budget& left) {
        for (bool const of_errors : {true, false})
            for (auto index = request.artifacts.size(); index-- != 0;) {
                auto const& candidate = request.artifacts[index];
                if (choices[index].in_full || candidate.error != of_errors) continue;
                if (!left.spend(index, candidate.cost.count)) break;
                choices[index].in_full = true;
            }
    }

    static artifact_plan plan_of(plan_request const& request, std::vector<choice> const& choices) {
        auto const before = [&](std::size_t left, std::size_t right) {
            if (choices[left].score != choices[right].score) return choices[left].score > choices[right].score;
            return left > right;
        };
        auto const order = detail::sorted_indices(choices.size(), before);
        artifact_plan plan{.extends = true};
        for (std::size_t place = 0; place < order.size(); ++place) {
            auto const& chosen = choices[order[place]];
            auto const& candidate = request.artifacts[order[place]];
            decision next{.artifact = candidate.id,
                          .priority = static_cast<std::uint32_t>(1 + place * (last_priority - 1) / order.size())};
            if (chosen.in_full) {
                next.strategy = strategy::include_full;
                next.reason = chosen.score != 0 ? "its words answer the question"
                              : candidate.error ? "an error, and there is room"
                                                : "there is room";
            } else if (chosen.passages != 0) {
                next.strategy = strategy::extract;
                next.limit = {chosen.cost};
                next.reason = detail::grouped(chosen.passages) + " of its passages have words of the question";
            } else {
                next.priority = last_priority;
                next.reason = "no passage of it ranks high enough";
            }
            plan.decisions.push_back(std::move(next));
        }
        return plan;
    }
};

}  // namespace v1
}  // namespace condense
