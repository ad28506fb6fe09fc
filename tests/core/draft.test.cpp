// SPDX-License-Identifier: BSL-1.0
#include <condense/core/draft.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::budget;
using condense::group;
using condense::refusal;
using condense::role;
using toy::assistant;
using toy::call;
using toy::call_part;
using toy::desk;
using toy::part_of;
using toy::pinned;
using toy::result;
using toy::result_part;
using toy::shown;
using toy::user;
using toy::with;

// Every refusal of a drop

constexpr bool system_messages_are_not_dropped() {
    desk on{toy::system("s"), user("u")};
    auto draft = on.draft();
    return draft.drop({0}) == refusal::system && draft.drop({1}) == refusal::latest_user && draft.mark() == 0;
}
static_assert(toy::run_time_only || system_messages_are_not_dropped());

constexpr bool pins_are_not_dropped() {
    desk on{user("u"), call("1"), pinned(result("1")), assistant("a"), user("v")};
    auto draft = on.draft();
    return draft.drop({1}) == refusal::pinned && draft.drop({0}) == refusal::none;
}
static_assert(toy::run_time_only || pins_are_not_dropped());

constexpr bool open_groups_are_not_dropped() {
    desk on{user("u"), call("1"), result("1")};
    auto draft = on.draft();
    if (draft.drop({1}) != refusal::open) return false;
    draft.allow_open(true);
    return draft.drop({1}) == refusal::open;
}
static_assert(toy::run_time_only || open_groups_are_not_dropped());

constexpr bool the_latest_user_message_is_not_dropped_nor_what_holds_it() {
    desk on{user("u"), call("1"), with(role::user, {result_part("1"), {.text = "and"}}), assistant("a")};
    auto draft = on.draft();
    return draft.drop({1}) == refusal::latest_user && draft.drop({0}) == refusal::none;
}
static_assert(toy::run_time_only || the_latest_user_message_is_not_dropped_nor_what_holds_it());

constexpr bool what_is_gone_is_not_dropped_again() {
    desk on{user("u"), assistant("a"), user("v")};
    auto draft = on.draft();
    return draft.drop({1}) == refusal::none && draft.drop({1}) == refusal::gone && draft.drop({7}) == refusal::gone &&
           draft.drop(group{0}.summary()) == refusal::gone && draft.mark() == 1;
}
static_assert(toy::run_time_only || what_is_gone_is_not_dropped_again());

constexpr bool the_last_group_beside_system_messages_is_not_dropped() {
    desk on{toy::system("s"), assistant("a"), assistant("b"), toy::system("t")};
    auto draft = on.draft();
    return draft.drop({1}) == refusal::none && draft.drop({2}) == refusal::last && draft.present(group{2});
}
static_assert(toy::run_time_only || the_last_group_beside_system_messages_is_not_dropped());

// What a drop takes

constexpr bool groups_go_whole() {
    desk on{user("u"),      with(role::assistant, {call_part("1"), call_part("2")}),
            result("2"),    result("1"),
            assistant("a"), user("v")};
    auto draft = on.draft();
    auto const before = draft.used();
    if (draft.drop({1})) return false;
    auto const after = draft.used();
    return before.messages.count == 6 && after.messages.count == 3 && after.turns == before.turns &&
           before.tokens - after.tokens == condense::tokens{2 + 2 + 3 + 3} && !draft.present(condense::sequence{2}) &&
           draft.present(condense::sequence{4});
}
static_assert(toy::run_time_only || groups_go_whole());

/// Where the user never spoke, a request can begin with nothing else.
constexpr bool the_only_summary_stays() {
    desk on{toy::system("s"), assistant("a"), assistant("b"), assistant("c")};
    auto draft = on.draft();
    if (draft.summarize(std::vector<group>{{1}}, "x")) return false;
    if (draft.drop(group{1}.summary()) != refusal::last || draft.drop({2}) || draft.drop({3})) return false;
    desk with_user{assistant("a"), user("u"), assistant("b")};
    auto other = with_user.draft();
    return draft.present(group{1}.summary()) && other.summarize(std::vector<group>{{0}}, "x") == refusal::none &&
           other.drop(group{0}.summary()) == refusal::none;
}
static_assert(toy::run_time_only || the_only_summary_stays());

constexpr bool turns_are_counted() {
    desk on{user("u"), assistant("a"), user("v"), assistant("b"), user("w")};
    auto draft = on.draft();
    return draft.used().turns.count == 3 && !draft.drop({0}) && draft.used().turns.count == 2;
}
static_assert(toy::run_time_only || turns_are_counted());

constexpr bool the_range_of_groups_stays_valid() {
    desk on{user("u"), assistant("a"), assistant("b"), assistant("c"), user("v")};
    auto draft = on.draft();
    std::uint32_t seen = 0;
    for (auto const which : draft.groups()) {
        ++seen;
        if (which.index == 1 && (draft.drop({1}) || draft.drop({2}))) return false;
    }
    return seen == 4 && draft.used().messages.count == 3;
}
static_assert(toy::run_time_only || the_range_of_groups_stays_valid());

