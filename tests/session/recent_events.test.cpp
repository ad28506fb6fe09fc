// SPDX-License-Identifier: BSL-1.0
#include <condense/session/recent_events.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "support/catch.hpp"

namespace {

namespace events = condense::events;
using condense::recent_events;
using condense::detail::hears;
using condense::detail::tell;

static_assert(condense::event_observer<recent_events<>> && hears<recent_events<>, events::overflow>);
static_assert(!hears<recent_events<>, events::arrived> && !hears<recent_events<>, events::truncated> &&
              !hears<recent_events<> const, events::due>);
static_assert(std::is_trivially_copyable_v<recent_events<>>);

void tell_turns(auto& seen, std::uint64_t from, std::uint64_t to) {
    for (auto turn = from; turn <= to; ++turn) tell(seen, events::usage_missing{.turn = turn});
}

std::string line(std::uint64_t turn) { return events::usage_missing{.turn = turn}.text(); }

}  // namespace

TEST_CASE("recent_events: the newest five, in order") {
    recent_events seen;
    CHECK(seen.size() == 0);
    CHECK(seen.text().empty());
    tell_turns(seen, 1, 2);
    CHECK(seen.text() == line(1) + "\n" + line(2) + "\n");
    tell_turns(seen, 3, 10);
    REQUIRE(seen.size() == 5);
    for (std::size_t index = 0; index < 5; ++index) CHECK(seen[index] == line(6 + index));
    CHECK(seen.text() == line(6) + "\n" + line(7) + "\n" + line(8) + "\n" + line(9) + "\n" + line(10) + "\n");
}

TEST_CASE("recent_events: as many as wanted") {
    recent_events<1> one;
    recent_events<3> three;
    tell_turns(one, 1, 4);
    tell_turns(three, 1, 3);
    CHECK(one.text() == line(4) + "\n");
    CHECK(three.text() == line(1) + "\n" + line(2) + "\n" + line(3) + "\n");
    tell_turns(three, 4, 4);
    CHECK(three[0] == line(2));
}

TEST_CASE("recent_events: arrivals leave the others their room") {
    recent_events seen;
    tell_turns(seen, 1, 1);
    for (int count = 0; count < 9; ++count) tell(seen, events::arrived{});
    CHECK(seen.text() == line(1) + "\n");
}

TEST_CASE("recent_events: no line is cut, and values compare") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    condense::usage const full{.tokens = {most}, .input = {1}, .messages = {most}};
    events::reduced const longest{
        static_cast<condense::outcome>(255), full, full, 4'000'000'000, 4'000'000'000, 4'000'000'000, true};
    recent_events seen;
    recent_events const none;
    CHECK(seen == none);
    tell(seen, longest);
    CHECK(seen[0] == longest.text());
    CHECK_FALSE(seen == none);
}
