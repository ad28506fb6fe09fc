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
#include <condense/core/report.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/llm/overflow.hpp>
#include <condense/llm/provider_usage.hpp>

// How a session calls a model: a callable from the request to a message, or to a reply that may hold an
// error and the usage; a streaming one takes a sink beside it.

namespace condense {
inline namespace v1 {

/// What a provider answered instead: HTTP status, 0 where there is none, and text.
struct provider_error {
    int status = 0;
    std::string text = {};

    explicit operator bool() const noexcept { return status != 0 || !text.empty(); }
    friend bool operator==(provider_error const&, provider_error const&) = default;
};

/// What a model gave: a message, or an error. A summarizer gives one of a std::string, where it knows more
/// than the text.
template <class Message>
struct reply {
    std::optional<Message> message = {};
    provider_usage usage = {};
    provider_error error = {};
    std::string stop = {};  ///< why it ended, as the provider says: "end_turn", "length"; empty where not known
};

/// Handed to a streaming model, which calls it with each piece of text that it shows.
class delivery {
public:
    using target_type = void (*)(void*, std::string_view);

    delivery(target_type to, void* of) noexcept : to_{to}, of_{of} {}
    delivery(delivery const&) = delete;  // what a copy shows would be shown again
    delivery& operator=(delivery const&) = delete;
    void operator()(std::string_view piece) {
        delivered_ = delivered_ || !piece.empty();
        if (to_ != nullptr) to_(of_, piece);
    }
    /// Something has been shown: the call can not be made again unnoticed.
    bool delivered() const noexcept { return delivered_; }

private:
    target_type to_;
    void* of_;
    bool delivered_ = false;
};

/// What became of `session.call`.
enum class call_outcome : std::uint8_t {
    answered,   ///< the answer is in the session
    too_large,  ///< nothing was sent: the request does not fit and can not be reduced further
    overflow,   ///< the provider refused it as too large, and it was not, or no longer, to be helped
    failed,     ///< another error of the provider, as it came
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

/// True where the model has answered; the answer is part of the session, valid until that changes.
template <class Message>
struct [[nodiscard]] call_result {
    call_outcome outcome = call_outcome::failed;
    Message const* answer = nullptr;
    provider_error error = {};
    std::uint32_t attempts = 0;  ///< times that the model was called: at most two
    v1::outcome reduction = v1::outcome::fits;  ///< what reducing before it came to

    explicit operator bool() const noexcept { return outcome == call_outcome::answered; }
};

/// What became of `session.recover`.
enum class recover_outcome : std::uint8_t {
    not_overflow,  ///< another failure: it is the caller's, and nothing has changed
    retry,         ///< the request is strictly smaller now: send it again
    delivered,     ///< something was shown already; nothing has changed
    repeated,      ///< the same turn has overflowed before
    exhausted,     ///< nothing more could be taken out
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

/// The answer is whole, as far as its stop reason says.
inline bool ended_by_itself(std::string_view stop) noexcept {
    // Anthropic, OpenAI, Gemini, Cohere, TGI, Ollama; all others cut it off, block it, or call a tool.
    constexpr std::array<std::string_view, 8> whole = {"",         "end_turn",  "stop", "stop_sequence",
                                                       "complete", "completed", "eos",  "eos_token"};
    for (auto const word : whole) {
        bool same = word.size() == stop.size();
        for (std::size_t at = 0; same && at < word.size(); ++at) same = lowered(stop[at]) == word[at];
        if (same) return true;
    }
    return false;
}

template <class Model, class Request>
concept streams = std::invocable<Model&, Request const&, delivery&>;
template <class Model, class Request>
concept answers = std::invocable<Model&, Request const&>;

/// The reply of a model, whatever it gives.
template <class Message, class Model, class Request>
reply<Message> ask_model(Model& model, Request const& request, delivery& sink) {
    static_assert(streams<Model, Request> || answers<Model, Request>,
                  "condense: session.call: the model must take the request, or the request and a condense::delivery& "
                  "(see reply)");
    auto const given = [&]() -> decltype(auto) {
        if constexpr (streams<Model, Request>) return model(request, sink);
        else return model(request);
    };
    using result = std::remove_cvref_t<decltype(given())>;
    static_assert(std::same_as<result, reply<Message>> || std::convertible_to<result, Message>,
                  "condense: session.call: the model must give a message or a condense::reply of one (see reply)");
    if constexpr (std::same_as<result, reply<Message>>) return given();
    else {
        reply<Message> made;
        made.message.emplace(given());
        return made;
    }
}

/// The same; an exception that tells of an overflow is its reply where it `may_retry`, and nothing was shown yet.
template <class Message, class Model, class Request, class Stop>
reply<Message> ask_model(Model& model, Request const& request, delivery& sink, [[maybe_unused]] Stop const& stop,
                         [[maybe_unused]] bool may_retry) {
#if defined(__cpp_exceptions)
    try {
        return ask_model<Message>(model, request, sink);
    } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
        if (stop.stop_requested() || wraps_cancellation(problem)) throw;
        if (!may_retry || sink.delivered() || !overflow_of(0, problem.what())) throw;
        return {.error = {.status = 0, .text = problem.what()}};
    }
#else
    return ask_model<Message>(model, request, sink);
#endif
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
