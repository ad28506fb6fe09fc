// SPDX-License-Identifier: BSL-1.0
#include <condense/store/sqlite_database.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <condense/store/sqlite_store.hpp>

#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"

namespace {

using condense::sqlite_store;

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

}  // namespace

TEST_CASE("sqlite_database: its files are for their owner alone, whatever the umask, and reading makes none") {
    scratch::folder const root;
    auto const before = ::umask(0);
    sqlite_store const store{root / "made/artifacts.db"};
    auto const name = store.name("text");
    CHECK_FALSE(store.get(name).has_value());
    CHECK_FALSE(store.erase(name));
    CHECK_FALSE(store.each([](auto&&...) {}));
    CHECK(scratch::names_in(root / "").empty());
    CHECK_FALSE(store.put(name, "text"));
    ::umask(before);
    CHECK(scratch::mode_of(root / "made") == 0700);
    for (auto const& file : scratch::names_in(root / "made")) CHECK(scratch::mode_of(root / "made/" + file) == 0600);
}

TEST_CASE("sqlite_database: what is no database of ours is left as it is") {
    scratch::folder const root;
    scratch::write(root / "text", "not a database, and long enough to be taken for one by nobody at all");
    CHECK(reason(sqlite_store{root / "text"}.put(condense::content_hash{}("a", 0), "a")).starts_with("SQLite: "));
    CHECK(scratch::bytes_of(root / "text").starts_with("not a database"));
    CHECK(reason(sqlite_store{root / "text/below"}.put(condense::content_hash{}("a", 0), "a")) ==
          "open folder: Not a directory");
    CHECK(sqlite_store{root / ""}.put(condense::content_hash{}("a", 0), "a"));
    std::filesystem::create_symlink(root / "text", root / "link");
    CHECK(sqlite_store{root / "link"}.put(condense::content_hash{}("a", 0), "a"));

    ::sqlite3* other = nullptr;
    REQUIRE(::sqlite3_open((root / "other.db").c_str(), &other) == SQLITE_OK);
    REQUIRE(::sqlite3_exec(other, "CREATE TABLE theirs (a)", nullptr, nullptr, nullptr) == SQLITE_OK);
    ::sqlite3_close(other);
    CHECK(reason(sqlite_store{root / "other.db"}.put(condense::content_hash{}("a", 0), "a")) ==
          "a database of another program");

    sqlite_store const store{root / "newer.db"};
    CHECK_FALSE(store.put(store.name("a"), "a"));
    REQUIRE(::sqlite3_open((root / "newer.db").c_str(), &other) == SQLITE_OK);
    REQUIRE(::sqlite3_exec(other, "PRAGMA user_version = 2", nullptr, nullptr, nullptr) == SQLITE_OK);
    ::sqlite3_close(other);
    CHECK(reason(sqlite_store{root / "newer.db"}.put(store.name("b"), "b")) == "written by a newer version");
}

TEST_CASE("sqlite_database: a file that others may replace or reach by another name is refused") {
    scratch::folder const root;
    REQUIRE(std::filesystem::create_directory(root / "all"));
    REQUIRE(::chmod((root / "all").c_str(), 0777) == 0);
    sqlite_store const store{root / "all/a.db"};
    auto const name = store.name("text");
    CHECK(reason(store.put(name, "text")) ==
          "open folder: the folder must be closed to others (chmod go-w), or allow_open_folder be set");
    CHECK(scratch::names_in(root / "all").empty());
    CHECK_FALSE(sqlite_store{root / "all/a.db", {.allow_open_folder = true}}.put(name, "text"));
    REQUIRE(::chmod((root / "all").c_str(), 01777) == 0);  // as /tmp
    CHECK(store.get(name) == "text");

    std::filesystem::create_hard_link(root / "all/a.db", root / "b.db");
    CHECK(reason(sqlite_store{root / "b.db"}.put(name, "text")) ==
          "open: the file must have no other name (hard link): put a copy in its place");
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
    CHECK_FALSE(store.put(store.name("parent"), "parent"));
    auto const said = processes::child{[&](auto const& say) {
                          say(store.get(store.name("parent")) == "parent" ? 1u : 0u);
                          say(store.put(store.name("child"), "child") ? 0u : 1u);
                      }}.join();
    CHECK(said == std::vector<std::uint64_t>{1, 1});
    CHECK(store.get(store.name("child")) == "child");
}

TEST_CASE("sqlite_database: a child of the process and its parent lose nothing, whoever closes first", "[law-S8]") {
    for (bool const fresh : {false, true}) {
        scratch::folder const root{scratch::memory()};
        auto const wait_for = [&](char const* name) {
            while (!std::filesystem::exists(root / name)) ::usleep(1'000);
        };
        auto const put = [](sqlite_store const& store, std::string const& content) {
            return store.put(store.name(content), content) ? 0u : 1u;
        };
        std::optional<sqlite_store> parent{root / "a.db"};
        CHECK(put(*parent, "parent") == 1);
        processes::child child{[&](auto const& say) {
            auto const store = fresh ? sqlite_store{root / "a.db"} : *parent;
            say(put(store, "child 1"));
            scratch::write(root / "first", "");
            wait_for("second");
            say(put(store, "child 2"));
            say(put(store, "child 3"));
        }};
        wait_for("first");
        CHECK(put(*parent, "parent 2") == 1);
        parent.reset();
        scratch::write(root / "second", "");
        CHECK(child.join() == std::vector<std::uint64_t>{1, 1, 1});
        sqlite_store const reader{root / "a.db"};
        for (auto const* const content : {"parent", "parent 2", "child 1", "child 2", "child 3"})
            CHECK(reader.get(reader.name(content)) == content);
    }
}
