// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/name_table.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/llm/names.hpp>

#include "support/catch.hpp"

namespace {

using condense::item_kind;
using condense::detail::name_context;
using condense::detail::name_table;

/// A name in a line of its own behind a label.
void add(name_table& table, std::string_view name, std::uint64_t message, bool by_assistant = false,
         std::string_view label = {}, item_kind kind = item_kind::word) {
    table.add(kind, name, name_context{name, {}, false, 0}, label, message, by_assistant);
}

auto const by_uses = [](name_table::entry const& name) { return static_cast<std::int64_t>(name.uses); };

}  // namespace

TEST_CASE("name_table: a name is counted once for each message of the assistant") {
    name_table table;
    add(table, "parse_json", 3, true);
    add(table, "parse_json", 3, true);
    add(table, "parse_json", 4);
    add(table, "parse_json", 5, true);
    REQUIRE(table.find("parse_json") != nullptr);
    CHECK(table.find("parse_json")->uses == 2);
    CHECK(table.find("parse_json")->newest == 5);
    CHECK(table.find("parse") == nullptr);
}

TEST_CASE("name_table: the first label stays") {
    name_table table;
    add(table, "W123456", 1, false, "order");
    add(table, "W123456", 2, false, "the");
    CHECK(table.find("W123456")->label == "order");
}

TEST_CASE("name_table: of the lines with a name the shortest stays, of these the newest") {
    name_table table;
    auto const add_in = [&](std::string_view line, std::uint64_t message) {
        table.add(item_kind::word, "parse_json", name_context{line, {}, false, line.find("parse_json")}, {}, message,
                  false);
    };
    add_in("call parse_json twice", 1);
    add_in("call parse_json", 2);
    add_in("call parse_json again", 3);
    CHECK(table.find("parse_json")->line == "call parse_json");
    add_in("then parse_json", 4);
    CHECK(table.find("parse_json")->line == "then parse_json");
    add_in("</a> parse_json", 5);
    CHECK(table.find("parse_json")->line == "then parse_json");
}

TEST_CASE("name_table: names are visible where they stand between words") {
    name_table table;
    for (auto const* const name : {"parse_json", "src/a.cpp", "go on"}) add(table, name, 1);
    table.mark("in parse_json2, (src/a.cpp) and go  on", &name_table::entry::visible);
    CHECK_FALSE(table.find("parse_json")->visible);
    CHECK(table.find("src/a.cpp")->visible);
    CHECK_FALSE(table.find("go on")->visible);
}

TEST_CASE("name_table: names that could not stand in a list are left out") {
    name_table table;
    for (auto const* const name : {"a\"b", "a<b", "a\xE2\x80\xAEz"}) add(table, name, 1);
    CHECK(table.entries().empty());
}

TEST_CASE("name_table: however many names come, the best stay") {
    name_table table;
    for (std::uint64_t message = 0; message < 20'000; ++message) {
        add(table, "name_" + std::to_string(message), message, message % 20 == 0);
        table.prune(by_uses);
        CHECK(table.entries().size() <= 2 * name_table::most);
    }
    CHECK(table.entries().size() >= name_table::most);
    for (std::uint64_t message = 0; message < 20'000; message += 20)
        CHECK(table.find("name_" + std::to_string(message)) != nullptr);
}

TEST_CASE("name_table: it is saved and loaded, or refused") {
    name_table table;
    add(table, "parse_json", 3, true);
    add(table, "src/a.cpp", 4, false, "path", item_kind::path);
    table.add_tokens(1'000);
    auto const saved = table.save();
    name_table loaded;
    REQUIRE(loaded.load(saved, 6));
    CHECK(loaded.save() == saved);
    CHECK(loaded.find("src/a.cpp")->label == "path");
    CHECK(name_table{}.load("", 6));

    CHECK_FALSE(loaded.load(saved, 3));  // of a longer conversation
    for (std::size_t size = 1; size < saved.size(); ++size) {
        name_table cut;
        if (cut.load(std::string_view{saved}.substr(0, size), 6)) CHECK(cut.entries().size() < 2);
    }
    auto const with = [&](std::string_view from, std::string_view to) {
        auto forged = saved;
        forged.replace(forged.find(from), from.size(), to);
        return name_table{}.load(forged, 6);
    };
    CHECK(with("9:src/a.cpp,4", "9:src/b.cpp,4"));
    CHECK_FALSE(with("9:src/a.cpp,4", "10:parse_json,4"));  // twice
    CHECK_FALSE(with("9:src/a.cpp,4", "10:</summary>,4"));
    CHECK_FALSE(with("9:src/a.cpp,4", "3:...,4"));
    CHECK_FALSE(with("4:path,9:src/a.cpp,", "4:path,10:</summary>,"));
    CHECK_FALSE(with("4:path,", "4:p: h,"));
    CHECK(loaded.save() == saved);
}

TEST_CASE("name_table: names of messages that are others now are forgotten") {
    name_table table;
    for (std::uint64_t message = 0; message < 10; ++message) add(table, "name_" + std::to_string(message), message);
    table.rewind(5);
    CHECK(table.find("name_4") != nullptr);
    CHECK(table.find("name_5") == nullptr);
}

TEST_CASE("name_score: used often, lately, and short") {
    using condense::name_facts;
    condense::name_score const score;
    CHECK(score(name_facts{.uses = 3, .age = 7, .size = 7}) > score(name_facts{.uses = 1, .age = 7, .size = 7}));
    CHECK(score(name_facts{.uses = 1, .age = 7, .size = 7}) > score(name_facts{.uses = 1, .age = 31, .size = 7}));
    CHECK(score(name_facts{.uses = 1, .age = 7, .size = 7}) > score(name_facts{.uses = 1, .age = 7, .size = 15}));
    CHECK(score(name_facts{.uses = ~std::uint64_t{0}, .age = 0, .size = 0}) == 4 * 63);
}
