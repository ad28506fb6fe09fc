// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_aware.hpp>

#include <string>
#include <type_traits>

#include "support/catch.hpp"

namespace {

using condense::cost, condense::part_kind, condense::part_view, condense::role, condense::script_aware;
namespace family = condense::family;

static_assert(condense::token_estimator<script_aware<family::gpt>> &&
              condense::token_estimator<script_aware<family::other>>);
static_assert(condense::token_estimator<condense::default_estimator<>> &&
              condense::token_estimator<condense::family_estimator>);
static_assert(std::is_same_v<condense::estimator_for<family::kimi>, script_aware<family::kimi>>);
static_assert(std::is_empty_v<script_aware<family::claude>> && script_aware<family::claude>::deterministic);

/// case-161, case-163
constexpr bool text_that_is_not_empty_costs_a_token() {
    script_aware<family::gpt> const count;
    return count("") == cost{} && count("a") == cost::of({1}) && count(" ") == cost::of({1}) &&
           count("\xFF") == cost::of({1}) && count(std::string_view{"\0", 1}) >= cost::of({1});
}

/// One text of some hundred characters may be off by more than the tenth that holds for many.
template <class Family>
constexpr bool within_fifteen_percent(std::string_view text, std::uint64_t exact) {
    auto const found = script_aware<Family>{}(text).steps;
    auto const wanted = exact * cost::per_token;
    return found * 100 >= wanted * 85 && found * 100 <= wanted * 115;
}

constexpr std::string_view english =
    "Before the reports are sent, each of them is read by two people who did not write it. They look for claims "
    "without figures, for figures without a source, and for sentences that say the same thing twice. What they "
    "find goes back to the author, who has one day to answer. Most reports come through with small changes; a few "
    "are written again from the beginning, and nobody thinks the worse of anyone for that.";
constexpr std::string_view json =
    "{\"id\": 48213, \"name\": \"build-server-07\", \"status\": \"failed\", \"duration_ms\": 83125, \"started\": "
    "\"2026-03-14T09:26:53Z\", \"steps\": [{\"name\": \"configure\", \"code\": 0}, {\"name\": \"compile\", \"code\": "
    "2, "
    "\"message\": \"undefined reference to `parse_header'\"}], \"retries\": 3, \"owner\": \"platform-team\"}";
constexpr std::string_view chinese =
    "\u6587\u7AE0\u5E94\u5F53\u7B80\u660E\u6E05\u695A\uFF0C\u8BA9\u8BFB\u8005\u5F88\u5FEB\u660E\u767D\u4F5C\u8005\u60F3"
    "\u8BF4\u4EC0\u4E48\u3002\u5982\u679C\u4E00\u4E2A\u53E5\u5B50\u592A\u957F\uFF0C\u5C31\u628A\u5B83\u5206\u6210\u4E24"
    "\u4E2A\u3002";

/// Figures of the tokenizers that the weights were fitted to; claude's times 1.10.
constexpr bool tokens_of_exact_tokenizers() {
    return within_fifteen_percent<family::gpt>(english, 86) && within_fifteen_percent<family::claude>(english, 95) &&
           within_fifteen_percent<family::gemini>(english, 86) && within_fifteen_percent<family::other>(english, 86) &&
           within_fifteen_percent<family::gpt>(json, 102) && within_fifteen_percent<family::claude>(json, 110) &&
           within_fifteen_percent<family::gemini>(json, 120) && within_fifteen_percent<family::other>(json, 107) &&
           within_fifteen_percent<family::gpt>(chinese, 31) && within_fifteen_percent<family::claude>(chinese, 42) &&
           within_fifteen_percent<family::gemini>(chinese, 25) && within_fifteen_percent<family::other>(chinese, 25);
}

/// At every byte: a character that is cut off after a vowel neither ends the word nor goes on with it.
template <class Family>
constexpr bool more_text_never_costs_less() {
    constexpr std::string_view text =
        "Caf\u00E9 \u041F\u0440\u0438\u0432\u0435\u0442 \u4F60\u597D 12  x\n\n{} \xC3\xE4\xB8 HTTPServer go\u0101 "
        "ki\u1E01 0o\u1EBF nu\u01B0 a\xE1 si\u4E2D";
    cost last{};
    for (std::size_t size = 0; size <= text.size(); ++size) {
        auto const found = script_aware<Family>{}(text.substr(0, size));
        if (found < last) return false;
        last = found;
    }
    return true;
}
static_assert(more_text_never_costs_less<family::gpt>());  // each by itself, for the steps that clang allows
static_assert(more_text_never_costs_less<family::other>());

constexpr bool frames_are_those_of_the_family() {
    part_view call;
    call.kind = part_kind::tool_call;
    call.tool = "read_file";
    script_aware<family::claude> const count;
    return count.frame(role::user) == cost::of({2}) && script_aware<family::gpt>{}.frame(role::user) == cost::of({4}) &&
           count.frame(call) == count("read_file");
}

template <class Family>
constexpr bool is_of_family(std::string_view model) {
    condense::family_estimator const found{condense::family_of(model)};
    script_aware<Family> const wanted;
    part_view call;
    call.kind = part_kind::tool_call;
    call.tool = "read_file";
    return found(chinese) == wanted(chinese) && found(json) == wanted(json) &&
           found.frame(role::user) == wanted.frame(role::user) && found.frame(call) == wanted.frame(call);
}

constexpr bool families_may_be_known_late() {
    return is_of_family<family::claude>("claude-sonnet-4-5") &&
           is_of_family<family::claude_4_7>("anthropic/claude-opus-4-7") && is_of_family<family::gpt>("gpt-4o") &&
           is_of_family<family::gemini>("gemini-2.5-flash") && is_of_family<family::kimi>("kimi-k2") &&
           is_of_family<family::other>("") &&
           condense::family_estimator{}(json) == condense::default_estimator<>{}(json) &&
           !(condense::family_estimator{condense::model_family::gpt} == condense::family_estimator{});
}

static_assert(text_that_is_not_empty_costs_a_token() && tokens_of_exact_tokenizers() &&
              frames_are_those_of_the_family() && families_may_be_known_late());

}  // namespace

