// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <set>

#include <condense/detail/utf8.hpp>
#include <condense/shorteners.hpp>

#include "support/catch.hpp"
#include "support/mixes.hpp"

// What the acceptance cases share: figures that are exact, runs, and whether calls and results are pairs.

namespace cases {

using namespace condense::literals;
using namespace notation;
using condense::always, condense::at_least, condense::at_most, condense::compress, condense::covering;
using condense::escalate, condense::first, condense::head, condense::head_tail, condense::invalid_configuration;
using condense::last, condense::layer_outcome, condense::newest, condense::nothing, condense::offload,
    condense::outcome;
using condense::part_kind, condense::percent, condense::pipeline, condense::role, condense::sliding_window;
using condense::summarize, condense::task, condense::tools, condense::used;
using fakes::contains, fakes::model, fakes::occurrences, fakes::repeated, fakes::roomy, fakes::saying, fakes::shelf;
using mixes::window_of, mixes::window_to;
using list = std::vector<int>;

/// One token a code point and nothing for frames, so that figures are exact.
struct per_char {
    condense::cost operator()(std::string_view text) const {
        return condense::cost::of({condense::detail::utf8::count(text)});
    }
};

inline bool answers_calls(chat_message const& m) {
    return std::ranges::any_of(m.parts, [](auto const& part) { return part.kind == part_kind::tool_result; });
}

/// Empty where every result follows, in the run directly after its call message, a call with the same
/// id, and every call except those of the last round has its results; else what is wrong.
inline std::string broken(conversation const& messages) {
    std::set<std::string> waiting;
    std::set<std::string> declared;
    for (std::size_t index = 0; index < messages.size(); ++index) {
        auto const at = " at " + std::to_string(index);
        if (!answers_calls(messages[index])) {
            if (!waiting.empty()) return "a call without result before the message" + at;
            declared.clear();
        }
        for (auto const& part : messages[index].parts) {
            if (part.kind == part_kind::tool_call) {
                declared.insert(part.call);
                waiting.insert(part.call);
            } else if (part.kind == part_kind::tool_result) {
                if (declared.count(part.call) == 0) return "a result without call" + at;
                waiting.erase(part.call);
            }
        }
    }
    return {};
}

/// Tokens under the exact counter.
inline std::uint64_t size_of(conversation const& messages) { return recount(messages, per_char{}).tokens().count; }

template <class Mix>
auto run(conversation& messages, Mix const& mix, condense::budget limits = roomy) {
    return condense::reduce(messages, mix, limits, per_char{});
}

/// What a conversation becomes.
template <class Mix>
conversation after(conversation messages, Mix const& mix, condense::budget limits = roomy) {
    static_cast<void>(run(messages, mix, limits));
    return messages;
}

}  // namespace cases
