// SPDX-License-Identifier: BSL-1.0

// Every system call that the folders and the databases make fails once, or is the last one before a kill. The calls are
// the C library's own, defined here in its place, so that a plan can have its way with them, SQLite's among them.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condense/store/file.hpp>
#include <condense/store/markdown_memory.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "store/journal_lines.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

#if defined(__linux__) && defined(__GLIBC__) && defined(__x86_64__) && !defined(_FILE_OFFSET_BITS)

namespace {

constexpr int kill_instead = -1;

struct plan {
    std::string_view only = {};  ///< calls of that name, or all
    long at = -1;  ///< which of them fails, counted from 0
    int error = 0;
    long times = 1;
    bool split = false;  ///< no write writes more than half
    bool halve = false;  ///< a write that fails writes half first
    bool no_rename = false;  ///< as where the file system cannot rename without replacing
    long made = 0;
    std::string_view failed = {};  ///< the call that did
    std::size_t operation = 0;  ///< the operation that made it
    std::vector<std::string> log = {};
};

plan* in_force = nullptr;

/// Whether this call is to fail; errno then says why.
bool fails(std::string_view call) {
    if (in_force == nullptr) return false;
    auto& now = *in_force;
    now.log.emplace_back(call);
    if (now.no_rename && call == "renameat2") {
        errno = EINVAL;
        return true;
    }
    if (!now.only.empty() && now.only != call) return false;
    auto const place = now.made++;
    if (now.at < 0 || place < now.at || place >= now.at + now.times) return false;
    if (now.error == kill_instead) ::kill(::getpid(), SIGKILL);
    now.failed = call;
    errno = now.error;
    return true;
}

/// The plan holds while this lives.
class planned {
public:
    explicit planned(plan& made) { in_force = &made; }
    planned(planned const&) = delete;
    planned& operator=(planned const&) = delete;
    ~planned() { in_force = nullptr; }
};

template <class... Arguments>
long call(long number, Arguments... arguments) {
    return ::syscall(number, arguments...);
}

}  // namespace

