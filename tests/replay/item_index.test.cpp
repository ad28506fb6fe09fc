// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/item_index.hpp>

#include <string>
#include <vector>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

using talk::chat_message;
using script_type = condense::detail::replay_script<chat_message, talk::byte_tokens>;
using condense::detail::item_index;

struct indexed {
    std::vector<chat_message> told;
    script_type script{told, {}};
    item_index items{script};

    /// How many items an answer has from earlier messages.
    std::size_t needed(std::size_t answer) const { return items.needed(answer).size(); }
};

TEST_CASE("an answer needs what it shares with earlier messages, once") {
    indexed const all{{talk::user("fix parse_json in src/read.cpp, see 4711"),
                       talk::says("parse_json, parse_json and new_name"), talk::user("well?"),
                       talk::says("new_name calls parse_json in src/read.cpp:4711, not other_name"),
                       talk::says("other_name it is")}};
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
    indexed const all{{talk::user("look"), talk::call("c1", R"({"path":"src/a.cpp"})"),
                       talk::result("c1", "error in other_file.cpp"), talk::call("c2", R"({"path":"other_file.cpp"})"),
                       talk::result("c2", "nothing")}};
    CHECK(all.needed(0) == 0);
    CHECK(all.needed(1) == 1);
}

TEST_CASE("an item that is part of a longer word is not held") {
    indexed const all{{talk::user("parse_json_file and src/read.cpp.bak"), talk::says("parse_json in src/read.cp")}};
    CHECK(all.needed(0) == 0);
}

TEST_CASE("what only the answer itself says is not from before, also when it is joined") {
    std::vector<talk::line> const told{{talk::role::user, "go"},
                                       {talk::role::assistant, "make new_name"},
                                       {talk::role::assistant, "new_name is made", true}};
    condense::detail::replay_script<talk::line, talk::byte_tokens> const script{told, {}};
    CHECK(item_index{script}.needed(0).empty());
}

TEST_CASE("the name of a tool counts once in the conversation") {
    auto const use = [](std::string id) { return chat_message::call(std::move(id), "read_file", "{}"); };
    indexed const all{{talk::user("you have read_file"), talk::says("I use read_file"), use("a"),
                       talk::result("a", "x"), talk::says("read_file has read"), talk::user("use_it"),
                       talk::says("use_it and read_file"), talk::says("use_it")}};
    CHECK(all.needed(0) == 1);
    CHECK(all.needed(2) == 0);
    CHECK(all.needed(3) == 1);
    CHECK(all.needed(4) == 1);
}

TEST_CASE("media are no words") {
    auto image = talk::user("look");
    image.parts.push_back({.kind = talk::part_kind::media, .text = "shot_one.png", .cost = condense::cost::of({100})});
    indexed const all{{std::move(image), talk::says("shot_one.png shows it")}};
    CHECK(all.needed(0) == 0);
}

TEST_CASE("hostile conversations are indexed") {
    std::vector<chat_message> told;
    for (auto const& text : talk::hostile_texts())
        told.push_back(talk::user(text)), told.push_back(talk::says(text + " parse_json"));
    indexed const all{std::move(told)};
    CHECK(all.items.size() >= 1);
    CHECK(all.needed(1) >= 1);
}

}  // namespace
