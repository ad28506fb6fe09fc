// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/fidelity_meter.hpp>

#include <condense/llm/fence.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::fidelity;
using condense::detail::replay_shelf;
using script_type = condense::detail::replay_script<chat_message, per_byte>;

/// A conversation whose last message is an answer to requests given by hand.
class fixture {
public:
    fixture(conversation given, replay_shelf shelf) : told{std::move(given)}, meter{script, items, std::move(shelf)} {}

    /// Where its items were when this request was sent, and nothing more.
    fidelity asked(conversation const& request, bool sendable = true) {
        auto all = shown(request, sendable);
        all.labelled = all.in_line = 0;
        return all;
    }
    /// The same, with labels and lines.
    fidelity shown(conversation const& request, bool sendable = true) {
        sent.set_current(request, told, [&](chat_message const& m, std::uint64_t print) {
            meter.add_derived(m, print, script.answers().back().first);
        });
        meter.set_request(sent);
        std::array<fidelity, condense::item_kinds> out{};
        meter.count_needed(script.answers().size() - 1, sendable, out);
        fidelity sum;
        for (auto const& kind : out) sum += kind;
        return sum;
    }

    conversation told;
    script_type script{told, {}};
    condense::detail::item_index items{script};
    condense::detail::sent_requests<script_type> sent{script};
    condense::detail::fidelity_meter<script_type> meter;
};

conversation const nothing{};

conversation asks_for_two() { return {U("first_name"), U("second_name"), A("first_name, second_name")}; }

TEST_CASE("an item is visible while some message of the request holds it") {
    fixture all{asks_for_two(), {}};
    CHECK(all.asked(nothing) == fidelity{.lost = 2});
    CHECK(all.asked({U("x first_name")}) == fidelity{.visible = 1, .lost = 1});
    CHECK(all.asked({U("x first_name"), U("second_name, first_name")}) == fidelity{.visible = 2});
    CHECK(all.asked({U("x first_name")}) == fidelity{.visible = 1, .lost = 1});
    CHECK(all.asked({U("x first_names")}) == fidelity{.lost = 2});
}

TEST_CASE("originals show items with label and line, what is derived from them as far as both are left") {
    fixture all{{U(R"({"order_id": "W123456"})"), U("later W123456"), A("W123456")}, {}};
    auto const shows = [&](std::string text) { return all.shown({U(std::move(text))}); };
    CHECK(all.shown(all.told) == fidelity{.visible = 1, .labelled = 1, .in_line = 1});
    CHECK(shows("W123456") == fidelity{.visible = 1});
    CHECK(shows("order_id: W99, W123456") == fidelity{.visible = 1, .labelled = 1});
    CHECK(shows("W123456 order_id") == fidelity{.visible = 1});
    CHECK(shows("order_id\nW123456") == fidelity{.visible = 1});
    CHECK(shows("other W123456") == fidelity{.visible = 1});
    CHECK(shows("later, W123456") == fidelity{.visible = 1, .labelled = 1});
    CHECK(shows("x\n  {\"order_id\": \"W123456\"} \ny") == fidelity{.visible = 1, .labelled = 1, .in_line = 1});
    CHECK(shows(condense::fenced_summary("{\"order_id\": \"W123456\"}")) == fidelity{.visible = 1, .labelled = 1});
    fixture plain{{U("W123456"), A("W123456")}, {}};  // that stood without a label, and needs none
    CHECK(plain.shown({U("x: W123456")}) == fidelity{.visible = 1, .labelled = 1});
}

TEST_CASE("labels are of messages from which a text is derived, not of later ones") {
    fixture all{{U("id W123456"), A("W123456")}, {}};
    conversation const request{U("W123456 for W123456")};
    CHECK(all.shown(request) == fidelity{.visible = 1});
    fixture later{{U("id W123456"), U("for W123456"), A("W123456")}, {}};
    CHECK(later.shown(request) == fidelity{.visible = 1, .labelled = 1});
    fixture before{{U("id W123456"), U("for W123456"), A("W123456")}, {}};
    before.meter.add_derived(request[0], condense::detail::read_message(request[0]).print, 1);
    CHECK(before.shown(request) == fidelity{.visible = 1});
}

TEST_CASE("nothing is visible in a request that cannot be sent") {
    replay_shelf shelf;
    shelf.journals.push_back([](auto const& f) { f(0); });
    fixture all{asks_for_two(), std::move(shelf)};
    CHECK(all.shown(all.told, false) == fidelity{.recoverable = 1, .lost = 1});
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
    CHECK(all.asked({U("first_name, second_name")}) == fidelity{.visible = 2});
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
    auto const content = "first_name " + letters(1'985) + " second_name";
    auto const name = store.name(content);
    REQUIRE_FALSE(store.put(name, content));
    replay_shelf shelf;
    shelf.stores.push_back([store](condense::reference const& wanted) { return store.get(wanted); });
    fixture all{asks_for_two(), std::move(shelf)};
    CHECK(all.asked({U("stored as " + name.text() + ".")}) == fidelity{.recoverable = 1, .lost = 1});
    CHECK(all.asked({U("stored as " + name.text() + "0")}) == fidelity{.lost = 2});
    CHECK(all.asked({U("stored as " + name.text() + "."), U("second_name")}) ==
          fidelity{.visible = 1, .recoverable = 1});
    CHECK(all.asked({U("stored as " + store.name("unknown").text())}) == fidelity{.lost = 2});
}

}  // namespace
