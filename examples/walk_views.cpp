// SPDX-License-Identifier: BSL-1.0

// How do I look at a history as the layers do, without changing it?

#include <cstddef>
#include <string>
#include <vector>

#include <range/v3/algorithm/count_if.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/view/transform.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;
using condense::used;

int main() {
    std::vector<chat_message> history{chat_message::system("Be brief.")};
    std::string log;
    while (log.size() < 12'000) log += "10:04:31 INFO served /index.html in 12 ms\n";
    for (int turn = 0; turn < 20; ++turn) {
        auto const id = std::to_string(turn);
        history.push_back(chat_message::user("Read log " + id + "."));
        history.push_back(chat_message::call(id, "read_log", "{}"));
        history.push_back(chat_message::result(id, log));
        history.push_back(chat_message::assistant("Nothing unusual."));
    }
    auto const mix = condense::pipeline{condense::compress{.when = used >= 20_pct},
                                        condense::sliding_window{.when = used >= 50_pct}};

    namespace views = condense::views;

    // Calls with their results, and messages that stand alone.
    auto const rounds = ranges::count_if(history | views::groups, [](auto const& group) { return group.size() > 1; });

    // What fits a small prompt, for instance of a second model: nothing is copied.
    auto const recent = history | views::newest_within(7'000_tokens);

    // What would be sent; a message is made only when it is looked at.
    auto const sent = views::of(condense::dry_run(history, mix, {.window = 32'000_tokens}));
    auto const sizes = sent | ranges::views::transform([](chat_message const& m) { return m.parts[0].text.size(); });

    check(rounds == 20);
    check(recent.size() == 5 && &recent.back() == &history.back());
    check(sent.size() < history.size() && &sent.front() == &history.front());
    check(ranges::accumulate(sizes, std::size_t{0}) < 60'000);
    check((history | views::window(10_messages)).size() <= 10);
    check(history.size() == 81);
}
