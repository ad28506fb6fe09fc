// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/text_of.hpp>

#include <condense/adapt/chat_message.hpp>

#include "support/catch.hpp"

using condense::chat_message;

TEST_CASE("plain_text: strings and numbers of JSON behind their keys, and other bytes as they are") {
    CHECK(condense::plain_text{}(R"({"role":"tool","content":[{"text":"a\nb \u20ac","n":3}],"ok":true})") ==
          "role: tool\ntext: a\nb \xE2\x82\xAC\nn: 3\n");
    CHECK(condense::plain_text{}("\"alone\"") == "alone\n");
    CHECK(condense::plain_text{}("{broken") == "{broken");
    CHECK(condense::plain_text{}("") == "");
    CHECK(condense::plain_text{}(std::string("\xFF\0", 2)) == std::string("\xFF\0", 2));
}

TEST_CASE("message_text: each part behind who or what it is from") {
    condense::message_text<chat_message> const text;
    CHECK(text(condense::to_bytes(chat_message::user("hello"))) == "user: hello\n");
    CHECK(text(condense::to_bytes(chat_message::call("1", "shell", R"({"run":"ls"})"))) ==
          "assistant called shell: {\"run\":\"ls\"}\n");
    CHECK(text(condense::to_bytes(chat_message::result("1", "a.cpp"))) == "tool, result of a call: a.cpp\n");
    auto thinks = chat_message::assistant("");
    thinks.parts.push_back({.kind = condense::part_kind::reasoning, .text = "hm"});
    CHECK(text(condense::to_bytes(thinks)) == "assistant, reasoning: hm\n");  // nothing of the part that is empty
    CHECK(text("no message") == "no message");
    CHECK(text(R"({"role":"user"})") == "role: user\n");
}
