// SPDX-License-Identifier: BSL-1.0
#include <condense/core/outline.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::outline;
using condense::part_kind;
using condense::part_status;
using condense::role;
using toy::assistant;
using toy::call;
using toy::call_part;
using toy::joined;
using toy::marked;
using toy::outline_of;
using toy::output_part;
using toy::part_of;
using toy::pinned;
using toy::result;
using toy::result_part;
using toy::user;
using toy::with;

/// The group of every message, in order.
constexpr bool grouped(outline const& facts, std::initializer_list<std::uint32_t> wanted) {
    if (facts.size() != wanted.size()) return false;
    std::size_t index = 0;
    for (auto const group : wanted)
        if (facts.group_of(index++) != group) return false;
    return true;
}
constexpr bool grouped(std::initializer_list<toy::message> conversation, std::initializer_list<std::uint32_t> wanted) {
    return grouped(outline_of(conversation), wanted);
}
constexpr bool open(std::initializer_list<toy::message> conversation, std::uint32_t group) {
    return outline_of(conversation).open(group);
}

// Pairs and groups

constexpr bool plain_messages_are_groups() { return grouped({user("u"), assistant("a"), user("v")}, {0, 1, 2}); }
static_assert(toy::run_time_only || plain_messages_are_groups());

constexpr bool results_join_their_call() {
    return grouped({user("u"), call("1"), result("1"), assistant("a")}, {0, 1, 1, 3});
}
static_assert(toy::run_time_only || results_join_their_call());

constexpr bool parallel_calls_are_one_group() {
    auto const calls = with(role::assistant, {call_part("1"), call_part("2")});
    return grouped({calls, result("2"), result("1")}, {0, 0, 0}) &&
           grouped({calls, with(role::user, {result_part("1"), result_part("2")})}, {0, 0});
}
static_assert(toy::run_time_only || parallel_calls_are_one_group());

constexpr bool a_result_beside_its_call_pairs() {
    auto const both = outline_of({with(role::assistant, {call_part("1"), result_part("1")})});
    return both.group_at(0).waiting == 0 && both.part_at(1).call == 0 && !both.group_at(0).orphan;
}
static_assert(toy::run_time_only || a_result_beside_its_call_pairs());

/// case-88, T22
constexpr bool reused_ids_pair_with_the_nearest_unanswered_call() {
    return grouped({user("u"), call("1"), result("1"), user("v"), call("1"), result("1")}, {0, 1, 1, 3, 4, 4}) &&
           // Two wait: the newer is answered first, then the older.
           grouped({call("1"), user("u"), call("1"), result("1"), result("1")}, {0, 1, 2, 2, 0});
}
static_assert(toy::run_time_only || reused_ids_pair_with_the_nearest_unanswered_call());

/// T24
constexpr bool a_result_never_pairs_with_a_later_call() {
    auto const facts = outline_of({result("1"), call("1")});
    return grouped(facts, {0, 1}) && facts.group_at(0).orphan && facts.group_at(1).waiting == 1;
}
static_assert(toy::run_time_only || a_result_never_pairs_with_a_later_call());

constexpr bool further_results_join_the_answered_call() {
    auto const facts = outline_of({call("1"), result("1"), result("1")});
    return grouped(facts, {0, 0, 0}) && facts.group_at(0).waiting == 0;
}
static_assert(toy::run_time_only || further_results_join_the_answered_call());

/// Blocks with one id are one result: the second does not answer the older call of that id.
constexpr bool blocks_of_one_message_are_one_result() {
    auto const facts = outline_of({call("1"), call("1"), with(role::user, {result_part("1"), result_part("1")})});
    return grouped(facts, {0, 1, 1}) && facts.group_at(0).waiting == 1 && facts.group_at(1).waiting == 0;
}
static_assert(toy::run_time_only || blocks_of_one_message_are_one_result());

constexpr bool groups_need_not_be_contiguous() {
    auto const facts = outline_of({call("1"), user("steer"), result("1")});
    auto const& found = facts.group_at(0);
    return grouped(facts, {0, 1, 0}) && found.first == 0 && found.last == 2 && found.count == 2 &&
           facts.message_at(0).next_in_group == 2;
}
static_assert(toy::run_time_only || groups_need_not_be_contiguous());

