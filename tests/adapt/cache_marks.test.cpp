// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/cache_marks.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::json_shape, condense::set_cache_marks;
using json = nlohmann::ordered_json;
using places = std::vector<std::string>;

std::string const words(4'400, 'w');  // 1,100 tokens

/// Where the marks of a body are.
places marks(json const& body) {
    places all;
    auto const flat = body.flatten();
    for (auto const& [path, value] : flat.items())
        for (std::string_view const end : {"/cache_control/type", "/cachePoint/type"})
            if (path.ends_with(end)) {
                CHECK(value == (end == "/cachePoint/type" ? "default" : "ephemeral"));
                all.push_back(path.substr(0, path.size() - end.size()));
            }
    return all;
}

json text(std::string const& of) { return {{"type", "text"}, {"text", of}}; }
json user(json content) { return {{"role", "user"}, {"content", std::move(content)}}; }
json assistant(json content) { return {{"role", "assistant"}, {"content", std::move(content)}}; }

/// A system text, and then these members.
json with_words(json system, std::string_view members) {
    json body{{"system", std::move(system)}};
    body.update(json::parse(members));
    return body;
}
/// A request of an agent that has called a tool twice.
json anthropic_body() {
    return with_words(words, R"({"tools": [{"name": "read", "input_schema": {}}, {"name": "write"}], "messages": [
        {"role": "user", "content": "Begin."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "fine"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Once more."},
                                          {"type": "tool_use", "id": "b", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "fine"},
                                     {"type": "text", "text": "Go on."}]}]})");
}
json bedrock_body() {
    return with_words(json::array({{{"text", words}}}),
                      R"({"toolConfig": {"tools": [{"toolSpec": {"name": "read"}}]}, "messages": [
        {"role": "user", "content": [{"text": "Begin."}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "read", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "fine"}]}}]}]})");
}

/// What a body costs.
condense::tokens cost_of(json const& body) {
    condense::detail::quarter_estimator const estimator;
    auto sum = condense::cost::of(condense::overhead_of(body, estimator));
    for (auto const& message : body["messages"])
        adapt_tests::each_part(message, [&](auto const& part) { sum += condense::detail::part_cost(estimator, part); });
    return sum.tokens();
}

}  // namespace

