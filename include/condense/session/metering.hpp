// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/edit_log.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/run_options.hpp>
#include <condense/core/usage.hpp>
#include <condense/llm/overflow.hpp>
#include <condense/llm/provider_usage.hpp>
#include <condense/session/reported_baseline.hpp>
#include <condense/session/state.hpp>
#include <condense/session/turn_tracker.hpp>

// Counts a conversation in tokens: estimates, corrected by the provider's reports, against the limits of a request.

namespace condense {
inline namespace v1 {
namespace detail {

/// What a request has: the edits in force on a number of messages, of which some may be sent inside a neighbour.
struct request_state {
    view const& edits;
    std::size_t size;
    v1::cost joined_frames;  ///< of messages sent inside another; they are not counted

    cost sum() const noexcept { return edits.sums().cost - joined_frames; }
};

template <class Estimator>
class metering {
public:
    metering(budget limits, Estimator count) : limits_{limits}, count_(std::move(count)) {}

    Estimator const& estimator() const noexcept { return count_; }
    budget const& limits() const noexcept { return limits_; }
    turn_tracker const& turns() const noexcept { return turns_; }
    void begin_turn() noexcept { turns_.begin_turn(); }

    /// By estimates alone, with the overhead.
    cost counted(request_state const& all) const noexcept { return all.sum() + cost::of(limits_.overhead); }

    /// By estimates; once a provider has reported, by its figure plus an estimate of later messages; after an edit by
    /// estimates in proportion to that report.
    usage used(request_state const& all) const noexcept {
        auto now = all.edits.counts(limits_);
        now.tokens = baseline_.holds() ? reported(counted(all), all.size) : expected(all);
        if (baseline_.is_exact()) now.source = usage_source::reported;
        else if (!baseline_.holds() && all.sum() == cost{} && all.edits.sums().messages != 0)
            now.source = usage_source::none;
        return now;
    }
    /// While the result lives, sums of `edits`, those of `all` or a copy, are measured in the scale of `used`; frames
    /// of messages that are sent inside another count there, so that a run never leaves more than it says.
    auto in_scale(view& edits, request_state const& all) const noexcept {
        return calibration_scope(edits, counted(all).tokens(), used(all).tokens, limits_.overhead);
    }

    /// This request is being sent: `observe` refers to it.
    void sending(request_state const& all) noexcept {
        baseline_.sending(counted(all), all.size);
        sent_ = counts_of(all);
    }
    /// The provider's report for that request, and how long it took.
    void observe(provider_usage const& told, instant took, request_state const& all) noexcept {
        turns_.add(told, took, {.input = expected(all)});
        if (!told.reported()) return;
        baseline_.observe(told.request());
        if constexpr (learning_estimator<Estimator>)
            if (sent_.messages != 0) count_.observe(sent_, told.request());
        sent_ = {};
    }
    /// An edit has changed message `first`; before it the edits came to `before`.
    void edited(std::uint64_t first, cost before, std::size_t messages) noexcept {
        baseline_.edited(first, before, baseline_.holds() ? reported(before, messages) : tokens{});
    }

    void set_limits(budget limits) noexcept {
        baseline_.overhead(limits_.overhead, limits.overhead);
        limits_ = limits;
    }
    /// Another model: reports of the previous one no longer count, and an estimator that learns starts again.
    void use_model(std::string_view name) noexcept {
        baseline_.forget();
        sent_ = {};
        if constexpr (requires { count_.use_model(name); }) count_.use_model(name);
    }

    /// Learns a smaller window and the size of the refused request; returns the target for the next one.
    tokens learn(overflow const& told, request_state const& all) noexcept {
        constexpr std::uint64_t least_window = 256;  // tokens; what names less is not believed
        if (told.limit.count >= least_window && told.limit < limits_.window) {
            limits_.output = {share_of(limits_.output.count, told.limit.count, limits_.window.count)};
            limits_.window = told.limit;
        }
        bool const measured = told.requested.count != 0 && baseline_.observe(told.requested);
        auto const now = used(all).tokens;
        auto const limit = limits_.input();
        tokens const target{scale_down(limit.count, 8, 10)};
        if (measured && target < now) return target;
        // Without a figure, or with one that does not explain the overflow, the count may be off by more than two.
        return {scale_down(now < limit ? now.count : limit.count, 4, 10)};
    }

    /// The estimator's learning is saved behind the layers' memories.
    void save(session_state& to) const {
        if constexpr (saved_estimator<Estimator>) to.memories.push_back(count_.save());
        to.limits = limits_;
        to.anchor = baseline_;
        to.turns = turns_;
    }
    /// The estimator can load `saved`.
    bool can_learn([[maybe_unused]] std::string const& saved) const {
        if constexpr (saved_estimator<Estimator>) return Estimator{count_}.load(saved);
        else return true;
    }
    void adopt(session_state const& from, [[maybe_unused]] std::string const& learnt) noexcept {
        if constexpr (saved_estimator<Estimator>) static_cast<void>(count_.load(learnt));
        limits_ = from.limits;
        baseline_ = from.anchor;
        turns_ = from.turns;
        sent_ = {};
    }

private:
    request_count counts_of(request_state const& all) const noexcept {
        return {.counted = all.sum(), .messages = all.edits.sums().messages, .overhead = cost::of(limits_.overhead)};
    }
    /// The report that an estimator that learns expects.
    tokens expected(request_state const& all) const noexcept { return corrected(count_, counts_of(all)).tokens(); }
    /// A sum of all messages, by the latest report.
    tokens reported(cost sum, std::size_t messages) const noexcept {
        auto const since = messages < baseline_.messages() ? 0 : messages - baseline_.messages();
        return baseline_.used(sum, limits_.overhead, [&](cost each) {
            return corrected(count_, {.counted = each, .messages = since}).tokens();
        });
    }

    budget limits_;
    Estimator count_;
    reported_baseline baseline_;
    request_count sent_;  ///< the latest request; no messages where it was reported, or none was sent
    turn_tracker turns_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
