// SPDX-License-Identifier: BSL-1.0

// How do I keep an agent loop on llama.cpp's own message type inside the window?

#include <cstddef>
#include <string>
#include <vector>

#if __has_include("llama.h") && __has_include("chat.h")
#include "chat.h"
#else  // the same members, for a machine without llama.cpp
struct common_chat_tool_call {
    std::string name, arguments, id;
};
struct common_chat_msg_content_part {
    std::string type, text;
};
struct common_chat_msg {
    std::string role, content;
    std::vector<common_chat_msg_content_part> content_parts;
    std::vector<common_chat_tool_call> tool_calls;
    std::string reasoning_content, tool_name, tool_call_id;
};
#endif

#include <condense/adapt/llama_cpp.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

/// Stands for common_chat_templates_apply, the model and common_chat_parse: reads forty logs, then says so.
common_chat_msg answer(std::vector<common_chat_msg> const& messages, int turn) {
    std::size_t open = 0;
    for (auto const& m : messages) {  // a template would refuse a result without its call
        if (m.role == "tool") check(open-- > 0);
        else check(open == 0);
        open += m.tool_calls.size();
    }
    common_chat_msg m;
    m.role = "assistant";
    m.reasoning_content = "I have read " + std::to_string(turn) + " logs.";
    if (turn == 40) m.content = "Nothing unusual.";
    else m.tool_calls.push_back({"read_log", "{\"day\":" + std::to_string(turn) + "}", "call_" + std::to_string(turn)});
    return m;
}

int main() {
    using namespace condense::literals;
    using condense::used;
    condense::pipeline const mix{condense::compress{.when = used >= 60_pct},
                                 condense::summarize{.when = used >= 80_pct}};
    condense::session session{std::vector<common_chat_msg>{}, mix, condense::budget{.window = 8'000_tokens}};

    common_chat_msg task;
    task.role = "user";
    task.content = "Read all the logs.";
    session.push(task);
    for (int turn = 0; session.history().back().content != "Nothing unusual."; ++turn) {
        check(session.prepare().fits());
        std::vector<common_chat_msg> messages;  // common_chat_templates_inputs::messages
        for (auto const& m : session.request()) messages.push_back(m);

        auto const reply = answer(messages, turn);
        session.push(reply);
        for (auto const& call : reply.tool_calls) {
            common_chat_msg result;
            result.role = "tool";
            result.content = "log of " + call.arguments + std::string(12'000, '.');
            result.tool_name = call.name;
            result.tool_call_id = call.id;
            session.push(result);
        }
    }
    check(session.history().size() == 82 &&
          session.history()[2].content.size() > 12'000);  // the originals are all there
    check(session.used().fits() && session.used().messages.count < 40);
}
