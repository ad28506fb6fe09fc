// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/ai_sdk.hpp>

#include "adapt/foreign.hpp"
#include "support/messages/ai_sdk.hpp"

// On a type of the same shape. real_headers.sh does it with ai-sdk-cpp's own header.

namespace {

using condense::chat_part, condense::part_kind, condense::part_status, condense::part_view, condense::role;
using foreign::parts_of;
using forms::ai_call, forms::ai_result, forms::ai_text;
using message = forms::ai_message;
using nlohmann::json;

static_assert(condense::ai_sdk_message<message> && condense::shortenable<message> && condense::composable<message> &&
              condense::answerable<message> && condense::storable<message>);
static_assert(condense::detail::part_removable<message> && condense::detail::edits_together<message> &&
              !condense::detail::markable<message>);
static_assert(!condense::ai_sdk_message<ai_text> && !condense::ai_sdk_message<condense::chat_message> &&
              !condense::ai_sdk_message<json>);

message sample() {
    message m{forms::ai_role_assistant,
              {ai_text{"a"}, ai_call{"1", "read", json{{"at", 1}}}, ai_call{"2", "write", "plain"},
               ai_result{"1", json{{"rows", 3}}}, ai_result{"2", "no such file", true}}};
    m.label = "kept";
    return m;
}

}  // namespace

TEST_CASE("ai_sdk: a message of each kind of part") {
    auto const m = sample();
    SECTION("each element of the content is a part, in their order") {
        CHECK(condense::role_of(m) == role::assistant);
        CHECK(condense::role_of(message::user("")) == role::user);
        CHECK(condense::role_of(message::system("")) == role::system);
        CHECK(parts_of(m) ==
              std::vector<chat_part>{
                  {.text = "a"},
                  {.kind = part_kind::tool_call, .text = "{\"at\":1}", .tool = "read", .call = "1"},
                  {.kind = part_kind::tool_call, .text = "plain", .tool = "write", .call = "2"},
                  {.kind = part_kind::tool_result, .text = "{\"rows\":3}", .call = "1"},
                  {.kind = part_kind::tool_result, .text = "no such file", .call = "2", .status = part_status::error}});
        CHECK(parts_of(message::user("")) == std::vector<chat_part>{{}});
        CHECK(parts_of(message{forms::ai_role_user, {}}).empty());
    }
    SECTION("one text is replaced, all else stays") {
        std::vector<message> expected(5, m);
        expected[0].content[0] = ai_text{"{\"b\":2}"};
        std::get<ai_call>(expected[1].content[1]).arguments = json{{"b", 2}};
        std::get<ai_call>(expected[2].content[2]).arguments = "{\"b\":2}";  // it was a string
        std::get<ai_result>(expected[3].content[3]).result = json{{"b", 2}};
        std::get<ai_result>(expected[4].content[4]).result = "{\"b\":2}";
        for (std::size_t index = 0; index < 5; ++index)
            CHECK(condense::with_part(m, index, "{\"b\":2}") == expected[index]);
        CHECK(condense::with_part(m, 5, "new") == m);
        // Arguments must stay JSON, and a result may be any text.
        CHECK(condense::with_part(m, 1, "{\"at\": [") == m);
        CHECK(std::get<ai_result>(condense::with_part(m, 3, "3 rows").content[3]).result == json("3 rows"));
    }
    SECTION("parts are removed, and edits done together") {
        for (std::size_t index = 0; index < 5; ++index) {
            auto expected = m;
            expected.content.erase(expected.content.begin() + static_cast<std::ptrdiff_t>(index));
            CHECK(condense::without_part(m, index) == expected);
        }
        auto edited = m;
        condense::with_edits(edited, {{.index = 0, .removed = true}, {.index = 4, .text = "none"}});
        CHECK(edited == condense::without_part(condense::with_part(m, 4, "none"), 0));
    }
    SECTION("messages are composed, and calls answered") {
        using condense::detail::make_fn;
        CHECK(make_fn::make<message>(role::user, "so far") == message::user("so far"));
        CHECK(make_fn::make<message>(role::assistant, "so far") == message::assistant("so far"));
        CHECK(make_fn::make<message>(role::system, "so far") == message::system("so far"));
        CHECK(make_fn::make<message>(role::tool, "so far") == message::user("so far"));
        auto const answer = condense::make_result(m, part_view{.kind = part_kind::tool_call, .call = "2"}, "none");
        CHECK(answer == message{forms::ai_role_user, {ai_result{"2", "none", true}}});
    }
}

TEST_CASE("ai_sdk: bytes hold all that the message has, and are refused when changed") {
    auto rich = sample();
    rich.label.clear();
    rich.content.emplace_back(ai_text{"\xFF 3:a,"});
    rich.content.emplace_back(ai_result{"\xFF", "\xFF\xFE"});  // no JSON text holds it
    rich.content.emplace_back(ai_call{"", "", json{{"f", 0.1}, {"n", nullptr}, {"b", true}, {"i", -1}}});
    for (auto const& m : {rich, message::user(""), message::system("x"), message{forms::ai_role_assistant, {}}})
        foreign::bytes_of(m);
    CHECK(condense::from_bytes<message>("16:ai_sdk_message/1,4:user,1:0,") == message{forms::ai_role_user, {}});
    for (auto const* const bytes :
         {"", "16:ai_sdk_message/2,4:user,1:0,", "16:ai_sdk_message/1,4:tool,1:0,", "16:ai_sdk_message/1,5:human,1:0,",
          "16:ai_sdk_message/1,4:user,1:1,1:3,0:,", "16:ai_sdk_message/1,4:user,1:1,1:1,0:,0:,1:x,",
          "16:ai_sdk_message/1,4:user,1:1,1:2,0:,2:{},1:2,", "16:ai_sdk_message/1,4:user,20:18446744073709551615,"})
        CHECK_FALSE(condense::from_bytes<message>(bytes));
}

TEST_CASE("ai_sdk: hostile values are read, edited and stored") {
    for (auto const& text : foreign::hostile_texts()) {
        message const m{forms::ai_role_user,
                        {ai_text{text}, ai_call{text, text, text}, ai_call{text, text, json{{text, text}}},
                         ai_result{text, text}, ai_result{text, json::array({text, text})}}};
        foreign::edit_and_store(m);
    }
    // Deeper than anybody reads.
    CHECK(condense::with_part(sample(), 1, std::string(100'000, '[') + std::string(100'000, ']')) == sample());
}
