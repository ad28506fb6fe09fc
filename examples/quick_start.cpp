// SPDX-License-Identifier: BSL-1.0

// How do I begin? A history, a budget with room for the answer and the tool schemas, and the pipeline to begin with; or
// one of my own.

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/preset/recommended.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;
using condense::used;

namespace {

/// In place of your client.
std::string ask_model(std::string const& prompt) {
    return "The logs were read; " + std::to_string(prompt.size() % 7) + " of them failed.";
}

std::vector<chat_message> long_history() {
    std::vector<chat_message> all{chat_message::system("Be brief."), chat_message::user("Which logs show a failure?")};
    for (int call = 0; call < 60; ++call) {
        auto const id = std::to_string(call);
        all.push_back(chat_message::call(id, "read_log", R"({"name":"log )" + id + R"("})"));
        all.push_back(chat_message::result(id, std::string(12'000, static_cast<char>('a' + call % 26))));
    }
    return all;
}

}  // namespace

int main() {
    std::vector<chat_message> history = long_history();

    condense::memory_journal const journal;  // or journal_folder{"journal"}, which outlives the process
    condense::memory_store const store;  // or artifact_folder{"artifacts"}
    auto const model = [](std::string_view prompt) { return ask_model(std::string{prompt}); };
    auto const mix = condense::presets::recommended(journal, store, model);

    // The model's window; of it for the answer; and tool schemas and a system prompt that are not among the messages.
    condense::budget const room{.window = 32'000_tokens, .output = 4'000_tokens, .overhead = 1'500_tokens};

    auto const report = condense::reduce(history, mix, room);
    if (std::cout << report; !report.fits()) return 1;  // prints what each layer did

    check(report.after.tokens <= room.input() && history.size() < 122);

    condense::pipeline const own{
        condense::offload{.over = 10'000_chars, .into = store},  // large results: a preview and a reference
        condense::compress{.when = used >= 65_pct, .over = 3'000_chars},  // then the ends of what is still long
        condense::summarize{.when = used >= 80_pct},  // then one summary of the oldest messages, here by rule
        condense::sliding_window{.when = used >= 90_pct},  // then the oldest messages go
        condense::escalate{.when = used >= 90_pct}};  // the same again, harder

    history = long_history();
    check(condense::reduce(history, own, room).fits());
    check(store.size() == 26);  // equal results are stored once
}
