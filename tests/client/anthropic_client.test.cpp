// SPDX-License-Identifier: BSL-1.0
#include <condense/client/anthropic_client.hpp>

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>

#include "client/server.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using client_tests::fresh_server;
using client_tests::json;
using condense::anthropic_client;
using condense::client_settings;

condense::delivery nowhere{nullptr, nullptr};

json text_block(char const* text) { return {{"type", "text"}, {"text", text}}; }

}  // namespace

TEST_CASE("messages are sent as Anthropic takes them", "[client]") {
    auto const& local = fresh_server();
    json const history = {{{"role", "system"}, {"content", "Be brief."}},
                          {{"role", "user"}, {"content", "Read it."}},
                          {{"role", "system"}, {"content", json::array({text_block("Be kind.")})}}};
    client_settings settings{.model = "tiny", .base_url = local.url("ok"), .headers = {"anthropic-beta: some"}};
    CHECK(anthropic_client{settings}(history, nowhere).message);
    auto sent = local.seen()[0];
    CHECK(sent["path"] == "/v1/messages");
    CHECK(sent["headers"]["anthropic-version"] == "2023-06-01");
    CHECK(sent["headers"]["anthropic-beta"] == "some");
    CHECK(sent["body"] == json{{"system", {text_block("Be brief."), text_block("Be kind.")}},
                               {"model", "tiny"},
                               {"stream", true},
                               {"max_tokens", 8'192},
                               {"messages", json::array({history[1]})}});
    settings.body = {{"system", "First."}, {"max_tokens", 70}, {"tools", json::array({{{"name", "read"}}})}};
    CHECK(anthropic_client{settings}(history, nowhere).message);
    sent = local.seen()[0];
    CHECK(sent["body"]["system"][0] == text_block("First."));
    CHECK(sent["body"]["system"].size() == 3);
    CHECK(sent["body"]["max_tokens"] == 70);
    settings.answer = 900_tokens;
    CHECK(anthropic_client{settings}(history, nowhere).message);
    CHECK(local.seen()[0]["body"]["max_tokens"] == 900);
    // A prompt has neither the agent's tools nor its system text.
    settings.reasoning_room = 1'000_tokens;
    CHECK(anthropic_client{settings}({.instructions = "Sum up.", .data = "Long."}, {.answer = 500_tokens}).message);
    CHECK(local.seen()[0]["body"] == json{{"max_tokens", 1'500},
                                          {"system", json::array({text_block("Sum up.")})},
                                          {"model", "tiny"},
                                          {"stream", false},
                                          {"messages", json::array({{{"role", "user"}, {"content", "Long."}}})}});
}

TEST_CASE("blocks come back as they are sent in again", "[client]") {
    auto const& local = fresh_server();
    for (bool const stream : {false, true}) {
        anthropic_client const client{{.model = "tiny", .base_url = local.url("ok-calls"), .stream = stream}};
        auto const reply = client(json::array({{{"role", "user"}, {"content", "Read it."}}}), nowhere);
        REQUIRE(reply.message);
        auto const& content = (*reply.message)["content"];
        CHECK((*reply.message)["role"] == "assistant");
        REQUIRE(content.size() == 3);
        CHECK(content[0] == json{{"type", "thinking"}, {"thinking", "Hmm."}, {"signature", "c2ln"}});
        CHECK(content[1]["type"] == "text");
        CHECK(content[2] ==
              json{{"type", "tool_use"}, {"id", "c1"}, {"name", "read"}, {"input", {{"file", "notes.txt"}}}});
        CHECK(reply.stop == "tool_use");
        CHECK(reply.usage ==
              condense::provider_usage{
                  .input = 50_tokens, .output = 20_tokens, .cache_read = 40_tokens, .cache_write = 10_tokens});
    }
}

TEST_CASE("nothing of a broken attempt is in the next one", "[client]") {
    auto const& local = fresh_server();
    anthropic_client const client{{.model = "tiny", .base_url = local.url("cutonce"), .retry = {.first = {1'000'000}}}};
    auto const reply = client(json::array({{{"role", "user"}, {"content", "Read it."}}}), nowhere);
    CHECK(local.seen().size() == 2);
    REQUIRE(reply.message);
    CHECK((*reply.message)["content"].size() == 2);  // thinking and text, once
}

TEST_CASE("a large conversation is marked for the cache, and an instruction behind it finds the marks", "[client]") {
    auto const& local = fresh_server();
    auto const mark = json{{"type", "ephemeral"}};
    auto const marked = [&](json block) {
        block["cache_control"] = mark;
        return block;
    };
    auto const tools = json::array({{{"name", "read"}}});
    client_settings settings{.model = "tiny", .base_url = local.url("ok"), .body = {{"tools", tools}}};
    std::string const words(4'400, 'w');
    json history = {{{"role", "system"}, {"content", words}}, {{"role", "user"}, {"content", "Read it."}}};
    auto const sent_by = [&](anthropic_client const& client) {
        CHECK(client(history, nowhere).message);
        return local.seen()[0]["body"];
    };
    auto const first = sent_by(anthropic_client{settings});
    CHECK(first["system"] == json::array({marked(text_block(words.c_str()))}));
    CHECK(first["tools"] == tools);
    CHECK(first["messages"][0]["content"] == json::array({marked(text_block("Read it."))}));
    history.push_back({{"role", "assistant"}, {"content", "I did."}});
    history.push_back({{"role", "user"}, {"content", json::array({text_block("And?"), text_block("Go on.")})}});
    anthropic_client const client{settings};
    auto const agent = sent_by(client);
    CHECK(agent["system"] == first["system"]);
    CHECK(agent["messages"][0] == first["messages"][0]);
    CHECK(agent["messages"][1] == history[2]);
    CHECK(agent["messages"][2]["content"] == json::array({text_block("And?"), marked(text_block("Go on."))}));
    CHECK(client.ask_after(history, "Sum up.", {.answer = 300_tokens}).message);
    auto after = local.seen()[0]["body"];
    CHECK(after["messages"][3] == json{{"role", "user"}, {"content", "Sum up."}});
    after["messages"].erase(3);
    CHECK(after["messages"] == agent["messages"]);
    CHECK(after["system"] == agent["system"]);
    CHECK(after["tools"] == tools);
    // The same as of the function for a body.
    auto body = agent;
    CHECK(condense::set_cache_marks(body) == 3);
    CHECK(body == agent);

    // A prompt is sent once; marks of the program's own stay alone; and it can be switched off.
    CHECK(client({.instructions = words, .data = words}).message);
    CHECK(local.seen()[0]["body"].dump().find("cache_control") == std::string::npos);
    auto const plain = history;
    history[1]["content"] = json::array({marked(text_block("Read it."))});
    auto const own = sent_by(client);
    CHECK(own["messages"][0] == history[1]);
    CHECK(own["messages"][2] == history[3]);
    CHECK(own["system"] == json::array({text_block(words.c_str())}));
    history = plain;
    history[1]["content"] = "{\"cache_control\": 1}";  // a text with the word is no mark
    CHECK(sent_by(client)["messages"][2] == agent["messages"][2]);
    history = plain;
    settings.cache = false;
    CHECK(sent_by(anthropic_client{settings}).dump().find("cache_control") == std::string::npos);
    settings.cache = true;
    settings.body["cache_control"] = mark;
    auto const whole = sent_by(anthropic_client{settings});
    CHECK(whole["cache_control"] == mark);
    CHECK(whole["messages"][2] == history[3]);
    settings.body.erase("cache_control");
    history[0]["content"] = "Be brief.";
    CHECK(sent_by(anthropic_client{settings}).dump().find("cache_control") == std::string::npos);
    history[3]["content"][0]["text"] = words;
    auto const late = sent_by(anthropic_client{settings});
    CHECK(late["messages"][2]["content"][1] == marked(text_block("Go on.")));
    CHECK(late["messages"][0] == history[1]);
}

TEST_CASE("the citations of a text that comes in pieces stay with it", "[client]") {
    condense::detail::anthropic_protocol::reader reader;
    auto const read = [&](json const& event) { reader.read_event(event, nowhere); };
    auto const delta = [&](json const& piece) {
        read({{"type", "content_block_delta"}, {"index", 0u}, {"delta", piece}});
    };
    json const first = {{"type", "char_location"}, {"cited_text", "It rains."}, {"document_index", 0}};
    json const second = {{"type", "char_location"}, {"cited_text", "It pours."}, {"document_index", 1}};
    for (auto const& citations : {json(nullptr), json::array()}) {
        reader = {};
        read({{"type", "content_block_start"},
              {"index", 0u},
              {"content_block", {{"type", "text"}, {"text", ""}, {"citations", citations}}}});
        delta({{"type", "citations_delta"}, {"citation", first}});
        delta({{"type", "text_delta"}, {"text", "Wet "}});
        delta({{"type", "citations_delta"}, {"citation", second}});
        delta({{"type", "text_delta"}, {"text", "weather."}});
        read({{"type", "message_stop"}});
        reader.finish();
        REQUIRE(reader.result.messages.size() == 1);
        CHECK(reader.result.messages[0]["content"] ==
              json::array({{{"type", "text"}, {"text", "Wet weather."}, {"citations", {first, second}}}}));
    }
}

TEST_CASE("a stream that is out of order is no message", "[client]") {
    condense::detail::anthropic_protocol::reader reader;
    condense::delivery sink{nullptr, nullptr};
    auto const read = [&](json const& event) { reader.read_event(event, sink); };
    read({{"type", "content_block_delta"}, {"index", 0u}, {"delta", {{"text", "x"}}}});
    CHECK(reader.result.error.text == "the answer holds a piece of no block");
    // The input of a call that the limit has cut.
    reader = {};
    read({{"type", "content_block_start"},
          {"index", 0u},
          {"content_block", {{"type", "tool_use"}, {"input", json::object()}}}});
    read({{"type", "content_block_delta"}, {"index", 0u}, {"delta", {{"partial_json", "{\"file\": \"no"}}}});
    read({{"type", "message_delta"}, {"delta", {{"stop_reason", "max_tokens"}}}});
    read({{"type", "message_stop"}});
    CHECK(reader.result.complete);
    reader.finish();
    CHECK(reader.result.error.text == "the input of a tool is not whole (max_tokens)");
    CHECK(reader.result.messages.empty());
}
