// SPDX-License-Identifier: BSL-1.0
#include <condense/core/redo.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::edit_kind;
using condense::group;
using condense::view;
using steps = std::vector<view::step>;
constexpr auto none = condense::detail::none32;

/// u a c r: a call and its result are one group.
auto const facts = toy::outline_of{
    {toy::user("uu"), toy::assistant("aaaa"), toy::call("1"), toy::result("1", "rrrrrrrr"), toy::assistant("b")}};

/// Makes the steps again one by one; the text of the n-th that has one is the n-th.
bool redone(view& edits, steps const& made, std::vector<view::replacement> texts) {
    edits.place_all(facts);
    for (auto const& step : made)
        if (!condense::detail::edit_redoer::redo(facts, edits, step,
                                                 step.text < texts.size() ? texts[step.text] : view::replacement{}))
            return false;
    return edits.texts().size() == texts.size();
}

bool redone(steps const& made, std::size_t texts = 0) {
    view edits;
    return redone(edits, made, std::vector<view::replacement>(texts));
}

condense::cost tokens(std::uint64_t count) { return condense::cost::of({count}); }

}  // namespace

TEST_CASE("redo: what a draft has written is in force again, with the same sums") {
    steps const written = {
        {.kind = edit_kind::shorten, .on_part = true, .target = 3, .text = 0, .before = tokens(8), .after = tokens(3)},
        {.kind = edit_kind::drop, .target = 1, .before = tokens(4)},
        {.kind = edit_kind::summarize, .target = 1, .text = 1, .after = tokens(2)}};
    view edits;
    REQUIRE(redone(edits, written, {{.text = "rrr"}, {.text = "so"}}));
    CHECK(edits.sums().cost == tokens(2 + 2 + 2 + 3 + 1));
    CHECK(edits.sums().messages == 5);
    CHECK(edits.summary_text(group{1}.summary()).text == "so");
    edits.take_back(facts, 0);
    CHECK(edits.sums().cost == tokens(2 + 4 + 2 + 8 + 1));
    CHECK(edits.texts().empty());
}

TEST_CASE("redo: a step that could not have been made is refused") {
    view::step const drop{.kind = edit_kind::drop, .target = 1};
    view::step const shorten{.kind = edit_kind::shorten, .on_part = true, .target = 3, .text = 0, .after = tokens(3)};
    view::step const remove{.kind = edit_kind::remove, .on_part = true, .target = 1};
    CHECK(redone({drop}));
    CHECK(redone({shorten}, 1));
    CHECK(redone({remove}));
    CHECK_FALSE(redone({drop, drop}));
    CHECK_FALSE(redone({{.kind = edit_kind::drop, .target = 5}}));
    CHECK_FALSE(redone({{.kind = edit_kind::drop, .target = none}}));
    CHECK_FALSE(redone({{.kind = edit_kind::drop, .target = 1, .previous = 1}}));
    CHECK_FALSE(redone({{.kind = edit_kind::drop, .target = group{1}.summary().index}}));
    CHECK_FALSE(redone({{.kind = edit_kind::shorten, .target = 1, .text = 0}}, 1));
    CHECK(redone({drop, {.kind = edit_kind::restore, .target = 1, .previous = 1}}));
    CHECK_FALSE(redone({drop, {.kind = edit_kind::restore, .target = 1, .previous = 2}}));
    CHECK_FALSE(redone({drop, {.kind = edit_kind::restore, .target = 2, .previous = 1}}));
    CHECK_FALSE(redone({{.kind = edit_kind::restore, .target = 1, .previous = 1}}));
    CHECK_FALSE(redone({shorten}, 0));
    CHECK_FALSE(redone({shorten}, 2));
    CHECK_FALSE(redone({shorten, shorten}, 1));
    auto second = shorten;
    second.previous = 1;
    second.text = 1;
    CHECK_FALSE(redone({shorten, second}, 2));  // not smaller
    second.after = tokens(2);
    CHECK(redone({shorten, second}, 2));
    second.previous = 0;
    CHECK_FALSE(redone({shorten, second}, 2));  // out of its place
    second.previous = 1;
    second.text = 0;
    CHECK_FALSE(redone({shorten, second}, 2));
    CHECK_FALSE(
        redone({remove, {.kind = edit_kind::shorten, .on_part = true, .target = 1, .previous = 1, .text = 0}}, 1));
    CHECK(redone({remove, {.kind = edit_kind::restore, .on_part = true, .target = 1, .previous = 1}}));
    CHECK_FALSE(redone({{.kind = edit_kind::repair, .on_part = true, .target = 3, .text = 0}}, 1));
    CHECK(redone({{.kind = edit_kind::repair, .on_part = true, .target = 2, .text = 0}}, 1));
    CHECK_FALSE(redone({{.kind = edit_kind::repair, .on_part = true, .target = 2}}));
    CHECK(redone({drop, {.kind = edit_kind::summarize, .target = 1, .text = 0}}, 1));
    CHECK_FALSE(redone({drop, {.kind = edit_kind::summarize, .target = 1}}));
    auto const summary = group{1}.summary().index;
    steps const back = {drop,
                        {.kind = edit_kind::summarize, .target = 1, .text = 0},
                        {.kind = edit_kind::drop, .target = summary, .previous = 2},
                        {.kind = edit_kind::restore, .target = summary, .previous = 3}};
    CHECK(redone(back, 1));
    for (std::uint32_t const previous : {0u, 1u, 2u, 4u, none}) {
        auto wrong = back;
        wrong.back().previous = previous;
        CHECK_FALSE(redone(wrong, 1));
    }
}
