// SPDX-License-Identifier: BSL-1.0

// How do I take window, prices and estimator from a model's name, and let what the provider reports correct the
// estimates?

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/estimate/calibrated.hpp>
#include <condense/estimate/models.hpp>

#include "check.hpp"

using condense::chat_message;
using namespace condense::literals;

/// What a provider reports whose tokenizer makes 1.3 times as many tokens as were estimated, and 5 for each message.
template <class Session>
condense::provider_usage sent_by(Session const& session) {
    std::uint64_t chars = 0;
    std::uint64_t messages = 0;
    for (auto const& m : session.request()) {
        ++messages;
        for (auto const& part : m.parts) chars += part.text.size();
    }
    return {.input = {chars * 13 / 37 + 5 * messages}};
}

int main() {
    auto const model = condense::find_model("us.anthropic.claude-opus-4-5-20251101-v1:0");
    check(model.known() && model.facts.window == 200'000_tokens && model.facts.price->cached == 0.5_per_million);
    check(!condense::find_model("claude-of-mine").known());  // it has the default window, 128,000 tokens

    condense::pipeline const mix{condense::sliding_window{.when = condense::used >= 90_pct}};
    with_family(model.facts.family, [&](auto family) {
        condense::session session{std::vector<chat_message>{}, mix, budget_for(model, 11'000_tokens),
                                  condense::calibrated{.count = condense::estimator_for<decltype(family)>{}}};
        session.set_model(model.facts.name, session.limits());
        for (int turn = 0; turn < 200; ++turn) {
            session.push(chat_message::user("Step " + std::to_string(turn) + ": " + std::string(4'000, 'x')));
            if (session.due()) check(session.prepare().fits());
            session.observe(sent_by(session));
        }
        auto const& learnt = session.estimator().rule;
        check(learnt.seen() > 100 && learnt.ratio() != 65'536);
        check(session.used().source == condense::usage_source::reported);
    });
}
