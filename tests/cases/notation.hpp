// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

// The notation of the acceptance cases: S, U, A are text messages, C a message with calls, R a result.

namespace cases {

using namespace condense::literals;
using condense::chat_message;
using condense::used;
using conversation = std::vector<chat_message>;
using list = std::vector<int>;

/// One token a code point and nothing for frames, so that figures are exact.
struct per_char {
    condense::cost operator()(std::string_view text) const {
        return condense::cost::of({condense::detail::utf8::count(text)});
    }
};

/// More room than any case takes.
inline constexpr condense::budget roomy{.window = {1'000'000'000}};

inline std::string letters(std::size_t count, char which = 'x') { return std::string(count, which); }

inline chat_message S(std::string text = "s") { return chat_message::system(std::move(text)); }
inline chat_message U(std::string text = "u") { return chat_message::user(std::move(text)); }
inline chat_message A(std::string text = "a") { return chat_message::assistant(std::move(text)); }
inline chat_message C(std::string id, std::string tool = "t", std::string arguments = "{}") {
    return chat_message::call(std::move(id), std::move(tool), std::move(arguments));
}
inline chat_message R(std::string id, std::string text = "r") {
    return chat_message::result(std::move(id), std::move(text));
}
/// Two parallel calls, and both results in one message.
inline chat_message CC(std::string id, std::string other) {
    return C(std::move(id)).and_call(std::move(other), "t", "{}");
}
inline chat_message RR(std::string id, std::string other) {
    auto both = R(std::move(id));
    both.parts.push_back(R(std::move(other)).parts.front());
    return both;
}

/// The message at a cost that the case names, whatever its text.
inline chat_message costing(chat_message m, condense::tokens count) {
    m.parts.front().cost = condense::cost::of(count);
    return m;
}

inline conversation operator+(conversation left, conversation const& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

/// Each message carries its index in its name, by which `indices` knows it again.
inline conversation numbered(conversation messages) {
    for (std::size_t index = 0; index < messages.size(); ++index) messages[index].name = std::to_string(index);
    return messages;
}

/// Where the messages of a reduced conversation stood; -1 for those the library wrote.
inline list indices(conversation const& messages) {
    list out;
    for (auto const& m : messages) out.push_back(m.name.empty() ? -1 : std::stoi(m.name));
    return out;
}

inline std::string const& text_of(chat_message const& m) { return m.parts.front().text; }

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
inline std::uint64_t size_of(conversation const& messages) {
    condense::cost sum;
    for (auto const& m : messages)
        for (auto const& part : m.parts) sum += part.cost ? *part.cost : per_char{}(part.text);
    return sum.tokens().count;
}

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
