// SPDX-License-Identifier: BSL-1.0
#include <condense/client/model_client.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/client/anthropic_client.hpp>
#include <condense/client/gemini_client.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/condense.hpp>

#include "client/server.hpp"
#include "support/catch.hpp"

// The same of every client, for all four protocols.

namespace {

using namespace condense::literals;
using client_tests::certificate;
using client_tests::fresh_server;
using client_tests::json;
using client_tests::server;
using condense::ask_limits;
using condense::client_settings;
using condense::delivery;
using condense::instant;
using condense::model_prompt;

constexpr std::uint64_t second = 1'000'000'000;
constexpr auto const* text = "R\u00e9sum\u00e9: \u4e16 \U0001F600 done";
constexpr auto const* secret = "sk-secret-key-77aa";

/// A client of server.py in this mode, with short waits between its attempts.
template <class Client>
Client client_of(std::string const& url, client_settings settings = {}) {
    settings.model = "tiny";
    settings.base_url = url;
    settings.key = secret;
    settings.retry.first = {second / 100};
    return Client{std::move(settings)};
}

/// What a conversation in the shape of the provider asks.
template <class Client>
std::vector<json> question() {
    if constexpr (std::is_same_v<Client, condense::gemini_client>)
        return {{{"role", "user"}, {"parts", json::array({{{"text", "What does it say?"}}})}}};
    return {{{"role", "user"}, {"content", "What does it say?"}}};
}

/// What `show` was given in pieces.
struct shown {
    std::vector<std::string> pieces = {};
    delivery sink{[](void* to, std::string_view piece) { static_cast<shown*>(to)->pieces.emplace_back(piece); }, this};

    std::string all() const {
        std::string whole;
        for (auto const& piece : pieces) whole += piece;
        return whole;
    }
};

/// Calls check(client type, settings, name) for each protocol, with streams and without.
void for_each_protocol(auto const& check) {
    for (bool const stream : {false, true}) {
        check(std::type_identity<condense::openai_client>{}, client_settings{.stream = stream}, "chat");
        check(std::type_identity<condense::openai_client>{}, client_settings{.stream = stream, .responses = true},
              "responses");
        check(std::type_identity<condense::anthropic_client>{}, client_settings{.stream = stream}, "anthropic");
        check(std::type_identity<condense::gemini_client>{}, client_settings{.stream = stream}, "gemini");
    }
}

/// One answer of the agent's model in this mode.
auto answer_of(auto type, client_settings const& settings, std::string_view mode, shown& to) {
    using Client = typename decltype(type)::type;
    return client_of<Client>(fresh_server().url(mode), settings).items(question<Client>(), to.sink);
}

bool holds_key(std::string_view words) { return words.find("secret-key") != words.npos; }

}  // namespace

TEST_CASE("a prompt gives a text, with its usage and its reason to stop", "[client]") {
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        CAPTURE(name);
        auto const& local = fresh_server();
        auto const client = client_of<typename decltype(type)::type>(local.url("ok"), settings);
        auto const reply = client({.instructions = "Sum up.", .data = "It was long."}, {.answer = 500_tokens});
        CHECK(reply.message == text);
        CHECK(reply.error == condense::provider_error{});
        CHECK(reply.usage.cache_read == 40_tokens);
        CHECK(reply.usage.request() == 100_tokens);
        CHECK(reply.usage.output == 20_tokens);
        CHECK(condense::detail::ended_by_itself(reply.stop));
        CHECK_FALSE(reply.stop.empty());
        auto const seen = local.seen();
        REQUIRE(seen.size() == 1);
        auto const sent = seen[0]["body"].dump();
        CHECK(sent.find("Sum up.") < sent.size());
        CHECK(sent.find("It was long.") < sent.size());
        CHECK(sent.find("500") < sent.size());
        CHECK(seen[0]["path"].get<std::string>().find(secret) == std::string::npos);
    });
}

