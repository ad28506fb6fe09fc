// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_understood.hpp>

#include <condense/condense.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::read, adapt_tests::table;
using condense::json_shape, condense::shape_error_of;
using json = nlohmann::ordered_json;
using namespace condense::literals;

using condense::detail::names_call;
static_assert(names_call("toolUse", false) && names_call("FunctionResponse", false));
static_assert(!names_call("custom_tool_call", false) && names_call("custom_tool_call", true));
static_assert(!names_call("too", true) && !names_call("", true));

}  // namespace

// Those of the table "rounds" are among the conversations of json_conversations.test.cpp.
TEST_CASE("json_understood: messages of every shape", "[adapt][json]") {
    auto const check = [](json const& m) {
        CAPTURE(m.dump());
        CHECK(shape_error_of(m).reason == "");
        CHECK_FALSE(shape_error_of(m));
    };
    for (auto const& m : table("understood")) check(m);
    for (auto const& row : table("parts")) check(row[0]);
}

// Of other programs, such as Cohere, ShareGPT and coding agents, and what is nearly right.
TEST_CASE("json_understood: other shapes are errors, message by message", "[adapt][json]") {
    auto const check = [](json const& m) {
        CAPTURE(m.dump());
        CHECK(shape_error_of(m));
        CHECK_THROWS_AS(adapt_tests::each_part(m, [](condense::part_view const&) { FAIL("a part was shown"); }),
                        condense::unknown_shape);
    };
    for (auto const& m : table("strange")) check(m);
    for (auto const& row : table("odd")) check(row[0]);
}

TEST_CASE("json_understood: an error names the message and its members, and nothing that is hostile", "[adapt][json]") {
    auto const of = [](std::string_view text) { return shape_error_of(read(text), 7).text(); };
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
    CHECK(shape_error_of(read("5")).text().starts_with("condense: json: message with members"));
}

TEST_CASE("json_understood: neither a session nor a reduction reads what it does not understand", "[adapt][json]") {
    condense::pipeline const mix{condense::sliding_window{.when = condense::used >= 90_pct}};
    condense::session session{std::vector<json>{}, mix, condense::budget{.window = 1'000_tokens}};
    session.push(read(R"({"role":"user","content":"hi"})"));
    auto const foreign = read(R"({"role":"model","parts":[{"toolThing":{"name":"f"}}]})");
    CHECK_THROWS_AS(session.push(foreign), condense::unknown_shape);
    CHECK(session.history().size() == 1);

    std::vector<json> history{read(R"({"role":"user","content":"hi"})"), foreign};
    auto const before = history;
    CHECK_THROWS_AS(condense::reduce(history, mix, {.window = 1'000_tokens}), condense::unknown_shape);
    CHECK(history == before);
    // To a program that knows of exceptions alone, it says why.
    std::string said;
    try {
        session.push(foreign);
    } catch (std::exception const& thrown) { said = thrown.what(); }
    CHECK(said == shape_error_of(foreign).text());
    CHECK(said.find("with members (role, parts) is not understood") != std::string::npos);
}

TEST_CASE("json_understood: a part stays where nothing that is understood would be left", "[adapt][json]") {
    auto const m = read(R"({"role":"assistant","content":[{"type":"thinking","thinking":"a"},{"type":"later"}]})");
    CHECK(condense::without_part(m, 0) == m);
    CHECK(condense::without_part(m, 1) != m);
}

TEST_CASE("json_understood: a shape can be demanded", "[adapt][json]") {
    auto const is = [](std::string_view text, json_shape shape) { return !shape_error_of(read(text), 0, shape); };
    auto const* const plain = R"({"role":"user","content":"hi"})";
    CHECK((is(plain, json_shape::openai) && is(plain, json_shape::anthropic) && is(plain, json_shape::responses)));
    CHECK_FALSE((is(plain, json_shape::gemini) || is(plain, json_shape::bedrock) || is(plain, json_shape::ai_sdk_ui)));
    auto const* const call = R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]})";
    CHECK((is(call, json_shape::anthropic) && !is(call, json_shape::openai)));
    auto const* const old = R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"f"}}]})";
    CHECK((is(old, json_shape::openai) && !is(old, json_shape::anthropic) && !is(old, json_shape::responses)));
    CHECK(shape_error_of(read(plain), 3, json_shape::gemini).text() ==
          "condense: json: message 3 with members (role, content) is not understood: it is of openai, responses, "
          "anthropic, ai_sdk, ollama or pi, not of gemini");
    CHECK(shape_error_of(read(call), 3, json_shape::openai).reason == "it is of anthropic or mcp, not of openai");
    auto const* const mixed = R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],)"
                              R"("tool_calls":[{"id":"d","function":{"name":"f","arguments":"{}"}}]})";
    CHECK(shape_error_of(read(mixed), 3, json_shape::openai).reason ==
          "it is of several shapes at once, not of openai");
    CHECK(shape_error_of(read(R"({"role":"user","parts":[{"toolCall":1}]})"), 3, json_shape::openai).nearest ==
          "gemini");
    CHECK_FALSE(is(R"({"role":"user","content":[{"text":"hi"}]})", json_shape::gemini));
    CHECK((is(R"({"role":"user","parts":[]})", json_shape::gemini) &&
           !is(R"({"role":"user","parts":[]})", json_shape::openai)));
    auto body = read(R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}]})");
    CHECK(condense::messages_of(body, json_shape::gemini));
    CHECK_FALSE(condense::messages_of(body, json_shape::bedrock));
}
