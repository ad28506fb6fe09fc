// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/adapt/json.hpp>
#include <condense/core/pipeline.hpp>
#include <condense/layer/compress.hpp>

#include "support/catch.hpp"
#include "support/fakes.hpp"

// What tests of shorteners share that look at the whole conversation: runs over chat
// messages and over the same as JSON, each done twice.

namespace around {

using namespace condense::literals;
using namespace notation;

auto mix_of(auto const& shorten) {
    return condense::pipeline{condense::compress{.when = condense::always, .with = shorten}};
}

inline constexpr condense::budget roomy{.window = {100'000'000}};

/// The conversation after a run, where a second one has changed nothing.
template <class Messages, class... Layers>
Messages settled(Messages messages, condense::pipeline<Layers...> const& mix) {
    static_cast<void>(condense::reduce(messages, mix, roomy, per_byte{}));
    auto again = messages;
    auto const second = condense::reduce(again, mix, roomy, per_byte{});
    CHECK(again == messages);
    CHECK_FALSE(second.changed());
    return messages;
}

/// In OpenAI chat shape.
inline std::vector<nlohmann::ordered_json> as_json(conversation const& messages) {
    std::vector<nlohmann::ordered_json> out;
    for (auto const& m : messages) {
        nlohmann::ordered_json made{{"role", std::string{condense::name(m.role)}}, {"content", ""}};
        for (auto const& part : m.parts) {
            if (part.kind == part_kind::tool_call)
                made["tool_calls"].push_back({{"id", part.call},
                                              {"type", "function"},
                                              {"function", {{"name", part.tool}, {"arguments", part.text}}}});
            else if (part.kind == part_kind::reasoning) made["reasoning_content"] = part.text;
            else made["content"] = part.text;
            if (part.kind == part_kind::tool_result) made["tool_call_id"] = part.call;
        }
        out.push_back(std::move(made));
    }
    return out;
}

/// '1' for each result that is as it was, '0' for one that is not.
std::string kept(conversation const& messages, auto const& shorten) {
    auto const before = texts(messages);
    auto const after = texts(settled(messages, mix_of(shorten)));
    REQUIRE(before.size() == after.size());
    std::string out;
    for (std::size_t at = 0; at < before.size(); ++at) out.push_back(before[at] == after[at] ? '1' : '0');
    return out;
}
/// Likewise, where JSON that says as much has to be left with the same texts.
std::string kept_in_both(conversation const& messages, auto const& shorten) {
    auto const left = texts(settled(messages, mix_of(shorten)));
    CHECK(texts(settled(as_json(messages), mix_of(shorten))) == left);
    return kept(messages, shorten);
}

}  // namespace around
