// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_understood.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::read;
using condense::shape_error_of;
using nlohmann::json;
using nlohmann::ordered_json;
using namespace condense::literals;

template <class Json>
std::string reason(std::string_view text) {
    return shape_error_of(read<Json>(text)).reason;
}

static_assert(condense::detail::names_call("toolUse", false) &&
              condense::detail::names_call("FunctionResponse", false));
static_assert(!condense::detail::names_call("custom_tool_call", false) &&
              condense::detail::names_call("custom_tool_call", true));
static_assert(!condense::detail::names_call("too", true) && !condense::detail::names_call("", true));

}  // namespace

TEMPLATE_TEST_CASE("json_understood: messages of every shape", "[adapt][json]", json, ordered_json) {
    for (
        std::string_view const text :
        {R"({"role":"user","content":"hi"})",
         R"({"role":"assistant","content":null})",
         R"({"role":"assistant"})",
         R"({"role":"user","content":""})",
         R"({"role":"user","content":[]})",
         R"({"role":"user","content":["hi"]})",
         R"({"role":"user","content":"hi","id":"m1","created_at":"today"})",
         R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]})",
         R"({"role":"assistant","tool_calls":[{"id":"c1"}]})",
         R"({"role":"assistant","function_call":{"name":"f","arguments":"{}"}})",
         R"({"role":"assistant","content":"a","tool_calls":[],"function_call":null})",
         R"({"role":"assistant","content":"a","tool_calls":null})",
         R"({"role":"tool","tool_call_id":"c1"})",
         R"({"role":"tool","tool_call_ids":["c1"],"content":[]})",
         R"({"role":"tool","tool_call_id":"c1","content":{"ok":true}})",
         R"({"role":"tool","tool_name":"ls","content":"out"})",
         R"({"role":"assistant","content":null,"refusal":"no"})",
         R"({"role":"assistant","content":"","reasoning_content":"hm"})",
         R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]})",
         R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"tool_reference","tool_name":"f"}]}]})",
         R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]})",
         R"({"role":"user","content":[{"type":"image"}]})",
         R"({"role":"assistant","content":[{"type":"redacted_thinking","data":"x"}]})",
         R"({"role":"user","content":[{"type":"text","text":"a"},{"type":"later","x":1}]})",
         R"({"role":"system","content":"a","tools":[{"type":"function","function":{"name":"f"}}]})",
         R"({"role":"user","parts":[{"text":"hi"}]})",
         R"({"parts":[{"text":"hi"}]})",
         R"({"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]})",
         R"({"role":"function","parts":[{"functionResponse":{"name":"f","response":{"a":1}}}]})",
         R"({"role":"user","content":[{"text":"hi"}]})",
         R"({"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]})",
         R"({"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"f","input":{}}}]})",
         R"({"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"out"}]}}]})",
         R"({"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}}]})",
         R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"text","value":"out"}}]})",
         R"({"id":"m1","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-f","toolCallId":"c1"}]})",
         R"({"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]})",
         R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{}"})",
         R"({"type":"function_call_output","call_id":"c1","output":"out"})",
         R"({"type":"reasoning","summary":[{"type":"summary_text","text":"s"}]})",
         R"({"type":"reasoning","summary":[],"encrypted_content":"abcd"})",
         R"({"type":"web_search_call","id":"w1","status":"completed"})",
         R"({"type":"item_reference","id":"r1"})",
         R"({"role":"assistant","content":{"type":"tool_use","id":"c1","name":"f","input":{}}})",
         R"({"role":"user","content":{"type":"text","text":"hi"}})",
         R"({"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":{}}}]})",
         R"({"role":"tool","tool_name":"f","content":"out"})",
         R"({"role":"toolResult","toolCallId":"c1","toolName":"f","content":[{"type":"text","text":"out"}],"isError":false})",
         R"({"role":"assistant","content":[{"type":"text","text":"a"},{"type":"toolCall","id":"c1","name":"f","arguments":{}}]})"}) {
        CAPTURE(text);
        CHECK(reason<TestType>(text) == "");
        CHECK_FALSE(shape_error_of(read<TestType>(text)));
    }
}

TEMPLATE_TEST_CASE("json_understood: other shapes are errors, message by message", "[adapt][json]", json,
                   ordered_json) {
    for (std::string_view const text :
         {R"({"content":{"role":"model","parts":[{"text":"hi"}]}})",
          R"({"role":"model","parts":[{"toolThing":{"name":"f"}}]})",
          R"({"role":"assistant","content":[{"toolThing":{"toolUseId":"c1"}}]})",
          R"({"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool-thing","toolCallId":"c1"}]})",
          R"({"role":"assistant","content":"","toolInvocations":[{"toolCallId":"c1"}]})",
          R"({"role":"assistant","parts":[{"type":"tool-invocation","toolInvocation":{"toolCallId":"c1"}}]})",
          R"({"type":"tool_thing","call_id":"c1"})",
             // Cohere, ShareGPT, a coding agent's log, a coding agent's message
          R"({"role":"USER","message":"hi"})", R"({"from":"human","value":"hi"})",
          R"({"type":"user","message":{"role":"user","content":"hi"}})",
             // What is nearly right
          R"({"role":"assistant","content":"a","tool_calls":{"id":"c1"}})",
          R"({"role":"assistant","content":"a","tool_calls":[7]})",
          R"({"role":"assistant","content":"a","function_call":"f"})", R"({"role":"user","content":{"a":[1]}})",
          R"({"role":"user","content":5})", R"({"role":"user","content":[5,null]})",
          R"({"role":"user","content":[{"type":"text","text":9}]})", R"({"role":"tool","output":"out"})", "5", "null",
          R"("text")", "[1]"}) {
        CAPTURE(text);
        auto const m = read<TestType>(text);
        CHECK(shape_error_of(m));
        CHECK_THROWS_AS(condense::each_part(m, [](condense::part_view const&) { FAIL("a part was shown"); }),
                        condense::unknown_shape);
    }
}

