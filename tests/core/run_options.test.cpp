// SPDX-License-Identifier: BSL-1.0
#include <condense/core/run_options.hpp>

#include <algorithm>
#include <cstdint>

#include <condense/condense.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::used;

conversation talk(std::size_t turns) {
    conversation made;
    for (std::size_t turn = 0; turn < turns; ++turn)
        made += {U("question " + std::to_string(turn)), A("answer " + std::to_string(turn) + letters(50, '.'))};
    return made;
}

/// Drops and summarises all that may be, at the highest pressure. No template, where clang 19 would take
/// the values for defaults.
auto hardest() {
    return condense::pipeline{
        condense::summarize{
            .when = condense::always, .protect = condense::nothing, .with = [](std::string_view) { return "short"; }},
        condense::sliding_window{.when = condense::always, .protect = condense::nothing},
        condense::escalate{.when = used >= 50_pct, .passes = 3}};
}

template <class Pins>
conversation squeezed(conversation history, Pins pins) {
    auto const mix = hardest();
    static_cast<void>(condense::reduce(history, mix, {.window = condense::tokens{10}}, per_byte{},
                                       condense::run_options{.pins = pins}));
    return history;
}

}  // namespace

TEST_CASE("run_options: what the options pin survives every layer and every pressure") {
    auto const history = talk(8);
    auto const holds = [](auto const& reduced, auto const& m) {
        return std::find(reduced.begin(), reduced.end(), m) != reduced.end();
    };
    auto const none = squeezed(history, condense::no_pins{});
    CHECK_FALSE((holds(none, history[3]) || holds(none, history[6])));
    auto const by_number = squeezed(history, condense::pins_at{{{3}, {6}}});
    CHECK((holds(by_number, history[3]) && holds(by_number, history[6]) && !holds(by_number, history[5])));
    auto const by_message =
        squeezed(history, [](condense::chat_message const& m) { return m.parts[0].text == "question 2"; });
    CHECK((holds(by_message, history[4]) && !holds(by_message, history[3])));
    auto const by_both = squeezed(history, [](condense::sequence at, condense::chat_message const& m) {
        return at.number == 5 && m.role == condense::role::assistant;
    });
    CHECK((holds(by_both, history[5]) && !holds(by_both, history[3]) && !holds(by_both, history[7])));
}

TEST_CASE("run_options: the report says how much of the prompt stays byte-identical") {
    auto history = talk(4);
    auto const mix = condense::pipeline{condense::sliding_window{
        .when = used > 6_messages, .until = used <= 6_messages, .protect = condense::first(2_messages)}};
    auto const made = condense::reduce(history, mix, {.window = 10'000_tokens, .overhead = 100_tokens}, per_byte{});
    CHECK((made.first_changed == 2u && made.prefix.count == 100 + 10 + 58 && made.layers[0].first_changed == 2u));
    auto const again = condense::reduce(history, mix, {.window = 10'000_tokens, .overhead = 100_tokens}, per_byte{});
    CHECK((again.prefix == again.after.tokens && again.reread.count == 0));
}

TEST_CASE("clock: it never goes back, and goes on") {
    condense::steady_clock const now;
    auto const first = now();
    auto last = first;
    bool back = false;
    for (std::uint32_t call = 0; call < 1'000'000 && last == first; ++call) {
        auto const next = now();
        back = back || next < last;
        last = next;
    }
    CHECK_FALSE(back);
    CHECK(first < last);
    // Nanoseconds: not even these calls take an hour.
    CHECK((last - first).count < 3'600'000'000'000u);
}