constexpr bool one_message_joins_two_groups() {
    outline_of facts{{call("1"), user("u"), call("2")}};
    facts.read(with(role::user, {result_part("1"), result_part("2")}), toy::per_byte{});
    auto const joins = facts.place();
    auto const& found = facts.group_at(0);
    return joins == 2 && grouped(facts, {0, 1, 0, 0}) && found.count == 3 && found.last == 3 && found.waiting == 0 &&
           facts.group_at(2).count == 0;
}
static_assert(toy::run_time_only || one_message_joins_two_groups());

/// T29: a thinking loop that the traits join goes as one.
constexpr bool traits_join_messages() {
    return grouped({user("u"), call("1"), result("1"), joined(call("2")), result("2"), joined(assistant("a"))},
                   {0, 1, 1, 1, 1, 1}) &&
           grouped({joined(user("u")), user("v")}, {0, 1});
}
static_assert(toy::run_time_only || traits_join_messages());

/// T30: an approval names the call it is for.
constexpr bool any_part_with_the_id_of_a_call_joins_it() {
    condense::part_view const approval{.kind = part_kind::other, .text = "yes", .call = "1"};
    auto const facts = outline_of({call("1"), with(role::user, {approval}), result("1")});
    return grouped(facts, {0, 0, 0}) && facts.part_at(1).call == 0 &&
           // It is no answer, and one whose call is nowhere is a message like any other.
           outline_of({call("1"), with(role::user, {approval})}).group_at(0).waiting == 1 &&
           !outline_of({with(role::user, {approval})}).group_at(0).orphan;
}
static_assert(toy::run_time_only || any_part_with_the_id_of_a_call_joins_it());

/// case-78
constexpr bool orphans_are_groups() {
    auto const facts = outline_of({call("456"), result("789")});
    return grouped(facts, {0, 1}) && facts.group_at(1).orphan && !facts.group_at(0).orphan &&
           facts.part_at(1).call == condense::detail::none32;
}
static_assert(toy::run_time_only || orphans_are_groups());

// Results without ids

constexpr bool without_ids_order_decides() {
    auto const facts = outline_of({with(role::assistant, {call_part("", "f"), call_part("", "f")}),
                                   with(role::tool, {output_part("")}), with(role::tool, {output_part("")})});
    return grouped(facts, {0, 0, 0}) && facts.part_at(2).call == 0 && facts.part_at(3).call == 1 &&
           facts.group_at(0).waiting == 0;
}
static_assert(toy::run_time_only || without_ids_order_decides());

constexpr bool without_ids_the_tool_name_decides() {
    auto const facts = outline_of({with(role::assistant, {call_part("", "f"), call_part("", "g")}),
                                   with(role::tool, {output_part("g"), output_part("f")})});
    return facts.part_at(2).call == 1 && facts.part_at(3).call == 0;
}
static_assert(toy::run_time_only || without_ids_the_tool_name_decides());

constexpr bool without_ids_only_the_newest_calls_are_answered() {
    return grouped({call("", "f"), user("u"), call("", "g"), with(role::tool, {output_part("f")})}, {0, 1, 2, 3});
}
static_assert(toy::run_time_only || without_ids_only_the_newest_calls_are_answered());

constexpr bool without_ids_more_results_join_while_the_round_goes_on() {
    auto const more = with(role::tool, {output_part("f")});
    return grouped({call("", "f"), more, more}, {0, 0, 0}) &&
           grouped({call("", "f"), more, assistant("a"), more}, {0, 0, 2, 3});
}
static_assert(toy::run_time_only || without_ids_more_results_join_while_the_round_goes_on());

