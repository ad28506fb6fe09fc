// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <limits>

#include <condense/shorteners.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/mixes.hpp"

// Helpers of the tests of layers and of what these ask of models. Tokens are bytes.

namespace layers {

using namespace condense::literals;
using namespace notation;
using condense::always, condense::budget, condense::compress, condense::escalate, condense::fallback, condense::first;
using condense::head, condense::head_tail, condense::invalid_configuration, condense::last, condense::layer_outcome;
using condense::nothing, condense::offload, condense::outcome, condense::part_kind, condense::part_status;
using condense::part_view, condense::pipeline, condense::record, condense::reply, condense::role, condense::session;
using condense::sliding_window, condense::summarize, condense::task, condense::tools, condense::used;
using fakes::contains, fakes::shelf, mixes::holding, mixes::opened, mixes::window_of, mixes::window_to, tapes::tape;

template <class Mix>
auto reduced(conversation& messages, Mix const& mix, condense::tokens window = 1'000'000_tokens, bool marks = false) {
    return condense::reduce(messages, mix, {.window = window}, per_byte{}, condense::run_options<>{.marks = marks});
}
/// Whatever the report says.
template <class Mix>
void run(conversation& messages, Mix const& mix, condense::tokens window = 1'000'000_tokens, bool marks = false) {
    static_cast<void>(reduced(messages, mix, window, marks));
}
/// Why a mix does nothing.
template <class Mix>
std::string idle_note(Mix const& mix, conversation messages, condense::tokens window,
                      condense::run_options<> const& options = {}) {
    auto const report = condense::reduce(messages, mix, {.window = window}, per_byte{}, options);
    CHECK_FALSE(report.changed());
    return std::string{std::string_view{report.layers[0].note}};
}

/// The summary in the request of a session that was given these messages.
template <class Session>
std::string summary_after(Session&& session, conversation const& messages) {
    push(session, messages);
    REQUIRE(session.prepare().changed());
    return summary_in(session.request());
}

/// The numbers at which sums and products of 32 and 64 bits end.
inline std::uint64_t any_figure() {
    return GENERATE(as<std::uint64_t>{}, 0u, 1u, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
                    std::numeric_limits<std::uint64_t>::max());
}

}  // namespace layers
