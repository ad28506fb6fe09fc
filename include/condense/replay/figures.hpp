// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/quantity.hpp>
#include <condense/detail/items.hpp>
#include <condense/session/statistics.hpp>

// The figures of one mix on one conversation: requests, tokens, money, prompt-cache hits, and what later turns needed
// and could still see.

namespace condense {
inline namespace v1 {

/// Items that answers took from earlier messages, by where they were when the answer was asked for.
struct fidelity {
    std::uint64_t visible = 0;  ///< in a request that fits the input
    std::uint64_t recoverable = 0;  ///< one search or one reading away, within 2,000 tokens
    std::uint64_t lost = 0;  ///< neither in the request nor within reach
    std::uint64_t labelled = 0;  ///< of the visible ones, behind a label that they had before
    std::uint64_t in_line = 0;  ///< of the visible ones, in a line of an earlier message

    /// Items that were needed.
    constexpr std::uint64_t total() const noexcept { return visible + recoverable + lost; }
    constexpr fidelity& operator+=(fidelity const& more) noexcept {
        visible += more.visible;
        recoverable += more.recoverable;
        lost += more.lost;
        labelled += more.labelled;
        in_line += more.in_line;
        return *this;
    }
    friend constexpr bool operator==(fidelity const&, fidelity const&) = default;
};

/// One request of a replay, before one answer.
struct request_figures {
    std::uint64_t message = 0;  ///< the answer's number in the conversation
    tokens sent = {};
    tokens cached = {};  ///< of `sent`, the front that equals the front of the request before
    bool reduced = false;  ///< a run changed something just before it

    friend constexpr bool operator==(request_figures const&, request_figures const&) = default;
};

/// All figures of one mix on one conversation, or their sums over several. Tokens are estimates of the replay's
/// estimator; sums saturate.
struct replay_figures {
    std::string mix = {};
    std::string conversation = {};  ///< empty in a sum

    std::uint64_t conversations = 1;
    std::uint64_t requests = 0;
    std::uint64_t over = 0;  ///< requests larger than the input, not reported as exhausted
    std::uint64_t exhausted = 0;  ///< requests larger than the input: nothing more could be removed
    tokens sent = {};  ///< in all requests together
    tokens peak = {};  ///< the largest request; the largest of all in a sum
    tokens answered = {};  ///< output of the agent's model
    tokens cached = {};  ///< of `sent`, read from the prompt cache
    std::uint64_t hits = 0;  ///< requests that began with all of the one before

    std::uint64_t reductions = 0;  ///< runs that changed something
    tokens bound = {};  ///< reasoning that left because its provider binds it to what a layer has changed
    std::uint64_t model_calls = 0;  ///< of layers
    std::uint64_t model_failures = 0;  ///< of those of `edges.model`: no summary came, but an error or a refusal
    tokens model_input = {};  ///< as the layers' models report it
    tokens model_output = {};
    std::uint64_t money = 0;  ///< millionths of the currency of the prices, for agent and layers
    std::uint64_t model_money = 0;  ///< of that, for the model calls of layers

    std::array<fidelity, item_kinds> items = {};
    std::uint64_t edits = 0;  ///< old texts of edits that stood exactly in an earlier message
    std::uint64_t edits_visible = 0;  ///< of these, exactly in one part of a request that fits the input
    // By request, of what was told before it: what there was, and what it shows, if it fits the input. See told_index.
    std::uint64_t tasks = 0;  ///< the first message of the user that asks for something
    std::uint64_t tasks_visible = 0;
    std::uint64_t words = 0;  ///< other messages of the user
    std::uint64_t words_visible = 0;
    std::uint64_t actions = 0;  ///< calls that changed something, by their subject
    std::uint64_t actions_visible = 0;
    std::vector<layer_statistics> layers = {};  ///< in the order of the pipeline
    instant time = {};  ///< spent in the library, by the clock of the options

    std::uint64_t violations = 0;  ///< of the laws, by a checker that shares no code with the draft
    std::vector<std::string> first_violations = {};  ///< eight at most
    std::vector<request_figures> turns = {};  ///< empty in a sum

    /// The items of all kinds together.
    constexpr fidelity all_items() const noexcept {
        fidelity sum;
        for (auto const& kind : items) sum += kind;
        return sum;
    }
    /// True if no request was larger than the input.
    bool fits() const noexcept { return over == 0 && exhausted == 0; }
};

}  // namespace v1
}  // namespace condense