TEST_CASE("an agent's answer comes whole or in pieces", "[client]") {
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        for (auto const* const mode : {"ok", "ok-calls", "whole", "ok-long"}) {
            CAPTURE(name, mode, settings.stream);
            shown to;
            auto const reply = answer_of(type, settings, mode, to);
            REQUIRE(reply.message);
            CHECK(to.all() == text);
            CHECK(to.pieces.size() > (settings.stream && mode != std::string_view{"whole"} ? 1u : 0u));
            CHECK(reply.usage.cache_read == 40_tokens);
            CHECK(reply.usage.request() == 100_tokens);
            CHECK(reply.usage.output == 20_tokens);
            auto const all = json(*reply.message).dump();
            CHECK((all.find("notes.txt") != all.npos) == (mode == std::string_view{"ok-calls"}));
            CHECK_FALSE(reply.stop.empty());
            if (mode == std::string_view{"ok-long"}) CHECK_FALSE(condense::detail::ended_by_itself(reply.stop));
            // What was streamed is what would have come whole.
            shown again;
            CHECK(answer_of(type, client_settings{.stream = !settings.stream, .responses = settings.responses}, mode,
                            again)
                      .message == reply.message);
        }
    });
}

TEST_CASE("a session calls a client, and sums up with one", "[client]") {
    auto const& local = fresh_server();
    std::string numbers;
    for (int number = 0; numbers.size() < 800; ++number) numbers += std::to_string(number * 7'919) + ", ";
    auto const run = [&]<class Client>(std::type_identity<Client>, auto Message) {
        using message = decltype(Message);
        auto const model = client_of<Client>(local.url("ok"));
        condense::session session{std::vector<message>{},
                                  condense::summarize{.when = condense::used >= 80_pct, .with = model},
                                  condense::budget{.window = 4'000_tokens}};
        for (int turn = 0; turn < 12; ++turn) {
            auto words = json(question<Client>()[0]).dump();
            words.replace(words.find("What"), 4, numbers);
            session.push(message::parse(words));
            std::string all;
            auto const result = session.call(model, [&](std::string_view piece) { all += piece; });
            REQUIRE(result);
            CHECK(all == text);
            CHECK(result.answer == &session.history().back());
        }
        static_cast<void>(session.run(condense::force{}));  // the server's figures are small
        CHECK(session.statistics().layers[0].asked == 1);
        std::string sent;
        for (auto const& each : session.request()) sent += each.dump();
        CHECK(sent.find("summary") != sent.npos);
    };
    run(std::type_identity<condense::openai_client>{}, nlohmann::json{});
    run(std::type_identity<condense::anthropic_client>{}, nlohmann::ordered_json{});
    run(std::type_identity<condense::gemini_client>{}, nlohmann::json{});
}

TEST_CASE("an instruction goes behind the agent's own request", "[client]") {
    for_each_protocol([](auto type, client_settings settings, char const* name) {
        CAPTURE(name);
        using Client = typename decltype(type)::type;
        auto const& local = fresh_server();
        settings.body = {{"tools", json::array({{{"name", "read"}}})}, {"seed", 7}};
        auto const client = client_of<Client>(local.url("ok"), settings);
        shown to;
        REQUIRE(client.items(question<Client>(), to.sink).message);
        auto const reply = client.ask_after(question<Client>(), "Now sum up.", {.answer = 300_tokens});
        CHECK(reply.message == text);
        auto const seen = local.seen();
        REQUIRE(seen.size() == 2);
        auto const agent = seen[0]["body"], after = seen[1]["body"];
        CHECK(after["tools"] == agent["tools"]);
        CHECK(after["seed"] == 7);
        auto const list = name == std::string_view{"gemini"}      ? "contents"
                          : name == std::string_view{"responses"} ? "input"
                                                                  : "messages";
        REQUIRE(after[list].size() == 2);
        CHECK(after[list][0] == agent[list][0]);
        CHECK(after[list][1]["role"] == "user");
        CHECK(after[list][1].dump().find("Now sum up.") != std::string::npos);
        // The prompt of a summary has no tools.
        CHECK(client({.data = "text"}).message == text);
        auto const prompt = local.seen()[0]["body"];
        CHECK_FALSE(prompt.contains("tools"));
        CHECK(prompt["seed"] == 7);
    });
}

TEST_CASE("a header of the settings is sent in place of the client's", "[client]") {
    for_each_protocol([](auto type, client_settings settings, char const* name) {
        CAPTURE(name);
        auto const& local = fresh_server();
        auto const key = name == std::string_view{"anthropic"} ? "x-api-key"
                         : name == std::string_view{"gemini"}  ? "x-goog-api-key"
                                                               : "authorization";
        auto const sent_of = [&](std::vector<std::string> headers) {
            settings.headers = std::move(headers);
            CHECK(client_of<typename decltype(type)::type>(local.url("ok"), settings)({.data = "text"}).message);
            return local.seen()[0]["headers"];  // lines of one name come as one text with commas
        };
        auto const plain = sent_of({"X-Other: a", "x-other: b", "Content-Type-Other: c"});
        CHECK(plain["x-other"] == "a, b");
        CHECK(plain["content-type"] == "application/json");
        CHECK(plain[key].dump().find(secret) != std::string::npos);
        auto const own = sent_of({"ANTHROPIC-Version: 2030-01-01", "content-TYPE: application/json; charset=utf-8",
                                  "Authorization: mine", "X-API-Key: mine", "X-Goog-Api-Key:mine", "Expect;"});
        CHECK(own["anthropic-version"] == "2030-01-01");
        CHECK(own["content-type"] == "application/json; charset=utf-8");
        CHECK(own[key] == "mine");
    });
}

TEST_CASE("an answer without a text is an error that says so", "[client]") {
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        CAPTURE(name, settings.stream);
        auto const& local = fresh_server();
        using Client = typename decltype(type)::type;
        auto const reasons = client_of<Client>(local.url("ok-reasons"), settings);
        auto const reply = reasons({.data = "text"});
        CHECK_FALSE(reply.message);
        CHECK(reply.error.text.find("all of its output went to reasoning") != std::string::npos);
        CHECK(reply.usage.output == 20_tokens);
        shown to;
        CHECK(reasons.items(question<Client>(), to.sink).error.text == reply.error.text);
        auto const refuses = client_of<Client>(local.url("ok-refuses"), settings)({.data = "text"});
        CHECK_FALSE(refuses.message);
        CHECK_FALSE(refuses.error.text.empty());
        if (settings.responses || name == std::string_view{"chat"})
            CHECK(refuses.error.text == "the model refuses: I must not.");
        auto const blocked =
            client_of<Client>(local.url("ok-calls"), settings).ask_after(question<Client>(), "Sum up.");
        CHECK(blocked.message == text);
    });
}

TEST_CASE("failures that pass are repeated within limits", "[client]") {
    struct failure {
        char const* mode;
        std::size_t requests;
    };
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        using Client = typename decltype(type)::type;
        auto const& local = fresh_server();
        for (auto const& [mode, requests] :
             {failure{"flaky-429-2", 3}, failure{"flaky-503-1", 2}, failure{"flaky-529-2", 3},
              failure{"flaky-500-1-0", 2}, failure{"flaky-429-1-20-ms", 2}, failure{"drop-2", 3}}) {
            CAPTURE(name, mode, settings.stream);
            shown to;
            auto const client = client_of<Client>(local.url(mode), settings);
            CHECK(client.items(question<Client>(), to.sink).message);
            CHECK(to.all() == text);
            CHECK(local.seen().size() == requests);
            CHECK(client({.data = "text"}).message == text);
            CHECK(local.seen().size() == requests);
        }
        for (auto const& [mode, requests] : {failure{"flaky-429-99", 3}, failure{"drop-99", 3}, failure{"error-400", 1},
                                             failure{"error-401", 1}, failure{"error-404", 1}, failure{"eager", 1},
                                             failure{"error-400-overflow", 1}, failure{"error-503-overflow", 3}}) {
            CAPTURE(name, mode);
            auto const reply = client_of<Client>(local.url(mode), settings)({.data = "text"});
            CHECK_FALSE(reply.message);
            CHECK(reply.error);
            CHECK(local.seen().size() == requests);
        }
    });
}

