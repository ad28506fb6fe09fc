// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/protect.hpp>

#include <limits>

#include <condense/layer/compress.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::at_most, condense::covering, condense::errors, condense::first, condense::group, condense::last;
using condense::newest, condense::nothing, condense::role, condense::task, condense::tools;
using condense::detail::pressure_level, toy::assistant, toy::call, toy::desk, toy::result, toy::user, toy::with;

template <class Policy, class Draft>
auto shielded(Policy const& policy, Draft const& draft, pressure_level how = {}) {
    return condense::detail::bound_protection<Policy, typename Draft::reader_type>{policy, draft, how};
}

static_assert(condense::protection<condense::task_t> &&
              condense::protection<decltype(task | last(15_pct) | tools("a"))>);
static_assert(!condense::protection<condense::messages> && !condense::protection<int>);
static_assert((task | last(15_pct)) == (task | last(15_pct)) && tools("a", "b") == tools("a", "b"));
static_assert(!(tools("a", "b") == tools("a", "c")));

/// The messages that are protected by their place: "0 5 6".
std::string held(auto const& policy, auto const& draft, pressure_level how = {}) {
    auto const bound_protection = shielded(policy, draft, how);
    std::string out;
    for (std::uint32_t index = 0; index < draft.outline().size(); ++index)
        if (draft.present(condense::sequence{index}) && bound_protection.holds(index))
            out.append(out.empty() ? "" : " ").append(std::to_string(index));
    return out;
}

/// 0 is a system message, 1 the task, 4 and 7 begin turns. A byte is a token: 1 2 2 3 4 2 3 6.
desk<> const& whole_desk() {
    static desk<> const on{{toy::system("s"), user("uu"), call("1", "read"), result("1"), user("more"),
                            call("2", "write"), result("2", "no!", part_status::error), user("latest")}};
    return on;
}

auto reader() {
    auto const& on = whole_desk();
    // Nothing here edits.
    return condense::draft_reader{on.history, on.facts, const_cast<condense::view&>(on.edits), on.count, on.limits};
}

}  // namespace

