// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_make.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/json.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::list;
using adapt_tests::read;
using adapt_tests::spelt;
using condense::part_kind;
using condense::part_view;
using condense::role;
using nlohmann::ordered_json;

ordered_json message_beside(std::string_view neighbour) {
    return condense::message_traits<ordered_json>::make(role::user, "hi", read<ordered_json>(neighbour));
}

/// The parts of a message, and of the result that is made for its last call.
list parts_with_result(std::string_view text) {
    auto const m = read<ordered_json>(text);
    list out;
    std::string id;
    std::string tool;
    condense::each_part(m, [&](part_view const& part) {
        out.push_back(spelt(part));
        if (part.kind != part_kind::tool_call) return;
        id = part.call;
        tool = part.tool;
    });
    auto const answer =
        condense::make_result(m, part_view{.kind = part_kind::tool_call, .tool = tool, .call = id}, "no", 0);
    condense::each_part(answer, [&](part_view const& part) { out.push_back(spelt(part)); });
    return out;
}

}  // namespace

TEST_CASE("json_make: a new message has the form of its neighbours", "[adapt][json]") {
    auto const same = read<ordered_json>;
    CHECK(message_beside(R"({"role":"user","content":"a"})") == same(R"({"role":"user","content":"hi"})"));
    CHECK(message_beside(R"({"role":"assistant","content":[{"type":"text","text":"a"}]})") ==
          same(R"({"role":"user","content":[{"type":"text","text":"hi"}]})"));
    CHECK(message_beside(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]})") ==
          same(R"({"role":"user","content":"hi"})"));
    CHECK(message_beside(R"({"type":"function_call","call_id":"c"})") == same(R"({"role":"user","content":"hi"})"));
    CHECK(message_beside(R"({"role":"user","parts":[{"text":"a"}]})") ==
          same(R"({"role":"user","parts":[{"text":"hi"}]})"));
    CHECK(message_beside(R"({"role":"user","content":[{"text":"a"}]})") ==
          same(R"({"role":"user","content":[{"text":"hi"}]})"));
    CHECK(message_beside(R"({"role":"user","content":{"type":"text","text":"a"}})") ==
          same(R"({"role":"user","content":{"type":"text","text":"hi"}})"));
    auto const ui = message_beside(R"({"id":"m","role":"user","parts":[{"type":"text","text":"a"}]})");
    CHECK(ui["parts"] == same(R"([{"type":"text","text":"hi"}])"));
    CHECK(ui["id"].get<std::string>().starts_with("summary-"));
}

TEST_CASE("json_make: the result of a call has the shape of the call", "[adapt][json]") {
    CHECK(parts_with_result(R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{}"})") ==
          list{"tool call f #c1: {}", "tool result #c1: no"});
    CHECK(parts_with_result(R"({"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]})") ==
          list{R"(tool call f: {"a":1})", "tool result f error: no"});
    CHECK(
        parts_with_result(R"({"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"f","input":{}}}]})") ==
        list{"tool call f #c1: {}", "tool result #c1 error: no"});
    CHECK(parts_with_result(
              R"({"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}}]})") ==
          list{"tool call f #c1: {}", "tool result f #c1 error: no"});
    CHECK(parts_with_result(
              R"({"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"f","arguments":{}}]})") ==
          list{"tool call f #c1: {}", "tool result f #c1 error: no"});
    CHECK(parts_with_result(R"({"role":"assistant","content":{"type":"tool_use","id":"c1","name":"f","input":{}}})") ==
          list{"tool call f #c1: {}", "tool result #c1 error: no"});
    CHECK(parts_with_result(R"({"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}}}]})") ==
          list{"tool call f: {}", "tool result f: no"});
}

TEST_CASE("json_make: what neighbours hold is joined", "[adapt][json]") {
    auto m = read<ordered_json>(R"({"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[]}}]})");
    auto const next = read<ordered_json>(R"({"role":"user","content":[{"text":"a"}]})");
    REQUIRE(condense::detail::append_message(m, next));
    CHECK(m["content"].size() == 2);
    auto const other = read<ordered_json>(R"({"role":"assistant","content":[{"text":"a"}]})");
    CHECK_FALSE(condense::detail::append_message(m, other));
    CHECK(m["content"].size() == 2);

    auto said = read<ordered_json>(R"({"role":"assistant","content":"a"})");
    REQUIRE(condense::detail::append_message(said, read<ordered_json>(R"({"role":"assistant","content":"b"})")));
    CHECK(said == read<ordered_json>(R"({"role":"assistant","content":"a\n\nb"})"));
    auto const calls = read<ordered_json>(R"({"role":"assistant","content":"c","tool_calls":[{"id":"c1"}]})");
    CHECK_FALSE(condense::detail::append_message(said, calls));
    REQUIRE(condense::detail::append_message(
        said, read<ordered_json>(R"({"role":"assistant","content":[{"type":"text","text":"d"}]})")));
    CHECK(said["content"].size() == 2);
}

