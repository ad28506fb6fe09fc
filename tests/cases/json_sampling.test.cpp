// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: what sampling makes of JSON.

#include <nlohmann/json.hpp>

#include <condense/shorten/json_sample.hpp>

#include "cases/runs.hpp"

namespace {

using namespace cases;
using condense::json_sample;

std::string sampled(json_sample const& shorten, std::string_view text) {
    shorten.validate();
    return shorten({.kind = part_kind::tool_result, .text = text}, {}).value_or("");
}

/// So much of a list as there is room for, in place of the rows that differ.
json_sample first(std::uint64_t items) { return {.items = items, .last = 0, .outliers = 0}; }

/// White space, so that what is left with its marker is smaller.
std::string spread(std::string text) {
    for (auto at = text.find(','); at != std::string::npos; at = text.find(',', at + 61)) text.insert(at, 60, ' ');
    return text;
}

TEST_CASE("of too long a list the first elements stay", "[case-41]") {
    auto const text = spread("[1,2,3,4,5]");
    CHECK(sampled(first(2), text) ==
          R"([1,2,"[... 3 of 5 items omitted from )" + std::to_string(text.size()) + R"( bytes ...]"])");
}

TEST_CASE("containers at the limit are left alone", "[case-43]") {
    CHECK(sampled({.keys = 3}, spread(R"({"a":1,"b":2,"c":3})")).empty());
    CHECK(sampled(first(3), spread("[1,2,3]")).empty());
    for (auto const* const text : {"[]", "{}", " [ ] ", " { } "}) CHECK(sampled({}, text).empty());
}

TEST_CASE("members that are null go where that is wanted, elements do not", "[case-45]") {
    CHECK(sampled({.drop_null = true}, R"({"a": null, "b": 1})") == R"({"b":1})");
    CHECK(sampled({}, R"({"a": null, "b": 1})").empty());
    auto shorten = first(3);
    shorten.drop_null = true;
    auto const out = sampled(shorten, spread("[1,null,3,4,5]"));
    CHECK(out.starts_with(R"([1,null,3,"[... 2 of 5 items omitted from )"));
}

TEST_CASE("scalars are left alone", "[case-46]") {
    for (auto const* const text : {"1", "-2.50", "true", "false", "null", " 7 ", "\"text\""})
        CHECK(sampled({}, text).empty());
    std::string const text = spread("[1,2,3,4,5,6,7]");
    auto const before = text;
    CHECK_FALSE(sampled(first(2), text).empty());
    CHECK(text == before);
}

std::string object_of(std::size_t keys, std::size_t chars) {
    nlohmann::ordered_json made;
    for (std::size_t key = 0; key < keys; ++key) made["key" + std::to_string(key)] = std::string(chars, 'v');
    return made.dump();
}

TEST_CASE("of a large object three keys stay, with the beginnings of their values", "[case-48]") {
    auto const left =
        cases::after({U(), C("1"), R("1", object_of(10, 250)), A()},
                     compress{.when = always, .protect = nothing, .over = condense::chars{100}, .with = json_sample{}});
    // The layer's limit leaves no room for a sample, so the shortener is asked alone.
    CHECK(nlohmann::json::parse(text_of(left[2])).size() <= 4);
    auto const out = nlohmann::ordered_json::parse(sampled({}, object_of(10, 250)));
    REQUIRE(out.size() == 4);
    for (auto const* const key : {"key0", "key1", "key2"})
        CHECK(out[key] == std::string(100, 'v') + " [... 150 of 250 characters omitted ...]");
    CHECK(out["[...]"].get<std::string>().starts_with("[... 7 of 10 keys omitted from "));
}

TEST_CASE("a sample is JSON, and states the size that there was", "[case-50]") {
    for (std::size_t const keys : {5u, 50u, 500u}) {
        auto const text = object_of(keys, 200);
        auto const out = sampled({}, text);
        REQUIRE(nlohmann::json::accept(out));
        CHECK(out.find(" from " + condense::detail::grouped(text.size()) + " bytes") != std::string::npos);
        CHECK(out.size() < text.size());
        CHECK(sampled({}, out).empty());
    }
}

TEST_CASE("members that are null do not take the place of others", "[case-178]") {
    CHECK(sampled({.keys = 2, .drop_null = true}, R"({"a": null, "b": null, "c": 1, "d": 2})") == R"({"c":1,"d":2})");
}

TEST_CASE("of a log the ends and the row with the error stay", "[case-T42]") {
    auto rows = nlohmann::ordered_json::array();
    for (int row = 1; row <= 100; ++row)
        rows.push_back(
            {{"time", "2024-05-01T10:" + std::to_string(10 + row / 2) + ":00Z"},
             {"level", row == 67      ? "ERROR"
                       : row % 7 == 0 ? "DEBUG"
                                      : "INFO"},
             {"id", 4'000 + row * 37},
             {"message", row == 67 ? "connection refused by 10.0.0.7"
                                   : "request " + std::to_string(row * 7919 % 1'000) + " served from the cache"},
             {"millis", 20 + row * 31 % 60}});
    auto const text = rows.dump();
    auto const out = sampled({}, text);
    auto const left = nlohmann::ordered_json::parse(out);
    REQUIRE(left.size() <= 16);
    CHECK(out.size() * 8 <= text.size());
    for (std::size_t const row : {0u, 1u, 2u}) CHECK(left[row] == rows[row]);
    CHECK(left[left.size() - 2] == rows[98]);
    CHECK(left[left.size() - 1] == rows[99]);
    CHECK(occurrences(out, rows[66].dump()) == 1u);
    CHECK(left[3] == "[... " + std::to_string(100 - (left.size() - 1)) + " of 100 items omitted from " +
                         condense::detail::grouped(text.size()) + " bytes ...]");
}

}  // namespace
