// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/any_mix.hpp>

#include <condense/condense.hpp>
#include <condense/replay/replay_one.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::used;
using condense::detail::mix_for, condense::detail::shelf_of;

/// A file is read in each turn, and one that was read before is spoken of.
conversation told() {
    conversation all{U("Read all files.")};
    for (int turn = 0; turn < 30; ++turn) {
        auto const id = "call_" + std::to_string(turn);
        auto const file = "src/part_" + std::to_string(turn) + ".cpp";
        all += {U("What is in " + file + "?"), C(id, "read_file", R"({"path":")" + file + R"("})"),
                R(id, letters(1'000)), A(file + " is like src/part_" + std::to_string(turn / 2) + ".cpp.")};
    }
    return all;
}

TEST_CASE("any_mix: mixes of several types in one list are replayed as each of them by itself") {
    condense::named const window{"window", condense::pipeline{condense::sliding_window{.when = used >= 90_pct}}};
    condense::named const recorded{
        "recorded", [](auto& edges) {
            return condense::pipeline{
                condense::record{.to = edges.journal},
                condense::offload{.over = 500_chars, .preview = {50_chars, 50_chars}, .into = edges.store},
                condense::sliding_window{.when = used >= 90_pct}};
        }};
    std::vector<condense::any_mix<chat_message>> const mixes{window, recorded};
    auto const all_told = told();
    condense::replay_source const source{all_told, condense::replay_options<>{}};
    condense::budget const limits{.window = 2'000_tokens};
    std::vector<condense::replay_figures> all;
    for (auto const& mix : mixes) all.push_back(condense::replay_one(source, "x", limits, condense::prices{}, mix));
    CHECK(all[0].mix == "window");
    CHECK(all[0].all_items().lost > 0);
    // Only the second has edges, so only of that an agent can look something up.
    CHECK(all[0].all_items().recoverable == 0);
    CHECK(all[1].all_items().recoverable > 0);
    CHECK(all[1].all_items().lost == 0);
    auto const alone = condense::replay_one(source, "x", limits, condense::prices{}, recorded);
    CHECK(alone.sent == all[1].sent);
    CHECK(alone.reductions == all[1].reductions);
    CHECK(alone.all_items().visible == all[1].all_items().visible);
}

TEST_CASE("any_mix: each conversation has a journal and a store of its own") {
    condense::any_mix<chat_message> const mix{condense::named{"recorded", [](auto& edges) {
                                                                  return condense::pipeline{
                                                                      condense::record{.to = edges.journal},
                                                                      condense::sliding_window{.when = used >= 90_pct}};
                                                              }}};
    condense::replay_edges first{};
    condense::replay_edges second{};
    auto const made = mix.make(first, "a");
    CHECK(made.shelf.journals.size() == 1);
    CHECK(made.shelf.stores.empty());
    conversation history{U("hello")};
    condense::run_options<> options;
    options.conversation = "a";
    CHECK(condense::reduce(history, made.layers, {.window = 1'000_tokens}, condense::default_estimator<>{}, options)
              .fits());
    auto const count = [](condense::replay_edges const& edges) {
        std::size_t entries = 0;
        static_cast<void>(static_cast<bool>(edges.journal.read("a", [&](auto const&, auto) { ++entries; })));
        return entries;
    };
    CHECK(count(first) > 0);
    CHECK(count(second) == 0);
}

// A mix by itself

TEST_CASE("a mix is a pipeline, or made of the edges") {
    condense::replay_edges edges;
    condense::named const empty{"none", condense::pipeline{}};
    static_assert(std::same_as<decltype(empty.mix), condense::pipeline<>>);
    static_assert(std::same_as<decltype(mix_for(empty.mix, edges)), condense::pipeline<>>);
    condense::named const recording{
        "recording", [](auto& given) { return condense::pipeline{condense::record{.to = given.journal}}; }};
    auto const mix = mix_for(recording.mix, edges);
    std::size_t same = 0;
    mix.each([&](auto const& layer) {
        static_cast<void>(static_cast<bool>(layer.to.append("x", {.name = layer.to.name("words")}, "words")));
        static_cast<void>(static_cast<bool>(edges.journal.read("x", [&](auto const&, auto) { ++same; })));
    });
    CHECK(same == 1);
    CHECK(recording.name == "recording");
}

// Journals and stores of a mix

TEST_CASE("journals and stores are found in a mix, however deep") {
    condense::replay_edges const edges;
    condense::memory_journal const own;
    condense::memory_store const kept;
    condense::pipeline const mix{condense::pipeline{condense::record{.to = own}}, condense::offload{.into = kept},
                                 condense::sliding_window{}};
    auto const shelf = shelf_of(mix, edges, "x");
    REQUIRE(shelf.journals.size() == 1);
    REQUIRE(shelf.stores.size() == 1);
    REQUIRE_FALSE(own.append("x", {.name = own.name("a"), .number = 5}, "a"));
    REQUIRE_FALSE(own.append("x", {.name = own.name("a"), .number = 5, .is_derived = true}, ""));
    REQUIRE_FALSE(own.append("y", {.name = own.name("a"), .number = 6}, "a"));
    std::vector<std::uint64_t> numbers;
    shelf.journals[0]([&](std::uint64_t number) { numbers.push_back(number); });
    CHECK(numbers == std::vector<std::uint64_t>{5});
    auto const name = kept.name("content");
    CHECK_FALSE(shelf.stores[0](name));
    REQUIRE_FALSE(kept.put(name, "content"));
    CHECK(shelf.stores[0](name) == "content");
}

TEST_CASE("a mix without them has none, one chosen at run time those of the edges") {
    condense::replay_edges const edges;
    CHECK(shelf_of(condense::pipeline{condense::sliding_window{}}, edges, "x").journals.empty());
    CHECK(shelf_of(condense::pipeline{}, edges, "x").stores.empty());
    condense::any_pipeline<chat_message> const chosen{condense::pipeline{condense::record{.to = edges.journal}}};
    auto const shelf = shelf_of(chosen, edges, "x");
    CHECK(shelf.journals.size() == 1);
    REQUIRE(shelf.stores.size() == 1);
    REQUIRE_FALSE(edges.store.put(edges.store.name("b"), "b"));
    CHECK(shelf.stores[0](edges.store.name("b")) == "b");
}

}  // namespace
