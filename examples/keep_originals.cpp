// SPDX-License-Identifier: BSL-1.0

// How do I reduce a conversation so that nothing can be lost, not even when the process ends?

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/file.hpp>

#include "check.hpp"

int main() {
    using condense::chat_message;
    using namespace condense::literals;
    using condense::used;

    std::filesystem::remove_all("sessions");
    std::filesystem::remove_all("artifacts");

    condense::journal_folder const journal{"sessions"};
    condense::artifact_folder const store{"artifacts"};
    condense::pipeline const mix{condense::record{.to = journal},
                                 condense::offload{.over = 10'000_chars, .into = store},
                                 condense::sliding_window{.when = used >= 90_pct}};
    static_assert(condense::recoverable<decltype(mix)> && condense::durable<decltype(mix)>);

    // Secrets stay in the conversation, and do not reach the disk.
    auto const options = condense::run_options{.conversation = "logs", .redact = condense::known_secrets{}};

    std::vector<chat_message> history;
    std::vector<chat_message> originals;
    for (int turn = 0; turn < 30; ++turn) {
        auto const id = std::to_string(turn);
        for (auto& m : {chat_message::user("Read log " + id + "."), chat_message::call(id, "read_log", "{}"),
                        chat_message::result(id, std::string(12'000, static_cast<char>('a' + turn % 26))),
                        chat_message::assistant("Nothing unusual.")}) {
            history.push_back(m);
            originals.push_back(m);
        }
        check(condense::reduce(history, mix, {.window = 8'000_tokens}, {}, options).fits());
    }
    history.push_back(chat_message::user("Log in with password=hunter22."));
    originals.push_back(chat_message::user("Log in with password=[redacted: password]"));
    check(condense::reduce(history, mix, {.window = 8'000_tokens}, {}, options).redactions() == 1);
    check(history.size() < originals.size());

    // Also in a later process: every message as it came, once each.
    std::vector<chat_message> recorded;
    auto const problem = journal.read("logs", [&](condense::journal_entry const& line, std::string_view content) {
        if (!line.is_derived) recorded.push_back(condense::from_bytes<chat_message>(content).value());
    });
    check(!problem && recorded == originals);
    check(store.get(store.name(std::string(12'000, 'c'))) == std::string(12'000, 'c'));
}
