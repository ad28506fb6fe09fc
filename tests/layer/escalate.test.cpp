// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/escalate.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>
#include <vector>

#include <condense/core/pipeline.hpp>
#include <condense/core/reduce.hpp>
#include <condense/layer/sliding_window.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using namespace std::chrono_literals;
using condense::escalate;
using condense::layer_outcome;
using condense::outcome;
using condense::pipeline;
using condense::sliding_window;
using condense::used;
using condense::detail::as_instant;

static_assert(condense::layer<escalate<>>);
static_assert(!(escalate<>::effects & condense::reads_clock) &&
              (decltype(escalate{.within = 30s})::effects & condense::reads_clock));
static_assert(condense::deterministic<pipeline<sliding_window<>, escalate<>>>);
static_assert(!condense::deterministic<pipeline<sliding_window<>, decltype(escalate{.within = 30s})>>);
static_assert(condense::has_last_resort<pipeline<sliding_window<>, escalate<>>>);

constexpr bool durations_are_nanoseconds() {
    return as_instant(30s).count == 30'000'000'000 && as_instant(2min).count == 120'000'000'000 &&
           as_instant(5ns).count == 5 && as_instant(3us).count == 3'000 && as_instant(0s).count == 0 &&
           as_instant(-1s).count == 0 && as_instant(1.5s).count == 1'000'000'000;
}
static_assert(durations_are_nanoseconds());

constexpr bool long_durations_saturate() {
    using years = std::chrono::duration<std::int64_t, std::ratio<31'556'952>>;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return as_instant(years{1'000'000'000}).count == most && as_instant(std::chrono::seconds::max()).count == most &&
           as_instant(std::chrono::nanoseconds::max()).count == (std::uint64_t{1} << 63) - 1;
}
static_assert(long_durations_saturate());

/// Ten messages of a hundred tokens each; the latest one stays whatever happens.
conversation ten_messages() {
    conversation made{U(letters(100, 't'))};
    for (int answer = 0; answer < 8; ++answer) made.push_back(A(letters(100, 'a')));
    made.push_back(U(letters(100, 'l')));
    return made;
}

/// Drops so many messages in a pass, and writes down how it was run: "1", or "2!" at the top.
struct steady {
    std::vector<std::string>* passes;
    int drops = 0;
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto& pass) const {
        if (pass.pressure() == 0) return;
        passes->push_back(std::to_string(pass.pressure()) + (pass.top() ? "!" : ""));
        auto left = drops;
        for (auto const which : draft.groups()) {
            if (left == 0) return;
            if (draft.about(which).speaker == condense::role::assistant && !draft.drop(which)) --left;
        }
    }
};

struct lazy_resort : steady {
    static constexpr bool last_resort = true;
};

template <class... Layers>
auto reduced(conversation& messages, pipeline<Layers...> const& mix, condense::tokens window = 1'000_tokens) {
    return condense::reduce(messages, mix, {.window = window}, per_byte{});
}

using passes = std::vector<std::string>;

}  // namespace

TEST_CASE("escalate: durations") {
    CHECK(durations_are_nanoseconds());
    CHECK(long_durations_saturate());
}

