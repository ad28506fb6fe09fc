// SPDX-License-Identifier: BSL-1.0

// Which mix suits my conversations? Replays them with each, as an agent would have sent them.

#include <cstdio>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/replay.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;
using condense::used;

/// In place of your own: in each turn a file is read, and one that was read before is spoken of.
static std::vector<chat_message> recorded(int turns) {
    std::vector<chat_message> all{chat_message::system("You help with the files of one project.")};
    for (int turn = 0; turn < turns; ++turn) {
        auto const id = "call_" + std::to_string(turn);
        auto const file = "src/part_" + std::to_string(turn) + ".cpp";
        all.push_back(chat_message::user("What is in " + file + "?"));
        all.push_back(chat_message::call(id, "read_file", R"({"path":")" + file + R"("})"));
        all.push_back(chat_message::result(id, std::string(3'000, 'x')));
        all.push_back(chat_message::assistant(file + " is like src/part_" + std::to_string(turn / 2) + ".cpp."));
    }
    return all;
}

int main() {
    std::vector const told{condense::transcript{"short", recorded(10)}, condense::transcript{"long", recorded(60)}};

    auto const report = condense::compare(
        told, {.window = 8'000_tokens}, condense::prices{}, condense::named{"as it came", condense::pipeline{}},
        condense::named{"window", condense::pipeline{condense::sliding_window{.when = used >= 90_pct}}},
        condense::named{"recorded", [](auto& edges) {
                            return condense::pipeline{
                                condense::record{.to = edges.journal},
                                condense::offload{
                                    .over = 2'000_chars, .preview = {200_chars, 200_chars}, .into = edges.store},
                                condense::summarize{.when = used >= 80_pct, .with = edges.model},
                                condense::sliding_window{.when = used >= 90_pct}};
                        }});
    std::fputs(report.text().c_str(), stdout);

    auto const totals = report.totals();
    check(totals.size() == 3 && !totals[0].fits() && totals[1].fits() && totals[2].fits());
    check(totals[2].sent < totals[1].sent && totals[1].sent < totals[0].sent);
    check(totals[1].all_items().lost > 0 && totals[2].all_items().lost == 0);
    check(totals[0].violations + totals[1].violations + totals[2].violations == 0);
}
