// SPDX-License-Identifier: BSL-1.0
#include <condense/store/sqlite_journal.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/testing/journal_laws.hpp>

#include "store/journal_lines.hpp"
#include "store/kills.hpp"
#include "store/processes.hpp"
#include "store/recorded_talk.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/violations.hpp"

namespace {

using condense::journal_hit;
using condense::sqlite_journal;

static_assert(condense::journal<sqlite_journal> && sqlite_journal::durable);

/// Journals in files of their own, which last as long as the maker.
class maker {
public:
    sqlite_journal operator()() {
        folders_.emplace_back(scratch::memory());
        return reopen();
    }
    sqlite_journal reopen() const { return sqlite_journal{folders_.back() / "a/b/sessions.db"}; }

private:
    std::list<scratch::folder> folders_;
};

std::vector<std::string> found(sqlite_journal const& in, std::string_view words,
                               std::optional<std::string_view> conversation = {}, std::size_t most = 20) {
    std::vector<std::string> all;
    CHECK_FALSE(in.search(words, conversation, most, [&](journal_hit const& hit) {
        all.push_back(hit.conversation + ": " + hit.content.substr(0, 40));
    }));
    return all;
}

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("sqlite_journal: keeps the laws of journals") {
    maker make;
    CHECK(text_of(condense::testing::check_journal_laws(make, [&] { return make.reopen(); })) == "");
}

TEST_CASE("sqlite_journal: finds words, the best first, in one conversation or in all") {
    maker make;
    auto const to = make();
    CHECK(found(to, "anything").empty());
    CHECK(store_tests::add(to, "a", 0,
                           "The build of src/main.cpp failed with \xC3\x9C"
                           "berlauf.")
              .empty());
    CHECK(store_tests::add(to, "a", 1, "Nothing here.").empty());
    CHECK(store_tests::add(to, "b", 0, "main main main: the cpp of src is elsewhere.").empty());
    CHECK(store_tests::add(to, "b", 1, "A \"quoted\" NEAR thing AND OR NOT * ( x").empty());
    CHECK_FALSE(to.append("b", {{}, 2, true}, ""));
    CHECK(found(to, "src/main.cpp") == list{"a: The build of src/main.cpp failed with \xC3\x9C"});
    CHECK(found(to, "MAIN") ==
          list{"b: main main main: the cpp of src is elsewh", "a: The build of src/main.cpp failed with \xC3\x9C"});
    CHECK(found(to, "main", "a").size() == 1);
    CHECK(found(to, "main", "c").empty());
    CHECK(found(to, "main", {}, 1).size() == 1);
    CHECK(found(to,
                "\xC3\xBC"
                "berlauf")
              .size() == 1);
    CHECK(found(to, "build nothing") == list{"a: Nothing here.", "a: The build of src/main.cpp failed with \xC3\x9C"});
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

TEST_CASE("sqlite_journal: of conversations in the same second, the one with the latest append is first") {
    maker make;
    auto const to = make();
    for (auto const* const id : {"first", "../second'; DROP TABLE entry", "first"})
        CHECK(store_tests::add(to, id, 0, "x").empty());
    std::vector<std::pair<std::string, std::uint64_t>> const expected{{"first", 2},
                                                                      {"../second'; DROP TABLE entry", 1}};
    CHECK(store_tests::conversations_in(to) == expected);
}

TEST_CASE("sqlite_journal: what could not be written is written by the next flush") {
    scratch::folder const root{scratch::memory()};
    sqlite_journal const to{root / "a.db"};
    CHECK(store_tests::add(to, "c", 0, "before").empty());
    CHECK_FALSE(to.flush("c"));
    std::string const large(200'000, 'x');
    {
        processes::file_size_limit const limit{100'000};
        CHECK(store_tests::add(to, "c", 1, large).empty());
        CHECK(to.flush("c"));
        CHECK(to.read("c", [](auto&&...) {}));
    }
    CHECK_FALSE(to.flush("c"));
    auto const all = store_tests::lines_of(sqlite_journal{root / "a.db"}, "c");
    REQUIRE(all.size() == 2);
    CHECK(all[1].second == large);
}

TEST_CASE("sqlite_journal: a full, then read-only, disk leaves no hole") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=2m,nr_inodes=8"};
    if (!disk.mounted()) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    std::uint64_t next = 0;
    auto const record = [&](sqlite_journal const& to) {
        CHECK(store_tests::add(to, "c", next++, std::string(20'000, 'x')).empty());
        return reason(to.flush("c"));
    };
    for (int file = 0; file < 6; ++file) scratch::write(root / "disk/" + std::to_string(file), "");
    {
        sqlite_journal const to{root / "disk/a.db"};
        CHECK(record(to) == "SQLite: unable to open database file");
        for (int file = 0; file < 6; ++file) std::filesystem::remove(root / "disk/" + std::to_string(file));
        scratch::write(root / "disk/ballast", std::string(1'700'000, 'x'));
        std::string problem;
        while (problem.empty() && next < 100) problem = record(to);
        CHECK(problem.starts_with("SQLite: "));
        CHECK(record(to) == problem);
        CHECK(next > 3);
        std::filesystem::remove(root / "disk/ballast");
        CHECK_FALSE(to.flush("c"));
    }
    REQUIRE(disk.make_read_only(true));
    sqlite_journal const to{root / "disk/a.db"};
    CHECK(record(to) == "SQLite: unable to open database file");
    CHECK(to.read("c", [](auto&&...) {}));
    REQUIRE(disk.make_read_only(false));
    CHECK_FALSE(to.flush("c"));
    std::uint64_t expected = 0;
    for (auto const& [entry, content] : store_tests::lines_of(sqlite_journal{root / "disk/a.db"}, "c"))
        CHECK(entry.number == expected++);
    CHECK(expected == next);
}

TEST_CASE("sqlite_journal: too many open files are an error that passes") {
    scratch::folder const root;
    sqlite_journal const to{root / "a.db"};
    CHECK(store_tests::add(to, "c", 0, "one").empty());
    auto const problem = processes::with_few_files([&] { return reason(to.flush("c")); });
    CHECK(problem.ends_with(": Too many open files: the process must be allowed more open files (ulimit -n)"));
    CHECK_FALSE(to.flush("c"));
    CHECK(store_tests::lines_of(to, "c").size() == 1);
}

TEST_CASE("sqlite_journal: content that was damaged is left out") {
    scratch::folder const root;
    sqlite_journal const to{root / "a.db"};
    for (std::uint64_t number = 0; number < 3; ++number) CHECK(store_tests::add(to, "c", number, "text").empty());
    CHECK_FALSE(to.flush("c"));
    ::sqlite3* other = nullptr;
    REQUIRE(::sqlite3_open((root / "a.db").c_str(), &other) == SQLITE_OK);
    REQUIRE(::sqlite3_exec(other, "UPDATE entry SET content = 'texd' WHERE number = 1", nullptr, nullptr, nullptr) ==
            SQLITE_OK);
    ::sqlite3_close(other);
    CHECK(store_tests::lines_of(to, "c").size() == 2);
    CHECK(found(to, "text") == list{"c: text", "c: text"});
}

TEST_CASE("sqlite_journal: several processes append at once, and none loses anything") {
    scratch::folder const root{scratch::memory()};
    std::vector<processes::child> writers;
    for (std::uint64_t writer = 0; writer < 6; ++writer)
        writers.emplace_back([&, writer](auto const& say) {
            sqlite_journal const to{root / "a.db"};
            for (std::uint64_t entry = 0; entry < 40; ++entry) {
                auto const content = std::to_string(writer) + std::string(entry * 50, 'x');
                bool const kept =
                    !to.append("c", {to.name(content), entry, false}, content) && (entry % 4 || !to.flush("c"));
                say(kept ? 1u : 0u);
            }
            say(to.flush("c") ? 0u : 1u);
        });
    for (auto& writer : writers) CHECK(writer.join() == std::vector<std::uint64_t>(41, 1));
    std::vector<std::uint64_t> next(6);
    for (auto const& [entry, content] : store_tests::lines_of(sqlite_journal{root / "a.db"}, "c")) {
        auto const writer = static_cast<std::size_t>(content.at(0) - '0');
        CHECK(entry.number == next.at(writer)++);
        CHECK(content.size() == 1 + entry.number * 50);
    }
    CHECK(next == std::vector<std::uint64_t>(6, 40));
}

TEST_CASE("sqlite_journal: a writer that is killed loses nothing that was flushed") {
    store_tests::journal_outlives_killed_writers([](std::string const& path) { return sqlite_journal{path}; });
}

TEST_CASE("sqlite_journal: a record layer goes on in another process where this one stopped") {
    using namespace condense::literals;
    using condense::chat_message;
    scratch::folder const root;
    std::vector<chat_message> history;
    for (int run = 0; run < 3; ++run) {
        sqlite_journal const to{root / "a.db"};
        condense::pipeline const mix{condense::record{.to = to},
                                     condense::sliding_window{.when = condense::used >= 90_pct}};
        static_assert(condense::durable<decltype(mix)>);
        for (int turn = 0; turn < 20; ++turn)
            history.push_back(chat_message::user("turn " + std::to_string(run * 20 + turn) + std::string(200, '.')));
        CHECK(condense::reduce(history, mix, {.window = 1'000_tokens}).fits());
    }
    std::size_t originals = 0;
    for (auto const& [entry, content] : store_tests::lines_of(sqlite_journal{root / "a.db"}, "")) {
        if (entry.is_derived) continue;
        CHECK(condense::from_bytes<chat_message>(content)->parts[0].text ==
              "turn " + std::to_string(originals++) + std::string(200, '.'));
    }
    CHECK(originals == 60);
}

TEST_CASE("sqlite_journal: a session whose journal was moved or removed records everything anew", "[law-6]") {
    scratch::folder const root;
    sqlite_journal const to{root / "a.db"};
    store_tests::recorded_talk talk{to};
    for (int number = 0; number < 3; ++number) talk.say(number);
    static_cast<void>(talk.session.prepare());
    for (auto const& file : scratch::names_in(root / "")) std::filesystem::remove(root / file);
    for (int number = 3; number < 6; ++number) talk.say(number);
    for (int tries = 0; tries < 3; ++tries) static_cast<void>(talk.session.run());
    CHECK(store_tests::originals_in(sqlite_journal{root / "a.db"}) == talk.all);
}

TEST_CASE("sqlite_journal: where the file was removed each conversation is told once, and no reader in its place",
          "[law-6]") {
    scratch::folder const root;
    sqlite_journal const to{root / "a.db"};
    for (auto const* const id : {"a", "b"}) CHECK(store_tests::add(to, id, 0, "first").empty());
    CHECK_FALSE(to.flush("a"));
    CHECK(store_tests::add(to, "b", 1, "second").empty());
    for (auto const& file : scratch::names_in(root / "")) std::filesystem::remove(root / file);
    CHECK_FALSE(to.each_conversation([](auto&&...) {}));
    CHECK(store_tests::lines_of(to, "a").empty());
    CHECK(to.append("a", {to.name("x"), 2}, "x").gone);
    CHECK_FALSE(to.append("a", {to.name("x"), 2}, "x"));
    CHECK(to.flush("b").gone);
    CHECK_FALSE(to.flush("b"));
    CHECK_FALSE(to.flush("never appended"));
    CHECK(store_tests::lines_of(sqlite_journal{root / "a.db"}, "a").size() == 1);
}

TEST_CASE("sqlite_journal: words of JSON are found as they read") {
    maker make;
    auto const to = make();
    auto const content = R"({"content":"first line\nneedle_port caf\u00e9\ttabbed","n":8443})";
    CHECK(store_tests::add(to, "a", 0, content).empty());
    for (auto const* const word : {"needle_port", "caf\xC3\xA9", "tabbed", "8443", "content"})
        CHECK(found(to, word).size() == 1);
    CHECK(store_tests::lines_of(to, "a").at(0).second == content);
}
