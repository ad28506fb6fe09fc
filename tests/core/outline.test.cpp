// SPDX-License-Identifier: BSL-1.0
#include <condense/core/outline.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/group_results.hpp>
#include <condense/core/outline_records.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using namespace toy;
using condense::cost, condense::outline, condense::detail::none32;
using messages = std::vector<message>;
using ids = std::vector<std::uint32_t>;

/// The outline of a conversation, read with its marks.
outline outlined(messages const& conversation) {
    outline facts;
    for (auto const& m : conversation) {
        facts.read(m, per_byte{}, {.marks = true});
        facts.place();
    }
    return facts;
}
/// The group of every message, in order.
ids groups_of(outline const& facts) {
    ids all;
    for (std::uint32_t index = 0; index < facts.size(); ++index) all.push_back(facts.group_of(index));
    return all;
}

message calls(part_view const& one, part_view const& other) { return with(role::assistant, {one, other}); }
message outputs(std::string_view tool) { return with(role::tool, {output_part(tool)}); }
message says(role speaker, part_view const& part) { return with(speaker, {part}); }

// T30: an approval names the call it is for.
constexpr part_view approval{.kind = part_kind::other, .text = "yes", .call = "1"};
constexpr part_view image{.kind = part_kind::media, .call = "1"};

TEST_CASE("outline: pairs and groups") {
    auto const both = calls(call_part("1"), call_part("2"));
    struct row {
        std::string_view name;
        messages conversation;
        ids groups;
    };
    row const rows[] = {
        {"plain messages are groups", {user("u"), assistant("a"), user("v")}, {0, 1, 2}},
        {"results join their call", {user("u"), call("1"), result("1"), assistant("a")}, {0, 1, 1, 3}},
        {"parallel calls are one group", {both, result("2"), result("1")}, {0, 0, 0}},
        {"in one message, too", {both, with(role::user, {result_part("1"), result_part("2")})}, {0, 0}},
        {"case-88, T22: a reused id pairs with the nearest call that waits",
         {user("u"), call("1"), result("1"), user("v"), call("1"), result("1")},
         {0, 1, 1, 3, 4, 4}},
        {"two wait: the newer is answered first, then the older",
         {call("1"), user("u"), call("1"), result("1"), result("1")},
         {0, 1, 2, 2, 0}},
        {"T29: a thinking loop that the traits join goes as one",
         {user("u"), call("1"), result("1"), joined(call("2")), result("2"), joined(assistant("a"))},
         {0, 1, 1, 1, 1, 1}},
        {"the first joins nothing", {joined(user("u")), user("v")}, {0, 1}},
        // Results without ids.
        {"only the newest calls are answered", {call("", "f"), user("u"), call("", "g"), outputs("f")}, {0, 1, 2, 3}},
        {"more results join while the round goes on", {call("", "f"), outputs("f"), outputs("f")}, {0, 0, 0}},
        {"and not after it", {call("", "f"), outputs("f"), assistant("a"), outputs("f")}, {0, 0, 2, 3}},
        {"an unknown id is not matched by order",
         {call("1", "f"), says(role::tool, {.kind = part_kind::tool_result, .tool = "f", .call = "2"})},
         {0, 1}},
        // And not to an older call of the same id that has no answer.
        {"a part that came with a result belongs to its call",
         {call("1"), user("u"), call("1"), with(role::tool, {result_part("1"), image})},
         {0, 1, 2, 2}},
        {"also before it",
         {call("1"), user("u"), call("1"), with(role::tool, {image, result_part("1")})},
         {0, 1, 2, 2}},
        {"also beside both",
         {call("1"), user("u"), with(role::assistant, {call_part("1"), result_part("1"), image})},
         {0, 1, 2}},
    };
    for (auto const& [name, conversation, groups] : rows) {
        INFO(name);
        CHECK(groups_of(outlined(conversation)) == groups);
    }
}

