// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory_journal.hpp>

#include <condense/testing/journal_laws.hpp>

#include "store/kit.hpp"

using namespace store_tests;
using condense::memory_journal;
static_assert(condense::listable_journal<memory_journal> && !memory_journal::durable);

TEST_CASE("memory_journal: keeps the laws of journals") {
    CHECK(text_of(condense::testing::check_journal_laws([] { return memory_journal{}; })) == "");
}

TEST_CASE("memory_journal: of conversations in the same second, the one with the latest append is first") {
    memory_journal const to;
    for (auto const* const id : {"a", "c", "b", "a"}) CHECK_FALSE(to.append(id, {to.name("x"), 0, false, 5}, "x"));
    CHECK(conversations_in(to) == listing{{"a", 2}, {"b", 1}, {"c", 1}});
}

TEST_CASE("memory_journal: names by the hash it is given") {
    memory_journal const keyed{condense::content_hash{42}};
    CHECK(keyed.name("a") == condense::content_hash{42}("a", 0));
    CHECK(keyed.name("a") != memory_journal{}.name("a"));
    CHECK(add(keyed, "c", 1, "a").empty());
}
