// SPDX-License-Identifier: BSL-1.0
#include <condense/store/sqlite_store.hpp>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include <unistd.h>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/testing/store_laws.hpp>

#include "store/kills.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/violations.hpp"

namespace {

using condense::sqlite_store;

static_assert(condense::listable_store<sqlite_store> && condense::erasable_store<sqlite_store>);
static_assert(sqlite_store::durable);

/// Stores in files of their own, which last as long as the maker.
class maker {
public:
    auto operator()(auto hash) {
        folders_.emplace_back(scratch::memory());
        return reopen(hash);
    }
    auto reopen(auto hash) const { return condense::basic_sqlite_store{folders_.back() / "a/b/artifacts.db", hash}; }

private:
    std::list<scratch::folder> folders_;
};

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

}  // namespace

TEST_CASE("sqlite_store: keeps the laws of stores") {
    maker make;
    CHECK(text_of(condense::testing::check_store_laws(make, [&](auto hash) { return make.reopen(hash); })) == "");
}

TEST_CASE("sqlite_store: a database that was removed is made again, and content that was damaged is not given back") {
    scratch::folder const root;
    sqlite_store const store{root / "a.db"};
    CHECK_FALSE(store.put(store.name("one"), "one"));
    for (auto const& file : scratch::names_in(root / "")) std::filesystem::remove(root / file);
    CHECK_FALSE(store.get(store.name("one")).has_value());
    CHECK_FALSE(store.put(store.name("two"), "two"));
    CHECK(sqlite_store{root / "a.db"}.get(store.name("two")) == "two");

    ::sqlite3* other = nullptr;
    REQUIRE(::sqlite3_open((root / "a.db").c_str(), &other) == SQLITE_OK);
    REQUIRE(::sqlite3_exec(other, "UPDATE artifact SET content = 'twa'", nullptr, nullptr, nullptr) == SQLITE_OK);
    ::sqlite3_close(other);
    auto const name = condense::content_hash{}("two", 0);
    CHECK_FALSE(store.get(name).has_value());
    CHECK(store.put(name, "two"));
    CHECK(store.name("two") != name);
    CHECK_FALSE(store.put(store.name("two"), "two"));
    CHECK(store.get(store.name("two")) == "two");
}

TEST_CASE("sqlite_store: several processes put at once, and none loses anything") {
    scratch::folder const root{scratch::memory()};
    std::vector<processes::child> writers;
    for (int writer = 0; writer < 6; ++writer)
        writers.emplace_back([&, writer](auto const& say) {
            condense::basic_sqlite_store const colliding{root / "colliding.db", condense::testing::law_hash{2}};
            say(colliding.put(condense::testing::law_hash{2}("", 0), std::to_string(writer)) ? 0u : 1u);
            sqlite_store const store{root / "a.db"};
            for (int entry = 0; entry < 20; ++entry) {
                auto const content = std::to_string(writer * entry);
                say(store.put(store.name(content), content) ? 0u : 1u);
            }
        });
    std::uint64_t first = 0;
    for (auto& writer : writers) {
        auto const said = writer.join();
        REQUIRE(said.size() == 21);
        first += said[0];
        CHECK(std::vector(said.begin() + 1, said.end()) == std::vector<std::uint64_t>(20, 1));
    }
    CHECK(first == 1);
    sqlite_store const store{root / "a.db"};
    for (int writer = 0; writer < 6; ++writer)
        for (int entry = 0; entry < 20; ++entry) {
            auto const content = std::to_string(writer * entry);
            CHECK(store.get(store.name(content)) == content);
        }
}

