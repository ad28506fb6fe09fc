// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/replay_one.hpp>

#include <condense/adapt/json.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>

#include "replay/replayed.hpp"
#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::fidelity, condense::named, condense::pipeline, condense::used;
using talk::line, talk::role;

/// One millionth a token for input, two for what is cached, and so on: figures that a sum shows.
condense::prices const plain_prices{
    .input = {2'000'000}, .cached = {1'000'000}, .written = {3'000'000}, .output = {5'000'000}};

/// Drops whatever the draft lets go of, from six messages on.
struct forget_all {
    static constexpr auto effects = condense::drops;
    static bool due(condense::usage const& now) noexcept { return now.messages.count > 5; }
    void reduce(auto& draft, auto&) const { fakes::drop(draft); }
};

/// Tries all that the laws forbid, and writes nonsense.
struct breaks_things {
    static constexpr auto effects = condense::drops | condense::shortens | condense::summarizes;
    void reduce(auto& draft, auto&) const {
        bool odd = false;
        for (auto const which : draft.groups()) {
            draft.each_part_of(which, [&](condense::part_ref part) {
                odd = !odd;
                static_cast<void>(
                    static_cast<bool>(odd ? draft.shorten(part, std::string("\xFF")) : draft.remove(part)));
            });
            if (odd) static_cast<void>(static_cast<bool>(draft.drop(which)));
        }
        static_cast<void>(static_cast<bool>(draft.summarize(draft.groups(), "\xFF<summary>")));
    }
};

/// Summaries by the model that replays stand in for, and a window.
auto const summing = [](auto& edges) {
    return pipeline{condense::summarize{.when = used >= 80_pct, .with = edges.model},
                    condense::sliding_window{.when = used >= 90_pct}};
};

template <class Mix>
condense::replay_figures replayed(conversation const& told, Mix mix, condense::tokens window = 1'000_tokens) {
    return talk::replayed(told, mix, {.window = window}, plain_prices);
}

/// 20 + 10, 8, 12, and what a tool said: tokens are bytes.
conversation reading_a_file() {
    return {S("be good at reading !"),        // 20
            U("src/a.cpp?"),                  // 10
            C("", "read", "src/a.cp"),        // 8
            R("", "int the_answer"),          // 14
            A("the_answer"),                  // 10, and has one item from before
            U("why"),                         // 3
            A("src/a.cpp has the_answer")};   // 24, and has two
}

TEST_CASE("what a mix that does nothing sends, and what that costs, by hand") {
    auto const made = replayed(reading_a_file(), pipeline{});
    // 20 + 10; and 8 + 14; and 10 + 3.
    CHECK(made.turns == std::vector<condense::request_figures>{{.message = 2, .sent = 30_tokens},
                                                               {.message = 4, .sent = 52_tokens, .cached = 30_tokens},
                                                               {.message = 6, .sent = 65_tokens, .cached = 52_tokens}});
    CHECK(made.sent == 147_tokens);
    CHECK(made.cached == 82_tokens);
    CHECK(made.hits == 2);
    CHECK(made.peak == 65_tokens);
    CHECK(made.answered == 42_tokens);
    CHECK(made.money == 82 * 1 + 65 * 3 + 42 * 5);
    CHECK(made.all_items() == fidelity{.visible = 3, .labelled = 3, .in_line = 3});
    CHECK(made.violations == 0);
    CHECK(made.fits());
    CHECK(made.reductions == 0);
}

