// SPDX-License-Identifier: BSL-1.0
#include <condense/store/sqlite_journal.hpp>

#include "store/scenario.hpp"
#include "store/sqlite_files.hpp"

namespace {

using namespace store_tests;
using condense::sqlite_journal;

struct database_place : files_below {
    std::string const file = path + "/sessions.db";
    auto open() const { return sqlite_journal{file}; }
};

strings found(sqlite_journal const& in, std::string_view words, std::optional<std::string_view> conversation = {},
              std::size_t most = 20) {
    strings all;
    CHECK_FALSE(in.search(words, conversation, most, [&](condense::journal_hit const& hit) {
        all.push_back(hit.conversation + ": " + hit.content.substr(0, 40));
    }));
    return all;
}

}  // namespace

TEST_CASE("sqlite_journal: is a durable journal", "[law-6]") { check_durable_journal<database_place, false>(); }

TEST_CASE("sqlite_journal: a journal in a database", "[law-6]") {
    database_place const place;
    auto const to = place.open();
    SECTION("finds words, the best first, in one conversation or in all") {
        CHECK(found(to, "anything").empty());
        CHECK(add(to, "a", 0,
                  "The build of src/main.cpp failed with \xC3\x9C"
                  "berlauf.")
                  .empty());
        CHECK(add(to, "a", 1, "Nothing here.").empty());
        CHECK(add(to, "b", 0, "main main main: the cpp of src is elsewhere.").empty());
        CHECK(add(to, "b", 1, "A \"quoted\" NEAR thing AND OR NOT * ( x").empty());
        CHECK_FALSE(to.append("b", {{}, 2, true}, ""));
        CHECK(found(to, "src/main.cpp") == strings{"a: The build of src/main.cpp failed with \xC3\x9C"});
        CHECK(found(to, "MAIN") == strings{"b: main main main: the cpp of src is elsewh",
                                           "a: The build of src/main.cpp failed with \xC3\x9C"});
        CHECK(found(to, "main", "a").size() == 1);
        CHECK(found(to, "main", "c").empty());
        CHECK(found(to, "main", {}, 1).size() == 1);
        CHECK(found(to,
                    "\xC3\xBC"
                    "berlauf")
                  .size() == 1);
        CHECK(found(to, "build nothing") ==
              strings{"a: Nothing here.", "a: The build of src/main.cpp failed with \xC3\x9C"});
        CHECK(found(to, "build failed nothing").front().starts_with("a: The build"));
        CHECK(found(to, "-a") == found(to, "a"));
        for (std::string_view const words : {"\"quoted\"", "NEAR AND", "NOT", "( x", "*", "thing*", "a\"b"})
            CHECK(found(to, words).size() <= 1);
        CHECK(found(to, "thing").size() == 1);
        CHECK(found(to, "thin*").empty());
        for (std::string_view const words : std::initializer_list<std::string_view>{
                 "", "  ", "\"", "\"\"", "!!!", "entry_words:a", "\xFF", std::string_view{"a\0b", 3}})
            CHECK(found(to, words).empty());
        CHECK(found(to, std::string(100'000, 'x')).empty());
    }
    SECTION("of conversations in the same second, the one with the latest append is first") {
        for (auto const* const id : {"first", "../second'; DROP TABLE entry", "first"})
            CHECK(add(to, id, 0, "x").empty());
        CHECK(conversations_in(to) == listing{{"first", 2}, {"../second'; DROP TABLE entry", 1}});
    }
    SECTION("what could not be written is written by the next flush") {
        CHECK(add(to, "c", 0, "before").empty());
        CHECK_FALSE(to.flush("c"));
        std::string const large(200'000, 'x');
        {
            processes::file_size_limit const limit{100'000};
            CHECK(add(to, "c", 1, large).empty());
            CHECK(to.flush("c"));
            CHECK(to.read("c", [](auto&&...) {}));
        }
        CHECK_FALSE(to.flush("c"));
        auto const all = lines_of(place.open(), "c");
        REQUIRE(all.size() == 2);
        CHECK(all[1].second == large);
    }
    SECTION("content that was damaged is left out") {
        for (std::uint64_t number = 0; number < 3; ++number) CHECK(add(to, "c", number, "text").empty());
        CHECK_FALSE(to.flush("c"));
        execute(place.file, "UPDATE entry SET content = 'texd' WHERE number = 1");
        CHECK(lines_of(to, "c").size() == 2);
        CHECK(found(to, "text") == strings{"c: text", "c: text"});
        strings damaged;
        CHECK_FALSE(to.damage("c", [&](condense::journal_hit const& each) {
            damaged.push_back(each.conversation + std::to_string(each.entry.number) + each.content);
        }));
        CHECK(damaged == strings{"c1texd"});
    }
    SECTION("where the file was removed each conversation is told once, and no reader in its place") {
        for (auto const* const id : {"a", "b"}) CHECK(add(to, id, 0, "first").empty());
        CHECK_FALSE(to.flush("a"));
        CHECK(add(to, "b", 1, "second").empty());
        for (auto const& file : place.files()) fs::remove(place.path + "/" + file);
        CHECK_FALSE(to.each_conversation([](auto&&...) {}));
        CHECK(lines_of(to, "a").empty());
        CHECK(to.append("a", {to.name("x"), 2}, "x").gone);
        CHECK_FALSE(to.append("a", {to.name("x"), 2}, "x"));
        CHECK(to.flush("b").gone);
        CHECK_FALSE(to.flush("b"));
        CHECK_FALSE(to.flush("never appended"));
        CHECK(lines_of(place.open(), "a").size() == 1);
    }
    SECTION("words of JSON are found as they read") {
        auto const content = R"({"content":"first line\nneedle_port caf\u00e9\ttabbed","n":8443})";
        CHECK(add(to, "a", 0, content).empty());
        for (auto const* const word : {"needle_port", "caf\xC3\xA9", "tabbed", "8443", "content"})
            CHECK(found(to, word).size() == 1);
        CHECK(lines_of(to, "a").at(0).second == content);
    }
}

TEST_CASE("sqlite_journal: a full, then read-only, disk leaves no hole") {
    scratch::folder const root;
    full_disk const disk{root / "disk"};
    if (!disk.mounted()) return;
    std::uint64_t next = 0;
    auto const record = [&](sqlite_journal const& to) {
        CHECK(add(to, "c", next++, std::string(20'000, 'x')).empty());
        return reason(to.flush("c"));
    };
    {
        sqlite_journal const to{root / "disk/a.db"};
        CHECK(record(to) == cannot_open);
        disk.leave_little_room();
        std::string problem;
        while (problem.empty() && next < 100) problem = record(to);
        CHECK(problem.starts_with("SQLite: "));
        CHECK(record(to) == problem);
        CHECK(next > 3);
        disk.leave_room();
        CHECK_FALSE(to.flush("c"));
    }
    REQUIRE(disk.make_read_only(true));
    sqlite_journal const to{root / "disk/a.db"};
    CHECK(record(to) == cannot_open);
    CHECK(to.read("c", [](auto&&...) {}));
    REQUIRE(disk.make_read_only(false));
    CHECK_FALSE(to.flush("c"));
    std::uint64_t expected = 0;
    for (auto const& [entry, content] : lines_of(sqlite_journal{root / "disk/a.db"}, "c"))
        CHECK(entry.number == expected++);
    CHECK(expected == next);
}
