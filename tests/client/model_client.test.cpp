// SPDX-License-Identifier: BSL-1.0
#include <condense/client/model_client.hpp>

#include <condense/client/anthropic_client.hpp>
#include <condense/client/gemini_client.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/condense.hpp>

#include "client/server.hpp"

// Checks of every client, for all four protocols, and what only clients use. exchanges.json holds what differs in
// values alone.

namespace {

using namespace client_tests;
using condense::ask_limits, condense::client_settings, condense::delivery, condense::event_reader,
    condense::http_problem, condense::http_response, condense::instant, condense::is_transient, condense::model_prompt,
    condense::retry_policy;
using condense::detail::send_with_retries, condense::detail::wait_before;

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

struct protocol {
    std::string_view name, key_header;
    std::string_view list;  ///< the member of a body that holds the messages
};

/// Calls check(client type, settings, protocol) for each protocol, with streams and without.
void for_each_protocol(auto const& check) {
    constexpr protocol chat{"chat", "authorization", "messages"};
    constexpr protocol responses{"responses", "authorization", "input"};
    constexpr protocol anthropic{"anthropic", "x-api-key", "messages"};
    constexpr protocol gemini{"gemini", "x-goog-api-key", "contents"};
    for (bool const stream : {false, true}) {
        auto const one = [&](auto type, protocol const& of) {
            CAPTURE(of.name, stream);
            check(type, client_settings{.stream = stream, .responses = of.name == "responses"}, of);
        };
        one(std::type_identity<condense::openai_client>{}, chat);
        one(std::type_identity<condense::openai_client>{}, responses);
        one(std::type_identity<condense::anthropic_client>{}, anthropic);
        one(std::type_identity<condense::gemini_client>{}, gemini);
    }
}

json const& exchanges(char const* list) {
    static auto const all =
        json::parse(std::ifstream{std::filesystem::path{CONDENSE_MODEL_SERVER}.replace_filename("exchanges.json")});
    return all.at(list);
}

/// Calls f(type of the client) for the name of a provider.
void with_client(std::string_view provider, auto const& f) {
    if (provider == "anthropic") f(std::type_identity<condense::anthropic_client>{});
    else if (provider == "gemini") f(std::type_identity<condense::gemini_client>{});
    else f(std::type_identity<condense::openai_client>{});
}

client_settings settings_of(json const& row, std::string const& url) {
    client_settings settings{.model = row.value("model", "tiny"), .base_url = url + row.value("query", "")};
    settings.key = row.value("key", "");
    settings.key_header = row.value("key_header", "");
    settings.headers = row.value("headers", std::vector<std::string>{});
    settings.body = row.value("body", json::object());
    settings.stream = row.value("stream", true);
    settings.responses = row.value("responses", false);
    settings.limit_member = row.value("limit_member", "");
    settings.answer = {row.value("answer", std::uint64_t{0})};
    settings.reasoning_room = {row.value("reasoning_room", std::uint64_t{0})};
    return settings;
}

/// Each member of `part` is in `all` as it is.
void check_part(json const& all, json const& part) {
    for (auto const& [name, value] : part.items()) CHECK(all.at(name) == value);
}

/// One answer of the agent's model in this mode.
template <class Client>
auto answer_of(client_settings const& settings, std::string_view mode, shown& to) {
    return client_of<Client>(fresh_server().url(mode), settings).items(question<Client>(), to.sink);
}

constexpr std::uint64_t today = 784'111'777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr auto never = condense::instant{~std::uint64_t{0}};

std::optional<std::uint64_t> wait_after(http_response const& response, unsigned number = 0, std::uint64_t random = 0) {
    auto const wait = wait_before({}, number, response, random, today);
    return wait ? std::optional{wait->count} : std::nullopt;
}

/// How often it is sent where all attempts end like this.
int sends(http_response const& response, retry_policy const& policy = {.most = 2, .first = {millisecond}},
          instant deadline = never, bool shown = false) {
    int count = 0;
    auto const last = send_with_retries(policy, deadline, {}, [&] { return ++count, response; }, [&] { return shown; });
    CHECK(last.status == response.status);
    CHECK(last.problem == response.problem);
    return count;
}

/// The events of a stream that comes in packets of this size.
std::vector<std::string> events_of(std::string_view stream, std::size_t size) {
    std::vector<std::string> all;
    auto const take = [&](std::string_view data) { all.emplace_back(data); };
    event_reader reader;
    for (; !stream.empty(); stream.remove_prefix(std::min(size, stream.size())))
        CHECK(reader.feed(stream.substr(0, size), take));
    reader.finish(take);
    return all;
}

bool holds_key(std::string_view words) { return words.find("secret-key") != words.npos; }

}  // namespace

