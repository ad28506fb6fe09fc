// SPDX-License-Identifier: BSL-1.0
#include <condense/session/log_observer.hpp>

#include <vector>

#include "support/catch.hpp"

namespace {

namespace events = condense::events;
using condense::detail::tell;

}  // namespace

TEST_CASE("log_observer: gives every event as one line") {
    std::vector<std::string> lines;
    condense::log_observer const log{.to = [&](std::string_view line) { lines.emplace_back(line); }};
    tell(log, events::arrived{});
    tell(log, events::due{});
    tell(log, events::reduced{});
    tell(log, events::near_limit{});
    tell(log, events::circuit{});
    tell(log, events::usage_missing{.turn = 3});
    tell(log, events::overflow{.requested = {2'000}});
    tell(log, events::truncated{.message = {3}, .layer = "compress", .before = {900}, .after = {40}});
    REQUIRE(lines.size() == 8);
    CHECK(lines[0] == events::arrived{}.text());
    CHECK(lines[2] == events::reduced{}.text());
    CHECK(lines[5] == "no usage reported: turn 3 is estimated");
    CHECK(lines[6] == "overflow: 2,000 tokens were sent");
    CHECK(
        lines[7] ==
        "truncated: message 3, part 0 (text) by compress: 900 -> 40 characters, the original is in the history alone");
}

TEST_CASE("log_observer: takes events alone, and any callable") {
    condense::log_observer const log{.to = +[](std::string_view) -> int { return 0; }};
    static_assert(condense::event_observer<decltype(log)> &&
                  condense::event_observer<condense::log_observer<void (*)(std::string_view)>>);
    static_assert(!condense::detail::hears<decltype(log), condense::usage>);
    CHECK_NOTHROW(tell(log, events::due{}));
}
