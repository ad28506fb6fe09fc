// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/oracle.hpp>

#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>

#include "replay/replayed.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::replay_oracle, condense::used;
using condense::detail::item_index;
using script_type = condense::detail::replay_script<chat_message, per_byte>;

/// Answers take names from the first messages, the last one needed first.
conversation asks_late() {
    return {U("first_name, second_name, third_name, idle_name"),
            A("x"),
            U("fourth_name"),
            A("third_name"),
            U("second_name"),
            A("second_name and fourth_name"),
            U("go on"),
            A("first_name")};
}

struct fixture {
    conversation told = asks_late();
    script_type script{told, {}};
    condense::detail::item_index items{script};
    std::vector<condense::detail::sent_message> request;
    replay_oracle oracle;

    /// A summary of the first message, before this answer.
    std::string written(std::size_t answer, condense::chars limit = 100_chars, std::size_t seen = 1) {
        oracle.begin(items, script.readings(), request);
        oracle.turn(answer);
        auto notes = oracle.open();
        for (std::size_t index = 0; index < seen; ++index)
            condense::each_part(told[index], [&](condense::part_view const& part) {
                notes.see(condense::role_of(told[index]), part, false);
            });
        return notes.text(limit);
    }
};

TEST_CASE("an oracle lists what is needed and will not be said again, soonest first, and outside a replay nothing") {
    fixture all;
    CHECK(all.written(1) == "third_name, first_name");
    CHECK(all.written(2) == "first_name");
    CHECK(all.written(1, 100_chars, 3) == "third_name, fourth_name, first_name");
    // All that fits is listed, whatever does not.
    CHECK(all.written(1, 12_chars) == "third_name");
    CHECK(all.written(1, 11_chars).empty());
    CHECK(all.written(1, 24_chars) == "third_name, first_name");
    replay_oracle const oracle;
    auto notes = oracle.open();
    notes.see(condense::role::user, {.text = "first_name"}, false);
    CHECK(notes.text(100_chars).empty());
    CHECK(oracle == oracle);
    CHECK_FALSE(oracle == replay_oracle{});
}

TEST_CASE("a mix with an oracle shows what dropping to the same depth loses") {
    conversation told{U("first_name " + letters(300, ' ') + "x")};
    for (int turn = 0; turn < 12; ++turn) told += {A("did " + letters(100, ' ') + "x"), U("more")};
    told += {A("first_name")};
    condense::sliding_window const window{
        .when = used >= 90_pct, .until = used <= 50_pct, .protect = condense::nothing};
    auto const dropped = talk::replayed(told, condense::pipeline{window});
    CHECK(dropped.all_items().lost == 1);
    auto const listed = talk::replayed(told, [&](auto& edges) {
        return condense::pipeline{
            condense::summarize{
                .when = used >= 90_pct, .until = used <= 50_pct, .protect = condense::nothing, .with = edges.oracle},
            window};
    });
    CHECK(listed.all_items() == condense::fidelity{.visible = 1, .labelled = 1});
    CHECK(listed.violations == 0);
    CHECK(listed.over == 0);
}

// Items

struct indexed {
    conversation told;
    script_type script{told, {}};
    item_index items{script};

    /// How many items an answer has from earlier messages.
    std::size_t needed(std::size_t answer) const { return items.needed(answer).size(); }
};

TEST_CASE("an answer needs what it shares with earlier messages, once") {
    indexed const all{{U("fix parse_json in src/read.cpp, see 4711"), A("parse_json, parse_json and new_name"),
                       U("well?"), A("new_name calls parse_json in src/read.cpp:4711, not other_name"),
                       A("other_name it is")}};
    CHECK(all.needed(0) == 1);
    CHECK(all.needed(1) == 4);
    CHECK(all.needed(2) == 1);
    auto const item = all.items.needed(0)[0];
    CHECK(all.items.kind(item) == condense::item_kind::word);
    CHECK(all.items.first_holder(item) == 0);
    CHECK(all.items.holds(3, item));
    CHECK_FALSE(all.items.holds(2, item));
}

TEST_CASE("arguments of calls need items too, and results hold them") {
    indexed const all{{U("look"), C("c1", "read", R"({"path":"src/a.cpp"})"), R("c1", "error in other_file.cpp"),
                       C("c2", "read", R"({"path":"other_file.cpp"})"), R("c2", "nothing")}};
    CHECK(all.needed(0) == 0);
    CHECK(all.needed(1) == 1);
    // Names are of parsed arguments.
    indexed const parsed{{U("this.ui and a_name"), C("c1", "write", R"({"text":"x\n\tthis.ui\u0020a_name"})")}};
    CHECK(parsed.needed(0) == 2);
}

TEST_CASE("parts of longer words, media and what only the answer itself says are no items from before") {
    CHECK(indexed{{U("parse_json_file and src/read.cpp.bak"), A("parse_json in src/read.cp")}}.needed(0) == 0);
    auto image = U("look");
    image.parts.push_back({.kind = part_kind::media, .text = "shot_one.png", .cost = condense::cost::of({100})});
    CHECK(indexed{{std::move(image), A("shot_one.png shows it")}}.needed(0) == 0);
    std::vector<talk::line> const told{{talk::role::user, "go"},
                                       {talk::role::assistant, "make new_name"},
                                       {talk::role::assistant, "new_name is made", true}};
    condense::detail::replay_script<talk::line, per_byte> const script{told, {}};
    CHECK(item_index{script}.needed(0).empty());
}

TEST_CASE("the name of a tool counts once in the conversation") {
    auto const use = [](std::string id) { return C(std::move(id), "read_file"); };
    indexed const all{{U("you have read_file"), A("I use read_file"), use("a"), R("a", "x"), A("read_file has read"),
                       U("use_it"), A("use_it and read_file"), A("use_it")}};
    CHECK(all.needed(0) == 1);
    CHECK(all.needed(2) == 0);
    CHECK(all.needed(3) == 1);
    CHECK(all.needed(4) == 1);
}

TEST_CASE("hostile conversations are indexed") {
    conversation told;
    for (auto const& text : talk::hostile_texts()) told.push_back(U(text)), told.push_back(A(text + " parse_json"));
    indexed const all{std::move(told)};
    CHECK(all.items.size() >= 1);
    CHECK(all.needed(1) >= 1);
}

}  // namespace
