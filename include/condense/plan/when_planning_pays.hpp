// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/core/quantity.hpp>

// Whether a request is worth a plan: by the sizes of its artifacts, by the room, and by the price of the model.

namespace condense {
inline namespace v1 {

/// What the decision is made from.
struct planning_facts {
    std::uint64_t artifacts = 0;
    bool historical = false;  ///< some artifact is of an earlier turn
    chars total = {};  ///< of all artifacts
    chars largest = {};
    tokens request = {};  ///< of the whole request with all artifacts in it
    tokens input = {};  ///< what may be used: the window less the room for the answer
    std::optional<price> input_price = {};  ///< of the model that reads the request; nothing if unknown
};

/// Why planning pays, or not.
enum class planning_reason : std::uint8_t {
    no_artifacts,
    historical,
    little,
    fits,  ///< with room to spare, and the model is known to be cheap
    near_limit,
    expensive,
    large_artifact,
    no_reason,  ///< no rule applies, so it does not pay
};

constexpr std::string_view name(planning_reason why) noexcept {
    switch (why) {
        case planning_reason::no_artifacts: return "there are no artifacts";
        case planning_reason::historical: return "there are artifacts of earlier turns";
        case planning_reason::little: return "the artifacts are small";
        case planning_reason::fits: return "all fits with room to spare";
        case planning_reason::near_limit: return "the request is near its limit";
        case planning_reason::expensive: return "the model is expensive";
        case planning_reason::large_artifact: return "an artifact is large";
        case planning_reason::no_reason: break;
    }
    return "nothing speaks for it";
}

/// The first rule that applies decides, in the order of `planning_reason`; so a large artifact decides where the price
/// of the model is unknown. The sizes and the price are those of the system that this follows: 5,000 and 10,000
/// characters, 30 %, 0.00001 dollars for a token.
struct when_planning_pays {
    chars least = {5'000};  ///< artifacts below that together are not planned
    chars large = {10'000};  ///< an artifact above that is planned
    percent spare = {3'000};  ///< of the input, which a request leaves that fits with room to spare
    price expensive = {10'000'000};  ///< from this price of a million input tokens on
    bool historical = true;  ///< artifacts of earlier turns are planned

    constexpr planning_reason reason(planning_facts const& facts) const noexcept {
        if (facts.artifacts == 0) return planning_reason::no_artifacts;
        if (historical && facts.historical) return planning_reason::historical;
        if (facts.total < least) return planning_reason::little;
        bool const is_near = facts.request > facts.input - spare.of(facts.input);
        if (!is_near && facts.input_price && *facts.input_price < expensive) return planning_reason::fits;
        if (is_near) return planning_reason::near_limit;
        if (facts.input_price) return planning_reason::expensive;
        return facts.largest > large ? planning_reason::large_artifact : planning_reason::no_reason;
    }
    constexpr bool operator()(planning_facts const& facts) const noexcept {
        auto const why = reason(facts);
        return why == planning_reason::historical || why == planning_reason::near_limit ||
               why == planning_reason::expensive || why == planning_reason::large_artifact;
    }

    friend constexpr bool operator==(when_planning_pays const&, when_planning_pays const&) = default;
};

}  // namespace v1
}  // namespace condense
