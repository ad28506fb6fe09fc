// SPDX-License-Identifier: BSL-1.0
// Conversations of each shape: read, edited in the form of the shape, and reduced to messages of that shape.
#include <condense/adapt/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/condense.hpp>
#include <condense/replay/checker.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::list;
using adapt_tests::read;
using adapt_tests::spelt;
using condense::json_shape;
using condense::part_view;
using nlohmann::ordered_json;
using namespace condense::literals;
using condense::used;

/// How a shape writes a round: a question, a call with some reasoning, its output, an answer. "ID", "OUT" and "Q" stand
/// for what differs.
struct round {
    json_shape shape;
    std::vector<std::string_view> messages;
};

std::vector<round> const& rounds() {
    static std::vector<round> const all{
        {json_shape::openai,
         {R"({"role":"user","content":"Q"})",
          R"({"role":"assistant","content":null,"tool_calls":[{"id":"ID","type":"function","function":{"name":"f","arguments":"{}"}}]})",
          R"({"role":"tool","tool_call_id":"ID","content":"OUT"})", R"({"role":"assistant","content":"done ID"})"}},
        {json_shape::responses,
         {R"({"type":"message","role":"user","content":[{"type":"input_text","text":"Q"}]})",
          R"({"type":"reasoning","id":"rID","summary":[],"encrypted_content":"abcdefgh"})",
          R"({"type":"function_call","call_id":"ID","name":"f","arguments":"{}"})",
          R"({"type":"function_call","call_id":"ID-2","name":"f","arguments":"{}"})",
          R"({"type":"function_call_output","call_id":"ID","output":"OUT"})",
          R"({"type":"function_call_output","call_id":"ID-2","output":[{"type":"input_text","text":"OUT"}]})",
          R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"done ID"}]})"}},
        {json_shape::anthropic,
         {R"({"role":"user","content":"Q"})",
          R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"ID","name":"f","input":{}}]})",
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":"OUT"}]})",
          R"({"role":"assistant","content":[{"type":"text","text":"done ID"}]})"}},
        {json_shape::gemini,
         {R"({"role":"user","parts":[{"text":"Q"}]})",
          R"({"role":"model","parts":[{"functionCall":{"name":"f","args":{"at":"ID"}},"thoughtSignature":"s"}]})",
          R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"lines":["OUT"],"count":1}}}]})",
          R"({"role":"model","parts":[{"text":"done ID"}]})"}},
        {json_shape::bedrock,
         {R"({"role":"user","content":[{"text":"Q"}]})",
          R"({"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}},{"toolUse":{"toolUseId":"ID","name":"f","input":{}}}]})",
          R"({"role":"user","content":[{"toolResult":{"toolUseId":"ID","content":[{"json":{"lines":"OUT"}}],"status":"success"}}]})",
          R"({"role":"assistant","content":[{"text":"done ID"}]})"}},
        {json_shape::ai_sdk,
         {R"({"role":"user","content":"Q"})",
          R"({"role":"assistant","content":[{"type":"reasoning","text":"hm"},{"type":"tool-call","toolCallId":"ID","toolName":"f","input":{}}]})",
          R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"ID","toolName":"f","output":{"type":"json","value":{"lines":"OUT"}}}]})",
          R"({"role":"assistant","content":[{"type":"text","text":"done ID"}]})"}},
        {json_shape::ai_sdk_ui,
         {R"({"id":"uID","role":"user","parts":[{"type":"text","text":"Q"}]})",
          R"({"id":"aID","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-f","toolCallId":"ID","state":"output-available","input":{},"output":{"lines":"OUT"}},{"type":"text","text":"done ID"}]})"}},
        {json_shape::mcp,
         {R"({"role":"user","content":{"type":"text","text":"Q"}})",
          R"({"role":"assistant","content":{"type":"tool_use","id":"ID","name":"f","input":{}}})",
          R"({"role":"user","content":{"type":"tool_result","toolUseId":"ID","content":[{"type":"text","text":"OUT"}]}})",
          R"({"role":"assistant","content":{"type":"text","text":"done ID"}})"}},
        {json_shape::ollama,
         {R"({"role":"user","content":"Q"})",
          R"({"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":{"at":"ID"}}}]})",
          R"({"role":"tool","tool_name":"f","content":"OUT"})", R"({"role":"assistant","content":"done ID"})"}},
        {json_shape::pi,
         {R"({"role":"user","content":"Q"})",
          R"({"role":"assistant","content":[{"type":"toolCall","id":"ID","name":"f","arguments":{}}]})",
          R"({"role":"toolResult","toolCallId":"ID","toolName":"f","content":[{"type":"text","text":"OUT"}],"isError":false})",
          R"({"role":"assistant","content":[{"type":"text","text":"done ID"}]})"}},
    };
    return all;
}