TEST_CASE("what a mix drops is lost, unless it is on record") {
    auto const made = replayed(reading_a_file(), pipeline{forget_all{}}, 100_tokens);
    // The last request: 20 + 3.
    REQUIRE(made.turns.size() == 3);
    CHECK(made.turns[2] ==
          condense::request_figures{.message = 6, .sent = 23_tokens, .cached = 20_tokens, .reduced = true});
    CHECK(made.hits == 1);
    CHECK(made.reductions == 1);
    CHECK(made.money == (30 + 20) * 1 + (30 + 22 + 3) * 3 + 42 * 5);
    CHECK(made.all_items() == fidelity{.visible = 1, .lost = 2, .labelled = 1, .in_line = 1});
    CHECK(made.items[static_cast<std::size_t>(condense::item_kind::path)] == fidelity{.lost = 1});
    CHECK(made.items[static_cast<std::size_t>(condense::item_kind::word)] ==
          fidelity{.visible = 1, .lost = 1, .labelled = 1, .in_line = 1});
    CHECK(made.violations == 0);
    auto const recorded = replayed(
        reading_a_file(), [](auto& edges) { return pipeline{condense::record{.to = edges.journal}, forget_all{}}; },
        100_tokens);
    CHECK(recorded.sent == made.sent);
    CHECK(recorded.all_items() == fidelity{.visible = 1, .recoverable = 2, .labelled = 1, .in_line = 1});
    REQUIRE(recorded.layers.size() == 2);
    CHECK(recorded.layers[0].artifacts == 7);
    CHECK(recorded.layers[1].saved == 42_tokens);
}

TEST_CASE("what stands behind a reference in the request is one reading away") {
    auto const text = letters(200) + " the_answer " + letters(200);
    conversation const told{U("look"), C("a", "read"), R("a", text), A("it is the_answer")};
    auto const offloads = [](auto& edges) {
        return pipeline{condense::offload{.over = 300_chars, .preview = {20_chars, 20_chars}, .into = edges.store}};
    };
    auto const made = replayed(told, offloads);
    CHECK(made.all_items() == fidelity{.recoverable = 1});
    CHECK(made.layers[0].saved.count > 0);
    CHECK(replayed(told, pipeline{}).all_items() == fidelity{.visible = 1, .labelled = 1, .in_line = 1});
    auto const chosen =
        replayed(told, [&](auto& edges) { return condense::any_pipeline<chat_message>{offloads(edges)}; });
    CHECK(chosen.all_items() == made.all_items());
    CHECK(chosen.sent == made.sent);
}

conversation long_conversation() {
    conversation told{S("be good")};
    for (int turn = 0; turn < 40; ++turn) {
        auto const number = std::to_string(turn);
        told += {U("look at src/file" + number + ".cpp for step_" + number),
                 C("c" + number, "read", R"({"path":"src/file)" + number + R"(.cpp"})"),
                 R("c" + number, "value_" + number + letters(static_cast<std::size_t>(turn % 7) * 90, 'y')),
                 A("value_" + number + " as value_" + std::to_string(turn / 2))};
    }
    return told;
}

