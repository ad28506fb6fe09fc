// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/arguments.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::detail::plain_arguments;

TEST_CASE("arguments are read as lines of keys and values, without escapes") {
    CHECK(plain_arguments(R"({"path":"a.cpp","size":120,"deep":{"on":true}})") ==
          "\"path\": \"a.cpp\"\n\"size\": 120\n\"on\": true\n");
    CHECK(plain_arguments(R"({"ids":["1","2"]})") == "\"ids\": \"1\"\n\"ids\": \"2\"\n");
    CHECK(plain_arguments(R"({"text":"one\n\tthis.ui \u00e9"})") == "\"text\": one\n\tthis.ui \xC3\xA9\n");
    CHECK(plain_arguments(R"({"text":"say \"hello there\""})") == "\"text\": say \"hello there\"\n");
    CHECK(plain_arguments(R"({"text":")" + letters(81) + "\"}") == "\"text\": " + letters(81) + "\n");
    CHECK(plain_arguments("\"alone\"") == "\"alone\"\n");
}

TEST_CASE("arguments that are no JSON stay as they are") {
    for (std::string const text : {"", "{", "edit 1:3\nnew\\n", "{\"a\":}"}) CHECK(plain_arguments(text) == text);
    for (auto const& text : talk::hostile_texts())
        if (!condense::is_json(text)) CHECK(plain_arguments(text) == text);
}

TEST_CASE("only calls have arguments, and media have no words") {
    auto m = joined(C("1", "t", R"({"a":"x\ny"})"), A(R"({"a":"x\ny"})"));
    m.parts.push_back({.kind = part_kind::media, .text = "shot.png"});
    std::vector<std::string> all;
    condense::detail::each_text(m, [&](std::string_view text) { all.emplace_back(text); });
    CHECK(all == std::vector<std::string>{"\"a\": x\ny\n", R"({"a":"x\ny"})"});
}

TEST_CASE("old texts of edits are found by their keys at any depth") {
    auto const old_texts = [](std::string_view arguments) {
        std::vector<std::string> all;
        condense::detail::each_old_text(arguments, [&](std::string text) { all.push_back(std::move(text)); });
        return all;
    };
    using list = std::vector<std::string>;
    CHECK(old_texts(R"({"old_string":"a\n\tb","new_string":"c"})") == list{"a\n\tb"});
    CHECK(old_texts(R"({"edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":"d"}]})") == list{"a", "c"});
    CHECK(old_texts(R"({"old_str":"","new_str":"c"})").empty());
    CHECK(old_texts(R"({"old_text":5})").empty());
    CHECK(old_texts(R"({"search":"a","replace":"b"})") == list{"a"});
    CHECK(old_texts(R"({"search":"a"})").empty());
    CHECK(old_texts("no arguments").empty());
}

}  // namespace
