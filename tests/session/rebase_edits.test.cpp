// SPDX-License-Identifier: BSL-1.0
#include <condense/session/rebase_edits.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::group;
using groups = std::vector<group>;

auto six() {
    return toy::desk{{toy::user("first question"), toy::assistant("first answer"), toy::user("second question"),
                      toy::assistant("second answer"), toy::user("third question"), toy::assistant("third answer")}};
}

using rest = std::vector<toy::message>;

/// What is sent when the first messages are read again and what follows is `others`.
template <class Desk>
std::string carried(Desk& old, std::uint32_t first, rest const& others) {
    toy::desk made{{}, old.limits};
    for (std::uint32_t index = 0; index < first; ++index) made.push(old.history[index]);
    for (auto const& m : others) made.push(m);
    condense::detail::edit_rebaser{old.facts, old.edits, made.facts, made.edits, first}.all();
    CHECK(toy::spelt(made.edits.sums()) == toy::spelt(toy::recount(made.facts, made.edits)));
    auto shown = toy::shown(made.draft());
    made.edits.take_back(made.facts, 0);
    CHECK(toy::spelt(made.edits.sums()) == toy::spelt(toy::recount(made.facts, made.edits)));
    return shown;
}
/// The same where what follows is as it was.
template <class Desk>
std::string carried(Desk& old, std::uint32_t first) {
    return carried(old, first, rest(old.history.begin() + static_cast<std::ptrdiff_t>(first), old.history.end()));
}

}  // namespace

TEST_CASE("drops and shortened parts before the first other message stay in force, others do not") {
    auto desk = six();
    desk.push(toy::user("and?"));  // until then the newest answer stays
    CHECK_FALSE(desk.draft().drop(group{1}));
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 3), "short"));
    CHECK_FALSE(desk.draft().drop(group{5}));
    CHECK(carried(desk, 7) == toy::shown(desk.draft()));
    CHECK(carried(desk, 5) ==
          "0: first question | 2: second question | 3: short | 4: third question | 5: third answer | 6: and? | ");
    CHECK(
        carried(desk, 3) ==
        "0: first question | 2: second question | 3: second answer | 4: third question | 5: third answer | 6: and? | ");
    CHECK(carried(desk, 1) ==
          "0: first question | 1: first answer | 2: second question | 3: second answer | 4: third question | 5: third "
          "answer | 6: and? | ");
    CHECK(carried(desk, 0, {toy::user("anew")}) == "0: anew | ");
    CHECK(carried(desk, 4, {toy::user("anew")}) == "0: first question | 2: second question | 3: short | 4: anew | ");
}

TEST_CASE("a part edited twice has its last text, and one restored its own") {
    auto desk = six();
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 1), "shorter"));
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 1), "tiny"));
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 3), "short"));
    CHECK_FALSE(desk.draft().restore(condense::sequence{3}));
    CHECK(carried(desk, 5) == toy::shown(desk.draft()));
    CHECK(carried(desk, 5).find("1: tiny | ") != std::string::npos);
}

TEST_CASE("a summary comes with all that it stands for, or not at all") {
    auto desk = six();
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}, group{2}}, "in short"));
    CHECK(carried(desk, 6) == "*0: in short | 3: second answer | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 3) == "*0: in short | 3: second answer | 4: third question | 5: third answer | ");
    for (std::uint32_t first = 0; first < 3; ++first) {
        std::string whole;
        for (std::uint32_t index = 0; index < 6; ++index)
            whole.append(std::to_string(index)).append(": ").append(desk.history[index].parts[0].text).append(" | ");
        CHECK(carried(desk, first) == whole);
    }
}