// Removing parts

constexpr bool calls_and_results_are_not_removed() {
    condense::part_view const approval{.kind = part_kind::other, .text = "yes", .call = "1"};
    desk on{user("u"), with(role::assistant, {{.text = "a"}, call_part("1")}), with(role::tool, {approval}),
            result("1"), assistant("b")};
    auto draft = on.draft();
    return draft.remove(part_of(on.facts, 1, 1)) == refusal::pair &&
           draft.remove(part_of(on.facts, 2)) == refusal::pair && draft.remove(part_of(on.facts, 3)) == refusal::pair &&
           draft.remove(part_of(on.facts, 1, 0)) == refusal::none;
}
static_assert(toy::run_time_only || calls_and_results_are_not_removed());

constexpr bool orphaned_results_are_removed() {
    desk on{user("u"), result("9"), assistant("b")};
    return on.draft().remove(part_of(on.facts, 1)) == refusal::none;
}
static_assert(toy::run_time_only || orphaned_results_are_removed());

/// Else the message would stand alone, and could go without the other half of the pair.
constexpr bool what_joins_a_message_to_a_call_stays() {
    condense::part_view const image{.kind = condense::part_kind::media, .text = "pixels", .call = "1"};
    desk on{user("u"),      toy::call("1"), with(role::tool, {image}), with(role::tool, {toy::result_part("1"), image}),
            assistant("b"), user("v")};
    auto draft = on.draft();
    return draft.remove(part_of(on.facts, 2)) == refusal::pair &&
           draft.remove(part_of(on.facts, 3, 1)) == refusal::none;
}
static_assert(toy::run_time_only || what_joins_a_message_to_a_call_stays());

/// Else a later reader would count other turns.
constexpr bool the_last_that_a_user_said_stays() {
    condense::part_view const image{.kind = condense::part_kind::media, .text = "pixels"};
    desk on{user("u"), toy::call("1"), with(role::user, {toy::result_part("1"), image, image}), assistant("b"),
            user("v")};
    auto draft = on.draft();
    return draft.remove(part_of(on.facts, 2, 1)) == refusal::none &&
           draft.remove(part_of(on.facts, 2, 2)) == refusal::turn;
}
static_assert(toy::run_time_only || the_last_that_a_user_said_stays());

constexpr bool summaries_keep_their_text() {
    desk on{toy::marked(user("so far"), "summary"), user("u"), assistant("b"), user("v")};
    return on.draft().remove(part_of(on.facts, 0)) == refusal::turn;
}
static_assert(toy::run_time_only || summaries_keep_their_text());

constexpr bool sealed_parts_are_removed_whole() {
    desk on{user("u"),
            with(role::assistant, {{.kind = part_kind::reasoning, .text = "hm", .sealed = true}, {.text = "a"}}),
            user("v")};
    auto draft = on.draft();
    auto const part = part_of(on.facts, 1);
    if (draft.remove(part)) return false;
    auto const left = draft.used();
    return left.tokens.count == 3 && left.messages.count == 3 && draft.remove(part) == refusal::gone;
}
static_assert(toy::run_time_only || sealed_parts_are_removed_whole());

constexpr bool open_groups_keep_their_parts() {
    desk on{user("u"), with(role::assistant, {{.text = "hm"}, call_part("1")})};
    auto draft = on.draft();
    auto const part = part_of(on.facts, 1);
    if (draft.remove(part) != refusal::open) return false;
    draft.allow_open(true);
    return draft.remove(part) == refusal::none;
}
static_assert(toy::run_time_only || open_groups_keep_their_parts());

constexpr bool open_groups_keep_their_reasoning_in_every_case() {
    desk on{user("u"),
            with(role::assistant, {{.kind = part_kind::reasoning, .text = "why"}, {.text = "so"}, call_part("1")}),
            result("1")};
    auto draft = on.draft();
    draft.allow_open(true);
    return draft.remove(part_of(on.facts, 1)) == refusal::open &&
           draft.remove(part_of(on.facts, 1, 1)) == refusal::none;
}
static_assert(toy::run_time_only || open_groups_keep_their_reasoning_in_every_case());

/// A message goes with the last of its parts, where no other needs it.
constexpr bool an_emptied_message_is_dropped() {
    condense::part_view const thought{.kind = part_kind::reasoning, .text = "hm"};
    desk on{user("u"),
            with(role::assistant, {thought, thought}),
            with(role::assistant, {thought, call_part("1")}),
            with(role::tool, {toy::result_part("1")}),
            toy::joined(with(role::assistant, {thought})),
            assistant("b"),
            user("v")};
    auto draft = on.draft();
    if (draft.remove(part_of(on.facts, 1, 0)) || draft.used().messages.count != 7) return false;
    if (draft.remove(part_of(on.facts, 1, 1)) || draft.used().messages.count != 6) return false;
    return draft.remove(part_of(on.facts, 2, 0)) == refusal::none &&
           draft.remove(part_of(on.facts, 4)) == refusal::pair && draft.used().messages.count == 6 &&
           draft.present(condense::sequence{4});
}
static_assert(toy::run_time_only || an_emptied_message_is_dropped());

