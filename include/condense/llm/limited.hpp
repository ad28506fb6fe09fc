// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/model_prompt.hpp>
#include <condense/core/pass.hpp>
#include <condense/core/run_options.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/summary_reply.hpp>

// A model that only so many sessions of a program call at a time:
// model_slots const two{2}; summarize{.with = limited{.model = my_model, .limit = two}}.

namespace condense {
inline namespace v1 {

/// The text of the error where a model was not called, because no slot became free before the deadline.
inline constexpr std::string_view no_free_slot = "no free slot in time";

/// How many calls may be under way at once. A handle: copies share the slots, any thread may use it.
class model_slots {
public:
    /// `count` is above 0.
    explicit model_slots(std::uint32_t count) : shared_{std::make_shared<state>()} {
        detail::reject_unless(count > 0, "condense: model_slots: the count must be above 0 (see model_slots)");
        shared_->free = count;
    }

    /// Takes a slot, which `release` gives back. False if none becomes free within `time`.
    bool acquire(instant time) const {
        // A year at most, as the clock cannot hold every sum.
        constexpr std::uint64_t year = 365ull * 24 * 60 * 60 * 1'000'000'000;
        std::chrono::nanoseconds const wait{time.count < year ? time.count : year};
        std::unique_lock lock{shared_->guard};
        if (!shared_->freed.wait_for(lock, wait, [&] { return shared_->free != 0; })) return false;
        --shared_->free;
        return true;
    }
    void release() const {
        {
            std::lock_guard const lock{shared_->guard};
            ++shared_->free;
        }
        shared_->freed.notify_one();
    }
    /// How many are free now.
    std::uint32_t free() const {
        std::lock_guard const lock{shared_->guard};
        return shared_->free;
    }

private:
    struct state {
        std::mutex guard;
        std::condition_variable freed;
        std::uint32_t free = 0;
    };
    std::shared_ptr<state> shared_;
};

/// A summarizer around another, which is called while it holds a slot. Waits for one until the earlier of both limits
/// of the call; then the reply is an error with the text no_free_slot, and the layer fails as it does for any other. A
/// slot is given back however the call ends. Clock: that of the run, by which the deadline is told.
template <class Model, class Clock = steady_clock>
struct limited {
    Model model;
    model_slots limit;
    bool waits = true;  ///< false: an error at once if no slot is free
    Clock clock = {};

    reply<std::string> operator()(model_prompt const& prompt, ask_limits limits) const {
        auto const start = clock();
        auto const left = limits.deadline - start;
        auto const time = left < limits.within ? left : limits.within;
        if (!limit.acquire(waits ? time : instant{})) return {.error = {.text = std::string{no_free_slot}}};
        detail::scope_exit const slot{[&]() noexcept { limit.release(); }};
        limits.within = limits.within - (clock() - start);
        return detail::reply_to_prompt(model, prompt, limits);
    }
};

}  // namespace v1
}  // namespace condense
