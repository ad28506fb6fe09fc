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
        for (auto const& each : model_table) found += each.name == alias.of ? 1 : 0;
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