TEST_CASE("where a summary of a summary goes, the earlier one stands again") {
    auto desk = six();
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}}, "once"));
    CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{2}, group{3}}, "twice"));
    CHECK(carried(desk, 4) == "*0: twice | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 3) ==
          "*0: once | 2: second question | 3: second answer | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 2) ==
          "*0: once | 2: second question | 3: second answer | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 1).find('*') == std::string::npos);
    // Also where the later one was given up, or came back.
    CHECK_FALSE(desk.draft().drop(group{0}.summary()));
    CHECK(carried(desk, 4) == "4: third question | 5: third answer | ");
    CHECK(carried(desk, 3) ==
          "*0: once | 2: second question | 3: second answer | 4: third question | 5: third answer | ");
    desk.draft().settle_head();
    CHECK(carried(desk, 4) == toy::shown(desk.draft()));
}

TEST_CASE("no summary is redone, and none comes back, beside one that stands again") {
    auto desk = six();
    CHECK_FALSE(desk.draft().summarize(groups{group{0}}, "once"));
    SECTION("a later one") {
        CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{3}}, "changed"));
        CHECK_FALSE(desk.draft().drop(group{0}.summary()));
        CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 2), "short"));
        CHECK_FALSE(desk.draft().summarize(groups{group{1}}, "later"));
        CHECK(toy::shown(desk.draft()) == "*1: later | 2: short | 4: third question | 5: third answer | ");
        CHECK(carried(desk, 3) ==
              "*0: once | 1: first answer | 2: short | 3: second answer | 4: third question | 5: third answer | ");
    }
    SECTION("an earlier one") {
        CHECK_FALSE(desk.draft().drop(group{0}.summary()));
        CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 2), "short"));
        CHECK_FALSE(desk.draft().summarize(groups{group{1}}, "later"));
        CHECK_FALSE(desk.draft().summarize(groups{group{1}.summary(), group{3}}, "changed"));
        CHECK_FALSE(desk.draft().drop(group{1}.summary()));
        desk.edits.undrop(desk.facts, group{0}.summary(), desk.edits.summary_drops()[0]);
        CHECK(toy::shown(desk.draft()) == "*0: once | 2: short | 4: third question | 5: third answer | ");
        CHECK(carried(desk, 3) == "*1: later | 2: short | 3: second answer | 4: third question | 5: third answer | ");
    }
}

TEST_CASE("a summary of one that has left is not redone beside another") {
    toy::desk desk{{toy::user("task"), toy::marked(toy::user("so far"), "summary"), toy::assistant("a"),
                    toy::assistant("b"), toy::user("changed"), toy::assistant("c"), toy::user("z")}};
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}}, "once"));
    CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{4}}, "twice"));
    CHECK_FALSE(desk.draft().drop(group{0}.summary()));
    CHECK_FALSE(desk.draft().restore(condense::sequence{1}));
    CHECK_FALSE(desk.draft().summarize(groups{group{1}, group{3}}, "later"));
    CHECK(carried(desk, 7) == "*1: later | 2: a | 5: c | 6: z | ");
    CHECK(carried(desk, 4) == "*0: once | 2: a | 3: b | 4: changed | 5: c | 6: z | ");
    CHECK(carried(desk, 3) == "*0: once | 2: a | 3: b | 4: changed | 5: c | 6: z | ");
}

TEST_CASE("groups that a later message has joined, or left, are others") {
    toy::desk desk{{toy::user("go"), toy::call("1"), toy::user("meanwhile"), toy::assistant("yes"),
                    toy::result("1", "done"), toy::assistant("so")}};
    CHECK_FALSE(desk.draft().drop(group{1}));
    CHECK(carried(desk, 6) == "0: go | 2: meanwhile | 3: yes | 5: so | ");
    CHECK(carried(desk, 4, {toy::user("instead")}) == "0: go | 1: {} | 2: meanwhile | 3: yes | 4: instead | ");
    toy::desk waits{
        {toy::user("go"), toy::call("1"), toy::user("meanwhile"), toy::assistant("yes"), toy::user("more")}};
    CHECK_FALSE(waits.draft().drop(group{1}));
    CHECK(carried(waits, 4, {toy::user("more"), toy::result("1", "late")}) ==
          "0: go | 1: {} late | 2: meanwhile | 3: yes | 4: more | ");
}