std::string replaced(std::string_view text, std::string_view word, std::string_view by) {
    std::string result{text};
    for (auto at = result.find(word); at != result.npos; at = result.find(word, at + by.size()))
        result.replace(at, word.size(), by);
    return result;
}

std::vector<ordered_json> conversation_of(round const& shape, std::size_t count) {
    std::vector<ordered_json> result;
    for (std::size_t number = 0; number < count; ++number)
        for (auto const text : shape.messages) {
            std::string output;
            for (std::size_t line = 0; line < 20 + 40 * (number % 4); ++line)
                output += "line " + std::to_string(number) + "." + std::to_string(line) + " of the log; ";
            auto const id = "c" + std::to_string(number);
            result.push_back(
                read<ordered_json>(replaced(replaced(replaced(text, "OUT", output), "ID", id), "Q", "question " + id)));
        }
    return result;
}

list parts_of(ordered_json const& m) {
    list out;
    condense::each_part(m, [&](part_view const& part) { out.push_back(spelt(part)); });
    return out;
}

}  // namespace

TEST_CASE("json_conversations: what remains has the shape of the conversation, and breaks no law", "[adapt][json]") {
    for (auto const& shape : rounds()) {
        CAPTURE(name(shape.shape));
        auto const whole = conversation_of(shape, 12);
        std::size_t summaries = 0;
        std::size_t shortened = 0;
        for (std::uint64_t window = 500; window < 20'000; window = window * 5 / 4) {
            CAPTURE(window);
            auto history = whole;
            condense::pipeline const mix{
                condense::compress{
                    .when = used >= 50_pct, .over = 600_chars, .with = condense::head_tail{200_chars, 100_chars}},
                condense::summarize{.when = used >= 70_pct}, condense::sliding_window{.when = used >= 90_pct},
                condense::escalate{.when = used >= 90_pct, .ceiling = 100_pct}};
            auto const report = condense::reduce(history, mix, {.window = {window}});
            for (auto const& layer : report.layers) shortened += layer.parts_shortened;
            for (auto const& m : history) {
                auto const wrong = shape_error_of(m, 0, shape.shape);
                INFO(m.dump());
                REQUIRE(wrong.reason == "");
            }
            summaries += history.size() > 1 && parts_of(history[1]) != parts_of(whole[1]) ? 1u : 0u;
            condense::request_checker checker;
            for (auto const& m : whole) checker.push(m);
            REQUIRE(checker.judge(history) == list{});
        }
        CHECK(summaries > 3);
        CHECK(shortened > 10);
    }
}

TEST_CASE("json_conversations: a result takes a text in the form of its shape", "[adapt][json]") {
    auto const with = [](std::string_view text, std::size_t index) {
        return condense::with_part(read<ordered_json>(text), index, "cut");
    };
    auto const same = read<ordered_json>;
    CHECK(with(R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1,"b":2}}}]})", 0) ==
          same(R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"cut"}}}]})"));
    CHECK(with(R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":"long"}}}]})", 0) ==
          same(R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":"cut"}}}]})"));
    CHECK(with(R"({"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"json":{"a":1}}]}}]})", 0) ==
          same(R"({"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"cut"}]}}]})"));
    CHECK(
        with(
            R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"error-json","value":{"a":1}}}]})",
            0) ==
        same(
            R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"error-text","value":"cut"}}]})"));
    CHECK(
        with(
            R"({"role":"assistant","parts":[{"type":"tool-f","toolCallId":"c","state":"output-available","input":{},"output":[1,2]}]})",
            1) ==
        same(
            R"({"role":"assistant","parts":[{"type":"tool-f","toolCallId":"c","state":"output-available","input":{},"output":"cut"}]})"));
    // Signed parts, and arguments that are no JSON, stay.
    auto const* const signature =
        R"({"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"}]})";
    CHECK(with(signature, 0) == same(signature));
}

TEST_CASE("json_conversations: what a model wrote in one answer stays together", "[adapt][json]") {
    auto const count = [](std::string_view text) { return condense::cost{256 * text.size()}; };
    condense::outline facts;
    for (auto const& m : conversation_of(rounds()[1], 1)) facts.append(m, count);
    REQUIRE(facts.size() == 7);
    for (std::uint32_t index = 2; index < 6; ++index) CHECK(facts.group_of(index) == facts.group_of(1));
    CHECK(facts.group_of(0) != facts.group_of(1));
    CHECK(facts.group_of(6) != facts.group_of(1));
    // A call without reasoning before it does not take the question with it.
    condense::outline bare;
    bare.append(read<ordered_json>(R"({"role":"user","content":"q"})"), count);
    bare.append(read<ordered_json>(R"({"type":"function_call","call_id":"c","name":"f","arguments":"{}"})"), count);
    CHECK(bare.group_of(0) != bare.group_of(1));
}

