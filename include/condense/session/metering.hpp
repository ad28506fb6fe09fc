// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/edit_log.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/core/run_options.hpp>
#include <condense/core/usage.hpp>
#include <condense/llm/overflow.hpp>
#include <condense/session/reported_baseline.hpp>
#include <condense/session/state.hpp>
#include <condense/session/turn_tracker.hpp>

// Counts a conversation in tokens: estimates, corrected by the provider's reports, against the limits of a request.

namespace condense {
inline namespace v1 {
namespace detail {

/// What the cost of a request depends on. Refers to the edits: for one expression, not for keeping.
struct request_state {
    view const& edits;
    std::size_t size;        ///< messages of the conversation
    v1::cost joined_frames;  ///< of messages that are sent inside a neighbour, and cost no frame of their own

    /// The estimate of its messages, without overhead.
    cost sum() const noexcept { return edits.sums().cost - joined_frames; }
};

/// The estimator, the limits and the reports of one conversation. All of it is O(1): sums come with the edits.
template <class Estimator>
class metering {
public:
    metering(budget limits, Estimator estimator) : limits_{limits}, estimator_(std::move(estimator)) {}

    Estimator const& estimator() const noexcept { return estimator_; }
    budget const& limits() const noexcept { return limits_; }
    turn_tracker const& turns() const noexcept { return turns_; }
    void begin_turn() noexcept { turns_.begin_turn(); }

    /// The estimate with the overhead, whatever was reported.
    cost counted(request_state const& request) const noexcept { return request.sum() + cost::of(limits_.overhead); }

    /// An estimate; once a provider has reported, its figure plus an estimate of later messages; after an edit,
    /// estimates in proportion to that report.
    usage used(request_state const& request) const noexcept {
        auto result = request.edits.counts(limits_);
        result.tokens = baseline_.holds() ? by_report(counted(request), request.size) : by_estimate(request);
        if (baseline_.is_exact()) result.source = usage_source::reported;
        else if (!baseline_.holds() && request.sum() == cost{} && request.edits.sums().messages != 0)
            result.source = usage_source::none;
        return result;
    }
    /// While the result lives, the sums of `edits` (those of the request or a copy) are in the scale of `used`. Frames
    /// of joined messages count there, so that a run never leaves more tokens than it reports.
    auto in_scale(view& edits, request_state const& request) const noexcept {
        return calibration_scope(edits, counted(request).tokens(), used(request).tokens, limits_.overhead);
    }

    /// This request is being sent: `observe` refers to it.
    void sending(request_state const& request) noexcept {
        baseline_.sending(counted(request), request.size);
        sent_ = counts_of(request);
    }
    /// The provider's report for the request sent last, and how long that took. A second report for the same request
    /// teaches the estimator nothing.
    void observe(provider_usage const& report, instant duration, request_state const& request) noexcept {
        turns_.add(report, duration, {.input = by_estimate(request)});
        if (!report.reported()) return;
        baseline_.observe(report.request(), report.cleared);
        if constexpr (learning_estimator<Estimator>)
            if (sent_.messages != 0) estimator_.observe(sent_, report.request() + report.cleared);
        sent_ = {};
    }
    /// An edit changed message `first`; before it the conversation had this estimate and number of messages.
    void edited(std::uint64_t first, cost before, std::size_t messages) noexcept {
        baseline_.edited(first, before, baseline_.holds() ? by_report(before, messages) : tokens{});
    }

    void set_limits(budget limits) noexcept {
        baseline_.overhead(limits_.overhead, limits.overhead);
        limits_ = limits;
    }
    /// Another model: reports of the previous one no longer count, and an estimator that learns starts again.
    void use_model(std::string_view name) noexcept {
        baseline_.forget();
        sent_ = {};
        if constexpr (requires { estimator_.use_model(name); }) estimator_.use_model(name);
    }

    /// Learns a smaller window and the size of the refused request; returns the target for the next one.
    tokens learn(overflow const& error, request_state const& request) noexcept {
        constexpr std::uint64_t least_window = 256;  // tokens; a smaller number is not a window
        bool const is_plausible = error.limit.count >= least_window && error.limit > limits_.overhead;
        if (is_plausible && error.limit < limits_.window) {
            limits_.output = {share_of(limits_.output.count, error.limit.count, limits_.window.count)};
            limits_.window = error.limit;
        }
        bool const measured = error.requested.count != 0 && baseline_.observe(error.requested);
        auto const current = used(request).tokens;
        auto const limit = limits_.input();
        tokens const target{scale_down(limit.count, 8, 10)};
        if (measured && target < current) return target;
        // Without a figure, or with one that does not explain the overflow, the count may be off by more than two.
        return {scale_down(current < limit ? current.count : limit.count, 4, 10)};
    }

    /// What the estimator has learnt is saved behind the layers' memories.
    void save(session_state& state) const {
        if constexpr (saved_estimator<Estimator>) state.memories.push_back(estimator_.save());
        state.limits = limits_;
        state.anchor = baseline_;
        state.turns = turns_;
    }
    /// True if the estimator can load `saved`; tried on a copy.
    bool can_learn([[maybe_unused]] std::string const& saved) const {
        if constexpr (saved_estimator<Estimator>) return Estimator{estimator_}.load(saved);
        else return true;
    }
    void adopt(session_state const& state, [[maybe_unused]] std::string const& learnt) noexcept {
        if constexpr (saved_estimator<Estimator>) static_cast<void>(estimator_.load(learnt));
        auto const own = std::exchange(limits_, state.limits);
        limits_.images = own.images;  // limits on media are no part of a saved state
        limits_.bytes = own.bytes;
        baseline_ = state.anchor;
        turns_ = state.turns;
        sent_ = {};
    }

private:
    request_count counts_of(request_state const& request) const noexcept {
        return {.counted = request.sum(),
                .messages = request.edits.sums().messages,
                .overhead = cost::of(limits_.overhead)};
    }
    /// The estimate, with what a learning estimator corrects it by.
    tokens by_estimate(request_state const& request) const noexcept {
        return corrected(estimator_, counts_of(request)).tokens();
    }
    /// The tokens of a request with this estimate, by the latest report.
    tokens by_report(cost estimate, std::size_t messages) const noexcept {
        auto const new_messages = messages < baseline_.messages() ? 0 : messages - baseline_.messages();
        return baseline_.used(estimate, limits_.overhead, [&](cost growth) {
            return corrected(estimator_, {.counted = growth, .messages = new_messages}).tokens();
        });
    }

    budget limits_;
    Estimator estimator_;
    reported_baseline baseline_;
    request_count sent_;  ///< the newest request; no messages once it was reported, or if none was sent
    turn_tracker turns_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