/// Signed or not, a text says that they were there.
constexpr bool media_go_whole_for_a_text() {
    condense::part_view const image{
        .kind = part_kind::media, .text = "image/png", .sealed = true, .cost = condense::cost::of({1'600})};
    desk on{user("u"),
            with(role::assistant, {image, {.kind = part_kind::reasoning, .text = "thought", .sealed = true}}),
            user("v")};
    auto draft = on.draft();
    return draft.shorten(part_of(on.facts, 1, 0), "gone") == refusal::none && draft.used().tokens.count == 13 &&
           draft.shorten(part_of(on.facts, 1, 1), "t") == refusal::sealed;
}
static_assert(toy::run_time_only || media_go_whole_for_a_text());

/// A layer cuts from the text that another one has put in the place of an image, not from an image.
constexpr bool a_layer_reads_the_text_that_another_put_for_media() {
    condense::part_view const image{
        .kind = part_kind::media, .text = "image/png", .sealed = true, .cost = condense::cost::of({1'600})};
    desk on{user("u"), with(role::assistant, {image}), user("v")};
    auto draft = on.draft();
    auto const part = part_of(on.facts, 1);
    auto const reads = [&](condense::part_view const& expected, bool expected_shortened) {
        bool same = false;
        draft.layer_input(part, [&](condense::part_view const& input, bool shortened) {
            same = input.kind == expected.kind && input.text == expected.text && input.sealed == expected.sealed &&
                   input.cost == expected.cost && shortened == expected_shortened;
        });
        return same;
    };
    draft.begin_batch(1);
    if (draft.shorten(part, "a picture") || !reads(image, false)) return false;
    draft.begin_batch(2);
    return reads({.text = "a picture"}, true);
}
static_assert(toy::run_time_only || a_layer_reads_the_text_that_another_put_for_media());

// Restoring

constexpr bool restored_groups_are_as_they_were() {
    desk on{user("u"), call("1"), result("1"), assistant("a"), user("v")};
    auto draft = on.draft();
    auto const before = draft.used();
    if (draft.drop({1})) return false;
    draft.begin_batch();
    if (draft.restore({2})) return false;
    return draft.used() == before && draft.present(condense::sequence{1}) && draft.restored().messages == 2 &&
           draft.restored().cost == condense::cost::of({5}) && draft.restore({2}) == refusal::gone &&
           draft.restore({99}) == refusal::gone;
}
static_assert(toy::run_time_only || restored_groups_are_as_they_were());

constexpr bool restoring_needs_room() {
    desk on{{user("u"), assistant("0123456789"), user("v")}, budget{.window = {11}}};
    auto draft = on.draft();
    if (draft.drop({1})) return false;
    auto const mark = draft.mark();
    return draft.restore({1}) == refusal::no_room && draft.mark() == mark && !draft.present(group{1}) &&
           draft.used().tokens.count == 2;
}
static_assert(toy::run_time_only || restoring_needs_room());

// The head of a request

constexpr bool the_nearest_user_message_comes_back() {
    desk on{toy::system("s"), user("u"), assistant("a"), user("v"), assistant("b"), assistant("c"), user("w")};
    auto draft = on.draft();
    for (auto const slot : {1u, 2u, 3u, 4u})
        if (draft.drop({slot})) return false;
    draft.settle_head();
    return draft.present(group{3}) && !draft.present(group{4}) && !draft.present(group{1}) &&
           draft.used().messages.count == 4;
}
static_assert(toy::run_time_only || the_nearest_user_message_comes_back());

constexpr bool a_head_that_is_right_stays() {
    desk on{user("u"), assistant("a"), user("v"), assistant("b"), user("w")};
    auto draft = on.draft();
    if (draft.drop({0}) || draft.drop({1})) return false;
    auto const mark = draft.mark();
    draft.settle_head();
    return draft.mark() == mark;
}
static_assert(toy::run_time_only || a_head_that_is_right_stays());

constexpr bool without_a_user_message_nothing_comes_back() {
    desk on{assistant("a"), assistant("b"), user("w")};
    auto draft = on.draft();
    if (draft.drop({0})) return false;
    draft.settle_head();
    return draft.mark() == 1;
}
static_assert(toy::run_time_only || without_a_user_message_nothing_comes_back());

// Messages of many parts

/// A conversation of any messages with its outline and its view.
template <class Message>
struct reading {
    std::vector<Message> history;
    per_byte count = {};
    condense::outline facts = {};
    condense::view edits = {};

    explicit reading(std::vector<Message> conversation) : history{std::move(conversation)} {
        for (auto const& m : history) {
            edits.reserve_message(facts.read(m, count));
            edits.on_message_placed(facts, facts.place());
        }
    }
    reading(reading const&) = delete;
    reading& operator=(reading const&) = delete;

    auto draft() { return condense::draft{history, facts, edits, count, budget{.window = {10'000}}}; }
};

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

}  // namespace

TEST_CASE("draft: drops") {
    CHECK(system_messages_are_not_dropped());
    CHECK(pins_are_not_dropped());
    CHECK(open_groups_are_not_dropped());
    CHECK(the_latest_user_message_is_not_dropped_nor_what_holds_it());
    CHECK(what_is_gone_is_not_dropped_again());
    CHECK(the_last_group_beside_system_messages_is_not_dropped());
    CHECK(groups_go_whole());
    CHECK(the_only_summary_stays());
    CHECK(turns_are_counted());
    CHECK(the_range_of_groups_stays_valid());
}

TEST_CASE("draft: removed parts") {
    CHECK(calls_and_results_are_not_removed());
    CHECK(orphaned_results_are_removed());
    CHECK(what_joins_a_message_to_a_call_stays());
    CHECK(the_last_that_a_user_said_stays());
    CHECK(summaries_keep_their_text());
    CHECK(sealed_parts_are_removed_whole());
    CHECK(an_emptied_message_is_dropped());
    CHECK(media_go_whole_for_a_text());
    CHECK(a_layer_reads_the_text_that_another_put_for_media());
    CHECK(open_groups_keep_their_parts());
    CHECK(open_groups_keep_their_reasoning_in_every_case());
}

TEST_CASE("draft: restored groups") {
    CHECK(restored_groups_are_as_they_were());
    CHECK(restoring_needs_room());
}

TEST_CASE("draft: the head of a request") {
    CHECK(the_nearest_user_message_comes_back());
    CHECK(a_head_that_is_right_stays());
    CHECK(without_a_user_message_nothing_comes_back());
}

TEST_CASE("draft: a summary is a head") {
    desk on{user("u"), assistant("a"), assistant("b"), user("w")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{0}, {1}}, "so far"));
    draft.settle_head();
    CHECK(shown(draft) == "*0: so far | 2: b | 3: w | ");
}

TEST_CASE("draft: no summary is written beside another") {
    using groups = std::vector<group>;
    auto const earlier = toy::marked(user("so far"), "summary");
    SECTION("of an earlier run") {
        desk on{earlier, assistant("a"), user("u"), assistant("b"), user("v")};
        auto draft = on.draft();
        CHECK(draft.summarize(groups{{1}, {2}}, "x") == refusal::summary);
        CHECK(shown(draft) == "0: so far | 1: a | 2: u | 3: b | 4: v | ");
        CHECK_FALSE(draft.summarize(groups{{0}, {1}}, "x"));
        CHECK(shown(draft) == "*0: x | 2: u | 3: b | 4: v | ");
    }
    SECTION("of this run") {
        desk on{user("t"), assistant("a"), user("u"), assistant("b"), user("v")};
        auto draft = on.draft();
        CHECK_FALSE(draft.summarize(groups{{0}, {1}}, "x"));
        CHECK(draft.summarize(groups{{2}}, "y") == refusal::summary);
        CHECK(shown(draft) == "*0: x | 2: u | 3: b | 4: v | ");
        CHECK_FALSE(draft.summarize(groups{group{0}.summary(), {2}}, "y"));
        CHECK(shown(draft) == "*0: y | 3: b | 4: v | ");
    }
    SECTION("but beside a pinned one") {
        desk on{pinned(earlier), assistant("a"), user("u"), assistant("b"), user("v")};
        auto draft = on.draft();
        CHECK_FALSE(draft.summarize(groups{{1}, {2}}, "x"));
        CHECK(shown(draft) == "0: so far | *1: x | 3: b | 4: v | ");
    }
    SECTION("nor beside one of this run where one that was pinned is replaced") {
        desk on{pinned(earlier), assistant("a"), user("u"), assistant("b"), user("v"), assistant("c")};
        auto draft = on.draft();
        REQUIRE_FALSE(draft.summarize(groups{{1}, {2}}, "x"));
        on.facts.pin(0, false);
        CHECK(draft.summarize(groups{{0}}, "y") == refusal::summary);
        CHECK(draft.summarize(groups{{0}, {3}}, "y", group{0}) == refusal::summary);
        CHECK(shown(draft) == "0: so far | *1: x | 3: b | 4: v | 5: c | ");
        SECTION("but for it") { CHECK_FALSE(draft.summarize(groups{group{1}.summary()}, "y")); }
        SECTION("but for both") {
            CHECK_FALSE(draft.summarize(groups{{0}, group{1}.summary()}, "y"));
            CHECK(shown(draft) == "*0: y | 3: b | 4: v | 5: c | ");
        }
    }
}

TEST_CASE("draft: no summary comes back beside another") {
    desk on{toy::system("s"), user("t"), toy::marked(user("so far"), "summary"), assistant("a"), user("u"),
            assistant("b"),   user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{2}, {3}}, "x"));
    auto const mark = draft.mark();
    CHECK(draft.restore({2}) == refusal::summary);
    CHECK(draft.restore(group{2}, {}, {1'000}) == refusal::summary);
    CHECK(draft.mark() == mark);
    CHECK_FALSE(draft.restore({3}));
    CHECK(shown(draft) == "0: s | 1: t | *2: x | 3: a | 4: u | 5: b | 6: v | ");
    REQUIRE_FALSE(draft.drop(group{2}.summary()));
    CHECK_FALSE(draft.restore({2}));
    CHECK(shown(draft) == "0: s | 1: t | 2: so far | 3: a | 4: u | 5: b | 6: v | ");
}

TEST_CASE("draft: no summary comes back to begin a request beside another") {
    auto const begun = [](desk<>& on, std::vector<group> const& dropped, group summarized, condense::sequence back) {
        auto draft = on.draft();
        for (auto const which : dropped) REQUIRE_FALSE(draft.drop(which));
        REQUIRE_FALSE(draft.summarize(std::vector<group>{summarized}, "x"));
        CHECK_FALSE(draft.restore(back));
        return shown(draft);
    };
    SECTION("one of this run") {
        desk on{assistant("a"), assistant("b"), assistant("c"), user("u"), assistant("d"), user("v")};
        REQUIRE_FALSE(on.draft().summarize(std::vector<group>{{0}}, "first"));
        CHECK(begun(on, {group{0}.summary(), {1}}, {2}, {1}) == "1: b | *2: x | 3: u | 4: d | 5: v | ");
    }
    SECTION("one of an earlier run, behind a user message") {
        desk on{user("t"),      toy::marked(user("so far"), "summary"),
                assistant("b"), assistant("c"),
                user("u"),      assistant("d"),
                user("v")};
        CHECK(begun(on, {{0}, {1}, {2}}, {3}, {2}) == "0: t | 2: b | *3: x | 4: u | 5: d | 6: v | ");
    }
    SECTION("but one with which the history begins") {
        desk on{toy::marked(user("so far"), "summary"),
                assistant("b"),
                assistant("c"),
                user("u"),
                assistant("d"),
                user("v")};
        CHECK(begun(on, {{0}, {1}}, {2}, {1}) == "0: so far | 1: b | *2: x | 3: u | 4: d | 5: v | ");
    }
}

TEST_CASE("draft: what may not be shortened") {
    desk on{toy::system("system"), user("the task"), assistant("answer"), pinned(assistant("pinned")), call("1"),
            result("1", "output"), user("latest")};
    auto draft = on.draft();
    auto const refused = [&](std::uint32_t index) { return draft.shorten(part_of(on.facts, index), "x"); };
    CHECK(refused(0) == refusal::system);
    CHECK(refused(1) == refusal::task);
    CHECK(refused(3) == refusal::pinned);
    CHECK(refused(5) == refusal::open);
    CHECK(refused(6) == refusal::latest_user);
    CHECK(draft.shorten({9, 0, 99}, "x") == refusal::gone);
    CHECK(draft.mark() == 0);
    CHECK(refused(2) == refusal::none);
    CHECK(shown(draft) == "0: system | 1: the task | 2: x | 3: pinned | 4: {} output | 6: latest | ");
    REQUIRE_FALSE(draft.drop({2}));
    CHECK(refused(2) == refusal::gone);
}

TEST_CASE("draft: the same holds for externalize, but for open groups") {
    desk on{toy::system("system"), user("the task"), pinned(assistant("pinned")), call("1"),
            result("1", "output"), user("latest")};
    auto draft = on.draft();
    condense::reference const stored{{1}};
    auto const refused = [&](std::uint32_t index) { return draft.externalize(part_of(on.facts, index), "x", stored); };
    CHECK(refused(0) == refusal::system);
    CHECK(refused(1) == refusal::task);
    CHECK(refused(2) == refusal::pinned);
    CHECK(refused(5) == refusal::latest_user);
    CHECK(draft.mark() == 0);
    CHECK(refused(4) == refusal::none);
    auto const facts = draft.about(part_of(on.facts, 4));
    CHECK(facts.edited);
    CHECK(facts.externalized);
    CHECK_FALSE(facts.stored_earlier);
    CHECK(facts.cost == condense::cost::of({1}));
    CHECK(facts.original_cost == condense::cost::of({6}));
    CHECK(facts.original_size == condense::bytes{6});
    CHECK(on.edits.text_at(on.edits.edit_of(part_of(on.facts, 4).part_id)->text).stored == stored);
}

TEST_CASE("draft: open groups are shortened only where that is allowed") {
    desk on{user("u"), call("1"), result("1", "output")};
    auto draft = on.draft();
    auto const part = part_of(on.facts, 2);
    CHECK(draft.shorten(part, "x") == refusal::open);
    draft.allow_open(true);
    CHECK(draft.shorten(part, "x") == refusal::none);
    draft.allow_open(false);
    CHECK(draft.shorten(part, "") == refusal::open);
}

TEST_CASE("draft: an edit that does not make a part smaller is refused") {
    desk on{user("u"), call("1"), result("1", "output"), assistant("a")};
    auto draft = on.draft();
    auto const part = part_of(on.facts, 2);
    CHECK(draft.shorten(part, "oUtput") == refusal::not_smaller);
    CHECK(draft.shorten(part, "output and more") == refusal::not_smaller);
    CHECK(draft.externalize(part, "output", {}) == refusal::not_smaller);
    CHECK(draft.shorten(part, "outpu") == refusal::none);
    CHECK(draft.shorten(part, "OUTPU") == refusal::not_smaller);
    CHECK(draft.shorten(part, "out") == refusal::none);
    CHECK(draft.used().tokens.count == 1 + 2 + 3 + 1);
}

TEST_CASE("draft: sealed parts go whole or stay") {
    desk on{user("u"), with(role::assistant, {{.kind = part_kind::reasoning, .text = "thinking", .sealed = true}}),
            user("v")};
    auto draft = on.draft();
    CHECK(draft.shorten(part_of(on.facts, 1), "t") == refusal::sealed);
    CHECK(draft.externalize(part_of(on.facts, 1), "t", {}) == refusal::sealed);
    CHECK(draft.mark() == 0);
}

TEST_CASE("draft: arguments stay JSON") {
    auto const call_with = [](std::string_view arguments) {
        return with(role::assistant, {{.kind = part_kind::tool_call, .text = arguments, .call = "1"}});
    };
    desk on{user("u"),   call_with(R"({"path": "a", "text": "long"})"),
            result("1"), call_with("not JSON"),
            result("1"), assistant("a")};
    auto draft = on.draft();
    CHECK(draft.shorten(part_of(on.facts, 1), R"({"path": "a"...)") == refusal::not_json);
    CHECK(draft.shorten(part_of(on.facts, 1), R"({"path": "a"})") == refusal::none);
    // What did not parse is left alone.
    CHECK(draft.shorten(part_of(on.facts, 3), "{}") == refusal::not_json);
    CHECK(draft.shorten(part_of(on.facts, 2), "ou") == refusal::none);
}

TEST_CASE("draft: what is written is valid UTF-8") {
    desk on{user("u"), assistant("0123456789"), assistant("0123456789"), user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.shorten(part_of(on.facts, 1),
                                "a\xFF"
                                "b"));
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{2}}, "c\xE2\x82"));
    CHECK(shown(draft) ==
          "0: u | 1: a\xEF\xBF\xBD"
          "b | *2: c\xEF\xBF\xBD | 3: v | ");
    CHECK(draft.used().tokens.count == 1 + 5 + 4 + 1);
}

TEST_CASE("draft: a cost of its own is replaced by that of the text") {
    desk on{user("u"),
            with(role::assistant, {{.kind = part_kind::media, .text = "picture", .cost = condense::cost::of({900})}}),
            user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.shorten(part_of(on.facts, 1), "[a picture was here]"));
    CHECK(draft.used().tokens.count == 1 + 20 + 1);
}

TEST_CASE("draft: frames of parts stay with them") {
    desk<toy::framed> on{{user("u"), assistant("0123456789"), user("v")}};
    auto draft = on.draft();
    CHECK(draft.used().tokens.count == 3 * 13 + 12);
    REQUIRE_FALSE(draft.shorten(part_of(on.facts, 1), "01"));
    CHECK(draft.used().tokens.count == 3 * 13 + 4);
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{1}}, "sum"));
    CHECK(draft.used().tokens.count == 3 * 13 + 5);
}

TEST_CASE("draft: a summary stands where the first of its groups stood") {
    desk on{user("u"), assistant("a"), call("1"), result("1"), assistant("b"), user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{2}, {1}, {4}}, "they worked"));
    CHECK(shown(draft) == "0: u | *1: they worked | 5: v | ");
    CHECK(draft.used().messages.count == 3);
    CHECK(draft.used().tokens.count == 1 + 11 + 1);
    auto const facts = draft.about(group{1}.summary());
    CHECK(facts.summary);
    CHECK(facts.speaker == role::user);
    CHECK_FALSE(facts.starts_turn);
    CHECK(draft.used_by(role::user) == condense::cost::of({13}));
    CHECK(draft.used_by(role::assistant) == condense::cost{});
    CHECK(draft.shorten({1, 0, condense::detail::none32}, "t") == refusal::gone);
}

