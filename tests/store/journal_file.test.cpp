// SPDX-License-Identifier: BSL-1.0
#include <condense/store/journal_file.hpp>

#include <map>

#include <sys/file.h>

#include "store/kit.hpp"

namespace {

using namespace store_tests;
namespace posix = condense::detail::posix;
using condense::detail::file_lock, condense::detail::journal_file;

static_assert(!std::is_copy_constructible_v<journal_file> && !std::is_copy_constructible_v<file_lock>);

constexpr std::string_view removed = "the journal's file was moved or removed";

/// A journal's file in a folder of its own.
struct one_file {
    scratch::folder root = scratch::folder{scratch::memory()};
    posix::folder in{root / "j"};
    journal_file file{"a"};

    std::string path() const { return root / "j/a"; }
    std::string add(std::string line) { return reason(file.append(in, std::move(line))); }
    std::string flush() { return reason(file.flush(in)); }
    std::string bytes() const { return scratch::bytes_of(path()); }
    void write(std::string_view bytes) const {
        fs::create_directory(root / "j");
        scratch::write(path(), bytes);
    }
};

posix::descriptor opened(std::string const& path) {
    return posix::descriptor{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
}

/// Whether no other opening of the file has it for itself.
bool is_free(posix::descriptor const& file) {
    bool const free = ::flock(file.number(), LOCK_SH | LOCK_NB) == 0;
    if (free) ::flock(file.number(), LOCK_UN);
    return free;
}

}  // namespace

TEST_CASE("journal_file: a lock holds off other openings of the file until it goes") {
    scratch::folder const root;
    scratch::write(root / "a", "");
    auto const mine = opened(root / "a");
    auto const other = opened(root / "a");
    REQUIRE(is_free(other));
    {
        file_lock const alone{mine};
        CHECK(alone.error() == 0);
        CHECK_FALSE(is_free(other));
    }
    CHECK(is_free(other));
    CHECK(file_lock{posix::descriptor{}}.error() == EBADF);
}

TEST_CASE("journal_file: lines of one file") {
    one_file to;
    SECTION("lines are appended as they are, in a file that the first one makes") {
        CHECK_FALSE(fs::exists(to.root / "j"));
        CHECK(to.add("one\n").empty());
        CHECK(scratch::mode_of(to.path()) == 0600);
        CHECK(to.add("two\n").empty());
        CHECK(to.bytes() == "one\ntwo\n");
        CHECK(to.flush().empty());
        CHECK(to.add("three\n").empty());
        CHECK(reason(journal_file{"a"}.append(to.in, "four\n")).empty());
        CHECK(to.add("five\n").empty());
        CHECK(to.bytes() == "one\ntwo\nthree\nfour\nfive\n");
        CHECK(is_free(opened(to.path())));
    }
    SECTION("nothing is made to be flushed") {
        CHECK(to.flush().empty());
        CHECK_FALSE(fs::exists(to.root / "j"));
        REQUIRE(fs::create_directory(to.root / "j"));
        CHECK(to.flush().empty());
        CHECK(scratch::names_in(to.root / "j").empty());
    }
    SECTION("what is torn at the end stands on a line of its own") {
        for (std::string const before : {"one\ntw", "o", "\n", ""}) {
            to.write(before);
            CHECK(to.add("three\n").empty());
            CHECK(to.bytes() == before + (before.empty() || before.ends_with('\n') ? "" : "\n") + "three\n");
        }
    }
    SECTION("a file with another name is not written through") {
        REQUIRE(fs::create_directory(to.root / "j"));
        scratch::write(to.root / "mine", "mine\n");
        fs::create_hard_link(to.root / "mine", to.path());
        constexpr std::string_view refused =
            "open: the file must have no other name (hard link): put a copy in its place";
        CHECK(to.add("one\n") == refused);
        CHECK(to.flush() == refused);
        CHECK(scratch::bytes_of(to.root / "mine") == "mine\n");
        // The remedy.
        fs::copy_file(to.path(), to.root / "copy");
        fs::rename(to.root / "copy", to.root / "j/b");
        fs::remove(to.path());
        fs::rename(to.root / "j/b", to.path());
        CHECK(to.add("one\n").empty());
        CHECK(to.bytes() == "mine\none\n");
        CHECK(scratch::bytes_of(to.root / "mine") == "mine\n");
    }
    SECTION("what cannot be opened is an error, and is tried again") {
        REQUIRE(fs::create_directory(to.root / "j"));
        scratch::write(to.root / "outside", "mine");
        plant(to.path(), to.root / "outside", to.root / "nothing");
        CHECK(to.add("one\n").starts_with("open: "));
        CHECK(to.flush().starts_with("open: "));
        CHECK(to.file.close());
        fs::remove(to.path());
        CHECK(to.add("one\n").empty());
        CHECK(to.bytes() == "one\n");
    }
    SECTION("a closed file gives its descriptor back, and is opened again when used") {
        CHECK(to.file.close());
        auto const before = open_files();
        REQUIRE(to.add("one\n").empty());
        CHECK(open_files() > before);
        CHECK(to.file.close());
        CHECK(to.file.close());
        // The folder stays open.
        CHECK(open_files() == before + 1);
        CHECK(to.add("two\n").empty());
        CHECK(open_files() == before + 2);
        CHECK(to.bytes() == "one\ntwo\n");
        // What was closed was kept first, so its removal is no loss of this object's to tell.
        CHECK(to.file.close());
        fs::remove(to.path());
        CHECK(to.flush().empty());
        CHECK(to.add("three\n").empty());
        CHECK(to.bytes() == "three\n");
    }
    SECTION("is for threads") {
        constexpr int each = 5'000;
        std::atomic<int> failed = 0;
        std::vector<std::thread> threads;
        for (char letter = 'a'; letter < 'e'; ++letter)
            threads.emplace_back([&, letter] {
                for (int line = 0; line < each; ++line) {
                    if (!to.add(std::string(20, letter) + "\n").empty()) ++failed;
                    if (line % 2 == 0 && !to.file.close()) ++failed;
                    if (line % 50 == 0 && !to.flush().empty()) ++failed;
                }
            });
        for (auto& thread : threads) thread.join();
        CHECK(failed == 0);
        std::map<std::string, int> lines;
        auto const bytes = to.bytes();
        for (std::size_t at = 0; at < bytes.size(); at += 21) ++lines[bytes.substr(at, 21)];
        CHECK(lines.size() == 4);  // none is torn
        for (char letter = 'a'; letter < 'e'; ++letter) CHECK(lines[std::string(20, letter) + "\n"] == each);
    }
}

TEST_CASE("journal_file: what a write left that failed is taken away") {
    one_file to;
    REQUIRE(to.add("one\n").empty());
    auto const line = std::string(60, '2') + "\n";
    for (std::size_t room = 0; room < line.size(); ++room) {
        processes::file_size_limit const limit{4 + room};
        REQUIRE(to.add(line) == too_large_file);
        REQUIRE(to.bytes() == "one\n");
    }
    CHECK(is_free(opened(to.path())));
    CHECK(to.flush().empty());
    CHECK(to.add(line).empty());
    CHECK(to.bytes() == "one\n" + line);
}

TEST_CASE("journal_file: a file that is removed is told once, where lines went with it") {
    one_file to;
    REQUIRE(to.add("one\n").empty());
    SECTION("at the next line, which is not appended") {
        fs::remove(to.path());
        CHECK(to.add("two\n") == removed);
        CHECK_FALSE(fs::exists(to.path()));
    }
    SECTION("at the next flush") {
        fs::remove_all(to.root / "j");
        CHECK(to.flush() == removed);
        CHECK(to.flush().empty());
    }
    SECTION("at the next line also where they were flushed, and not at a flush") {
        REQUIRE(to.flush().empty());
        fs::remove(to.path());
        CHECK(to.flush().empty());
        CHECK(to.add("two\n") == removed);
        CHECK(to.add("two\n").empty());
        CHECK(to.bytes() == "two\n");
        fs::remove(to.path());
        CHECK(to.flush() == removed);
    }
    SECTION("as moved, with another in its place or none") {
        fs::rename(to.path(), to.path() + "_1");
        if (GENERATE(false, true)) scratch::write(to.path(), "");
        CHECK(to.add("two\n") == removed);
        CHECK(scratch::bytes_of(to.path() + "_1") == "one\n");
    }
    CHECK(to.add("three\n").empty());
    CHECK(to.bytes() == "three\n");
    CHECK(to.flush().empty());
}

TEST_CASE("journal_file: the first line after a full file goes to the next one, for all that write") {
    one_file to{.file = journal_file{"a.x", 8}};
    journal_file other{"a.x", 8};
    strings const bytes{"one\ntwo\n", "three, and more than fits\n", "four\nfive\n", "six\n"};
    auto const held = [&] {
        strings all;
        for (auto const* const name : {"a.x", "a.1.x", "a.2.x", "a.3.x"})
            all.push_back(scratch::bytes_of(to.root / "j/" + name));
        return all;
    };
    CHECK(to.add("one\n").empty());
    CHECK(to.add("two\n").empty());
    CHECK(scratch::names_in(to.root / "j").size() == 1);
    CHECK(reason(other.append(to.in, "three, and more than fits\n")).empty());
    CHECK(to.add("four\n").empty());
    CHECK(reason(journal_file{"a.x", 8}.append(to.in, "five\n")).empty());
    CHECK(reason(other.append(to.in, "six\n")).empty());
    CHECK(held() == bytes);
    CHECK(scratch::mode_of(to.root / "j/a.3.x") == 0600);
    CHECK(to.flush().empty());
    SECTION("also where a larger file would do") {
        journal_file large{"a.x"};
        CHECK(reason(large.append(to.in, "seven\n")).empty());
        CHECK(to.add("eight\n").empty());
        CHECK(reason(large.append(to.in, "nine\n")).empty());
        CHECK(held() == strings{bytes[0], bytes[1], bytes[2], bytes[3] + "seven\n"});
        CHECK(scratch::bytes_of(to.root / "j/a.4.x") == "eight\nnine\n");
    }
    SECTION("also where the oldest were removed") {
        fs::remove(to.root / "j/a.x");
        fs::remove(to.root / "j/a.1.x");
        CHECK(reason(journal_file{"a.x", 8}.append(to.in, "seven\n")).empty());
        CHECK(held() == strings{"", "", bytes[2], bytes[3] + "seven\n"});
        CHECK(scratch::names_in(to.root / "j").size() == 2);
    }
    SECTION("and the newest is told where it is removed") {
        CHECK(to.add("7\n").empty());
        fs::remove(to.root / "j/a.3.x");
        CHECK(to.add("8\n") == removed);
        CHECK(reason(other.append(to.in, "8\n")) == removed);
        CHECK(to.add("seven\n").empty());
        CHECK(held() == strings{bytes[0], bytes[1], bytes[2], "seven\n"});
    }
    SECTION("and nothing else is taken for it") {
        REQUIRE(to.add("7890\n").empty());
        REQUIRE(fs::create_directory(to.root / "j/a.4.x"));
        CHECK(to.add("x\n").starts_with("open: "));
        CHECK(to.flush().starts_with("open: "));
        fs::remove(to.root / "j/a.4.x");
        CHECK(to.add("x\n").empty());
        CHECK(scratch::bytes_of(to.root / "j/a.4.x") == "x\n");
    }
    CHECK(is_free(opened(to.root / "j/a.2.x")));
}

TEST_CASE("journal_file: files of no bytes hold a line each") {
    one_file to{.file = journal_file{"a", 0}};
    for (int line = 0; line < 3; ++line) CHECK(to.add("1\n").empty());
    CHECK(to.bytes() == "1\n");
    CHECK(scratch::bytes_of(to.path() + ".2") == "1\n");
}

TEST_CASE("journal_file: an append waits for another writer") {
    one_file to;
    REQUIRE(to.add("one\n").empty());
    auto const other = opened(to.path());
    REQUIRE(::flock(other.number(), LOCK_EX) == 0);
    std::atomic<bool> done = false;
    std::string problem;
    std::thread writer{[&] {
        problem = to.add("two\n");
        done = true;
    }};
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    CHECK_FALSE(done);
    CHECK(to.bytes() == "one\n");
    REQUIRE(::flock(other.number(), LOCK_UN) == 0);
    writer.join();
    CHECK(problem.empty());
    CHECK(to.bytes() == "one\ntwo\n");
}
