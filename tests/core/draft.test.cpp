// SPDX-License-Identifier: BSL-1.0
#include <condense/core/draft.hpp>

#include <concepts>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using namespace notation;
using namespace toy;
using condense::budget, condense::cost, condense::group, condense::refusal;
using groups = std::vector<group>;

/// A conversation and its draft.
template <class Estimator = per_byte>
struct bench : desk<Estimator> {
    using desk<Estimator>::desk;
    decltype(std::declval<desk<Estimator>&>().draft()) made = desk<Estimator>::draft();

    condense::part_ref part(std::uint32_t index, std::uint32_t which = 0) const {
        return part_of(this->facts, index, which);
    }
    refusal drop(group which) { return made.drop(which); }
    refusal remove(std::uint32_t index, std::uint32_t which = 0) { return made.remove(part(index, which)); }
    refusal shorten(std::uint32_t index, std::string_view text, std::uint32_t which = 0) {
        return made.shorten(part(index, which), std::string{text});
    }
    refusal summarize(groups const& which, std::string_view text) { return made.summarize(which, std::string{text}); }
    std::string shown() { return toy::shown(made); }
    std::uint64_t tokens() { return made.used().tokens.count; }
    std::uint64_t messages() { return made.used().messages.count; }
};
template <std::same_as<message>... Messages>
bench(Messages...) -> bench<per_byte>;
template <std::same_as<budget> Limits>
bench(std::initializer_list<message>, Limits) -> bench<per_byte>;

