// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <condense/condense.hpp>

#include "support/fakes.hpp"
#include "support/notation.hpp"

// Pipelines and sessions that many tests share, so that each is compiled once in a program. Tokens are bytes.
//
//  layers
//    window_of(n)             keeps at most n messages; protects nothing of its own
//    window_to(when, until)   drops from a share of the input to another; when alone: until the default
//    seven_to_four(model...)  one summary in place of what is more than four of over six messages, the last two
//    excepted head_and_tail(store...)  results over 1,000 characters by their ends; with a store: moved to it
//  pipelines
//    window                   sliding_window at 90 %
//    window_to_half           sliding_window from 90 % down to 50 %
//    summary_then_window      summary at 60 %, task and last two messages excepted; window at 90 %
//    three_layers             compress at 30 %, summary at 60 %, window at 90 %
//    escalating               window and escalate
//    recording(journal)       record, window at 80 %
//    keeping(journal, store)  record, offload over 1,000 characters, window from 90 % to 50 %
//  sessions
//    session_of<Mix>          over a conversation; windowed, summarizing: of the pipelines of these names
//    opened(mix, limits...)   empty; holding(mix, messages, limits...)
//    miscounted(session)      empty where the figures are those of the request, else which is wrong

namespace mixes {

using namespace condense::literals;
using condense::pipeline;
using condense::used;
using notation::conversation, notation::per_byte;

// Layers

constexpr auto window_of(condense::messages most) {
    return condense::sliding_window{.when = used > most, .until = used <= most, .protect = condense::nothing};
}
constexpr auto window_to(condense::percent when) { return condense::sliding_window{.when = used >= when}; }
constexpr auto window_to(condense::percent when, condense::percent until) {
    return condense::sliding_window{.when = used >= when, .until = used <= until};
}
constexpr auto seven_to_four() {
    return condense::summarize{
        .when = used > 6_messages, .until = used <= 4_messages, .protect = condense::last(2_messages)};
}
template <class Model>
auto seven_to_four(Model const& with) {
    return condense::summarize{
        .when = used > 6_messages, .until = used <= 4_messages, .protect = condense::last(2_messages), .with = with};
}
constexpr condense::head_tail ends{.head = 100_chars, .tail = 100_chars};
constexpr auto head_and_tail() {
    return condense::compress{.when = condense::always, .over = 1'000_chars, .with = ends};
}
template <class Store>
auto head_and_tail(Store const& store) {
    return condense::offload{.over = 1'000_chars, .preview = ends, .into = store};
}

// Pipelines

inline auto const window = pipeline{window_to(90_pct)};
inline auto const window_to_half = pipeline{window_to(90_pct, 50_pct)};
inline auto const summary_then_window =
    pipeline{condense::summarize{.when = used >= 60_pct, .protect = condense::task | condense::last(2_messages)},
             window_to(90_pct)};
inline auto const three_layers =
    pipeline{condense::compress{.when = used >= 30_pct, .over = 500_chars, .with = ends},
             condense::summarize{.when = used >= 60_pct, .protect = condense::task | condense::last(4_messages)},
             window_to(90_pct)};
inline auto const escalating = pipeline{condense::sliding_window{}, condense::escalate{}};
template <class Journal>
auto recording(Journal const& journal) {
    return pipeline{condense::record{.to = journal}, window_to(80_pct)};
}
template <class Journal, class Store>
auto keeping(Journal const& journal, Store const& store) {
    return pipeline{condense::record{.to = journal}, head_and_tail(store), window_to(90_pct, 50_pct)};
}

// Sessions

template <class Mix, class Options = condense::run_options<>>
using session_of = condense::session<conversation, Mix, per_byte, Options>;
using windowed = session_of<std::remove_const_t<decltype(window)>>;
using summarizing = session_of<std::remove_const_t<decltype(summary_then_window)>>;

template <class Mix, class Options = condense::run_options<>>
auto holding(Mix const& mix, conversation messages, condense::budget limits = fakes::roomy, Options options = {}) {
    return condense::session{std::move(messages), mix, limits, per_byte{}, std::move(options)};
}
template <class Mix, class Options = condense::run_options<>>
auto opened(Mix const& mix, condense::budget limits = fakes::roomy, Options options = {}) {
    return holding(mix, {}, limits, std::move(options));
}

template <class Session>
std::string miscounted(Session const& session) {
    std::uint64_t turns = 0;
    auto const request = notation::sent(session);
    for (auto const& m : request) {
        bool words = false;
        for (auto const& part : m.parts)
            words = words || (part.kind != condense::part_kind::tool_result && part.call.empty());
        turns += m.role == condense::role::user && words && m.parts[0].text.find("<summary>") == std::string::npos;
    }
    if (session.request().size() != request.size()) return "size";
    if (session.used().tokens != notation::recount(request).tokens()) return "tokens";
    if (session.used().messages.count != request.size()) return "messages";
    if (session.used().turns.count != turns) return "turns";
    return {};
}

}  // namespace mixes