TEST_CASE("cache_marks: a body of Anthropic is marked where the next request goes on") {
    auto body = anthropic_body();
    auto const before = body;
    CHECK(set_cache_marks(body) == 3);
    CHECK(marks(body) == places{"/system/0", "/messages/2/content/0", "/messages/4/content/1"});
    CHECK(body["system"][0]["text"] == words);
    auto const once = body;
    CHECK(set_cache_marks(body) == 3);
    CHECK(body == once);
    CHECK(cost_of(body) == cost_of(before));
    CHECK(cost_of(before) > 1'100_tokens);

    // The answer, and what the agent says then: the last mark is found, the one before it is gone.
    body["messages"].push_back(assistant("Done."));
    body["messages"].push_back(user("Thanks."));
    CHECK(set_cache_marks(body) == 3);
    CHECK(marks(body) == places{"/system/0", "/messages/4/content/1", "/messages/6/content/0"});
    CHECK(body["messages"][6]["content"] ==
          json::array({{{"type", "text"}, {"text", "Thanks."}, {"cache_control", {{"type", "ephemeral"}}}}}));

    // Without a system text the tools are marked, but none that is loaded later.
    auto tools = before;
    tools.erase("system");
    tools["messages"][0] = user(words);
    tools["tools"][0]["description"] = words;
    CHECK(set_cache_marks(tools) == 3);
    CHECK(marks(tools)[0] == "/tools/1");
    tools = before;
    tools.erase("system");
    tools["tools"][0]["description"] = words;
    tools["tools"][1]["defer_loading"] = true;
    CHECK(set_cache_marks(tools) == 3);
    CHECK(marks(tools)[0] == "/tools/0");
    CHECK(cost_of(tools) <= cost_of(before) + 20_tokens);
}

TEST_CASE("cache_marks: a body of Converse gets points of its own") {
    auto body = bedrock_body();
    auto const before = body;
    CHECK(set_cache_marks(body) == 3);
    CHECK(marks(body) == places{"/system/1", "/messages/0/content/1", "/messages/2/content/1"});
    auto const once = body;
    CHECK(set_cache_marks(body) == 3);
    CHECK(body == once);
    CHECK(cost_of(body) == cost_of(before));
    // Not behind reasoning.
    auto thinking = before;
    thinking["messages"].push_back(
        assistant(json::array({{{"text", "So."}}, {{"reasoningContent", {{"reasoningText", {{"text", "Hm."}}}}}}})));
    CHECK(set_cache_marks(thinking) == 3);
    CHECK(marks(thinking) == places{"/system/1", "/messages/2/content/1", "/messages/3/content/1"});
    // Of tools, where there is no system text.
    auto tools = before;
    tools.erase("system");
    tools["toolConfig"]["tools"][0]["toolSpec"]["description"] = words;
    CHECK(set_cache_marks(tools) == 3);
    CHECK(marks(tools)[0] == "/toolConfig/tools/1");
}

TEST_CASE("cache_marks: only a prefix that is long enough is marked") {
    auto body = anthropic_body();
    body["system"] = "Be brief.";
    auto const before = body;
    CHECK(set_cache_marks(body) == 0);
    CHECK(body == before);
    body["messages"][3]["content"][0]["text"] = words;
    CHECK(set_cache_marks(body) == 1);
    CHECK(marks(body) == places{"/messages/4/content/1"});
    body["messages"][1]["content"].push_back(text(words));
    CHECK(set_cache_marks(body, {.least = 1'050_tokens}) == 2);
    CHECK(marks(body) == places{"/messages/2/content/0", "/messages/4/content/1"});
    CHECK(set_cache_marks(body, {.least = 3'000_tokens}) == 0);
    CHECK(marks(body).empty());
    auto const tenfold = [](std::string_view of) { return condense::cost::of({of.size() * 10}); };
    CHECK(set_cache_marks(body, {.least = 20'000_tokens}, tenfold) == 2);
    CHECK(set_cache_marks(body, {.least = {}}) == 3);
}

TEST_CASE("cache_marks: no mark is set where the provider refuses it") {
    for (auto const& blocks : {
             json::array({text("Go."), text("")}),
             json::array({text("Go."), text(" \n\t")}),
             json::array({text("Go."), {{"type", "thinking"}, {"thinking", "Hm."}, {"signature", "c2ln"}}}),
             json::array({text("Go."), {{"type", "redacted_thinking"}, {"data", "AAAA"}}}),
             json::array({text("Go."), {{"type", "new"}, {"text", 7}}}),
             json::array({text("Go."), "x", 7, nullptr}),
         }) {
        CAPTURE(blocks.dump());
        auto body = anthropic_body();
        body["messages"][4]["content"] = blocks;
        CHECK(set_cache_marks(body, {.shape = json_shape::anthropic}) == 3);
        CHECK(marks(body)[2] == "/messages/4/content/0");
    }
    // Where no block of the newest message takes one, the messages before are marked.
    for (auto const& content : {json(""), json::array(), json::array({text("")}), json(nullptr), json(7)}) {
        auto body = anthropic_body();
        body["messages"][4]["content"] = content;
        CHECK(set_cache_marks(body, {.shape = json_shape::anthropic}) == 3);
        CHECK(marks(body) == places{"/system/0", "/messages/2/content/0", "/messages/3/content/1"});
        CHECK(body["messages"][4]["content"] == content);
    }
}

TEST_CASE("cache_marks: there are never more marks than a provider takes") {
    auto const mark = json{{"type", "ephemeral"}, {"ttl", "1h"}};
    for (std::size_t given = 0; given <= 5; ++given) {
        CAPTURE(given);
        auto body = anthropic_body();
        body["system"] = json::array();
        for (std::size_t each = 0; each < 5; ++each) {
            body["system"].push_back(text(words));
            if (each < given) body["system"].back()["cache_control"] = mark;
        }
        // Left from earlier requests, also inside a result.
        for (auto& message : body["messages"])
            if (message["content"].is_array()) message["content"][0]["cache_control"] = mark;
        body["messages"][4]["content"][0]["content"] = json::array({text("fine")});
        body["messages"][4]["content"][0]["content"][0]["cache_control"] = mark;
        auto const count = set_cache_marks(body);
        auto const all = marks(body);
        CHECK(count == all.size());
        CHECK(count == (given == 0 ? 3u : given > 4 ? given : given + 2 > 4 ? 4u : given + 2));
        // Those of the program stay, with their lifetime.
        for (std::size_t each = 0; each < given; ++each) CHECK(body["system"][each]["cache_control"] == mark);
        if (given < 4) CHECK(all.back() == "/messages/4/content/1");
    }
    auto own = anthropic_body();
    own["cache_control"] = mark;
    auto const before = own;
    CHECK(set_cache_marks(own) == 0);
    CHECK(own == before);
}

TEST_CASE("cache_marks: other shapes stay as they are") {
    auto const call = json{{"id", "a"}, {"type", "function"}, {"function", {{"name", "read"}, {"arguments", "{}"}}}};
    for (auto const& body :
         {json{{"messages", {user(words), {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {call}}}}}},
          json{{"messages", {user(words), assistant(words)}}}, json{{"input", {user(words)}}},
          json{{"contents", {{{"role", "user"}, {"parts", {{{"text", words}}}}}}}},
          json{{"system", words}, {"messages", {{{"role", "user"}, {"new", words}}}}},
          json{{"system", words}, {"messages", words}}, json::array({user(words)}), json(words), json(nullptr)}) {
        auto sent = body;
        CHECK(set_cache_marks(sent) == 0);
        CHECK(sent == body);
    }
    // Texts alone may be of anybody, unless the program says whose.
    json plain{{"messages", {user(words), assistant("So."), user("On.")}}};
    CHECK(set_cache_marks(plain, {.shape = json_shape::openai}) == 0);
    CHECK(set_cache_marks(plain, {.shape = json_shape::anthropic}) == 2);
    CHECK(marks(plain) == places{"/messages/0/content/0", "/messages/2/content/0"});
    nlohmann::json sorted(anthropic_body());
    CHECK(set_cache_marks(sorted) == 3);
    json broken{{"system", words}, {"messages", {7, nullptr, "x", json::array({7})}}};
    CHECK(set_cache_marks(broken, {.shape = json_shape::anthropic}) == 1);
    CHECK(set_cache_marks(broken, {.shape = json_shape::bedrock}) == 1);
}

TEST_CASE("cache_marks: newer models of OpenAI, and Qwen, are known by their name") {
    auto const asked_of = [](char const* model, char const* key, std::string_view messages) {
        json body{{"model", model}, {key, json::parse(messages)}};
        body[key][0]["content"] = words;
        auto const count = set_cache_marks(body);
        auto const once = body;
        CHECK((set_cache_marks(body) == count && body == once));
        return std::pair{count, body[key]};
    };
    auto const items = R"([{"role":"user"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},
                           {"type":"function_call_output","call_id":"a","output":"fine"}])";
    json const breakpoint{{"mode", "explicit"}};
    auto const [count, marked] = asked_of("openai/gpt-5.6-terra", "input", items);
    CHECK(count == 2);
    CHECK(marked[0]["content"] ==
          json::array({{{"type", "input_text"}, {"text", words}, {"prompt_cache_breakpoint", breakpoint}}}));
    CHECK(marked[2]["output"][0]["prompt_cache_breakpoint"] == breakpoint);
    for (auto const* const older : {"gpt-5.5", "gpt-4o", "qwen3-max", ""})
        CHECK(asked_of(older, "input", items).first == 0);

    auto const chat = R"([{"role":"user"},{"role":"assistant","content":"Well."},{"role":"user","content":"Go on."}])";
    auto const of_gpt = asked_of("gpt-6-sol", "messages", chat);
    CHECK((of_gpt.first == 2 && of_gpt.second[2]["content"][0]["prompt_cache_breakpoint"] == breakpoint));
    auto const of_qwen = asked_of("qwen/qwen3-coder-plus", "messages", chat);
    CHECK((of_qwen.first == 2 && of_qwen.second[0]["content"][0]["cache_control"] == json{{"type", "ephemeral"}}));
    CHECK(asked_of("gpt-5.4", "messages", chat).first == 0);
}