part_view thought(std::string_view text, bool sealed = false) {
    return {.kind = part_kind::reasoning, .text = text, .sealed = sealed};
}
part_view image(std::string_view call = {}) { return {.kind = part_kind::media, .text = "pixels", .call = call}; }
constexpr part_view costly_image{
    .kind = part_kind::media, .text = "image/png", .sealed = true, .cost = cost::of({1'600})};

TEST_CASE("draft: which groups are not dropped") {
    SECTION("system messages") {
        bench on{toy::system("s"), user("u")};
        CHECK((on.drop({0}) == refusal::system && on.drop({1}) == refusal::latest_user && on.made.mark() == 0));
    }
    SECTION("pins") {
        bench on{user("u"), call("1"), pinned(result("1")), assistant("a"), user("v")};
        CHECK((on.drop({1}) == refusal::pinned && on.drop({0}) == refusal::none));
    }
    SECTION("open groups") {
        bench on{user("u"), call("1"), result("1")};
        CHECK(on.drop({1}) == refusal::open);
        on.made.allow_open(true);
        CHECK(on.drop({1}) == refusal::open);
    }
    SECTION("the latest user message, and the group that holds it") {
        bench on{user("u"), call("1"), with(role::user, {result_part("1"), {.text = "and"}}), assistant("a")};
        CHECK((on.drop({1}) == refusal::latest_user && on.drop({0}) == refusal::none));
    }
    SECTION("groups that are gone") {
        bench on{user("u"), assistant("a"), user("v")};
        CHECK(on.drop({1}) == refusal::none);
        for (auto const gone : {group{1}, group{7}, group{0}.summary()}) CHECK(on.drop(gone) == refusal::gone);
        CHECK(on.made.mark() == 1);
    }
    SECTION("the last beside system messages") {
        bench on{toy::system("s"), assistant("a"), assistant("b"), toy::system("t")};
        CHECK((on.drop({1}) == refusal::none && on.drop({2}) == refusal::last && on.made.present(group{2})));
    }
    SECTION("the only summary, where the user never spoke: a request can begin with nothing else") {
        bench on{toy::system("s"), assistant("a"), assistant("b"), assistant("c")};
        REQUIRE_FALSE(on.summarize({{1}}, "x"));
        CHECK(on.drop(group{1}.summary()) == refusal::last);
        REQUIRE_FALSE(on.drop({2}));
        REQUIRE_FALSE(on.drop({3}));
        CHECK(on.made.present(group{1}.summary()));
        bench with_user{assistant("a"), user("u"), assistant("b")};
        REQUIRE_FALSE(with_user.summarize({{0}}, "x"));
        CHECK(with_user.drop(group{0}.summary()) == refusal::none);
    }
}

TEST_CASE("draft: groups go whole, and turns are counted") {
    bench on{user("u"),   with(role::assistant, {call_part("1"), call_part("2")}),
             result("2"), result("1"),
             user("and"), assistant("a"),
             user("v")};
    auto const before = on.made.used();
    REQUIRE_FALSE(on.drop({1}));
    auto const after = on.made.used();
    CHECK((before.messages.count == 7 && after.messages.count == 4 && after.turns == before.turns));
    CHECK(before.tokens - after.tokens == condense::tokens{2 + 2 + 3 + 3});
    CHECK((!on.made.present(condense::sequence{2}) && on.made.present(condense::sequence{5})));
    REQUIRE_FALSE(on.drop({4}));
    CHECK((before.turns.count == 3 && on.made.used().turns.count == 2));
}

TEST_CASE("draft: the range of groups stays valid while groups are dropped") {
    bench on{user("u"), assistant("a"), assistant("b"), assistant("c"), user("v")};
    std::uint32_t seen = 0;
    for (auto const which : on.made.groups()) {
        ++seen;
        if (which.index == 1) CHECK_FALSE((on.drop({1}) || on.drop({2})));
    }
    CHECK((seen == 4 && on.messages() == 3));
}

TEST_CASE("draft: which parts are not removed") {
    SECTION("calls and results, but those of nowhere") {
        part_view const approval{.kind = part_kind::other, .text = "yes", .call = "1"};
        bench on{user("u"),
                 with(role::assistant, {{.text = "a"}, call_part("1")}),
                 with(role::tool, {approval}),
                 result("1"),
                 assistant("b"),
                 result("9"),
                 assistant("c")};
        CHECK((on.remove(1, 1) == refusal::pair && on.remove(2) == refusal::pair && on.remove(3) == refusal::pair));
        CHECK((on.remove(1, 0) == refusal::none && on.remove(5) == refusal::none));
    }
    SECTION("the part that joins a message to a call: it would stand alone, and could go without the other half") {
        bench on{
            user("u"),      call("1"), with(role::tool, {image("1")}), with(role::tool, {result_part("1"), image("1")}),
            assistant("b"), user("v")};
        CHECK((on.remove(2) == refusal::pair && on.remove(3, 1) == refusal::none));
    }
    SECTION("the last that a user said: a later reader would count other turns") {
        bench on{user("u"), call("1"), with(role::user, {result_part("1"), image(), image()}), assistant("b"),
                 user("v")};
        CHECK((on.remove(2, 1) == refusal::none && on.remove(2, 2) == refusal::turn));
    }
    SECTION("the text of a summary") {
        bench on{marked(user("so far"), "summary"), user("u"), assistant("b"), user("v")};
        CHECK(on.remove(0) == refusal::turn);
    }
    SECTION("parts of open groups, unless that is allowed") {
        bench on{user("u"), with(role::assistant, {{.text = "hm"}, call_part("1")})};
        CHECK(on.remove(1) == refusal::open);
        on.made.allow_open(true);
        CHECK(on.remove(1) == refusal::none);
    }
    SECTION("reasoning of open groups in every case") {
        bench on{user("u"), with(role::assistant, {thought("why"), {.text = "so"}, call_part("1")}), result("1")};
        on.made.allow_open(true);
        CHECK((on.remove(1) == refusal::open && on.remove(1, 1) == refusal::none));
    }
}

TEST_CASE("draft: sealed parts are removed whole") {
    bench on{user("u"), with(role::assistant, {thought("hm", true), {.text = "a"}}), user("v")};
    REQUIRE_FALSE(on.remove(1));
    CHECK((on.tokens() == 3 && on.messages() == 3 && on.remove(1) == refusal::gone));
}

TEST_CASE("draft: a message goes with the last of its parts, where no other needs it") {
    bench on{user("u"),
             with(role::assistant, {thought("hm"), thought("hm")}),
             with(role::assistant, {thought("hm"), call_part("1")}),
             result("1"),
             joined(with(role::assistant, {thought("hm")})),
             assistant("b"),
             user("v")};
    REQUIRE_FALSE(on.remove(1, 0));
    CHECK(on.messages() == 7);
    REQUIRE_FALSE(on.remove(1, 1));
    CHECK((on.messages() == 6 && on.remove(2, 0) == refusal::none && on.remove(4) == refusal::pair));
    CHECK((on.messages() == 6 && on.made.present(condense::sequence{4})));
}

TEST_CASE("draft: media go whole for a text, sealed or not: it says that they were there") {
    bench on{user("u"), with(role::assistant, {costly_image, thought("thought", true)}), user("v")};
    CHECK((on.shorten(1, "gone") == refusal::none && on.tokens() == 13 && on.shorten(1, "t", 1) == refusal::sealed));
}

TEST_CASE("draft: a layer cuts from the text that another has put in the place of an image, not from an image") {
    bench on{user("u"), with(role::assistant, {costly_image}), user("v")};
    auto const check_input = [&](part_view const& expected, bool expected_shortened) {
        on.made.layer_input(on.part(1), [&](part_view const& input, bool shortened) {
            CHECK((input.kind == expected.kind && input.text == expected.text && input.sealed == expected.sealed));
            CHECK((input.cost == expected.cost && shortened == expected_shortened));
        });
    };
    on.made.begin_batch(1);
    REQUIRE_FALSE(on.shorten(1, "a picture"));
    check_input(costly_image, false);
    on.made.begin_batch(2);
    check_input({.text = "a picture"}, true);
}

TEST_CASE("draft: restored groups are as they were") {
    bench on{user("u"), call("1"), result("1"), assistant("a"), user("v")};
    auto const before = on.made.used();
    REQUIRE_FALSE(on.drop({1}));
    on.made.begin_batch();
    REQUIRE_FALSE(on.made.restore({2}));
    CHECK((on.made.used() == before && on.made.present(condense::sequence{1})));
    CHECK((on.made.restored().messages == 2 && on.made.restored().cost == cost::of({5})));
    CHECK((on.made.restore({2}) == refusal::gone && on.made.restore({99}) == refusal::gone));
}

TEST_CASE("draft: restoring needs room") {
    bench on{{user("u"), assistant("0123456789"), user("v")}, budget{.window = {11}}};
    REQUIRE_FALSE(on.drop({1}));
    auto const mark = on.made.mark();
    CHECK(on.made.restore({1}) == refusal::no_room);
    CHECK((on.made.mark() == mark && !on.made.present(group{1}) && on.tokens() == 2));
}

TEST_CASE("draft: a restored message never makes a request longer than the history") {
    bench on{user("u"), assistant("answer"), user("v")};
    REQUIRE_FALSE(on.summarize({{1}}, "sum"));
    CHECK((on.made.restore({1}) == refusal::no_room && on.shown() == "0: u | *1: sum | 2: v | "));
}

TEST_CASE("draft: the head of a request") {
    SECTION("the nearest user message comes back") {
        bench on{toy::system("s"), user("u"), assistant("a"), user("v"), assistant("b"), assistant("c"), user("w")};
        for (auto const slot : {1u, 2u, 3u, 4u}) REQUIRE_FALSE(on.drop({slot}));
        on.made.settle_head();
        CHECK((on.shown() == "0: s | 3: v | 5: c | 6: w | " && on.messages() == 4));
    }
    SECTION("one that is right stays") {
        bench on{user("u"), assistant("a"), user("v"), assistant("b"), user("w")};
        REQUIRE_FALSE(on.drop({0}));
        REQUIRE_FALSE(on.drop({1}));
        on.made.settle_head();
        CHECK(on.made.mark() == 2);
    }
    SECTION("without a user message nothing comes back") {
        bench on{assistant("a"), assistant("b"), user("w")};
        REQUIRE_FALSE(on.drop({0}));
        on.made.settle_head();
        CHECK(on.made.mark() == 1);
    }
    SECTION("a summary is one") {
        bench on{user("u"), assistant("a"), assistant("b"), user("w")};
        REQUIRE_FALSE(on.summarize({{0}, {1}}, "so far"));
        on.made.settle_head();
        CHECK(on.shown() == "*0: so far | 2: b | 3: w | ");
    }
}

TEST_CASE("draft: no summary is written beside another") {
    auto const earlier = marked(user("so far"), "summary");
    SECTION("of an earlier run") {
        bench on{earlier, assistant("a"), user("u"), assistant("b"), user("v")};
        CHECK(on.summarize({{1}, {2}}, "x") == refusal::summary);
        CHECK((on.shown() == "0: so far | 1: a | 2: u | 3: b | 4: v | " && !on.summarize({{0}, {1}}, "x")));
        CHECK(on.shown() == "*0: x | 2: u | 3: b | 4: v | ");
    }
    SECTION("of this run") {
        bench on{user("t"), assistant("a"), user("u"), assistant("b"), user("v")};
        CHECK((!on.summarize({{0}, {1}}, "x") && on.summarize({{2}}, "y") == refusal::summary));
        CHECK((on.shown() == "*0: x | 2: u | 3: b | 4: v | " && !on.summarize({group{0}.summary(), {2}}, "y")));
        CHECK(on.shown() == "*0: y | 3: b | 4: v | ");
    }
    SECTION("but beside a pinned one") {
        bench on{pinned(earlier), assistant("a"), user("u"), assistant("b"), user("v")};
        CHECK((!on.summarize({{1}, {2}}, "x") && on.shown() == "0: so far | *1: x | 3: b | 4: v | "));
    }
    SECTION("nor beside one of this run where one that was pinned is replaced") {
        bench on{pinned(earlier), assistant("a"), user("u"), assistant("b"), user("v"), assistant("c")};
        REQUIRE_FALSE(on.summarize({{1}, {2}}, "x"));
        on.facts.pin(0, false);
        CHECK(on.summarize({{0}}, "y") == refusal::summary);
        CHECK(on.shown() == "0: so far | *1: x | 3: b | 4: v | 5: c | ");
        SECTION("but for it") { CHECK_FALSE(on.summarize({group{1}.summary()}, "y")); }
        SECTION("but for both") {
            CHECK((!on.summarize({{0}, group{1}.summary()}, "y") && on.shown() == "*0: y | 3: b | 4: v | 5: c | "));
        }
    }
}

TEST_CASE("draft: no summary comes back beside another") {
    bench on{toy::system("s"), user("t"), marked(user("so far"), "summary"), assistant("a"), user("u"),
             assistant("b"),   user("v")};
    REQUIRE_FALSE(on.summarize({{2}, {3}}, "x"));
    auto const mark = on.made.mark();
    CHECK((on.made.restore({2}) == refusal::summary && on.made.restore(group{2}, {}, {1'000}) == refusal::summary));
    CHECK((on.made.mark() == mark && !on.made.restore({3})));
    CHECK(on.shown() == "0: s | 1: t | *2: x | 3: a | 4: u | 5: b | 6: v | ");
    REQUIRE_FALSE(on.drop(group{2}.summary()));
    CHECK((!on.made.restore({2}) && on.shown() == "0: s | 1: t | 2: so far | 3: a | 4: u | 5: b | 6: v | "));
}

TEST_CASE("draft: no summary comes back to begin a request beside another") {
    auto const begun = [](bench<>& on, groups const& dropped, group summarized, condense::sequence back) {
        for (auto const which : dropped) REQUIRE_FALSE(on.drop(which));
        REQUIRE_FALSE(on.summarize({summarized}, "x"));
        CHECK_FALSE(on.made.restore(back));
        return on.shown();
    };
    auto const earlier = marked(user("so far"), "summary");
    SECTION("one of this run") {
        bench on{assistant("a"), assistant("b"), assistant("c"), user("u"), assistant("d"), user("v")};
        REQUIRE_FALSE(on.summarize({{0}}, "first"));
        CHECK(begun(on, {group{0}.summary(), {1}}, {2}, {1}) == "1: b | *2: x | 3: u | 4: d | 5: v | ");
    }
    SECTION("one of an earlier run, behind a user message") {
        bench on{user("t"), earlier, assistant("b"), assistant("c"), user("u"), assistant("d"), user("v")};
        CHECK(begun(on, {{0}, {1}, {2}}, {3}, {2}) == "0: t | 2: b | *3: x | 4: u | 5: d | 6: v | ");
    }
    SECTION("but one with which the history begins") {
        bench on{earlier, assistant("b"), assistant("c"), user("u"), assistant("d"), user("v")};
        CHECK(begun(on, {{0}, {1}}, {2}, {1}) == "0: so far | 1: b | *2: x | 3: u | 4: d | 5: v | ");
    }
}

TEST_CASE("draft: what may not be shortened, nor stored but in open groups") {
    bench on{toy::system("system"), user("the task"), assistant("answer"), pinned(assistant("pinned")), call("1"),
             result("1", "output"), user("latest")};
    condense::reference const stored{{1}};
    for (bool const stores : {false, true}) {
        CAPTURE(stores);
        auto const refused = [&](std::uint32_t index) {
            return stores ? on.made.externalize(on.part(index), "x", stored) : on.shorten(index, "x");
        };
        CHECK((refused(0) == refusal::system && refused(1) == refusal::task && refused(3) == refusal::pinned));
        CHECK(refused(6) == refusal::latest_user);
        CHECK((on.made.shorten({9, 0, 99}, "x") == refusal::gone && on.made.mark() == 0));
        CHECK(refused(5) == (stores ? refusal::none : refusal::open));
        if (!stores) continue;
        auto const facts = on.made.about(on.part(5));
        CHECK((facts.edited && facts.externalized && !facts.stored_earlier));
        CHECK((facts.cost == cost::of({1}) && facts.original_cost == cost::of({6})));
        CHECK(facts.original_size == condense::bytes{6});
        CHECK(on.edits.text_at(on.edits.edit_of(on.part(5).part_id)->text).stored == stored);
        CHECK(on.shorten(2, "x") == refusal::none);
        CHECK(on.shown() == "0: system | 1: the task | 2: x | 3: pinned | 4: {} x | 6: latest | ");
        REQUIRE_FALSE(on.drop({2}));
        CHECK(refused(2) == refusal::gone);
    }
}

TEST_CASE("draft: open groups are shortened only where that is allowed") {
    bench on{user("u"), call("1"), result("1", "output")};
    CHECK(on.shorten(2, "x") == refusal::open);
    on.made.allow_open(true);
    CHECK(on.shorten(2, "x") == refusal::none);
    on.made.allow_open(false);
    CHECK(on.shorten(2, "") == refusal::open);
}

TEST_CASE("draft: an edit that does not make a part smaller is refused") {
    bench on{user("u"), call("1"), result("1", "output"), assistant("a")};
    CHECK(on.shorten(2, "oUtput") == refusal::not_smaller);
    CHECK(on.shorten(2, "output and more") == refusal::not_smaller);
    CHECK(on.made.externalize(on.part(2), "output", {}) == refusal::not_smaller);
    CHECK((on.shorten(2, "outpu") == refusal::none && on.shorten(2, "OUTPU") == refusal::not_smaller));
    CHECK((on.shorten(2, "out") == refusal::none && on.tokens() == 1 + 2 + 3 + 1));
}

TEST_CASE("draft: sealed parts go whole or stay") {
    bench on{user("u"), with(role::assistant, {thought("thinking", true)}), user("v")};
    CHECK((on.shorten(1, "t") == refusal::sealed && on.made.externalize(on.part(1), "t", {}) == refusal::sealed));
    CHECK(on.made.mark() == 0);
}

TEST_CASE("draft: arguments stay JSON") {
    auto const call_with = [](std::string_view arguments) {
        return with(role::assistant, {{.kind = part_kind::tool_call, .text = arguments, .call = "1"}});
    };
    bench on{user("u"),   call_with(R"({"path": "a", "text": "long"})"),
             result("1"), call_with("not JSON"),
             result("1"), assistant("a")};
    CHECK(on.shorten(1, R"({"path": "a"...)") == refusal::not_json);
    CHECK(on.shorten(1, R"({"path": "a"})") == refusal::none);
    CHECK(on.shorten(3, "{}") == refusal::not_json);  // arguments that do not parse are left alone
    CHECK(on.shorten(2, "ou") == refusal::none);
}

TEST_CASE("draft: every text that is written is valid UTF-8") {
    bench on{user("u"), assistant("0123456789"), assistant("0123456789"), user("v")};
    REQUIRE_FALSE(on.shorten(1, "a\xFF\x62"));
    REQUIRE_FALSE(on.summarize({{2}}, "c\xE2\x82"));
    CHECK(on.shown() == "0: u | 1: a\xEF\xBF\xBD\x62 | *2: c\xEF\xBF\xBD | 3: v | ");
    CHECK(on.tokens() == 1 + 5 + 4 + 1);
}

TEST_CASE("draft: a cost of its own is replaced by that of the text") {
    auto image = costly_image;
    image.sealed = false;
    bench on{user("u"), with(role::assistant, {image}), user("v")};
    REQUIRE_FALSE(on.shorten(1, "[a picture was here]"));
    CHECK(on.tokens() == 1 + 20 + 1);
}

TEST_CASE("draft: frames of parts stay with them") {
    bench<framed> on{{user("u"), assistant("0123456789"), user("v")}};
    CHECK(on.tokens() == 3 * 13 + 12);
    REQUIRE_FALSE(on.shorten(1, "01"));
    CHECK(on.tokens() == 3 * 13 + 4);
    REQUIRE_FALSE(on.summarize({{1}}, "sum"));
    CHECK(on.tokens() == 3 * 13 + 5);
}

TEST_CASE("draft: a summary stands where the first of its groups stood") {
    bench on{user("u"), assistant("a"), call("1"), result("1"), assistant("b"), user("v")};
    REQUIRE_FALSE(on.summarize({{2}, {1}, {4}}, "they worked"));
    CHECK((on.shown() == "0: u | *1: they worked | 5: v | " && on.messages() == 3 && on.tokens() == 1 + 11 + 1));
    auto const facts = on.made.about(group{1}.summary());
    CHECK((facts.summary && facts.speaker == role::user && !facts.starts_turn));
    CHECK((on.made.used_by(role::user) == cost::of({13}) && on.made.used_by(role::assistant) == cost{}));
    CHECK(on.made.shorten({1, 0, condense::detail::none32}, "t") == refusal::gone);
}

TEST_CASE("draft: a summary of a summary replaces it") {
    bench on{user("u"), assistant("a"), assistant("b"), assistant("c"), user("v")};
    REQUIRE_FALSE(on.summarize({{1}, {2}}, "first"));
    auto const first = on.shown();
    auto const mark = on.made.mark();
    REQUIRE_FALSE(on.summarize({group{1}.summary(), {3}}, "second"));
    CHECK(on.shown() == "0: u | *1: second | 4: v | ");
    on.made.take_back(mark);
    CHECK(on.shown() == first);
    REQUIRE_FALSE(on.drop(group{1}.summary()));
    CHECK(on.shown() == "0: u | 3: c | 4: v | ");
    on.made.take_back(mark);
    CHECK(on.shown() == first);
}

TEST_CASE("draft: summaries of what may not be dropped are refused whole") {
    bench on{toy::system("s"), user("u"), assistant("a"), pinned(assistant("p")), assistant("b"), user("v")};
    auto const before = on.shown();
    CHECK((on.summarize({{2}, {3}}, "x") == refusal::pinned && on.summarize({{4}, {0}}, "x") == refusal::system));
    CHECK((on.summarize({{5}}, "x") == refusal::latest_user && on.summarize({}, "x") == refusal::gone));
    CHECK(on.summarize({group{1}.summary()}, "x") == refusal::gone);
    CHECK((on.made.summarize(on.made.groups(), "x") == refusal::system && on.made.mark() == 0));
    CHECK(on.shown() == before);
    // A group that is named twice is one.
    CHECK((!on.summarize({{2}, {2}}, "x") && on.messages() == 6 && on.tokens() == 6));
}

TEST_CASE("draft: restore takes back every edit of a group, and leaves the summary") {
    bench on{user("u"), call("1"), result("1", "output"), assistant("long answer"), user("v")};
    REQUIRE_FALSE(on.shorten(2, "o"));
    REQUIRE_FALSE(on.summarize({{1}, {3}}, "sum"));
    on.made.begin_batch();
    REQUIRE_FALSE(on.made.restore({1}));
    CHECK((on.shown() == "0: u | *1: sum | 1: {} output | 4: v | " && on.made.restored().cost == cost::of({8})));
    CHECK(on.edits.sums() == recount(on.facts, on.edits));
}

TEST_CASE("draft: a group comes back with other texts, and only these have to fit") {
    auto const long_output = std::string(20, 'x');
    bench on{{user("u"), with(role::assistant, {call_part("1"), call_part("2")}), result("1", long_output),
              result("2", long_output), assistant("answer"), user("v")},
             budget{.window = {40}}};
    auto& draft = on.made;
    auto const stored = condense::reference{{7}};
    auto const one = on.part(2);
    auto const two = on.part(3);
    // Of a group that is there: the part alone, larger than it was, smaller than the original.
    REQUIRE_FALSE(on.shorten(2, "a"));
    REQUIRE_FALSE(on.shorten(3, "b"));
    draft.begin_batch();
    REQUIRE_FALSE(draft.restore(group{1}, {{one, "abc", stored}}, {40}));
    CHECK(on.shown() == "0: u | 1: {} {} abc b | 4: answer | 5: v | ");
    CHECK(draft.about(one).stored == stored);
    CHECK((draft.restored().cost == cost::of({2}) && draft.restored().messages == 0));
    // One that has to be dropped before: its whole would not fit.
    REQUIRE_FALSE(on.drop({1}));
    draft.begin_batch();
    auto const mark = draft.mark();
    CHECK(draft.restore(group{1}, {{one, {}, {}}, {two, {}, {}}}, {100}) == refusal::no_room);
    CHECK(draft.restore(group{1}, {{one, "abcd", stored}, {two, {}, {}}}, {35}) == refusal::no_room);
    CHECK(draft.mark() == mark);
    REQUIRE_FALSE(draft.restore(group{1}, {{one, "abcd", stored}, {two, {}, {}}}, {36}));
    CHECK(on.shown() == "0: u | 1: {} {} abcd " + long_output + " | 4: answer | 5: v | ");
    CHECK((draft.restored().cost == cost::of({28}) && draft.restored().messages == 3 && on.tokens() == 36));
    CHECK(on.edits.sums() == recount(on.facts, on.edits));
    // A text that is not smaller than the original leaves the whole; nothing to do is gone.
    draft.begin_batch();
    REQUIRE_FALSE(draft.restore(group{1}, {{one, "a", {}}, {two, long_output, {}}}, {40}));
    CHECK(on.shown() == "0: u | 1: {} {} a " + long_output + " | 4: answer | 5: v | ");
    CHECK(draft.restored().counts_as({}));
    for (auto const gone : {group{0}, group{99}, group{1}.summary()})
        CHECK(draft.restore(gone, {}, {40}) == refusal::gone);
}

TEST_CASE("draft: a group that comes back has a beginning before it, which counts, too") {
    for (bool const with_texts : {false, true}) {
        bench on{user("ask"), call("1"), result("1", "output"), assistant("done"), user("v"), assistant("w")};
        for (auto const which : {0u, 1u, 3u}) REQUIRE_FALSE(on.drop({which}));
        on.made.begin_batch();
        REQUIRE_FALSE((with_texts ? on.made.restore(group{1}, {}, {100}) : on.made.restore({1})));
        CHECK(on.shown() == "0: ask | 1: {} output | 4: v | 5: w | ");
        CHECK((on.made.restored().cost == cost::of({11}) && on.made.restored().messages == 3));
    }
}

TEST_CASE("draft: take_back restores exactly") {
    bench on{user("u"), with(role::assistant, {thought("hm"), call_part("1")}), result("1", "output"),
             assistant("answer"), user("v")};
    struct state {
        std::size_t mark;
        std::string text;
        condense::usage used;
    };
    std::vector<state> states;
    auto const note = [&](refusal refused) {
        CHECK_FALSE(refused);
        states.push_back({on.made.mark(), on.shown(), on.made.used()});
    };
    note(refusal::none);
    note(on.shorten(2, "out"));
    note(on.made.externalize(on.part(2), "o", {{7}}));
    note(on.remove(1));
    note(on.drop({1}));
    note(on.summarize({{3}}, "sum"));
    note(on.made.restore({2}));
    note(on.drop({1}));
    note(on.summarize({group{3}.summary()}, "s"));
    note(on.drop(group{3}.summary()));
    for (; !states.empty(); states.pop_back()) {
        auto const& last = states.back();
        on.made.take_back(last.mark);
        CHECK((on.made.mark() == last.mark && on.shown() == last.text && on.made.used() == last.used));
        CHECK(on.edits.sums() == recount(on.facts, on.edits));
    }
    CHECK(on.edits.steps().empty());
}

/// Texts, and images where they are empty. Texts beside each other become one.
struct album {
    role speaker = role::assistant;
    std::vector<std::string> pages = {};

    struct condense_traits {
        static role role_of(album const& m) { return m.speaker; }
        static void each_part(album const& m, auto&& sink) {
            condense::part_view const image{.kind = part_kind::media, .cost = condense::cost::of({100})};
            for (auto const& page : m.pages) sink(page.empty() ? image : condense::part_view{.text = page});
        }
        static void with_part(album& m, std::size_t index, std::string text) {
            m.pages[index] = std::move(text);
            join(m);
        }
        static void without_part(album& m, std::size_t index) {
            m.pages.erase(m.pages.begin() + static_cast<std::ptrdiff_t>(index));
            join(m);
        }
        static void with_edits(album& m, std::vector<condense::part_edit> const& edits) {
            for (auto const& edit : edits) m.pages[edit.index] = edit.text;
            join(m);
        }

    private:
        static void join(album& m) {
            for (std::size_t page = 1; page < m.pages.size();) {
                if (m.pages[page].empty() || m.pages[page - 1].empty()) {
                    ++page;
                    continue;
                }
                m.pages[page - 1] += m.pages[page];
                m.pages.erase(m.pages.begin() + static_cast<std::ptrdiff_t>(page));
            }
        }
    };
};

TEST_CASE("draft: answers are written for calls that will have none, once") {
    conversation history{U("u"), C("dead"), U("v"), C("cancelled"), C("pending"), C("answered"), R("answered", "out"),
                         U("w"), C("open")};
    history[3].parts[0].status = part_status::cancelled;
    history[4].parts[0].status = part_status::pending;
    desk_of on{history};
    auto draft = on.draft();
    auto const answered = [&](std::uint32_t index) { return draft.repair(part_of(on.facts, index), "none"); };
    for (auto const index : {0u, 6u}) CHECK(answered(index) == refusal::pair);
    for (auto const index : {4u, 5u, 8u}) CHECK(answered(index) == refusal::open);
    CHECK(draft.mark() == 0);
    CHECK((answered(1) == refusal::none && answered(3) == refusal::none && answered(1) == refusal::gone));
    CHECK(draft.mark() == 2);
    CHECK(on.edits.sums().messages == on.history.size() + 2);
}

TEST_CASE("draft: of many parts of a user the last stays, too") {
    auto many = R("1", "out");
    many.role = role::user;
    many.parts.resize(20, {.kind = part_kind::media, .text = "pixels"});
    desk_of on{conversation{U("task"), C("1"), many, A("a"), U("v")}};
    auto draft = on.draft();
    for (std::uint32_t const part : {19u, 1u, 7u}) CHECK(draft.remove(part_of(on.facts, 2, part)) == refusal::none);
    for (std::uint32_t part = 2; part < 19; ++part)
        CHECK(draft.remove(part_of(on.facts, 2, part)) == (part == 18  ? refusal::turn
                                                           : part == 7 ? refusal::gone
                                                                       : refusal::none));
    CHECK(toy::shown(draft) == "0: task | 1: {} out pixels | 3: a | 4: v | ");
}

TEST_CASE("draft: a text may stand for one of many images where texts for all would be one part") {
    std::vector<std::string> const images(20);
    auto captioned = images;
    captioned[5] = "caption";
    desk_of on{std::vector<album>{
        {role::user, {"task"}}, {role::assistant, images}, {role::assistant, captioned}, {role::user, {"v"}}}};
    auto draft = on.draft();
    auto const refused = [&](std::uint32_t message, std::uint32_t part) {
        return draft.shorten(part_of(on.facts, message, part), "gone");
    };
    CHECK((refused(1, 0) == refusal::none && refused(1, 19) == refusal::none));
    CHECK((refused(2, 4) == refusal::sealed && refused(2, 6) == refusal::sealed && refused(2, 7) == refusal::none));
}

}  // namespace
