// SPDX-License-Identifier: BSL-1.0

// Every system call that the folders and the databases make fails once, or is the last one before a kill. The calls are
// the C library's own, defined here in its place, so that a plan can have its way with them, SQLite's among them.

#include <cstdarg>

#include <sys/syscall.h>

#include <condense/store/file.hpp>
#include <condense/store/markdown_memory.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "store/sqlite_files.hpp"

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

/// The result of f() while the plan holds.
auto under(plan& made, auto const& f) {
    struct end {
        ~end() { in_force = nullptr; }
    } const at_end;
    in_force = &made;
    return f();
}

/// The calls that f() makes.
std::vector<std::string> log_of(auto const& f) {
    plan made;
    under(made, [&] { static_cast<void>(f()); });
    return made.log;
}

template <class... Arguments>
long call(long number, Arguments... arguments) {
    return ::syscall(number, arguments...);
}
/// For a call that returns an int.
template <class... Arguments>
int tried(std::string_view name, long number, Arguments... arguments) {
    return fails(name) ? -1 : static_cast<int>(call(number, arguments...));
}
/// Where a write fails, writes half of it first if the plan says so.
::ssize_t fail_after_half(auto const& write) {
    auto const error = errno;
    if (in_force->halve && error != EINTR) write();
    errno = error;
    return -1;
}

}  // namespace

extern "C" {

// Where a file may be made, its mode is the argument behind the flags.
#define CONDENSE_MODE_BEHIND(flags)                                                    \
    std::va_list more;                                                                 \
    va_start(more, flags);                                                             \
    auto const mode = ((flags) & O_CREAT) != 0 ? va_arg(more, ::mode_t) : ::mode_t{0}; \
    va_end(more)

int open(char const* path, int flags, ...) {
    CONDENSE_MODE_BEHIND(flags);
    return tried("open", SYS_open, path, flags, mode);
}
int openat(int folder, char const* path, int flags, ...) {
    CONDENSE_MODE_BEHIND(flags);
    return tried("openat", SYS_openat, folder, path, flags, mode);
}
::ssize_t write(int file, void const* bytes, std::size_t size) {
    if (fails("write")) return fail_after_half([&] { call(SYS_write, file, bytes, size / 2); });
    return call(SYS_write, file, bytes, in_force != nullptr && in_force->split ? (size + 1) / 2 : size);
}
::ssize_t pread(int file, void* bytes, std::size_t size, ::off_t at) {
    return fails("pread") ? -1 : call(SYS_pread64, file, bytes, size, at);
}
int fsync(int file) { return tried("fsync", SYS_fsync, file); }
int mkdirat(int folder, char const* path, ::mode_t mode) noexcept {
    return tried("mkdirat", SYS_mkdirat, folder, path, mode);
}
int unlinkat(int folder, char const* path, int flags) noexcept {
    return tried("unlinkat", SYS_unlinkat, folder, path, flags);
}
int renameat2(int from, char const* old_path, int to, char const* path, unsigned flags) noexcept {
    return tried("renameat2", SYS_renameat2, from, old_path, to, path, flags);
}
int renameat(int from, char const* old_path, int to, char const* path) noexcept {
    return tried("renameat", SYS_renameat, from, old_path, to, path);
}
int fchmod(int file, ::mode_t mode) noexcept { return tried("fchmod", SYS_fchmod, file, mode); }
int linkat(int from, char const* old_path, int to, char const* path, int flags) noexcept {
    return tried("linkat", SYS_linkat, from, old_path, to, path, flags);
}
int ftruncate(int file, ::off_t size) noexcept { return tried("ftruncate", SYS_ftruncate, file, size); }
int flock(int file, int kind) noexcept { return tried("flock", SYS_flock, file, kind); }

// What SQLite uses beside these.
int open64(char const* path, int flags, ...) {
    CONDENSE_MODE_BEHIND(flags);
    return tried("open64", SYS_open, path, flags, mode);
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
    if (fails("pwrite64")) return fail_after_half([&] { call(SYS_pwrite64, file, bytes, size / 2, at); });
    return call(SYS_pwrite64, file, bytes, size, at);
}
::ssize_t pread64(int file, void* bytes, std::size_t size, ::off64_t at) {
    return fails("pread64") ? -1 : call(SYS_pread64, file, bytes, size, at);
}
int fdatasync(int file) {
    struct stat status = {};
    bool const folder = call(SYS_fstat, file, &status) == 0 && S_ISDIR(status.st_mode);
    return tried(folder ? "fdatasync of a folder" : "fdatasync", SYS_fdatasync, file);
}
int ftruncate64(int file, ::off64_t size) noexcept { return tried("ftruncate64", SYS_ftruncate, file, size); }
int unlink(char const* path) noexcept { return tried("unlink", SYS_unlink, path); }
int stat64(char const* path, struct stat64* status) noexcept { return tried("stat64", SYS_stat, path, status); }
int fstat64(int file, struct stat64* status) noexcept { return tried("fstat64", SYS_fstat, file, status); }
int lstat64(char const* path, struct stat64* status) noexcept { return tried("lstat64", SYS_lstat, path, status); }
void* mmap64(void* address, std::size_t size, int access, int flags, int file, ::off64_t at) noexcept {
    return fails("mmap64") ? MAP_FAILED
                           : reinterpret_cast<void*>(call(SYS_mmap, address, size, access, flags, file, at));
}

}  // extern "C"

