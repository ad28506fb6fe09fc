// SPDX-License-Identifier: BSL-1.0

// Every system call that the folders make fails once, or is the last one before a kill. The calls are
// the C library's own, defined here in its place, so that a plan can have its way with them.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condense/store/file.hpp>

#include "store/journal_conformance.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"

#if defined(__linux__) && defined(__GLIBC__) && defined(SYS_open) && !defined(_FILE_OFFSET_BITS)

namespace {

constexpr int kill_instead = -1;

struct plan {
    std::string_view only = {};  ///< calls of that name, or all
    long at = -1;                ///< which of them fails, counted from 0
    int error = 0;
    long times = 1;
    bool split = false;       ///< no write writes more than half
    bool halve = false;       ///< a write that fails writes half first
    bool no_rename = false;   ///< as where the file system cannot rename without replacing
    long made = 0;
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
int linkat(int from, char const* old_path, int to, char const* path, int flags) noexcept {
    return fails("linkat") ? -1 : static_cast<int>(call(SYS_linkat, from, old_path, to, path, flags));
}
int ftruncate(int file, ::off_t size) noexcept {
    return fails("ftruncate") ? -1 : static_cast<int>(call(SYS_ftruncate, file, size));
}
int flock(int file, int kind) noexcept { return fails("flock") ? -1 : static_cast<int>(call(SYS_flock, file, kind)); }

}  // extern "C"

namespace {

using condense::artifact_folder;
using condense::journal_folder;
using store_tests::lines_of;

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

constexpr std::string_view contents[] = {"one", "two", "one"};

/// Calls done(place, problem) after each of three puts.
void put_three(artifact_folder const& store, auto done) {
    for (std::size_t place = 0; place < 3; ++place)
        done(place, store.put(condense::content_hash{}(contents[place], 0), contents[place]));
}

/// Appends and flushes three lines; an append that fails is made again, as the content stays with the caller.
void append_three(journal_folder const& to, auto done) {
    for (std::uint64_t number = 0; number < 3; ++number) {
        auto const content = "{\"n\":" + std::to_string(number) + "}";
        auto problem = to.append("c", {to.name(content), number, false}, content);
        if (problem) problem = to.append("c", {to.name(content), number, false}, content);
        if (!problem) problem = to.flush("c");
        done(number, problem);
    }
}

/// Only whole artifacts stand there, and those that were acknowledged.
void check_artifacts(std::string const& path, std::vector<bool> const& kept, bool leftovers) {
    artifact_folder const store{path};
    for (std::size_t place = 0; place < kept.size(); ++place) {
        auto const found = store.get(condense::content_hash{}(contents[place], 0));
        CHECK((found == contents[place] || (!found && !kept[place])));
    }
    for (auto const& name : scratch::names_in(path)) {
        if (leftovers && name.ends_with(".tmp")) continue;
        CHECK(condense::content_hash{}(scratch::bytes_of(path + "/" + name), 0).text() == name);
    }
    put_three(store, [](std::size_t, auto const& problem) { CHECK_FALSE(problem); });
    CHECK(scratch::names_in(path).size() == 2);
}

/// Whole lines in order, and those that were acknowledged; an append made again may stand there twice.
void check_journal(std::string const& path, std::vector<bool> const& kept) {
    journal_folder const to{path};
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

constexpr auto artifacts = [](std::string const& path, auto done) { put_three(artifact_folder{path}, done); };
constexpr auto journals = [](std::string const& path, auto done) { append_three(journal_folder{path}, done); };

/// How many calls the work makes where nothing fails.
long calls_of(auto work, plan made) {
    scratch::folder const root{scratch::memory()};
    planned const now{made};
    work(root / "a", [](auto, auto const&) {});
    return made.made;
}

/// Runs check(path, kept, plan) after each call has failed in each way. Gives how often an operation failed.
std::size_t fail_each(auto work, plan const& base, auto check) {
    auto const calls = calls_of(work, base);
    REQUIRE(calls > 15);
    std::size_t failed = 0;
    for (int const error : {EIO, ENOSPC, EINTR})
        for (long at = 0; at < calls; ++at) {
            auto made = base;
            made.at = at;
            made.error = error;
            scratch::folder const root{scratch::memory()};
            std::vector<bool> kept;
            {
                planned const now{made};
                work(root / "a", [&](auto, auto const& problem) { kept.push_back(!problem); });
            }
            auto const refused = static_cast<std::size_t>(std::ranges::count(kept, false));
            CAPTURE(error, at, made.log);
            if (error == EINTR) CHECK(refused == 0);
            failed += refused;
            check(root / "a", kept, made);
        }
    return failed;
}

void kill_before_each(auto work, auto check) {
    auto const calls = calls_of(work, {});
    for (long at = 0; at < calls; ++at) {
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
    for (bool const halve : {false, true}) {
        auto const failed = fail_each(
            journals, {.halve = halve},
            [](std::string const& path, std::vector<bool> const& kept, plan const&) { check_journal(path, kept); });
        CHECK(failed > 5);
    }
}

TEST_CASE("faults: a kill before each call of an artifact folder") {
    kill_before_each(artifacts,
                     [](std::string const& path, std::vector<bool> const& kept) { check_artifacts(path, kept, true); });
}

TEST_CASE("faults: a kill before each call of a journal folder") { kill_before_each(journals, check_journal); }

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

TEST_CASE("faults: a short write that cannot be taken back stands aside") {
    scratch::folder const root{scratch::memory()};
    journal_folder const to{root / "j"};
    REQUIRE(store_tests::add(to, "c", 0, "some text").empty());
    auto const whole = scratch::bytes_of(scratch::the_file_in(root / "j"));
    plan made{.only = "write", .at = 0, .error = ENOSPC, .halve = true};
    {
        planned const now{made};
        CHECK(store_tests::add(to, "c", 1, "some text") == "write: No space left on device");
    }
    CHECK(made.log == std::vector<std::string>{"flock", "pread", "write", "ftruncate", "flock"});
    CHECK(scratch::bytes_of(scratch::the_file_in(root / "j")) == whole);

    made = {.at = 2, .error = ENOSPC, .times = 2, .halve = true};
    {
        planned const now{made};
        CHECK(store_tests::add(to, "c", 1, "some text") == "write: No space left on device");
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
    journal_folder const before{root / "j"};
    REQUIRE(store_tests::add(before, "c", 99'999, "a").empty());
    std::vector<processes::child> children;
    for (std::uint64_t writer = 0; writer < 4; ++writer)
        children.emplace_back([&, writer](auto& say) {
            auto const to = writer < 2 ? before : journal_folder{root / "j"};
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
