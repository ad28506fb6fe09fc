// SPDX-License-Identifier: BSL-1.0
#include <condense/store/sqlite_store.hpp>

#include "store/scenario.hpp"
#include "store/sqlite_files.hpp"

namespace {

using namespace store_tests;
using condense::sqlite_store;

struct database_place : files_below {
    static constexpr std::string_view too_large = "SQLite: ";
    auto open(auto... hash) const { return condense::basic_sqlite_store{path + "/artifacts.db", hash...}; }
    void change(condense::reference const&, std::string const& text) const {
        execute(path + "/artifacts.db", "UPDATE artifact SET content = '" + text + "'");
    }
};

}  // namespace

TEST_CASE("sqlite_store: is a durable store") { check_durable_store<database_place>(); }

TEST_CASE("sqlite_store: a full disk, one without room for files, and a read-only one") {
    scratch::folder const root;
    full_disk const disk{root / "disk"};
    if (!disk.mounted()) return;
    auto const content = [](char byte) { return std::string(60'000, byte); };
    auto const put_filled = [&](sqlite_store const& store, char byte) { return put(store, content(byte)); };
    {
        sqlite_store const store{root / "disk/a.db"};
        CHECK(put_filled(store, 'a') == cannot_open);
        disk.leave_little_room();
        std::string problem;
        char end = 'a';
        for (; problem.empty() && end <= 'z'; ++end) problem = put_filled(store, end);
        CHECK(problem.starts_with("SQLite: "));
        CHECK(put_filled(store, end) == problem);
        CHECK(end > 'c');
        for (char byte = 'a'; byte < end - 1; ++byte) CHECK(holds(store, content(byte)));
        disk.leave_room();
        CHECK(put_filled(store, end).empty());
        CHECK(holds(store, content(end)));
    }
    // What a killed writer leaves lets SQLite read.
    for (bool const killed : {false, true}) {
        if (killed) {
            processes::child writer{[&](auto const& say) {
                sqlite_store const store{root / "disk/a.db"};
                say(put_filled(store, 'A').size());
                ::raise(SIGKILL);
            }};
            CHECK(writer.join_killed() == std::vector<std::uint64_t>{0});
        }
        REQUIRE(disk.make_read_only(true));
        sqlite_store const store{root / "disk/a.db"};
        CHECK(
            put_filled(store, 'B') ==
            (killed ? "SQLite: attempt to write a readonly database: file and folder must be writable" : cannot_open));
        CHECK(holds(store, content('a')) == killed);
        REQUIRE(disk.make_read_only(false));
        CHECK(put_filled(store, 'B').empty());
        CHECK(holds(store, content('a')));
    }
}

TEST_CASE("sqlite_database: what is no database of ours is left as it is") {
    scratch::folder const root;
    auto const put_in = [&](std::string_view name) { return put(sqlite_store{root / name}, "a"); };
    scratch::write(root / "text", "not a database, and long enough to be taken for one by nobody at all");
    CHECK(put_in("text").starts_with("SQLite: "));
    CHECK(scratch::bytes_of(root / "text").starts_with("not a database"));
    CHECK(put_in("text/below") == "open folder: Not a directory");
    CHECK_FALSE(put_in("").empty());
    fs::create_symlink(root / "text", root / "link");
    CHECK_FALSE(put_in("link").empty());
    execute(root / "other.db", "CREATE TABLE theirs (a)");
    CHECK(put_in("other.db") == "a database of another program");
    CHECK(put_in("newer.db").empty());
    execute(root / "newer.db", "PRAGMA user_version = 2");
    CHECK(put_in("newer.db") == "written by a newer version");
}

TEST_CASE("sqlite_database: a file that others may replace or reach by another name is refused") {
    scratch::folder const root;
    REQUIRE(fs::create_directory(root / "all"));
    REQUIRE(::chmod((root / "all").c_str(), 0777) == 0);
    sqlite_store const store{root / "all/a.db"};
    CHECK(put(store, "text") == open_to_others);
    CHECK(scratch::names_in(root / "all").empty());
    CHECK(put(sqlite_store{root / "all/a.db", {.allow_open_folder = true}}, "text").empty());
    REQUIRE(::chmod((root / "all").c_str(), 01777) == 0);  // as /tmp
    CHECK(holds(store, "text"));

    fs::create_hard_link(root / "all/a.db", root / "b.db");
    CHECK(put(sqlite_store{root / "b.db"}, "text") ==
          "open: the file must have no other name (hard link): put a copy in its place");
}

TEST_CASE("sqlite_database: one that another has locked is waited for no longer than said") {
    using namespace std::chrono_literals;
    scratch::folder const root;
    auto const file = root / "s.db";
    for (bool const is_new : {true, false}) {
        ::sqlite3* other = nullptr;
        REQUIRE(::sqlite3_open(file.c_str(), &other) == SQLITE_OK);
        for (auto const* const sql : {"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"})
            REQUIRE(::sqlite3_exec(other, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
        sqlite_store const store{file, {.patience = 300ms}};
        auto const begin = std::chrono::steady_clock::now();
        CHECK(put(store, "text") == "SQLite: database is locked");
        auto const took = std::chrono::steady_clock::now() - begin;
        CAPTURE(is_new, took.count());
        CHECK((took >= 290ms && took < 5s));
        CHECK(::sqlite3_close(other) == SQLITE_OK);
        CHECK(put(store, "text").empty());
    }
}

TEST_CASE("sqlite_database: a change that an exception ends is undone, and the next one is made", "[law-7]") {
    using condense::detail::sqlite::run;
    scratch::folder const root;
    condense::detail::sqlite::database file{root / "a.db", {1, "CREATE TABLE number (value)"}, {}};
    auto const insert = [](::sqlite3* handle) { return run(handle, "INSERT INTO number VALUES (1)"); };
    auto const insert_and_throw = [&](::sqlite3* handle) {
        insert(handle);
        throw std::runtime_error{"stop"};
        return SQLITE_OK;
    };
    CHECK_THROWS_AS(file.change(true, insert_and_throw), std::runtime_error);
    CHECK_FALSE(file.change(true, insert));
    std::uint64_t rows = 0;
    CHECK_FALSE(file.use(false, [&](::sqlite3* handle) {
        condense::detail::sqlite::statement count{handle, "SELECT count(*) FROM number"};
        if (count.step()) rows = count.number(0);
        return count.status();
    }));
    CHECK(rows == 1);
}

TEST_CASE("sqlite_database: a child of the process opens the database for itself") {
    scratch::folder const root{scratch::memory()};
    sqlite_store const store{root / "a.db"};
    CHECK(put(store, "parent").empty());
    CHECK(processes::child{[&](auto const& say) {
              say(holds(store, "parent") ? 1u : 0u);
              say(put(store, "child").size());
          }}.join() == std::vector<std::uint64_t>{1, 0});
    CHECK(holds(store, "child"));
}

TEST_CASE("sqlite_database: a child of the process and its parent lose nothing, whoever closes first", "[law-S8]") {
    for (bool const fresh : {false, true}) {
        scratch::folder const root{scratch::memory()};
        auto const wait_for = [&](char const* name) {
            while (!fs::exists(root / name)) ::usleep(1'000);
        };
        std::optional<sqlite_store> parent{root / "a.db"};
        CHECK(put(*parent, "parent").empty());
        processes::child child{[&](auto const& say) {
            auto const store = fresh ? sqlite_store{root / "a.db"} : *parent;
            say(put(store, "child 1").size());
            scratch::write(root / "first", "");
            wait_for("second");
            for (auto const* const content : {"child 2", "child 3"}) say(put(store, content).size());
        }};
        wait_for("first");
        CHECK(put(*parent, "parent 2").empty());
        parent.reset();
        scratch::write(root / "second", "");
        CHECK(child.join() == std::vector<std::uint64_t>(3));
        sqlite_store const reader{root / "a.db"};
        for (auto const* const content : {"parent", "parent 2", "child 1", "child 2", "child 3"})
            CHECK(holds(reader, content));
    }
}
