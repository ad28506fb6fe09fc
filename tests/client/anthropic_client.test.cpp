// SPDX-License-Identifier: BSL-1.0
#include <condense/client/anthropic_client.hpp>

#include "client/server.hpp"

namespace {

using namespace client_tests;
using condense::anthropic_client, condense::client_settings;

condense::delivery nowhere{nullptr, nullptr};

json text_block(char const* text) { return {{"type", "text"}, {"text", text}}; }

}  // namespace

TEST_CASE("nothing of a broken attempt is in the next one", "[client]") {
    auto const& local = fresh_server();
    anthropic_client const client{{.model = "tiny", .base_url = local.url("cutonce"), .retry = {.first = {1'000'000}}}};
    auto const reply = client(json::array({{{"role", "user"}, {"content", "Read it."}}}), nowhere);
    CHECK(local.seen().size() == 2);
    REQUIRE(reply.message);
    CHECK((*reply.message)["content"].size() == 2);  // thinking and text, once
}

TEST_CASE("the provider is told to drop what is bound to another beginning, in each call of a conversation",
          "[client]") {
    auto const& local = fresh_server();
    client_settings settings{.model = "tiny",
                             .base_url = local.url("ok"),
                             .headers = {"anthropic-beta: of-mine"},
                             .body = {{"thinking", {{"type", "enabled"}, {"budget_tokens", 2'000}}}},
                             .bound = condense::bound_parts::stay};
    auto const history = json::array({{{"role", "user"}, {"content", "Read it."}}});
    CHECK(anthropic_client{settings}(history, nowhere).message);
    auto const sent = local.seen()[0];
    CHECK(sent["headers"]["anthropic-beta"] == "of-mine, thinking-binding-controls-2026-08-01");
    CHECK(sent["body"]["thinking"] == json{{"type", "enabled"},
                                           {"budget_tokens", 2'000},
                                           {"block_binding", {{"prefix_mismatch_behavior", "drop_block"}}}});
    settings.body = json::object();
    CHECK(anthropic_client{settings}(history, nowhere).message);
    CHECK_FALSE(local.seen()[0]["body"].contains("thinking"));
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