TEST_CASE("requests are as each provider takes them", "[client]") {
    auto const& local = fresh_server();
    for (auto const& row : exchanges("requests")) {
        INFO(row.at("of"));
        auto const settings = settings_of(row.value("settings", json::object()), local.url("ok"));
        with_client(row.at("client").get<std::string>(), [&]<class Client>(std::type_identity<Client>) {
            Client const client{settings};
            if (row.contains("prompt")) {
                auto const instructions = row["prompt"][0].get<std::string>(),
                           data = row["prompt"][1].get<std::string>();
                ask_limits limits;
                if (row["prompt"][2] != 0) limits.answer = {row["prompt"][2].get<std::uint64_t>()};
                CHECK(client({.instructions = instructions, .data = data}, limits).message);
            } else {
                shown to;
                CHECK(client(exchanges("histories").at(row["history"].get<std::string>()), to.sink).message);
            }
        });
        auto const sent = local.seen().at(0);
        if (row.contains("path")) CHECK(sent["path"] == row["path"]);
        if (row.contains("body")) CHECK(sent["body"] == row["body"]);
        check_part(sent["body"], row.value("part", json::object()));
        check_part(sent["headers"], row.value("headers", json::object()));
        for (auto const& name : row.value("absent", json::array()))
            CHECK_FALSE(sent["headers"].contains(name.get<std::string>()));
    }
}

TEST_CASE("answers come back as they are sent in again", "[client]") {
    for (bool const stream : {false, true})
        for (auto const& row : exchanges("answers"))
            with_client(row.at("client").get<std::string>(), [&]<class Client>(std::type_identity<Client>) {
                CAPTURE(row, stream);
                shown to;
                Client const client{{.model = "tiny",
                                     .base_url = fresh_server().url(row["mode"].get<std::string>()),
                                     .stream = stream}};
                auto const reply = client(json(question<Client>()), to.sink);
                REQUIRE(reply.message);
                if (row.contains("part")) return check_part(*reply.message, row["part"]);
                CHECK(*reply.message == row["message"]);
                CHECK(reply.stop == row["stop"].get<std::string>());
                auto const& usage = reply.usage;
                CHECK(json{usage.input.count, usage.output.count, usage.cache_read.count, usage.cache_write.count} ==
                      row["usage"]);
            });
}

TEST_CASE("events and bodies are read into messages, or an error", "[client]") {
    auto const read = [](auto reader, json const& row) {
        shown to;
        if (row.contains("whole")) reader.read_whole(row["whole"], to.sink);
        for (auto const& event : row.value("events", json::array())) reader.read_event(event, to.sink);
        auto const& got = reader.result;
        if (row.contains("complete")) CHECK(got.complete == row["complete"]);
        if (!row.contains("error")) CHECK(got.error.text == "");
        reader.finish();
        if (row.contains("error")) CHECK(got.error.text == row["error"].get<std::string>());
        if (row.contains("text")) CHECK(got.text == row["text"].get<std::string>());
        if (row.contains("dropped")) CHECK(got.usage.dropped == row["dropped"].get<unsigned>());
        if (row.contains("shown")) CHECK(to.all() == row["shown"].get<std::string>());
        if (!row.contains("messages")) return;
        REQUIRE(got.messages.size() == row["messages"].size());
        for (std::size_t at = 0; at < got.messages.size(); ++at) check_part(got.messages[at], row["messages"][at]);
    };
    for (auto const& row : exchanges("events")) {
        INFO(row.at("of"));
        if (row["client"] == "anthropic") read(condense::detail::anthropic_protocol::reader{}, row);
        else if (row["client"] == "gemini") read(condense::detail::gemini_protocol::reader{}, row);
        else read(condense::detail::openai_protocol::reader{}, row);
    }
}