TEST_CASE("sqlite_store: a full disk is an error, and what was kept stays") {
    scratch::folder const root{scratch::memory()};
    sqlite_store const store{root / "a.db"};
    CHECK_FALSE(store.put(store.name("before"), "before"));
    std::string const large(200'000, 'x');
    {
        processes::file_size_limit const limit{100'000};
        CHECK(reason(store.put(store.name(large), large)).starts_with("SQLite: "));
    }
    CHECK_FALSE(store.get(condense::content_hash{}(large, 0)).has_value());
    CHECK(store.get(store.name("before")) == "before");
    CHECK_FALSE(store.put(store.name(large), large));
    CHECK(store.get(store.name(large)) == large);
}

TEST_CASE("sqlite_store: a full disk, one without room for files, and a read-only one") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=2m,nr_inodes=8"};
    if (!disk.mounted()) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    auto const content = [](char byte) { return std::string(60'000, byte); };
    auto const put = [&](sqlite_store const& store, char byte) {
        return reason(store.put(store.name(content(byte)), content(byte)));
    };
    for (int file = 0; file < 6; ++file) scratch::write(root / "disk/" + std::to_string(file), "");
    {
        sqlite_store const store{root / "disk/a.db"};
        CHECK(put(store, 'a') == "SQLite: unable to open database file");
        for (int file = 0; file < 6; ++file) std::filesystem::remove(root / "disk/" + std::to_string(file));
        scratch::write(root / "disk/ballast", std::string(1'700'000, 'x'));
        std::string problem;
        char end = 'a';
        for (; problem.empty() && end <= 'z'; ++end) problem = put(store, end);
        CHECK(problem.starts_with("SQLite: "));
        CHECK(put(store, end) == problem);
        CHECK(end > 'c');
        for (char byte = 'a'; byte < end - 1; ++byte) CHECK((store.get(store.name(content(byte))) == content(byte)));
        std::filesystem::remove(root / "disk/ballast");
        CHECK(put(store, end).empty());
        CHECK((store.get(store.name(content(end))) == content(end)));
    }
    // What a killed writer leaves lets SQLite read.
    for (bool const killed : {false, true}) {
        if (killed) {
            processes::child writer{[&](auto const& say) {
                sqlite_store const store{root / "disk/a.db"};
                say(put(store, 'A').size());
                ::raise(SIGKILL);
            }};
            CHECK(writer.join_killed() == std::vector<std::uint64_t>{0});
        }
        REQUIRE(disk.make_read_only(true));
        sqlite_store const store{root / "disk/a.db"};
        CHECK(put(store, 'B') == (killed
                                      ? "SQLite: attempt to write a readonly database: file and folder must be writable"
                                      : "SQLite: unable to open database file"));
        CHECK(store.get(store.name(content('a'))).has_value() == killed);
        REQUIRE(disk.make_read_only(false));
        CHECK(put(store, 'B').empty());
        CHECK((store.get(store.name(content('a'))) == content('a')));
    }
}

TEST_CASE("sqlite_store: too many open files are an error that passes") {
    scratch::folder const root;
    sqlite_store const store{root / "a.db"};
    auto const problem = processes::with_few_files([&] { return reason(store.put(store.name("one"), "one")); });
    CHECK(problem.ends_with(": Too many open files: the process must be allowed more open files (ulimit -n)"));
    CHECK_FALSE(store.put(store.name("one"), "one"));
    CHECK(store.get(store.name("one")) == "one");
}

TEST_CASE("sqlite_store: a writer that is killed loses nothing it was told is kept") {
    store_tests::artifact_store_outlives_killed_writers([](std::string const& path) { return sqlite_store{path}; },
                                                        [](std::string const&) {});
}

TEST_CASE("sqlite_store: takes what offload takes out of a conversation") {
    using namespace condense::literals;
    using condense::chat_message;
    scratch::folder const root;
    sqlite_store const store{root / "a.db"};
    std::string const log(30'000, '.');
    std::vector<chat_message> history{chat_message::user("Read it."), chat_message::call("1", "read", "{}"),
                                      chat_message::result("1", log)};
    condense::pipeline const mix{condense::offload{.over = 10'000_chars, .into = store}};
    static_assert(condense::durable<decltype(mix)>);
    CHECK(condense::reduce(history, mix, {.window = 100'000_tokens}).layers[0].artifacts == 1);
    CHECK(store.get(store.name(log)) == log);
}