TEST_CASE("escalate: below its line nothing is run again [case-136]") {
    passes seen;
    auto messages = ten_messages();
    auto report = reduced(messages, pipeline{steady{&seen, 1}, escalate{.when = used > 1'000_tokens}}, 1'200_tokens);
    CHECK(seen.empty());
    CHECK(report.layers[1].runs == 0);
    CHECK(report.layers[1].outcome == layer_outcome::idle);
    CHECK(report.outcome == outcome::fits);
    report = reduced(messages, pipeline{steady{&seen, 1}, escalate{.when = used >= 1'000_tokens}}, 1'200_tokens);
    CHECK_FALSE(seen.empty());
}

TEST_CASE("escalate: presses harder with every pass, the last one at the top") {
    passes seen;
    auto messages = ten_messages();
    static_cast<void>(reduced(messages, pipeline{steady{&seen, 1}, escalate{.when = used >= 50_pct, .passes = 3}}));
    CHECK(seen == passes{"1", "2", "3!"});
    seen.clear();
    messages = ten_messages();
    static_cast<void>(reduced(messages, pipeline{steady{&seen, 1}, escalate{.when = used >= 50_pct, .passes = 1}}));
    CHECK(seen == passes{"1!"});
}

TEST_CASE("escalate: stops as soon as usage is under its line") {
    passes seen;
    auto messages = ten_messages();
    auto const report = reduced(messages, pipeline{steady{&seen, 3}, escalate{.when = used >= 80_pct, .passes = 5}});
    CHECK(seen == passes{"1"});
    CHECK(report.outcome == outcome::fits);
    CHECK(report.after.tokens == 700_tokens);
}

TEST_CASE("escalate: a pass without gain leads to the top at once [case-140]") {
    passes seen;
    auto messages = ten_messages();
    auto const report = reduced(messages, pipeline{steady{&seen, 0}, escalate{.when = used >= 80_pct, .passes = 9}});
    CHECK(seen == passes{"1", "9!"});
    CHECK(report.outcome == outcome::passes);
    CHECK(report.layers[1].outcome == layer_outcome::declined);
}

TEST_CASE("escalate: before the top layers stop at the target, at the top under the line") {
    auto const targets = [](auto made) {
        std::vector<std::uint64_t> found;
        auto messages = ten_messages();
        auto const look = toy::layer<condense::drops>([&](auto& draft, auto& pass) {
            if (pass.pressure() == 0) return;
            // The smallest usage that is not yet enough, less one.
            std::uint64_t most = 0;
            while (pass.enough({.tokens = {most + 1}})) ++most;
            found.push_back(most);
            for (auto const which : draft.groups())
                if (draft.about(which).speaker == condense::role::assistant && !draft.drop(which)) return;
        });
        static_cast<void>(reduced(messages, pipeline{look, made}));
        return found;
    };
    CHECK(targets(escalate{.when = used >= 50_pct}) == std::vector<std::uint64_t>{400, 499});
    CHECK(targets(escalate{.when = used > 50_pct}) == std::vector<std::uint64_t>{400, 500});
    CHECK(targets(escalate{.when = used >= 50_pct, .until = used <= 30_pct}) == std::vector<std::uint64_t>{300, 499});
    CHECK(targets(escalate{.when = used >= 500_tokens, .until = used <= 450_tokens, .passes = 3}) ==
          std::vector<std::uint64_t>{450, 450, 499});
}

TEST_CASE("escalate: its own saving is nothing, its entry tells whether it helped") {
    passes seen;
    auto messages = ten_messages();
    auto const report = reduced(messages, pipeline{steady{&seen, 2}, escalate{.when = used >= 90_pct}});
    CHECK(report.layers[1].saved.count == 0);
    CHECK(report.layers[1].groups_dropped == 0);
    CHECK(report.layers[1].outcome == layer_outcome::applied);
    CHECK(report.layers[0].saved == 200_tokens);
    CHECK(report.layers[1].before == 1'000_tokens);
}

// What a run comes to

TEST_CASE("escalate: without a last resort the passes may not suffice") {
    passes seen;
    auto messages = ten_messages();
    auto const report = reduced(messages, pipeline{steady{&seen, 1}, escalate{.when = used >= 50_pct}});
    CHECK(report.outcome == outcome::passes);
    CHECK(report.floor.count == 0);
}

TEST_CASE("escalate: with a last resort a run fits or is exhausted, and then names the floor [case-143]") {
    conversation messages{S(letters(300, 's')), U(letters(100, 't')), A(letters(100, 'a')), U(letters(500, 'l'))};
    pipeline const mix{sliding_window{}, escalate{}};
    auto const at = [&](condense::tokens window) {
        auto copy = messages;
        return reduced(copy, mix, window);
    };
    CHECK(at(1'200_tokens).outcome == outcome::fits);
    CHECK(at(1'000_tokens).outcome == outcome::fits);
    auto const exhausted = at(800_tokens);
    CHECK(exhausted.outcome == outcome::exhausted);
    CHECK(exhausted.floor == 800_tokens);
    CHECK(exhausted.after.tokens == 800_tokens);
    CHECK_FALSE(exhausted.fits());
    // It helped, though not enough.
    CHECK(exhausted.layers[1].outcome == layer_outcome::applied);
    CHECK(at(1_tokens).outcome == outcome::exhausted);
    CHECK(at(0_tokens).outcome == outcome::over);  // no budget: refused
}

TEST_CASE("escalate: above its ceiling a request is never said to fit") {
    conversation messages{U(letters(985, 't'))};
    auto const with = [&](condense::percent ceiling) {
        auto copy = messages;
        return reduced(copy, pipeline{sliding_window{}, escalate{.ceiling = ceiling}});
    };
    CHECK(with(98_pct).outcome == outcome::exhausted);
    CHECK_FALSE(with(98_pct).fits());
    CHECK(with(98_pct).limit == 980_tokens);
    CHECK(with(98.5_pct).outcome == outcome::fits);
    CHECK(with(98.5_pct).fits());
}

TEST_CASE("escalate: a layer that could drop more but did not leaves it over") {
    passes seen;
    auto messages = ten_messages();
    lazy_resort lazy;
    lazy.passes = &seen;
    auto const report = reduced(messages, pipeline{lazy, escalate{}}, 900_tokens);
    CHECK(report.outcome == outcome::over);
    CHECK_FALSE(report.fits());
}

// Time

namespace {

struct own_clock {
    std::uint64_t const* now;
    condense::instant operator()() const noexcept { return {*now}; }
};

/// Takes its time under pressure, and gains a little.
struct slow {
    std::uint64_t* now;
    std::uint64_t takes;
    passes* seen;
    std::vector<std::uint64_t>* deadlines;
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto& pass) const {
        if (pass.pressure() == 0) return;
        seen->push_back(std::to_string(pass.pressure()));
        deadlines->push_back(pass.deadline().count);
        *now += takes;
        for (auto const which : draft.groups())
            if (draft.about(which).speaker == condense::role::assistant && !draft.drop(which)) return;
    }
};

}  // namespace

TEST_CASE("escalate: no pass begins when the time is up [case-141]") {
    constexpr std::uint64_t second = 1'000'000'000;
    auto const outcome_of = [](std::uint64_t takes, std::uint32_t most, passes& seen,
                               std::vector<std::uint64_t>& deadlines) {
        std::uint64_t now = 100 * second;
        auto messages = ten_messages();
        condense::run_options<own_clock> const options{.clock = {&now}};
        return condense::reduce(messages,
                                pipeline{slow{&now, takes, &seen, &deadlines},
                                         escalate{.when = used >= 50_pct, .passes = most, .within = 30s}},
                                {.window = 1'000_tokens}, per_byte{}, options)
            .outcome;
    };
    passes seen;
    std::vector<std::uint64_t> deadlines;
    CHECK(outcome_of(35 * second, 3, seen, deadlines) == outcome::time);
    CHECK(seen == passes{"1"});
    CHECK(deadlines == std::vector<std::uint64_t>{130 * second});
    seen.clear();
    CHECK(outcome_of(10 * second, 2, seen, deadlines) == outcome::passes);
    CHECK(seen == passes{"1", "2"});
    seen.clear();
    CHECK(outcome_of(15 * second, 3, seen, deadlines) == outcome::time);
    CHECK(seen == passes{"1", "2"});
}

TEST_CASE("escalate: a clock that runs backward ends nothing early") {
    std::uint64_t now = 100;
    passes seen;
    std::vector<std::uint64_t> deadlines;
    auto messages = ten_messages();
    condense::run_options<own_clock> const options{.clock = {&now}};
    static_cast<void>(condense::reduce(messages,
                                       pipeline{slow{&now, ~std::uint64_t{0} - 50, &seen, &deadlines},
                                                escalate{.when = used >= 50_pct, .within = 30s}},
                                       {.window = 1'000_tokens}, per_byte{}, options));
    CHECK(seen == passes{"1", "2"});
}

// Values

TEST_CASE("escalate: values that cannot work are rejected") {
    auto const made = [](auto layer) { static_cast<void>(pipeline{sliding_window{}, layer}); };
    CHECK_THROWS_AS(made(escalate{.passes = 0}), condense::invalid_configuration);
    CHECK_THROWS_AS(made(escalate{.ceiling = 0_pct}), condense::invalid_configuration);
    CHECK_THROWS_AS(made(escalate{.ceiling = 100.01_pct}), condense::invalid_configuration);
    CHECK_THROWS_AS(made(escalate{.when = used >= 90_messages}), condense::invalid_configuration);
    CHECK_THROWS_AS(made(escalate{.when = used >= 90_pct, .until = used <= 90_pct}), condense::invalid_configuration);
    CHECK_NOTHROW(made(escalate{}));
    CHECK_NOTHROW(made(escalate{
        .when = used > 100'000_tokens, .until = used <= 50_pct, .passes = 1, .within = 1ns, .ceiling = 100_pct}));
}

TEST_CASE("escalate: a target that is no count of tokens is rejected") {
    CHECK_THROWS_AS((pipeline{sliding_window{}, escalate{.until = used <= 50_messages}}),
                    condense::invalid_configuration);
    CHECK_THROWS_AS((pipeline{sliding_window{}, escalate{.until = used <= 5_turns}}), condense::invalid_configuration);
}

TEST_CASE("escalate: figures of any size are harmless") {
    auto const figure = GENERATE(as<std::uint64_t>{}, 0u, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max());
    CAPTURE(figure);
    for (condense::budget const limits :
         {condense::budget{.window = {figure}}, condense::budget{.window = {1'000}, .output = {figure}},
          condense::budget{.window = {2'000}, .overhead = {figure}},
          condense::budget{.window = {figure}, .overhead = {figure}}}) {
        auto messages = ten_messages();
        auto const report =
            condense::reduce(messages, pipeline{sliding_window{}, escalate{.passes = 3}}, limits, per_byte{});
        CHECK(report.fits() == (report.outcome == outcome::fits));
        CHECK(messages.back() == ten_messages().back());
        if (report.outcome == outcome::exhausted) CHECK(messages.size() == 1);
    }
    auto messages = ten_messages();
    auto const report =
        reduced(messages, pipeline{sliding_window{}, escalate{.when = used > condense::tokens{figure}, .passes = 2}});
    CHECK((report.outcome == outcome::fits || report.outcome == outcome::exhausted));
}

TEST_CASE("escalate: a layer that threw is not run again, and the entry says the passes", "[law-14]") {
    int ran = 0;
    conversation messages = {U("t")};
    for (int turn = 0; turn < 10; ++turn) messages.push_back(A(letters(100, 'a')));
    messages.push_back(U("l"));
    auto const thrower = toy::layer<condense::drops>([&](auto&, auto&) {
        ++ran;
        throw std::runtime_error{"broken"};
    });
    auto const report =
        reduced(messages, pipeline{thrower, escalate{.when = condense::used >= 50_pct, .passes = 3}}, 600_tokens);
    CHECK(ran == 1);
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[0].threw);
    CHECK(report.layers[0].note == "broken");
    CHECK(report.layers[1].passes == 2);
    CHECK(report.text().find("2 passes") != std::string::npos);
    CHECK(report.layers[1].saved == 0_tokens);
}

TEST_CASE("escalate: the floor is what no law lets go, whatever this mix leaves") {
    conversation messages{S(letters(300, 's')), U(letters(100, 't')), C("1", "f"), R("1", letters(1'000, 'r'))};
    auto const report = reduced(messages, pipeline{sliding_window{}, escalate{}}, 800_tokens);
    CHECK(report.outcome == outcome::exhausted);
    CHECK(report.after.tokens > 1'000_tokens);
    CHECK(report.floor == 400_tokens);
    CHECK(report.text().find("floor: 400 tokens cannot be reduced by any mix; this one leaves 1,4") !=
          std::string::npos);
}
