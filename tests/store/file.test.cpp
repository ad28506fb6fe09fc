// SPDX-License-Identifier: BSL-1.0
#include <condense/store/file.hpp>

#include "store/kit.hpp"

using namespace store_tests;

TEST_CASE("file: a store and a journal in one place outlive their handles") {
    scratch::folder const root;
    std::string_view const text = "a text\nwith \xFF in it";
    condense::reference name;
    {
        condense::artifact_folder const store{root / "artifacts"};
        condense::journal_folder const to{root / "sessions"};
        name = store.name(text);
        CHECK(to.name(text) == name);
        CHECK(put(store, text).empty());
        CHECK(add(to, "c", 3, text).empty());
        CHECK_FALSE(to.flush("c"));
    }
    CHECK(condense::artifact_folder{root / "artifacts"}.get(name) == text);
    CHECK((lines_of(condense::journal_folder{root / "sessions"}, "c") == lines{{{name, 3, false}, std::string{text}}}));
}
