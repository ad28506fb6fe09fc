// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/prompt.hpp>

#include <condense/condense.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/catch.hpp"
#include "support/fakes.hpp"

using namespace condense::literals;
using condense::used;
using fakes::contains;

TEST_CASE("recovery_prompt: names what the pipeline makes possible and the tools offer, and nothing else", "[row-V7]") {
    condense::memory_store const store;
    condense::memory_journal const journal;
    condense::recovery_tools const both{store, journal};
    condense::recovery_tools const artifacts{store};
    condense::recovery_tools const messages{condense::no_store{}, journal};
    condense::offload const large{.into = store};
    condense::pipeline const recording{condense::record{.to = journal}, large,
                                       condense::sliding_window{.when = used >= 90_pct}};
    condense::pipeline const storing{large};
    condense::pipeline const losing{condense::sliding_window{.when = used >= 90_pct}};

    auto const all = condense::recovery_prompt(recording, both);
    for (std::size_t place = 0; place < 6; ++place) CHECK(contains(all, condense::recovery_tool_names[place]));
    auto const stored = condense::recovery_prompt(storing, both);
    CHECK(contains(stored, "read_artifact"));
    CHECK_FALSE(contains(stored, "history"));
    CHECK_FALSE(contains(condense::recovery_prompt(recording, artifacts), "history"));
    auto const recorded = condense::recovery_prompt(recording, messages);
    CHECK(contains(recorded, "search_history"));
    CHECK_FALSE(contains(recorded, "artifact"));
    CHECK(condense::recovery_prompt(losing, both).empty());
    CHECK(condense::recovery_prompt(storing, messages).empty());
}