TEST_CASE("draft: a summary of a summary replaces it") {
    desk on{user("u"), assistant("a"), assistant("b"), assistant("c"), user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{1}, {2}}, "first"));
    auto const first = shown(draft);
    auto const mark = draft.mark();
    REQUIRE_FALSE(draft.summarize(std::vector<group>{group{1}.summary(), {3}}, "second"));
    CHECK(shown(draft) == "0: u | *1: second | 4: v | ");
    draft.take_back(mark);
    CHECK(shown(draft) == first);
    REQUIRE_FALSE(draft.drop(group{1}.summary()));
    CHECK(shown(draft) == "0: u | 3: c | 4: v | ");
    draft.take_back(mark);
    CHECK(shown(draft) == first);
}

TEST_CASE("draft: summaries of what may not be dropped are refused whole") {
    desk on{toy::system("s"), user("u"), assistant("a"), pinned(assistant("p")), assistant("b"), user("v")};
    auto draft = on.draft();
    auto const before = shown(draft);
    CHECK(draft.summarize(std::vector<group>{{2}, {3}}, "x") == refusal::pinned);
    CHECK(draft.summarize(std::vector<group>{{4}, {0}}, "x") == refusal::system);
    CHECK(draft.summarize(std::vector<group>{{5}}, "x") == refusal::latest_user);
    CHECK(draft.summarize(std::vector<group>{}, "x") == refusal::gone);
    CHECK(draft.summarize(std::vector<group>{}, "x", group{2}) == refusal::gone);
    CHECK(draft.summarize(std::vector<group>{{2}}, "x", group{6}) == refusal::gone);
    CHECK(draft.summarize(std::vector<group>{{2}}, "x", group{1}.summary()) == refusal::gone);
    CHECK(draft.summarize(draft.groups(), "x") == refusal::system);
    CHECK(draft.mark() == 0);
    CHECK(shown(draft) == before);
    // A group that is named twice is one.
    CHECK_FALSE(draft.summarize(std::vector<group>{{2}, {2}}, "x"));
    CHECK(draft.used().messages.count == 6);
    CHECK(draft.used().tokens.count == 6);
}

