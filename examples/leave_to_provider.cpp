// SPDX-License-Identifier: BSL-1.0

// How do I let the provider reduce the conversation by its own means, and act only where it does not?

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/ask_provider.hpp>
#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/presets.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "check.hpp"

using json = nlohmann::ordered_json;
using namespace condense::literals;

int main() {
    condense::leave_to_provider const provider{.at = 60_pct, .until = 85_pct};
    auto const mix = condense::presets::recommended_with(
        condense::memory_journal{}, condense::memory_store{}, condense::reasoning_use::unknown,
        condense::agent_tools::none, condense::fallback{provider, condense::presets::recommended_summary()});

    condense::budget const limits{.window = 200'000_tokens, .output = 8'000_tokens};
    condense::session session{std::vector<json>{}, mix, limits};
    session.push({{"role", "user"}, {"content", "Look through the logs of March."}});
    session.push({{"role", "assistant"}, {"content", std::string(400'000, 'x')}});  // 100,000 tokens and more
    session.push({{"role", "user"}, {"content", "And April?"}});
    check(!session.prepare().changed());

    json body{{"model", "claude-opus-5-5"}, {"messages", session.request()}};
    auto const beta = condense::ask_provider(body, condense::json_shape::anthropic, provider.asks_at(limits.input()));
    check(beta && body.contains("context_management"));  // send it with the header anthropic-beta: *beta

    // The answer begins with what the provider has made of the conversation. It is pushed as it came, and stays.
    session.push({{"role", "assistant"},
                  {"content",
                   {{{"type", "compaction"}, {"content", "The logs of March are sound."}},
                    {{"type", "text"}, {"text", "April, too."}}}}});
    check(session.used().tokens < 1'000_tokens && session.edits().sums().messages == 3);
}