TEST_CASE("outline: results and their calls") {
    // A result beside its call pairs.
    auto const both = outlined({calls(call_part("1"), result_part("1"))});
    CHECK((both.group_at(0).waiting == 0 && both.part_at(1).call == 0 && !both.group_at(0).orphan));
    // T24: a result never pairs with a later call.
    auto const later = outlined({result("1"), call("1")});
    CHECK(groups_of(later) == ids{0, 1});
    CHECK((later.group_at(0).orphan && later.group_at(1).waiting == 1));
    auto const further = outlined({call("1"), result("1"), result("1")});
    CHECK(groups_of(further) == ids{0, 0, 0});
    CHECK(further.group_at(0).waiting == 0);
    // Blocks with one id are one result: the second does not answer the older call of that id.
    auto const blocks = outlined({call("1"), call("1"), with(role::user, {result_part("1"), result_part("1")})});
    CHECK(groups_of(blocks) == ids{0, 1, 1});
    CHECK((blocks.group_at(0).waiting == 1 && blocks.group_at(1).waiting == 0));
    // case-78
    auto const orphans = outlined({call("456"), result("789")});
    CHECK(groups_of(orphans) == ids{0, 1});
    CHECK((orphans.group_at(1).orphan && !orphans.group_at(0).orphan && orphans.part_at(1).call == none32));
}

TEST_CASE("outline: groups need not be contiguous, and a message joins two") {
    auto const apart = outlined({call("1"), user("steer"), result("1")});
    auto const& first = apart.group_at(0);
    CHECK(groups_of(apart) == ids{0, 1, 0});
    CHECK((first.first == 0 && first.last == 2 && first.count == 2 && apart.message_at(0).next_in_group == 2));

    auto facts = outlined({call("1"), user("u"), call("2")});
    facts.read(with(role::user, {result_part("1"), result_part("2")}), per_byte{});
    CHECK(facts.place() == 2);
    CHECK(groups_of(facts) == ids{0, 1, 0, 0});
    auto const& found = facts.group_at(0);
    CHECK((found.count == 3 && found.last == 3 && found.waiting == 0 && facts.group_at(2).count == 0));
}

TEST_CASE("outline: any part with the id of a call joins it") {
    auto const facts = outlined({call("1"), says(role::user, approval), result("1")});
    CHECK(groups_of(facts) == ids{0, 0, 0});
    CHECK(facts.part_at(1).call == 0);
    // It is no answer, and one whose call is nowhere is a message like any other.
    CHECK(outlined({call("1"), says(role::user, approval)}).group_at(0).waiting == 1);
    CHECK_FALSE(outlined({says(role::user, approval)}).group_at(0).orphan);
}

TEST_CASE("outline: without ids the tool's name decides, else the order") {
    auto const order = outlined({calls(call_part("", "f"), call_part("", "f")), outputs(""), outputs("")});
    CHECK(groups_of(order) == ids{0, 0, 0});
    CHECK((order.part_at(2).call == 0 && order.part_at(3).call == 1 && order.group_at(0).waiting == 0));
    auto const names = outlined(
        {calls(call_part("", "f"), call_part("", "g")), with(role::tool, {output_part("g"), output_part("f")})});
    CHECK((names.part_at(2).call == 1 && names.part_at(3).call == 0));
    // Message 0 and 3 are one group by the id of the late result; what stands between decides nothing.
    auto const ask = calls(call_part("1", "f"), call_part("2", "f"));
    auto const late = calls(result_part("1"), call_part("3", "f"));
    auto const apart = outlined({ask, call("9", "g"), result("9"), late, outputs("f")});
    CHECK(groups_of(apart) == ids{0, 1, 1, 0, 0});
    CHECK(apart.part_at(6).call == 1);
    CHECK(outlined({ask, late, outputs("f")}).part_at(4).call == 1);
}

