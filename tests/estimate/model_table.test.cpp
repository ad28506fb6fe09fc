// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/model_table.hpp>

#include <string_view>

#include "support/catch.hpp"

using namespace condense::literals;
using condense::detail::model_aliases;
using condense::detail::model_table;
using condense::detail::same_name;

TEST_CASE("model_table: every row holds together") {
    for (auto const& each : model_table) {
        CAPTURE(each.name);
        CHECK(each.window >= 8'000_tokens);
        CHECK(each.window <= 10'000'000_tokens);
        CHECK(each.output <= each.window);
        CHECK((each.input == 0_tokens || (each.input < each.window && each.window - each.input <= each.output)));
        CHECK(each.image <= condense::cost::of(10'000_tokens));
        CHECK(condense::detail::bare(each.name).name == each.name);
        if (!each.price) continue;
        CHECK(each.price->cached <= each.price->input);
        CHECK(each.price->written >= each.price->input);
        CHECK(each.price->output >= each.price->input);
        CHECK(each.price->input > condense::price{});
    }
}

TEST_CASE("model_table: a name is there once") {
    for (auto const& each : model_table) {
        int found = 0;
        for (auto const& other : model_table) found += same_name(each.name, other.name) ? 1 : 0;
        for (auto const& alias : model_aliases) found += same_name(each.name, alias.name) ? 1 : 0;
        CAPTURE(each.name);
        CHECK(found == 1);
    }
    for (auto const& alias : model_aliases) {
        int found = 0;
        int same = 0;
        for (auto const& each : model_table) found += each.name == alias.target ? 1 : 0;
        for (auto const& other : model_aliases) same += same_name(alias.name, other.name) ? 1 : 0;
        CAPTURE(alias.name);
        CHECK(found == 1);
        CHECK(same == 1);
    }
}

TEST_CASE("model_table: the families are there") {
    bool seen[6] = {};
    for (auto const& each : model_table) seen[static_cast<int>(each.family)] = true;
    for (bool const one : seen) CHECK(one);
}

TEST_CASE("model_table: whether a model takes its reasoning back is known of those that never reason or always may",
          "[row-C12]") {
    using condense::reasoning_use;
    auto const of = [](std::string_view name) {
        for (auto const& each : model_table)
            if (each.name == name) return each.reasoning;
        FAIL(name);
        return reasoning_use::unknown;
    };
    for (std::string_view const name :
         {"claude-opus-4-5", "claude-sonnet-5-5", "claude-3-7-sonnet", "gpt-5", "gpt-6.1-sol", "gpt-oss-20b", "o1",
          "o3-mini", "gemini-2.5-flash-lite", "gemini-3-pro-preview", "kimi-k2-thinking", "deepseek-reasoner"}) {
        CAPTURE(name);
        CHECK(of(name) == reasoning_use::takes_back);
    }
    for (std::string_view const name :
         {"claude-3-5-sonnet", "claude-3-haiku", "gpt-4o", "gpt-4o-2024-05-13", "gpt-4.1-mini", "gpt-4-turbo",
          "gpt-3.5-turbo", "gemini-1.5-pro", "gemini-2.0-flash", "gemma-3-27b-it", "llama-3.3-70b-instruct",
          "kimi-k2-0905-preview"}) {
        CAPTURE(name);
        CHECK(of(name) == reasoning_use::none);
    }
    for (std::string_view const name :
         {"gpt-5-chat-latest", "gemma-4-31b-it", "deepseek-chat", "qwen-plus", "mistral-large-2512", "kimi-k3"}) {
        CAPTURE(name);
        CHECK(of(name) == reasoning_use::unknown);
    }
}
