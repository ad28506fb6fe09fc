// SPDX-License-Identifier: BSL-1.0

// peers TASKS.json: conversations by the clients of this library, as peers.mjs has them by the providers' own packages.
// Prints a line of JSON for each task: the answers in the order of the requests. peers_test.py compares them.

#include <fstream>
#include <iostream>

#include <condense/client/anthropic_client.hpp>
#include <condense/client/gemini_client.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/condense.hpp>

namespace {

using json = nlohmann::ordered_json;

struct shown {
    std::string text = {};
    static void add(void* to, std::string_view piece) { static_cast<shown*>(to)->text += piece; }
};

template <class Message>
json told(condense::reply<Message> const& answer, std::string text) {
    auto const& usage = answer.usage;
    return {{"text", std::move(text)},
            {"messages", json::array()},
            {"stop", answer.stop},
            {"usage", {usage.input.count + usage.cache_read.count, usage.cache_read.count, usage.output.count}},
            {"error", answer.error ? json{answer.error.status, answer.error.text} : json{}}};
}

/// The task's conversation by a session: an answer, and where that has calls, their results and a further one.
json converse(auto const& client, json const& task) {
    using namespace condense::literals;
    auto body = task.at("body");
    condense::session session{*condense::message_array(body), condense::pipeline{},
                              condense::budget{.window = 10'000'000_tokens}};
    auto answers = json::array();
    for (bool more = true; more && answers.size() < 2;) {
        shown seen;
        condense::delivery show{&shown::add, &seen};
        json answer;
        if (client.settings().responses) {
            auto const given = client.items(session.request(), show);
            answer = told(given, seen.text);
            if (given.message)
                for (auto const& item : *given.message) answer["messages"].push_back(item);
            for (auto const& item : answer["messages"]) session.push(item);
        } else {
            auto const ask = [&](auto const& request, condense::delivery& sink) {
                auto given = client(request, sink);
                answer = told(given, {});
                return given;
            };
            auto const result = session.call(ask, [&](std::string_view piece) { seen.text += piece; });
            answer["text"] = seen.text;
            if (result.answer != nullptr) answer["messages"].push_back(*result.answer);
        }
        more = answer["messages"].dump().find("peer_") != std::string::npos;
        answers.push_back(std::move(answer));
        for (auto const& message : task.at("results"))
            if (more) session.push(message);
    }
    return answers;
}

json carry_out(auto const& client, json const& task) {
    if (!task.contains("prompt")) return converse(client, task);
    auto const& prompt = task.at("prompt");
    auto const answer =
        client(condense::model_prompt{prompt[0].template get<std::string>(), prompt[1].template get<std::string>()},
               condense::ask_limits{.answer = {prompt[2].template get<std::uint64_t>()}});
    return json::array({told(answer, answer.message.value_or(std::string{}))});
}

json carry_out(json const& task) {
    auto const shape = task.at("shape").get<std::string>();
    auto const url = task.at("url").get<std::string>();
    condense::client_settings settings{.model = task.at("model"),
                                       .base_url = url + (shape == "gemini" ? "/v1beta" : "/v1"),
                                       .key = task.at("key"),
                                       .body = task.at("body"),
                                       .stream = task.at("stream"),
                                       .responses = shape == "responses",
                                       .limit_member = "max_completion_tokens",
                                       .cache = false,  // the official clients set no marks
                                       .answer = {task.at("answer").get<std::uint64_t>()},
                                       .retry = {.most = 0}};
    for (auto const* const name : {"messages", "input", "contents", "model", "stream"}) settings.body.erase(name);
    if (shape == "anthropic") return carry_out(condense::anthropic_client{settings}, task);
    if (shape == "gemini") return carry_out(condense::gemini_client{settings}, task);
    return carry_out(condense::openai_client{settings}, task);
}

}  // namespace

int main(int count, char** given) {
    if (count != 2) return 2;
    std::ifstream file{given[1]};
    for (auto const& task : json::parse(file))
        std::cout << carry_out(task).dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
}
