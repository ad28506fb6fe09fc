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
