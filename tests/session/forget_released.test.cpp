// SPDX-License-Identifier: BSL-1.0
#include <condense/session/forget_released.hpp>

#include <condense/session/state.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::group;
using condense::sequence;

/// A question and its call, result and answer, so many times. The groups from `first` to `last` are dropped and
/// released, and what is known of them is forgotten.
struct released_desk : toy::desk<> {
    released_desk(std::uint32_t rounds, std::uint32_t first, std::uint32_t last)
        : desk{std::initializer_list<toy::message>{}} {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            auto const id = std::to_string(round);
            push(toy::user("question " + id)), push(toy::call(id)), push(toy::result(id, "result " + id));
            push(toy::assistant("answer " + id));
        }
        for (auto index = first; index < last; ++index) {
            if (facts.group_of(index) == index) CHECK_FALSE(draft().drop(group{index}));
        }
        for (auto index = first; index < last; ++index) facts.release(index);
        forget();
    }
    void forget() { condense::detail::forget_released(facts, edits, undo_points); }

    std::vector<condense::undo_point> undo_points = {};
};

}  // namespace

TEST_CASE("records of released messages are forgotten, those of all others stay") {
    released_desk desk{50, 4, 180};
    CHECK(desk.facts.record_count() == 24);
    CHECK(desk.facts.size() == 200);
    CHECK(desk.edits.steps().empty());
    CHECK(toy::spelt(desk.edits.sums()) == toy::spelt(toy::recount(desk.facts, desk.edits)));
    std::string shown;
    std::size_t sent = 0;
    desk.draft().each_message([&](sequence which) {
        ++sent;
        auto const index = static_cast<std::uint32_t>(which.number);
        CHECK((index < 4 || index >= 180));
        CHECK(desk.facts.group_of(index) == (index % 4 == 2 ? index - 1 : index));
        CHECK(desk.facts.part_at(desk.facts.message_at(index).first_part).message_index == index);
    });
    CHECK(sent == 24);
    for (std::uint32_t index = 4; index < 180; ++index) {
        REQUIRE(desk.facts.message_at(index).released);
        REQUIRE(desk.facts.gone(desk.facts.group_of(index)));
        REQUIRE_FALSE(desk.draft().present(sequence{index}));
        REQUIRE_FALSE(desk.draft().present(sequence{desk.facts.part_at(index).message_index}));
        REQUIRE(desk.draft().restore(sequence{index}) == condense::refusal::gone);
    }
}

TEST_CASE("a result for a call that was forgotten is late, also where its id comes again") {
    released_desk desk{50, 4, 180};
    auto const push = [&](toy::message const& m) {
        desk.push(m);
        return static_cast<std::uint32_t>(desk.facts.size() - 1);
    };
    auto const late = push(toy::result("7", "late"));
    CHECK(desk.facts.group_at(late).unsendable);
    CHECK_FALSE(desk.draft().present(sequence{late}));
    CHECK_FALSE(desk.facts.group_at(push(toy::result("none", "orphan"))).unsendable);
    auto const again = push(toy::call("7"));
    CHECK(desk.facts.group_of(push(toy::result("7", "in time"))) == again);
    CHECK(desk.draft().present(sequence{again}));
    CHECK(desk.facts.group_of(push(toy::result("1", "of one that stays"))) != 5);
    CHECK(desk.facts.group_of(push(toy::result("0", "of one that stays"))) == 1);
}

TEST_CASE("what is forgotten in several steps is the same as at once") {
    released_desk desk{50, 4, 20};
    for (std::uint32_t end = 24; end <= 180; end += 4) {
        for (auto index = end - 4; index < end; ++index) {
            if (desk.facts.group_of(index) == index) CHECK_FALSE(desk.draft().drop(group{index}));
            desk.facts.release(index);
        }
        desk.forget();
        REQUIRE(desk.facts.record_count() <= 2 * (200 - (end - 4)));  // at most twice what is needed
    }
    released_desk const at_once{50, 4, 180};
    CHECK(desk.facts.record_count() == at_once.facts.record_count());
    CHECK(toy::spelt(desk.edits.sums()) == toy::spelt(at_once.edits.sums()));
}

TEST_CASE("the newest calls keep their records, as a result without an id may be of them") {
    released_desk desk{50, 4, 20};
    for (std::uint32_t index = 196; index < 199; ++index) {
        if (index != 198) desk.edits.drop(desk.facts, group{index});
        desk.facts.release(index);
    }
    CHECK_FALSE(desk.facts.forgettable(197));
    desk.push(toy::result("", "of the last call"));
    CHECK_FALSE(desk.facts.forgettable(197));
    desk.push(toy::call("next"));
    CHECK(desk.facts.forgettable(197));
}