/// Message 0 and 3 are one group by the id of the late result; what stands between decides nothing.
constexpr bool without_ids_calls_of_one_group_count_wherever_they_are() {
    auto const ask = with(role::assistant, {call_part("1", "f"), call_part("2", "f")});
    auto const late = with(role::assistant, {result_part("1"), call_part("3", "f")});
    auto const more = with(role::tool, {output_part("f")});
    auto const apart = outline_of({ask, call("9", "g"), result("9"), late, more});
    auto const beside = outline_of({ask, late, more});
    return grouped(apart, {0, 1, 1, 0, 0}) && apart.part_at(6).call == 1 && beside.part_at(4).call == 1;
}
static_assert(toy::run_time_only || without_ids_calls_of_one_group_count_wherever_they_are());

/// And not to an older call of the same id that has no answer.
constexpr bool what_came_with_a_result_belongs_to_its_call() {
    condense::part_view const image{.kind = part_kind::media, .call = "1"};
    return grouped({call("1"), user("u"), call("1"), with(role::tool, {result_part("1"), image})}, {0, 1, 2, 2}) &&
           grouped({call("1"), user("u"), call("1"), with(role::tool, {image, result_part("1")})}, {0, 1, 2, 2}) &&
           grouped({call("1"), user("u"), with(role::assistant, {call_part("1"), result_part("1"), image})}, {0, 1, 2});
}
static_assert(toy::run_time_only || what_came_with_a_result_belongs_to_its_call());

constexpr bool an_unknown_id_is_not_matched_by_order() {
    return grouped({call("1", "f"), with(role::tool, {{.kind = part_kind::tool_result, .tool = "f", .call = "2"}})},
                   {0, 1});
}
static_assert(toy::run_time_only || an_unknown_id_is_not_matched_by_order());

// Open groups

constexpr bool the_newest_calls_are_open_until_an_assistant_follows() {
    return open({user("u"), call("1")}, 1) && open({user("u"), call("1"), result("1")}, 1) &&
           open({user("u"), call("1"), result("1"), user("v")}, 1) &&
           !open({user("u"), call("1"), result("1"), assistant("a")}, 1) &&
           !open({user("u"), call("1"), result("1"), call("2")}, 1);
}
static_assert(toy::run_time_only || the_newest_calls_are_open_until_an_assistant_follows());

constexpr bool only_groups_with_calls_are_open() {
    return !open({user("u")}, 0) && !open({user("u"), assistant("a")}, 1);
}
static_assert(toy::run_time_only || only_groups_with_calls_are_open());

constexpr bool an_unanswered_call_keeps_its_group_open() {
    return open({user("u"), with(role::assistant, {call_part("1"), call_part("2")}), result("1"), assistant("a")}, 1);
}
static_assert(toy::run_time_only || an_unanswered_call_keeps_its_group_open());

constexpr bool an_orphan_is_open_until_an_assistant_follows() {
    return open({result("1")}, 0) && open({result("1"), user("u")}, 0) && !open({result("1"), assistant("a")}, 0);
}
static_assert(toy::run_time_only || an_orphan_is_open_until_an_assistant_follows());

/// case-133: a call without result, and a later turn that has been answered.
constexpr bool calls_die_when_a_later_turn_is_answered() {
    return open({user("u"), call("1"), assistant("a")}, 1) && open({user("u"), call("1"), user("v")}, 1) &&
           !open({user("u"), call("1"), user("v"), assistant("a")}, 1);
}
static_assert(toy::run_time_only || calls_die_when_a_later_turn_is_answered());

constexpr bool calls_of_the_answered_turn_live() {
    auto const facts = outline_of({user("u"), call("1"), user("v"), call("2"), assistant("a")});
    return !facts.open(1) && facts.open(3);
}
static_assert(toy::run_time_only || calls_of_the_answered_turn_live());

constexpr bool a_dead_call_can_still_be_answered() {
    auto const facts = outline_of({user("u"), call("1"), user("v"), assistant("a"), result("1")});
    return grouped(facts, {0, 1, 2, 3, 1}) && facts.group_at(1).waiting == 0 && !facts.group_at(1).orphan;
}
static_assert(toy::run_time_only || a_dead_call_can_still_be_answered());

