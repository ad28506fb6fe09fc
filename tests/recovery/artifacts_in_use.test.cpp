// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/artifacts_in_use.hpp>

#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/store/prune.hpp>

#include "support/catch.hpp"
#include "support/mixes.hpp"

using namespace vocabulary;
using condense::artifacts_in_use;

namespace {

void work(auto& session, int turns) {
    for (int turn = 0; turn < turns; ++turn) {
        auto const id = std::to_string(turn);
        for (auto const& m : {U("turn " + id), C(id, "shell"), R(id, letters(2'000) + id), A("done " + id)})
            session.push(m);
        static_cast<void>(session.prepare());
    }
}

/// References that the request names, of which each must be in the store.
std::vector<condense::reference> references(auto& session, condense::memory_store const& store) {
    std::vector<condense::reference> all;
    for (auto const& m : session.request())
        condense::each_reference(m.parts[0].text, [&](condense::reference const& name) {
            all.push_back(name);
            CHECK(store.get(name));
        });
    return all;
}

condense::store_quota const few{.keep = 5, .clean_at = 5};

}  // namespace

TEST_CASE("each_reference: runs of exactly 24 digits, and nothing else") {
    auto const count = [](std::string_view text) {
        std::size_t all = 0;
        condense::each_reference(text, [&](condense::reference const&) { ++all; });
        return all;
    };
    std::string const one(24, 'a');
    CHECK(count("") == 0);
    CHECK(count(one) == 1);
    CHECK(count("x" + one + "x" + one) == 2);
    CHECK(count(one + "a") == 0);
    CHECK(count(std::string(23, 'a')) == 0);
    CHECK(count(std::string(24, 'A')) == 0);
}

TEST_CASE("artifacts_in_use: a quota takes no artifact that the request names", "[law-S7]") {
    condense::memory_store const store;
    pipeline const mix{record{.to = condense::memory_journal{}}, mixes::head_and_tail(store),
                       sliding_window{.when = used > 40_messages}};
    condense::session session{
        conversation{}, mix, condense::budget{.window = 100'000_tokens}, {}, run_options{.conversation = "logs"}};
    CHECK_FALSE(store.put(store.name("theirs"), "theirs", {.conversation = "other", .time = 1}));
    CHECK_FALSE(store.put(store.name("saved"), "saved", {.conversation = "logs", .time = 1}));
    work(session, 30);
    REQUIRE(store.size() == 32);
    auto const named = references(session, store);
    REQUIRE(named.size() > 5);
    REQUIRE(named.size() < 20);
    artifacts_in_use in_use{session};
    in_use.add("a state that names " + store.name("saved").text());
    CHECK_FALSE(condense::prune(store, few, in_use));
    CHECK(store.size() == named.size() + 2);
    CHECK(references(session, store) == named);
    CHECK_FALSE(condense::prune(store, few, artifacts_in_use{session}));
    CHECK_FALSE(store.get(store.name("saved")));
    CHECK(store.get(store.name("theirs")));
}

TEST_CASE("artifacts_in_use: without a journal all of the conversation is the only copy", "[law-S7]") {
    condense::memory_store const store;
    pipeline const mix{mixes::head_and_tail(store), sliding_window{.when = used > 40_messages}};
    condense::session session{conversation{}, mix, condense::budget{.window = 100'000_tokens}};
    work(session, 30);
    REQUIRE(store.size() == 30);
    CHECK_FALSE(condense::prune(store, few, artifacts_in_use{session}));
    CHECK(store.size() == 30);
}
