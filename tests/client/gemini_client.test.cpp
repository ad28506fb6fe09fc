// SPDX-License-Identifier: BSL-1.0
#include <condense/client/gemini_client.hpp>

#include <string>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>

#include "client/server.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using client_tests::fresh_server;
using client_tests::json;
using condense::client_settings;
using condense::gemini_client;

condense::delivery nowhere{nullptr, nullptr};

json message(char const* role, char const* text) {
    return {{"role", role}, {"parts", json::array({{{"text", text}}})}};
}

}  // namespace

TEST_CASE("contents are sent as Gemini takes them", "[client]") {
    auto const& local = fresh_server();
    json const history = {message("system", "Be brief."), message("user", "Read it.")};
    client_settings settings{.model = "tiny-2.5", .base_url = local.url("ok"), .key = "sk-gemini"};
    CHECK(gemini_client{settings}(history, nowhere).message);
    auto sent = local.seen()[0];
    CHECK(sent["path"] == "/v1/models/tiny-2.5:streamGenerateContent?alt=sse");
    CHECK(sent["headers"]["x-goog-api-key"] == "sk-gemini");
    CHECK(sent["body"] == json{{"systemInstruction", {{"parts", json::array({{{"text", "Be brief."}}})}}},
                               {"contents", json::array({history[1]})}});
    settings.stream = false;
    settings.answer = 900_tokens;
    settings.body = {{"generationConfig", {{"temperature", 0}}},
                     {"systemInstruction", {{"parts", {{{"text", "First."}}}}}}};
    CHECK(gemini_client{settings}(history, nowhere).message);
    sent = local.seen()[0];
    CHECK(sent["path"] == "/v1/models/tiny-2.5:generateContent");
    CHECK(sent["body"]["generationConfig"] == json{{"temperature", 0}, {"maxOutputTokens", 900}});
    CHECK(sent["body"]["systemInstruction"]["parts"] == json{{{"text", "First."}}, {{"text", "Be brief."}}});
    CHECK(gemini_client{settings}({.instructions = "Sum up.", .data = "Long."}, {.answer = 500_tokens}).message);
    CHECK(local.seen()[0]["body"] == json{{"generationConfig", {{"temperature", 0}, {"maxOutputTokens", 500}}},
                                          {"systemInstruction", {{"parts", json::array({{{"text", "Sum up."}}})}}},
                                          {"contents", json::array({message("user", "Long.")})}});
}

TEST_CASE("the name of a model cannot lead elsewhere", "[client]") {
    auto const& local = fresh_server();
    for (auto const* const name : {"a?key=b", "a#b", "a b", "a\r\nX: b"}) {
        static_cast<void>(gemini_client{{.model = name, .base_url = local.url("ok")}}({.data = "text"}));
        for (auto const& sent : local.seen())
            CHECK(sent["path"].get<std::string>().find_first_of("?# \r") == std::string::npos);
    }
    static_cast<void>(gemini_client{{.model = "tunedModels/mine", .base_url = local.url("ok")}}({.data = "text"}));
    CHECK(local.seen()[0]["path"] == "/v1/tunedModels/mine:generateContent");
}

TEST_CASE("parts come back as they are sent in again", "[client]") {
    auto const& local = fresh_server();
    for (bool const stream : {false, true}) {
        gemini_client const client{{.model = "tiny", .base_url = local.url("ok-calls"), .stream = stream}};
        auto const reply = client(json::array({message("user", "Read it.")}), nowhere);
        REQUIRE(reply.message);
        auto const& parts = (*reply.message)["parts"];
        CHECK((*reply.message)["role"] == "model");
        REQUIRE(parts.size() == 2);
        CHECK(parts[1] == json{{"functionCall", {{"name", "read"}, {"args", {{"file", "notes.txt"}}}}},
                               {"thoughtSignature", "c2ln"}});
        CHECK(reply.usage ==
              condense::provider_usage{.input = 60_tokens, .output = 20_tokens, .cache_read = 40_tokens});
    }
    auto const blocked = gemini_client{{.model = "tiny", .base_url = local.url("ok-refuses")}}({.data = "text"});
    CHECK(blocked.error.text == "the provider blocks the prompt: SAFETY");
}

TEST_CASE("pieces of one text are joined, thoughts and signatures stay apart", "[client]") {
    condense::detail::gemini_protocol::reader reader;
    std::string shown;
    condense::delivery sink{[](void* to, std::string_view piece) { static_cast<std::string*>(to)->append(piece); },
                            &shown};
    auto const part = [&](json const& each) {
        reader.read_event({{"candidates", {{{"content", {{"parts", json::array({each})}}}}}}}, sink);
    };
    for (auto const* const text : {"Hm", "m."}) part({{"text", text}, {"thought", true}});
    for (auto const* const text : {"Wo", "rd"}) part({{"text", text}});
    part({{"text", "s."}, {"thoughtSignature", "c2ln"}});
    CHECK_FALSE(reader.result.complete);
    reader.finish();
    CHECK(shown == "Words.");
    CHECK(reader.result.text == "Words.");
    CHECK(reader.result.messages[0]["parts"] == json{{{"text", "Hmm."}, {"thought", true}},
                                                     {{"text", "Word"}},
                                                     {{"text", "s."}, {"thoughtSignature", "c2ln"}}});
}
