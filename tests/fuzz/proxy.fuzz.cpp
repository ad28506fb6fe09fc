// SPDX-License-Identifier: BSL-1.0

// Requests of clients on their way through the proxy of the examples: refused, or sent as they came, or smaller with
// everything beside the messages as it was; a refusal of the provider makes it smaller still, or says that it cannot.

#include <exception>
#include <memory>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.hpp"
#include "kept/kept.cpp"
#include "proxy/conversations.hpp"

namespace {

using proxy::json;

/// The document without its messages, and these.
struct parts {
    json beside, messages;

    explicit parts(std::string_view text) : beside{json::parse(text, nullptr, false)} {
        if (beside.is_discarded()) return;
        if (auto* const list = condense::message_array(beside)) messages = std::exchange(*list, {});
    }
};

/// A request, or none where it is refused.
std::unique_ptr<proxy::request> read(std::string_view body, proxy::shelf& kept, bool alternate) {
    try {
        return proxy::request::read(body, kept, alternate);
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
    corpus made{.seeds = shape_seeds({"anthropic", "gemini", "ollama", "openai", "responses"}, 10),
                .words = listed("proxy", "words"),
                .mutations = 2'000};
    made.add(std::string(10, '\3'), listed("proxy", "requests"));
    return made;
}

void fuzz::try_input(byte_source bytes) {
    byte_source choices{bytes.take(10)};
    static constexpr char const* names[] = {"recommended", "no_model", "window"};
    auto const* const mix = names[choices.below(3)];
    bool const alternate = choices.chance(30);
    proxy::shelf kept{{.window = condense::tokens{200 + choices.below(20'000)}, .mix = mix}};
    auto const text = bytes.rest();
    {
        auto const request = read(text, kept, alternate);
        if (!request) return;
        check(text, *request);
        if (choices.chance(50)) {
            auto const counted = request->sent_by().estimate.messages;
            condense::overflow const refusal{.limit = {choices.below(20'000)}, .requested = {choices.below(40'000)}};
            fuzz::require(!request->shrink(refusal) || request->sent_by().estimate.messages < counted,
                          "smaller, or it says so");
            check(text, *request);
        }
    }
    // The same once more is the same conversation.
    auto const again = read(text, kept, alternate);
    fuzz::require(again != nullptr, "what was read is read again");
    check(text, *again);
}
