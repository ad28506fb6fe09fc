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

/// The window of a model of which nothing is known, row V8.
inline constexpr tokens default_window{128'000};

/// What is known of a model; what is not is empty. Texts live as long as what they were found in.
struct model {
    std::string_view name = {};  ///< as its maker writes it
    tokens window = default_window;  ///< request and answer together
    tokens input = {};  ///< what a request may hold, where that is less than what an answer leaves; 0 for no such limit
    tokens output = {};  ///< what an answer may have; 0 where that is not known
    std::optional<prices> price =
        {};  ///< in dollars, for requests of usual size at the dearest hour; a missing one is no error (P7)
    model_family family = model_family::other;
    std::string_view tokenizer = {};  ///< of the vocabulary that counts it exactly, where that is published
    v1::cost image = {};  ///< the most that one image costs unless a detail is asked for; 0 where that is not known
    reasoning_use reasoning = reasoning_use::unknown;  ///< for presets::cascade and recommended; row C12

    friend constexpr bool operator==(model const&, model const&) = default;
};

/// How a name has led to facts.
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

/// Facts, and whether they are of the model that was asked for.
struct found_model {
    model facts = {};
    model_match match = model_match::unknown;

    constexpr bool known() const noexcept { return match != model_match::unknown; }
    friend constexpr bool operator==(found_model const&, found_model const&) = default;
};

/// What a request to the model may hold. Kept free for the answer: what is asked for, or a tenth of the window
/// (D3), in neither case more than the model gives; and always what its limit of input leaves over.
constexpr budget budget_for(model const& of, tokens overhead = {}, std::optional<tokens> output = {}) noexcept {
    auto reserve = output.value_or(percent{1'000}.of(of.window));
    if (of.output != tokens{} && of.output < reserve) reserve = of.output;
    auto const kept = of.input == tokens{} ? tokens{} : of.window - of.input;
    return {.window = of.window, .output = reserve < kept ? kept : reserve, .overhead = overhead};
}
constexpr budget budget_for(found_model const& of, tokens overhead = {}, std::optional<tokens> output = {}) noexcept {
    return budget_for(of.facts, overhead, output);
}

/// Its tokens cost so much that a cheaper model should do what it need not do itself; one without a price does
/// not. Row P7: 0.00001 a token.
constexpr bool is_expensive(model const& of, price from = {10'000'000}) noexcept {
    return of.price && of.price->input >= from;
}

}  // namespace v1
}  // namespace condense
