// SPDX-License-Identifier: BSL-1.0
#include <condense/core/draft_reader.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/pipeline.hpp>
#include <condense/core/reduce.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::budget;
using condense::cost;
using condense::group;
using condense::part_kind;
using condense::part_status;
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
using toy::user;
using toy::with;

constexpr bool usage_is_the_messages_and_the_overhead() {
    desk on{{user("four"), assistant("12345")}, budget{.window = {100}, .output = {20}, .overhead = {7}}};
    auto const used = on.draft().used();
    return used.tokens.count == 16 && used.input.count == 80 && used.messages.count == 2 && used.turns.count == 1;
}
static_assert(toy::run_time_only || usage_is_the_messages_and_the_overhead());

/// case-101, also for messages that were edited or dropped.
constexpr bool roles_add_up() {
    desk on{{toy::system("rules"), user("task"), call("1"), result("1", "output"), assistant("answer"), user("latest")},
            budget{.window = {100}, .overhead = {7}}};
    auto draft = on.draft();
    if (draft.drop({4})) return false;
    cost sum = cost::of({7});
    for (auto const speaker : {role::system, role::user, role::assistant, role::tool, role::other})
        sum += draft.used_by(speaker);
    return sum.tokens() == draft.used().tokens && draft.used_by(role::tool) == cost::of({6}) &&
           draft.used_by(role::assistant) == cost::of({2});
}
static_assert(toy::run_time_only || roles_add_up());

constexpr bool groups_are_told_without_their_text() {
    desk on{toy::system("s"), user("u"), call("1"), pinned(result("1", "no", part_status::error)),
            user("v"),        call("2")};
    auto const draft = on.draft();
    auto const system = draft.about(group{0});
    auto const task = draft.about(group{1});
    auto const round = draft.about(group{2});
    auto const latest = draft.about(group{4});
    return system.system && !system.starts_turn && task.starts_turn && task.plain_user && !task.latest_user &&
           !task.open && round.first == 2 && round.last == 3 && round.count == 2 && round.cost == cost::of({4}) &&
           round.pinned && round.has_calls && round.has_error && round.speaker == role::assistant && !round.open &&
           !round.summary && latest.latest_user && draft.about(group{5}).open;
}
static_assert(toy::run_time_only || groups_are_told_without_their_text());

constexpr bool the_task_is_the_first_plain_user_message() {
    desk on{toy::system("s"), user("u"), user("v")};
    auto const draft = on.draft();
    return !draft.holds_task({0}) && draft.holds_task({1}) && !draft.holds_task({2}) &&
           !draft.holds_task(group{1}.summary());
}
static_assert(toy::run_time_only || the_task_is_the_first_plain_user_message());

/// Reads messages of many parts inside each other: what is being read must not be replaced.
struct nested_reader {
    static constexpr condense::effect effects = condense::drops;
    bool* good;
    void reduce(auto& draft, auto&) const {
        for (std::uint32_t number = 0; number < 20; ++number) {
            auto const text = std::to_string(number);
            auto const part_at = [&](std::uint32_t message) {
                return draft.part_at(draft.outline().message_at(message).first_part + number);
            };
            int calls = 0;
            draft.original(part_at(1), [&](condense::part_view const& outer) {
                draft.original(part_at(2), [&](condense::part_view const& inner) {
                    *good = *good && inner.text == "second " + text;
                    ++calls;
                });
                draft.each_part(condense::sequence{2}, [&](condense::part_ref part, condense::part_view const& inner) {
                    *good = *good && inner.text == "second " + std::to_string(part.index);
                    ++calls;
                });
                *good = *good && outer.text == "first " + text;
            });
            *good = *good && calls == 21;
        }
    }
};

constexpr bool parts_are_told_without_their_text() {
    desk on{toy::marked(
        with(role::assistant, {{.kind = part_kind::reasoning, .text = "hm", .sealed = true}, {.text = "abc"}}),
        "stored.1")};
    auto const draft = on.draft();
    auto const first = draft.about(part_of(on.facts, 0, 0));
    auto const second = draft.about(part_of(on.facts, 0, 1));
    return first.kind == part_kind::reasoning && first.sealed && !first.edited && second.edited &&
           second.externalized && second.stored_earlier && second.cost == cost::of({3}) &&
           second.original_size.count == 3;
}
static_assert(toy::run_time_only || parts_are_told_without_their_text());