extern "C" {

int open(char const* path, int flags, ...) {
    std::va_list more;
    va_start(more, flags);
    auto const mode = (flags & O_CREAT) != 0 ? va_arg(more, ::mode_t) : 0u;
    va_end(more);
    return fails("open") ? -1 : static_cast<int>(call(SYS_open, path, flags, mode));
}
int openat(int folder, char const* path, int flags, ...) {
    std::va_list more;
    va_start(more, flags);
    auto const mode = (flags & O_CREAT) != 0 ? va_arg(more, ::mode_t) : 0u;
    va_end(more);
    return fails("openat") ? -1 : static_cast<int>(call(SYS_openat, folder, path, flags, mode));
}
::ssize_t write(int file, void const* bytes, std::size_t size) {
    if (!fails("write"))
        return call(SYS_write, file, bytes, in_force != nullptr && in_force->split ? (size + 1) / 2 : size);
    auto const error = errno;
    if (in_force->halve && error != EINTR) call(SYS_write, file, bytes, size / 2);
    errno = error;
    return -1;
}
::ssize_t pread(int file, void* bytes, std::size_t size, ::off_t at) {
    return fails("pread") ? -1 : call(SYS_pread64, file, bytes, size, at);
}
int fsync(int file) { return fails("fsync") ? -1 : static_cast<int>(call(SYS_fsync, file)); }
int mkdirat(int folder, char const* path, ::mode_t mode) noexcept {
    return fails("mkdirat") ? -1 : static_cast<int>(call(SYS_mkdirat, folder, path, mode));
}
int unlinkat(int folder, char const* path, int flags) noexcept {
    return fails("unlinkat") ? -1 : static_cast<int>(call(SYS_unlinkat, folder, path, flags));
}
int renameat2(int from, char const* old_path, int to, char const* path, unsigned flags) noexcept {
    return fails("renameat2") ? -1 : static_cast<int>(call(SYS_renameat2, from, old_path, to, path, flags));
}
int renameat(int from, char const* old_path, int to, char const* path) noexcept {
    return fails("renameat") ? -1 : static_cast<int>(call(SYS_renameat, from, old_path, to, path));
}
int fchmod(int file, ::mode_t mode) noexcept {
    return fails("fchmod") ? -1 : static_cast<int>(call(SYS_fchmod, file, mode));
}
int linkat(int from, char const* old_path, int to, char const* path, int flags) noexcept {
    return fails("linkat") ? -1 : static_cast<int>(call(SYS_linkat, from, old_path, to, path, flags));
}
int ftruncate(int file, ::off_t size) noexcept {
    return fails("ftruncate") ? -1 : static_cast<int>(call(SYS_ftruncate, file, size));
}
int flock(int file, int kind) noexcept { return fails("flock") ? -1 : static_cast<int>(call(SYS_flock, file, kind)); }

// What SQLite uses beside these.
int open64(char const* path, int flags, ...) {
    std::va_list more;
    va_start(more, flags);
    auto const mode = (flags & O_CREAT) != 0 ? va_arg(more, ::mode_t) : 0u;
    va_end(more);
    return fails("open64") ? -1 : static_cast<int>(call(SYS_open, path, flags, mode));
}
int fcntl64(int file, int command, ...) {
    std::va_list more;
    va_start(more, command);
    auto* const argument = va_arg(more, void*);
    va_end(more);
    // Unlocking fails on no local file system, and SQLite waits ten seconds for a lock that it could not give back.
    bool const unlocks = command == F_SETLK && static_cast<struct flock*>(argument)->l_type == F_UNLCK;
    return !unlocks && fails("fcntl64") ? -1 : static_cast<int>(call(SYS_fcntl, file, command, argument));
}
::ssize_t pwrite64(int file, void const* bytes, std::size_t size, ::off64_t at) {
    if (!fails("pwrite64")) return call(SYS_pwrite64, file, bytes, size, at);
    auto const error = errno;
    if (in_force->halve && error != EINTR) call(SYS_pwrite64, file, bytes, size / 2, at);
    errno = error;
    return -1;
}
::ssize_t pread64(int file, void* bytes, std::size_t size, ::off64_t at) {
    return fails("pread64") ? -1 : call(SYS_pread64, file, bytes, size, at);
}
int fdatasync(int file) {
    struct stat status = {};
    bool const folder = call(SYS_fstat, file, &status) == 0 && S_ISDIR(status.st_mode);
    return fails(folder ? "fdatasync of a folder" : "fdatasync") ? -1 : static_cast<int>(call(SYS_fdatasync, file));
}
int ftruncate64(int file, ::off64_t size) noexcept {
    return fails("ftruncate64") ? -1 : static_cast<int>(call(SYS_ftruncate, file, size));
}
int unlink(char const* path) noexcept { return fails("unlink") ? -1 : static_cast<int>(call(SYS_unlink, path)); }
int stat64(char const* path, struct stat64* status) noexcept {
    return fails("stat64") ? -1 : static_cast<int>(call(SYS_stat, path, status));
}
int fstat64(int file, struct stat64* status) noexcept {
    return fails("fstat64") ? -1 : static_cast<int>(call(SYS_fstat, file, status));
}
int lstat64(char const* path, struct stat64* status) noexcept {
    return fails("lstat64") ? -1 : static_cast<int>(call(SYS_lstat, path, status));
}
void* mmap64(void* address, std::size_t size, int access, int flags, int file, ::off64_t at) noexcept {
    return fails("mmap64") ? MAP_FAILED
                           : reinterpret_cast<void*>(call(SYS_mmap, address, size, access, flags, file, at));
}

}  // extern "C"

