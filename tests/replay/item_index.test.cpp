// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/item_index.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using script_type = condense::detail::replay_script<chat_message, per_byte>;
using condense::detail::item_index;

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
}

TEST_CASE("names are of parsed arguments") {
    indexed const all{{U("this.ui and a_name"), C("c1", "write", R"({"text":"x\n\tthis.ui\u0020a_name"})")}};
    CHECK(all.needed(0) == 2);
}

TEST_CASE("an item that is part of a longer word is not held") {
    indexed const all{{U("parse_json_file and src/read.cpp.bak"), A("parse_json in src/read.cp")}};
    CHECK(all.needed(0) == 0);
}

TEST_CASE("what only the answer itself says is not from before, also when it is joined") {
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

TEST_CASE("media are no words") {
    auto image = U("look");
    image.parts.push_back({.kind = part_kind::media, .text = "shot_one.png", .cost = condense::cost::of({100})});
    indexed const all{{std::move(image), A("shot_one.png shows it")}};
    CHECK(all.needed(0) == 0);
}

TEST_CASE("hostile conversations are indexed") {
    conversation told;
    for (auto const& text : talk::hostile_texts()) told.push_back(U(text)), told.push_back(A(text + " parse_json"));
    indexed const all{std::move(told)};
    CHECK(all.items.size() >= 1);
    CHECK(all.needed(1) >= 1);
}

}  // namespace
