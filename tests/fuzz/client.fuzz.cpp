// SPDX-License-Identifier: BSL-1.0

// Answers of servers, as bodies and as streams of events: however a stream is cut into packets, the same comes of it;
// an answer is an error, or messages that can be sent back; what was shown is the text that is returned.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/client/anthropic_client.hpp>
#include <condense/client/gemini_client.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/client/retry.hpp>
#include <condense/detail/utf8.hpp>

#include "fuzz/fuzz.hpp"
#include "support/byte_source.hpp"

namespace {

using condense::detail::client::answer;
using json = nlohmann::ordered_json;

struct outcome {
    answer given;
    std::string shown;
};

/// What a client makes of it; `cuts` says where packets end, or there is one.
template <class Protocol>
outcome read(std::string_view text, bool stream, std::optional<byte_source> cuts) {
    outcome result;
    condense::delivery show{[](void* to, std::string_view piece) { static_cast<std::string*>(to)->append(piece); },
                            &result.shown};
    typename Protocol::reader reader;
    if (stream) {
        condense::event_reader events;
        auto const event = [&](std::string_view data) {
            condense::detail::client::read_answer(reader, data, true, show);
        };
        bool good = true;
        while (!text.empty() && good) {
            auto const size = cuts ? 1 + cuts->below(64) : text.size();
            good = events.feed(text.substr(0, size), event) && !reader.result.error;
            text.remove_prefix((std::min)(size, text.size()));
        }
        if (good) events.finish(event);
    } else condense::detail::client::read_answer(reader, text, false, show);
    if (!reader.result.error) reader.finish();
    result.given = std::move(reader.result);
    return result;
}

bool same(outcome const& left, outcome const& right) {
    return left.shown == right.shown && left.given.messages == right.given.messages &&
           left.given.text == right.given.text && left.given.refusal == right.given.refusal &&
           left.given.stop == right.given.stop && left.given.usage == right.given.usage &&
           left.given.error.status == right.given.error.status && left.given.error.text == right.given.error.text &&
           left.given.complete == right.given.complete;
}

template <class Protocol>
void check(std::string_view text, bool stream, byte_source cuts) {
    auto const got = read<Protocol>(text, stream, cuts);
    fuzz::require(same(got, read<Protocol>(text, stream, std::nullopt)), "packets do not matter");
    auto const& given = got.given;
    for (auto const* const each : {&given.text, &given.refusal, &given.stop, &got.shown})
        fuzz::require(condense::detail::utf8::valid(*each), "texts are UTF-8");
    if (given.error) return fuzz::require(!given.error.text.empty(), "an error says something");
    for (auto const& message : given.messages) {
        fuzz::require(message.is_object(), "a message is an object");
        fuzz::require(!condense::detail::dump_of(message).empty(), "it can be written");
    }
}

void check_error(std::string_view text, int status) {
    auto error = condense::detail::client::error_of(status, text);
    fuzz::require(!error.text.empty(), "an error says something");
    fuzz::require(status == 0 || error.status == status, "the status of the answer counts");
    condense::client_settings const settings{.key = "sk-of-nobody"};
    condense::detail::client::clean(error.text, settings);
    fuzz::require(error.text.find(settings.key) == std::string::npos, "the key is in no error");
    fuzz::require(error.text.size() <= 2'000 && condense::detail::utf8::valid(error.text), "an error is a short text");
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.mutations = 20'000};
    static constexpr std::string_view bodies[] = {
        R"({"choices":[{"message":{"role":"assistant","content":"Yes.","tool_calls":[{"id":"c1",)"
        R"("type":"function","function":{"name":"read","arguments":"{\"a\":1}"}}]},)"
        R"("finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,)"
        R"("prompt_tokens_details":{"cached_tokens":4}}})",
        R"({"status":"completed","output":[{"type":"reasoning","id":"r"},{"type":"message",)"
        R"("content":[{"type":"output_text","text":"Yes."}]},{"type":"function_call",)"
        R"("call_id":"c","name":"n","arguments":"{}"}],"usage":{"input_tokens":5,)"
        R"("output_tokens":6}})",
        R"({"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm",)"
        R"("signature":"s"},{"type":"text","text":"Yes."},{"type":"tool_use","id":"t",)"
        R"("name":"n","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,)"
        R"("output_tokens":2}})",
        R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Yes."},)"
        R"({"functionCall":{"name":"n","args":{}}}]},"finishReason":"STOP"}],)"
        R"("usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4}})",
        R"({"error":{"message":"sk-of-nobody is over its limit","type":"rate_limit","code":429}})"};
    static constexpr std::string_view streams[] = {
        "data: {\"choices\":[{\"delta\":{\"content\":\"Ye\",\"reasoning_content\":\"hm\"}}]}\n\ndata: "
        "{\"choices\":[{\"delta\":{\"content\":\"s.\",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":"
        "\"n\",\"arguments\":\"{\"}},{\"index\":0,\"function\":{\"arguments\":\"}\"}}]},\"finish_reason\":\"stop\"}]}\r"
        "\n\r\ndata: [DONE]\n\n",
        "event: response.output_text.delta\ndata: "
        "{\"type\":\"response.output_text.delta\",\"delta\":\"Yes.\"}\n\ndata: "
        "{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\","
        "\"content\":[{\"text\":\"Yes.\"}]}]}}\n\n",
        "event: message_start\ndata: "
        "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\ndata: "
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Yes.\"}}\n\ndata: "
        "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":"
        "\"n\",\"input\":{}}}\n\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"partial_json\":\"{}\"}"
        "}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: "
        "{\"type\":\"message_stop\"}\n\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Ye\"}]}}]}\r\rdata: "
        "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"s.\"}]},\"finishReason\":\"STOP\"}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\r\ndata: \"Yes.\"},\"finish_reason\":\"stop\"}]}\r\n\r\n",
        "data: {\"type\":\r\ndata: \"message_stop\"}\r\n\r\n",
        ": ping\n\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n"};
    for (char protocol = 0; protocol < 3; ++protocol) {
        for (auto const body : bodies)
            made.seeds.push_back(std::string{protocol, '\0'} + std::string(8, '\2') + std::string{body});
        for (auto const stream : streams)
            made.seeds.push_back(std::string{protocol, '\1'} + std::string(8, '\2') + std::string{stream});
    }
    for (auto const body : bodies)
        made.seeds.push_back(std::string{'\3', '\0'} + std::string(8, '\2') + std::string{body});
    for (auto const* const word : {"data: ",
                                   "\n\n",
                                   "\r\n",
                                   "\xEF\xBB\xBF",
                                   "[DONE]",
                                   "\"choices\":",
                                   "\"delta\":",
                                   "\"content\":",
                                   "\"tool_calls\":",
                                   "\"index\":",
                                   "\"function\":",
                                   "\"arguments\":",
                                   "\"usage\":",
                                   "\"error\":",
                                   "\"type\":",
                                   "\"content_block\":",
                                   "\"partial_json\":",
                                   "\"parts\":",
                                   "\"text\":",
                                   "null",
                                   "[]",
                                   "{}",
                                   "\"\"",
                                   "127",
                                   "128",
                                   "18446744073709551615",
                                   "-1",
                                   "1e99",
                                   "\"finish_reason\":\"length\"",
                                   "\"response\":",
                                   "\"output\":",
                                   "\"thought\":true",
                                   "\"reasoning_details\":",
                                   "\"extra_content\":",
                                   "sk-of-nobody"})
        made.words.emplace_back(word);
    return made;
}

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    byte_source bytes{fuzz::view(data, size)};
    auto const protocol = bytes.below(4);
    bool const stream = bytes.below(2) == 1;
    byte_source const cuts{bytes.take(8)};
    auto const text = bytes.rest();
    switch (protocol) {
        case 0: check<condense::detail::openai_protocol>(text, stream, cuts); break;
        case 1: check<condense::detail::anthropic_protocol>(text, stream, cuts); break;
        case 2: check<condense::detail::gemini_protocol>(text, stream, cuts); break;
        default: check_error(text, stream ? 400 + static_cast<int>(size % 200) : 0);
    }
    return 0;
}