TEST_CASE("a layer that breaks things breaks no laws") {
    for (auto const window : {300_tokens, 2'000_tokens}) {
        auto const made = replayed(long_conversation(), pipeline{breaks_things{}}, window);
        CHECK(made.violations == 0);
        CHECK(made.first_violations.empty());
        CHECK(made.reductions > 1);
        CHECK(made.all_items().lost > 0);
    }
}

TEST_CASE("a model's calls are counted, and paid") {
    auto const told = long_conversation();
    auto const made = replayed(told, summing, 3'000_tokens);
    CHECK(made.model_calls > 0);
    CHECK(made.model_calls == made.layers[0].asked);
    CHECK(made.model_input.count > made.model_output.count);
    CHECK(made.money == made.cached.count + 3 * (made.sent.count - made.cached.count) + 5 * made.answered.count +
                            2 * made.model_input.count + 5 * made.model_output.count);
    CHECK(made.violations == 0);
    CHECK(made.fits());
    auto own = [](std::string_view) { return std::string("short"); };
    auto const unknown =
        replayed(told, pipeline{condense::summarize{.when = used >= 80_pct, .with = own}}, 3'000_tokens);
    CHECK(unknown.model_calls == unknown.layers[0].asked);
    CHECK(unknown.model_calls > 0);
    CHECK(unknown.model_input == 0_tokens);
    CHECK(unknown.model_money == 0);
    CHECK(made.model_money == 2 * made.model_input.count + 5 * made.model_output.count);
    CHECK(made.layers[0].model_usage ==
          condense::provider_usage{.input = made.model_input, .output = made.model_output});
    CHECK(made.layers[1].model_usage == condense::provider_usage{});
    auto reports = [](std::string_view) {
        return condense::reply<std::string>{.message = "short",
                                            .usage = {.input = 1_tokens, .output = 1_tokens, .cache_read = 1_tokens}};
    };
    auto const reported =
        replayed(told, pipeline{condense::summarize{.when = used >= 80_pct, .with = reports}}, 3'000_tokens);
    CHECK(reported.model_calls == unknown.model_calls);
    CHECK(reported.model_input.count == 2 * unknown.model_calls);
    CHECK(reported.model_money == (2 + 5 + 1) * unknown.model_calls);
    CHECK(reported.money == unknown.money + reported.model_money);
}

TEST_CASE("a model behind the agent's request is paid as its cache is") {
    auto const made = replayed(
        long_conversation(),
        [](auto& edges) {
            return pipeline{condense::summarize{.when = used >= 60_pct, .with = condense::on_prefix{edges.model}}};
        },
        6'000_tokens);
    condense::tokens read;
    std::uint64_t calls = 0;
    for (std::size_t at = 1; at < made.turns.size(); ++at)
        if (made.turns[at].reduced) ++calls, read = read + made.turns[at - 1].sent;
    CHECK(calls > 1);
    CHECK(made.model_calls == calls);
    CHECK(made.model_failures == 0);
    CHECK(made.layers[0].model_usage.cache_read == read);
    CHECK(made.model_input > read);
    CHECK(made.model_money == read.count + 2 * (made.model_input - read).count + 5 * made.model_output.count);
}

TEST_CASE("a model in the stand-in's place may fail") {
    auto const told = long_conversation();
    std::uint64_t calls = 0;
    auto const made = [&](bool fails) {
        condense::replay_options<per_byte> const options{
            .model = [&calls, fails](condense::model_prompt const&, condense::ask_limits) {
                ++calls;
                if (fails) return condense::reply<std::string>{.error = {.status = 500, .text = "no"}};
                return condense::reply<std::string>{.message = "The build is mended.",
                                                    .usage = {.input = 3_tokens, .output = 1_tokens}};
            }};
        return condense::replay_one(told, "x", {.window = 3'000_tokens}, plain_prices, named{"m", summing}, options);
    };
    auto const failing = made(true);
    CHECK(calls > 0);
    CHECK(failing.model_calls == calls);
    CHECK(failing.model_failures == calls);
    CHECK(failing.model_money == 0);
    CHECK(failing.fits());
    CHECK(failing.violations == 0);
    calls = 0;
    auto const writing = made(false);
    CHECK(calls > 0);
    CHECK(writing.model_calls == calls);
    CHECK(writing.model_failures == 0);
    CHECK(writing.model_money == (2 * 3 + 5) * calls);
}

/// Notes what it is told of the cache.
struct when_cached {
    std::uint64_t* most;
    static constexpr auto effects = condense::drops;
    bool due(condense::usage const& now) const noexcept {
        if (*most < now.cached.count) *most = now.cached.count;
        return false;
    }
    void reduce(auto&, auto&) const {}
};

TEST_CASE("mixes are told what the cache holds") {
    std::uint64_t most = 0;
    static_cast<void>(replayed(reading_a_file(), pipeline{when_cached{&most}}));
    CHECK(most == 30);  // with the second request; what the third had comes after the last answer
}

TEST_CASE("every mix and conversation begins anew, and comes out the same again") {
    auto const told = long_conversation();
    named const recording{"r", [](auto& edges) {
                              return pipeline{condense::record{.to = edges.journal},
                                              condense::sliding_window{.when = used >= 90_pct}};
                          }};
    auto const all = condense::replay_each(told, "x", {.window = 1'500_tokens}, plain_prices, talk::bytes, talk::none,
                                           recording, recording);
    REQUIRE(all.size() == 3);
    CHECK(all[0].mix == "none");
    CHECK(all[1].sent == all[2].sent);
    CHECK(all[1].items == all[2].items);
    CHECK(all[1].turns == all[2].turns);
    CHECK(all[1].layers[0].artifacts == told.size());
    CHECK(all[1].all_items().lost == 0);
    CHECK(all[1].all_items().recoverable > 0);
    auto const alone = condense::replay_one(told, "y", {.window = 1'500_tokens}, plain_prices, recording, talk::bytes);
    CHECK(alone.turns == all[1].turns);
    CHECK(alone.conversation == "y");
}

TEST_CASE("items and laws can be left out") {
    condense::replay_options<per_byte> const less{.items = false, .laws = false};
    auto const made =
        condense::replay_one(reading_a_file(), "x", {.window = 1'000_tokens}, plain_prices, talk::none, less);
    CHECK(made.sent == 147_tokens);
    CHECK(made.all_items() == fidelity{});
}

/// Shows another text each time, as no message may.
struct fickle {
    talk::role speaker = talk::role::user;
    std::string words = {};
    int* looks = nullptr;

    struct condense_traits {
        static talk::role role_of(fickle const& m) { return m.speaker; }
        static void each_part(fickle const& m, auto&& sink) {
            auto const text = m.words + (++*m.looks > 12 ? "!" : "");
            sink(talk::part_view{.text = text});
        }
    };
};

TEST_CASE("an original that has changed is a violation") {
    int looks = 0;
    std::vector<fickle> const told{{talk::role::user, "a", &looks},
                                   {talk::role::assistant, "b", &looks},
                                   {talk::role::user, "c", &looks},
                                   {talk::role::assistant, "d", &looks}};
    auto const made = talk::replayed(told);
    CHECK(made.violations > 0);
    REQUIRE_FALSE(made.first_violations.empty());
    CHECK(made.first_violations.back().find("is changed") != std::string::npos);
}

TEST_CASE("JSON messages are replayed as they are") {
    auto told = nlohmann::json::array();
    told.push_back({{"role", "system"}, {"content", "be good"}});
    for (int turn = 0; turn < 20; ++turn) {
        auto const id = "call_" + std::to_string(turn);
        told.push_back({{"role", "user"}, {"content", "read src/file" + std::to_string(turn) + ".cpp"}});
        auto const path = R"({"path":"src/file)" + std::to_string(turn) + R"(.cpp"})";
        nlohmann::json const call{
            {"id", id}, {"type", "function"}, {"function", {{"name", "read"}, {"arguments", path}}}};
        told.push_back({{"role", "assistant"}, {"content", nullptr}, {"tool_calls", nlohmann::json::array({call})}});
        told.push_back(
            {{"role", "tool"}, {"tool_call_id", id}, {"content", letters(900) + " found_it " + letters(900)}});
        told.push_back(
            {{"role", "assistant"}, {"content", "found_it in src/file" + std::to_string(turn / 3) + ".cpp"}});
    }
    auto const& all = told.get_ref<nlohmann::json::array_t const&>();
    condense::budget const limits{.window = 1'500_tokens};
    auto const none = condense::replay_one(all, "x", limits, condense::prices{}, talk::none);
    auto const mixed =
        condense::replay_one(all, "x", limits, condense::prices{},
                             named{"m", [](auto& edges) {
                                       return pipeline{condense::record{.to = edges.journal},
                                                       condense::compress{.when = used >= 50_pct, .over = 500_chars},
                                                       condense::sliding_window{.when = used >= 80_pct}};
                                   }});
    CHECK(none.requests == 40);
    CHECK(none.over > 0);
    CHECK(none.all_items().visible + none.all_items().lost == none.all_items().total());
    CHECK(none.all_items().lost > 0);  // in requests that are over
    CHECK(mixed.requests == 40);
    CHECK(mixed.fits());
    CHECK(mixed.violations == 0);
    CHECK(mixed.sent < none.sent);
    CHECK(mixed.all_items().total() == none.all_items().total());
    CHECK(mixed.all_items().lost == 0);
    CHECK(mixed.all_items().recoverable > 0);
}

TEST_CASE("hostile conversations are replayed to their end") {
    conversation told;
    for (auto const& text : talk::hostile_texts())
        told += {U(text), C(text, text, text), R(text, text + " and more"), A(text)};
    auto const made = condense::replay_one(
        told, std::string("\0\xFF", 2), {.window = 20'000_tokens}, condense::prices{.input = {~0ull}},
        named{"m", [](auto& edges) {
                  return pipeline{
                      condense::record{.to = edges.journal},
                      condense::offload{.over = 2'000_chars, .preview = {100_chars, 100_chars}, .into = edges.store},
                      condense::summarize{.when = used >= 60_pct, .with = edges.model},
                      condense::sliding_window{.when = used >= 90_pct}};
              }});
    CHECK(made.requests == told.size() / 2);
    CHECK(made.violations == 0);
    for (auto const& violation : made.first_violations) UNSCOPED_INFO(violation);
    CHECK(made.first_violations.empty());
    CHECK(made.money == ~0ull);
}

// Turns

/// Without a reduction.
condense::replay_figures plain(std::vector<line> const& told, condense::budget limits = {.window = 1'000_tokens}) {
    return talk::replayed(told, condense::pipeline{}, limits);
}

TEST_CASE("a request is made before each answer, joined ones have one") {
    auto const made = plain({{role::assistant, "hello"},
                             {role::user, "12345"},
                             {role::assistant, "123"},
                             {role::assistant, "45", true},
                             {role::assistant, "6"}});
    CHECK(made.turns == std::vector<condense::request_figures>{{.message = 2, .sent = 10_tokens},
                                                               {.message = 4, .sent = 15_tokens, .cached = 10_tokens}});
    CHECK(made.answered == 6_tokens);
    CHECK(made.requests == 2);
    CHECK(made.hits == 1);
    CHECK(made.peak == 15_tokens);
    CHECK(made.sent == 25_tokens);
}

TEST_CASE("what is kept outside the messages is sent and cached with them") {
    auto const made =
        plain({{role::user, "12345"}, {role::assistant, "123"}, {role::user, "1"}, {role::assistant, "1"}},
              {.window = 1'000_tokens, .overhead = 100_tokens});
    CHECK(made.turns ==
          std::vector<condense::request_figures>{{.message = 1, .sent = 105_tokens},
                                                 {.message = 3, .sent = 109_tokens, .cached = 105_tokens}});
}

TEST_CASE("a request above the input is over, or exhausted where the run says so; without answers there is none") {
    CHECK(plain({{role::user, letters(1'001)}, {role::assistant, "1"}}).over == 1);
    CHECK(plain({{role::user, letters(1'000)}, {role::assistant, "1"}}).over == 0);
    conversation const told{U(letters(1'001)), A("1"), A("2")};
    auto const made = talk::replayed(told, condense::pipeline{condense::sliding_window{.when = used >= 90_pct},
                                                              condense::escalate{.when = used >= 90_pct}});
    CHECK(made.exhausted == 2);
    CHECK(made.over == 0);
    CHECK_FALSE(made.fits());
    CHECK(plain({}).requests == 0);
    CHECK(plain({{role::user, "a"}}).requests == 0);
    CHECK(plain({{role::assistant, "a"}}).requests == 0);
    CHECK(plain({}).violations == 0);
}

TEST_CASE("what an answer needs is not visible in a request above the input") {
    std::vector<line> const told{{role::user, "a_name " + letters(993)},
                                 {role::assistant, "a_name"},
                                 {role::user, "1"},
                                 {role::assistant, "a_name"}};
    CHECK(plain(told).over == 1);
    CHECK(plain(told).all_items() == condense::fidelity{.visible = 1, .lost = 1, .labelled = 1, .in_line = 1});
}

TEST_CASE("edits are counted where their old text stood, and seen where it is sent") {
    conversation const told{U("int a;" + letters(500)), C("1", "edit", R"({"path":"a.c","old_string":"int a;"})"),
                            R("1", letters(600)), C("2", "edit", R"({"path":"a.c","old_string":"int a;"})"), R("2")};
    for (auto const& [window, visible] : {std::pair{10'000_tokens, 2u}, {1'000_tokens, 1u}}) {
        auto const made = talk::replayed(told, condense::pipeline{}, {.window = window});
        CHECK(made.edits == 2);
        CHECK(made.edits_visible == visible);
    }
}

TEST_CASE("time is measured around the library alone") {
    std::uint64_t ticks = 0;
    condense::replay_options<per_byte, talk::ticking> const options{.clock = {&ticks}};
    std::vector<line> const told{{role::user, "a"}, {role::assistant, "b"}};
    auto const made = condense::replay_one(told, "x", {.window = 10_tokens}, condense::prices{}, talk::none, options);
    CHECK(made.time.count == 4);  // two pushes, one request, one report
}

}  // namespace
