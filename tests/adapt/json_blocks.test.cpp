// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_blocks.hpp>

#include <algorithm>

#include "support/catch.hpp"

namespace {

namespace detail = condense::detail;
using condense::json_shape, condense::json_shape_named;
using detail::shape_set;

bool words_are_unique(auto const& rows) {
    return std::all_of(rows.begin(), rows.end(), [&](auto const& row) {
        return std::count_if(rows.begin(), rows.end(), [&](auto const& each) { return each.word == row.word; }) == 1;
    });
}

}  // namespace

TEST_CASE("json_blocks: a shape is found by its name", "[adapt][json]") {
    for (std::size_t index = 0; index < condense::json_shape_count; ++index) {
        auto const shape = static_cast<json_shape>(index);
        CHECK(json_shape_named(name(shape)) == shape);
    }
    CHECK_FALSE(json_shape_named("").has_value());
    CHECK_FALSE(json_shape_named("Gemini").has_value());
    CHECK(name(static_cast<json_shape>(200)) == "unknown");
}

TEST_CASE("json_blocks: sets of shapes", "[adapt][json]") {
    auto const two = shape_set::of(json_shape::gemini, json_shape::bedrock);
    CHECK((two.contains(json_shape::gemini) && !two.contains(json_shape::openai) && two.size() == 2));
    CHECK((two & shape_set::of(json_shape::bedrock, json_shape::mcp)) == shape_set::of(json_shape::bedrock));
    CHECK((two & shape_set::all()) == two);
    CHECK(shape_set::all().size() == condense::json_shape_count);
    CHECK(shape_set{}.size() == 0);
}

TEST_CASE("json_blocks: a word is in one row of a table", "[adapt][json]") {
    CHECK(words_are_unique(detail::typed_rows));
    CHECK(words_are_unique(detail::keyed_rows));
    CHECK(words_are_unique(detail::item_rows));
    REQUIRE(detail::row_of(detail::keyed_rows, "toolUse") != nullptr);
    CHECK(detail::row_of(detail::keyed_rows, "toolUse")->use == detail::block_use::call);
    CHECK(detail::row_of(detail::keyed_rows, "tooluse") == nullptr);
}
