// SPDX-License-Identifier: BSL-1.0

// Requests of clients on their way through the proxy of the examples: refused, or sent as they came, or smaller with
// everything beside the messages as it was; a refusal of the provider makes it smaller still, or says that it cannot.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.hpp"
#include "proxy/conversations.hpp"
#include "support/byte_source.hpp"

namespace {

using proxy::json;

/// The document without its messages, and these.
struct parts {
    json beside;
    json messages;

    explicit parts(std::string_view text) : beside{json::parse(text, nullptr, false)} {
        if (beside.is_discarded()) return;
        if (auto* const list = condense::message_array(beside)) messages = std::exchange(*list, {});
    }
};

/// A request, or none where it is refused.
std::unique_ptr<proxy::request> read(std::string_view body, proxy::shelf& kept, proxy::mix const& layers,
                                     bool alternate) {
    try {
        return proxy::request::read(body, kept, layers, alternate);
    } catch (std::exception const&) { return nullptr; }
}

void check(std::string_view body, proxy::request& request) {
    auto const sent = request.body();
    auto const [before, after] = std::pair{request.before(), request.after()};
    fuzz::require(after.tokens <= before.tokens && after.messages <= before.messages, "what is sent is no larger");
    fuzz::require(sent == request.body(), "it is the same again");
    if (sent == body) return;
    parts const came{body}, went{sent};
    fuzz::require(!went.beside.is_discarded(), "what is sent is JSON");
    fuzz::require(came.beside == went.beside, "what stands beside the messages stays");
    fuzz::require(went.messages.is_array() && !went.messages.empty(), "there are messages");
    for (auto const& message : went.messages) fuzz::require(!message.contains("condense"), "no marks are sent");
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.mutations = 2'000};
    for (auto const* const shape : {"anthropic", "gemini", "ollama", "openai", "responses"})
        for (int number = 1; number <= 12; number += 5) {
            auto const text =
                bytes_of(std::string{CONDENSE_SHAPES} + "/" + shape + "/" + std::to_string(number) + ".json");
            require(!text.empty(), shape);
            for (auto const& choices : random_seeds(1, 10, static_cast<std::uint64_t>(number)))
                made.seeds.push_back(choices + text);
        }
    made.seeds.push_back(
        std::string(10, '\3') +
        R"({"model":"gpt-5","messages":[{"role":"user","content":"a"}],"messages":[{"role":"user","content":)"
        R"([{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}],"max_tokens":1e2})");
    for (auto const* const word :
         {"\"messages\":[", "\"messages\":", "\"model\":\"gpt-5\",", "\"max_tokens\":9,",
          "\"cache_control\":{\"type\":\"ephemeral\"}", "\"role\":\"user\"", "\"content\":", "\"type\":\"text\"",
          "\"system\":", "\"tools\":[{}],", "\\u006d", "\xEF\xBB\xBF", "1.0", "1e2", "\"params\":{", "\n", " ", "null"})
        made.words.emplace_back(word);
    return made;
}

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    byte_source bytes{fuzz::view(data, size)};
    byte_source choices{bytes.take(10)};
    static constexpr char const* names[] = {"recommended", "no_model", "window"};
    static proxy::mix const mixes[] = {proxy::mix_named(names[0]), proxy::mix_named(names[1]),
                                       proxy::mix_named(names[2])};
    auto const& layers = mixes[choices.below(3)];
    bool const alternate = choices.chance(30);
    proxy::shelf kept{condense::tokens{200 + choices.below(20'000)}};
    auto const text = bytes.rest();
    {
        auto const request = read(text, kept, layers, alternate);
        if (!request) return 0;
        check(text, *request);
        if (choices.chance(50)) {
            auto const counted = request->after().tokens;
            condense::overflow const refusal{.limit = {choices.below(20'000)}, .requested = {choices.below(40'000)}};
            fuzz::require(!request->shrink(refusal) || request->after().tokens < counted, "smaller, or it says so");
            check(text, *request);
        }
    }
    // The same once more is the same conversation.
    auto const again = read(text, kept, layers, alternate);
    fuzz::require(again != nullptr, "what was read is read again");
    check(text, *again);
    return 0;
}