TEST_CASE("json_understood: an error names the message and its members, and nothing that is hostile", "[adapt][json]") {
    auto const of = [](std::string_view text) { return shape_error_of(read<ordered_json>(text), 7).text(); };
    CHECK(of(R"({"role":"model","parts":[{"functionCalls":{"name":"f"},"thoughtSignature":"x"}]})") ==
          "condense: json: message 7 with members (role, parts) is not understood: block 0 (members functionCalls, "
          "thoughtSignature) names a call or a result; the nearest shape is gemini");
    CHECK(of(R"({"role":"assistant","content":["a",{"type":"tool-cal","toolCallId":"c1","toolName":"f"}]})") ==
          "condense: json: message 7 with members (role, content) is not understood: block 1 (type tool-cal; members "
          "type, toolCallId, toolName) names a call or a result; the nearest shape is ai_sdk");
    CHECK(
        of(R"({"from":"human","value":"hi"})") ==
        "condense: json: message 7 with members (from, value) is not understood: it has no content; no shape has such "
        "members");
    CHECK(of("5").find("(none, a JSON number)") != std::string::npos);
    auto const hostile = of("{\"role\":\"user\",\"\\u001b[2J\":1,\"" + std::string(500, 'x') + R"(":1,"parts":[7]})");
    CHECK(hostile.find("(role, ?, ?, parts)") != std::string::npos);
    CHECK(
        of(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":"1"})").find("k, l, ...)") !=
        std::string::npos);
    CHECK(shape_error_of(read<json>("5")).text().starts_with("condense: json: message with members"));
}

TEST_CASE("json_understood: neither a session nor a reduction reads what it does not understand", "[adapt][json]") {
    condense::pipeline const mix{condense::sliding_window{.when = condense::used >= 90_pct}};
    condense::session session{std::vector<json>{}, mix, condense::budget{.window = 1'000_tokens}};
    session.push(read<json>(R"({"role":"user","content":"hi"})"));
    auto const foreign = read<json>(R"({"role":"model","parts":[{"toolThing":{"name":"f"}}]})");
    CHECK_THROWS_AS(session.push(foreign), condense::unknown_shape);
    CHECK(session.history().size() == 1);

    std::vector<json> history{read<json>(R"({"role":"user","content":"hi"})"), foreign};
    auto const before = history;
    CHECK_THROWS_AS(condense::reduce(history, mix, {.window = 1'000_tokens}), condense::unknown_shape);
    CHECK(history == before);

    SECTION("and what is thrown says why, to a program that knows of exceptions alone") {
        std::string said;
        try {
            session.push(foreign);
        } catch (std::exception const& thrown) { said = thrown.what(); }
        CHECK(said == shape_error_of(foreign).text());
        CHECK(said.find("with members (parts, role) is not understood") != std::string::npos);
    }
}

TEST_CASE("json_understood: a part stays where nothing that is understood would be left", "[adapt][json]") {
    auto const m =
        read<json>(R"({"role":"assistant","content":[{"type":"thinking","thinking":"a"},{"type":"later"}]})");
    CHECK(condense::without_part(m, 0) == m);
    CHECK(condense::without_part(m, 1) != m);
}

TEST_CASE("json_understood: a shape can be demanded", "[adapt][json]") {
    using condense::json_shape;
    auto const is = [](std::string_view text, json_shape shape) { return !shape_error_of(read<json>(text), 0, shape); };
    auto const* const plain = R"({"role":"user","content":"hi"})";
    CHECK((is(plain, json_shape::openai) && is(plain, json_shape::anthropic) && is(plain, json_shape::responses)));
    CHECK_FALSE((is(plain, json_shape::gemini) || is(plain, json_shape::bedrock) || is(plain, json_shape::ai_sdk_ui)));
    auto const* const call = R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]})";
    CHECK((is(call, json_shape::anthropic) && !is(call, json_shape::openai)));
    auto const* const old = R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"f"}}]})";
    CHECK((is(old, json_shape::openai) && !is(old, json_shape::anthropic) && !is(old, json_shape::responses)));
    CHECK(shape_error_of(read<json>(plain), 3, json_shape::gemini).text() ==
          "condense: json: message 3 with members (content, role) is not understood: it is of openai, responses, "
          "anthropic, ai_sdk, ollama or pi, not of gemini");
    CHECK(shape_error_of(read<json>(call), 3, json_shape::openai).reason == "it is of anthropic or mcp, not of openai");
    auto const* const mixed = R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],)"
                              R"("tool_calls":[{"id":"d","function":{"name":"f","arguments":"{}"}}]})";
    CHECK(shape_error_of(read<json>(mixed), 3, json_shape::openai).reason ==
          "it is of several shapes at once, not of openai");
    CHECK(shape_error_of(read<json>(R"({"role":"user","parts":[{"toolCall":1}]})"), 3, json_shape::openai).nearest ==
          "gemini");
    CHECK_FALSE(is(R"({"role":"user","content":[{"text":"hi"}]})", json_shape::gemini));
    CHECK((is(R"({"role":"user","parts":[]})", json_shape::gemini) &&
           !is(R"({"role":"user","parts":[]})", json_shape::openai)));
    auto body = read<json>(R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}]})");
    CHECK(condense::messages_of(body, json_shape::gemini));
    CHECK_FALSE(condense::messages_of(body, json_shape::bedrock));
}