TEST_CASE("draft: restore takes back every edit of a group, and leaves the summary") {
    desk on{user("u"), call("1"), result("1", "output"), assistant("long answer"), user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.shorten(part_of(on.facts, 2), "o"));
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{1}, {3}}, "sum"));
    draft.begin_batch();
    REQUIRE_FALSE(draft.restore({1}));
    CHECK(shown(draft) == "0: u | *1: sum | 1: {} output | 4: v | ");
    CHECK(draft.restored().cost == condense::cost::of({8}));
    CHECK(on.edits.sums() == toy::recount(on.facts, on.edits));
}

TEST_CASE("draft: a group comes back with other texts, and only these have to fit") {
    auto const long_output = std::string(20, 'x');
    desk on{{user("u"), with(role::assistant, {call_part("1"), call_part("2")}), result("1", long_output),
             result("2", long_output), assistant("answer"), user("v")},
            budget{.window = {40}}};
    auto draft = on.draft();
    auto const stored = condense::reference{{7}};
    auto const one = part_of(on.facts, 2);
    auto const two = part_of(on.facts, 3);
    // Of a group that is there: the part alone, larger than it was, smaller than the original.
    REQUIRE_FALSE(draft.shorten(one, "a"));
    REQUIRE_FALSE(draft.shorten(two, "b"));
    draft.begin_batch();
    REQUIRE_FALSE(draft.restore(group{1}, {{one, "abc", stored}}, {40}));
    CHECK(shown(draft) == "0: u | 1: {} {} abc b | 4: answer | 5: v | ");
    CHECK(draft.about(one).stored == stored);
    CHECK(draft.restored().cost == condense::cost::of({2}));
    CHECK(draft.restored().messages == 0);
    // One that has to be dropped before: its whole would not fit.
    REQUIRE_FALSE(draft.drop({1}));
    draft.begin_batch();
    auto const mark = draft.mark();
    CHECK(draft.restore(group{1}, {{one, {}, {}}, {two, {}, {}}}, {100}) == refusal::no_room);
    CHECK(draft.restore(group{1}, {{one, "abcd", stored}, {two, {}, {}}}, {35}) == refusal::no_room);
    CHECK(draft.mark() == mark);
    REQUIRE_FALSE(draft.restore(group{1}, {{one, "abcd", stored}, {two, {}, {}}}, {36}));
    CHECK(shown(draft) == "0: u | 1: {} {} abcd " + long_output + " | 4: answer | 5: v | ");
    CHECK(draft.restored().cost == condense::cost::of({28}));
    CHECK(draft.restored().messages == 3);
    CHECK(draft.used().tokens.count == 36);
    CHECK(on.edits.sums() == toy::recount(on.facts, on.edits));
    // A text that is not smaller than the original leaves the whole; nothing to do is gone.
    draft.begin_batch();
    REQUIRE_FALSE(draft.restore(group{1}, {{one, "a", {}}, {two, long_output, {}}}, {40}));
    CHECK(shown(draft) == "0: u | 1: {} {} a " + long_output + " | 4: answer | 5: v | ");
    CHECK(draft.restored() == condense::view::totals{});
    CHECK(draft.restore(group{0}, {}, {40}) == refusal::gone);
    CHECK(draft.restore(group{99}, {}, {40}) == refusal::gone);
    CHECK(draft.restore(group{1}.summary(), {}, {40}) == refusal::gone);
}

