// SPDX-License-Identifier: BSL-1.0

// How do I keep an agent loop on OpenAI Responses inside the window?
// responses_loop --endpoint https://api.openai.com/v1 --model NAME, with the key in OPENAI_API_KEY. The model reads
// forty logs by a tool; its items, reasoning included, are the messages of the session.

#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <condense/adapt/json.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/condense.hpp>

#include "command_line.hpp"

namespace {

using json = nlohmann::ordered_json;

struct settings {
    std::string endpoint;
    std::string model;
    condense::tokens window{128'000};
};

std::optional<int> read_arguments(int count, char const* const* given, settings& chosen) {
    command_line::program const program{
        "responses_loop",
        "An agent that reads logs, on OpenAI Responses. Exit status: 0, 1 without an answer, 2 for wrong usage.",
        "--endpoint URL --model NAME"};
    std::vector<command_line::option> const options{
        {.name = "--endpoint", .to = &chosen.endpoint, .help = "such as https://api.openai.com/v1", .required = true},
        {.name = "--model", .to = &chosen.model, .help = "its name", .required = true},
        {"--window", &chosen.window.count, "its context window in tokens; 128000 unless given",
         command_line::whole_number(256, 1'000'000'000, "tokens")}};
    return command_line::read(program, options, count, given);
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

json request_body() {
    return {{"store", false},
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
    auto const body = request_body();
    condense::openai_client const model{condense::openai_client::settings_from_environment(
        {.model = chosen.model, .base_url = chosen.endpoint, .body = body, .stream = false, .responses = true})};
    if (!model.problem().empty()) throw std::runtime_error{"--endpoint: " + model.problem()};
    condense::delivery nowhere{nullptr, nullptr};

    condense::family_estimator const count{condense::model_family::gpt};
    condense::pipeline const mix{condense::compress{.when = used >= 60_pct},
                                 condense::summarize{.when = used >= 80_pct},
                                 condense::sliding_window{.when = used >= 90_pct}};
    condense::budget const limits{.window = chosen.window, .overhead = condense::overhead_of(body, count)};
    condense::session session{json::array_t{}, mix, limits, count};

    session.push(json{{"role", "user"}, {"content", "Read the logs of all forty days, then say what is unusual."}});
    for (int requests = 0; requests < 200; ++requests) {
        static_cast<void>(session.prepare());
        auto const reply = model.items(session.request(), nowhere);
        if (!reply.message) {
            if (session.recover(reply.error) == condense::recover_outcome::retry) continue;
            throw std::runtime_error{"status " + std::to_string(reply.error.status) + ": " +
                                     condense::printable(reply.error.text, 300)};
        }
        session.observe(reply.usage);

        bool calls = false;
        for (auto const& item : *reply.message) session.push(item);
        for (auto const& item : *reply.message) {
            if (value_at<std::string>(item, "/type") != "function_call") continue;
            calls = true;
            session.push(json{{"type", "function_call_output"},
                              {"call_id", value_at<std::string>(item, "/call_id")},
                              {"output", read_log(value_at<std::string>(item, "/arguments"))}});
        }
        if (calls) continue;
        condense::each_part(reply.message->back(), [](auto const& part) { std::cout << part.text << '\n'; });
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