TEST_CASE("a prompt gives a text, with its usage and its reason to stop", "[client]") {
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings const& settings, protocol const&) {
        auto const& local = fresh_server();
        auto const client = client_of<Client>(local.url("ok"), settings);
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
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings const& settings, protocol const&) {
        for (auto const* const mode : {"ok", "ok-calls", "whole", "ok-long"}) {
            CAPTURE(mode);
            shown to;
            auto const reply = answer_of<Client>(settings, mode, to);
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
            CHECK(answer_of<Client>(client_settings{.stream = !settings.stream, .responses = settings.responses}, mode,
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
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings settings, protocol const& of) {
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
        std::string const list{of.list};
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

TEST_CASE("a header of the settings is sent in place of the client's; a key in Authorization is a bearer's",
          "[client]") {
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings settings, protocol const& of) {
        auto const& local = fresh_server();
        std::string const key{of.key_header};
        auto const sent_of = [&](std::vector<std::string> headers) {
            settings.headers = std::move(headers);
            CHECK(client_of<Client>(local.url("ok"), settings)({.data = "text"}).message);
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

TEST_CASE("an answer without a text is an error that says so", "[client]") {
    for_each_protocol(
        []<class Client>(std::type_identity<Client>, client_settings const& settings, protocol const& of) {
            auto const& local = fresh_server();
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
            if (settings.responses || of.name == "chat") CHECK(refuses.error.text == "the model refuses: I must not.");
            auto const blocked =
                client_of<Client>(local.url("ok-calls"), settings).ask_after(question<Client>(), "Sum up.");
            CHECK(blocked.message == text);
        });
}

TEST_CASE("failures that pass are repeated within limits", "[client]") {
    using failure = std::pair<char const*, std::size_t>;  ///< a mode, and how many requests it takes
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings const& settings, protocol const&) {
        auto const& local = fresh_server();
        for (auto const& [mode, requests] :
             {failure{"flaky-429-2", 3}, failure{"flaky-503-1", 2}, failure{"flaky-529-2", 3},
              failure{"flaky-500-1-0", 2}, failure{"flaky-429-1-20-ms", 2}, failure{"drop-2", 3}}) {
            CAPTURE(mode);
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
            CAPTURE(mode);
            auto const reply = client_of<Client>(local.url(mode), settings)({.data = "text"});
            CHECK_FALSE(reply.message);
            CHECK(reply.error);
            CHECK(local.seen().size() == requests);
        }
    });
}

TEST_CASE("what was shown is not repeated", "[client]") {
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings const& settings, protocol const&) {
        if (!settings.stream) return;
        auto const& local = fresh_server();
        shown to, nothing;
        auto const half = answer_of<Client>(settings, "cutstream", to);
        CHECK_FALSE(half.message);
        CHECK(half.error.text == "the answer was cut off");
        CHECK(half.stop == "incomplete");
        CHECK_FALSE(to.all().empty());
        CHECK(local.seen().size() == 1);
        CHECK_FALSE(answer_of<Client>(settings, "cutstream-none", nothing).message);
        CHECK(nothing.all().empty());
        CHECK(local.seen().size() == 3);
        // A whole answer is accepted though its connection breaks.
        auto const whole = answer_of<Client>(settings, "cutend", to);
        CHECK(whole.message);
        CHECK(whole.error == condense::provider_error{});
        CHECK(whole.stop != "incomplete");
        CHECK(local.seen().size() == 1);
    });
}

TEST_CASE("no request outlives its deadline, and an answer that was read too late is an error", "[client]") {
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings settings, protocol const&) {
        if (settings.stream) return;
        settings.within = {second};
        delivery slow{[](void*, std::string_view) { std::this_thread::sleep_for(std::chrono::milliseconds{1'100}); },
                      nullptr};
        auto const reply = client_of<Client>(fresh_server().url("ok"), settings).items(question<Client>(), slow);
        CHECK_FALSE(reply.message);
        CHECK(reply.error.text == "no whole answer came in time");
        CHECK(reply.stop == "incomplete");
    });
    CHECK(client_settings{}.most == condense::bytes{4u << 20});
    auto const& local = fresh_server();
    auto const run = [&](char const* mode, ask_limits limits, std::size_t requests) {
        CAPTURE(mode);
        auto const start = now();
        auto const reply = client_of<condense::openai_client>(local.url(mode))({.data = "text"}, limits);
        CHECK(reply.error);
        CHECK((now() - start).count < 4 * second);
        CHECK(local.seen(requests).size() == requests);
        return reply;
    };
    run("slow-9", {.within = {second / 4}}, 1);
    run("slow-9", {.deadline = now() + instant{second / 4}}, 1);
    run("slow-9", {.deadline = {1}}, 0);
    run("flaky-429-99-5", {.within = {second}}, 1);
    run("flaky-429-98-5-date", {.within = {second}}, 1);
    auto agent = client_settings{};
    agent.within = {second};
    shown to;
    auto const start = now();
    auto const reply =
        client_of<condense::openai_client>(local.url("stalls"), agent)(question<condense::openai_client>(), to.sink);
    CHECK(reply.error.text == "no whole answer came in time");
    CHECK(reply.stop == "incomplete");
    CHECK((now() - start).count < 4 * second);
}

TEST_CASE("an overflow is recognised", "[client]") {
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings const& settings, protocol const&) {
        for (auto const* const mode : {"error-400-overflow", "eager", "errorevent", "errorevent-none"}) {
            if (std::string_view{mode}.starts_with("errorevent") && !settings.stream) continue;
            CAPTURE(mode);
            shown to;
            auto const reply = answer_of<Client>(settings, mode, to);
            CHECK_FALSE(reply.message);
            auto const over = condense::overflow_of(reply.error.status, reply.error.text);
            REQUIRE(over);
            CHECK(over->limit == 4'096_tokens);
            CHECK(over->requested == 5'000_tokens);
        }
    });
}

TEST_CASE("hostile answers are errors", "[client]") {
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings settings, protocol const&) {
        settings.most = {300'000};
        settings.retry.most = 0;
        for (auto const* const mode : {"garbage", "deepjson", "cutbody", "elsewhere", "endlessbody", "endlessheaders",
                                       "endlessevents", "endlessline", "endlesscomments", "endlesserror", "raw-400-<b>",
                                       "raw-200-<b>", "raw-200-", "raw-418-", "error-418"}) {
            CAPTURE(mode);
            shown to;
            auto const reply = answer_of<Client>(settings, mode, to);
            CHECK_FALSE(reply.message);
            CHECK_FALSE(reply.error.text.empty());
            CHECK(reply.error.text.size() <= 2'000);
            CHECK(condense::utf8::valid(reply.error.text));
            CHECK(reply.error.status < 500 + (std::string_view{mode} == "endlesserror" ? 1 : 0));
        }
        for (int round = 0; round < (settings.stream ? 1 : 25); ++round) {  // not a crash
            shown to;
            static_cast<void>(answer_of<Client>(settings, "types", to));
        }
    });
}

TEST_CASE("the key is in a header, and nowhere else; one of the settings is in no error either", "[client]") {
    for_each_protocol(
        []<class Client>(std::type_identity<Client>, client_settings const& settings, protocol const& of) {
            auto const& local = fresh_server();
            for (auto const* const mode :
                 {"quoteskey", "quoteskey-later", "error-400", "elsewhere", "drop-99", "raw-400-sk"}) {
                shown to;
                auto const reply = answer_of<Client>(settings, mode, to);
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
                std::string const header{of.key_header};
                CHECK(all["headers"][header] == (header == "authorization" ? "Bearer " : "") + std::string{secret});
                all["headers"].erase(header);
                CHECK_FALSE(holds_key(all.dump()));
            }
        });
    for_each_protocol([]<class Client>(std::type_identity<Client>, client_settings settings, protocol const&) {
        settings.headers = {"X-Gateway:  Token sk-secret-key-of-gate ", "X-Room: 1",
                            "X-Longer: " + std::string{secret} + "-and-more"};
        for (auto const* const mode : {"quoteskey", "quoteskey-later"}) {
            CAPTURE(mode);
            shown to;
            auto const text_of_error = answer_of<Client>(settings, mode, to).error.text;
            CHECK_FALSE(holds_key(text_of_error));
            CHECK(text_of_error.find("and-more") == text_of_error.npos);
            CHECK(text_of_error.find("[key]") < 40);
        }
        shown to;  // what is too short to be a secret stays
        CHECK(answer_of<Client>(settings, "error-401-room1", to).error.text.find("room1") == 0);
    });
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
        auto const start = now();
        client_settings settings;
        settings.stop = [&] { return start + instant{second / 5} < now(); };
        auto const client = client_of<condense::anthropic_client>(local.url(mode), settings);
        CHECK_THROWS_AS(client({.data = "text"}), condense::cancelled);
        shown to;
        CHECK_THROWS_AS(client(question<condense::anthropic_client>(), to.sink), condense::cancelled);
        CHECK((now() - start).count < 3 * second);
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

// Attempts, and the events of a stream.

TEST_CASE("what may pass is repeated some times, nothing else, and not behind the deadline", "[client]") {
    for (int status = 0; status < 600; ++status) {
        bool const passes =
            status == 429 || status == 500 || status == 502 || status == 503 || status == 504 || status == 529;
        CHECK(is_transient({.status = status}) == passes);
    }
    CHECK_FALSE(is_transient({.status = 500, .body = "the request exceeds the available context size"}));
    for (auto const problem :
         {http_problem::refused, http_problem::untrusted, http_problem::late, http_problem::too_large,
          http_problem::redirect, http_problem::unwanted, http_problem::cancelled})
        CHECK_FALSE(is_transient({.status = 503, .problem = problem}));
    CHECK(is_transient({.problem = http_problem::unreachable}));
    CHECK(is_transient({.status = 200, .problem = http_problem::broken}));
    CHECK(sends({.status = 200}) == 1);
    CHECK(sends({.status = 503}) == 3);
    CHECK(sends({.status = 503}, {.most = 0}) == 1);
    CHECK(sends({.status = 503}, {.most = 5, .first = {millisecond}}) == 6);
    CHECK(sends({.status = 503}, {.most = 2, .first = {millisecond}}, never, true) == 1);
    auto const start = now();
    CHECK(sends({.status = 503, .retry_after = "30"}, {}, start + instant{2 * second}) == 1);
    CHECK(sends({.status = 503}, {}, start + instant{100 * millisecond}) == 1);
    CHECK(sends({.status = 503, .retry_after_ms = "50"}, {}, start + instant{90 * millisecond}) <= 2);
    CHECK((now() - start).count < 2 * second);
    // A wait can be given up.
    int count = 0;
    auto const later = now();
    auto const last = send_with_retries(
        {}, never, [&] { return later + instant{100 * millisecond} < now(); },
        [&] { return ++count, http_response{.status = 429, .retry_after = "30"}; }, [] { return false; });
    CHECK(last.problem == http_problem::cancelled);
    CHECK(count == 1);
    CHECK((now() - later).count < 2 * second);
}

TEST_CASE("waits double, and are cut at random; the server's wish comes first", "[client]") {
    http_response const busy{.status = 503};
    retry_policy const many{.most = 100};
    for (unsigned number = 0; number < 100; ++number) {
        auto const full = number < 7 ? (second / 2) << number : 60 * second;
        CHECK(wait_before(many, number, busy, 0, today) == instant{full});
        std::uint64_t least = never.count, most = 0;
        for (std::uint64_t random = 0; random < 1'000; ++random) {
            auto const wait = wait_before(many, number, busy, random * 0x9E37'79B9'7F4A'7C15u, today)->count;
            least = std::min(least, wait);
            most = std::max(most, wait);
        }
        CHECK(least > full / 2);
        CHECK(least < full * 11 / 20);
        CHECK(most <= full);
        CHECK(most > full * 19 / 20);
    }
    CHECK_FALSE(wait_after(busy, 2));
    CHECK_FALSE(wait_after({.status = 400}));
    CHECK(wait_after({.status = 429, .retry_after = "7"}) == 7 * second);
    CHECK(wait_after({.status = 429, .retry_after = "7", .retry_after_ms = "1500"}) == 1'500 * millisecond);
    CHECK(wait_after({.status = 429, .retry_after = "0"}) == 0);
    CHECK(wait_after({.status = 429, .retry_after = "1.5"}) == 2 * second);
    CHECK(wait_after({.status = 429, .retry_after = "60"}) == 60 * second);
    CHECK(wait_after({.status = 429, .retry_after = "Sun, 06 Nov 1994 08:49:57 GMT"}) == 20 * second);
    CHECK(wait_after({.status = 429, .retry_after = "Sun, 06 Nov 1994 08:49:07 GMT"}) == 0);
    // Too long to wait, and nothing that can be read.
    for (auto const* const wish : {"61", "99999999999999999999999", "Sun, 06 Nov 2094 08:49:07 GMT"})
        CHECK_FALSE(wait_after({.status = 429, .retry_after = wish}));
    for (auto const* const wish : {"soon", "-5", "\xFF", "Sun, 99 Nov"})
        CHECK(wait_after({.status = 429, .retry_after = wish}) == second / 2);
}

TEST_CASE("events are the same however they are cut, and bounded, as a stream is not", "[client]") {
    std::string const stream =
        "\xEF\xBB\xBF"
        "data: one\r\n\r\n: a comment\n\nevent: x\ndata:two\nid: 7\ndata:  lines\n\ndata\n\ndata: \r\rdata: a\r\ndata: "
        "b\r\n\r\ndata: last";
    for (std::size_t size = 1; size <= stream.size(); ++size)
        CHECK(events_of(stream, size) == std::vector<std::string>{"one", "two\n lines", "a\nb", "last"});
    event_reader reader;
    std::size_t count = 0;
    auto const take = [&](std::string_view) { ++count; };
    std::string const line = "data: " + std::string(1'000, 'x') + "\n";
    for (int round = 0; round < 3'000; ++round) REQUIRE(reader.feed(line + "\n", take));
    CHECK(count == 3'000);
    std::size_t size = 0;
    while (reader.feed(line, take) && size < 2 * event_reader::most) size += line.size();
    CHECK(size < event_reader::most + event_reader::most / 50);  // the names of fields are not counted
    event_reader one_line;
    CHECK_FALSE(one_line.feed(std::string(event_reader::most + 1, 'x'), take));
    CHECK(count == 3'000);
}
