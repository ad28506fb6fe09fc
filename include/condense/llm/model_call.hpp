// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/pass.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/core/report.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/llm/overflow.hpp>

// How a session calls a model: a callable from the request to a message, or to a reply that may hold an error and the
// usage; a streaming model also takes a sink.

namespace condense {
inline namespace v1 {

/// An error of a provider: the HTTP status, 0 if there is none, and the text.
struct provider_error {
    int status = 0;
    std::string text = {};

    explicit operator bool() const noexcept { return status != 0 || !text.empty(); }
    friend bool operator==(provider_error const&, provider_error const&) = default;
};

/// What a model returns: a message, or an error. A summariser may return a reply<std::string> in place of a text.
template <class Message>
struct reply {
    std::optional<Message> message = {};  ///< the answer; nothing if there is an error
    provider_usage usage = {};            ///< of this request; zeros if the provider reports none
    provider_error error = {};
    std::string stop = {};  ///< the provider's stop reason, such as "end_turn" or "length"; empty if unknown
    bool cached = false;  ///< it comes from a cache of the program, as those of `cached` do
};

/// The sink of a streaming model, which calls it with each piece of text.
class delivery {
public:
    using target_type = void (*)(void*, std::string_view);

    delivery(target_type target, void* context) noexcept : target_{target}, context_{context} {}
    delivery(delivery const&) = delete;  // the session asks this object whether something was shown
    delivery& operator=(delivery const&) = delete;
    /// Passes a piece on; the view is valid during the call.
    void operator()(std::string_view piece) {
        delivered_ = delivered_ || !piece.empty();
        if (target_ != nullptr) target_(context_, piece);
    }
    /// True once something was shown; the call cannot be repeated unnoticed any more.
    bool delivered() const noexcept { return delivered_; }

private:
    target_type target_;
    void* context_;
    bool delivered_ = false;
};

/// The outcome of `session.call`.
enum class call_outcome : std::uint8_t {
    answered,   ///< the answer is in the session
    too_large,  ///< nothing was sent: the request does not fit and can not be reduced further
    overflow,   ///< the provider refused it as too large, and reducing it once did not help or was not possible
    failed,     ///< any other error of the provider, passed on unchanged
};

constexpr std::string_view name(call_outcome which) noexcept {
    switch (which) {
        case call_outcome::answered: return "answered";
        case call_outcome::too_large: return "too large";
        case call_outcome::overflow: return "overflow";
        case call_outcome::failed: break;
    }
    return "failed";
}

/// Converts to true if the model has answered. `answer` points into the session and is valid until that changes.
template <class Message>
struct [[nodiscard]] call_result {
    call_outcome outcome = call_outcome::failed;
    Message const* answer = nullptr;  ///< null unless the model has answered
    provider_error error = {};        ///< of the latest attempt
    std::uint32_t attempts = 0;  ///< calls of the model: at most two
    v1::outcome reduction = v1::outcome::fits;  ///< outcome of the reduction before the call

    explicit operator bool() const noexcept { return outcome == call_outcome::answered; }
};

/// The outcome of `session.recover`.
enum class recover_outcome : std::uint8_t {
    not_overflow,  ///< another failure, which the caller has to handle; nothing has changed
    retry,         ///< the request is strictly smaller now, or without its bound parts: send it again
    delivered,     ///< something was shown already; nothing has changed
    repeated,      ///< the same turn was refused before
    exhausted,     ///< nothing more could be removed
};

constexpr std::string_view name(recover_outcome which) noexcept {
    switch (which) {
        case recover_outcome::not_overflow: return "not an overflow";
        case recover_outcome::retry: return "retry";
        case recover_outcome::delivered: return "delivered";
        case recover_outcome::repeated: return "repeated";
        case recover_outcome::exhausted: break;
    }
    return "exhausted";
}

namespace detail {

/// True if the stop reason says that the answer is complete.
inline bool ended_by_itself(std::string_view stop) noexcept {
    // Of Anthropic, OpenAI, Gemini, Cohere, TGI and Ollama; with all others the answer is cut off, blocked, or a call.
    constexpr std::array<std::string_view, 8> complete = {"",         "end_turn",  "stop", "stop_sequence",
                                                          "complete", "completed", "eos",  "eos_token"};
    for (auto const word : complete) {
        bool same = word.size() == stop.size();
        for (std::size_t index = 0; same && index < word.size(); ++index) same = lowered(stop[index]) == word[index];
        if (same) return true;
    }
    return false;
}

/// A model that calls the sink with each piece of its answer.
template <class Model, class Request>
concept streams = std::invocable<Model&, Request const&, delivery&>;
/// A model that returns its answer as a whole.
template <class Model, class Request>
concept answers = std::invocable<Model&, Request const&>;

/// Calls the model, and makes a reply of whatever it returns.
template <class Message, class Model, class Request>
reply<Message> ask_model(Model& model, Request const& request, delivery& sink) {
    static_assert(streams<Model, Request> || answers<Model, Request>,
                  "condense: session.call: the model must take the request, or the request and a condense::delivery& "
                  "(see reply)");
    auto const answer = [&]() -> decltype(auto) {
        if constexpr (streams<Model, Request>) return model(request, sink);
        else return model(request);
    };
    using result_type = std::remove_cvref_t<decltype(answer())>;
    static_assert(std::same_as<result_type, reply<Message>> || std::convertible_to<result_type, Message>,
                  "condense: session.call: the model must give a message or a condense::reply of one (see reply)");
    if constexpr (std::same_as<result_type, reply<Message>>) return answer();
    else {
        reply<Message> result;
        result.message.emplace(answer());
        return result;
    }
}

/// The same, but an exception that reports a context overflow becomes an error in the reply, if `may_retry()` and
/// nothing was shown yet. All other exceptions propagate, those of a cancellation whatever they say.
template <class Message, class Model, class Request, class Stop, class MayRetry>
reply<Message> ask_model(Model& model, Request const& request, delivery& sink, [[maybe_unused]] Stop const& stop,
                         [[maybe_unused]] MayRetry const& may_retry) {
#if defined(__cpp_exceptions)
    try {
        return ask_model<Message>(model, request, sink);
    } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
        if (stop.stop_requested() || wraps_cancellation(problem)) throw;
        bool const understood = overflow_of(0, problem.what()) || is_bound_elsewhere(0, problem.what());
        if (!may_retry() || sink.delivered() || !understood) throw;
        return {.error = {.status = 0, .text = problem.what()}};
    }
#else
    return ask_model<Message>(model, request, sink);
#endif
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