constexpr bool members_are_walked() {
    desk on{call("1"), user("u"), result("1")};
    std::uint32_t seen = 0;
    on.draft().each_member(group{0}, [&](std::uint32_t index) { seen = seen * 10 + index + 1; });
    return seen == 13;
}
static_assert(toy::run_time_only || members_are_walked());

constexpr bool removed_parts_are_left_out() {
    desk on{user("u"), with(role::assistant, {{.kind = part_kind::reasoning, .text = "hm"}, {.text = "abc"}}),
            user("v")};
    auto draft = on.draft();
    if (draft.remove(part_of(on.facts, 1))) return false;
    std::uint32_t by_facts = 0;
    std::uint32_t by_text = 0;
    draft.each_part_of(group{1}, [&](condense::part_ref part) { by_facts += 10 + part.index; });
    draft.each_part(group{1}, [&](condense::part_ref part, condense::part_view const& seen) {
        by_text += part.index * 100 + static_cast<std::uint32_t>(seen.text.size());
    });
    return by_facts == 11 && by_text == 103;
}
static_assert(toy::run_time_only || removed_parts_are_left_out());

constexpr bool results_have_the_tool_of_their_call() {
    desk on{call("1", "read"),
            with(role::tool, {{.kind = part_kind::tool_result, .tool = "own", .call = "1"}, result_part("1")})};
    int right = 0;
    on.draft().each_part(condense::sequence{1}, [&](condense::part_ref part, condense::part_view const& seen) {
        right += seen.tool == (part.index == 0 ? "own" : "read");
    });
    on.draft().original(part_of(on.facts, 1, 1),
                        [&](condense::part_view const& seen) { right += seen.tool == "read"; });
    return right == 3;
}
static_assert(toy::run_time_only || results_have_the_tool_of_their_call());

/// Why each group stays, in the order of what is asked first.
constexpr bool undroppable_says_why() {
    desk on{toy::system("s"), pinned(user("u")), assistant("a"), user("v"), call("1")};
    auto const draft = on.draft();
    return draft.undroppable({0}) == refusal::system && draft.undroppable({1}) == refusal::pinned &&
           draft.undroppable({2}) == refusal::none && draft.undroppable({3}) == refusal::latest_user &&
           draft.undroppable({4}) == refusal::open && draft.undroppable({5}) == refusal::gone &&
           draft.undroppable(group{2}.summary()) == refusal::gone;
}
static_assert(toy::run_time_only || undroppable_says_why());

constexpr bool the_floor_is_what_stays() {
    desk on{
        {toy::system("rules"), user("task"), assistant("answer"), pinned(assistant("pin")), user("latest"), call("1")},
        budget{.window = {100}, .overhead = {7}}};
    // The pin may not come first: the user message before it stays, too.
    return on.draft().floor().count == 7 + 5 + 4 + 3 + 6 + 2;
}
static_assert(toy::run_time_only || the_floor_is_what_stays());

constexpr bool floors_without_what_must_come_first() {
    desk on{toy::system("rules"), user("task"), assistant("answer"), user("latest")};
    return on.draft().floor().count == 5 + 6;
}
static_assert(toy::run_time_only || floors_without_what_must_come_first());

}  // namespace

TEST_CASE("draft_reader: usage") {
    CHECK(usage_is_the_messages_and_the_overhead());
    CHECK(roles_add_up());
    CHECK(the_floor_is_what_stays());
    CHECK(floors_without_what_must_come_first());
}

TEST_CASE("draft_reader: facts of groups and parts") {
    CHECK(groups_are_told_without_their_text());
    CHECK(the_task_is_the_first_plain_user_message());
    CHECK(parts_are_told_without_their_text());
    CHECK(members_are_walked());
    CHECK(undroppable_says_why());
}

TEST_CASE("draft_reader: parts as they are") {
    CHECK(removed_parts_are_left_out());
    CHECK(results_have_the_tool_of_their_call());
}

TEST_CASE("draft_reader: present text and the original") {
    desk on{user("u"), call("1"), result("1", "output"), assistant("a"), user("v")};
    auto draft = on.draft();
    auto const part = part_of(on.facts, 2);
    REQUIRE_FALSE(draft.shorten(part, "out"));
    std::string present;
    std::string original;
    draft.each_part(condense::sequence{2},
                    [&](condense::part_ref, condense::part_view const& seen) { present = seen.text; });
    draft.original(part, [&](condense::part_view const& seen) { original = seen.text; });
    CHECK(present == "out");
    CHECK(original == "output");
    CHECK(draft.message_cost(2) == cost::of({3}));
    CHECK(draft.message_at({2}).parts[0].text == "output");
}

