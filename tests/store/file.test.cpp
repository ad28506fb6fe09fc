// SPDX-License-Identifier: BSL-1.0
#include <condense/store/file.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "store/scratch.hpp"
#include "support/catch.hpp"

namespace {

static_assert(condense::artifact_store<condense::artifact_folder> && condense::artifact_folder::durable);
static_assert(condense::journal<condense::journal_folder> && condense::journal_folder::durable);

}  // namespace

TEST_CASE("file: a store and a journal in one place outlive their handles") {
    scratch::folder const root;
    std::string_view const text = "a text\nwith \xFF in it";
    condense::reference name;
    {
        condense::artifact_folder const store{root / "artifacts"};
        condense::journal_folder const to{root / "sessions"};
        name = store.name(text);
        CHECK(to.name(text) == name);
        CHECK_FALSE(store.put(name, text));
        CHECK_FALSE(to.append("c", {name, 3, false}, text));
        CHECK_FALSE(to.flush("c"));
    }
    CHECK(condense::artifact_folder{root / "artifacts"}.get(name) == text);
    std::size_t lines = 0;
    CHECK_FALSE(condense::journal_folder{root / "sessions"}.read(
        "c", [&](condense::journal_entry const& line, std::string_view content) {
            ++lines;
            CHECK(line == condense::journal_entry{name, 3, false});
            CHECK(content == text);
        }));
    CHECK(lines == 1);
}