constexpr bool pending_calls_never_die() {
    return open({user("u"), call("1", "", part_status::pending), user("v"), assistant("a"), user("w"), assistant("b")},
                1);
}
static_assert(toy::run_time_only || pending_calls_never_die());

constexpr bool pending_results_keep_their_call_waiting() {
    auto const wait = result("1", "soon", part_status::pending);
    return open({user("u"), call("1"), wait, user("v"), assistant("a")}, 1) &&
           !open({user("u"), call("1"), wait, user("v"), assistant("a"), result("1"), assistant("b")}, 1) &&
           // Also one that comes when the call was given up.
           open({user("u"), call("1"), user("v"), assistant("a"), wait, assistant("b")}, 1);
}
static_assert(toy::run_time_only || pending_results_keep_their_call_waiting());

constexpr bool cancelled_calls_wait_for_nothing() {
    auto const facts = outline_of({user("u"), call("1", "", part_status::cancelled), assistant("a")});
    return facts.group_at(1).waiting == 0 && !facts.open(1);
}
static_assert(toy::run_time_only || cancelled_calls_wait_for_nothing());

constexpr bool cancelled_results_answer() {
    return outline_of({call("1"), result("1", "", part_status::cancelled)}).group_at(0).waiting == 0;
}
static_assert(toy::run_time_only || cancelled_results_answer());

// Facts of messages, parts and groups

constexpr bool costs_and_sizes_are_counted_once() {
    outline facts;
    facts.append(with(role::assistant, {{.text = "abc"}, call_part("1")}), toy::framed{});
    facts.append(result("1", "12345"), toy::framed{});
    return facts.message_at(0).frame == cost::of({10}) && facts.part_at(0).cost == cost::of({3 + 3}) &&
           facts.part_at(0).size == 3 && facts.part_at(2).cost == cost::of({5 + 3}) &&
           facts.group_at(0).cost == cost::of({10 + 6 + 5 + 10 + 8});
}
static_assert(toy::run_time_only || costs_and_sizes_are_counted_once());

