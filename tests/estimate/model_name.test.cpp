// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/model_name.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::bare;
using condense::detail::date_behind;
using condense::detail::same_name;

constexpr bool is(std::string_view given, std::string_view name, bool listed = true) {
    auto const found = bare(given);
    return found.name == name && found.listed == listed;
}

constexpr bool what_providers_add_is_taken_off() {
    return is("gpt-4o", "gpt-4o") && is("", "") && is("anthropic/claude-opus-4-5", "claude-opus-4-5") &&
           is("openrouter/anthropic/claude-opus-4.5", "claude-opus-4.5") && is("OpenAI/gpt-4o", "gpt-4o") &&
           is("publishers/google/models/gemini-2.5-pro", "gemini-2.5-pro") &&
           is("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929") &&
           is("anthropic.claude-opus-4-6-v1", "claude-opus-4-6") &&
           is("us-gov.anthropic.claude-opus-5", "claude-opus-5") &&
           is("bedrock/eu.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5-20251101") &&
           is("openai.gpt-oss-120b-1:0", "gpt-oss-120b") &&
           is("mistral.mistral-large-2407-v1:0", "mistral-large-2407") &&
           is("claude-opus-4-5@20251101", "claude-opus-4-5") && is("vertex_ai/claude-opus-5@default", "claude-opus-5");
}
static_assert(what_providers_add_is_taken_off());

constexpr bool nothing_else_is() {
    return is("someone/gpt-4o", "gpt-4o", false) && is("/gpt-4o", "gpt-4o", false) && is("gpt-4o/", "", false) &&
           is("xx.anthropic.claude-opus-5", "xx.anthropic.claude-opus-5") &&
           is("us.someone.gpt-4o", "us.someone.gpt-4o") && is("gpt-4.1", "gpt-4.1") &&
           is("claude-opus-4-5@2025", "claude-opus-4-5@2025") && is("claude-v1", "claude-v1") &&
           is("anthropic.claude-3-sonnet-20240229-v1:0:28k", "claude-3-sonnet-20240229-v1:0:28k") &&
           is("anthropic.claude-2-v", "claude-2-v");
}
static_assert(nothing_else_is());

constexpr bool a_dot_between_digits_is_a_hyphen() {
    return same_name("claude-opus-4.5", "claude-opus-4-5") && same_name("GPT-4O", "gpt-4o") && same_name("", "") &&
           !same_name("gpt-4o", "gpt-4o-") && !same_name("gpt.4o", "gpt-4o") && !same_name("a.b", "a-b") &&
           !same_name("1.", "1-");
}
static_assert(a_dot_between_digits_is_a_hyphen());

constexpr bool dates_are_real_ones() {
    return date_behind("claude-opus-4-5-20251101") == "-20251101" &&
           date_behind("gpt-4o-2024-05-13") == "-2024-05-13" && date_behind("gpt-4o") == "" &&
           date_behind("x-20251301") == "" && date_behind("x-20250032") == "" && date_behind("x-19991231") == "" &&
           date_behind("x-2024-5-13") == "" && date_behind("gpt-4-0613") == "" && date_behind("-20251101") == "" &&
           date_behind("x20251101") == "";
}
static_assert(dates_are_real_ones());

}  // namespace

TEST_CASE("model_name: what is around a name") {
    CHECK(what_providers_add_is_taken_off());
    CHECK(nothing_else_is());
    CHECK(a_dot_between_digits_is_a_hyphen());
    CHECK(dates_are_real_ones());
}

TEST_CASE("model_name: hostile names cost what they are long") {
    for (std::string const piece : {"/", ".", "-", "@", ":", "9", "anthropic/", "us.", "\xFF", "a"}) {
        std::string name;
        while (name.size() < 1'000'000) name += piece;
        name[name.size() / 2] = 0;
        CHECK(bare(name).name.size() <= name.size());
        CHECK(same_name(name, name));
        static_cast<void>(date_behind(name));
    }
}