TEST_CASE("no request outlives its deadline", "[client]") {
    auto const& local = fresh_server();
    auto const run = [&](char const* mode, ask_limits limits, std::size_t requests) {
        CAPTURE(mode);
        auto const start = condense::steady_clock{}();
        auto const reply = client_of<condense::openai_client>(local.url(mode))({.data = "text"}, limits);
        CHECK(reply.error);
        CHECK((condense::steady_clock{}() - start).count < 4 * second);
        CHECK(local.seen(requests).size() == requests);
        return reply;
    };
    run("slow-9", {.within = {second / 4}}, 1);
    run("slow-9", {.deadline = condense::steady_clock{}() + instant{second / 4}}, 1);
    run("slow-9", {.deadline = {1}}, 0);
    run("flaky-429-99-5", {.within = {second}}, 1);
    run("flaky-429-98-5-date", {.within = {second}}, 1);
    auto agent = client_settings{};
    agent.within = {second};
    shown to;
    auto const start = condense::steady_clock{}();
    auto const reply =
        client_of<condense::openai_client>(local.url("stalls"), agent)(question<condense::openai_client>(), to.sink);
    CHECK(reply.error.text == "no whole answer came in time");
    CHECK(reply.stop == "incomplete");
    CHECK((condense::steady_clock{}() - start).count < 4 * second);
}