TEST_CASE("a group that was dropped and came back is there, one dropped again is not") {
    auto desk = six();
    CHECK_FALSE(desk.draft().drop(group{1}));
    CHECK_FALSE(desk.draft().restore(condense::sequence{1}));
    CHECK_FALSE(desk.draft().drop(group{3}));
    CHECK_FALSE(desk.draft().restore(condense::sequence{3}));
    CHECK_FALSE(desk.draft().drop(group{3}));
    CHECK(carried(desk, 5) == toy::shown(desk.draft()));
}

TEST_CASE("what has become protected is not dropped, summarised or shortened any more") {
    auto desk = six();
    SECTION("the latest words of the user") {
        CHECK_FALSE(desk.draft().drop(group{1}));
        CHECK_FALSE(desk.draft().drop(group{2}));
        CHECK(carried(desk, 4, {}) == "0: first question | 2: second question | 3: second answer | ");
        CHECK(carried(desk, 4) == "0: first question | 3: second answer | 4: third question | 5: third answer | ");
    }
    SECTION("in a summary") {
        CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}, group{2}}, "in short"));
        CHECK(carried(desk, 3, {}) == "0: first question | 1: first answer | 2: second question | ");
    }
    SECTION("shortened") {
        CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 2), "short"));
        CHECK(carried(desk, 3, {}) == "0: first question | 1: first answer | 2: second question | ");
    }
    SECTION("shortened, in a group that waits for a result") {
        auto const words_and_result =
            toy::with(condense::role::user, {toy::result_part("1", "first result"), {.text = "go on"}});
        auto const two_calls = toy::with(condense::role::assistant, {toy::call_part("1"), toy::call_part("2")});
        toy::desk waits{{toy::user("go"), two_calls, words_and_result, toy::user("more")}};
        REQUIRE(waits.facts.open(waits.facts.group_of(2)));
        auto draft = waits.draft();
        draft.allow_open(true);
        CHECK_FALSE(draft.shorten(toy::part_of(waits.facts, 2), "short"));
        CHECK(carried(waits, 4) == "0: go | 1: {} {} short go on | 3: more | ");
        CHECK(carried(waits, 3, {}) == "0: go | 1: {} {} first result go on | ");
    }
    SECTION("all that is left") {
        toy::desk talk{{toy::assistant("a"), toy::assistant("b"), toy::user("c"), toy::user("d")}};
        CHECK_FALSE(talk.draft().drop(group{0}));
        CHECK_FALSE(talk.draft().drop(group{1}));
        CHECK(carried(talk, 2, {}) == "0: a | 1: b | ");
        CHECK(carried(talk, 2, {toy::assistant("e")}) == "2: e | ");
    }
    SECTION("a call that waits again") {
        toy::desk late{
            {toy::user("go"), toy::call("1"), toy::user("meanwhile"), toy::assistant("yes"), toy::user("more")}};
        CHECK_FALSE(late.draft().drop(group{1}));
        CHECK(carried(late, 2, {}) == "0: go | 1: {} | ");
        CHECK(carried(late, 4, {}) == "0: go | 2: meanwhile | 3: yes | ");
    }
}

TEST_CASE("a summary of what a summary that is gone stood for is gone, too") {
    toy::desk desk{{toy::user("a question"), toy::assistant("an answer"), toy::assistant("kept back"),
                    toy::user("changed later"), toy::assistant("more"), toy::user("z")}};
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{3}}, "once"));
    CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{2}}, "twice"));
    CHECK(carried(desk, 5) == "*0: twice | 1: an answer | 4: more | 5: z | ");
    CHECK(carried(desk, 3) == "0: a question | 1: an answer | 2: kept back | 3: changed later | 4: more | 5: z | ");
}
