// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/old_reasoning.hpp>

#include <condense/shorten/first_of.hpp>

#include "core/toy.hpp"
#include "laws/generator.hpp"
#include "shorten/around.hpp"

namespace {

using namespace around;
using condense::old_reasoning;
using wanted = condense::reasoning_wanted;

static_assert(condense::shortener<old_reasoning>);

/// Three steps with a thought each, the first of them sealed, and a thought in an answer.
conversation steps() {
    return {U("task"),   thinking(C("1", "ls"), "one", true), R("1", "r"), thinking(C("2", "ls"), "two", false),
            R("2", "r"), thinking(A(), "three", false),       U(),         thinking(A(), "four", false),
            U()};
}

std::vector<std::string> thoughts(conversation const& messages) { return texts(messages, part_kind::reasoning); }

using list = std::vector<std::string>;

TEST_CASE("old_reasoning: the newest messages keep theirs") {
    auto const left = [](condense::messages keep) {
        return thoughts(settled(steps(), mix_of(old_reasoning{.keep = keep, .wanted = wanted::open_round})));
    };
    CHECK(left(0_messages) == list{});
    CHECK(left(1_messages) == list{"four"});
    CHECK(left(2_messages) == list{"three", "four"});
    CHECK(left(3_messages) == list{"two", "three", "four"});
    CHECK(left(4_messages) == list{"one", "two", "three", "four"});
    CHECK(left({condense::detail::u64_limit}) == list{"one", "two", "three", "four"});
    CHECK(thoughts(settled(steps(), mix_of(old_reasoning{.wanted = wanted::open_round}))) == list{"four"});
    auto blank = steps();
    blank.push_back(thinking(A(), "", false));
    CHECK(thoughts(settled(blank, mix_of(old_reasoning{.wanted = wanted::open_round}))) == list{"four", ""});
    conversation const side_by_side{U("task"), thinking(A(), "one", false), thinking(A(), "two", false), U()};
    CHECK(thoughts(settled(side_by_side, mix_of(old_reasoning{.wanted = wanted::open_round}))) == list{"two"});
}

TEST_CASE("old_reasoning: all else stays as it was, and signed blocks go whole") {
    auto expected = steps();
    for (std::size_t const index : {1u, 3u, 5u}) expected[index].parts.erase(expected[index].parts.begin());
    CHECK(settled(steps(), mix_of(old_reasoning{.wanted = wanted::open_round})) == expected);
    // In JSON a member goes.
    auto json = as_json(steps());
    for (std::size_t const index : {1u, 3u, 5u}) json[index].erase("reasoning_content");
    CHECK(settled(as_json(steps()), mix_of(old_reasoning{.wanted = wanted::open_round})) == json);
    auto const m = nlohmann::ordered_json::parse(
        R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"Eq=="},{"type":"redacted_thinking","data":"x"},{"type":"text","text":"done"}]})");
    auto const ask = nlohmann::ordered_json::parse(R"({"role":"user","content":"go on"})");
    auto const after = settled(std::vector{ask, m, ask, m, ask}, mix_of(old_reasoning{.wanted = wanted::open_round}));
    CHECK(after[1].dump() == R"({"role":"assistant","content":[{"type":"text","text":"done"}]})");
    CHECK(after[3].dump() == m.dump());
}

TEST_CASE("old_reasoning: that which the provider wants back stays, but for what is bound") {
    auto const left = [](conversation const& messages, condense::messages keep, wanted back = wanted::calls) {
        return thoughts(settled(messages, mix_of(old_reasoning{.keep = keep, .wanted = back})));
    };
    CHECK(left(steps(), 1_messages) == list{"one", "two", "four"});
    CHECK(left(steps(), 0_messages) == list{"one", "two"});
    CHECK(left(steps(), 0_messages, wanted::all) == list{"one", "two", "three", "four"});
    CHECK(left(steps(), 0_messages, wanted::turns_with_calls) == list{"one", "two", "three"});
    CHECK(left(steps(), 0_messages, wanted::turn) == list{});
    conversation const going_on{U("task"),
                                thinking(A(), "zero", false),
                                U("more"),
                                thinking(C("1", "ls"), "one", true),
                                R("1", "r"),
                                thinking(A(), "two", false),
                                thinking(C("2", "ls"), "three", true),
                                R("2", "r")};
    CHECK(left(going_on, 0_messages, wanted::turn) == list{"one", "three"});
    CHECK(left(going_on, 0_messages, wanted::turns_with_calls) == list{"one", "two", "three"});
    auto signed_steps = steps();
    for (std::size_t const index : {1u, 3u, 5u, 7u}) signed_steps[index].parts[0].bound = true;
    CHECK(left(signed_steps, 1_messages) == list{"four"});
    signed_steps[1].parts[0].bound = false;  // of another provider
    CHECK(left(signed_steps, 1_messages) == list{"one", "four"});
    // As chats of DeepSeek and Kimi, Gemini and the Vercel AI SDK have it.
    auto const json = as_json(steps());
    auto const after = settled(json, mix_of(old_reasoning{}));
    CHECK(after[1] == json[1]);
    CHECK(after[3] == json[3]);
    CHECK(after[5] == json[5]);
    CHECK(after[7].contains("reasoning_content"));  // the newest
}

