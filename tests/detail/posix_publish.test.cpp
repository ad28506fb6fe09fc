// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/posix_publish.hpp>

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
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
    for (auto const& name :
         {digits, digits + ".TMP", digits + "a.tmp", digits.substr(1) + ".tmp", "A" + digits.substr(1) + ".tmp",
          digits.substr(1) + "g.tmp", digits + ".tmp ", std::string{".tmp"}, std::string{}})
        CHECK_FALSE(posix::is_temporary_name(name));
}