TEST_CASE("what was shown is not repeated", "[client]") {
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        if (!settings.stream) return;
        CAPTURE(name);
        auto const& local = fresh_server();
        shown to, nothing;
        auto const half = answer_of(type, settings, "cutstream", to);
        CHECK_FALSE(half.message);
        CHECK(half.error.text == "the answer was cut off");
        CHECK(half.stop == "incomplete");
        CHECK_FALSE(to.all().empty());
        CHECK(local.seen().size() == 1);
        CHECK_FALSE(answer_of(type, settings, "cutstream-none", nothing).message);
        CHECK(nothing.all().empty());
        CHECK(local.seen().size() == 3);
    });
}

TEST_CASE("a whole answer is accepted though its connection breaks", "[client]") {
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        if (!settings.stream) return;
        CAPTURE(name);
        auto const& local = fresh_server();
        shown to;
        auto const reply = answer_of(type, settings, "cutend", to);
        CHECK(reply.message);
        CHECK(reply.error == condense::provider_error{});
        CHECK(reply.stop != "incomplete");
        CHECK(local.seen().size() == 1);
    });
}

TEST_CASE("an answer that was read too late is an error", "[client]") {
    for_each_protocol([](auto type, client_settings settings, char const* name) {
        if (settings.stream) return;
        CAPTURE(name);
        settings.within = {second};
        delivery slow{[](void*, std::string_view) { std::this_thread::sleep_for(std::chrono::milliseconds{1'100}); },
                      nullptr};
        using Client = typename decltype(type)::type;
        auto const reply = client_of<Client>(fresh_server().url("ok"), settings).items(question<Client>(), slow);
        CHECK_FALSE(reply.message);
        CHECK(reply.error.text == "no whole answer came in time");
        CHECK(reply.stop == "incomplete");
    });
    CHECK(client_settings{}.most == condense::bytes{4u << 20});
}

TEST_CASE("an overflow is recognised", "[client]") {
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        for (auto const* const mode : {"error-400-overflow", "eager", "errorevent", "errorevent-none"}) {
            if (std::string_view{mode}.starts_with("errorevent") && !settings.stream) continue;
            CAPTURE(name, mode);
            shown to;
            auto const reply = answer_of(type, settings, mode, to);
            CHECK_FALSE(reply.message);
            auto const over = condense::overflow_of(reply.error.status, reply.error.text);
            REQUIRE(over);
            CHECK(over->limit == 4'096_tokens);
            CHECK(over->requested == 5'000_tokens);
        }
    });
}

TEST_CASE("hostile answers are errors", "[client]") {
    for_each_protocol([](auto type, client_settings settings, char const* name) {
        settings.most = {300'000};
        settings.retry.most = 0;
        for (auto const* const mode : {"garbage", "deepjson", "cutbody", "elsewhere", "endlessbody", "endlessheaders",
                                       "endlessevents", "endlessline", "endlesscomments", "endlesserror", "raw-400-<b>",
                                       "raw-200-<b>", "raw-200-", "raw-418-", "error-418"}) {
            CAPTURE(name, mode, settings.stream);
            shown to;
            auto const reply = answer_of(type, settings, mode, to);
            CHECK_FALSE(reply.message);
            CHECK_FALSE(reply.error.text.empty());
            CHECK(reply.error.text.size() <= 2'000);
            CHECK(condense::utf8::valid(reply.error.text));
            CHECK(reply.error.status < 500 + (std::string_view{mode} == "endlesserror" ? 1 : 0));
        }
        for (int round = 0; round < (settings.stream ? 1 : 25); ++round) {  // not a crash
            shown to;
            static_cast<void>(answer_of(type, settings, "types", to));
        }
    });
}

TEST_CASE("the key is in a header, and nowhere else", "[client]") {
    for_each_protocol([](auto type, client_settings const& settings, char const* name) {
        CAPTURE(name);
        using Client = typename decltype(type)::type;
        auto const& local = fresh_server();
        for (auto const* const mode :
             {"quoteskey", "quoteskey-later", "error-400", "elsewhere", "drop-99", "raw-400-sk"}) {
            shown to;
            auto const reply = answer_of(type, settings, mode, to);
            CAPTURE(mode, reply.error.text);
            CHECK_FALSE(reply.message);
            CHECK_FALSE(holds_key(reply.error.text));
            CHECK_FALSE(holds_key(client_of<Client>(local.url(mode), settings)({.data = "text"}).error.text));
        }
        auto const quoted = client_of<Client>(local.url("quoteskey"), settings)({.data = "text"}).error;
        CHECK(quoted.status == 401);
        CHECK(quoted.text.find("Incorrect key: ") == 0);
        CHECK(quoted.text.find("[key]") < 40);
        for (auto const& request : local.seen()) {
            auto all = request;
            auto const header = name == std::string_view{"anthropic"} ? "x-api-key"
                                : name == std::string_view{"gemini"}  ? "x-goog-api-key"
                                                                      : "authorization";
            CHECK(all["headers"][header] ==
                  (header == std::string_view{"authorization"} ? "Bearer " : "") + std::string{secret});
            all["headers"].erase(header);
            CHECK_FALSE(holds_key(all.dump()));
        }
    });
}

TEST_CASE("a header of the settings is in no error either", "[client]") {
    for_each_protocol([](auto type, client_settings settings, char const* name) {
        settings.headers = {"X-Gateway:  Token sk-secret-key-of-gate ", "X-Room: 1",
                            "X-Longer: " + std::string{secret} + "-and-more"};
        for (auto const* const mode : {"quoteskey", "quoteskey-later"}) {
            CAPTURE(name, mode);
            shown to;
            auto const text_of_error = answer_of(type, settings, mode, to).error.text;
            CHECK_FALSE(holds_key(text_of_error));
            CHECK(text_of_error.find("and-more") == text_of_error.npos);
            CHECK(text_of_error.find("[key]") < 40);
        }
        shown to;  // what is too short to be a secret stays
        CHECK(answer_of(type, settings, "error-401-room1", to).error.text.find("room1") == 0);
    });
}

TEST_CASE("a key in Authorization is a bearer's, however that is written", "[client]") {
    auto const& local = fresh_server();
    for (auto const* const name : {"Authorization", "authorization", "AUTHORIZATION", "api-key"}) {
        client_settings settings;
        settings.key_header = name;
        CHECK(client_of<condense::openai_client>(local.url("ok"), settings)({.data = "text"}).message == text);
        auto const headers = local.seen()[0]["headers"];
        if (name == std::string_view{"api-key"}) CHECK(headers["api-key"] == secret);
        else CHECK(headers["authorization"] == "Bearer " + std::string{secret});
    }
}

TEST_CASE("no member of a body is sent twice", "[client]") {
    condense::detail::client::outgoing sent{.body = {{"messages", {"theirs"}}, {"seed", 7}}};
    sent.add(json{{"role", "user"}});
    CHECK(std::move(sent).text("messages") == R"({"seed":7,"messages":[{"role":"user"}]})");
}

TEST_CASE("where a key must not go, nothing goes", "[client]") {
    auto const& local = fresh_server();
    for (auto const* const url : {"http://example.invalid/v1", "https://me:secret-key@127.0.0.1/v1", "nonsense"}) {
        auto const client = client_of<condense::openai_client>(url);
        CHECK_FALSE(client.problem().empty());
        auto const error = client({.data = "text"}).error;
        CHECK(error.text == client.problem());
        CHECK_FALSE(holds_key(error.text));
    }
    for (auto const* const key : {"sk-secret-key\r\nX: y", "secret-key\"", "secret-key\n", "secret key"}) {
        condense::anthropic_client const client{{.model = "m", .base_url = local.url("ok"), .key = key}};
        CHECK(client({.data = "text"}).error.text == "the key holds what no key holds");
    }
    condense::openai_client const client{{.model = "m", .base_url = local.url("ok"), .headers = {"X: a\r\nY: b"}}};
    CHECK(client({.data = "text"}).error.text == "a header must not hold control characters");
    CHECK(local.seen().empty());
    CHECK(condense::openai_client{{.model = "m"}}.problem().empty());
}

TEST_CASE("a call is cancelled by an exception", "[client]") {
    auto const& local = fresh_server();
    for (auto const* const mode : {"slow-9", "stalls", "flaky-429-99-9"}) {
        CAPTURE(mode);
        auto const start = condense::steady_clock{}();
        client_settings settings;
        settings.stop = [&] { return start + instant{second / 5} < condense::steady_clock{}(); };
        auto const client = client_of<condense::anthropic_client>(local.url(mode), settings);
        CHECK_THROWS_AS(client({.data = "text"}), condense::cancelled);
        shown to;
        CHECK_THROWS_AS(client(question<condense::anthropic_client>(), to.sink), condense::cancelled);
        CHECK((condense::steady_clock{}() - start).count < 3 * second);
    }
}

TEST_CASE("a private server is trusted by its certificate", "[client]") {
    certificate const own;
    server const safe{{own.file(), own.key()}};
    auto const refused = client_of<condense::gemini_client>(safe.url("ok"))({.data = "text"});
    CHECK_FALSE(refused.message);
    CHECK(refused.error.status == 0);
    client_settings settings;
    settings.ca_file = own.file();
    CHECK(client_of<condense::gemini_client>(safe.url("ok"), settings)({.data = "text"}).message == text);
}

TEST_CASE("a key comes from the environment unless it is given", "[client]") {
    auto const look = [](std::string const& name) -> std::optional<std::string> {
        if (name == "OPENAI_API_KEY") return "of openai";
        if (name == "GEMINI_API_KEY") return "of gemini";
        return std::nullopt;
    };
    CHECK(condense::openai_client::settings_from_environment({.model = "m"}, look).key == "of openai");
    CHECK(condense::gemini_client::settings_from_environment({}, look).key == "of gemini");
    CHECK(condense::anthropic_client::settings_from_environment({}, look).key.empty());
    CHECK(condense::openai_client::settings_from_environment({.key = "mine"}, look).key == "mine");
    ::setenv("ANTHROPIC_API_KEY", "of the process", 1);
    CHECK(condense::anthropic_client::settings_from_environment().key == "of the process");
    ::unsetenv("ANTHROPIC_API_KEY");
}

TEST_CASE("threads share a client", "[client]") {
    auto const& local = fresh_server();
    auto const client = client_of<condense::openai_client>(local.url("ok"));
    std::vector<std::optional<std::string>> texts(8);
    std::vector<std::thread> threads;
    for (auto& one : texts) threads.emplace_back([&client, &one] { one = client({.data = "text"}).message; });
    for (auto& thread : threads) thread.join();
    for (auto const& one : texts) CHECK(one == text);
}
