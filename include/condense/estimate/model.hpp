// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/estimate/family.hpp>

// The facts of one model: its window, limits of request and answer, prices and tokenizer; and the budget that follows
// from them: budget_for(find_model("claude-opus-4-5"), 8'000_tokens).

namespace condense {
inline namespace v1 {

/// The window assumed for an unknown model, as in the preset `progressive`.
inline constexpr tokens default_window{128'000};

/// Facts of a model; unknown ones are empty. The string views live as long as the table or catalogue they come from.
struct model {
    std::string_view name = {};  ///< as its maker writes it
    tokens window = default_window;  ///< request and answer together
    tokens input = {};  ///< limit of a request, if it is less than the window without the answer; 0 for none
    tokens output = {};  ///< limit of an answer; 0 if unknown
    std::optional<prices> price = {};  ///< in dollars, for requests of usual size at the dearest hour; empty if unknown
    model_family family = model_family::other;
    std::string_view tokenizer = {};  ///< name of the vocabulary that counts it exactly, if one is published
    v1::cost image = {};  ///< the most that one image costs at the provider's default detail; 0 if unknown
    /// Whether the model accepts its earlier reasoning. presets::cascade and recommended remove what it does not use.
    reasoning_use reasoning = reasoning_use::unknown;
    /// Whether it refuses reasoning behind a change; an unknown one is taken to. For run_options::bound.
    bound_parts bound = bound_parts::leave;
    reasoning_wanted wanted = reasoning_wanted::all;  ///< which reasoning has to come back; for old_reasoning
    v1::images images = {detail::u64_limit};  ///< most images or pages of a request; without a known limit the largest
    v1::bytes bytes = {detail::u64_limit};  ///< most bytes of texts and media of a request, likewise
    tokens cache_least = {};  ///< the shortest prefix that the provider's prompt cache holds; 0 if unknown

    friend constexpr bool operator==(model const&, model const&) = default;
};

/// How a name was matched.
enum class model_match : std::uint8_t {
    unknown,  ///< no entry: the facts are the documented defaults
    exact,  ///< by its name, with or without a provider before it
    alias,  ///< by another name that its maker or a cloud documents
    snapshot,  ///< by its name with a date behind it
};

/// The name of the enumerator.
constexpr std::string_view name(model_match which) noexcept {
    switch (which) {
        case model_match::exact: return "exact";
        case model_match::alias: return "alias";
        case model_match::snapshot: return "snapshot";
        case model_match::unknown: break;
    }
    return "unknown";
}

/// The result of a look-up: facts, and how the name was matched.
struct found_model {
    model facts = {};
    model_match match = model_match::unknown;

    constexpr bool known() const noexcept { return match != model_match::unknown; }
    friend constexpr bool operator==(found_model const&, found_model const&) = default;
};

/// The budget of a request to the model. The reserve for the answer is `output`, or a tenth of the window as in the
/// preset `coding_agent`, capped by the model's limit of an answer. If the model limits its input, the reserve is
/// raised so that window minus reserve stays within that limit, even beyond what an answer may have.
constexpr budget budget_for(model const& of, tokens overhead = {}, std::optional<tokens> output = {}) noexcept {
    auto reserve = output.value_or(percent{1'000}.of(of.window));
    if (of.output != tokens{} && of.output < reserve) reserve = of.output;
    auto const least = of.input == tokens{} ? tokens{} : of.window - of.input;
    return {.window = of.window,
            .output = reserve < least ? least : reserve,
            .overhead = overhead,
            .images = of.images,
            .bytes = of.bytes};
}
/// As above, for the result of find_model.
constexpr budget budget_for(found_model const& of, tokens overhead = {}, std::optional<tokens> output = {}) noexcept {
    return budget_for(of.facts, overhead, output);
}

/// True if a million tokens of input cost at least `from`, 10 dollars unless said otherwise: a cheaper model should do
/// side tasks such as summaries. False without a price.
constexpr bool is_expensive(model const& of, price from = {10'000'000}) noexcept {
    return of.price && of.price->input >= from;
}

}  // namespace v1
}  // namespace condense
