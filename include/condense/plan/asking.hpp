// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/model_prompt.hpp>
#include <condense/core/pass.hpp>
#include <condense/core/run_options.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/summary_reply.hpp>

// How planners and summaries call their models: within a run of a pipeline, or without one; one after the other, or as
// an executor likes.

namespace condense {
inline namespace v1 {

/// The default executor: one after the other. An executor is called with a number and a callable f: it calls f(index)
/// once for each index below that number, in any order and on any threads, and returns when all have ended. Models,
/// clocks and stop tokens are then used on these threads.
struct in_turn {
    template <class Function>
    void operator()(std::size_t count, Function const& f) const {
        for (std::size_t index = 0; index < count; ++index) f(index);
    }
    friend constexpr bool operator==(in_turn, in_turn) = default;
};

/// A question to a model.
struct model_question {
    model_prompt prompt = {};
    ask_limits limits = {};
};

namespace detail {

/// What `call` returns, with an error in place of an exception, but for a cancellation.
template <class Stop, class Call>
reply<std::string> reply_or_error([[maybe_unused]] Stop stop, Call const& call) {
#if defined(__cpp_exceptions)
    try {
        return call();
    } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
        if (stop.stop_requested() || wraps_cancellation(problem)) throw;
        return {.error = {.text = *problem.what() != '\0' ? problem.what() : "the model threw"}};
    } catch (...) {
        if (stop.stop_requested()) throw;
        return {.error = {.text = "the model threw"}};
    }
#else
    return call();
#endif
}

inline reply<std::string> late_reply(reply<std::string> answer) {
    answer.message.reset();
    answer.error = {.text = "the answer came too late"};
    return answer;
}

/// Calls as an executor makes them, whatever it does: each once at most, and none after a cancellation.
class executor_replies {
public:
    /// `call(index)` returns a reply; what it throws is an error. A cancellation passes through.
    template <class Executor, class Call, class Stop>
    executor_replies(std::size_t count, Executor const& executor, Call const& call, Stop stop) : slots_(count) {
        auto const reply_once = [&](std::size_t index) {
            if (index >= slots_.size() || cancelled_ || slots_[index].called.exchange(true)) return;
            auto const reply_of_one = [&] { return call(index); };
#if defined(__cpp_exceptions)
            try {
                slots_[index].answer = reply_or_error(stop, reply_of_one);
            } catch (...) {
                slots_[index].cancellation = std::current_exception();
                cancelled_ = true;
            }
#else
            slots_[index].answer = reply_of_one();
#endif
        };
        missing_ = reply_or_error(stop, [&]() -> reply<std::string> {
            executor(count, reply_once);
            return {.error = {.text = "the executor made no call"}};
        });
        for (auto const& each : slots_)
            if (each.cancellation) std::rethrow_exception(each.cancellation);
    }
    /// The reply, once. That of a call that was not made is an error.
    reply<std::string> take(std::size_t index) {
        return slots_[index].answer ? *std::exchange(slots_[index].answer, std::nullopt) : missing_;
    }

private:
    struct slot {
        std::atomic<bool> called = false;
        std::optional<reply<std::string>> answer = {};
        std::exception_ptr cancellation = {};
    };
    std::vector<slot> slots_;
    std::atomic<bool> cancelled_ = false;
    reply<std::string> missing_;
};

}  // namespace detail

/// Calls models outside of a run.
template <class Clock = steady_clock, class Stop = never_stops>
class direct_calls {
public:
    explicit direct_calls(instant deadline = {detail::u64_limit}, Clock clock = {}, Stop stop = {})
        : deadline_{deadline}, clock_{std::move(clock)}, stop_{std::move(stop)} {}

    /// An answer behind its deadline is an error, as is what the model throws; a cancellation passes through.
    template <class Model>
    reply<std::string> operator()(Model const& model, model_prompt const& prompt, ask_limits limits) const {
        return detail::reply_or_error(stop_, [&] { return reply_in_time(model, prompt, limits); });
    }
    /// The same for each question, in their order.
    template <class Model, class Executor>
    std::vector<reply<std::string>> all(Model const& model, std::vector<model_question> const& questions,
                                        Executor const& executor) const {
        auto const call = [&](std::size_t index) {
            return reply_in_time(model, questions[index].prompt, questions[index].limits);
        };
        detail::executor_replies replies{questions.size(), executor, call, stop_};
        std::vector<reply<std::string>> answers;
        answers.reserve(questions.size());
        for (std::size_t index = 0; index < questions.size(); ++index) answers.push_back(replies.take(index));
        return answers;
    }
    Stop const& stop_token() const noexcept { return stop_; }

private:
    template <class Model>
    reply<std::string> reply_in_time(Model const& model, model_prompt const& prompt, ask_limits limits) const {
        auto const end = clock_() + limits.within;
        for (auto const earlier : {deadline_, end})
            if (earlier < limits.deadline) limits.deadline = earlier;
        auto answer = detail::reply_to_prompt(model, prompt, limits);
        return limits.deadline < clock_() ? detail::late_reply(std::move(answer)) : answer;
    }

    instant deadline_;
    Clock clock_;
    Stop stop_;
};

namespace detail {

/// Calls models within a run, which redacts prompts and accounts usage.
template <class Pass>
class calls_in_run {
public:
    explicit calls_in_run(Pass& pass) noexcept : pass_{pass} {}

    template <class Model>
    reply<std::string> operator()(Model const& model, model_prompt const& prompt, ask_limits limits) {
        if (!pass_.may_ask()) {
            pass_.wait_for_model();
            return {.error = {.text = std::string{model_called_recently}}};
        }
        auto answer = reply_or_error(pass_.stop_token(), [&] {
            auto const asked = [&](model_prompt const& sent, ask_limits const& bound) {
                return reply_to_prompt(model, sent, bound);
            };
            return pass_.ask(asked, prompt, limits);
        });
        return pass_.is_late() ? late_reply(std::move(answer)) : answer;
    }
    template <class Model, class Executor>
    std::vector<reply<std::string>> all(Model const& model, std::vector<model_question> questions,
                                        Executor const& executor) {
        std::vector<reply<std::string>> answers;
        bool const asks = pass_.may_ask() && !pass_.dry() && !std::is_same_v<Executor, in_turn>;
        for (auto& each : questions) {
            if (!asks) break;
            pass_.redact(each.prompt);
            if (pass_.deadline() < each.limits.deadline) each.limits.deadline = pass_.deadline();
        }
        if (!asks) {
            for (auto const& [prompt, limits] : questions) answers.push_back((*this)(model, prompt, limits));
            return answers;
        }
        auto const call = [&](std::size_t index) {
            return reply_to_prompt(model, questions[index].prompt, questions[index].limits);
        };
        executor_replies replies{questions.size(), executor, call, pass_.stop_token()};
        for (std::size_t index = 0; index < questions.size(); ++index)
            answers.push_back((*this)([&](model_prompt const&) { return replies.take(index); }, questions[index].prompt,
                                      questions[index].limits));
        return answers;
    }

private:
    Pass& pass_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
