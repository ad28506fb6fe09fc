// SPDX-License-Identifier: BSL-1.0
#include <condense/core/statistics.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::layer_outcome;
using condense::layer_report;
using condense::layer_statistics;

constexpr bool sums_are_those_of_the_entries() {
    layer_statistics all;
    all.add({.name = "offload", .outcome = layer_outcome::applied, .saved = {30}, .restored = {2}, .groups_dropped = 3,
             .parts_shortened = 4, .artifacts = 5, .failures = 1, .asked = 6, .note = "one store failed"});
    all.add({.name = "offload", .outcome = layer_outcome::applied, .saved = {12}, .restored = {1}, .groups_dropped = 1,
             .parts_shortened = 1, .artifacts = 2, .asked = 1});
    return all.name == "offload" && all.saved.count == 42 && all.restored.count == 3 && all.groups_dropped == 4 &&
           all.parts_shortened == 5 && all.artifacts == 7 && all.latest_artifacts == 2 && all.failures == 1 &&
           all.asked == 7 && all.events == 2 && std::string_view{all.failure} == "one store failed";
}
static_assert(sums_are_those_of_the_entries());

/// What saved or kept something is an event; what failed, declined or had nothing to do is none.
constexpr bool only_what_was_done_is_an_event() {
    layer_statistics all;
    all.add({.outcome = layer_outcome::failed, .failures = 1, .note = "no space"});
    all.add({.outcome = layer_outcome::declined, .note = "not smaller"});
    all.add({.outcome = layer_outcome::idle});
    bool const none = all.events == 0 && all.latest_artifacts == 0 && all.failures == 1;
    all.add({.outcome = layer_outcome::idle, .artifacts = 3});  // a journal
    all.add({.outcome = layer_outcome::failed, .failures = 2});
    return none && all.events == 1 && all.artifacts == 3 && all.latest_artifacts == 3 && all.failures == 3;
}
static_assert(only_what_was_done_is_an_event());

constexpr bool every_layer_has_its_own_sums() {
    condense::statistics<2> all;
    std::array<layer_report, 2> entries;
    entries[0].saved = {7};
    entries[1].saved = {5};
    all.add(entries);
    all.add(entries);
    return all.layers[0].saved.count == 14 && all.layers[1].saved.count == 10 && all.saved().count == 24;
}
static_assert(every_layer_has_its_own_sums());

}  // namespace

TEST_CASE("statistics: the sums of each layer") {
    CHECK(sums_are_those_of_the_entries());
    CHECK(only_what_was_done_is_an_event());
    CHECK(every_layer_has_its_own_sums());
}

TEST_CASE("statistics: print as a table") {
    condense::statistics<2> all{.runs = 12, .changed = 3};
    std::array<layer_report, 2> entries;
    entries[0].name = "offload";
    entries[0].outcome = layer_outcome::applied;
    entries[0].saved = {1'234};
    entries[0].artifacts = 2;
    all.add(entries);
    entries[0].failures = 1;
    entries[0].note = "no space";
    all.add(entries);
    auto const text = all.text();
    CHECK(text.substr(0, text.find('\n')) == "saved 2,468 tokens in 3 of 12 runs");
    CHECK(text.find("offload                    2       2,468           0           0           4           1  no space\n") != std::string::npos);
    CHECK(text.back() == '\n');
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);  // a layer without a name has no line
}