TEST_CASE("json_conversations: a cache point is no content, and begins no turn", "[adapt][json]") {
    auto const results = read<ordered_json>(
        R"({"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"out"}]}},{"cachePoint":{}}]})");
    CHECK(parts_of(results) == list{"tool result #c: out"});
    condense::outline facts;
    condense::chars_per_token const count{4};
    facts.append(read<ordered_json>(R"({"role":"user","content":[{"text":"task"}]})"), count);
    facts.append(
        read<ordered_json>(R"({"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":{}}}]})"),
        count);
    facts.append(results, count);
    CHECK(facts.latest_user() == 0);
}

TEST_CASE("json_conversations: what a model reads is counted, wherever it stands", "[adapt][json]") {
    std::string const words(4'000, 'w');
    auto const cost_of = [](ordered_json const& m) {
        condense::outline facts;
        facts.append(m, condense::chars_per_token{40});
        return facts.group_at(0).cost.tokens().count;
    };
    for (
        auto const* const text :
        {R"({"type":"code_interpreter_call","id":"c","code":"WORDS","outputs":[]})",
         R"({"type":"web_search_call","id":"w","action":{"query":"WORDS"}})",
         R"({"type":"mcp_list_tools","id":"l","tools":[{"name":"WORDS"}]})",
         R"({"type":"computer_call_output","call_id":"c","output":"WORDS"})",
         R"({"type":"reasoning","id":"r","summary":[],"content":[{"type":"reasoning_text","text":"WORDS"}]})",
         R"({"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"WORDS"}]})",
         R"({"type":"program","call_id":"c","code":"WORDS"})",
         R"({"role":"user","content":[{"type":"file","data":{"type":"text","text":"WORDS"}}]})",
         R"({"role":"user","content":[{"document":{"name":"n","source":{"text":"WORDS"}}}]})",
         R"({"role":"user","content":[{"document":{"name":"n","source":{"content":[{"text":"WORDS"}]}}}]})",
         R"({"role":"user","content":[{"type":"document","source":{"type":"content","content":"WORDS"}}]})",
         R"({"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"WORDS"}]}}]})",
         R"({"role":"user","content":{"type":"tool_result","toolUseId":"c","content":[],"structuredContent":{"a":"WORDS"}}})"}) {
        INFO(text);
        std::string filled{text};
        filled.replace(filled.find("WORDS"), 5, words);
        CHECK(cost_of(read<ordered_json>(filled)) > 1'000);
        CHECK(cost_of(read<ordered_json>(filled)) < 1'100);
    }
}

TEST_CASE("json_conversations: blocks and items that are no calls of the program are read", "[adapt][json]") {
    for (auto const* const text :
         {R"({"id":"msg_1"})", R"({"type":"item_reference","id":"msg_1"})", R"({"type":"compaction_trigger"})",
          R"({"type":"configuration_update","tools":[]})",
          R"({"type":"tool_search_call","arguments":{},"call_id":null})",
          R"({"type":"tool_search_output","tools":[{"type":"function","name":"f"}]})",
          R"({"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"f"}]})",
          R"({"type":"program_output","call_id":"c","result":"1"})",
          R"({"role":"assistant","content":[{"type":"compaction","content":"short"}]})",
          R"({"role":"user","content":[{"type":"container_upload","file_id":"f"}]})",
          R"({"role":"user","content":[{"type":"tool_addition","tool":{"name":"f"}}]})",
          R"({"role":"user","content":[{"toolAddition":{"name":"f"}}]})",
          R"({"id":"m","role":"assistant","parts":[{"type":"data-toolProgress","data":{}}]})",
          R"({"role":"model","parts":[{"thoughtSignature":"x"}]})"}) {
        INFO(text);
        CHECK_FALSE(condense::shape_error_of(read<ordered_json>(text)));
    }
}

TEST_CASE("json_conversations: tools of UI messages may have any name", "[adapt][json]") {
    auto const m = read<ordered_json>(
        R"({"id":"m","role":"assistant","parts":[)"
        R"({"type":"tool-result","toolCallId":"c","state":"output-available","input":{},"output":"out"},)"
        R"({"type":"tool-call","toolCallId":"d","state":"output-available","input":{},"output":"in"}]})");
    CHECK(parts_of(m) == list{"tool call result #c: {}", "tool result result #c: out", "tool call call #d: {}",
                              "tool result call #d: in"});
}

