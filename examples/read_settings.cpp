// SPDX-License-Identifier: BSL-1.0

// How do I let whoever runs my program set the limits, without building it anew?

#include <cstdio>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/config/settings.hpp>
#include <condense/store/memory.hpp>

#include "check.hpp"

int main() {
    using condense::chat_message;
    using namespace condense::literals;
    using condense::used;

    auto const set = condense::settings::from_environment();
    if (!set) {
        std::fprintf(stderr, "%s\n", set.error().text().c_str());
        return 2;
    }
    auto const within = [](condense::chars most) {
        return condense::head_tail{.head = most, .tail = most, .at_most = most};
    };
    condense::memory_store const store;
    condense::pipeline const mix{
        condense::offload{
            .over = set->artifact_threshold, .preview = {set->preview_end(), set->preview_end()}, .into = store},
        // What could not be stored.
        condense::compress{.when = condense::always, .over = set->result_cap, .with = within(set->result_cap)},
        condense::compress{.when = used >= set->due_at(), .over = set->truncate_to, .with = within(set->truncate_to)},
        condense::sliding_window{
            .when = used > set->window_messages || used >= 90_pct,
            .protect = condense::task | condense::first(set->preserve_first) | condense::last(set->last_preserved())}};

    std::vector<chat_message> history;
    for (int turn = 0; turn < 60; ++turn) {
        auto const id = std::to_string(turn);
        history.push_back(chat_message::user("Read log " + id + "."));
        history.push_back(chat_message::call(id, "read_log", "{}"));
        history.push_back(chat_message::result(id, std::string(12'000, static_cast<char>('a' + turn % 26))));
    }
    check(condense::reduce(history, mix, set->budget()).fits());
    check(history.size() <= set->window_messages.count && store.size() == 26);

    auto const refused = condense::settings::from_environment(
        "CONDENSE_", [](std::string const& name) { return std::string{name == "CONDENSE_THRESHOLD" ? "65" : ""}; });
    check(!refused && refused.error().name == "CONDENSE_THRESHOLD");
}