TEST_CASE("draft: what comes back has a beginning before it, which counts, too") {
    desk on{user("ask"), call("1"), result("1", "output"), assistant("done"), user("v"), assistant("w")};
    for (bool const with_texts : {false, true}) {
        auto draft = on.draft();
        auto const mark = draft.mark();
        for (auto const which : {0u, 1u, 3u}) REQUIRE_FALSE(draft.drop({which}));
        draft.begin_batch();
        if (with_texts) REQUIRE_FALSE(draft.restore(group{1}, {}, {100}));
        else REQUIRE_FALSE(draft.restore({1}));
        CHECK(shown(draft) == "0: ask | 1: {} output | 4: v | 5: w | ");
        CHECK(draft.restored().cost == condense::cost::of({11}));
        CHECK(draft.restored().messages == 3);
        draft.take_back(mark);
    }
}

TEST_CASE("draft: answers are written for calls that will have none, once") {
    conversation history{U("u"), C("dead"), U("v"), C("cancelled"), C("pending"), C("answered"), R("answered", "out"),
                         U("w"), C("open")};
    history[3].parts[0].status = part_status::cancelled;
    history[4].parts[0].status = part_status::pending;
    reading on{std::move(history)};
    auto draft = on.draft();
    auto const answered = [&](std::uint32_t index) { return draft.repair(part_of(on.facts, index), "none"); };
    CHECK(answered(0) == refusal::pair);
    CHECK(answered(4) == refusal::open);
    CHECK(answered(5) == refusal::open);
    CHECK(answered(6) == refusal::pair);
    CHECK(answered(8) == refusal::open);
    CHECK(draft.mark() == 0);
    CHECK(answered(1) == refusal::none);
    CHECK(answered(3) == refusal::none);
    CHECK(answered(1) == refusal::gone);
    CHECK(draft.mark() == 2);
    CHECK(on.edits.sums().messages == on.history.size() + 2);
}

