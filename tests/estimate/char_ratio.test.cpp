// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/char_ratio.hpp>

#include <array>
#include <initializer_list>
#include <limits>
#include <string>

#include "support/catch.hpp"

namespace {

using condense::char_ratio, condense::chars_per_token, condense::cost, condense::part_kind, condense::part_view,
    condense::role;
namespace family = condense::family;

static_assert(condense::token_estimator<chars_per_token> && condense::token_estimator<char_ratio<family::gpt>>);

constexpr std::string_view ascii =
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";

constexpr bool ratios_are_those_of_their_row() {
    auto const text = ascii.substr(0, 84);
    return char_ratio<family::claude>{}(ascii.substr(0, 74)) == cost::of({20}) &&
           char_ratio<family::claude_4_7>{}(ascii.substr(0, 56)) == cost::of({20}) &&
           char_ratio<family::gpt>{}(ascii.substr(0, 80)) == cost::of({20}) &&
           char_ratio<family::kimi>{}(ascii.substr(0, 76)) == cost::of({20}) &&
           char_ratio<family::gemini>{}(text) == cost::of({20}) &&
           char_ratio<family::other>{}(ascii.substr(0, 74)) == cost::of({20});
}

constexpr bool parts_of_tokens_are_kept_and_rounded_upward() {
    chars_per_token const count{37};
    // 10 characters are 2.7027 tokens: 692 steps of 1/256, rounded upward.
    return count(ascii.substr(0, 10)).steps == 692 && count(ascii.substr(0, 10)).tokens().count == 3;
}

/// case-161, case-163
constexpr bool text_that_is_not_empty_costs_a_token() {
    chars_per_token const count{37};
    return count("") == cost{} && count("a") == cost::of({1}) && count("abc") == cost::of({1}) &&
           count("\xFF") == cost::of({1}) && count("\xF0\x9F\x98\x80") == cost::of({1}) &&
           count(ascii.substr(0, 4)) > cost::of({1});
}

constexpr bool characters_are_code_points() {
    chars_per_token const count{10};
    return count("\xE2\x82\xAC\xE2\x82\xAC") == cost::of({2}) && count("ab") == cost::of({2});
}

constexpr bool messages_and_calls_have_frames() {
    chars_per_token const count{10, {7}};
    return count.frame(role::user) == cost::of({7}) &&
           char_ratio<family::claude>{}.frame(role::tool) == cost::of({2}) &&
           char_ratio<family::gpt>{}.frame(role::user) == cost::of({4}) &&
           count.frame(part_view{.kind = part_kind::tool_call, .tool = "read", .call = "id"}) == cost::of({6}) &&
           // A result sends its id, not the tool's name.
           count.frame(part_view{.kind = part_kind::tool_result, .tool = "read", .call = "id"}) == cost::of({2}) &&
           count.frame(part_view{.text = "text", .tool = "read", .call = "id"}) == cost{};
}

constexpr bool figures_of_any_size_are_harmless() {
    for (auto const tenths : {0u, 1u, std::uint32_t{1} << 31, std::numeric_limits<std::uint32_t>::max()}) {
        chars_per_token const count{tenths};
        if (count(ascii) < cost::of({1}) || count(ascii) > cost::of({1'000})) return false;
    }
    for (auto const tokens : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
                              std::numeric_limits<std::uint64_t>::max()})
        if (chars_per_token{37, {tokens}}.frame(role::user) != cost::of({tokens})) return false;
    return true;
}

static_assert(chars_per_token{37} == chars_per_token{37} && chars_per_token{37} != chars_per_token{40});

}  // namespace

TEST_CASE("char_ratio: ratios, roundings and frames") {
    CHECK_TWICE(ratios_are_those_of_their_row());
    CHECK_TWICE(parts_of_tokens_are_kept_and_rounded_upward());
    CHECK_TWICE(text_that_is_not_empty_costs_a_token());
    CHECK_TWICE(characters_are_code_points());
    CHECK_TWICE(messages_and_calls_have_frames());
    CHECK_TWICE(figures_of_any_size_are_harmless());
}

TEST_CASE("char_ratio: long texts [case-160]") {
    CHECK(char_ratio<family::kimi>{}(std::string(380, 'x')).tokens().count == 100);
    CHECK(char_ratio<family::kimi>{}(std::string(3'800, 'x')).tokens().count == 1'000);
    CHECK(char_ratio<family::claude>{}(std::string(1'000'000, 'x')).tokens().count == 270'271);
}

TEST_CASE("char_ratio: never falls when anything is appended") {
    constexpr std::array<std::string_view, 9> pieces = {
        "a", " ", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x80", "\xE2\x82", "\xF0\x9F", "\xFF"};
    char_ratio<family::claude> const count;
    std::uint64_t state = 11;
    for (int round = 0; round < 300; ++round) {
        std::string text;
        auto last = count(text);
        for (int piece = 0; piece < 40; ++piece) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            for (char const byte : pieces[(state >> 33) % pieces.size()]) {
                text.push_back(byte);
                auto const now = count(text);
                REQUIRE(now >= last);
                last = now;
            }
        }
    }
}
