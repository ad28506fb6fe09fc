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
        release(first, last);
    }
    void release(std::uint32_t first, std::uint32_t last) {
        for (auto index = first; index < last; ++index)
            if (facts.group_of(index) == index && edits.present(group{index})) CHECK_FALSE(draft().drop(group{index}));
        for (auto index = first; index < last; ++index) facts.release(index);
        condense::detail::released_forgetter::forget(facts, edits);
    }
};

}  // namespace

TEST_CASE("nothing of released messages is left, and all of the others") {
    released_desk desk{50, 4, 180};
    CHECK(desk.facts.record_count() == 24);
    CHECK(desk.facts.size() == 200);
    CHECK((desk.facts.has_released() && !desk.facts.has_record(4) && desk.facts.has_record(180)));
    CHECK(desk.edits.steps().empty());
    CHECK(toy::spelt(desk.edits.sums()) == toy::spelt(toy::recount(desk.facts, desk.edits)));
    std::size_t sent = 0;
    desk.draft().each_message([&](sequence which) {
        ++sent;
        auto const index = static_cast<std::uint32_t>(which.number);
        CHECK((index < 4 || index >= 180));
        CHECK(desk.facts.group_of(index) == (index % 4 == 2 ? index - 1 : index));
        CHECK(desk.facts.part_at(desk.facts.message_at(index).first_part).message_index == index);
        auto const& part = desk.facts.part_at(desk.facts.message_at(index).first_part);
        if (index % 4 == 2) CHECK(desk.facts.call_id_of(part) == std::to_string(index / 4));
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

TEST_CASE("a result whose call was released is late, also where its id comes again") {
    released_desk desk{50, 4, 180};
    auto const push = [&](toy::message const& m) {
        desk.push(m);
        return static_cast<std::uint32_t>(desk.facts.size() - 1);
    };
    auto const late = push(toy::result("7", "late"));
    CHECK(desk.facts.group_at(late).unsendable);
    CHECK_FALSE(desk.draft().present(sequence{late}));
    CHECK(desk.facts.orphans().size() == 0);
    auto const again = push(toy::call("7"));
    CHECK(desk.facts.group_of(push(toy::result("7", "in time"))) == again);
    CHECK(desk.draft().present(sequence{again}));
    CHECK(desk.facts.group_of(push(toy::result("1", "of one that is gone"))) != 5);
    // Of one that stays, but has its result: a later call with this id may have been there.
    CHECK_FALSE(desk.draft().present(sequence{push(toy::result("0", "once more"))}));
    push(toy::call("new"));
    CHECK(desk.draft().present(sequence{push(toy::result("new", "in time"))}));
}

TEST_CASE("what is released in several steps is as if it were at once") {
    released_desk desk{50, 4, 20};
    for (std::uint32_t end = 24; end <= 180; end += 4) {
        desk.release(end - 4, end);
        REQUIRE(desk.facts.record_count() <= 2 * (200 - (end - 4)));  // at most twice what is needed
    }
    released_desk const at_once{50, 4, 180};
    CHECK(desk.facts.record_count() == at_once.facts.record_count());
    CHECK(toy::spelt(desk.edits.sums()) == toy::spelt(at_once.edits.sums()));
}

TEST_CASE("what messages that come may depend on is known: the task and the latest answer") {
    toy::desk<> desk{toy::user("task"), toy::assistant("a"), toy::user("more"), toy::assistant("b"), toy::call("1")};
    auto const needed = [&] {
        std::string all;
        for (std::uint32_t index = 0; index < desk.facts.size(); ++index)
            if (desk.facts.is_needed(index)) all += std::to_string(index);
        return all;
    };
    CHECK(needed() == "04");
    desk.push(toy::result("1"));
    CHECK(needed() == "04");
    desk.push(toy::assistant("c"));
    CHECK(needed() == "06");
    CHECK(desk.facts.name_task(2));
    CHECK(needed() == "26");
}

TEST_CASE("a result without an id is of no call once the newest calls were released") {
    toy::desk<> desk{toy::user("task"), toy::call("1"), toy::result("1"),    toy::assistant("a"), toy::call(""),
                     toy::result(""),   toy::user("u"), toy::assistant("b"), toy::user("v")};
    CHECK_FALSE(desk.draft().drop(group{4}));
    desk.facts.release(4), desk.facts.release(5);
    condense::detail::released_forgetter::forget(desk.facts, desk.edits);
    desk.push(toy::result("", "late"));
    CHECK_FALSE(desk.draft().present(sequence{9}));
    CHECK(desk.facts.group_of(9) == 9);
}

namespace {

/// Four turns, of which the first three are summarised bit by bit; a part that leaves and one that stays are shortened.
struct summarized_thrice : toy::desk<> {
    summarized_thrice()
        : toy::desk<>{toy::user("first question"),     toy::assistant("first answer"), toy::user("second question"),
                      toy::assistant("second answer"), toy::user("third question"),    toy::assistant("third answer"),
                      toy::user("fourth question"),    toy::assistant("fourth answer")} {
        auto edit = draft();
        CHECK_FALSE(edit.shorten(toy::part_of(facts, 1), "first"));
        CHECK_FALSE(edit.summarize(std::vector{group{1}, group{2}}, "one"));
        CHECK_FALSE(edit.shorten(toy::part_of(facts, 5), "third"));
        CHECK_FALSE(edit.summarize(std::vector{group{1}.summary(), group{3}}, "two"));
        CHECK_FALSE(edit.summarize(std::vector{group{1}.summary(), group{4}}, "three"));
    }
};

}  // namespace

TEST_CASE("edits of what was released go, and those of summaries that others have replaced") {
    summarized_thrice on;
    CHECK(on.edits.steps().size() == 11);
    on.edits.note_sent(3);
    auto const sums = toy::spelt(on.edits.sums());
    auto const text = toy::shown(on.draft());
    on.facts.release(1), on.facts.release(2);
    condense::detail::released_forgetter::forget(on.facts, on.edits);
    CHECK(on.facts.record_count() == 8);  // more than half are there: what is gone is empty
    CHECK(on.edits.sent() == 3);
    CHECK(toy::spelt(on.edits.sums()) == sums);
    CHECK(toy::shown(on.draft()) == text);
    // Two drops, "third", the summary before the last and its drop, and the last one.
    REQUIRE(on.edits.steps().size() == 6);
    REQUIRE(on.edits.texts().size() == 3);
    CHECK(on.edits.text_at(on.edits.edit_of(5)->text).text == "third");
    CHECK((on.edits.summary_text(group{1}.summary()).text == "three" && on.edits.summary_drops().size() == 1));
    CHECK((on.edits.is_dropped(1) && on.edits.is_dropped(2) && on.edits.is_dropped(3)));
    CHECK(on.edits.edit_of(1) == nullptr);
    // The summary before can be brought back, and stands where it stood.
    on.edits.take_back(on.facts, 3);
    CHECK((on.edits.summary_drops().empty() && on.edits.summary_text(group{1}.summary()).text == "two"));
}

TEST_CASE("a record of what was released makes the same outline of the messages that are left") {
    toy::desk<> desk{toy::user("task"),   toy::call("", "read"), toy::result(""),     toy::call("dead"),
                     toy::assistant("a"), toy::result("nobody"), toy::assistant("b"), toy::call("", "read"),
                     toy::result(""),     toy::user("u"),        toy::assistant("c"), toy::call("given up"),
                     toy::user("v"),      toy::assistant("d"),   toy::call("dead"),   toy::result("dead"),
                     toy::assistant("e"), toy::user("w")};
    desk.push(toy::call("last"));
    REQUIRE(desk.facts.abandon("last") == 1);  // no turn says so
    auto const orphans = desk.facts.orphans().size();
    REQUIRE(orphans == 1);
    REQUIRE(desk.facts.dead_calls().size() == 3);
    for (std::uint32_t const gone : {5u, 7u, 14u}) REQUIRE_FALSE(desk.draft().drop(group{gone}));
    for (std::uint32_t const gone : {5u, 7u, 8u, 14u, 15u}) desk.facts.release(gone);
    condense::detail::released_forgetter::forget(desk.facts, desk.edits);
    CHECK(desk.facts.orphans().size() == orphans);  // places of later ones stay
    desk.push(toy::result("", "late"));
    desk.push(toy::result("dead", "late, too"));
    auto const size = static_cast<std::uint32_t>(desk.facts.size());

    auto const record = desk.facts.released();
    condense::outline again{desk.facts.layout(), record};
    auto const read = [&](std::uint32_t index) {
        if (desk.facts.message_at(index).released) return again.place_released();
        again.read(desk.history[index], toy::per_byte{}, {.marks = true});
        again.place();
    };
    for (auto const index : desk.facts.layout().early) again.skip_to(index), read(index);
    again.skip_to(static_cast<std::uint32_t>(desk.facts.layout().dense));
    for (auto index = static_cast<std::uint32_t>(desk.facts.layout().dense); index < size; ++index) read(index);
    REQUIRE(again.take_calls(record));
    REQUIRE(again.size() == size);
    auto const spelt = [&](condense::outline const& facts) {
        std::string all;
        for (auto const* const list : {&facts.dead_calls(), &facts.orphans(), &facts.repeats()}) {
            all += std::to_string(list->first()) + "-" + std::to_string(list->size());
            for (auto const part_id : *list) all += " " + std::to_string(facts.part_at(part_id).message_index);
            all += "; ";
        }
        facts.each_record([&](std::uint32_t index) {
            all += std::to_string(index) + " of " + std::to_string(facts.group_of(index));
            all += facts.open(facts.group_of(index)) ? " open" : "";
            for (auto const part_id : facts.message_at(index).parts()) {
                auto const& part = facts.part_at(part_id);
                all += part.of_released ? " late" : "";
                all += facts.unanswerable(part) ? " dead" : "";
                all += facts.waits(part) ? " waits" : "";
            }
            all += "\n";
        });
        return all;
    };
    CHECK(spelt(again) == spelt(desk.facts));
}