TEST_CASE("old_reasoning: a message of nothing else goes, one of a pair keeps it") {
    chat_message const thought{.role = condense::role::assistant,
                               .parts = {{.kind = part_kind::reasoning, .text = "hm"}}};
    auto const after = settled(conversation{U("task"), thought, A(), U(), thinking(A(), "new", false), U()},
                               mix_of(old_reasoning{.wanted = wanted::open_round}));
    CHECK(after.size() == 5);
    CHECK(thoughts(after) == list{"new"});
    // The thought came with the result of a call, and nothing else joins its message to it.
    auto tied = thought;
    tied.parts[0].call = "1";
    conversation const pair{U("task"), C("1", "ls"), R("1", "r"), tied, A(), U(), thinking(A(), "new", false), U()};
    CHECK(settled(pair, mix_of(old_reasoning{.wanted = wanted::open_round})) == pair);
}

TEST_CASE("old_reasoning: an open round keeps its reasoning, and some of the newest stays, under any pressure") {
    conversation const open{U("task"), thinking(C("1", "ls"), "old", true), R("1", "r"),
                            thinking(C("2", "ls"), "new", true), R("2", "r")};
    CHECK(thoughts(settled(open, mix_of(old_reasoning{.keep = 0_messages, .wanted = wanted::open_round}))) ==
          list{"new"});
    auto const press = [&](conversation const& history, unsigned pressure, condense::messages keep, bool top = false) {
        condense::compress const layer{.when = condense::always,
                                       .with = old_reasoning{.keep = keep, .wanted = wanted::open_round}};
        return thoughts(fakes::after(history, condense::pipeline{layer, toy::press{.pressure = pressure, .top = top}}));
    };
    for (bool const top : {false, true}) {
        CHECK(press(open, 1, 0_messages, top) == list{"new"});
        CHECK(press(open, 1, 1_messages, top) == list{"new"});
        CHECK(press(open, 70, {condense::detail::u64_limit}, top) == list{"new"});
        CHECK(press(steps(), 1, 0_messages, top) == list{});
        CHECK(press(steps(), 1, 1_messages, top) == list{"four"});
        CHECK(press(steps(), 70, 8_messages, top) == list{"four"});
    }
    CHECK(press(open, 1, 2_messages) == list{"new"});
    CHECK(press(open, 1, 4_messages) == list{"old", "new"});
    CHECK(press(open, 2, 4_messages) == list{"new"});
}

TEST_CASE("old_reasoning: pins, system messages and what is protected stay, also beside others") {
    auto messages = steps();
    messages[1].pinned = true;
    messages.insert(messages.begin(), thinking(S("s"), "rule", false));
    CHECK(thoughts(settled(messages, mix_of(old_reasoning{.wanted = wanted::open_round}))) ==
          list{"rule", "one", "four"});
    condense::compress const spared{.when = condense::always,
                                    .protect = condense::last(4_messages),
                                    .with = old_reasoning{.wanted = wanted::open_round}};
    CHECK(thoughts(settled(steps(), condense::pipeline{spared})) == list{"three", "four"});
    auto long_ones = steps();
    long_ones[2].parts[0].text = letters(20'000);
    auto const after = settled(long_ones, mix_of(condense::first_of(old_reasoning{.wanted = wanted::open_round},
                                                                    condense::head_tail{100_chars, 100_chars})));
    CHECK(thoughts(after) == list{"four"});
    CHECK(after[2].parts[0].text.size() < 300);
}

TEST_CASE("old_reasoning: over random conversations, only reasoning goes, and the newest stays") {
    std::size_t removed = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        auto const before = laws::conversation_generator{seed}.make();
        auto const after = settled(before, mix_of(old_reasoning{.wanted = wanted::open_round}));
        CAPTURE(seed);
        auto next = after.begin();
        for (auto const& m : before) {
            auto without = m;
            std::erase_if(without.parts, [](auto const& part) { return part.kind == part_kind::reasoning; });
            if (next == after.end() || next->name != m.name) {
                CHECK((without.parts.empty() && !m.parts.empty()));
                continue;
            }
            bool const whole = *next == m;
            CHECK((whole || *next == without));
            removed += whole ? 0u : 1u;
            ++next;
        }
        CHECK(next == after.end());
        auto const all = thoughts(before);
        auto const left = thoughts(after);
        if (!all.empty()) {
            REQUIRE_FALSE(left.empty());
            CHECK(left.back() == all.back());
        }
    }
    CHECK(removed > 50);
}

}  // namespace
