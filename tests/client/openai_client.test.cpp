// SPDX-License-Identifier: BSL-1.0
#include <condense/client/openai_client.hpp>

#include <condense/adapt/json.hpp>

#include "client/server.hpp"

namespace {

using namespace client_tests;
using condense::openai_client;

condense::delivery nowhere{nullptr, nullptr};

json const history = {{{"role", "user"}, {"content", "Read it."}}};

condense::reply<json> answer_of(std::string const& mode) {
    return openai_client{{.model = "tiny", .base_url = fresh_server().url(mode)}}(history, nowhere);
}

}  // namespace

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

TEST_CASE("calls whose pieces are mixed, one without an id, and too many", "[client]") {
    auto const mixed = answer_of("stream");
    REQUIRE(mixed.message);
    CHECK((*mixed.message)["content"].is_null());
    REQUIRE((*mixed.message)["tool_calls"].size() == 2);
    CHECK((*mixed.message)["tool_calls"][1]["function"]["arguments"] == "{\"text\":\"needle\"}");
    CHECK((*answer_of("loops").message)["tool_calls"][0]["id"] == "call-0");
    CHECK(answer_of("manycalls").error.text == "the answer calls too many tools");
    // A refusal comes back with the message, reasoning alone is none.
    auto const whole = answer_of("whole-refuses");
    REQUIRE(whole.message);
    CHECK((*whole.message)["refusal"] == "I must not.");
    CHECK_FALSE(answer_of("ok-reasons").message);
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

TEST_CASE("the Responses API folds a conversation into a history of its own", "[client]") {
    auto const& local = fresh_server();
    auto const fold = [&](std::string const& mode, bool responses) {
        return openai_client{{.model = "tiny",
                              .base_url = local.url(mode) + "/responses?api-version=1",
                              .body = {{"instructions", "Be short."}, {"tools", json::array()}},
                              .responses = responses}}
            .compact(history);
    };
    auto const reply = fold("folds", true);
    REQUIRE(reply.message);
    REQUIRE(reply.message->size() == 2);
    CHECK((*reply.message)[0] == history[0]);
    CHECK((*reply.message)[1]["encrypted_content"] == "gAAA");
    CHECK(reply.usage.input == 9_tokens);
    auto const seen = local.seen();
    CHECK(seen[0]["path"] == "/v1/responses/compact?api-version=1");
    CHECK(seen[0]["body"] == json{{"model", "tiny"}, {"instructions", "Be short."}, {"input", history}});
    CHECK(fold("folds-message", true).error.text == "the answer holds no compaction");
    CHECK_FALSE(fold("error-400", true).message);
    CHECK_FALSE(fold("folds", false).message);
}
