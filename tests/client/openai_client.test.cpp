// SPDX-License-Identifier: BSL-1.0
#include <condense/client/openai_client.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>

#include "client/server.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using client_tests::fresh_server;
using client_tests::json;
using condense::client_settings;
using condense::openai_client;

condense::delivery nowhere{nullptr, nullptr};

json const history = {{{"role", "system"}, {"content", "Be brief."}}, {{"role", "user"}, {"content", "Read it."}}};

/// What the model said, and what it was sent.
struct exchange {
    condense::reply<json> reply;
    json sent;
};

exchange talk(std::string const& mode, client_settings settings = {}) {
    auto const& local = fresh_server();
    settings.model = "tiny";
    settings.base_url = local.url(mode) + settings.base_url;
    exchange done;
    done.reply = openai_client{std::move(settings)}(history, nowhere);
    done.sent = local.seen()[0];
    return done;
}

}  // namespace

TEST_CASE("a chat is sent as OpenAI takes it", "[client]") {
    client_settings settings{.body = {{"temperature", 0.5}, {"model", "other"}, {"stream", 7}, {"max_tokens", 5}}};
    auto sent = talk("ok", settings).sent;
    CHECK(sent["path"] == "/v1/chat/completions");
    CHECK(sent["body"] == json{{"temperature", 0.5},
                               {"model", "tiny"},
                               {"stream", true},
                               {"max_tokens", 5},
                               {"stream_options", {{"include_usage", true}}},
                               {"messages", history}});
    CHECK_FALSE(sent["headers"].contains("authorization"));
    settings.stream = false;
    settings.answer = 900_tokens;
    sent = talk("ok", settings).sent;
    CHECK(sent["body"]["max_tokens"] == 900);
    CHECK(sent["body"]["stream"] == false);
    CHECK_FALSE(sent["body"].contains("stream_options"));
    settings.limit_member = "max_completion_tokens";
    sent = talk("ok", settings).sent;
    CHECK(sent["body"]["max_completion_tokens"] == 900);
    CHECK_FALSE(sent["body"].contains("max_tokens"));
}

TEST_CASE("OpenAI itself has another name for the limit", "[client]") {
    for (auto const* const url :
         {"https://api.openai.com/v1", "https://api.openai.com/v1/", "http://localhost:11434/v1"}) {
        condense::detail::client::outgoing sent{.body = json::object()};
        condense::detail::openai_protocol::finish(sent, {.base_url = url}, 900_tokens, false);
        bool const is_openai = std::string_view{url}.starts_with("https");
        CHECK(sent.body[is_openai ? "max_completion_tokens" : "max_tokens"] == 900);
        CHECK(sent.body.size() == 3);
    }
}

TEST_CASE("a text may come as blocks", "[client]") {
    condense::detail::openai_protocol::reader reader;
    json const block = {{"type", "text"}, {"text", "Word."}};
    reader.read_event({{"choices", {{{"delta", {{"content", json::array({block})}}}}}}}, nowhere);
    reader.finish();
    CHECK(reader.result.text == "Word.");
    reader = {};
    reader.read_whole({{"choices", {{{"message", {{"content", json::array({block, block})}}}}}}}, nowhere);
    reader.finish();
    CHECK(reader.result.text == "Word.Word.");
}

TEST_CASE("Azure has its key and version elsewhere", "[client]") {
    auto const sent =
        talk("ok", {.base_url = "?api-version=2024-10-21", .key = "sk-azure", .key_header = "api-key"}).sent;
    CHECK(sent["path"] == "/v1/chat/completions?api-version=2024-10-21");
    CHECK(sent["headers"]["api-key"] == "sk-azure");
    CHECK_FALSE(sent["headers"].contains("authorization"));
}