TEST_CASE("draft: a restored message never makes a request longer than the history") {
    desk on{user("u"), assistant("answer"), user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{1}}, "sum"));
    CHECK(draft.restore({1}) == refusal::no_room);
    CHECK(shown(draft) == "0: u | *1: sum | 2: v | ");
}

TEST_CASE("draft: take_back restores exactly") {
    desk on{user("u"), with(role::assistant, {{.kind = part_kind::reasoning, .text = "hm"}, call_part("1")}),
            result("1", "output"), assistant("answer"), user("v")};
    auto draft = on.draft();
    struct state {
        std::size_t mark;
        std::string text;
        condense::usage used;
    };
    std::vector<state> states;
    auto const note = [&](refusal refused) {
        CHECK_FALSE(refused);
        states.push_back({draft.mark(), shown(draft), draft.used()});
    };
    note(refusal::none);
    note(draft.shorten(part_of(on.facts, 2), "out"));
    note(draft.externalize(part_of(on.facts, 2), "o", {{7}}));
    note(draft.remove(part_of(on.facts, 1)));
    note(draft.drop({1}));
    note(draft.summarize(std::vector<group>{{3}}, "sum"));
    note(draft.restore({2}));
    note(draft.drop({1}));
    note(draft.summarize(std::vector<group>{group{3}.summary()}, "s"));
    note(draft.drop(group{3}.summary()));
    while (!states.empty()) {
        auto const& last = states.back();
        draft.take_back(last.mark);
        CHECK(draft.mark() == last.mark);
        CHECK(shown(draft) == last.text);
        CHECK(draft.used() == last.used);
        CHECK(on.edits.sums() == toy::recount(on.facts, on.edits));
        states.pop_back();
    }
    CHECK(on.edits.steps().empty());
}