namespace {

using namespace store_tests;
using condense::artifact_folder, condense::journal_folder, condense::sqlite_journal, condense::sqlite_store;
using kept_list = std::vector<bool>;  ///< which of the three operations were acknowledged

constexpr std::string_view failed_fsync = "fsync: Input/output error";

/// The result of f() where that fsync fails, counted from 0.
auto with_failing_fsync(long at, auto const& f) {
    plan made{.only = "fsync", .at = at, .error = EIO};
    return under(made, f);
}

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
void check_contents(condense::artifact_store auto const& store, kept_list const& kept) {
    for (std::size_t place = 0; place < kept.size(); ++place) {
        auto const found = store.get(condense::content_hash{}(contents[place], 0));
        CHECK((found == contents[place] || (!found && !kept[place])));
    }
}

/// Only these stand there, and perhaps what a writer was stopped in.
void check_artifacts(std::string const& path, kept_list const& kept, plan const& made) {
    artifact_folder const store{path};
    check_contents(store, kept);
    for (auto const& name : scratch::names_in(path)) {
        // Only a name beside the first can fail to be removed.
        if ((made.no_rename || made.error == kill_instead) && name.ends_with(".tmp")) continue;
        CHECK(condense::content_hash{}(scratch::bytes_of(path + "/" + name), 0).text() == name);
    }
    put_three(store, [](std::size_t, auto const& problem) { CHECK_FALSE(problem); });
    CHECK(scratch::names_in(path).size() == 2);
}

/// Whole lines in order, and those that were acknowledged; an append made again may stand there twice.
void check_lines(condense::journal auto const& to, kept_list const& kept) {
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

void check_journal(std::string const& path, kept_list const& kept, plan const&) {
    check_lines(journal_folder{path}, kept);
}

/// The database is in order, from its pages to its indices.
void check_database(std::string const& path) { CHECK(execute(path, "PRAGMA integrity_check") == "ok"); }

/// A sync that fails is told by the operation that needs it, and is final. SQLite passes over its own of a folder, so
/// that the library makes another.
void check_syncs(kept_list const& kept, plan const& made) {
    if (made.failed != "fdatasync" && (made.failed != "fsync" || made.error == EINTR)) return;
    for (auto place = made.operation; place < kept.size(); ++place) CHECK_FALSE(kept[place]);
}

void check_artifact_database(std::string const& path, kept_list const& kept, plan const& made) {
    check_syncs(kept, made);
    sqlite_store const store{path};
    check_contents(store, kept);
    put_three(store, [](std::size_t, auto const& problem) { CHECK_FALSE(problem); });
    check_contents(store, {true, true, true});
    check_database(path);
}

/// Every entry is found by its words, and none twice.
void check_journal_database(std::string const& path, kept_list const& kept, plan const& made) {
    check_syncs(kept, made);
    sqlite_journal const to{path};
    check_lines(to, kept);
    std::size_t hits = 0;
    CHECK_FALSE(to.search("n", "c", 100, [&](condense::journal_hit const&) { ++hits; }));
    CHECK(hits == lines_of(to, "c").size());
    check_database(path);
}

/// Whole facts, each once and in order, and those that were acknowledged.
void check_memory(std::string const& path, kept_list const& kept, plan const& made) {
    if (made.failed == "fsync" && made.error != EINTR) CHECK(std::ranges::count(kept, false) != 0);
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

using done_type = std::function<void(std::size_t place, condense::store_error const& problem)>;

/// Three operations on a back end at a path, and what must be true of it after them.
struct back_end {
    std::string_view name;
    void (*work)(std::string const& path, done_type const& done);
    void (*check)(std::string const& path, kept_list const& kept, plan const& made);
    std::size_t least_failures;  ///< of operations where each call failed once
    bool sampled = false;  ///< makes so many calls that the run takes its share
};
constexpr back_end artifacts{"artifact folder", [](auto& path, auto& done) { put_three(artifact_folder{path}, done); },
                             check_artifacts, 15};
constexpr back_end artifact_databases{"database of artifacts",
                                      [](auto& path, auto& done) { put_three(sqlite_store{path}, done); },
                                      check_artifact_database, 0, true};
constexpr back_end journal_databases{"database of journals",
                                     [](auto& path, auto& done) { append_three(sqlite_journal{path}, done); },
                                     check_journal_database, 0, true};
constexpr back_end memories{"memory in Markdown",
                            [](auto& path, auto& done) {
                                condense::markdown_memory const to{path + "/memory.md"};
                                for (std::size_t place = 0; place < 3; ++place)
                                    done(place, to.add({"fact " + std::to_string(place)}));
                            },
                            check_memory, 15};
constexpr back_end back_ends[] = {
    artifacts,
    {"journal folder", [](auto& path, auto& done) { append_three(journal_folder{path}, done); }, check_journal, 5},
    {"journal folder, a file a line",
     [](auto& path, auto& done) { append_three(journal_folder{path, one_line}, done); }, check_journal, 5},
    artifact_databases,
    journal_databases,
    memories};

/// How many calls the work makes where nothing fails.
long calls_of(back_end const& of, plan made) {
    scratch::folder const root{scratch::memory()};
    under(made, [&] { of.work(root / "a", [](auto, auto const&) {}); });
    return made.made;
}

/// Calls of SQLite's that no signal interrupts, so that it does not make them again.
constexpr std::string_view not_made_again[] = {"fcntl64", "fdatasync", "fstat64", "lstat64",
                                               "mmap64",  "stat64",    "unlink"};

/// Checks after each call, or each `step`-th, has failed in each way. Gives how often an operation failed.
std::size_t fail_each(back_end const& of, plan const& base) {
    auto const step = of.sampled ? static_cast<long>(stride()) : 1;
    auto const calls = calls_of(of, base);
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
            kept_list kept;
            std::string said;
            under(made, [&] {
                of.work(root / "a", [&](auto, auto const& problem) {
                    kept.push_back(!problem);
                    if (made.failed.empty()) made.operation = kept.size();
                    said += reason(problem) + ";";
                });
            });
            auto const refused = static_cast<std::size_t>(std::ranges::count(kept, false));
            CAPTURE(error, at, made.log, said);
            if (error == EINTR && std::ranges::find(not_made_again, made.failed) == std::end(not_made_again))
                CHECK(refused == 0);
            failed += refused;
            of.check(root / "a", kept, made);
        }
    return failed;
}

}  // namespace

TEST_CASE("faults: each call of a back end fails once") {
    auto const& of = back_ends[GENERATE(range(std::size_t{0}, std::size(back_ends)))];
    bool const halve = GENERATE(false, true);
    INFO(of.name << ", halve: " << halve);
    CHECK(fail_each(of, {.halve = halve}) > of.least_failures);
    if (of.check == check_artifacts) CHECK(fail_each(of, {.halve = halve, .no_rename = true}) > of.least_failures);
}

TEST_CASE("faults: a kill before each call of a back end") {
    auto const& of = back_ends[GENERATE(range(std::size_t{0}, std::size(back_ends)))];
    auto const calls = calls_of(of, {});
    for (long at = 0; at < calls; at += of.sampled ? static_cast<long>(stride()) : 1) {
        scratch::folder const root{scratch::memory()};
        plan made{.at = at, .error = kill_instead};
        processes::child writer{[&](auto& say) {
            under(made, [&] {
                of.work(root / "a", [&](auto place, auto const& problem) {
                    auto* const held = std::exchange(in_force, nullptr);  // not the calls of `say` itself
                    if (!problem) say(static_cast<std::uint64_t>(place));
                    in_force = held;
                });
            });
        }};
        kept_list kept(3);
        for (auto const place : writer.join_killed()) kept[static_cast<std::size_t>(place)] = true;
        CAPTURE(of.name, at);
        of.check(root / "a", kept, made);
    }
}

TEST_CASE("faults: what is synchronised and may fail, of artifacts and memories") {
    scratch::folder const root{scratch::memory()};
    SECTION("a name of a memory in Markdown that may not be on the medium is final for the handle") {
        condense::markdown_memory const to{root / "a/memory.md"};
        REQUIRE_FALSE(to.add({"one"}));
        CHECK(with_failing_fsync(1, [&] { return reason(to.add({"two"})); }) == failed_fsync);
        CHECK(reason(to.add({"three"})) == failed_fsync);
        condense::markdown_memory const other{root / "a/memory.md"};
        CHECK(other.facts().facts == strings{"one", "two"});
        CHECK_FALSE(other.add({"two", "three"}));
        CHECK(other.facts().facts == strings{"one", "two", "three"});
    }
    SECTION("a memory in Markdown is on the medium before it takes its name, and so is the name at the end") {
        auto calls = log_of([&] { memories.work(root / "a", [](auto, auto const&) {}); });
        std::erase_if(calls, [](auto const& call) { return call != "write" && call != "fsync" && call != "renameat"; });
        REQUIRE(calls.size() > 8);
        CHECK(std::vector(calls.end() - 8, calls.end()) ==
              strings{"write", "fsync", "renameat", "fsync", "write", "fsync", "renameat", "fsync"});
    }
    SECTION("a failed fsync of an artifact is final, and one of the folder for the handle") {
        artifact_folder const store{root / "a"};
        REQUIRE(put(store, "first").empty());
        auto const put_text = [&] { return put(store, "text"); };
        CHECK(with_failing_fsync(0, put_text) == failed_fsync);
        CHECK(scratch::names_in(root / "a").size() == 1);
        CHECK(put_text().empty());
        fs::remove(root / "a/" + store.name("text").text());
        CHECK(with_failing_fsync(1, put_text) == failed_fsync);
        CHECK(put_text() == failed_fsync);
        CHECK(put(store, "first") == failed_fsync);
        CHECK(holds(store, "first"));
        CHECK(put(artifact_folder{root / "a"}, "text").empty());
    }
    SECTION("a look-up in an artifact folder that fails is not other content under the name") {
        artifact_folder const store{root / "a"};
        auto const first = condense::content_hash{}("text", 0);
        REQUIRE_FALSE(store.put(first, "text"));
        for (std::string_view const call : {"openat", "pread"}) {
            plan made{.only = call, .at = 0, .error = EIO, .times = 100};
            under(made, [&] {
                CHECK(store.name("text") == first);
                CHECK(reason(store.put(first, "text")) == "look up: Input/output error");
            });
        }
        CHECK(scratch::names_in(root / "a").size() == 1);
    }
    SECTION("a look-up in a database that fails is not other content under the name") {
        std::string const content(200'000, 'x');
        auto const first = condense::content_hash{}(content, 0);
        REQUIRE_FALSE(sqlite_store{root / "a"}.put(first, content));
        int failed = 0;
        for (long at = 0; at < 60; ++at) {
            sqlite_store const store{root / "a"};
            plan made{.only = "pread64", .at = at, .error = EIO};
            auto const problem = under(made, [&] { return reason(store.put(first, content)); });
            failed += !problem.empty();
            CHECK(problem != other_content);
        }
        CHECK(failed > 20);
    }
    SECTION("a folder that is not surely there is not left behind") {
        CHECK(with_failing_fsync(0, [&] { return put(artifact_folder{root / "a"}, "text"); }) ==
              "open folder: Input/output error");
        CHECK(scratch::names_in(root / "").empty());
    }
}

TEST_CASE("faults: what is acknowledged was synchronised before and after it got its name") {
    for (bool const no_rename : {false, true}) {
        scratch::folder const root{scratch::memory()};
        artifact_folder const store{root / "a"};
        REQUIRE(put(store, "first").empty());
        auto const put_text = [&] { CHECK_FALSE(store.put(condense::content_hash{}("text", 0), "text")); };
        plan made{.no_rename = no_rename};
        under(made, put_text);
        strings expected{"openat", "openat", "flock", "write", "fsync", "renameat2"};
        if (no_rename) expected.insert(expected.end(), {"linkat", "unlinkat"});
        expected.push_back("fsync");
        CHECK(made.log == expected);
        CHECK(log_of(put_text) == strings{"openat", "pread", "fsync", "fsync"});
    }
}

TEST_CASE("faults: what a database acknowledges was synchronised, and first its entry in the folder") {
    for (auto const& of : {artifact_databases, journal_databases}) {
        scratch::folder const root{scratch::memory()};
        plan made;
        auto const last = [&](std::string_view call) {
            return std::find(made.log.rbegin(), made.log.rend(), call) - made.log.rbegin();
        };
        under(made, [&] {
            of.work(root / "a", [&](auto, auto const& problem) {
                CHECK_FALSE(problem);
                CHECK(last("fdatasync") < last("pwrite64"));
                CHECK(last("fsync") < last("open64"));
            });
        });
    }
}

TEST_CASE("faults: what is synchronised and may fail, of a journal in a folder") {
    scratch::folder const root{scratch::memory()};
    SECTION("the folder's entry is synchronised with the first flush, and once") {
        journal_folder const to{root / "j"};
        REQUIRE(add(to, "c", 0, "a").empty());
        for (std::size_t const syncs : {2u, 1u, 1u})
            CHECK(log_of([&] { CHECK_FALSE(to.flush("c")); }) == strings(syncs, "fsync"));
    }
    SECTION("a journal's file is synchronised before the next one begins, and by each that has written to it") {
        journal_folder const to{root / "j", one_line};
        REQUIRE(add(to, "c", 0, "a").empty());
        journal_folder const other{root / "j", one_line};  // has written nothing to the first file
        CHECK(log_of([&] { CHECK(add(other, "c", 1, "a").empty()); }) == strings{"open", "openat", "flock", "fsync",
                                                                                 "fsync", "openat", "flock", "openat",
                                                                                 "flock", "write", "flock"});
        SECTION("in order") {
            CHECK(log_of([&] { CHECK_FALSE(to.flush("c")); }) == strings{"fsync", "fsync", "openat", "fsync", "fsync"});
            CHECK(log_of([&] { CHECK_FALSE(to.flush("c")); }) == strings{"fsync"});
        }
        SECTION("a failure is final") {
            plan made{.only = "fsync", .at = 0, .error = EIO};
            bool const appends = GENERATE(false, true);
            under(made, [&] {
                CHECK((appends ? add(to, "c", 2, "a") : reason(to.flush("c"))) == failed_fsync);
                CHECK(std::ranges::count(made.log, "fsync") == 1);
                CHECK(add(to, "c", 2, "a") == failed_fsync);
            });
        }
        SECTION("and no next one begins after a failure") {
            REQUIRE(add(to, "c", 2, "a").empty());
            CHECK(with_failing_fsync(0, [&] { return add(journal_folder{root / "j", one_line}, "c", 3, "a"); }) ==
                  failed_fsync);
            CHECK(scratch::names_in(root / "j").size() == 3);
        }
    }
    SECTION("a short write that cannot be taken back stands aside") {
        journal_folder const to{root / "j"};
        auto const add_text = [&] { return add(to, "c", 1, "some text"); };
        auto const bytes = [&] { return scratch::bytes_of(scratch::the_file_in(root / "j")); };
        REQUIRE(add(to, "c", 0, "some text").empty());
        auto const whole = bytes();
        plan made{.only = "write", .at = 0, .error = ENOSPC, .halve = true};
        CHECK(under(made, add_text) == "write: " + std::string{no_space});
        CHECK(made.log == strings{"flock", "pread", "write", "ftruncate", "flock"});
        CHECK(bytes() == whole);

        made = {.at = 2, .error = ENOSPC, .times = 2, .halve = true};
        CHECK(under(made, add_text) == "write: " + std::string{no_space});
        CHECK(bytes().size() == whole.size() * 3 / 2);
        CHECK(lines_of(to, "c").size() == 1);
        CHECK(add_text().empty());
        CHECK(lines_of(to, "c").size() == 2);
        CHECK(lines_of(to, "c").back().first.number == 1);
    }
    SECTION("lines of several processes stay whole where every write is short") {
        constexpr std::uint64_t each = 2'000;
        auto const options =
            GENERATE(condense::journal_folder_options{}, condense::journal_folder_options{condense::bytes{1'000}});
        journal_folder const before{root / "j", options};
        REQUIRE(add(before, "c", 99'999, "a").empty());
        for (auto const &said : processes::at_once(4, [&](std::uint64_t writer, auto const& say) {
                 auto const to = writer < 2 ? before : journal_folder{root / "j", options};
                 plan made{.split = true};
                 under(made, [&] {
                     for (std::uint64_t line = 0; line < each; ++line)
                         if (!add(to, "c", writer * 10'000 + line, std::string(50, 'x')).empty()) say(0);
                 });
             }))
            CHECK(said.empty());
        std::vector<std::uint64_t> next(10);
        for (auto const& [entry, content] : lines_of(before, "c")) next[entry.number / 10'000] += 1;
        CHECK(next == std::vector<std::uint64_t>{each, each, each, each, 0, 0, 0, 0, 0, 1});
    }
    SECTION("an fsync that fails when a file is closed for others is told at the next flush") {
        journal_folder const to{root / "j"};
        REQUIRE(add(to, "c", 0, "a").empty());
        plan made{.only = "fsync", .at = 0, .error = EIO};
        under(made, [&] {
            for (std::size_t which = 0; which < journal_folder::most_files; ++which)
                REQUIRE(add(to, std::to_string(which), 0, "a").empty());
        });
        CHECK(made.made > 0);
        std::size_t told = to.flush("c") ? 1 : 0;
        for (std::size_t which = 0; which < journal_folder::most_files; ++which)
            told += to.flush(std::to_string(which)) ? 1u : 0u;
        CHECK(told == 1);
    }
}

TEST_CASE("faults: a failed fsync of a journal is final for the handle") {
    for (long const at : {0, 1}) {
        scratch::folder const root{scratch::memory()};
        journal_folder const to{root / "j"};
        auto const copy = to;
        REQUIRE(add(to, "c", 0, "a").empty());
        CHECK(with_failing_fsync(at, [&] { return reason(to.flush("c")); }) == failed_fsync);
        auto const descriptors = open_files();
        CHECK(reason(copy.flush("c")) == failed_fsync);
        CHECK(add(copy, "c", 1, "a") == failed_fsync);
        CHECK(open_files() == descriptors);
        CHECK(add(to, "d", 1, "a").empty());
        CHECK(lines_of(to, "c").size() == 1);
        journal_folder const later{root / "j"};
        CHECK(add(later, "c", 1, "a").empty());
        CHECK_FALSE(later.flush("c"));
    }
}

#else

TEST_CASE("faults: not on this system") { SUCCEED("the C library's calls cannot be replaced here"); }

#endif
