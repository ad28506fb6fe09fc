// SPDX-License-Identifier: BSL-1.0
#include <condense/session/observer.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace {

namespace events = condense::events;
using namespace condense::literals;
using condense::event_observer;
using condense::no_observer;
using condense::outcome;
using condense::tokens;
using condense::usage;
using condense::detail::hears;
using condense::detail::tell;
using condense::detail::tell_lazily;

constexpr tokens most{std::numeric_limits<std::uint64_t>::max()};
constexpr auto most32 = condense::detail::none32;
constexpr usage full{.tokens = most, .input = {1}, .messages = {most.count}, .turns = {most.count}, .cached = most};

struct of_two {
    int* dues;
    int* circuits;
    constexpr void operator()(events::due const&) const { ++*dues; }
    constexpr bool operator()(events::circuit const& told) const {
        ++*circuits;
        return told.open;
    }
};
struct of_everything {
    int* count;
    constexpr void operator()(auto const&) const { ++*count; }
};
struct with_state {
    int count = 0;
    constexpr void operator()(events::reduced const&) { ++count; }
};

static_assert(event_observer<no_observer> && event_observer<no_observer const> && event_observer<of_two> &&
              event_observer<of_everything>);
static_assert(event_observer<void (*)(events::overflow const&)> && event_observer<std::reference_wrapper<with_state>>);
static_assert(!event_observer<int> && !event_observer<void (*)(usage const&)> && !event_observer<void (*)()>);
// What it takes depends on how it is held.
static_assert(event_observer<with_state> && !event_observer<with_state const>);
static_assert(hears<of_two const, events::due> && !hears<of_two, events::reduced> && !hears<no_observer, events::due>);
// The default takes no room and leaves nothing to call.
static_assert(std::is_empty_v<no_observer>);

constexpr bool observers_are_told_what_they_take() {
    int dues = 0;
    int circuits = 0;
    int all = 0;
    of_two const two{&dues, &circuits};
    of_everything const everything{&all};
    auto const tell_both = [&](auto const& event) {
        tell(two, event);
        tell(everything, event);
    };
    tell_both(events::arrived{});
    tell_both(events::due{});
    tell_both(events::due{});
    tell_both(events::truncated{});
    tell_both(events::before_drop_failed{});
    tell_both(events::reduced{});
    tell_both(events::near_limit{});
    tell_both(events::cache_broken{});
    tell_both(events::circuit{});
    tell_both(events::usage_missing{});
    tell_both(events::usage_low{});
    tell_both(events::overflow{});
    return dues == 2 && circuits == 1 && all == 12;
}
static_assert(observers_are_told_what_they_take());

constexpr bool what_no_one_takes_is_not_made() {
    int made = 0;
    int count = 0;
    of_everything const everything{&count};
    no_observer const none;
    auto const make = [&] {
        ++made;
        return events::due{};
    };
    tell_lazily<events::due>(none, make);
    bool const idle = made == 0;
    tell_lazily<events::due>(everything, make);
    return idle && made == 1 && count == 1;
}
static_assert(what_no_one_takes_is_not_made());

constexpr bool an_observer_may_change() {
    with_state seen;
    tell(seen, events::reduced{});
    tell(seen, events::due{});
    tell_lazily<events::reduced>(seen, [] { return events::reduced{}; });
    return seen.count == 2;
}
static_assert(an_observer_may_change());

void is_one_line(std::string const& line) {
    CAPTURE(line);
    CHECK_FALSE(line.empty());
    CHECK(line.size() <= events::longest);
    for (char const byte : line) CHECK((byte >= 0x20 && byte < 0x7F));
}

}  // namespace

TEST_CASE("observer: is told the events that it takes") {
    CHECK(observers_are_told_what_they_take());
    CHECK(what_no_one_takes_is_not_made());
    CHECK(an_observer_may_change());
}

TEST_CASE("observer: may be referred to") {
    with_state seen;
    auto held = std::ref(seen);
    tell(held, events::reduced{});
    CHECK(seen.count == 1);
}

TEST_CASE("observer: what it throws reaches who tells") {
    auto const throwing = [](events::due const&) { throw 7; };
    CHECK_THROWS_AS(tell(throwing, events::due{}), int);
    CHECK_NOTHROW(tell(throwing, events::reduced{}));
}

TEST_CASE("observer: events say what they are") {
    usage const before{.tokens = 900_tokens, .input = 1'000_tokens, .messages = {12}};
    usage const after{.tokens = 400_tokens, .input = 1'000_tokens, .messages = {5}};
    CHECK(events::arrived{.at = {1'234}, .cost = 56_tokens, .now = before}.text() ==
          "arrived: message 1,234, 56 tokens; 900 of 1,000 tokens (90.0 %)");
    CHECK(events::due{.now = before}.text() == "due: 900 of 1,000 tokens (90.0 %)");
    events::reduced const made{.outcome = outcome::over,
                               .before = before,
                               .after = after,
                               .layers_applied = 2,
                               .parts_shortened = 3,
                               .groups_dropped = 1};
    CHECK(made.text() ==
          "reduced: over, 900 -> 400 of 1,000 tokens, 12 -> 5 messages; layers applied 2, parts shortened 3, groups "
          "dropped 1");
    CHECK(std::string_view{events::reduced{.manual = true}.text()}.substr(0, 26) == "reduced on request: fits, ");
    CHECK(events::cache_broken{.from = {12}, .reread = {3'000}, .saved = {500}}.text() ==
          "cache broken: from message 12 on, 3,000 tokens have to be read anew, 500 were saved");
    CHECK(events::near_limit{.now = before}.text() == "near the limit: 900 of 1,000 tokens (90.0 %)");
    CHECK(events::circuit{.open = true, .ineffective = 2}.text() == "circuit open: runs without progress 2");
    CHECK(events::circuit{}.text() == "circuit closed: runs without progress 0");
    CHECK(events::usage_missing{.turn = 3}.text() == "no usage reported: turn 3 is estimated");
    CHECK(events::usage_low{{1'000}, {9'000}}.text() ==
          "the request may have been cut: 1,000 tokens were counted of about 9,000");
    CHECK(events::overflow{.limit = 128'000_tokens, .requested = 130'000_tokens}.text() ==
          "overflow: 130,000 tokens were sent, the provider's limit is 128,000 tokens");
    CHECK(events::overflow{.limit = 128'000_tokens}.text() == "overflow: the provider's limit is 128,000 tokens");
    CHECK(events::overflow{}.text() == "overflow");
    CHECK(events::before_drop_failed{.messages = {1'234}, .reason = "full"}.text() ==
          "before_drop failed: 1,234 messages left without it");
}

TEST_CASE("observer: any figures make one printable line") {
    is_one_line(events::arrived{{most.count}, most, full}.text());
    is_one_line(events::due{full}.text());
    is_one_line(events::reduced{static_cast<outcome>(255), full, full, most32, most32, most32, true}.text());
    std::string const hostile(500, '\n');
    is_one_line(events::truncated{.message = {most.count},
                                  .part = most32,
                                  .kind = condense::part_kind::tool_result,
                                  .layer = hostile,
                                  .before = {most.count},
                                  .after = {most.count},
                                  .stored = {{1, 2, 3}}}
                    .text());
    is_one_line(events::before_drop_failed{{most.count}, hostile}.text());
    is_one_line(events::near_limit{full}.text());
    is_one_line(events::cache_broken{{most.count}, most, most}.text());
    is_one_line(events::circuit{true, most32}.text());
    is_one_line(events::usage_missing{most.count}.text());
    is_one_line(events::overflow{most, most}.text());
}
