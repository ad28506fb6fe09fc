// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/fidelity_meter.hpp>

#include <string>
#include <utility>
#include <vector>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

using condense::fidelity;
using condense::detail::replay_shelf;
using talk::chat_message;
using script_type = condense::detail::replay_script<chat_message, talk::byte_tokens>;

/// A conversation whose last message is an answer to requests given by hand.
class fixture {
public:
    fixture(std::vector<chat_message> given, replay_shelf shelf)
        : told{std::move(given)}, meter{script, items, std::move(shelf)} {}

    /// Where its items were when this request was sent.
    fidelity asked(std::vector<chat_message> const& request) {
        sent.set_current(request, told,
                         [&](chat_message const& m, std::uint64_t print) { meter.add_derived(m, print); });
        meter.set_request(sent);
        std::array<fidelity, condense::item_kinds> out{};
        meter.count_needed(script.answers().size() - 1, out);
        fidelity sum;
        for (auto const& kind : out) sum += kind;
        return sum;
    }

    std::vector<chat_message> told;
    script_type script{told, {}};
    condense::detail::item_index items{script};
    condense::detail::sent_requests<script_type> sent{script};
    condense::detail::fidelity_meter<script_type> meter;
};

std::vector<chat_message> const nothing{};

std::vector<chat_message> asks_for_two() {
    return {talk::user("first_name"), talk::user("second_name"), talk::says("first_name, second_name")};
}

TEST_CASE("an item is visible while some message of the request holds it") {
    fixture all{asks_for_two(), {}};
    CHECK(all.asked(nothing) == fidelity{.lost = 2});
    CHECK(all.asked({talk::user("x first_name")}) == fidelity{.visible = 1, .lost = 1});
    CHECK(all.asked({talk::user("x first_name"), talk::user("second_name, first_name")}) == fidelity{.visible = 2});
    CHECK(all.asked({talk::user("x first_name")}) == fidelity{.visible = 1, .lost = 1});
    CHECK(all.asked({talk::user("x first_names")}) == fidelity{.lost = 2});
}

TEST_CASE("what is on record can be searched for") {
    std::vector<std::uint64_t> recorded;
    std::size_t reads = 0;
    replay_shelf shelf;
    shelf.journals.push_back([&](auto const& f) {
        ++reads;
        for (auto const number : recorded) f(number);
    });
    fixture all{asks_for_two(), std::move(shelf)};
    CHECK(all.asked({talk::user("first_name, second_name")}) == fidelity{.visible = 2});
    CHECK(reads == 0);
    CHECK(all.asked(nothing) == fidelity{.lost = 2});
    recorded = {1, 2, 900};  // the answer itself, and nobody's
    CHECK(all.asked(nothing) == fidelity{.recoverable = 1, .lost = 1});
    recorded = {0, 1};
    CHECK(all.asked(nothing) == fidelity{.recoverable = 2});
    CHECK(reads == 3);
    CHECK(all.asked(nothing) == fidelity{.recoverable = 2});
    CHECK(reads == 3);
}

TEST_CASE("what stands behind a reference can be read, its first 2,000 tokens") {
    condense::memory_store const store;
    auto const content = "first_name " + std::string(1'985, 'x') + " second_name";
    auto const name = store.name(content);
    REQUIRE_FALSE(store.put(name, content));
    replay_shelf shelf;
    shelf.stores.push_back([store](condense::reference const& wanted) { return store.get(wanted); });
    fixture all{asks_for_two(), std::move(shelf)};
    CHECK(all.asked({talk::user("stored as " + name.text() + ".")}) == fidelity{.recoverable = 1, .lost = 1});
    CHECK(all.asked({talk::user("stored as " + name.text() + "0")}) == fidelity{.lost = 2});
    CHECK(all.asked({talk::user("stored as " + name.text() + "."), talk::user("second_name")}) ==
          fidelity{.visible = 1, .recoverable = 1});
    CHECK(all.asked({talk::user("stored as " + store.name("unknown").text())}) == fidelity{.lost = 2});
}

}  // namespace
