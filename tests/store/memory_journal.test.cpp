// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory_journal.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/testing/journal_laws.hpp>

#include "store/journal_lines.hpp"
#include "support/catch.hpp"
#include "support/violations.hpp"

namespace {

static_assert(condense::listable_journal<condense::memory_journal>);
static_assert(!condense::memory_journal::durable);

}  // namespace

TEST_CASE("memory_journal: keeps the laws of journals") {
    CHECK(text_of(condense::testing::check_journal_laws([] { return condense::memory_journal{}; })) == "");
}

TEST_CASE("memory_journal: of conversations in the same second, the one with the latest append is first") {
    condense::memory_journal const to;
    for (auto const* const id : {"a", "c", "b", "a"}) CHECK_FALSE(to.append(id, {to.name("x"), 0, false, 5}, "x"));
    std::vector<std::pair<std::string, std::uint64_t>> const expected{{"a", 2}, {"b", 1}, {"c", 1}};
    CHECK(store_tests::conversations_in(to) == expected);
}

TEST_CASE("memory_journal: names by the hash it is given") {
    condense::memory_journal const keyed{condense::content_hash{42}};
    CHECK(keyed.name("a") == condense::content_hash{42}("a", 0));
    CHECK(keyed.name("a") != condense::memory_journal{}.name("a"));
    CHECK(store_tests::add(keyed, "c", 1, "a").empty());
}
