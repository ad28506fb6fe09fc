// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>

#include <type_traits>
#include <vector>

#include <condense/core/outline.hpp>
#include <condense/estimate/char_ratio.hpp>

#include "support/catch.hpp"

namespace {

using condense::chat_message;
using condense::chat_part;
using condense::part_kind;
using condense::part_status;
using condense::part_view;
using condense::role;

static_assert(condense::message<chat_message> && condense::shortenable<chat_message> &&
              condense::composable<chat_message>);
static_assert(condense::detail::thinnable<chat_message> && condense::detail::markable<chat_message>);
static_assert(std::is_nothrow_move_constructible_v<chat_message> && std::is_nothrow_move_assignable_v<chat_message>);

std::vector<part_view> parts_of(chat_message const& m) {
    std::vector<part_view> out;
    condense::each_part(m, [&](part_view const& part) { out.push_back(part); });
    return out;
}

}  // namespace

TEST_CASE("chat_message: is written in one line") {
    CHECK(chat_message::system("rules").role == role::system);
    CHECK(chat_message::user("hello").role == role::user);
    CHECK(chat_message::assistant("hi").role == role::assistant);
    CHECK(chat_message::user("hello").parts == std::vector<chat_part>{{.text = "hello"}});
    CHECK(chat_message::text(role::other, "note").role == role::other);
    CHECK(chat_message::user("").parts.empty());
    auto const calls = chat_message::call("1", "read", "{}").and_call("2", "write", "[]");
    CHECK(calls.role == role::assistant);
    CHECK(calls.parts ==
          std::vector<chat_part>{{.kind = part_kind::tool_call, .text = "{}", .tool = "read", .call = "1"},
                                 {.kind = part_kind::tool_call, .text = "[]", .tool = "write", .call = "2"}});
    auto const result = chat_message::result("1", "no such file", part_status::error);
    CHECK(result.role == role::tool);
    CHECK(result.parts ==
          std::vector<chat_part>{
              {.kind = part_kind::tool_result, .text = "no such file", .call = "1", .status = part_status::error}});
}

TEST_CASE("chat_message: is read whole") {
    chat_message const m{
        .role = role::assistant,
        .parts =
            {{.kind = part_kind::reasoning, .text = "hm", .sealed = true},
             {.kind = part_kind::media, .text = "iVBOR", .cost = condense::cost::of({1'600})},
             {.kind = part_kind::tool_call, .text = "{}", .tool = "read", .call = "1", .status = part_status::pending}},
        .name = "alice",
        .pinned = true,
        .mark = "short.0"};
    auto const parts = parts_of(m);
    REQUIRE(parts.size() == 3);
    CHECK(parts[0] == part_view{.kind = part_kind::reasoning, .text = "hm", .sealed = true});
    CHECK(parts[1] == part_view{.kind = part_kind::media, .text = "iVBOR", .cost = condense::cost::of({1'600})});
    CHECK(parts[2] ==
          part_view{
              .kind = part_kind::tool_call, .text = "{}", .tool = "read", .call = "1", .status = part_status::pending});
    CHECK(condense::role_of(m) == role::assistant);
    CHECK(condense::name_of(m) == "alice");
    CHECK(condense::is_pinned(m));
    CHECK(condense::mark_of(m) == "short.0");
}

TEST_CASE("chat_message: one part is replaced, the rest stays") {
    chat_message const m{
        .role = role::user,
        .parts = {{.text = "a"},
                  {.kind = part_kind::media, .text = "b", .sealed = true, .cost = condense::cost::of({9})},
                  {.text = "c"}},
        .name = "alice",
        .pinned = true,
        .mark = "m"};
    auto const shorter = condense::with_part(m, 1, "[b]");
    auto expected = m;
    expected.parts[1].text = "[b]";
    expected.parts[1].cost.reset();
    CHECK(shorter == expected);
    auto const thinner = condense::without_part(m, 1);
    expected = m;
    expected.parts.erase(expected.parts.begin() + 1);
    CHECK(thinner == expected);
    CHECK(m.parts.size() == 3);
}

TEST_CASE("chat_message: a summary is a message like any other, with a mark") {
    auto made = condense::detail::make_fn::make<chat_message>(role::user, "so far");
    CHECK(made == chat_message::user("so far"));
    condense::set_mark(made, "summary");
    CHECK(made.mark == "summary");
    CHECK_FALSE(made == chat_message::user("so far"));
}

TEST_CASE("chat_message: pairs as it says") {
    condense::outline facts;
    condense::default_estimator<> const count;
    facts.append(chat_message::user("task"), count);
    facts.append(chat_message::call("1", "read", "{}").and_call("2", "read", "{}"), count);
    facts.append(chat_message::result("2", "b"), count);
    facts.append(chat_message::result("1", "a", part_status::error), count);
    CHECK(facts.group_of(3) == 1);
    CHECK(facts.group_at(1).count == 3);
    CHECK(facts.group_at(1).has_error);
    CHECK(facts.tool_of(facts.part_at(3)) == "read");
}