namespace {

using condense::artifact_folder;
using condense::journal_folder;
using condense::sqlite_journal;
using condense::sqlite_store;
using store_tests::lines_of;

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

constexpr condense::journal_folder_options one_line{.most_file_bytes = condense::bytes{1}};  // a file

constexpr std::string_view contents[] = {"one", "two", "one"};

/// Calls done(place, problem) after each of three puts.
void put_three(condense::artifact_store auto const& store, auto done) {
    for (std::size_t place = 0; place < 3; ++place)
        done(place, store.put(condense::content_hash{}(contents[place], 0), contents[place]));
}

/// Appends and flushes three lines; an append that fails is made again, as the content stays with the caller.
void append_three(condense::journal auto const& to, auto done) {
    for (std::uint64_t number = 0; number < 3; ++number) {
        auto const content = "{\"n\":" + std::to_string(number) + "}";
        auto problem = to.append("c", {to.name(content), number, false}, content);
        if (problem) problem = to.append("c", {to.name(content), number, false}, content);
        if (!problem) problem = to.flush("c");
        done(number, problem);
    }
}

/// Whole artifacts or none, and those that were acknowledged.
void check_contents(condense::artifact_store auto const& store, std::vector<bool> const& kept) {
    for (std::size_t place = 0; place < kept.size(); ++place) {
        auto const found = store.get(condense::content_hash{}(contents[place], 0));
        CHECK((found == contents[place] || (!found && !kept[place])));
    }
}

/// Only these stand there.
void check_artifacts(std::string const& path, std::vector<bool> const& kept, bool leftovers) {
    artifact_folder const store{path};
    check_contents(store, kept);
    for (auto const& name : scratch::names_in(path)) {
        if (leftovers && name.ends_with(".tmp")) continue;
        CHECK(condense::content_hash{}(scratch::bytes_of(path + "/" + name), 0).text() == name);
    }
    put_three(store, [](std::size_t, auto const& problem) { CHECK_FALSE(problem); });
    CHECK(scratch::names_in(path).size() == 2);
}

/// Whole lines in order, and those that were acknowledged; an append made again may stand there twice.
void check_lines(condense::journal auto const& to, std::vector<bool> const& kept) {
    std::vector<bool> found(3);
    std::uint64_t last = 0;
    for (auto const& [entry, content] : lines_of(to, "c")) {
        CHECK(entry.number >= last);
        last = entry.number;
        CHECK(content == "{\"n\":" + std::to_string(entry.number) + "}");
        found[static_cast<std::size_t>(entry.number)] = true;
    }
    for (std::size_t place = 0; place < kept.size(); ++place) CHECK((found[place] || !kept[place]));
    auto const before = lines_of(to, "c").size();
    append_three(to, [](std::uint64_t, auto const& problem) { CHECK_FALSE(problem); });
    CHECK(lines_of(to, "c").size() == before + 3);
}

void check_journal(std::string const& path, std::vector<bool> const& kept) { check_lines(journal_folder{path}, kept); }

/// The database is in order, from its pages to its indices.
void check_database(std::string const& path) {
    ::sqlite3* database = nullptr;
    REQUIRE(::sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    std::string result;
    auto const keep = [](void* into, int, char** columns, char**) {
        *static_cast<std::string*>(into) += columns[0];
        return 0;
    };
    CHECK(::sqlite3_exec(database, "PRAGMA integrity_check", keep, &result, nullptr) == SQLITE_OK);
    CHECK(result == "ok");
    CHECK(::sqlite3_close(database) == SQLITE_OK);
}

/// A sync that fails is told by the operation that needs it, and is final. SQLite passes over its own of a folder, so
/// that the library makes another.
void check_syncs(std::vector<bool> const& kept, plan const& made) {
    if (made.failed != "fdatasync" && (made.failed != "fsync" || made.error == EINTR)) return;
    for (auto place = made.operation; place < kept.size(); ++place) CHECK_FALSE(kept[place]);
}

void check_artifact_database(std::string const& path, std::vector<bool> const& kept) {
    sqlite_store const store{path};
    check_contents(store, kept);
    put_three(store, [](std::size_t, auto const& problem) { CHECK_FALSE(problem); });
    check_contents(store, {true, true, true});
    check_database(path);
}

/// Every entry is found by its words, and none twice.
void check_journal_database(std::string const& path, std::vector<bool> const& kept) {
    sqlite_journal const to{path};
    check_lines(to, kept);
    std::size_t hits = 0;
    CHECK_FALSE(to.search("n", "c", 100, [&](condense::journal_hit const&) { ++hits; }));
    CHECK(hits == lines_of(to, "c").size());
    check_database(path);
}

/// Calls done(place, problem) after each of three facts was added.
constexpr auto memories = [](std::string const& path, auto done) {
    condense::markdown_memory const to{path + "/memory.md"};
    for (std::size_t place = 0; place < 3; ++place) done(place, to.add({"fact " + std::to_string(place)}));
};

/// Whole facts, each once and in order, and those that were acknowledged.
void check_memory(std::string const& path, std::vector<bool> const& kept) {
    condense::markdown_memory const from{path + "/memory.md"};
    auto const all = from.facts();
    CHECK_FALSE(all.error);
    CHECK(std::ranges::is_sorted(all.facts, std::ranges::less_equal{}));
    for (auto const& fact : all.facts) CHECK((fact.size() == 6 && fact >= "fact 0" && fact <= "fact 2"));
    for (std::size_t place = 0; place < kept.size(); ++place)
        if (kept[place]) CHECK(std::ranges::count(all.facts, "fact " + std::to_string(place)) == 1);
    CHECK_FALSE(from.add({"fact 0", "fact 1", "fact 2"}));
    CHECK(from.facts().facts.size() == 3);
    CHECK(scratch::names_in(path).size() == 1);
}

constexpr auto artifacts = [](std::string const& path, auto done) { put_three(artifact_folder{path}, done); };
constexpr auto journals = [](std::string const& path, auto done) { append_three(journal_folder{path}, done); };
constexpr auto small_files = [](std::string const& path, auto done) {
    append_three(journal_folder{path, one_line}, done);
};
constexpr auto artifact_databases = [](std::string const& path, auto done) { put_three(sqlite_store{path}, done); };
constexpr auto journal_databases = [](std::string const& path, auto done) { append_three(sqlite_journal{path}, done); };

/// How many calls the work makes where nothing fails.
long calls_of(auto work, plan made) {
    scratch::folder const root{scratch::memory()};
    planned const now{made};
    work(root / "a", [](auto, auto const&) {});
    return made.made;
}

/// Calls of SQLite's that no signal interrupts, so that it does not make them again.
constexpr std::string_view not_made_again[] = {"fcntl64", "fdatasync", "fstat64", "lstat64",
                                               "mmap64",  "stat64",    "unlink"};

/// Runs check(path, kept, plan) after each call, or each `step`-th, has failed in each way. Gives how often an
/// operation failed.
std::size_t fail_each(auto work, plan const& base, auto check, long step = 1) {
    auto const calls = calls_of(work, base);
    REQUIRE(calls > 15);
    std::size_t failed = 0;
    std::vector<int> errors{EIO, ENOSPC, EINTR};
    if (effort() > 100) errors.insert(errors.end(), {EDQUOT, EROFS, EACCES, EMFILE, ENOMEM, EBUSY});
    for (int const error : errors)
        for (long at = error % step; at < calls; at += step) {
            auto made = base;
            made.at = at;
            made.error = error;
            scratch::folder const root{scratch::memory()};
            std::vector<bool> kept;
            std::string said;
            {
                planned const now{made};
                work(root / "a", [&](auto, auto const& problem) {
                    kept.push_back(!problem);
                    if (made.failed.empty()) made.operation = kept.size();
                    said += reason(problem) + ";";
                });
            }
            auto const refused = static_cast<std::size_t>(std::ranges::count(kept, false));
            CAPTURE(error, at, made.log, said);
            if (error == EINTR && std::ranges::find(not_made_again, made.failed) == std::end(not_made_again))
                CHECK(refused == 0);
            failed += refused;
            check(root / "a", kept, made);
        }
    return failed;
}

void kill_before_each(auto work, auto check, long step = 1) {
    auto const calls = calls_of(work, {});
    for (long at = 0; at < calls; at += step) {
        scratch::folder const root{scratch::memory()};
        processes::child writer{[&](auto& say) {
            plan made{.at = at, .error = kill_instead};
            // Not the calls of `say` itself.
            std::vector<std::uint64_t> acknowledged;
            planned const now{made};
            work(root / "a", [&](auto place, auto const& problem) {
                auto* const held = std::exchange(in_force, nullptr);
                if (!problem) say(static_cast<std::uint64_t>(place));
                in_force = held;
            });
        }};
        std::vector<bool> kept(3);
        for (auto const place : writer.join_killed()) kept[static_cast<std::size_t>(place)] = true;
        CAPTURE(at);
        check(root / "a", kept);
    }
}

}  // namespace

TEST_CASE("faults: each call of an artifact folder fails once") {
    for (bool const no_rename : {false, true})
        for (bool const halve : {false, true}) {
            // Only a name beside the first can fail to be removed.
            auto const failed = fail_each(artifacts, {.halve = halve, .no_rename = no_rename},
                                          [&](std::string const& path, std::vector<bool> const& kept, plan const&) {
                                              check_artifacts(path, kept, no_rename);
                                          });
            CHECK(failed > 15);
        }
}

TEST_CASE("faults: each call of a journal folder fails once") {
    auto const check = [](std::string const& path, std::vector<bool> const& kept, plan const&) {
        check_journal(path, kept);
    };
    for (bool const halve : {false, true}) {
        CHECK(fail_each(journals, {.halve = halve}, check) > 5);
        CHECK(fail_each(small_files, {.halve = halve}, check) > 5);
    }
}

TEST_CASE("faults: each call of a memory in Markdown fails once, or is the last one before a kill") {
    for (bool const halve : {false, true}) {
        auto const failed = fail_each(memories, {.halve = halve},
                                      [](std::string const& path, std::vector<bool> const& kept, plan const& made) {
                                          if (made.failed == "fsync" && made.error != EINTR)
                                              CHECK(std::ranges::count(kept, false) != 0);
                                          check_memory(path, kept);
                                      });
        CHECK(failed > 15);
    }
    kill_before_each(memories, check_memory);
}

TEST_CASE("faults: a name of a memory in Markdown that may not be on the medium is final for the handle") {
    scratch::folder const root{scratch::memory()};
    condense::markdown_memory const to{root / "a/memory.md"};
    REQUIRE_FALSE(to.add({"one"}));
    plan made{.only = "fsync", .at = 1, .error = EIO};
    {
        planned const now{made};
        CHECK(reason(to.add({"two"})) == "fsync: Input/output error");
    }
    CHECK(reason(to.add({"three"})) == "fsync: Input/output error");
    condense::markdown_memory const other{root / "a/memory.md"};
    CHECK(other.facts().facts == std::vector<std::string>{"one", "two"});
    CHECK_FALSE(other.add({"two", "three"}));
    CHECK(other.facts().facts == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("faults: a memory in Markdown is on the medium before it takes its name, and so is the name at the end") {
    plan made;
    {
        scratch::folder const root{scratch::memory()};
        planned const now{made};
        memories(root / "a", [](auto, auto const&) {});
    }
    std::vector<std::string> calls;
    for (auto const& call : made.log)
        if (call == "write" || call == "fsync" || call == "renameat") calls.push_back(call);
    REQUIRE(calls.size() > 8);
    CHECK(std::vector(calls.end() - 8, calls.end()) ==
          std::vector<std::string>{"write", "fsync", "renameat", "fsync", "write", "fsync", "renameat", "fsync"});
}

TEST_CASE("faults: a kill before each call of an artifact folder") {
    kill_before_each(artifacts,
                     [](std::string const& path, std::vector<bool> const& kept) { check_artifacts(path, kept, true); });
}

TEST_CASE("faults: a kill before each call of a journal folder") {
    kill_before_each(journals, check_journal);
    kill_before_each(small_files, check_journal);
}

TEST_CASE("faults: each call of a database of artifacts fails once") {
    for (bool const halve : {false, true}) {
        auto const failed = fail_each(
            artifact_databases, {.halve = halve},
            [](std::string const& path, std::vector<bool> const& kept, plan const& made) {
                check_syncs(kept, made);
                check_artifact_database(path, kept);
            },
            static_cast<long>(stride()));
        CHECK(failed > 0);
    }
}

TEST_CASE("faults: each call of a database of journals fails once") {
    for (bool const halve : {false, true}) {
        auto const failed = fail_each(
            journal_databases, {.halve = halve},
            [](std::string const& path, std::vector<bool> const& kept, plan const& made) {
                check_syncs(kept, made);
                check_journal_database(path, kept);
            },
            static_cast<long>(stride()));
        CHECK(failed > 0);
    }
}

TEST_CASE("faults: a kill before each call of a database of artifacts") {
    kill_before_each(artifact_databases, check_artifact_database, static_cast<long>(stride()));
}

TEST_CASE("faults: a kill before each call of a database of journals") {
    kill_before_each(journal_databases, check_journal_database, static_cast<long>(stride()));
}

TEST_CASE("faults: what is acknowledged was synchronised before and after it got its name") {
    for (bool const no_rename : {false, true}) {
        scratch::folder const root{scratch::memory()};
        artifact_folder const store{root / "a"};
        REQUIRE_FALSE(store.put(store.name("first"), "first"));
        plan made{.no_rename = no_rename};
        {
            planned const now{made};
            CHECK_FALSE(store.put(condense::content_hash{}("text", 0), "text"));
        }
        std::vector<std::string> expected{"openat", "openat", "flock", "write", "fsync", "renameat2"};
        if (no_rename) expected.insert(expected.end(), {"linkat", "unlinkat"});
        expected.push_back("fsync");
        CHECK(made.log == expected);
        plan again;
        {
            planned const now{again};
            CHECK_FALSE(store.put(condense::content_hash{}("text", 0), "text"));
        }
        CHECK(again.log == std::vector<std::string>{"openat", "pread", "fsync", "fsync"});
    }
}

TEST_CASE("faults: what a database acknowledges was synchronised, and first its entry in the folder") {
    auto const check = [](auto work) {
        scratch::folder const root{scratch::memory()};
        plan made;
        planned const now{made};
        work(root / "a", [&](auto, auto const& problem) {
            auto const last = [&](std::string_view call) {
                return std::find(made.log.rbegin(), made.log.rend(), call) - made.log.rbegin();
            };
            CHECK_FALSE(problem);
            CHECK(last("fdatasync") < last("pwrite64"));
            CHECK(last("fsync") < last("open64"));
        });
    };
    check(artifact_databases);
    check(journal_databases);
}

TEST_CASE("faults: the folder's entry is synchronised with the first flush, and once") {
    scratch::folder const root{scratch::memory()};
    journal_folder const to{root / "j"};
    REQUIRE(store_tests::add(to, "c", 0, "a").empty());
    for (std::size_t const syncs : {2u, 1u, 1u}) {
        plan made;
        {
            planned const now{made};
            CHECK_FALSE(to.flush("c"));
        }
        CHECK(made.log == std::vector<std::string>(syncs, "fsync"));
    }
}

TEST_CASE("faults: a journal's file is synchronised before the next one begins, and by each that has written to it") {
    scratch::folder const root{scratch::memory()};
    journal_folder const to{root / "j", one_line};
    REQUIRE(store_tests::add(to, "c", 0, "a").empty());
    auto const log_of = [](auto work) {
        plan made;
        planned const now{made};
        work();
        return made.log;
    };
    using list = std::vector<std::string>;
    journal_folder const other{root / "j", one_line};  // has written nothing to the first file
    CHECK(log_of([&] { CHECK(store_tests::add(other, "c", 1, "a").empty()); }) ==
          list{"open", "openat", "flock", "fsync", "fsync", "openat", "flock", "openat", "flock", "write", "flock"});
    SECTION("in order") {
        CHECK(log_of([&] { CHECK_FALSE(to.flush("c")); }) == list{"fsync", "fsync", "openat", "fsync", "fsync"});
        CHECK(log_of([&] { CHECK_FALSE(to.flush("c")); }) == list{"fsync"});
    }
    SECTION("a failure is final") {
        plan made{.only = "fsync", .at = 0, .error = EIO};
        planned const now{made};
        bool const appends = GENERATE(false, true);
        CHECK((appends ? store_tests::add(to, "c", 2, "a") : reason(to.flush("c"))) == "fsync: Input/output error");
        CHECK(std::ranges::count(made.log, "fsync") == 1);
        CHECK(store_tests::add(to, "c", 2, "a") == "fsync: Input/output error");
    }
    SECTION("and no next one begins after a failure") {
        REQUIRE(store_tests::add(to, "c", 2, "a").empty());
        plan made{.only = "fsync", .at = 0, .error = EIO};
        planned const now{made};
        CHECK(store_tests::add(journal_folder{root / "j", one_line}, "c", 3, "a") == "fsync: Input/output error");
        CHECK(scratch::names_in(root / "j").size() == 3);
    }
}

TEST_CASE("faults: a short write that cannot be taken back stands aside") {
    scratch::folder const root{scratch::memory()};
    journal_folder const to{root / "j"};
    REQUIRE(store_tests::add(to, "c", 0, "some text").empty());
    auto const whole = scratch::bytes_of(scratch::the_file_in(root / "j"));
    plan made{.only = "write", .at = 0, .error = ENOSPC, .halve = true};
    {
        planned const now{made};
        CHECK(store_tests::add(to, "c", 1, "some text") == "write: No space left on device: the disk must have room");
    }
    CHECK(made.log == std::vector<std::string>{"flock", "pread", "write", "ftruncate", "flock"});
    CHECK(scratch::bytes_of(scratch::the_file_in(root / "j")) == whole);

    made = {.at = 2, .error = ENOSPC, .times = 2, .halve = true};
    {
        planned const now{made};
        CHECK(store_tests::add(to, "c", 1, "some text") == "write: No space left on device: the disk must have room");
    }
    CHECK(scratch::bytes_of(scratch::the_file_in(root / "j")).size() == whole.size() * 3 / 2);
    CHECK(lines_of(to, "c").size() == 1);
    CHECK(store_tests::add(to, "c", 1, "some text").empty());
    CHECK(lines_of(to, "c").size() == 2);
    CHECK(lines_of(to, "c").back().first.number == 1);
}

TEST_CASE("faults: lines of several processes stay whole where every write is short") {
    scratch::folder const root{scratch::memory()};
    constexpr std::uint64_t each = 2'000;
    auto const options =
        GENERATE(condense::journal_folder_options{}, condense::journal_folder_options{condense::bytes{1'000}});
    journal_folder const before{root / "j", options};
    REQUIRE(store_tests::add(before, "c", 99'999, "a").empty());
    std::vector<processes::child> children;
    for (std::uint64_t writer = 0; writer < 4; ++writer)
        children.emplace_back([&, writer](auto& say) {
            auto const to = writer < 2 ? before : journal_folder{root / "j", options};
            plan made{.split = true};
            planned const now{made};
            for (std::uint64_t line = 0; line < each; ++line)
                if (!store_tests::add(to, "c", writer * 10'000 + line, std::string(50, 'x')).empty()) say(0);
        });
    for (auto& child : children) CHECK(child.join().empty());
    std::vector<std::uint64_t> next(10);
    for (auto const& [entry, content] : lines_of(before, "c")) next[entry.number / 10'000] += 1;
    CHECK(next == std::vector<std::uint64_t>{each, each, each, each, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("faults: a failed fsync of a journal is final for the handle") {
    for (long const at : {0, 1}) {
        scratch::folder const root{scratch::memory()};
        journal_folder const to{root / "j"};
        auto const copy = to;
        REQUIRE(store_tests::add(to, "c", 0, "a").empty());
        plan made{.only = "fsync", .at = at, .error = EIO};
        {
            planned const now{made};
            CHECK(reason(to.flush("c")) == "fsync: Input/output error");
        }
        CHECK(reason(copy.flush("c")) == "fsync: Input/output error");
        CHECK(store_tests::add(copy, "c", 1, "a") == "fsync: Input/output error");
        CHECK(store_tests::add(to, "d", 1, "a").empty());
        CHECK(lines_of(to, "c").size() == 1);
        journal_folder const later{root / "j"};
        CHECK(store_tests::add(later, "c", 1, "a").empty());
        CHECK_FALSE(later.flush("c"));
    }
}

TEST_CASE("faults: an fsync that fails when a file is closed for others is told at the next flush") {
    scratch::folder const root{scratch::memory()};
    journal_folder const to{root / "j"};
    REQUIRE(store_tests::add(to, "c", 0, "a").empty());
    plan made{.only = "fsync", .at = 0, .error = EIO};
    {
        planned const now{made};
        for (std::size_t which = 0; which < journal_folder::most_files; ++which)
            REQUIRE(store_tests::add(to, std::to_string(which), 0, "a").empty());
    }
    CHECK(made.made > 0);
    std::size_t told = to.flush("c") ? 1 : 0;
    for (std::size_t which = 0; which < journal_folder::most_files; ++which)
        told += to.flush(std::to_string(which)) ? 1u : 0u;
    CHECK(told == 1);
}

TEST_CASE("faults: a failed fsync of an artifact is final, and one of the folder for the handle") {
    scratch::folder const root{scratch::memory()};
    artifact_folder const store{root / "a"};
    auto const first = store.name("first");
    auto const text = store.name("text");
    REQUIRE_FALSE(store.put(first, "first"));
    auto const put_with_fault = [&](long at) {
        plan made{.only = "fsync", .at = at, .error = EIO};
        planned const now{made};
        return reason(store.put(text, "text"));
    };
    CHECK(put_with_fault(0) == "fsync: Input/output error");
    CHECK(scratch::names_in(root / "a").size() == 1);
    CHECK_FALSE(store.put(text, "text"));
    std::filesystem::remove(root / "a/" + text.text());
    CHECK(put_with_fault(1) == "fsync: Input/output error");
    CHECK(reason(store.put(text, "text")) == "fsync: Input/output error");
    CHECK(reason(store.put(first, "first")) == "fsync: Input/output error");
    CHECK(store.get(first) == "first");
    CHECK_FALSE(artifact_folder{root / "a"}.put(text, "text"));
}

TEST_CASE("faults: a look-up in an artifact folder that fails is not other content under the name") {
    scratch::folder const root{scratch::memory()};
    artifact_folder const store{root / "a"};
    auto const first = condense::content_hash{}("text", 0);
    REQUIRE_FALSE(store.put(first, "text"));
    for (std::string_view const call : {"openat", "pread"}) {
        plan made{.only = call, .at = 0, .error = EIO, .times = 100};
        planned const now{made};
        CHECK(store.name("text") == first);
        CHECK(reason(store.put(first, "text")) == "look up: Input/output error");
    }
    CHECK(scratch::names_in(root / "a").size() == 1);
}

TEST_CASE("faults: a look-up in a database that fails is not other content under the name") {
    scratch::folder const root{scratch::memory()};
    std::string const content(200'000, 'x');
    auto const first = condense::content_hash{}(content, 0);
    REQUIRE_FALSE(condense::sqlite_store{root / "a"}.put(first, content));
    int failed = 0;
    for (long at = 0; at < 60; ++at) {
        condense::sqlite_store const store{root / "a"};
        plan made{.only = "pread64", .at = at, .error = EIO};
        planned const now{made};
        auto const problem = reason(store.put(first, content));
        failed += !problem.empty();
        CHECK(problem != "the name holds other content");
    }
    CHECK(failed > 20);
}

TEST_CASE("faults: a folder that is not surely there is not left behind") {
    scratch::folder const root{scratch::memory()};
    plan made{.only = "fsync", .at = 0, .error = EIO};
    {
        planned const now{made};
        CHECK(reason(artifact_folder{root / "a"}.put(condense::content_hash{}("text", 0), "text")) ==
              "open folder: Input/output error");
    }
    CHECK(scratch::names_in(root / "").empty());
}

#else

TEST_CASE("faults: not on this system") { SUCCEED("the C library's calls cannot be replaced here"); }

#endif