TEST_CASE("protect: places from either end; pressure halves them and the top lifts them") {
    auto const seen = reader();
    CHECK((held(nothing, seen) == "" && held(condense::pinned, seen) == "" && held(task, seen) == "1"));
    CHECK((held(first(0_messages), seen) == "" && held(first(3_messages), seen) == "0 1 2"));
    CHECK((held(first(99_messages), seen) == "0 1 2 3 4 5 6 7" && held(last(0_messages), seen) == ""));
    CHECK((held(last(3_messages), seen) == "5 6 7" && held(last(99_messages), seen) == "0 1 2 3 4 5 6 7"));
    CHECK((held(last(1_turns), seen) == "7" && held(last(2_turns), seen) == "4 5 6 7"));
    CHECK((held(last(3_turns), seen) == "1 2 3 4 5 6 7" && held(last(9_turns), seen) == "1 2 3 4 5 6 7"));
    CHECK(held(task | last(1_messages), seen) == "1 7");
    CHECK(held(first(2_messages) | last(2_messages) | nothing, seen) == "0 1 6 7");
    CHECK(held(last(4_messages), seen, {.pressure = 1}) == "6 7");
    CHECK(held(last(4_messages), seen, {.pressure = 2}) == "7");
    CHECK(held(last(4_messages), seen, {.pressure = 3}) == "7");
    CHECK(held(first(4_messages), seen, {.pressure = 1}) == "0 1");
    CHECK(held(last(2_turns), seen, {.pressure = 1}) == "7");
    CHECK(held(newest(20_tokens), seen, {.pressure = 1}) == "6 7");
    CHECK(held(covering(14_tokens), seen, {.pressure = 1}) == "6 7");
    CHECK(held(last(4_pct), seen, {.pressure = 2}) == "6 7");
    CHECK((held(last(4_messages), seen, {.pressure = 1'000}) == "7" && held(task, seen, {.pressure = 5}) == "1"));
    for (bool const top : {true, false})
        CHECK(held(task | last(4_messages) | first(4_messages) | newest(99_tokens), seen, {.pressure = 1, .top = top})
                  .empty() == top);
}

TEST_CASE("protect: what is gone does not count") {
    desk on{user("u"), assistant("a"), assistant("b"), user("v"), assistant("c"), user("w")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.drop({1}));
    REQUIRE_FALSE(draft.drop({4}));
    CHECK((held(first(2_messages), draft) == "0 2" && held(last(3_messages), draft) == "2 3 5"));
    CHECK(held(newest(3_tokens), draft) == "2 3 5");
    REQUIRE_FALSE(draft.drop({3}));
    CHECK(held(last(2_turns), draft) == "0 2 5");
}

TEST_CASE("protect: a summary counts as the message that it is") {
    desk on{user("u"), assistant("a"), assistant("b"), user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{1}}, "sum"));
    CHECK((held(last(3_messages), draft) == "2 3" && held(last(4_messages), draft) == "0 2 3"));
    CHECK((held(newest(4_tokens), draft) == "2 3" && held(newest(6_tokens), draft) == "0 2 3"));
    CHECK(shielded(last(3_messages), draft).holds(group{1}.summary()));
    CHECK_FALSE(shielded(last(2_messages), draft).holds(group{1}.summary()));
}

TEST_CASE("protect: the newest that fit, the fewest that reach a count, and shares [case-95] [case-96]") {
    auto const seen = reader();
    CHECK((held(newest(0_tokens), seen) == "" && held(newest(5_tokens), seen) == ""));
    CHECK((held(newest(6_tokens), seen) == "7" && held(newest(10_tokens), seen) == "6 7"));
    CHECK(held(newest(11_tokens), seen) == "5 6 7");
    desk big{user(std::string_view{"0123456789"}), assistant("x"), assistant("0123456789012345"), user("y")};
    CHECK(held(newest(13_tokens), big.draft()) == "3");
    CHECK((held(covering(0_tokens), seen) == "" && held(covering(1_tokens), seen) == "7"));
    CHECK((held(covering(6_tokens), seen) == "7" && held(covering(7_tokens), seen) == "6 7"));
    CHECK(held(covering(99_tokens), seen) == "0 1 2 3 4 5 6 7");
    CHECK((held(last(1_pct), seen) == "6 7" && held(last(1.1_pct), seen) == "5 6 7"));
    CHECK(held(last(15_pct), seen, {.message_limit = 20_messages}) == "5 6 7");
    CHECK(held(last(15_pct), seen, {.message_limit = 10_messages}) == "7");
    CHECK(held(last(15_pct), seen, {.message_limit = 6_messages}) == "");
}

TEST_CASE("protect: what no answer has followed, until the top") {
    desk<> on{{toy::system("s"), user("u"), assistant("a"), user("v"), user("w")}};
    auto const draft = on.draft();
    CHECK(held(condense::unanswered, draft) == "3 4");
    CHECK(held(condense::unanswered, draft, {.pressure = 3}) == "3 4");
    CHECK(held(condense::unanswered, draft, {.pressure = 3, .top = true}) == "");
    desk<> never{{user("u"), user("v")}};
    CHECK(held(condense::unanswered, never.draft()) == "0 1");
    desk<> answered{{user("u"), assistant("a")}};
    CHECK(held(task | condense::unanswered, answered.draft()) == "0");
    // The model has yet to read what it asked for: that answers nobody.
    desk<> open{{user("u"), assistant("a"), user("v"), user("w"), call("1", "t"), result("1")}};
    CHECK(held(condense::unanswered, open.draft()) == "2 3 4 5");
    desk<> second{{user("u"), user("v"), call("1", "t"), result("1"), call("2", "t"), result("2")}};
    CHECK(held(condense::unanswered, second.draft()) == "5");
    desk<> only{{user("u"), user("v"), call("1", "t")}};
    CHECK(held(condense::unanswered, only.draft()) == "0 1 2");
}

TEST_CASE("protect: a share limits what another policy protects, and is none above the whole [case-91]") {
    desk on{user("0"),      assistant("1"), assistant("2"), assistant("3"), assistant("4"),
            assistant("5"), assistant("6"), assistant("7"), assistant("8"), user("9")};
    auto const draft = on.draft();
    pressure_level const by_count{.message_limit = 10_messages};
    CHECK(held(first(3_messages) | last(4_messages), draft, by_count) == "0 1 2 6 7 8 9");
    CHECK(held(at_most(50_pct, first(3_messages) | last(4_messages)), draft, by_count) == "0 1 2 8 9");
    CHECK(held(at_most(50_pct, first(7_messages) | last(4_messages)), draft, by_count) == "0 1 2 3 4");
    CHECK(held(at_most(100_pct, first(3_messages) | last(4_messages)), draft, by_count) == "0 1 2 6 7 8 9");
    CHECK(held(at_most(0_pct, first(3_messages) | last(4_messages)), draft, by_count) == "");
    // In tokens; the input is 1,000.
    CHECK(held(at_most(0.3_pct, last(8_messages)), draft) == "7 8 9");
    CHECK(held(at_most(0.3_pct, last(2_messages)), draft) == "8 9");
    CHECK(held(at_most(50_pct, task | last(8_messages)), draft) == "0 2 3 4 5 6 7 8 9");
    CHECK_THROWS_AS(at_most(101_pct, task), condense::invalid_configuration);
    CHECK_NOTHROW(at_most(100_pct, task));
}

TEST_CASE("protect: content, in routine runs only, and with it its group") {
    auto const seen = reader();
    condense::part_view const read{.text = "x", .tool = "read"};
    condense::part_view const failed{.text = "x", .tool = "write", .status = part_status::error};
    auto const by_name = tools("read", "mem*");
    CHECK((shielded(by_name, seen).holds(read) && shielded(by_name, seen).holds({.tool = "memory_write"})));
    CHECK((!shielded(by_name, seen).holds(failed) && !shielded(tools("*"), seen).holds({.text = "no tool"})));
    CHECK((!shielded(by_name, seen, {.pressure = 1}).holds(read) && shielded(errors, seen).holds(failed)));
    CHECK((!shielded(errors, seen).holds(read) && !shielded(errors, seen, {.pressure = 1}).holds(failed)));
    auto const long_ones = nothing | [](condense::part_view const& part) { return part.text.size() > 3; };
    CHECK((shielded(long_ones, seen).holds({.text = "long"}) && !shielded(long_ones, seen).holds(read)));
    CHECK(shielded(task | errors | by_name, seen).holds(read));
    CHECK((shielded(at_most(0_pct, errors), seen).holds(failed) && !shielded(last(9_messages), seen).holds(read)));
    auto const holds = [&](auto const& policy, std::uint32_t slot, pressure_level how = {}) {
        return shielded(policy, seen, how).holds(group{slot});
    };
    CHECK(holds(first(3_messages), 2));  // its result is not among the first three
    CHECK((holds(last(2_messages), 5) && !holds(last(1_messages), 5) && holds(task, 1) && !holds(task, 2)));
    CHECK((holds(tools("read"), 2) && !holds(tools("read"), 5) && holds(errors, 5) && !holds(errors, 2)));
    CHECK((!holds(errors, 5, {.pressure = 1}) && holds(at_most(0_pct, errors), 5)));
}

TEST_CASE("protect: figures of any size are harmless") {
    auto const figure = GENERATE(as<std::uint64_t>{}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max());
    auto const seen = reader();
    for (pressure_level const how :
         {pressure_level{}, pressure_level{.pressure = 1}, pressure_level{.message_limit = {figure}}}) {
        CHECK(held(first({figure}), seen, how) == "0 1 2 3 4 5 6 7");
        CHECK(held(last(condense::messages{figure}), seen, how) == "0 1 2 3 4 5 6 7");
        CHECK(held(last(condense::turns{figure}), seen, how) == "1 2 3 4 5 6 7");
        CHECK(held(newest({figure}), seen, how) == "0 1 2 3 4 5 6 7");
        CHECK(held(covering({figure}), seen, how) == "0 1 2 3 4 5 6 7");
        CHECK(held(last(100_pct), seen, how) == "0 1 2 3 4 5 6 7");
        CHECK(held(at_most(100_pct, first({figure})), seen, how) == "0 1 2 3 4 5 6 7");
    }
}

TEST_CASE("protect: the last results, whatever stands between them, but for those of exempt tools") {
    conversation history{U("task")};
    auto const round = [&](std::string id, std::string tool) {
        history += {C(id, std::move(tool)), R(std::move(id), letters(300)), A("so")};
    };
    for (auto const* const id : {"1", "2", "3", "4", "5", "6", "7", "8"})
        round(id, *id == '6' || *id == '8' ? "read_file" : "shell");
    history.push_back(U("thanks"));
    auto const cut = [&](auto protect, unsigned pressure = 0, bool top = false) {
        toy::press const press{.pressure = pressure, .top = top};
        condense::compress const layer{
            .when = condense::always, .protect = protect, .over = 100_chars, .with = condense::head{.keep = 1_chars}};
        auto const copy = fakes::after(history, condense::pipeline{layer, press});
        std::string out;
        for (std::size_t index = 2; index < copy.size(); index += 3) out += copy[index] == history[index] ? '1' : '0';
        return out;
    };
    CHECK((cut(last(3_results)) == "00000111" && cut(last(0_results)) == "00000000"));
    CHECK((cut(last(20_results)) == "11111111" && cut(tools("read_file") | last(3_results)) == "00011111"));
    CHECK((cut(task | last(3_results) | tools("read_*")) == "00011111" && cut(last(4_results), 1) == "00000011"));
    CHECK((cut(last(4_results), 9) == "00000001" && cut(last(4_results), 1, true) == "00000000"));
    // Blocks of one result count once, parallel results each.
    history.insert(history.end() - 1, {C("9", "shell"), R("9", "r"), A("so")});
    auto& parallel = *(history.end() - 3);
    parallel.parts.push_back({.kind = condense::part_kind::tool_call, .text = "{}", .tool = "shell", .call = "10"});
    history.insert(history.end() - 2, R("10", "r"));
    auto& blocks = *(history.end() - 4);
    blocks.parts.push_back(blocks.parts[0]);
    CHECK(cut(last(3_results)).starts_with("00000001"));
}

using condense::detail::zone;

TEST_CASE("zone: the last messages, those that a cost holds, and places before the head and from the tail on") {
    toy::desk<> on{toy::user("u"), toy::assistant("abc"), toy::user("vv"), toy::assistant("d")};
    auto const draft = on.draft();
    CHECK(condense::detail::last_messages(draft, 2) == 5);
    CHECK(condense::detail::newest_within(draft, condense::cost::of({3})) == 5);
    CHECK(condense::detail::newest_within(draft, condense::cost::of({2})) == 7);
    CHECK(condense::detail::after_first(draft, 1) == 2);
    zone const ends = zone{.head = 2}.joined({.tail = 8});
    CHECK((ends.holds(1) && !ends.holds(2) && !ends.holds(7) && ends.holds(8) && !zone{}.holds(0)));
    // Pressure halves, the newest one stays up to the top.
    CHECK((pressure_level{}.eased(10) == 10 && pressure_level{.pressure = 2}.eased(10) == 2));
    pressure_level const high{.pressure = 99};
    CHECK((high.eased(10) == 0 && high.eased_to_one(10) == 1));
    CHECK(pressure_level{.pressure = 1}.eased_to_one(0) == 0);
    CHECK(pressure_level{.pressure = 1, .top = true}.eased_to_one(10) == 0);
}
