// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

// What a model is to this program, whoever answers: messages in OpenAI's chat shape to a reply.

namespace repl {

using json = nlohmann::json;
using reply = condense::reply<json>;

/// Takes each piece of an answer as it comes.
using sink = std::function<void(std::string_view)>;
/// Gives a message or an error, never an exception.
using model = std::function<reply(json::array_t const& messages, sink const& piece)>;

/// Writes a summary, or says why not.
using summariser = std::function<condense::reply<std::string>(condense::model_prompt const&, condense::ask_limits)>;

inline reply failed(int status, std::string text) { return {.error = {status, std::move(text)}}; }

/// A copy of what is to be sent.
inline json::array_t copied(auto const& request) {
    json::array_t sent;
    for (auto const& message : request) sent.push_back(message);
    return sent;
}

/// A string member, or nothing where the member is missing or of another type.
inline std::string_view text_member(json const& object, char const* key) {
    if (!object.is_object()) return {};
    auto const found = object.find(key);
    return found == object.end() || !found->is_string() ? std::string_view{}
                                                        : std::string_view{found->get_ref<std::string const&>()};
}

/// A member, or null where there is none.
inline json const& member(json const& object, char const* key) {
    static json const none;
    if (!object.is_object()) return none;
    auto const found = object.find(key);
    return found == object.end() ? none : *found;
}

struct tool_call {
    std::string id = {};
    std::string name = {};
    std::string arguments = {};
};

/// A message of a model: its words, and the tools that it calls.
inline json answer(std::string text, std::vector<tool_call> const& calls = {}) {
    auto made = json::object({{"role", "assistant"}, {"content", std::move(text)}});
    for (auto const& call : calls)
        made["tool_calls"].push_back({{"id", call.id},
                                      {"type", "function"},
                                      {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
    return made;
}

inline std::vector<tool_call> calls_of(json const& message) {
    std::vector<tool_call> calls;
    auto const& held = member(message, "tool_calls");
    if (!held.is_array()) return calls;
    for (auto const& each : held) {
        auto const& function = member(each, "function");
        calls.push_back({std::string{text_member(each, "id")}, std::string{text_member(function, "name")},
                         std::string{text_member(function, "arguments")}});
    }
    return calls;
}

}  // namespace repl
