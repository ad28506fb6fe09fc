// SPDX-License-Identifier: BSL-1.0
#include <condense/core/forget_edits.hpp>

#include <cstddef>
#include <vector>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::edit_kind;
using condense::group;

/// Four turns, of which the first three are summarised bit by bit; a part that leaves and one that stays are shortened.
struct summarized_thrice : toy::desk<> {
    summarized_thrice()
        : desk{{toy::user("first question"), toy::assistant("first answer"), toy::user("second question"),
                toy::assistant("second answer"), toy::user("third question"), toy::assistant("third answer"),
                toy::user("fourth question"), toy::assistant("fourth answer")}} {
        auto edit = draft();
        CHECK_FALSE(edit.shorten(toy::part_of(facts, 1), "first"));
        CHECK_FALSE(edit.summarize(std::vector{group{1}, group{2}}, "one"));
        CHECK_FALSE(edit.shorten(toy::part_of(facts, 5), "third"));
        CHECK_FALSE(edit.summarize(std::vector{group{1}.summary(), group{3}}, "two"));
        CHECK_FALSE(edit.summarize(std::vector{group{1}.summary(), group{4}}, "three"));
        facts.release(1), facts.release(2);
    }
};

}  // namespace

TEST_CASE("steps on groups that are gone, and of summaries that others replaced, are forgotten") {
    summarized_thrice desk;
    auto const count = desk.edits.steps().size();
    CHECK(count == 11);
    auto const sums = toy::spelt(desk.edits.sums());
    auto const shown = toy::shown(desk.draft());
    // The shortened answer, two drops, and the first summary with its own.
    CHECK(condense::detail::edit_forgetter::forget(desk.facts, desk.edits, count) == 5);
    CHECK(toy::spelt(desk.edits.sums()) == sums);
    CHECK(toy::shown(desk.draft()) == shown);
    REQUIRE(desk.edits.steps().size() == 6);
    REQUIRE(desk.edits.texts().size() == 3);
    CHECK(desk.edits.edit_of(5)->kind == edit_kind::shorten);
    CHECK(desk.edits.text_at(desk.edits.edit_of(5)->text).text == "third");
    CHECK(desk.edits.summary_text(group{1}.summary()).text == "three");
    CHECK(desk.edits.summary_drops().size() == 1);
    CHECK(desk.edits.is_dropped(1));
    CHECK(desk.edits.is_dropped(2));
    CHECK(desk.edits.is_dropped(3));
    CHECK(desk.edits.edit_of(1) == nullptr);
    for (std::size_t index = 0; index < 6; ++index)
        CHECK(desk.edits.in_force(index) == (index != 2 && index != 3));  // neither the summary before nor its drop

    // What is left can be taken back, to the summary that was there before.
    desk.edits.take_back(desk.facts, 3);
    CHECK(desk.edits.summary_drops().empty());
    CHECK(desk.edits.summary_text(group{1}.summary()).text == "two");
}

TEST_CASE("no step is forgotten to which an undo goes back") {
    summarized_thrice desk;
    auto const count = desk.edits.steps().size();
    CHECK(condense::detail::edit_forgetter::forget(desk.facts, desk.edits, 2) == 2);
    CHECK(desk.edits.steps().size() == count - 2);
    CHECK(desk.edits.steps()[0].target == 2);
    CHECK(condense::detail::edit_forgetter::forget(desk.facts, desk.edits, 0) == 0);
}