TEST_CASE("draft_reader: groups come in order, a summary before the group in whose place it stands") {
    desk on{user("u"), assistant("a"), assistant("b"), user("v")};
    auto draft = on.draft();
    auto const order = [&] {
        std::vector<std::uint32_t> found;
        for (auto const which : draft.groups()) found.push_back(which.id() * 10 + (which.is_summary() ? 1 : 0));
        return found;
    };
    CHECK(order() == std::vector<std::uint32_t>{0, 10, 20, 30});
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{1}, {2}}, "s"));
    CHECK(order() == std::vector<std::uint32_t>{0, 11, 30});
    REQUIRE_FALSE(draft.drop({0}));  // a message that is restored beside its summary needs room
    REQUIRE_FALSE(draft.restore({1}));
    CHECK(order() == std::vector<std::uint32_t>{11, 10, 30});
}

TEST_CASE("draft_reader: an adapter that shows other parts than before reads no further than was counted") {
    desk on{user("u"), with(role::assistant, {{.text = "abc"}}), user("v")};
    on.history[1] = with(role::assistant, {{.text = "abc"}, {.text = "def"}});
    std::size_t seen = 0;
    on.draft().each_part(condense::sequence{1}, [&](condense::part_ref, condense::part_view const&) { ++seen; });
    CHECK(seen == 1);
    on.history[1] = with(role::assistant, {});
    CHECK(on.draft().shorten(part_of(on.facts, 1), "a") == refusal::gone);
}

TEST_CASE("draft_reader: messages of many parts are read inside each other") {
    auto const many = [](std::string const& text) {
        condense::chat_message m{.role = role::assistant};
        for (int number = 0; number < 20; ++number) m.parts.push_back({.text = text + std::to_string(number)});
        return m;
    };
    std::vector<condense::chat_message> history{condense::chat_message::user("u"), many("first "), many("second "),
                                                condense::chat_message::user("v")};
    bool good = true;
    auto const report =
        condense::reduce(history, condense::pipeline{nested_reader{&good}}, {.window = {1}}, notation::per_byte{});
    CHECK(report.layers[0].outcome != condense::layer_outcome::failed);
    CHECK(good);
}

TEST_CASE("draft_reader: a part of a message of many is the one with its id") {
    condense::chat_message many{.role = role::assistant};
    for (int number = 0; number < 20; ++number) many.parts.push_back({.text = std::to_string(number)});
    std::vector<condense::chat_message> const history{condense::chat_message::user("u"), many};
    condense::outline facts;
    for (auto const& m : history) facts.append(m, notation::per_byte{});
    condense::view edits;
    edits.place_all(facts);
    notation::per_byte const count;
    condense::draft const draft{history, facts, edits, count, condense::budget{.window = {1'000}}};
    std::string text;
    draft.original({1, 0, 1 + 7}, [&](condense::part_view const& part) { text = part.text; });
    CHECK(text == "7");
}

TEST_CASE("draft_reader: parts that name the same call, in messages of few parts and of many") {
    auto const beside = [](std::size_t others) {
        auto m = condense::chat_message::result("1", "a");
        m.parts.push_back({.kind = condense::part_kind::media, .call = "1"});
        m.parts.push_back({.text = "b"});
        m.parts.push_back(m.parts[0]);
        for (; others != 0; --others) m.parts.push_back({.kind = condense::part_kind::tool_result, .call = "2"});
        std::vector<condense::chat_message> const history{condense::chat_message::user("u"), m};
        condense::outline facts;
        for (auto const& each : history) facts.append(each, notation::per_byte{});
        condense::view edits;
        edits.place_all(facts);
        notation::per_byte const count;
        condense::draft const draft{history, facts, edits, count, condense::budget{.window = {1'000}}};
        std::vector<std::uint32_t> all;
        for (std::uint32_t part = 0; part < 4; ++part) {
            draft.each_beside({1, part, 1 + part}, [&](condense::part_ref other) { all.push_back(other.index); });
            all.push_back(100 + part);
        }
        return all;
    };
    std::vector<std::uint32_t> const expected{1, 3, 100, 0, 3, 101, 102, 0, 1, 103};
    CHECK(beside(0) == expected);
    CHECK(beside(20) == expected);
}
