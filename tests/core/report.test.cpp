// SPDX-License-Identifier: BSL-1.0
#include <condense/core/report.hpp>

#include <limits>
#include <sstream>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "core/constant.hpp"

namespace {

using condense::layer_outcome, condense::outcome, condense::report;

// No heap: a report can be copied byte by byte.
static_assert(std::is_trivially_copyable_v<condense::layer_report>);
static_assert(std::is_trivially_copyable_v<report<3>> && std::is_trivially_destructible_v<report<3>>);

report<2> sample() {
    report<2> made;
    made.outcome = outcome::exhausted;
    made.before = {.tokens = {21'000}, .input = {8'000}, .messages = {40}};
    made.after = {.tokens = {9'500}, .input = {8'000}, .messages = {12}};
    made.limit = {7'840};
    made.floor = {9'400};
    auto& [first, second] = made.layers;
    first = {.name = "compress", .outcome = layer_outcome::applied, .saved = {1'234'567}};
    first.parts_shortened = 3;
    second = {.name = "sliding_window", .outcome = layer_outcome::declined};
    second.groups_dropped = 28;
    second.artifacts = 5;
    second.note = std::string_view{"not \x1B[31mworth\n it"};
    return made;
}

std::uint64_t tokens_saved(condense::run_report const& run) { return run.before.tokens.count - run.after.tokens.count; }

TEST_CASE("report: what holds of any run is in a base without the number of layers") {
    auto const small = sample();
    report<5> large;
    large.before.tokens = {90};
    CHECK((tokens_saved(small) == small.before.tokens.count - small.after.tokens.count && tokens_saved(large) == 90));
}

TEST_CASE("report: JSON has the figures of the text, whatever a note holds") {
    auto run = sample();
    run.first_changed = 3;
    run.refused = "no \"budget\"";
    run.layers[1].note = "a \"quoted\"\nline, \xFF and \\";
    auto const read = nlohmann::json::parse(run.json());
    CHECK((read["outcome"] == name(run.outcome) && read["before"]["tokens"] == run.before.tokens.count));
    CHECK((read["after"]["messages"] == run.after.messages.count && read["first_changed"] == 3));
    CHECK(read["refused"] == "no \"budget\"");
    REQUIRE(read["layers"].size() == 2);
    CHECK((read["layers"][0]["name"] == run.layers[0].name && read["layers"][1]["saved"] == run.layers[1].saved.count));
    CHECK(read["layers"][1]["note"].get<std::string>().starts_with("a \"quoted\" line"));
    CHECK_FALSE(read["layers"][0].contains("note"));
    CHECK(nlohmann::json::parse(report<0>{}.json())["layers"].empty());
}

TEST_CASE("report: what models have used is told where they report it", "[row-P8]") {
    auto run = sample();
    run.layers[0].model_usage = {.input = {1'000}, .output = {20}, .cache_read = {300}, .cache_write = {4}};
    run.layers[1].model_usage = {.input = {1}};
    CHECK(run.model_usage() ==
          condense::provider_usage{.input = {1'001}, .output = {20}, .cache_read = {300}, .cache_write = {4}});
    CHECK(run.text().find("           0  model: 1,304 in, 20 out\n") != std::string::npos);
    auto const read = nlohmann::json::parse(run.json());
    CHECK(read["layers"][0]["model_usage"] ==
          nlohmann::json{{"input", 1'000}, {"output", 20}, {"cache_read", 300}, {"cache_write", 4}});
    CHECK(sample().text().find("model") == std::string::npos);
    CHECK_FALSE(nlohmann::json::parse(sample().json())["layers"][0].contains("model_usage"));
}

}  // namespace

TEST_CASE("report: outcomes and limits") {
    CHECK_CONSTANT(name(outcome::fits) == "fits" && name(outcome::over) == "over" &&
                   name(outcome::passes) == "passes" && name(outcome::time) == "time" &&
                   name(outcome::exhausted) == "exhausted" && name(layer_outcome::idle) == "idle" &&
                   name(layer_outcome::applied) == "applied" && name(layer_outcome::declined) == "declined" &&
                   name(layer_outcome::failed) == "failed");
    // A new report says that nothing changed.
    report<2> const fresh;
    CHECK((fresh.fits() && !fresh.changed() && fresh.layers[0].outcome == layer_outcome::idle));
    // The limit may be below the input: escalate's ceiling.
    report<1> made;
    made.after = {.tokens = {99}, .input = {100}};
    made.limit = {98};
    CHECK_FALSE(made.fits());
    made.limit = {99};
    CHECK(made.fits());
    // A layer that saved more than there was ends at nothing.
    CHECK(condense::layer_report{.before = {10}, .saved = {4}}.after() == condense::tokens{6});
    CHECK(condense::layer_report{.before = {10}, .saved = {~std::uint64_t{0}}}.after() == condense::tokens{0});
}

TEST_CASE("report: prints itself as a table") {
    CHECK(sample().text() ==
          "exhausted: 21,000 -> 9,500 of 8,000 tokens, 40 -> 12 messages\n"
          "layer           outcome          saved     dropped   shortened      stored\n"
          "compress        applied      1,234,567           0           3           0\n"
          "sliding_window  declined             0          28           0           5  not  [31mworth  it\n"
          "floor: 9,400 tokens cannot be reduced by any mix; this one leaves 9,500\n");
    std::ostringstream out;
    out << sample();
    CHECK(out.str() == sample().text());
}

TEST_CASE("report: the first line says what was dropped because a summary failed") {
    auto made = sample();
    made.layers[0] = {.name = "summarize", .outcome = layer_outcome::failed, .failures = 1, .summarizes = true};
    CHECK(made.dropped_unsummarized() == 28);
    CHECK(
        made.text().starts_with("exhausted: 21,000 -> 9,500 of 8,000 tokens, 40 -> 12 messages; the summary failed, "
                                "and 28 groups were dropped without one\n"));
    made.layers[1].groups_dropped = 1;
    CHECK(made.text().find("1 group was dropped without one\n") != std::string::npos);
    made.layers[0].outcome = layer_outcome::applied;  // in an earlier pass, or another summarised
    CHECK(made.dropped_unsummarized() == 0);
    made.layers[0] = {.name = "summarize", .summarizes = true};
    CHECK((made.dropped_unsummarized() == 0 && made.text().find("without one") == std::string::npos));
}

TEST_CASE("report: the ratio is what is left of the tokens", "[row-D3]") {
    auto const ratio = [](std::uint64_t before, std::uint64_t after) {
        report<1> made;
        made.before.tokens = {before};
        made.after.tokens = {after};
        return made.ratio().basis_points;
    };
    CHECK((ratio(50'000, 4'999) == 1'000 && ratio(50'000, 5'001) == 1'001));
    CHECK((ratio(0, 0) == 10'000 && ratio(5, 9) == 10'000));
    auto const most = std::numeric_limits<std::uint64_t>::max();
    CHECK((ratio(most, most / 2) == 5'000 && ratio(most, 0) == 0));
}

TEST_CASE("report: columns stay apart whatever they hold, and the floor is named only where it was reached") {
    auto made = sample();
    made.outcome = outcome::fits;
    CHECK(made.text().find("floor") == std::string::npos);
    made.layers[0].name = "a_layer_with_a_very_long_name";
    made.layers[0].saved = {std::numeric_limits<std::uint64_t>::max()};
    auto const text = made.text();
    CHECK(text.find("a_layer_with_a_very_long_name applied") != std::string::npos);
    CHECK(text.find(" 18,446,744,073,709,551,615 ") != std::string::npos);
}
