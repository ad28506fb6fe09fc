// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/quantity.hpp>

// The notation of conversations in tests:
// conversation{S("rules"), U("the task"), C("1", "read"), R("1", "output"), A("done")}.

namespace notation {

using condense::chat_message;
using condense::part_kind;
using condense::part_status;
using conversation = std::vector<chat_message>;

/// One token a byte of text and nothing for frames, so that figures are exact.
struct per_byte {
    constexpr condense::cost operator()(std::string_view text) const noexcept {
        return condense::cost::of({text.size()});
    }
};

constexpr std::string letters(std::size_t count, char which = 'x') { return std::string(count, which); }

// S, U, A are text messages of the system, the user and the assistant, C a message with a call, R a result.
inline chat_message S(std::string text = "s") { return chat_message::system(std::move(text)); }
inline chat_message U(std::string text = "u") { return chat_message::user(std::move(text)); }
inline chat_message A(std::string text = "a") { return chat_message::assistant(std::move(text)); }
inline chat_message C(std::string id, std::string tool = "t", std::string arguments = "{}") {
    return chat_message::call(std::move(id), std::move(tool), std::move(arguments));
}
inline chat_message R(std::string id, std::string text = "r", part_status status = part_status::ok) {
    return chat_message::result(std::move(id), std::move(text), status);
}
/// One message with the parts of both.
inline chat_message joined(chat_message m, chat_message const& more) {
    m.parts.insert(m.parts.end(), more.parts.begin(), more.parts.end());
    return m;
}
/// Two parallel calls, and both results in one message.
inline chat_message CC(std::string id, std::string other) { return joined(C(std::move(id)), C(std::move(other))); }
inline chat_message RR(std::string id, std::string other) { return joined(R(std::move(id)), R(std::move(other))); }

/// The message at a cost that the test names, whatever its text.
inline chat_message costing(chat_message m, condense::tokens count) {
    m.parts.front().cost = condense::cost::of(count);
    return m;
}
/// The message with a thought before its parts.
inline chat_message thinking(chat_message m, std::string thought = "hm", bool sealed = true) {
    m.parts.insert(m.parts.begin(), {.kind = part_kind::reasoning, .text = std::move(thought), .sealed = sealed});
    return m;
}
inline chat_message pinned(chat_message m) {
    m.pinned = true;
    return m;
}

inline conversation& operator+=(conversation& left, conversation const& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}
inline conversation operator+(conversation left, conversation const& right) { return left += right; }

// Each message may carry its index in its name, m0, m1, …, by which it is known again.

inline chat_message named(chat_message m, std::size_t index) {
    m.name = "m" + std::to_string(index);
    return m;
}
inline conversation numbered(conversation messages) {
    for (std::size_t index = 0; index < messages.size(); ++index) messages[index].name = "m" + std::to_string(index);
    return messages;
}
/// -1 for a message that the library wrote.
inline int index_of(chat_message const& m) { return m.name.empty() ? -1 : std::stoi(m.name.substr(1)); }
/// Where the messages of a reduced conversation stood.
inline std::vector<int> indices(conversation const& messages) {
    std::vector<int> all;
    for (auto const& m : messages) all.push_back(index_of(m));
    return all;
}

/// Message `index` of a conversation in which a user and an assistant take turns.
inline chat_message turn(std::size_t index, std::size_t size = 200) {
    auto const text = std::to_string(index) + " " + letters(size, index % 2 == 0 ? 'q' : 'a');
    return named(index % 2 == 0 ? U(text) : A(text), index);
}
inline conversation turns(std::size_t count) {
    conversation all;
    for (std::size_t index = 0; index < count; ++index) all.push_back(turn(index));
    return all;
}

/// A task, rounds of a call and its result, and an end: tools are "read" and "shell" in turn.
inline conversation rounds_of(std::vector<std::string> const& results) {
    conversation all{U("task")};
    for (std::size_t round = 0; round < results.size(); ++round) {
        auto const id = std::to_string(round);
        all += {C(id, round % 2 == 0 ? "read" : "shell"), R(id, results[round])};
    }
    return all += {A("done"), U("thanks")};
}

/// The text of the first part.
inline std::string const& text_of(chat_message const& m) {
    static std::string const none;
    return m.parts.empty() ? none : m.parts.front().text;
}
/// The texts of all parts.
inline std::string words(chat_message const& m) {
    std::string all;
    for (auto const& part : m.parts) all += part.text;
    return all;
}
/// The texts of the parts of one kind, in order.
template <class Messages>
std::vector<std::string> texts(Messages const& messages, part_kind kind = part_kind::tool_result) {
    std::vector<std::string> all;
    for (auto const& m : messages)
        condense::each_part(m, [&](condense::part_view const& part) {
            if (part.kind == kind) all.emplace_back(part.text);
        });
    return all;
}

/// The present text of the result of the call with this id; empty if it is not among the messages.
template <class Messages>
std::string result_in(Messages const& messages, std::string_view id) {
    for (chat_message const& m : messages)
        for (auto const& part : m.parts)
            if (part.kind == part_kind::tool_result && part.call == id) return part.text;
    return {};
}

/// What an estimator makes of messages, with what parts cost by themselves.
template <class Estimator = per_byte>
condense::cost recount(conversation const& messages, Estimator const& count = {}) {
    condense::cost sum;
    for (auto const& m : messages) {
        if constexpr (requires { count.frame(m.role); }) sum += count.frame(m.role);
        for (auto const& part : m.parts) {
            sum += (part.cost ? *part.cost : count(part.text)) + part.beside;
            if constexpr (requires { count.frame(condense::part_view{}); })
                sum += count.frame(condense::part_view{.kind = part.kind, .tool = part.tool, .call = part.call});
        }
    }
    return sum;
}

/// The text of the summary among messages; empty without one.
template <class Messages>
std::string summary_in(Messages const& messages) {
    for (auto const& m : messages)
        for (auto const& part : m.parts)
            if (part.text.find("<summary>") != std::string::npos) return part.text;
    return {};
}

template <class Session>
void push(Session& session, conversation const& messages) {
    for (auto const& m : messages) session.push(m);
}
/// What a session would send.
template <class Session>
conversation sent(Session const& session) {
    auto const request = session.request();
    return {request.begin(), request.end()};
}

}  // namespace notation
