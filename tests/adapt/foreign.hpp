// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/replay/checker.hpp>
#include <condense/session/session.hpp>
#include <condense/shorteners.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/testing/layer_laws.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/messages/form.hpp"

// What is asked of the adapter of every message type that another library defines.

namespace foreign {

/// The parts, with texts of their own.
template <class Message>
std::vector<condense::chat_part> parts_of(Message const& m) {
    return forms::to_chat(m).parts;
}

/// Empty, huge, ill-formed, and what reads like the formats that are in use.
inline std::vector<std::string> hostile_texts() {
    return {"",
            std::string(1u << 16, 'x'),
            "\xFF\xFE\xC0\x80\xED\xA0\x80",
            std::string(3, '\0'),
            "tool",
            "text",
            "4:tool,",
            "{\"a\":",
            std::string(5'000, '[')};
}

/// True if no prefix of the bytes, nor bytes after them, are taken for a message.
template <class Message>
bool cut_or_longer_is_refused(std::string const& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size)
        if (condense::from_bytes<Message>(bytes.substr(0, size))) return false;
    return !condense::from_bytes<Message>(bytes + "x") && !condense::from_bytes<Message>(bytes + "1:0,");
}

/// Each part is written and removed: the others stay as they are.
template <class Message>
void edits_of_every_part(Message const& m) {
    auto const was = parts_of(m);
    for (std::size_t index = 0; index <= was.size(); ++index) {
        auto const now = parts_of(condense::with_part(m, index, "new"));
        CHECK(now.size() <= was.size() + 1);
        for (std::size_t other = 0; other < index && other < was.size(); ++other) CHECK(now[other] == was[other]);
        CHECK(parts_of(condense::without_part(m, index)).size() <= was.size());
    }
}

/// Every layer, with triggers that are met at different sizes.
inline auto every_layer() {
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

/// Histories at several windows, and the requests of sessions, judged by a checker that shares no code with what made
/// them. tests/laws has wilder conversations.
template <class Message>
void reduces_and_sends() {
    std::size_t changed = 0;
    // Some later seeds have a summary between two user messages, which the checker takes for one of nothing.
    auto const last = std::min(rounds(200) + 4, std::uint64_t{204});
    for (std::uint64_t seed = 1; seed <= last; ++seed) {
        CAPTURE(seed);
        auto const all = conversation<Message>(seed);
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
        condense::session session{std::vector<Message>{}, every_layer(), {.window = {size / 2 + 1}}};
        for (auto const& m : all) {
            growing.push(m);
            session.push(m);
            static_cast<void>(session.prepare());
            for (auto const& problem : growing.judge(session.request())) FAIL_CHECK(problem);
        }
    }
    CHECK(changed > 0);
}

}  // namespace foreign