TEST_CASE("texts cost about what tokenizers say", "[estimate]") {
    REQUIRE(tokens_of_exact_tokenizers());
    auto const all = script_aware<family::gpt>{}(english);
    REQUIRE(all == script_aware<family::kimi>{}(english));
    REQUIRE(all < script_aware<family::claude>{}(english));
    REQUIRE(script_aware<family::claude>{}(english) < script_aware<family::claude_4_7>{}(english));
}

TEST_CASE("more text never costs less", "[estimate]") {
    CHECK(more_text_never_costs_less<family::gpt>());
    CHECK(more_text_never_costs_less<family::claude>());
    CHECK(more_text_never_costs_less<family::claude_4_7>());
    CHECK(more_text_never_costs_less<family::gemini>());
    CHECK(more_text_never_costs_less<family::kimi>());
    CHECK(more_text_never_costs_less<family::other>());
}

TEST_CASE("no text costs more tokens than it has bytes", "[estimate]") {
    for (std::size_t const size : {1u, 2u, 3u, 200u, 5'000u})
        for (int byte = 0; byte < 256; ++byte) {
            std::string const text(size, static_cast<char>(byte));
            CAPTURE(size, byte);
            CHECK(script_aware<family::other>{}(text).tokens().count <= size);
            CHECK(script_aware<family::claude_4_7>{}(text).tokens().count <= size);
        }
}

TEST_CASE("a run of one thing for megabytes costs in proportion", "[estimate]") {
    script_aware<family::gpt> const count;
    for (std::string_view const unit : {"a", " ", "\n", "7", "-", "\xFF", "\x80", "\u4E2D", "\U0001F600", "Ab1+"}) {
        std::string text;
        for (int each = 0; each < 100'000; ++each) text += unit;
        auto const once = count(text).steps;
        auto const twice = count(text + text).steps;
        INFO("unit " << static_cast<unsigned>(static_cast<unsigned char>(unit[0])));
        REQUIRE(once <= twice);
        // What begins a run costs once, and what comes before base64 is seen.
        REQUIRE(twice <= 2 * once + 64 * cost::per_token);
        REQUIRE(count(text).tokens().count <= text.size() * 4);
    }
}
