// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/posix_publish.hpp>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/scratch.hpp"
#include "support/catch.hpp"

namespace {

namespace posix = condense::detail::posix;

}  // namespace

TEST_CASE("posix_publish: a file is whole and never in the place of another") {
    scratch::folder const root;
    auto const folder = posix::open_folder(root / "", false);
    REQUIRE(folder.error == 0);
    CHECK(posix::publish(folder.file, "f", "text").error == 0);
    auto const again = posix::publish(folder.file, "f", "other");
    CHECK(again.error == EEXIST);
    CHECK(again.call == "rename");
    CHECK(scratch::bytes_of(root / "f") == "text");
    CHECK(scratch::mode_of(root / "f") == 0600);
    CHECK(scratch::names_in(root / "") == std::vector<std::string>{"f"});
    CHECK(posix::publish(posix::descriptor{}, "f", "").call == "create");
}

TEST_CASE("posix_publish: temporary files have names of their own, and go unless they are published") {
    scratch::folder const root;
    auto const folder = posix::open_folder(root / "", false);
    {
        posix::temporary const first{folder.file};
        posix::temporary const second{folder.file};
        CHECK(first.error() == 0);
        CHECK(scratch::names_in(root / "").size() == 2);
        posix::clear_away(folder.file);
        auto const names = scratch::names_in(root / "");
        CHECK(names.size() == 2);
        for (auto const& name : names) {
            CHECK(posix::is_temporary_name(name));
            CHECK(scratch::mode_of(root / name) == 0600);
        }
    }
    CHECK(scratch::names_in(root / "").empty());
}

TEST_CASE("posix_publish: names that cannot be foreseen, and no others are taken for such") {
    std::set<std::string> seen;
    for (int entry = 0; entry < 500; ++entry) {
        std::string name;
        REQUIRE(posix::make_temporary_name(name) == 0);
        CHECK(posix::is_temporary_name(name));
        CHECK(seen.insert(name).second);
    }
    auto const digits = std::string(32, 'a');
    CHECK(posix::is_temporary_name(".condense-" + digits + ".tmp"));
    for (auto const& name :
         {digits, digits + ".TMP", digits + "a.tmp", digits.substr(1) + ".tmp", "A" + digits.substr(1) + ".tmp",
          digits.substr(1) + "g.tmp", digits + ".tmp ", digits + ".tmp.tmp", std::string{".tmp"}, std::string{}})
        CHECK_FALSE(posix::is_temporary_name(".condense-" + name));
    // Files that other programs may name so.
    for (auto const& name : {digits + ".tmp", "condense-" + digits + ".tmp", ".Condense-" + digits + ".tmp",
                             "." + digits + ".tmp", "x.condense-" + digits + ".tmp", std::string{}})
        CHECK_FALSE(posix::is_temporary_name(name));
}

TEST_CASE("posix_publish: a file is replaced as a whole and read back") {
    scratch::folder const root;
    auto const path = root / "a/b/f";
    CHECK(posix::read_file(path, 100).problem.error == ENOENT);
    CHECK(posix::replace_file(path, "text").error == 0);
    CHECK(posix::replace_file(path, "other").error == 0);
    scratch::write(root / "a/b/.condense-00112233445566778899aabbccddeeff.tmp", "what a killed writer left");
    scratch::write(root / "a/b/00112233445566778899aabbccddeeff.tmp", "mine");
    auto const read = posix::read_file(path, 5);
    CHECK(read.problem.error == 0);
    CHECK(read.text == "other");
    CHECK(read.changed > 1'700'000'000);
    CHECK(posix::read_file(path, 4).problem.error == EFBIG);
    CHECK(scratch::mode_of(path) == 0600);
    CHECK(scratch::mode_of(root / "a") == 0700);
    CHECK(scratch::names_in(root / "a/b") == std::vector<std::string>{"00112233445566778899aabbccddeeff.tmp", "f"});
    // A link is neither read nor written through.
    std::filesystem::create_symlink(path, root / "link");
    CHECK(posix::read_file(root / "link", 100).problem.error == ELOOP);
    CHECK(posix::replace_file(root / "link", "third").error == 0);
    CHECK(scratch::bytes_of(path) == "other");
    for (auto const* const name : {"", "/", ".", "..", "a/", "a"}) {
        CHECK(posix::read_file(root / name, 100).problem.error != 0);
        CHECK(posix::replace_file(root / name, "x").error != 0);
    }
    CHECK(posix::replace_file(std::string{"a\0b", 3}, "x").call == "open");
}

TEST_CASE("posix_publish: a file is replaced also while others clear away") {
    scratch::folder const root{scratch::memory()};
    auto const folder = posix::open_folder(root / "", false);
    std::atomic<bool> ended = false;
    std::thread other{[&] {
        while (!ended) posix::clear_away(folder.file);
    }};
    int failures = 0;
    for (int round = 0; round < 1'000; ++round) failures += posix::replace_file(root / "f", "text").error != 0;
    ended = true;
    other.join();
    CHECK(failures == 0);
    CHECK(scratch::names_in(root / "") == std::vector<std::string>{"f"});
}

TEST_CASE("posix_publish: a temporary file is there once it is made, also while others clear away") {
    scratch::folder const root{scratch::memory()};
    auto const folder = posix::open_folder(root / "", false);
    std::atomic<bool> ended = false;
    std::vector<std::thread> others;
    for (int count = 0; count < 3; ++count)
        others.emplace_back([&] {
            while (!ended) posix::clear_away(folder.file);
        });
    int failures = 0;
    for (int round = 0; round < 10'000; ++round) {
        posix::temporary made{folder.file};
        failures += made.error() != 0 || made.replace("f") != 0;
    }
    ended = true;
    for (auto& other : others) other.join();
    CHECK(failures == 0);
}
