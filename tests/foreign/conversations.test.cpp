// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <condense/condense.hpp>
#include <condense/replay/checker.hpp>
#include <condense/session/session.hpp>
#include <condense/shorteners.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/testing/layer_laws.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/messages/ai_sdk.hpp"
#include "support/messages/litert_lm.hpp"
#include "support/messages/llama_cpp.hpp"

// Message types that other libraries define, as an agent holds them.

namespace {

/// Every layer, with triggers that are met at different sizes.
auto every_layer() {
    using namespace condense::literals;
    using condense::used;
    return condense::pipeline{
        condense::record{.to = condense::memory_journal{}},
        condense::offload{.over = 2'000_chars,
                          .preview = condense::head_tail{300_chars, 300_chars},
                          .into = condense::memory_store{}},
        condense::drop_superseded{},
        condense::compress{.when = used >= 40_pct, .protect = condense::nothing, .with = condense::media_note{}},
        condense::compress{
            .when = used >= 50_pct, .over = 500_chars, .with = condense::head_tail{200_chars, 200_chars}},
        condense::compress{.when = used >= 60_pct, .with = condense::old_reasoning{}},
        condense::repair{},
        condense::summarize{.when = used >= 80_pct},
        condense::sliding_window{.when = used >= 90_pct},
        condense::escalate{}};
}

/// An agent's conversation, with media in some messages, as programs with this type hold it.
template <class Message>
std::vector<Message> conversation(std::uint64_t seed) {
    auto all = condense::testing::conversation(seed);
    // In results alone: of a user message with an image the checker cannot tell a summary.
    for (std::size_t index = seed % 4; index < all.size(); index += 4)
        if (all[index].role == condense::role::tool)
            all[index].parts.push_back(
                {.kind = condense::part_kind::media, .text = "image/png", .call = all[index].parts[0].call});
    return forms::all_from_chat<std::vector<Message>>(forms::arranged<Message>(std::move(all)));
}

}  // namespace

// Histories at several windows, and the requests of sessions, judged by a checker that shares no code with what made
// them. tests/laws has wilder conversations.
TEMPLATE_TEST_CASE("conversations are reduced at any window, and a session sends what is valid", "[laws]",
                   forms::llama_message, forms::ai_message, forms::litert_message) {
    std::size_t changed = 0;
    // Some later seeds have a summary between two user messages, which the checker takes for one of nothing.
    auto const last = std::min(rounds(200) + 4, std::uint64_t{204});
    for (std::uint64_t seed = 1; seed <= last; ++seed) {
        CAPTURE(seed);
        auto const all = conversation<TestType>(seed);
        std::uint64_t size = 0;
        for (auto const& m : all)
            condense::each_part(m, [&](condense::part_view const& part) { size += 8 + part.text.size() / 3; });
        condense::request_checker checker;
        for (auto const& m : all) checker.push(m);
        for (auto const window : {2 * size, size, size / 2, size / 5, std::uint64_t{1}}) {
            CAPTURE(window);
            auto history = all;
            auto const report = condense::reduce(history, every_layer(), {.window = {window}});
            changed += report.changed() ? 1u : 0u;
            for (auto const& problem : checker.judge(history)) FAIL_CHECK(problem);
        }
        condense::request_checker growing;
        condense::session session{std::vector<TestType>{}, every_layer(), {.window = {size / 2 + 1}}};
        for (auto const& m : all) {
            growing.push(m);
            session.push(m);
            static_cast<void>(session.prepare());
            for (auto const& problem : growing.judge(session.request())) FAIL_CHECK(problem);
        }
    }
    CHECK(changed > 0);
}