TEST_CASE("a prompt is a system and a user message", "[client]") {
    auto const& local = fresh_server();
    client_settings settings{.model = "tiny", .base_url = local.url("ok"), .reasoning_room = 1'000_tokens};
    settings.body = {{"tools", json::array()}, {"response_format", {{"type", "json_object"}}}, {"temperature", 0}};
    CHECK(openai_client{settings}({.instructions = "Sum up.", .data = "It was long."}, {.answer = 500_tokens}).message);
    CHECK(local.seen()[0]["body"] ==
          json{{"temperature", 0},
               {"model", "tiny"},
               {"stream", false},
               {"max_tokens", 1'500},
               {"messages",
                {{{"role", "system"}, {"content", "Sum up."}}, {{"role", "user"}, {"content", "It was long."}}}}});
    settings.responses = true;
    CHECK(openai_client{settings}({.instructions = "Sum up.", .data = "It was long."}, {.answer = 500_tokens}).message);
    auto const seen = local.seen()[0];
    CHECK(seen["path"] == "/v1/responses");
    CHECK(seen["body"] == json{{"temperature", 0},
                               {"instructions", "Sum up."},
                               {"store", false},
                               {"model", "tiny"},
                               {"stream", false},
                               {"max_output_tokens", 1'500},
                               {"input", json::array({{{"role", "user"}, {"content", "It was long."}}})}});
    CHECK(openai_client{settings}({.instructions = "Only this."}).message);
    CHECK(local.seen()[0]["body"]["input"] == json::array({{{"role", "user"}, {"content", "Only this."}}}));
}

TEST_CASE("calls come back as the message that they are sent in again", "[client]") {
    for (bool const stream : {false, true}) {
        auto const answer = talk("ok-calls", {.stream = stream}).reply;
        REQUIRE(answer.message);
        auto const& message = *answer.message;
        CHECK(message["role"] == "assistant");
        REQUIRE(message["tool_calls"].size() == 1);
        CHECK(message["tool_calls"][0] ==
              json{{"id", "c1"},
                   {"type", "function"},
                   {"function", {{"name", "read"}, {"arguments", "{\"file\": \"notes.txt\"}"}}}});
        CHECK(answer.stop == "tool_calls");
    }
    // Several calls whose pieces are mixed, one without an id, none that is too many.
    auto const mixed = talk("stream").reply;
    REQUIRE(mixed.message);
    CHECK((*mixed.message)["content"].is_null());
    REQUIRE((*mixed.message)["tool_calls"].size() == 2);
    CHECK((*mixed.message)["tool_calls"][1]["function"]["arguments"] == "{\"text\":\"needle\"}");
    CHECK((*talk("loops").reply.message)["tool_calls"][0]["id"] == "call-0");
    CHECK(talk("manycalls").reply.error.text == "the answer calls too many tools");
    condense::detail::openai_protocol::reader reader;
    for (unsigned const index : {127u, 128u}) {
        CHECK_FALSE(reader.result.error);
        reader.read_event({{"choices", {{{"delta", {{"tool_calls", {{{"index", index}}}}}}}}}}, nowhere);
    }
    CHECK(reader.result.error);
}

TEST_CASE("reasoning comes back with the message, refusals as its text", "[client]") {
    auto const refused = talk("ok-refuses").reply;
    REQUIRE(refused.message);
    CHECK((*refused.message)["refusal"] == "I must not.");
    auto const whole = talk("whole-refuses").reply;
    REQUIRE(whole.message);
    CHECK((*whole.message)["refusal"] == "I must not.");
    CHECK_FALSE(talk("ok-reasons").reply.message);
}

TEST_CASE("an answer of the Responses API has items", "[client]") {
    auto const& local = fresh_server();
    for (bool const stream : {false, true}) {
        openai_client const client{
            {.model = "tiny", .base_url = local.url("ok-calls"), .stream = stream, .responses = true}};
        CHECK(client(history, nowhere).error.text.find("call `items`") != std::string::npos);
        CHECK(local.seen().empty());
        auto const reply = client.items(history, nowhere);
        REQUIRE(reply.message);
        REQUIRE(reply.message->size() == 3);
        CHECK((*reply.message)[0]["encrypted_content"] == "gAAA");
        CHECK((*reply.message)[1]["content"][0]["type"] == "output_text");
        CHECK((*reply.message)[2]["call_id"] == "c1");
        CHECK(reply.stop == "completed");
        CHECK(local.seen()[0]["body"]["input"] == history);
    }
}

TEST_CASE("a response that failed is an error with its reason", "[client]") {
    json const half = {{"type", "output_text"}, {"text", "Half"}};
    json const failed = {{"object", "response"},
                         {"status", "failed"},
                         {"error", {{"code", "server_error"}, {"message", "The model broke down."}}},
                         {"output", json::array({{{"type", "message"}, {"content", json::array({half})}}})}};
    for (bool const stream : {false, true}) {
        condense::detail::openai_protocol::reader reader;
        if (stream) reader.read_event({{"type", "response.failed"}, {"response", failed}}, nowhere);
        else reader.read_whole(failed, nowhere);
        reader.finish();
        CHECK(reader.result.error.text == "The model broke down. (server_error)");
        CHECK(reader.result.text.empty());
        CHECK(reader.result.messages.empty());
    }
}
