// SPDX-License-Identifier: BSL-1.0

// How do I reduce the body of a request, here to Gemini, and write it back as it is to be sent?

#include <cstddef>
#include <cstdio>
#include <string>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::used;
using json = nlohmann::ordered_json;  // members keep their order, and so what nobody edits keeps its bytes

namespace {

/// Stands for what your program has: a question, calls and results, forty times.
std::string long_body() {
    json contents = json::array();
    for (int turn = 0; turn < 40; ++turn) {
        auto const name = "day " + std::to_string(turn);
        contents.push_back({{"role", "user"}, {"parts", {{{"text", "Read the log of " + name + "."}}}}});
        json const call{{"functionCall", {{"name", "read_log"}, {"args", {{"day", turn}}}}},
                        {"thoughtSignature", "c2lnbmVk"}};
        contents.push_back({{"role", "model"}, {"parts", {call}}});
        json const response{
            {"functionResponse", {{"name", "read_log"}, {"response", {{"output", std::string(2'000, '.')}}}}}};
        contents.push_back({{"role", "user"}, {"parts", {response}}});
        contents.push_back({{"role", "model"}, {"parts", {{{"text", "Nothing on " + name + "."}}}}});
    }
    contents.push_back({{"role", "user"}, {"parts", {{{"text", "What was unusual?"}}}}});
    return json{{"systemInstruction", {{"parts", {{{"text", "You read logs."}}}}}}, {"contents", contents}}.dump();
}

std::string reduced(std::string const& body) {
    auto parsed = condense::parse_json<json>(body);
    if (!parsed) return "error: " + parsed.error;
    auto const messages = condense::messages_of(parsed.value);  // refers to parsed.value
    if (!messages) return "error: " + messages.error.text();

    condense::family_estimator const count{condense::model_family::gemini};
    condense::pipeline const mix{condense::compress{.when = used >= 60_pct},
                                 condense::summarize{.when = used >= 80_pct},
                                 condense::sliding_window{.when = used >= 90_pct}};
    condense::budget const limits{.window = 8'000_tokens,
                                  .output = condense::output_of(parsed.value).value_or(1'000_tokens),
                                  .overhead = condense::overhead_of(parsed.value, count)};
    auto const report = condense::reduce(*messages, mix, limits, count);
    if (!report.fits()) return "error: " + report.text();

    json::array_t sent;  // never one role twice in a row
    condense::each_alternating(*messages, [&](json const& m) { sent.push_back(m); });
    *messages = std::move(sent);
    return parsed.value.dump();
}

}  // namespace

int main() {
    auto const body = json::parse(reduced(long_body()));
    auto const& contents = body["contents"];
    check(contents.size() > 2 && contents.size() < 100 && body["systemInstruction"]["parts"].size() == 1);
    for (std::size_t at = 1; at < contents.size(); ++at) check(contents[at]["role"] != contents[at - 1]["role"]);
    check(contents.back()["parts"].back()["text"] == "What was unusual?");
    check(reduced("{}").starts_with("error: condense: json: an array of messages is wanted"));
}