TEST_CASE("json_conversations: media in a result of Gemini take no text", "[adapt][json]") {
    auto const m = read<ordered_json>(
        R"({"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"out"},)"
        R"("parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}}]})");
    REQUIRE(parts_of(m).size() == 2);
    CHECK(condense::with_part(m, 1, "an image") == m);

    auto unnamed = m;
    unnamed["parts"][0]["functionResponse"].erase("id");
    CHECK(parts_of(unnamed) == list{"tool result f: out", "media #f sealed =1600: image/png, 8 bytes"});
    condense::outline facts;
    facts.append(unnamed, condense::chars_per_token{4});
    CHECK_FALSE(facts.message_at(0).plain_user);
}

TEST_CASE("json_conversations: roles alternate where that is asked for", "[adapt][json]") {
    for (auto const shape : {json_shape::gemini, json_shape::bedrock}) {
        auto history = std::vector<ordered_json>{};
        for (auto const& each : rounds())
            if (each.shape == shape) history = conversation_of(each, 12);
        condense::pipeline const mix{condense::summarize{.when = used >= 70_pct}};
        static_cast<void>(condense::reduce(history, mix, {.window = 3'000_tokens}));
        std::vector<ordered_json> sent;
        condense::each_alternating(history, [&](ordered_json const& m) { sent.push_back(m); });
        REQUIRE(sent.size() < history.size());
        for (std::size_t at = 1; at < sent.size(); ++at) CHECK(sent[at]["role"] != sent[at - 1]["role"]);
    }
}

TEST_CASE("json_conversations: a result and a text, and two answers, are sent as one message", "[adapt][json]") {
    std::vector<ordered_json> const history{
        read<ordered_json>(
            R"({"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"out"}]}}]})"),
        read<ordered_json>(R"({"role":"user","content":[{"text":"go on"}]})"),
        read<ordered_json>(R"({"role":"assistant","content":[{"text":"a"}]})"),
        read<ordered_json>(R"({"role":"assistant","content":[{"toolUse":{"toolUseId":"d","name":"f","input":{}}}]})")};
    list sent;
    condense::each_alternating(history, [&](ordered_json const& m) {
        std::string all;
        for (auto const& part : parts_of(m)) all.append(all.empty() ? "" : " | ").append(part);
        sent.push_back(all);
    });
    CHECK(sent == list{"tool result #c: out | text: go on", "text: a | tool call f #d: {}"});
}

TEST_CASE("json_conversations: messages and overhead of each request body", "[adapt][json]") {
    auto const size_in = [](std::string_view text) {
        auto body = read<ordered_json>(text);
        auto const found = condense::messages_of(body);
        return found ? found->size() : 99;
    };
    CHECK(size_in(R"({"input":[{"role":"user","content":"a"}]})") == 1);
    CHECK(size_in(R"({"contents":[{"parts":[{"text":"a"}]}]})") == 1);
    CHECK(size_in(R"({"prompt":[{"role":"user","content":"a"}]})") == 1);
    CHECK(size_in(R"({"method":"m","params":{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}})") ==
          1);
    CHECK(size_in(R"({"params":{"a":1},"messages":[]})") == 0);
    CHECK(size_in(R"({"input":"a"})") == 99);

    auto const output_in = [](std::string_view text) {
        return condense::output_of(read<ordered_json>(text)).value_or(condense::tokens{99}).count;
    };
    CHECK(output_in(R"({"max_tokens":5})") == 5);
    CHECK(output_in(R"({"max_tokens":5,"max_completion_tokens":6})") == 6);
    CHECK(output_in(R"({"max_output_tokens":7})") == 7);
    CHECK(output_in(R"({"generationConfig":{"maxOutputTokens":8}})") == 8);
    CHECK(output_in(R"({"inferenceConfig":{"maxTokens":9}})") == 9);
    CHECK(output_in(R"({"params":{"maxTokens":10}})") == 10);
    CHECK(output_in(R"({"options":{"num_predict":11}})") == 11);
    for (auto const* const none : {"{}", "[]", "1", R"({"max_tokens":-1,"options":[]})", R"({"max_tokens":"5"})"})
        CHECK(output_in(none) == 99);

    condense::chars_per_token const count{1'000};
    auto const cost_of = [&](std::string_view text) { return condense::overhead_of(read<ordered_json>(text), count); };
    auto const said = count("You are terse.").tokens();
    CHECK(cost_of(R"({"instructions":"You are terse."})") == said);
    CHECK(cost_of(R"({"systemInstruction":{"parts":[{"text":"You are terse."}]}})") == said);
    CHECK(cost_of(R"({"system":[{"text":"You are terse."},{"cachePoint":{}}]})") == said);
    CHECK(cost_of(R"({"params":{"systemPrompt":"You are terse."}})") == said);
    CHECK(cost_of(R"({"tools":[{"name":"f"}]})") == count(R"([{"name":"f"}])").tokens());
    CHECK(cost_of(R"({"tools":[],"functions":null})") == condense::tokens{});
}
