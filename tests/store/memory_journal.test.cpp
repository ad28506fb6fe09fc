// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory_journal.hpp>

#include "store/journal_conformance.hpp"
#include "support/catch.hpp"

namespace {

constexpr auto make = [] { return condense::memory_journal{}; };

static_assert(condense::journal<condense::memory_journal>);
static_assert(!condense::memory_journal::durable);

}  // namespace

TEST_CASE("memory_journal: gives back what it was given") { store_tests::journal_gives_back_what_it_was_given(make); }
TEST_CASE("memory_journal: takes what a run made") { store_tests::journal_takes_what_a_run_made(make); }
TEST_CASE("memory_journal: refuses what it could not give back") {
    store_tests::journal_refuses_what_it_could_not_give_back(make);
}
TEST_CASE("memory_journal: may grow while it is read") { store_tests::journal_may_grow_while_it_is_read(make); }
TEST_CASE("memory_journal: is for threads") { store_tests::journal_is_for_threads(make); }

TEST_CASE("memory_journal: names by the hash it is given") {
    condense::memory_journal const keyed{condense::content_hash{42}};
    CHECK(keyed.name("a") == condense::content_hash{42}("a", 0));
    CHECK(keyed.name("a") != condense::memory_journal{}.name("a"));
    CHECK(store_tests::add(keyed, "c", 1, "a").empty());
}
