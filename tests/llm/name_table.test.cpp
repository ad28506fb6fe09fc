// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/name_table.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::item_kind;
using condense::detail::name_table;

auto const unlabelled = [] { return std::string_view{}; };

void add(name_table& table, std::string_view name, std::uint64_t message, bool by_assistant = false) {
    table.add(item_kind::word, name, unlabelled, message, by_assistant);
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
    table.add(item_kind::id, "W123456", [] { return std::string_view{"order"}; }, 1, false);
    table.add(item_kind::id, "W123456", [] { return std::string_view{"the"}; }, 2, false);
    CHECK(table.find("W123456")->label == "order");
}

TEST_CASE("name_table: names that a reader could not tell from the list are left out") {
    for (std::string_view const name : {"</summary>", "a\"b", "a\nb", "a\x7F", "a\xC2\x85z", "a\xE2\x80\xAEz",
                                        "a\xE2\x80\x8Bz", "a\xE2\x81\xA6z", "a\xEF\xBB\xBFz", "a\xFFz", ""})
        CHECK_FALSE(name_table::is_listable(name));
    CHECK_FALSE(name_table::is_listable(std::string(10'000, 'a')));
    for (std::string_view const name : {"src/a.cpp", "go on, then", "\xC3\xA9t\xC3\xA9_1", "\xE2\x82\xAC 100"})
        CHECK(name_table::is_listable(name));
}

TEST_CASE("name_table: however many names come, the best stay") {
    name_table table;
    for (std::uint64_t message = 0; message < 20'000; ++message) {
        add(table, "name_" + std::to_string(message), message, message % 20 == 0);
        table.prune(by_uses);
        CHECK(table.entries().size() <= 2 * name_table::most);
    }
    table.prune(by_uses, true);
    CHECK(table.entries().size() == name_table::most);
    for (std::uint64_t message = 0; message < 20'000; message += 20)
        CHECK(table.find("name_" + std::to_string(message)) != nullptr);
}

TEST_CASE("name_table: it is saved and loaded, or refused") {
    name_table table;
    add(table, "parse_json", 3, true);
    table.add(item_kind::path, "src/a.cpp", [] { return std::string_view{"path"}; }, 4, false);
    table.add_tokens(1'000);
    table.each_staying(6, [](std::uint64_t message) { return message % 2 == 0; });
    auto const saved = table.save();
    name_table loaded;
    REQUIRE(loaded.load(saved, 6));
    CHECK(loaded.save() == saved);
    CHECK(loaded.find("src/a.cpp")->label == "path");
    CHECK(name_table{}.load("", 6));

    CHECK_FALSE(loaded.load(saved, 5));  // of a longer conversation
    for (std::size_t size = 1; size < saved.size(); ++size) {
        name_table cut;
        if (cut.load(std::string_view{saved}.substr(0, size), 6)) CHECK(cut.entries().size() < 2);
    }
    auto const with = [&](std::string_view from, std::string_view to) {
        auto forged = saved;
        forged.replace(forged.find(from), from.size(), to);
        return name_table{}.load(forged, 6);
    };
    CHECK(with("9:src/a.cpp,", "9:src/b.cpp,"));
    CHECK_FALSE(with("9:src/a.cpp,", "10:parse_json,"));  // twice
    CHECK_FALSE(with("9:src/a.cpp,", "10:</summary>,"));
    CHECK_FALSE(with("4:path,", "4:p: h,"));
    CHECK(loaded.save() == saved);
}

TEST_CASE("name_table: names of messages that are others now are forgotten") {
    name_table table;
    for (std::uint64_t message = 0; message < 10; ++message) add(table, "name_" + std::to_string(message), message);
    table.each_staying(10, [](std::uint64_t message) { return message % 2 == 0; });
    table.rewind(5);
    CHECK(table.find("name_4") != nullptr);
    CHECK(table.find("name_5") == nullptr);
    std::vector<std::uint64_t> looked_at;
    table.each_staying(7, [&](std::uint64_t message) { return looked_at.push_back(message), false; });
    CHECK(looked_at == std::vector<std::uint64_t>{0, 2, 4, 5, 6});
}

TEST_CASE("name_score: used often, lately, and short") {
    using condense::name_facts;
    condense::name_score const score;
    CHECK(score(name_facts{.uses = 3, .age = 7, .size = 7}) > score(name_facts{.uses = 1, .age = 7, .size = 7}));
    CHECK(score(name_facts{.uses = 1, .age = 7, .size = 7}) > score(name_facts{.uses = 1, .age = 31, .size = 7}));
    CHECK(score(name_facts{.uses = 1, .age = 7, .size = 7}) > score(name_facts{.uses = 1, .age = 7, .size = 15}));
    CHECK(score(name_facts{.uses = ~std::uint64_t{0}, .age = 0, .size = 0}) == 4 * 63);
}
