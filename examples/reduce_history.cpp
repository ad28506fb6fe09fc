// SPDX-License-Identifier: BSL-1.0

// How do I keep the history that my program already has inside the context window?

#include <string>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::used;

int main() {
    std::vector<nlohmann::json> history;
    history.push_back({{"role", "system"}, {"content", "Be brief."}});
    history.push_back({{"role", "user"}, {"content", "Why does the build fail?"}});
    std::string log;
    while (log.size() < 15'000) log += "10:04:31 INFO compiled src/main.cpp in 12 ms\n";
    for (int call = 0; call < 30; ++call) {
        auto const id = "call_" + std::to_string(call);
        nlohmann::json const asks{
            {"id", id}, {"type", "function"}, {"function", {{"name", "read_log"}, {"arguments", "{}"}}}};
        history.push_back({{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {asks}}});
        history.push_back({{"role", "tool"}, {"tool_call_id", id}, {"content", log}});
    }
    condense::memory_store const store;

    auto const mix = condense::pipeline{
        condense::offload{.over = 10'000_chars, .into = store}, condense::compress{.when = used >= 65_pct},
        condense::summarize{.when = used >= 80_pct}, condense::sliding_window{.when = used >= 90_pct},
        condense::escalate{.when = used >= 90_pct, .passes = 2}};

    static_assert(condense::has_last_resort<decltype(mix)>);  // it fits, or the report says what is left

    auto const report = condense::reduce(history, mix, {.window = 32'000_tokens});
    check(report.fits());
    check(report.after.tokens <= 32'000_tokens && history.size() < 62);
    check(store.size() == 1);  // equal results are stored once
}