TEST_CASE("draft: of many parts of a user the last stays, too") {
    auto many = R("1", "out");
    many.role = role::user;
    many.parts.resize(20, {.kind = part_kind::media, .text = "pixels"});
    reading on{conversation{U("task"), C("1"), many, A("a"), U("v")}};
    auto draft = on.draft();
    for (std::uint32_t const part : {19u, 1u, 7u}) CHECK(draft.remove(part_of(on.facts, 2, part)) == refusal::none);
    for (std::uint32_t part = 2; part < 19; ++part)
        CHECK(draft.remove(part_of(on.facts, 2, part)) == (part == 18  ? refusal::turn
                                                           : part == 7 ? refusal::gone
                                                                       : refusal::none));
    CHECK(shown(draft) == "0: task | 1: {} out pixels | 3: a | 4: v | ");
}

TEST_CASE("draft: a text may stand for one of many images where texts for all would be one part") {
    std::vector<std::string> const images(20);
    auto captioned = images;
    captioned[5] = "caption";
    reading on{std::vector<album>{
        {role::user, {"task"}}, {role::assistant, images}, {role::assistant, captioned}, {role::user, {"v"}}}};
    auto draft = on.draft();
    CHECK(draft.shorten(part_of(on.facts, 1, 0), "gone") == refusal::none);
    CHECK(draft.shorten(part_of(on.facts, 1, 19), "gone") == refusal::none);
    CHECK(draft.shorten(part_of(on.facts, 2, 4), "gone") == refusal::sealed);
    CHECK(draft.shorten(part_of(on.facts, 2, 6), "gone") == refusal::sealed);
    CHECK(draft.shorten(part_of(on.facts, 2, 7), "gone") == refusal::none);
}
