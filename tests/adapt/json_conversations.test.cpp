// SPDX-License-Identifier: BSL-1.0
// Conversations of each shape: read, edited in the form of the shape, and reduced to messages of that shape.
#include <condense/adapt/json.hpp>

#include <condense/condense.hpp>
#include <condense/replay/checker.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::list, adapt_tests::parts, adapt_tests::read, adapt_tests::table;
using condense::used;
using json = nlohmann::ordered_json;
using namespace condense::literals;
constexpr condense::chars_per_token per_char{.tenths = 10};

auto const mix = condense::pipeline{
    condense::compress{.when = used >= 50_pct, .over = 600_chars, .with = condense::head_tail{200_chars, 100_chars}},
    condense::summarize{.when = used >= 70_pct}, condense::sliding_window{.when = used >= 90_pct},
    condense::escalate{.when = used >= 90_pct, .ceiling = 100_pct}};

std::string replaced(std::string_view text, std::string_view word, std::string_view by) {
    std::string result{text};
    for (auto at = result.find(word); at != result.npos; at = result.find(word, at + by.size()))
        result.replace(at, word.size(), by);
    return result;
}

/// So many rounds: a question, a call with some reasoning, its output, an answer.
std::vector<json> conversation_of(std::string const& shape, std::size_t count) {
    std::vector<json> result;
    for (std::size_t number = 0; number < count; ++number)
        for (auto const& m : table("rounds")[shape]) {
            std::string output;
            for (std::size_t line = 0; line < 20 + 40 * (number % 4); ++line)
                output += "line " + std::to_string(number) + "." + std::to_string(line) + " of the log; ";
            auto const id = "c" + std::to_string(number);
            result.push_back(read(
                replaced(replaced(replaced(m.dump(), "OUT", output), "ID", id), "\"Q\"", "\"question " + id + "\"")));
        }
    return result;
}

condense::outline outline_of(std::vector<json> const& messages) {
    condense::outline facts;
    for (auto const& m : messages) facts.append(m, per_char);
    return facts;
}

}  // namespace

TEST_CASE("json_conversations: what remains has the shape of the conversation, and breaks no law", "[adapt][json]") {
    for (auto const& [shape, round] : table("rounds").items()) {
        CAPTURE(shape);
        auto const whole = conversation_of(shape, 12);
        std::size_t summaries = 0, shortened = 0;
        for (std::uint64_t window = 500; window < 20'000; window = window * 5 / 4) {
            CAPTURE(window);
            auto history = whole;
            auto const report = condense::reduce(history, mix, {.window = {window}});
            for (auto const& layer : report.layers) shortened += layer.parts_shortened;
            for (auto const& m : history) {
                auto const wrong = shape_error_of(m, 0, condense::json_shape_named(shape).value());
                INFO(m.dump());
                REQUIRE(wrong.reason == "");
            }
            summaries += history.size() > 1 && parts(history[1]) != parts(whole[1]) ? 1u : 0u;
            condense::request_checker checker;
            for (auto const& m : whole) checker.push(m);
            REQUIRE(checker.judge(history) == list{});
        }
        CHECK(summaries > 3);
        CHECK(shortened > 10);
    }
}

TEST_CASE("json_conversations: what a model wrote in one answer stays together", "[adapt][json]") {
    auto const facts = outline_of(conversation_of("responses", 1));
    REQUIRE(facts.size() == 7);
    for (std::uint32_t index = 2; index < 6; ++index) CHECK(facts.group_of(index) == facts.group_of(1));
    CHECK(facts.group_of(0) != facts.group_of(1));
    CHECK(facts.group_of(6) != facts.group_of(1));
    // A call without reasoning before it does not take the question with it.
    auto const bare = outline_of(read(R"([{"role":"user","content":"q"},
                                          {"type":"function_call","call_id":"c","name":"f","arguments":"{}"}])"));
    CHECK(bare.group_of(0) != bare.group_of(1));
}

