// SPDX-License-Identifier: BSL-1.0

// How do I have a model write the summaries, and what if it cannot be reached?

#include <string>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

int main() {
    using namespace condense::literals;
    using condense::used;
    using json = nlohmann::json;

    // Ollama on this machine, which may not run. Without `base_url` it is OpenAI, with the key of OPENAI_API_KEY;
    // anthropic_client and gemini_client take the same settings.
    condense::openai_client const model{condense::openai_client::settings_from_environment(
        {.model = "qwen3:4b", .base_url = "http://localhost:11434/v1", .retry = {.most = 1}})};
    check(model.problem().empty());  // such as an address without https

    condense::pipeline const mix{
        condense::fallback{condense::summarize{.when = used >= 80_pct, .with = model},
                           condense::summarize{.when = used >= 80_pct}},  // by rule, if the model fails
        condense::sliding_window{.when = used >= 90_pct}};

    condense::session session{std::vector<json>{}, mix, condense::budget{.window = 16'000_tokens}};
    for (int turn = 0; turn < 60; ++turn) {
        session.push({{"role", "user"}, {"content", "Step " + std::to_string(turn) + ": " + std::string(3'000, 'x')}});
        session.push({{"role", "assistant"}, {"content", "Done."}});
        static_cast<void>(session.prepare());
        check(session.used().fits());
    }
    check(session.used().messages.count < 120);

    // A call of the session works in the same way: the text comes in pieces, and an error is a value.
    auto const result = session.call(model, [](std::string_view) {});
    check(result || !result.error.text.empty());
}
