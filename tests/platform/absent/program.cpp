// SPDX-License-Identifier: BSL-1.0
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

// Programs of one source: with all layers and an observer where EVERYTHING is defined, with the one layer that ALONE
// names, else with two layers.

int main(int count, char**) {
    using namespace condense::literals;
    using condense::used;

    std::vector<condense::chat_message> history;
    for (int turn = 0; turn < 9 + count; ++turn) {
        history.push_back(condense::chat_message::user("Read the file."));
        history.push_back(condense::chat_message::call("c", "read", "{}"));
        history.push_back(condense::chat_message::result("c", std::string(20'000, 'x')));
        history.push_back(condense::chat_message::assistant("Done."));
    }
    condense::pipeline const mix{
#ifdef ALONE
        condense::ALONE,
#else
#ifdef EVERYTHING
        condense::record{.to = condense::memory_journal{}},
        condense::drop_superseded{},
        condense::repair{},
        condense::offload{.over = 10'000_chars, .into = condense::memory_store{}},
        condense::summarize{.when = used >= 70_pct},
        condense::summarize{.when = used >= 80_pct,
                            .with = [](std::string_view) { return std::string{"Files were read."}; }},
#endif
        condense::compress{.when = used >= 65_pct},
        condense::sliding_window{.when = used >= 90_pct},
#ifdef EVERYTHING
        condense::escalate{.when = used >= 90_pct},
#endif
#endif
    };
#ifdef EVERYTHING
    condense::log_observer const observer{.to = [](std::string_view line) { std::puts(std::string{line}.c_str()); }};
#else
    condense::no_observer const observer;
#endif
    auto const made = condense::reduce(history, mix, {.window = 4'000_tokens});
    condense::detail::tell_lazily<condense::events::reduced>(
        observer, [&] { return condense::events::reduced{made.outcome, made.before, made.after}; });
    condense::detail::tell(observer, condense::events::usage_missing{.turn = static_cast<unsigned>(count)});
    std::fputs(made.text().c_str(), stdout);
    return made.fits() ? 0 : 1;
}