TEST_CASE("outline: open groups") {
    auto const both = calls(call_part("1"), call_part("2"));
    auto const wait = result("1", "soon", part_status::pending);
    struct row {
        std::string_view name;
        messages conversation;
        std::uint32_t group;
        bool open;
    };
    row const rows[] = {
        {"a call", {user("u"), call("1")}, 1, true},
        {"with its result", {user("u"), call("1"), result("1")}, 1, true},
        {"until an assistant follows", {user("u"), call("1"), result("1"), user("v")}, 1, true},
        {"an answer", {user("u"), call("1"), result("1"), assistant("a")}, 1, false},
        {"a further call", {user("u"), call("1"), result("1"), call("2")}, 1, false},
        {"only groups with calls", {user("u")}, 0, false},
        {"no answer", {user("u"), assistant("a")}, 1, false},
        {"a call that waits keeps its group open", {user("u"), both, result("1"), assistant("a")}, 1, true},
        {"an orphan", {result("1")}, 0, true},
        {"an orphan until a turn follows", {result("1"), user("u")}, 0, false},
        {"an orphan and an answer", {result("1"), assistant("a")}, 0, false},
        // case-133: a call without result, and a later turn that has been answered.
        {"a call lives in its turn", {user("u"), call("1"), assistant("a")}, 1, true},
        {"a call lives until a later turn", {user("u"), call("1"), user("v")}, 1, true},
        {"a call dies when a later turn is answered", {user("u"), call("1"), user("v"), assistant("a")}, 1, false},
        {"so does that of the turn before", {user("u"), call("1"), user("v"), call("2"), assistant("a")}, 1, false},
        {"that of the answered turn lives", {user("u"), call("1"), user("v"), call("2"), assistant("a")}, 3, true},
        {"a pending call never dies",
         {user("u"), call("1", "", part_status::pending), user("v"), assistant("a"), user("w"), assistant("b")},
         1,
         true},
        {"a pending result keeps its call waiting", {user("u"), call("1"), wait, user("v"), assistant("a")}, 1, true},
        {"until it is there",
         {user("u"), call("1"), wait, user("v"), assistant("a"), result("1"), assistant("b")},
         1,
         false},
        {"also one that comes when the call was given up",
         {user("u"), call("1"), user("v"), assistant("a"), wait, assistant("b")},
         1,
         true},
        {"a cancelled call waits for nothing",
         {user("u"), call("1", "", part_status::cancelled), assistant("a")},
         1,
         false},
    };
    for (auto const& [name, conversation, group, open] : rows) {
        INFO(name);
        CHECK(outlined(conversation).open(group) == open);
    }
    CHECK(outlined({call("1", "", part_status::cancelled)}).group_at(0).waiting == 0);
    CHECK(outlined({call("1"), result("1", "", part_status::cancelled)}).group_at(0).waiting == 0);
    // A dead call can still be answered.
    auto const dead = outlined({user("u"), call("1"), user("v"), assistant("a"), result("1")});
    CHECK(groups_of(dead) == ids{0, 1, 2, 3, 1});
    CHECK((dead.group_at(1).waiting == 0 && !dead.group_at(1).orphan));
}

