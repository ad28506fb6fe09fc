// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>

#include "adapt/foreign.hpp"
#include "laws/generator.hpp"
#include "support/messages/chat.hpp"

namespace {

using condense::chat_message, condense::chat_part, condense::part_kind, condense::part_status, condense::part_view;
using condense::role;

static_assert(condense::message<chat_message> && condense::shortenable<chat_message> &&
              condense::composable<chat_message>);
static_assert(condense::answerable<chat_message> && condense::storable<chat_message>);
static_assert(condense::detail::replaces_in_copy<chat_message> && condense::detail::replaces_in_place<chat_message>);
static_assert(condense::detail::part_removable<chat_message> && condense::detail::markable<chat_message>);
static_assert(std::is_nothrow_move_constructible_v<chat_message> && std::is_nothrow_move_assignable_v<chat_message>);

chat_message rich() {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
    return {.role = role::assistant,
            .parts = {{.text = all},
                      {.kind = part_kind::tool_call,
                       .text = "{}",
                       .tool = "7:a,",
                       .call = ",:1",
                       .status = part_status::pending,
                       .cost = condense::cost{}},
                      {.kind = part_kind::media,
                       .sealed = true,
                       .cost = condense::cost{~std::uint64_t{0}},
                       .data = 9,
                       .beside = condense::cost{1}},
                      {.kind = part_kind::reasoning,
                       .text = "hm",
                       .sealed = true,
                       .bound = true,
                       .compaction = condense::compaction_place::first},
                      {}},
            .name = "4:user,",
            .pinned = true,
            .mark = "short.0"};
}

std::optional<chat_message> read(std::string_view held) { return condense::from_bytes<chat_message>(held); }

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
    auto const m = rich();
    CHECK(foreign::parts_of(m) == m.parts);
    CHECK(condense::role_of(m) == role::assistant);
    CHECK(condense::name_of(m) == "4:user,");
    CHECK(condense::is_pinned(m));
    CHECK(condense::mark_of(m) == "short.0");
}

TEST_CASE("chat_message: an edit in place gives what an edit in a copy gives") {
    chat_message const m{.role = role::tool,
                         .parts = {{.text = "one"},
                                   {.kind = part_kind::media, .text = "image/png", .sealed = true, .cost = {{}}},
                                   {.kind = part_kind::tool_result, .text = "two", .tool = "t", .call = "c"}},
                         .name = "n",
                         .mark = "stored.0"};
    for (std::size_t part = 0; part < m.parts.size(); ++part) {
        auto edited = m;
        condense::message_traits<chat_message>::with_part(edited, part, "new");
        CHECK(edited == condense::with_part(m, part, "new"));
        CHECK(edited.parts[part].text == "new");
        CHECK_FALSE(edited.parts[part].sealed);
    }
    CHECK(condense::with_part(m, 3, "new") == m);  // no such part
}

TEST_CASE("chat_message: a summary is a message like any other, with a mark") {
    auto made = condense::detail::make_fn::make<chat_message>(role::user, "so far");
    CHECK(made == chat_message::user("so far"));
    condense::set_mark(made, "summary");
    CHECK(made.mark == "summary");
    CHECK_FALSE(made == chat_message::user("so far"));
}

TEST_CASE("chat_message: an answer to a call is a cancelled result of it") {
    auto const asks = chat_message::call("1", "read", "{}").and_call("2", "write", "[]");
    std::vector<chat_message> answers;
    condense::each_part(asks,
                        [&](part_view const& part) { answers.push_back(condense::make_result(asks, part, "none")); });
    REQUIRE(answers.size() == 2);
    auto expected = chat_message::result("2", "none", part_status::cancelled);
    expected.parts[0].tool = "write";
    CHECK(answers[1] == expected);
}

TEST_CASE("chat_message: bytes hold all of it, and the same message gives the same bytes") {
    for (auto const speaker : {role::system, role::user, role::assistant, role::tool, role::other})
        for (auto const kind : {part_kind::text, part_kind::tool_call, part_kind::tool_result, part_kind::media,
                                part_kind::reasoning, part_kind::other})
            for (auto const status :
                 {part_status::ok, part_status::error, part_status::cancelled, part_status::pending}) {
                chat_message const m{.role = speaker, .parts = {{.kind = kind, .text = "t", .status = status}}};
                CHECK(read(condense::to_bytes(m)) == m);
            }
    CHECK(read(condense::to_bytes(chat_message{})) == chat_message{});
    CHECK(condense::to_bytes(rich()) == condense::to_bytes(rich()));
    CHECK(forms::to_chat(rich()) == rich());
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
        for (auto const& m : laws::conversation_generator{seed}.make()) {
            CHECK(read(condense::to_bytes(m)) == m);
            ++count;
        }
    CHECK(count > 1'000);
}

TEST_CASE("chat_message: bytes that were cut, changed or made up give nothing, or another whole message") {
    CHECK(foreign::refused_of_changed(rich()) > 500);
    CHECK_FALSE(read(""));
    CHECK_FALSE(read("14:chat_message/2,4:user,0:,0:,1:0,1:0,"));
    CHECK_FALSE(read("14:chat_message/1,5:human,0:,0:,1:0,1:0,"));
    CHECK_FALSE(read("14:chat_message/1,4:user,0:,0:,1:2,1:0,"));
    CHECK(read("14:chat_message/1,4:user,0:,0:,1:0,1:0,") == chat_message{});
    CHECK_FALSE(read("14:chat_message/1,4:user,0:,0:,1:0,20:18446744073709551615,"));
    for (auto const* const part : {"1:9,0:,0:,0:,1:0,1:0,0:,", "1:0,0:,0:,0:,1:9,1:0,0:,", "1:0,0:,0:,0:,1:0,2:12,0:,",
                                   "1:0,0:,0:,0:,1:0,2:16,0:,1:0,1:0,", "1:0,0:,0:,0:,1:0,1:0,1:x,",
                                   "1:0,18446744073709551615:,", "1:0,4294967296:a,0:,0:,1:0,1:0,0:,"})
        CHECK_FALSE(read("14:chat_message/1,4:user,0:,0:,1:0,1:1," + std::string{part}));
}
