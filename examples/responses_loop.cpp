// SPDX-License-Identifier: BSL-1.0

// How do I keep an agent loop on OpenAI Responses inside the window?
// responses_loop --endpoint https://api.openai.com/v1 --model NAME, with the key in OPENAI_API_KEY. The model reads
// forty logs by a tool; its items, reasoning included, are the messages of the session.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

#include "chat/address.hpp"
#include "command_line.hpp"

namespace {

using json = nlohmann::ordered_json;

struct settings {
    std::string endpoint;
    std::string model;
    condense::tokens window{128'000};
};

std::optional<int> read_arguments(int count, char const* const* given, settings& chosen) {
    CLI::App app{
        "An agent that reads logs, on OpenAI Responses. Exit status: 0, 1 without an answer, 2 for wrong usage.",
        "responses_loop"};
    app.add_option("--endpoint", chosen.endpoint, "such as https://api.openai.com/v1")->required();
    app.add_option("--model", chosen.model, "its name")->required();
    app.add_option("--window", chosen.window.count, "its context window in tokens; 128000 unless given")
        ->transform(command_line::whole_number(256, 1'000'000'000, "tokens"));
    return command_line::read(app, count, given, "--endpoint URL --model NAME");
}

struct answer {
    int status = 0;
    std::string body = {};
};

/// POST over https, or to this machine; no redirection is followed.
answer post(repl::address const& to, std::string const& key, std::string const& body) {
    constexpr std::size_t most_bytes = 16u << 20;
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> const easy{curl_easy_init(), &curl_easy_cleanup};
    curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
    if (!key.empty()) headers = curl_slist_append(headers, ("Authorization: Bearer " + key).c_str());
    std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> const held{headers, &curl_slist_free_all};
    if (!easy) throw std::runtime_error{"libcurl cannot be used"};
    std::string text;
    auto* const append = +[](char* data, std::size_t, std::size_t size, void* out) -> std::size_t {
        auto& all = *static_cast<std::string*>(out);
        if (all.size() + size > most_bytes) return 0;
        all.append(data, size);
        return size;
    };
    curl_easy_setopt(easy.get(), CURLOPT_URL, to.url.c_str());
    if (to.local) curl_easy_setopt(easy.get(), CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, held.get());
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT, 15L);
    curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT, 600L);
    curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &text);
    if (auto const result = curl_easy_perform(easy.get()); result != CURLE_OK)
        throw std::runtime_error{curl_easy_strerror(result)};
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    return {static_cast<int>(status), std::move(text)};
}

/// The value at a path such as "/usage/input_tokens", if it is there and of this type.
template <class Value>
Value value_at(json const& object, char const* path, Value otherwise = {}) {
    json::json_pointer const where{path};
    if (!object.contains(where)) return otherwise;
    auto const* const value = object.at(where).get_ptr<Value const*>();
    return value == nullptr ? otherwise : *value;
}

/// A day's log; stands for any tool.
std::string read_log(std::string const& arguments) {
    auto const parsed = condense::parse_json<json>(arguments);
    auto const day = value_at<std::uint64_t>(parsed.value, "/day");
    if (day == 0) return "error: a day is wanted";
    std::string log;
    for (int line = 0; line < 60; ++line)
        log += "day " + std::to_string(day) + " line " + std::to_string(line) + ": " + std::string(40, '.') + "\n";
    return log;
}

json request_body(std::string const& model) {
    return {{"model", model},
            {"store", false},
            {"include", {"reasoning.encrypted_content"}},
            {"tools",
             {{{"type", "function"},
               {"name", "read_log"},
               {"description", "The log of a day from 1 to 40."},
               {"parameters", {{"type", "object"}, {"properties", {{"day", {{"type", "integer"}}}}}}}}}}};
}

int run(settings const& chosen) {
    using namespace condense::literals;
    using condense::used;
    auto const to = repl::address_of(chosen.endpoint, "/responses");
    char const* const given = std::getenv("OPENAI_API_KEY");
    std::string const key = given == nullptr ? "" : given;
    if (!to.problem.empty()) throw std::runtime_error{"--endpoint: " + to.problem};
    if (to.scheme != "https" && !to.local) throw std::runtime_error{"--endpoint: https, or this machine"};

    auto body = request_body(chosen.model);
    condense::family_estimator const count{condense::model_family::gpt};
    condense::pipeline const mix{condense::compress{.when = used >= 60_pct},
                                 condense::summarize{.when = used >= 80_pct},
                                 condense::sliding_window{.when = used >= 90_pct}};
    condense::budget const limits{.window = chosen.window, .overhead = condense::overhead_of(body, count)};
    condense::session session{json::array_t{}, mix, limits, count};

    session.push(json{{"role", "user"}, {"content", "Read the logs of all forty days, then say what is unusual."}});
    for (int requests = 0; requests < 200; ++requests) {
        static_cast<void>(session.prepare());
        body["input"] = json::array();
        for (auto const& item : session.request()) body["input"].push_back(item);
        auto const reply = post(to, key, body.dump(-1, ' ', false, json::error_handler_t::replace));
        if (reply.status != 200) {
            if (session.recover({reply.status, reply.body}) == condense::recover_outcome::retry) continue;
            throw std::runtime_error{"status " + std::to_string(reply.status) + ": " +
                                     condense::printable(reply.body, 300)};
        }
        auto const parsed = condense::parse_json<json>(reply.body);
        auto const output = value_at<json::array_t>(parsed.value, "/output");
        auto const tokens = [&](char const* path) {
            return condense::tokens{value_at<std::uint64_t>(parsed.value, path)};
        };
        session.observe(condense::provider_usage::with_cached_in_input(
            tokens("/usage/input_tokens"), tokens("/usage/output_tokens"),
            tokens("/usage/input_tokens_details/cached_tokens")));

        bool calls = false;
        for (auto const& item : output) session.push(item);
        for (auto const& item : output) {
            if (value_at<std::string>(item, "/type") != "function_call") continue;
            calls = true;
            session.push(json{{"type", "function_call_output"},
                              {"call_id", value_at<std::string>(item, "/call_id")},
                              {"output", read_log(value_at<std::string>(item, "/arguments"))}});
        }
        if (calls) continue;
        if (output.empty()) throw std::runtime_error{"the answer holds no output"};
        condense::each_part(output.back(), [](auto const& part) { std::cout << part.text << '\n'; });
        return 0;
    }
    throw std::runtime_error{"the model does not come to an end"};
}

}  // namespace

int main(int count, char** arguments) {
    try {
        settings chosen;
        if (auto const status = read_arguments(count, arguments, chosen)) return *status;
        return run(chosen);
    } catch (std::exception const& problem) {
        std::cerr << "responses_loop: " << problem.what() << '\n';
        return 1;
    }
}