TEST_CASE("json_conversations: a cache point is no content, and begins no turn", "[adapt][json]") {
    auto const facts = outline_of(read(
        R"([{"role":"user","content":[{"text":"task"}]},
            {"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"out"}]}},{"cachePoint":{}}]}])"));
    CHECK(facts.latest_user() == 0);
}

TEST_CASE("json_conversations: what a model reads is counted, wherever it stands", "[adapt][json]") {
    std::string const words(4'000, 'w');
    for (auto const& m : table("counted")) {
        INFO(m.dump());
        auto const facts = outline_of({read(replaced(m.dump(), "WORDS", words))});
        CHECK(facts.group_at(0).cost.tokens().count > 4'000);
        CHECK(facts.group_at(0).cost.tokens().count < 4'400);
    }
}

TEST_CASE("json_conversations: media in a result of Gemini take no text, and make it no word of the user's",
          "[adapt][json]") {
    auto const m = read(R"({"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"out"},)"
                        R"("parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}}]})");
    CHECK(parts(m) == list{"tool result f: out", "media #f sealed =1600: image/png, 8 bytes"});
    CHECK_FALSE(outline_of({m}).message_at(0).plain_user);
}

TEST_CASE("json_conversations: roles alternate where that is asked for", "[adapt][json]") {
    for (auto const* const shape : {"gemini", "bedrock"}) {
        auto history = conversation_of(shape, 12);
        static_cast<void>(condense::reduce(history, mix, {.window = 1'500_tokens}));
        std::vector<json> sent;
        condense::each_alternating(history, [&](json const& m) { sent.push_back(m); });
        REQUIRE(sent.size() < history.size());
        for (std::size_t at = 1; at < sent.size(); ++at) CHECK(sent[at]["role"] != sent[at - 1]["role"]);
    }
}

TEST_CASE("json_conversations: a result and a text, and two answers, are sent as one message", "[adapt][json]") {
    std::vector<json> const history = read(
        R"([{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"out"}]}}]},
            {"role":"user","content":[{"text":"go on"}]}, {"role":"assistant","content":[{"text":"a"}]},
            {"role":"assistant","content":[{"toolUse":{"toolUseId":"d","name":"f","input":{}}}]}])");
    std::vector<list> sent;
    condense::each_alternating(history, [&](json const& m) { sent.push_back(parts(m)); });
    CHECK(sent == std::vector<list>{{"tool result #c: out", "text: go on"}, {"text: a", "tool call f #d: {}"}});
}

TEST_CASE("json_conversations: messages and overhead of each request body", "[adapt][json]") {
    struct row {
        std::string_view body;
        std::size_t value;
    };
    for (auto const& [text, size] :
         {row{R"({"input":[{"role":"user","content":"a"}]})", 1}, row{R"({"contents":[{"parts":[{"text":"a"}]}]})", 1},
          row{R"({"prompt":[{"role":"user","content":"a"}]})", 1}, row{R"({"params":{"a":1},"messages":[]})", 0},
          row{R"({"method":"m","params":{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}})", 1},
          row{R"({"input":"a"})", 99}}) {
        CAPTURE(text);
        auto body = read(text);
        auto const found = condense::messages_of(body);
        CHECK((found ? found->size() : 99) == size);
    }
    for (auto const& [text, tokens] :
         {row{R"({"max_tokens":5})", 5}, row{R"({"max_tokens":5,"max_completion_tokens":6})", 6},
          row{R"({"max_output_tokens":7})", 7}, row{R"({"generationConfig":{"maxOutputTokens":8}})", 8},
          row{R"({"inferenceConfig":{"maxTokens":9}})", 9}, row{R"({"params":{"maxTokens":10}})", 10},
          row{R"({"options":{"num_predict":11}})", 11}, row{"{}", 99}, row{"[]", 99}, row{"1", 99},
          row{R"({"max_tokens":-1,"options":[]})", 99}, row{R"({"max_tokens":"5"})", 99}}) {
        CAPTURE(text);
        CHECK(condense::output_of(read(text)).value_or(condense::tokens{99}).count == tokens);
    }
    // A system prompt outside the messages costs what it says, and so do tools.
    for (auto const& [text, chars] :
         {row{R"({"system":"You are terse.","messages":[]})", 14}, row{R"({"instructions":"You are terse."})", 14},
          row{R"({"system":[{"type":"text","text":"You are"},{"type":"text","text":" terse."}]})", 14},
          row{R"({"systemInstruction":{"parts":[{"text":"You are terse."}]}})", 14},
          row{R"({"system":[{"text":"You are terse."},{"cachePoint":{}}]})", 14},
          row{R"({"params":{"systemPrompt":"You are terse."}})", 14}, row{R"({"tools":[{"name":"f"}]})", 14},
          row{R"({"tools":[],"functions":null})", 0}, row{R"({"messages":[]})", 0}, row{R"({"system":null})", 0},
          row{"[]", 0}, row{"7", 0}}) {
        CAPTURE(text);
        CHECK(condense::overhead_of(read(text), per_char).count == chars);
    }
}
