// SPDX-License-Identifier: BSL-1.0

// How does the agent get back what has left its conversation? With tools that read and search its store and journal.

#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/recovery/prompt.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;

int main() {
    condense::memory_store const store;
    condense::memory_journal const journal;
    condense::pipeline const mix{condense::record{.to = journal},
                                 condense::offload{.over = 10'000_chars, .into = store, .words = condense::tool_words},
                                 condense::sliding_window{.when = condense::used >= 90_pct}};
    condense::recovery_tools const tools{
        store, journal, {.conversation = "logs"}, condense::message_text<chat_message>{}};

    auto const definitions = tools.definitions(condense::tool_format::openai);  // for `tools` of each request
    auto const advice = condense::recovery_prompt(mix, tools);                  // for the system message

    condense::session session{std::vector{chat_message::system("You read logs.\n" + advice)},
                              mix,
                              condense::budget{.window = 32'000_tokens},
                              {},
                              condense::run_options{.conversation = "logs"}};
    auto const run = [&](std::string const& id, std::string_view tool, std::string_view arguments) {
        auto const result = tools.call(tool, arguments);  // the text, and whether it is an error
        session.push(chat_message::call(id, std::string{tool}, std::string{arguments}));
        session.push(chat_message::result(id, result.text));
        return result.text;
    };

    session.push(chat_message::user("Read the log."));
    session.push(chat_message::call("1", "read_log", "{}"));
    session.push(chat_message::result("1", std::string(12'000, '.') + "\ndisk full\n" + std::string(12'000, '.')));

    std::string shown;  // what the model sees of the result
    for (auto const& m : session.request()) shown = m.parts[0].text;
    auto const words = shown.find("read_artifact gives the whole of ");
    check(words != std::string::npos && shown.find("disk full") == std::string::npos);

    check(run("2", "search_history", R"({"query":"disk full"})").find("message 3") != std::string::npos);
    auto const reference = shown.substr(words + 33, 24);
    auto const page = run("3", "read_artifact", R"({"reference":")" + reference + R"(","offset":11990})");
    check(page.find("disk full") != std::string::npos);
    for (auto const& m : session.request()) shown = m.parts[0].text;
    check(shown == page);  // what was read back is not stored again
    check(tools.call("read_artifact", R"({"reference":"../../etc/passwd"})").is_error);
    check(definitions.find("search_artifacts") != std::string::npos &&
          advice.find("search_history") != std::string::npos);
}
