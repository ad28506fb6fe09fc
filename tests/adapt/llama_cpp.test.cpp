// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/llama_cpp.hpp>

#include <condense/condense.hpp>

#include "adapt/foreign.hpp"
#include "support/messages/llama_cpp.hpp"

// On a type of the same shape. real_headers.sh does it with llama.cpp's own header.

namespace {

using condense::part_kind, condense::part_view, condense::role;
using foreign::parts_of;
using message = forms::llama_message;

static_assert(condense::llama_cpp_message<message> && condense::shortenable<message> && condense::composable<message> &&
              condense::answerable<message> && condense::storable<message>);
static_assert(condense::detail::part_removable<message> && !condense::detail::markable<message>);
static_assert(condense::detail::replaces_in_place<message>);
static_assert(!condense::llama_cpp_message<forms::llama_call> && !condense::llama_cpp_message<int> &&
              !condense::llama_cpp_message<condense::chat_message>);
constexpr condense::cost media_cost = condense::cost::of(condense::tokens{1'600});

message sample() {
    return {.role = "assistant",
            .content = "a",
            .content_parts = {{"text", "b"}, {"media_marker", "<__media__>"}, {"input_x", "d"}},
            .tool_calls = {{"read", "{\"at\": 1}", "1"}, {"write", "[]", ""}},
            .reasoning_content = "hm",
            .tool_name = "alice",
            .label = "kept"};
}

message result(std::string content) {
    return {.role = "tool", .content = std::move(content), .tool_name = "read", .tool_call_id = "1"};
}

}  // namespace

TEST_CASE("llama_cpp: a message with every field") {
    auto const m = sample();
    SECTION("every field is a part, reasoning first and calls last") {
        CHECK(condense::role_of(m) == role::assistant);
        CHECK(condense::name_of(m) == "alice");
        auto const parts = parts_of(m);
        REQUIRE(parts.size() == 7);
        CHECK(parts[0] == condense::chat_part{.kind = part_kind::reasoning, .text = "hm"});
        CHECK(parts[1] == condense::chat_part{.text = "a"});
        CHECK(parts[2] == condense::chat_part{.text = "b"});
        CHECK(parts[3] ==
              condense::chat_part{.kind = part_kind::media, .text = "<__media__>", .sealed = true, .cost = media_cost});
        CHECK(parts[4] == condense::chat_part{.kind = part_kind::other, .text = "d", .sealed = true});
        CHECK(parts[5] ==
              condense::chat_part{.kind = part_kind::tool_call, .text = "{\"at\": 1}", .tool = "read", .call = "1"});
        CHECK(parts[6] == condense::chat_part{.kind = part_kind::tool_call, .text = "[]", .tool = "write"});
        CHECK(parts_of(message{.role = "user"}).empty());
    }
    SECTION("one text is replaced, all else stays") {
        std::vector<message> expected(7, m);
        expected[0].reasoning_content = "new";
        expected[1].content = "new";
        expected[2].content_parts[0].text = "new";
        expected[3].content_parts[1] = {"text", "new"};
        expected[5].tool_calls[0].arguments = "new";
        expected[6].tool_calls[1].arguments = "new";
        for (std::size_t index = 0; index < 7; ++index) CHECK(condense::with_part(m, index, "new") == expected[index]);
        CHECK(condense::with_part(m, 7, "new") == m);
        CHECK(m == sample());
    }
    SECTION("one part is removed, its followers move up") {
        std::vector<message> expected(7, m);
        expected[0].reasoning_content.clear();
        expected[1].content.clear();
        expected[2].content_parts = {m.content_parts[1], m.content_parts[2]};
        expected[3].content_parts = {m.content_parts[0], m.content_parts[2]};
        expected[4].content_parts = {m.content_parts[0], m.content_parts[1]};
        expected[5].tool_calls.erase(expected[5].tool_calls.begin());
        expected[6].tool_calls.pop_back();
        for (std::size_t index = 0; index < 7; ++index) {
            auto const thinner = condense::without_part(m, index);
            CHECK(thinner == expected[index]);
            auto parts = parts_of(m);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(index));
            CHECK(parts_of(thinner) == parts);
        }
        CHECK(condense::without_part(m, 7) == m);
        CHECK(condense::without_part(result(""), 0) == result(""));
        CHECK(condense::without_part(result("out"), 0) == result(""));
    }
    SECTION("messages are composed, and calls answered") {
        CHECK(condense::detail::make_fn::make<message>(role::user, "so far") ==
              message{.role = "user", .content = "so far"});
        std::vector<message> answers;
        condense::each_part(m, [&](part_view const& part) {
            if (part.kind == part_kind::tool_call) answers.push_back(condense::make_result(m, part, "none"));
        });
        REQUIRE(answers.size() == 2);
        CHECK(answers[0] == message{.role = "tool", .content = "none", .tool_name = "read", .tool_call_id = "1"});
        CHECK(answers[1] == message{.role = "tool", .content = "none", .tool_name = "write"});
    }
}

TEST_CASE("llama_cpp: a message of role tool is a result, with call and tool") {
    condense::chat_part const shown{.kind = part_kind::tool_result, .text = "out", .tool = "read", .call = "1"};
    CHECK(parts_of(result("out")) == std::vector{shown});
    CHECK(condense::name_of(result("out")).empty());
    auto const empty = [&] {
        auto part = shown;
        part.text.clear();
        return part;
    }();
    CHECK(parts_of(result("")) == std::vector{empty});

    auto of_parts = result("");
    of_parts.content_parts = {{"media_marker", "<__media__>"}};
    auto const alone = parts_of(of_parts);
    REQUIRE(alone.size() == 2);
    CHECK((alone[0].kind == part_kind::media && alone[0].call == "1"));
    CHECK(alone[1] == empty);
    of_parts.content_parts.push_back({"text", "out"});
    CHECK(parts_of(of_parts).size() == 2);
    CHECK(parts_of(of_parts)[1] == shown);
}

TEST_CASE("llama_cpp: roles are read by name") {
    for (auto const& [name, speaker] :
         {std::pair{"system", role::system}, std::pair{"developer", role::system}, std::pair{"user", role::user},
          std::pair{"assistant", role::assistant}, std::pair{"tool", role::tool}, std::pair{"", role::other},
          std::pair{"Tool", role::other}, std::pair{"\xFF", role::other}})
        CHECK(condense::role_of(message{.role = name}) == speaker);
}

TEST_CASE("llama_cpp: a result without a text takes one where content may be") {
    CHECK(condense::with_part(result(""), 0, "out") == result("out"));
    auto with_media = result("");
    with_media.content_parts = {{"media_marker", "<__media__>"}};
    auto expected = with_media;
    expected.content_parts.push_back({"text", "out"});
    CHECK(condense::with_part(with_media, 1, "out") == expected);
    // In place of the media it would be the result, and the empty one go.
    CHECK(condense::with_part(with_media, 0, "[a picture]") == with_media);
    auto beside_text = with_media;
    beside_text.content_parts.push_back({"text", "out"});
    expected = beside_text;
    expected.content_parts[0] = {"text", "[a picture]"};
    auto const described = condense::with_part(beside_text, 0, "[a picture]");
    CHECK(described == expected);
    REQUIRE(parts_of(described).size() == 2);
    CHECK(parts_of(described)[0] ==
          condense::chat_part{.kind = part_kind::tool_result, .text = "[a picture]", .tool = "read", .call = "1"});
}

TEST_CASE("llama_cpp: without an id, the first text is the result") {
    message m{.role = "tool", .content_parts = {{"media_marker", "<__media__>"}, {"text", "a"}, {"text", "b"}}};
    auto const kinds = [](message const& of) {
        std::string out;
        for (auto const& part : parts_of(of)) out.append(name(part.kind)).append("; ");
        return out;
    };
    CHECK(kinds(m) == "media; tool result; text; ");
    CHECK(condense::with_part(m, 0, "[a picture]") == m);
    m.tool_call_id = "1";
    CHECK(kinds(m) == "media; tool result; tool result; ");
    m.tool_call_id.clear();
    m.content = "c";
    CHECK(kinds(m) == "tool result; media; text; text; ");
}

TEST_CASE("llama_cpp: bytes hold all that llama.cpp's message has, and are refused when changed") {
    auto rich = sample();
    rich.label.clear();  // not llama.cpp's
    for (int byte = 0; byte < 256; ++byte) rich.content.push_back(static_cast<char>(byte));
    rich.tool_call_id = "3:a,\xFF";
    for (auto const& m : {rich, message{}, result("out")}) foreign::bytes_of(m);
    CHECK_FALSE(condense::from_bytes<message>("17:common_chat_msg/2,0:,0:,0:,0:,0:,1:0,1:0,"));
    CHECK(condense::from_bytes<message>("17:common_chat_msg/1,0:,0:,0:,0:,0:,1:0,1:0,") == message{});
    CHECK_FALSE(condense::from_bytes<message>("17:common_chat_msg/1,0:,0:,0:,0:,0:,20:18446744073709551615,1:0,"));
}

TEST_CASE("llama_cpp: hostile values are read, edited and stored") {
    for (auto const& text : foreign::hostile_texts()) {
        message const m{.role = text,
                        .content = text,
                        .content_parts = {{text, text}, {"media_marker", text}, {"text", text}},
                        .tool_calls = {{text, text, text}, {}, {text, text, text}},
                        .reasoning_content = text,
                        .tool_name = text,
                        .tool_call_id = text};
        foreign::edit_and_store(m);
    }
}
