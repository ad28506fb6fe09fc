// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/estimate/family.hpp>

// The facts of one model: its window, what an answer may have, what tokens cost, how they are counted; and
// the budget that follows: budget_for(find_model("claude-opus-4-5"), 8'000_tokens).

namespace condense {
inline namespace v1 {

/// The window assumed for an unknown model, as in the preset `progressive`.
inline constexpr tokens default_window{128'000};

/// Facts of a model; unknown ones are empty. Texts live as long as the table or catalogue that they come from.
struct model {
    std::string_view name = {};  ///< as its maker writes it
    tokens window = default_window;  ///< request and answer together
    tokens input = {};  ///< what a request may hold, where that is less than what an answer leaves; 0 for no such limit
    tokens output = {};  ///< what an answer may have; 0 where that is not known
    std::optional<prices> price = {};  ///< in dollars, for requests of usual size at the dearest hour; empty if unknown
    model_family family = model_family::other;
    std::string_view tokenizer = {};  ///< of the vocabulary that counts it exactly, where that is published
    v1::cost image = {};  ///< the most that one image costs unless a detail is asked for; 0 where that is not known
    /// For presets::cascade and recommended, which remove old reasoning that a model does not use.
    reasoning_use reasoning = reasoning_use::unknown;

    friend constexpr bool operator==(model const&, model const&) = default;
};

/// How a name was matched.
enum class model_match : std::uint8_t {
    unknown,  ///< no such model is known: the facts are the documented defaults
    exact,  ///< its name, whatever provider stands before it
    alias,  ///< another name that its maker, or a cloud, documents
    snapshot,  ///< its name with a date behind it
};

constexpr std::string_view name(model_match which) noexcept {
    switch (which) {
        case model_match::exact: return "exact";
        case model_match::alias: return "alias";
        case model_match::snapshot: return "snapshot";
        case model_match::unknown: break;
    }
    return "unknown";
}

/// Facts, and how the name was matched.
struct found_model {
    model facts = {};
    model_match match = model_match::unknown;

    constexpr bool known() const noexcept { return match != model_match::unknown; }
    friend constexpr bool operator==(found_model const&, found_model const&) = default;
};

/// The budget of a request to the model. Reserves for the answer the given tokens, or a tenth of the window as in the
/// preset `coding_agent`, at most what the model can return; and at least what its limit of input leaves over.
constexpr budget budget_for(model const& of, tokens overhead = {}, std::optional<tokens> output = {}) noexcept {
    auto reserve = output.value_or(percent{1'000}.of(of.window));
    if (of.output != tokens{} && of.output < reserve) reserve = of.output;
    auto const kept = of.input == tokens{} ? tokens{} : of.window - of.input;
    return {.window = of.window, .output = reserve < kept ? kept : reserve, .overhead = overhead};
}
constexpr budget budget_for(found_model const& of, tokens overhead = {}, std::optional<tokens> output = {}) noexcept {
    return budget_for(of.facts, overhead, output);
}

/// True from 0.00001 dollars a token of input: a cheaper model should do side tasks such as summaries. False
/// without a price.
constexpr bool is_expensive(model const& of, price from = {10'000'000}) noexcept {
    return of.price && of.price->input >= from;
}

}  // namespace v1
}  // namespace condense