constexpr bool a_part_with_a_cost_of_its_own_is_not_estimated() {
    auto const facts =
        outline_of({with(role::user, {{.kind = part_kind::media, .text = "0123456789", .cost = cost::of({1'600})}})});
    return facts.part_at(0).cost == cost::of({1'600}) && facts.part_at(0).size == 10;
}
static_assert(toy::run_time_only || a_part_with_a_cost_of_its_own_is_not_estimated());

constexpr bool plain_users_have_more_than_results() {
    auto const facts = outline_of({call("1"), with(role::user, {result_part("1")}), user("u"), call("2"),
                                   with(role::user, {result_part("2"), {.text = "and hurry"}}), toy::system("s")});
    return !facts.message_at(1).plain_user && facts.message_at(2).plain_user && facts.message_at(4).plain_user &&
           !facts.message_at(5).plain_user && facts.task() == 2 && facts.latest_user() == 4 &&
           facts.group_at(3).plain_users == 1;
}
static_assert(toy::run_time_only || plain_users_have_more_than_results());

/// Neither a result without an id is one, nor a part that only speaks of a call.
constexpr bool what_belongs_to_calls_is_no_turn() {
    condense::part_view const approval{.kind = part_kind::other, .text = "yes", .call = "1"};
    auto const facts = outline_of({call("1", "f"), with(role::user, {approval}), with(role::user, {output_part("f")}),
                                   with(role::user, {approval, {.text = "and hurry"}})});
    return !facts.message_at(1).plain_user && !facts.message_at(2).plain_user && facts.task() == 3;
}
static_assert(toy::run_time_only || what_belongs_to_calls_is_no_turn());

constexpr bool there_may_be_no_user_at_all() {
    auto const facts = outline_of({assistant("a")});
    return facts.task() == condense::detail::none32 && facts.latest_user() == condense::detail::none32;
}
static_assert(toy::run_time_only || there_may_be_no_user_at_all());

constexpr bool groups_have_what_a_member_has() {
    auto const facts =
        outline_of({call("1"), pinned(result("1", "no", part_status::error)), toy::system("s"), user("u")});
    return facts.group_at(0).pinned && facts.group_at(0).has_error && facts.group_at(0).has_calls &&
           !facts.group_at(0).system && facts.group_at(2).system && !facts.group_at(3).pinned &&
           !facts.group_at(3).has_calls;
}
static_assert(toy::run_time_only || groups_have_what_a_member_has());

constexpr bool results_have_the_tool_of_their_call() {
    auto const facts = outline_of({call("1", "read"), result("1"), result("2")});
    return facts.tool_of(facts.part_at(1)) == "read" && facts.tool_of(facts.part_at(2)).empty();
}
static_assert(toy::run_time_only || results_have_the_tool_of_their_call());

constexpr bool marks_tell_of_earlier_runs() {
    using condense::detail::earlier_edit;
    auto const facts = outline_of({marked(user("so far"), "summary"), user("u"),
                                   marked(with(role::assistant, {{.text = "a"}, {.text = "b"}}), "stored.1")});
    return facts.group_at(0).summary && !facts.message_at(0).plain_user && facts.task() == 1 &&
           facts.part_at(2).earlier == earlier_edit::none && facts.part_at(3).earlier == earlier_edit::externalized;
}
static_assert(toy::run_time_only || marks_tell_of_earlier_runs());

constexpr bool a_summary_that_joins_others_is_none() {
    return !outline_of({user("u"), joined(marked(user("so far"), "summary"))}).group_at(0).summary;
}
static_assert(toy::run_time_only || a_summary_that_joins_others_is_none());

constexpr bool the_version_grows() {
    outline facts;
    auto const before = facts.version();
    facts.append(user("u"), toy::per_byte{});
    return facts.version() > before;
}
static_assert(toy::run_time_only || the_version_grows());

}  // namespace

TEST_CASE("outline: pairs and groups") {
    CHECK(plain_messages_are_groups());
    CHECK(results_join_their_call());
    CHECK(parallel_calls_are_one_group());
    CHECK(a_result_beside_its_call_pairs());
    CHECK(reused_ids_pair_with_the_nearest_unanswered_call());
    CHECK(a_result_never_pairs_with_a_later_call());
    CHECK(further_results_join_the_answered_call());
    CHECK(blocks_of_one_message_are_one_result());
    CHECK(groups_need_not_be_contiguous());
    CHECK(one_message_joins_two_groups());
    CHECK(traits_join_messages());
    CHECK(any_part_with_the_id_of_a_call_joins_it());
    CHECK(orphans_are_groups());
}

TEST_CASE("outline: results without ids") {
    CHECK(without_ids_order_decides());
    CHECK(without_ids_the_tool_name_decides());
    CHECK(without_ids_only_the_newest_calls_are_answered());
    CHECK(without_ids_more_results_join_while_the_round_goes_on());
    CHECK(without_ids_calls_of_one_group_count_wherever_they_are());
    CHECK(what_came_with_a_result_belongs_to_its_call());
    CHECK(an_unknown_id_is_not_matched_by_order());
}

TEST_CASE("outline: open groups") {
    CHECK(the_newest_calls_are_open_until_an_assistant_follows());
    CHECK(only_groups_with_calls_are_open());
    CHECK(an_unanswered_call_keeps_its_group_open());
    CHECK(an_orphan_is_open_until_an_assistant_follows());
    CHECK(calls_die_when_a_later_turn_is_answered());
    CHECK(calls_of_the_answered_turn_live());
    CHECK(a_dead_call_can_still_be_answered());
    CHECK(pending_calls_never_die());
    CHECK(pending_results_keep_their_call_waiting());
    CHECK(cancelled_calls_wait_for_nothing());
    CHECK(cancelled_results_answer());
}

TEST_CASE("outline: facts") {
    CHECK(costs_and_sizes_are_counted_once());
    CHECK(a_part_with_a_cost_of_its_own_is_not_estimated());
    CHECK(plain_users_have_more_than_results());
    CHECK(what_belongs_to_calls_is_no_turn());
    CHECK(there_may_be_no_user_at_all());
    CHECK(groups_have_what_a_member_has());
    CHECK(results_have_the_tool_of_their_call());
    CHECK(marks_tell_of_earlier_runs());
    CHECK(a_summary_that_joins_others_is_none());
    CHECK(the_version_grows());
}

// libstdc++ 12 has no strings there with either of these, nor for i686, s390x and aarch64.
#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS) && defined(__x86_64__)
TEST_CASE("outline: lives in constant expressions") { CHECK_FALSE(toy::run_time_only); }
#endif

TEST_CASE("outline: an estimator that throws changes nothing") {
    struct refuses {
        condense::cost operator()(std::string_view text) const {
            if (text == "bad") throw std::runtime_error{"no"};
            return {};
        }
    };
    outline_of facts{{call("1")}};
    auto const version = facts.version();
    CHECK_THROWS_AS(facts.append(with(role::tool, {result_part("1"), {.text = "bad"}}), refuses{}), std::runtime_error);
    CHECK(facts.size() == 1);
    CHECK(facts.part_count() == 1);
    CHECK(facts.group_at(0).waiting == 1);
    CHECK(facts.version() == version);
    facts.append(result("1"), refuses{});
    CHECK(grouped(facts, {0, 0}));
    CHECK(facts.part_count() == 2);
}

TEST_CASE("outline: many ids, long and alike, in conversations of any length") {
    outline facts;
    auto const id = [](int number) { return std::string(40, 'x') + std::to_string(number); };
    for (int round = 0; round < 500; ++round) {
        // Every id is used twice, the second time when the first call has its answer.
        auto const name = id(round % 250);
        facts.append(call(name, "tool"), toy::per_byte{});
        facts.append(result(name), toy::per_byte{});
    }
    for (std::uint32_t index = 0; index < facts.size(); ++index) CHECK(facts.group_of(index) == index / 2 * 2);
    CHECK(facts.group_count() == 1'000);
}

TEST_CASE("outline: a chain of joins is one group") {
    outline facts;
    facts.append(user("u"), toy::per_byte{});
    for (int more = 0; more < 300; ++more) facts.append(joined(assistant("a")), toy::per_byte{});
    CHECK(facts.group_of(300) == 0);
    CHECK(facts.group_at(0).count == 301);
    CHECK(facts.group_at(0).cost == cost::of({301}));
    std::size_t members = 0;
    for (std::uint32_t index = 0; index != condense::detail::none32; index = facts.message_at(index).next_in_group)
        ++members;
    CHECK(members == 301);
}

TEST_CASE("outline: results without ids answer the first call that waits, whatever was answered before") {
    auto const call_of = [](outline const& facts, std::uint32_t part_id) {
        return facts.call_part_id(facts.part_at(part_id));
    };
    outline_of facts{{with(role::assistant, {call_part("", "x"), call_part("1", "y"), call_part("", "y")}),
                      with(role::tool, {output_part("y"), output_part("y"), output_part("")})}};
    CHECK(call_of(facts, 3) == 2);  // calls without an id come first
    CHECK(call_of(facts, 4) == 1);
    CHECK(call_of(facts, 5) == 0);
    facts.append(with(role::tool, {output_part("x")}), toy::per_byte{});
    CHECK(call_of(facts, 6) == 0);  // a further result

    SECTION("a pending result has its call wait again") {
        facts.append(with(role::tool, {result_part("1", "later", condense::part_status::pending)}), toy::per_byte{});
        facts.append(with(role::tool, {output_part("")}), toy::per_byte{});
        CHECK(call_of(facts, 8) == 1);
    }
    SECTION("a group that joins brings its calls") {
        outline_of two{{call("1"), call(""), call("2", "y"), with(role::tool, {output_part("")})}};
        CHECK(call_of(two, 3) == 2);  // of the newest group
        two.append(with(role::assistant, {result_part("1"), result_part("2"), call_part("3")}), toy::per_byte{});
        two.append(with(role::tool, {output_part("")}), toy::per_byte{});
        CHECK(call_of(two, 7) == 6);
    }
}
