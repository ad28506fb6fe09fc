// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <condense/condense.hpp>
#include <condense/detail/utf8.hpp>

#include "support/notation.hpp"

// What the acceptance cases share: figures that are exact, runs, and whether calls and results are pairs.

namespace cases {

using namespace condense::literals;
using namespace notation;
using condense::used;
using list = std::vector<int>;

/// One token a code point and nothing for frames, so that figures are exact.
struct per_char {
    condense::cost operator()(std::string_view text) const {
        return condense::cost::of({condense::detail::utf8::count(text)});
    }
};

/// More room than any case takes.
inline constexpr condense::budget roomy{.window = {1'000'000'000}};

inline bool contains(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

inline std::size_t occurrences(std::string_view text, std::string_view words) {
    std::size_t found = 0;
    for (auto at = text.find(words); at != std::string_view::npos; at = text.find(words, at + words.size())) ++found;
    return found;
}

inline bool answers_calls(chat_message const& m) {
    for (auto const& part : m.parts)
        if (part.kind == condense::part_kind::tool_result) return true;
    return false;
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
            if (part.kind == condense::part_kind::tool_call) {
                declared.insert(part.call);
                waiting.insert(part.call);
            } else if (part.kind == condense::part_kind::tool_result) {
                if (declared.count(part.call) == 0) return "a result without call" + at;
                waiting.erase(part.call);
            }
        }
    }
    return {};
}

/// Tokens under the exact counter.
inline std::uint64_t size_of(conversation const& messages) { return recount(messages, per_char{}).tokens().count; }

/// Drops the oldest groups while there are more messages than the window holds; nothing is protected
/// beyond what the laws protect.
constexpr auto window(condense::messages most) {
    return condense::sliding_window{.when = used > most, .until = used <= most, .protect = condense::nothing};
}

template <class... Layers>
auto run(conversation& messages, condense::pipeline<Layers...> const& mix, condense::budget limits = roomy) {
    return condense::reduce(messages, mix, limits, per_char{});
}

/// What a conversation becomes.
template <class... Layers>
conversation after(conversation messages, condense::pipeline<Layers...> const& mix, condense::budget limits = roomy) {
    static_cast<void>(run(messages, mix, limits));
    return messages;
}

}  // namespace cases