TEST_CASE("json_make: a summary joins what the user said, whichever comes first", "[adapt][json]") {
    auto const joined = [](std::string_view first, std::string_view second) {
        auto m = read<ordered_json>(first);
        return condense::detail::append_message(m, read<ordered_json>(second)) ? m.dump() : std::string{"apart"};
    };
    constexpr std::string_view summary = R"({"role":"user","content":"S"})";
    constexpr std::string_view item =
        R"({"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]})";
    CHECK(
        joined(summary, item) ==
        R"({"role":"user","content":[{"type":"input_text","text":"S"},{"type":"input_text","text":"a"}],"type":"message"})");
    CHECK(
        joined(item, summary) ==
        R"({"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"S"}]})");

    constexpr std::string_view ui_summary = R"({"id":"summary-1","role":"user","parts":[{"type":"text","text":"S"}]})";
    constexpr std::string_view ui = R"({"id":"m","role":"user","parts":[{"type":"text","text":"a"}]})";
    CHECK(joined(ui_summary, ui) ==
          R"({"id":"m","role":"user","parts":[{"type":"text","text":"S"},{"type":"text","text":"a"}]})");
    CHECK(joined(ui, ui_summary) ==
          R"({"id":"m","role":"user","parts":[{"type":"text","text":"a"},{"type":"text","text":"S"}]})");

    constexpr std::string_view alone = R"({"role":"user","content":{"type":"text","text":"S"}})";
    constexpr std::string_view array = R"({"role":"user","content":[{"type":"text","text":"a"}]})";
    CHECK(joined(alone, array) ==
          R"({"role":"user","content":[{"type":"text","text":"S"},{"type":"text","text":"a"}]})");
    CHECK(joined(alone, alone) == R"({"role":"user","content":{"type":"text","text":"S\n\nS"}})");
    CHECK(
        joined(summary, R"({"type":"message","role":"user","content":[{"type":"input_image","image_url":"x"}]})") ==
        R"({"role":"user","content":[{"type":"input_text","text":"S"},{"type":"input_image","image_url":"x"}],"type":"message"})");
}

TEST_CASE("json_make: other members are of one of two neighbours, or the same", "[adapt][json]") {
    auto const joined = [](std::string_view first, std::string_view second) {
        auto m = read<ordered_json>(first);
        auto const before = m;
        bool const done = condense::detail::append_message(m, read<ordered_json>(second));
        CHECK((done || m == before));
        return done ? m.dump() : std::string{"apart"};
    };
    constexpr std::string_view plain = R"({"role":"user","content":"a"})";
    CHECK(joined(plain, R"({"role":"user","content":"b","images":["i"]})") ==
          R"({"role":"user","content":"a\n\nb","images":["i"]})");
    CHECK(joined(R"({"role":"user","content":"b","images":["i"]})", plain) ==
          R"({"role":"user","content":"b\n\na","images":["i"]})");
    CHECK(joined(R"({"role":"user","content":"b","images":["i"]})",
                 R"({"role":"user","content":"c","images":["j"]})") == "apart");
    CHECK(joined(R"({"role":"user","content":"b","o":{"c":1}})", R"({"role":"user","content":"c","o":{"c":1}})") ==
          R"({"role":"user","content":"b\n\nc","o":{"c":1}})");
    CHECK(joined(R"({"role":"user","name":"alice","content":"a"})", R"({"role":"user","name":"bob","content":"b"})") ==
          "apart");
    CHECK(joined(plain, R"({"role":"user","name":"bob","content":"b"})") == "apart");
    CHECK(joined(R"({"role":"user","parts":[]})", R"({"id":"2","role":"user","parts":[]})") ==
          R"({"role":"user","parts":[],"id":"2"})");
    CHECK(joined(R"({"role":"assistant","content":"a"})", R"({"role":"assistant","content":"b","refusal":"r"})") ==
          "apart");
}

TEST_CASE("json_make: calls that take no result of the program are not answered", "[adapt][json]") {
    for (auto const* const text :
         {R"({"role":"model","parts":[{"toolCall":{"toolType":"GOOGLE_SEARCH","id":"c"}}]})",
          R"({"role":"assistant","content":[{"type":"tool-approval-request","approvalId":"c","toolCallId":"t"}]})",
          R"({"id":"m","role":"assistant","parts":[{"type":"tool-f","toolCallId":"c","state":"input-available"}]})",
          R"({"id":"m","role":"assistant","parts":[{"type":"tool-call","toolCallId":"c","state":"input-available"}]})",
          R"({"type":"computer_call","call_id":"c","action":{"type":"click"}})"}) {
        auto const parts = parts_with_result(text);
        INFO(text);
        REQUIRE(parts.size() == 1);
        CHECK(parts[0].starts_with("tool call"));
    }
}

TEST_CASE("json_make: a call without id or name is answered without reading past them", "[adapt][json]") {
    CHECK(parts_with_result(R"({"role":"model","parts":[{"toolCall":{}}]})").size() == 1);
    CHECK(parts_with_result(R"({"role":"assistant","content":[{"type":"tool-approval-request"}]})").size() == 1);
    CHECK(parts_with_result(R"({"role":"assistant","tool_calls":[{}]})").size() == 2);
}
