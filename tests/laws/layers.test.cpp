// SPDX-License-Identifier: BSL-1.0
#include <string>

#include <condense/testing/layer_laws.hpp>

#include <condense/layer/compress.hpp>
#include <condense/layer/drop_superseded.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/fallback.hpp>
#include <condense/layer/leave_to_provider.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/plan.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/repair.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/work_record.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

// Every layer that the library has keeps the laws that a user's layer is checked against.

namespace {

using namespace condense::literals;
using condense::used;

std::string problems(auto const& layer) {
    std::string out;
    for (auto const& each : condense::testing::check_layer_laws(layer, {.rounds = 4 + rounds(40)}))
        out += each.text() + "\n";
    return out;
}

}  // namespace

TEST_CASE("the laws of layers hold for compress", "[laws]") {
    CHECK(problems(condense::compress{
              .when = used >= 50_pct, .over = 500_chars, .with = condense::head_tail{200_chars, 200_chars}}) == "");
    CHECK(problems(condense::compress{
              .when = condense::always, .protect = condense::last(4_messages), .over = 20_lines}) == "");
}
TEST_CASE("the laws of layers hold for drop_superseded", "[laws]") {
    CHECK(problems(condense::drop_superseded{.key = condense::markers("set_task"),
                                             .transient = condense::tools("run_tests")}) == "");
}
TEST_CASE("the laws of layers hold for leave_to_provider", "[laws]") {
    CHECK(problems(condense::pipeline{condense::fallback{condense::leave_to_provider{}, condense::sliding_window{}}}) ==
          "");
}
TEST_CASE("the laws of layers hold for escalate", "[laws]") {
    CHECK(problems(condense::pipeline{condense::sliding_window{}, condense::escalate{}}) == "");
}
TEST_CASE("the laws of layers hold for offload", "[laws]") {
    CHECK(problems(condense::offload{
              .over = 1'000_chars, .preview = condense::head{100_chars}, .into = condense::memory_store{}}) == "");
}
TEST_CASE("the laws of layers hold for plan", "[laws]") {
    CHECK(problems(condense::plan{.over = 500_bytes, .into = condense::memory_store{}}) == "");
    CHECK(problems(condense::plan{.over = 500_bytes}) == "");
    CHECK(problems(condense::plan{.when = used >= 50_pct, .protect = condense::last(4_messages)}) == "");
}
TEST_CASE("the laws of layers hold for record", "[laws]") {
    CHECK(problems(condense::record{.to = condense::memory_journal{}}) == "");
}
TEST_CASE("the laws of layers hold for repair", "[laws]") { CHECK(problems(condense::repair{}) == ""); }
TEST_CASE("the laws of layers hold for sliding_window", "[laws]") {
    CHECK(problems(condense::sliding_window{.when = used >= 60_pct}) == "");
    CHECK(problems(condense::sliding_window{.when = used > 6_messages}) == "");
}
TEST_CASE("the laws of layers hold for summarize", "[laws]") {
    CHECK(problems(condense::summarize{.when = used >= 60_pct}) == "");
    CHECK(problems(condense::summarize{
              .when = used >= 60_pct, .with = condense::no_prose{}, .leaves = condense::name_index{}}) == "");
    CHECK(problems(condense::summarize{.when = used >= 60_pct,
                                       .leaves = condense::both{condense::work_record{}, condense::name_index{}}}) ==
          "");
    CHECK(problems(condense::summarize{.when = used >= 60_pct,
                                       .with = [](std::string const&) { return std::string{"They worked."}; }}) == "");
}