TEST_CASE("outline: costs and sizes are counted once, and a part's own cost is not estimated") {
    outline facts;
    facts.append(calls({.text = "abc"}, call_part("1")), framed{});
    facts.append(result("1", "12345"), framed{});
    CHECK((facts.message_at(0).frame == cost::of({10}) && facts.part_at(0).cost == cost::of({3 + 3})));
    CHECK((facts.part_at(0).size == 3 && facts.part_at(2).cost == cost::of({5 + 3})));
    CHECK(facts.group_at(0).cost == cost::of({10 + 6 + 5 + 10 + 8}));
    auto const media =
        outlined({says(role::user, {.kind = part_kind::media, .text = "0123456789", .cost = cost::of({1'600})})});
    CHECK((media.part_at(0).cost == cost::of({1'600}) && media.part_at(0).size == 10));
}

TEST_CASE("outline: plain users have more than results") {
    auto const facts = outlined({call("1"), says(role::user, result_part("1")), user("u"), call("2"),
                                 with(role::user, {result_part("2"), {.text = "and hurry"}}), toy::system("s")});
    CHECK((!facts.message_at(1).plain_user && facts.message_at(2).plain_user && facts.message_at(4).plain_user));
    CHECK((!facts.message_at(5).plain_user && facts.task() == 2 && facts.latest_user() == 4));
    CHECK(facts.group_at(3).plain_users == 1);
    // Neither is a result without an id, nor a part that only speaks of a call.
    auto const of_calls = outlined({call("1", "f"), says(role::user, approval), says(role::user, output_part("f")),
                                    with(role::user, {approval, {.text = "and hurry"}})});
    CHECK((!of_calls.message_at(1).plain_user && !of_calls.message_at(2).plain_user && of_calls.task() == 3));
    CHECK(outlined({user("/mode"), assistant("a"), user("Hi there!"), user("mend it"), user("hello")}).task() == 3);
    CHECK(outlined({user("/usr/bin is gone"), user("mend it")}).task() == 0);
    CHECK(outlined({user("/clear")}).task() == 0);
    for (auto const* const words : {"Hello :)\r\n", "hi?", "good morning", "/mcp__x:y"})
        CHECK(outlined({user(words), user("mend it")}).task() == 1);
    for (auto const* const words : {"again", "good", "/", "/\xE4\xBF\xAE\xE5\xA4\x8D", "", "hello, mend it"})
        CHECK(outlined({user(words), user("mend it")}).task() == 0);
    auto named = outlined({user("/mode"), user("the rules"), user("mend it")});
    CHECK((named.task() == 1 && named.name_task(2) && named.task() == 2));
    auto command = outlined({user("/deploy")});
    REQUIRE(command.name_task(0));
    command.append(user("prod"), per_byte{});
    CHECK(command.task() == 0);
    auto const without = outlined({assistant("a")});
    CHECK((without.task() == none32 && without.latest_user() == none32));
}

TEST_CASE("outline: groups have what a member has, results the tool of their call") {
    auto const facts = outlined(
        {call("1", "read"), pinned(result("1", "no", part_status::error)), toy::system("s"), user("u"), result("2")});
    auto const& round = facts.group_at(0);
    CHECK((round.pinned && round.has_error && round.has_calls && !round.system && facts.group_at(2).system));
    CHECK((!facts.group_at(3).pinned && !facts.group_at(3).has_calls));
    CHECK((facts.tool_of(facts.part_at(1)) == "read" && facts.tool_of(facts.part_at(4)).empty()));
}

TEST_CASE("outline: the newest compaction of a provider is held like a pinned message, and no older one") {
    auto const folded = says(
        role::assistant, {.kind = part_kind::other, .text = "so far", .compaction = condense::compaction_place::any});
    auto facts = outlined({user("u"), folded, pinned(folded), user("v"), folded});
    auto const held = [&] {
        return ids{facts.message_at(1).pinned, facts.message_at(2).pinned, facts.message_at(4).pinned};
    };
    CHECK((facts.compaction() == 4 && held() == ids{0, 1, 1} && facts.pinned(2) && !facts.pinned(4)));
    facts.pin(4, false);
    CHECK(held() == ids{0, 1, 1});
    facts.pin(4, true);
    facts.append(folded, per_byte{});
    CHECK((held() == ids{0, 1, 1} && facts.pinned(4) && facts.group_at(5).pinned));
    // One that has to come first begins a request, as the user does.
    auto alone = folded;
    alone.parts[0].compaction = condense::compaction_place::first;
    CHECK(outlined({user("u"), folded, user("v"), alone, assistant("a")}).beginning_before(5) == 3);
}

TEST_CASE("outline: marks tell of earlier runs, but not in a message that joins others") {
    using condense::detail::earlier_edit;
    auto const facts = outlined(
        {marked(user("so far"), "summary"), user("u"), marked(calls({.text = "a"}, {.text = "b"}), "stored.1")});
    CHECK((facts.group_at(0).summary && !facts.message_at(0).plain_user && facts.task() == 1));
    CHECK((facts.part_at(2).earlier == earlier_edit::none && facts.part_at(3).earlier == earlier_edit::externalized));
    CHECK_FALSE(outlined({user("u"), joined(marked(user("so far"), "summary"))}).group_at(0).summary);
}

TEST_CASE("outline: an estimator that throws changes nothing") {
    struct refuses {
        cost operator()(std::string_view text) const {
            if (text == "bad") throw std::runtime_error{"no"};
            return {};
        }
    };
    auto facts = outlined({call("1")});
    auto const version = facts.version();
    CHECK_THROWS_AS(facts.append(with(role::tool, {result_part("1"), {.text = "bad"}}), refuses{}), std::runtime_error);
    CHECK((facts.size() == 1 && facts.part_count() == 1 && facts.group_at(0).waiting == 1));
    CHECK(facts.version() == version);
    facts.append(result("1"), refuses{});
    CHECK(groups_of(facts) == ids{0, 0});
    CHECK((facts.part_count() == 2 && facts.version() > version));
}

TEST_CASE("outline: many ids, long and alike, in conversations of any length") {
    outline facts;
    for (int round = 0; round < 500; ++round) {
        // Every id is used twice, the second time when the first call has its answer.
        auto const name = std::string(40, 'x') + std::to_string(round % 250);
        facts.append(call(name, "tool"), per_byte{});
        facts.append(result(name), per_byte{});
    }
    for (std::uint32_t index = 0; index < facts.size(); ++index) CHECK(facts.group_of(index) == index / 2 * 2);
    CHECK(facts.group_count() == 1'000);
}

TEST_CASE("outline: a chain of joins is one group") {
    outline facts;
    facts.append(user("u"), per_byte{});
    for (int more = 0; more < 300; ++more) facts.append(joined(assistant("a")), per_byte{});
    CHECK((facts.group_of(300) == 0 && facts.group_at(0).count == 301 && facts.group_at(0).cost == cost::of({301})));
    std::size_t members = 0;
    for (std::uint32_t index = 0; index != none32; index = facts.message_at(index).next_in_group) ++members;
    CHECK(members == 301);
}

TEST_CASE("outline: results without ids answer the first call that waits, whatever was answered before") {
    auto const call_of = [](outline const& facts, std::uint32_t part_id) {
        return facts.call_part_id(facts.part_at(part_id));
    };
    auto facts = outlined({with(role::assistant, {call_part("", "x"), call_part("1", "y"), call_part("", "y")}),
                           with(role::tool, {output_part("y"), output_part("y"), output_part("")})});
    CHECK(call_of(facts, 3) == 2);  // calls without an id come first
    CHECK((call_of(facts, 4) == 1 && call_of(facts, 5) == 0));
    facts.append(outputs("x"), per_byte{});
    CHECK(call_of(facts, 6) == 0);  // a further result

    SECTION("a pending result has its call wait again") {
        facts.append(result("1", "later", part_status::pending), per_byte{});
        facts.append(outputs(""), per_byte{});
        CHECK(call_of(facts, 8) == 1);
    }
    SECTION("a group that joins brings its calls") {
        auto two = outlined({call("1"), call(""), call("2", "y"), outputs("")});
        CHECK(call_of(two, 3) == 2);  // of the newest group
        two.append(with(role::assistant, {result_part("1"), result_part("2"), call_part("3")}), per_byte{});
        two.append(outputs(""), per_byte{});
        CHECK(call_of(two, 7) == 6);
    }
}

/// A part that came with a result before it, three results with two ids, a part that came with one, one again; then
/// others.
struct many_parts {
    std::size_t others = 0;

    struct condense_traits {
        static role role_of(many_parts const&) { return role::tool; }
        static void each_part(many_parts const& m, auto&& sink) {
            sink(part_view{.kind = part_kind::media, .call = "b"});
            for (auto const* const id : {"b", "a", "b"}) sink(result_part(id));
            sink(part_view{.call = "b"});
            sink(result_part("a"));
            for (std::size_t other = 0; other < m.others; ++other) sink(result_part(other % 2 == 0 ? "c" : "aa"));
        }
    };
};

TEST_CASE("message_scan: all of a message is read, and nothing of the message before stays") {
    condense::detail::message_scan fresh;
    fresh.read(calls({.text = "hm"}, call_part("c1", "look")), per_byte{}, {});
    auto const& parts = fresh.parts();
    CHECK((parts.size() == 2 && parts[0].record.size == 2 && parts[1].record.kind == part_kind::tool_call));
    CHECK((fresh.id_of(parts[1]) == "c1" && fresh.name_of_tool(parts[1]) == "look" && fresh.id_of(parts[0]).empty()));
    CHECK((fresh.text_size() == 6 && fresh.record.speaker == role::assistant && !fresh.record.plain_user));

    fresh.read(joined(pinned(call("1"))), per_byte{}, {});
    CHECK((fresh.record.pinned && fresh.joins_previous && fresh.text_size() != 0));
    fresh.read(user("u"), per_byte{}, {});
    CHECK((!fresh.record.pinned && !fresh.joins_previous && fresh.text_size() == 0 && fresh.parts().size() == 1));
    CHECK(fresh.record.plain_user);

    // A forged mark is one only where marks are asked for.
    auto const forged = marked(user("u"), "summary");
    fresh.read(forged, per_byte{}, {});
    CHECK((!fresh.record.summary && fresh.record.plain_user && !fresh.record.pinned));
    fresh.read(forged, per_byte{}, {.marks = true, .pinned = true});
    CHECK((fresh.record.summary && !fresh.record.plain_user && fresh.record.pinned));
}

TEST_CASE("message_scan: results with one id are known, of few parts and of many, which are searched in other ways") {
    for (std::size_t const more : {0u, 20u}) {
        condense::detail::message_scan fresh;
        fresh.read(many_parts{.others = more}, per_byte{}, {});
        ids found;
        for (std::uint32_t part = 0; part < 6; ++part) found.push_back(fresh.earlier_result(part));
        CHECK(found == ids{none32, none32, none32, 1, 1, 2});
    }
}

ids results_of(condense::detail::group_results& results, outline const& facts, std::uint32_t part_id) {
    auto const& part = facts.part_at(part_id);
    ids found;
    for (auto const id : results.of(facts, facts.group_of(part.message_index), part.call)) found.push_back(id);
    return found;
}

TEST_CASE("group_results: the results of each call") {
    auto facts = outlined({with(role::assistant, {call_part("1"), call_part("2"), call_part("3")}),
                           with(role::tool, {result_part("2"), result_part("1"), result_part("2")}),
                           with(role::tool, {result_part("2"), result_part("nowhere")}), call("4"), result("4")});
    condense::detail::group_results results;
    CHECK((results_of(results, facts, 0) == ids{4} && results_of(results, facts, 1) == ids{3, 5, 6}));
    CHECK((results_of(results, facts, 6) == ids{3, 5, 6} && results_of(results, facts, 2).empty()));
    CHECK((results_of(results, facts, 8) == ids{9} && results_of(results, facts, 1) == ids{3, 5, 6}));

    facts.append(result("2"), per_byte{});
    CHECK(results_of(results, facts, 1) == ids{3, 5, 6, 10});
}

TEST_CASE("group_results: results come in the order in which messages joined their group") {
    // The last message joins the older group before the newer one joins both.
    auto const facts = outlined(
        {call("1"), call("2"), result("2"), result("1"), with(role::tool, {result_part("1"), result_part("2")})});
    condense::detail::group_results results;
    CHECK(facts.group_of(4) == 0);
    CHECK((results_of(results, facts, 0) == ids{3, 4} && results_of(results, facts, 1) == ids{5, 2}));
}

TEST_CASE("group_results: the first call that waits without an id") {
    auto facts = outlined({call("1"), call("", {}, part_status::pending), result("1")});
    condense::detail::group_results results;
    CHECK((results.first_waiting_without_id(facts, 0) == none32 && results.first_waiting_without_id(facts, 1) == 1));
    facts.append(result(""), per_byte{});
    CHECK(results.first_waiting_without_id(facts, 1) == none32);
}

}  // namespace
