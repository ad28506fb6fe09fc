// SPDX-License-Identifier: BSL-1.0
#include <condense/core/saved_edits.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using namespace toy;
using condense::edit_kind, condense::group, condense::saved_edit, condense::view;
using condense::detail::saved_edits;

/// u a c r a: a call and its result are one group.
struct five : desk<> {
    five() : desk{user("uu"), assistant("aaaa"), call("1"), result("1", "rrrrrrrr"), assistant("b")} {}
};

saved_edit on_group(edit_kind kind, std::uint64_t message) {
    return {.kind = kind, .message = message, .writes = kind == edit_kind::summarize};
}
saved_edit on_part(edit_kind kind, std::uint64_t message, std::uint32_t part = 1) {
    bool const writes = kind == edit_kind::shorten || kind == edit_kind::externalize || kind == edit_kind::repair;
    return {.kind = kind, .message = message, .part = part, .writes = writes};
}
saved_edit on_summary(edit_kind kind, std::uint64_t message, std::uint64_t undoes = 0) {
    return {.kind = kind, .message = message, .of_summary = true, .undoes = undoes};
}

/// Repeats the edits on a new view, each of whose texts costs a token less than the one before; false where one is
/// refused.
bool redone(view& edits, std::vector<saved_edit> const& all) {
    five const on;
    edits.place_all(on.facts);
    std::uint64_t cost = 4;
    for (auto const& edit : all)
        if (!saved_edits::redo(on.facts, edits, edit, condense::cost::of({--cost}), edit.undoes)) return false;
    return true;
}
bool redone(std::vector<saved_edit> const& all) {
    view edits;
    return redone(edits, all);
}

}  // namespace

TEST_CASE("saved_edits: what a draft has written is in force again, with the same sums, and is saved again") {
    five on;
    auto draft = on.draft();
    REQUIRE_FALSE(draft.shorten(part_of(on.facts, 3), "rrr"));
    REQUIRE_FALSE(draft.externalize(part_of(on.facts, 3), "r", *condense::reference::of("00112233445566778899aabb")));
    REQUIRE_FALSE(draft.drop({2}));
    REQUIRE_FALSE(draft.restore({2}, {}, {1'000}));
    REQUIRE_FALSE(draft.summarize(std::vector{group{1}}, "so"));
    auto const all = saved_edits::of(on.facts, on.edits);
    REQUIRE(all.size() == on.edits.steps().size());
    CHECK((all[1].message == 3 && all[1].part == 1 && all[1].text == "r" && all[1].stored));
    view edits;
    edits.place_all(on.facts);
    for (std::size_t index = 0; index < all.size(); ++index)
        REQUIRE(saved_edits::redo(on.facts, edits, all[index], on.edits.steps()[index].after, all[index].undoes));
    CHECK(edits.sums() == on.edits.sums());
    CHECK(saved_edits::of(on.facts, edits) == all);
    edits.take_back(on.facts, 0);
    on.edits.take_back(on.facts, 0);
    CHECK((edits.sums() == on.edits.sums() && edits.texts().empty()));
}

TEST_CASE("saved_edits: an edit that could not have been made is refused") {
    auto const drop = on_group(edit_kind::drop, 1);
    auto const sum_up = on_group(edit_kind::summarize, 1);
    auto const remove = on_part(edit_kind::remove, 1);
    auto const shorten = on_part(edit_kind::shorten, 3);
    auto const answer = on_part(edit_kind::repair, 2);
    auto withdraw = answer;
    withdraw.writes = false;
    auto const drop_summary = on_summary(edit_kind::drop, 1);
    auto const written = [](saved_edit edit, bool writes) {
        edit.writes = writes;
        return edit;
    };
    for (auto const& good :
         std::vector<std::vector<saved_edit>>{{drop},
                                              {shorten},
                                              {shorten, shorten},
                                              {remove},
                                              {remove, on_part(edit_kind::restore, 1)},
                                              {drop, on_group(edit_kind::restore, 1)},
                                              {answer},
                                              {answer, withdraw},
                                              {drop, sum_up},
                                              {drop, sum_up, drop_summary},
                                              {drop, sum_up, drop_summary, on_summary(edit_kind::restore, 1, 3)}}) {
        CAPTURE(good.size());
        CHECK(redone(good));
    }
    for (auto const& bad : std::vector<std::vector<saved_edit>>{
             {drop, drop},
             {on_group(edit_kind::drop, 5)},
             {on_group(edit_kind::drop, std::uint64_t{1} << 32 | 1)},
             {drop_summary},
             {written(on_group(edit_kind::shorten, 1), true)},
             {on_group(edit_kind::restore, 1)},
             {on_part(edit_kind::drop, 1)},
             {written(on_part(edit_kind::summarize, 1), true)},
             {written(shorten, false)},
             {written(drop, true)},
             {on_part(edit_kind::shorten, 3, 2)},
             {on_part(edit_kind::shorten, 4)},  // no smaller
             {remove, remove},
             {remove, on_part(edit_kind::shorten, 1)},
             {on_part(edit_kind::restore, 1)},
             {on_part(edit_kind::repair, 3)},
             {withdraw},
             {answer, answer},
             {drop, written(sum_up, false)},
             {drop, sum_up, sum_up},
             {drop, sum_up, drop_summary, drop_summary},
             {drop, sum_up, drop_summary, on_summary(edit_kind::restore, 1, 0)},
             {drop, sum_up, drop_summary, on_summary(edit_kind::restore, 1, 1)},
             {drop, sum_up, drop_summary, on_summary(edit_kind::restore, 1, 4)},
             {drop, sum_up, drop_summary, on_summary(edit_kind::restore, 2, 3)},
             {drop, sum_up, drop_summary, sum_up, on_summary(edit_kind::restore, 1, 3)}}) {
        CAPTURE(bad.size(), bad.front().message, bad.front().kind, bad.back().kind);
        CHECK_FALSE(redone(bad));
    }
}
