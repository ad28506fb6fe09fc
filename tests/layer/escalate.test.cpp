// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/escalate.hpp>

#include <chrono>
#include <ratio>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using namespace std::chrono_literals;
using condense::detail::as_instant;

static_assert(condense::layer<escalate<>>);
static_assert(!(escalate<>::effects & condense::reads_clock) &&
              (decltype(escalate{.within = 30s})::effects & condense::reads_clock));
static_assert(condense::deterministic<pipeline<sliding_window<>, escalate<>>>);
static_assert(!condense::deterministic<pipeline<sliding_window<>, decltype(escalate{.within = 30s})>>);
static_assert(condense::has_last_resort<pipeline<sliding_window<>, escalate<>>>);

static_assert(as_instant(30s).count == 30'000'000'000 && as_instant(2min).count == 120'000'000'000 &&
              as_instant(5ns).count == 5 && as_instant(3us).count == 3'000 && as_instant(0s).count == 0 &&
              as_instant(-1s).count == 0 && as_instant(1.5s).count == 1'000'000'000);
// Long ones saturate.
constexpr auto longest = std::numeric_limits<std::uint64_t>::max();
using years = std::chrono::duration<std::int64_t, std::ratio<31'556'952>>;
static_assert(as_instant(years{1'000'000'000}).count == longest &&
              as_instant(std::chrono::seconds::max()).count == longest &&
              as_instant(std::chrono::nanoseconds::max()).count == (std::uint64_t{1} << 63) - 1);

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
            if (draft.about(which).speaker == role::assistant && !draft.drop(which)) --left;
        }
    }
};

struct lazy_resort : steady {
    static constexpr bool last_resort = true;
};

/// A run over ten messages in a window of so many tokens.
template <class Mix>
auto ten_reduced(Mix const& mix, condense::tokens window = 1'000_tokens) {
    auto messages = ten_messages();
    return reduced(messages, mix, window);
}
using passes = std::vector<std::string>;

TEST_CASE("escalate: below its line nothing is run again") {
    passes seen;
    auto const report = ten_reduced(pipeline{steady{&seen, 1}, escalate{.when = used > 1'000_tokens}}, 1'200_tokens);
    CHECK(seen.empty());
    CHECK(report.layers[1].runs == 0);
    CHECK(report.layers[1].outcome == layer_outcome::idle);
    CHECK(report.outcome == outcome::fits);
    static_cast<void>(ten_reduced(pipeline{steady{&seen, 1}, escalate{.when = used >= 1'000_tokens}}, 1'200_tokens));
    CHECK_FALSE(seen.empty());
}

TEST_CASE("escalate: presses harder with every pass, the last one at the top, until usage is under its line") {
    struct row {
        int drops;
        condense::percent line;
        std::uint32_t most;
        passes seen;
        std::uint64_t after;
    };
    for (auto const& [drops, line, most, expected, after] :
         std::vector<row>{{1, 50_pct, 3, {"1", "2", "3!"}, 700},  // without a last resort that may not suffice
                          {1, 50_pct, 1, {"1!"}, 900},
                          {3, 80_pct, 5, {"1"}, 700},
                          {2, 90_pct, 2, {"1"}, 800},
                          {0, 80_pct, 9, {"1", "9!"}, 1'000}}) {  // without gain to the top at once
        passes seen;
        auto const report = ten_reduced(pipeline{steady{&seen, drops}, escalate{.when = used >= line, .passes = most}});
        CAPTURE(drops, most);
        CHECK(seen == expected);
        CHECK(report.layers[1].outcome == (drops == 0 ? layer_outcome::declined : layer_outcome::applied));
        CHECK(report.outcome == (after < line.of(1'000_tokens).count ? outcome::fits : outcome::passes));
        CHECK(report.after.tokens.count == after);
        CHECK(report.floor.count == 0);
        // Its own saving is nothing, its entry tells whether it helped.
        CHECK(report.layers[0].saved.count == 1'000 - after);
        CHECK(report.layers[1].saved.count == 0);
        CHECK(report.layers[1].groups_dropped == 0);
        CHECK(report.layers[1].before == 1'000_tokens);
    }
}

TEST_CASE("escalate: before the top layers stop at the target, at the top under the line") {
    auto const targets = [](auto made) {
        std::vector<std::uint64_t> found;
        auto const look = toy::layer<condense::drops>([&](auto& draft, auto& pass) {
            if (pass.pressure() == 0) return;
            // The smallest usage that is not yet enough, less one.
            std::uint64_t most = 0;
            while (pass.enough({.tokens = {most + 1}})) ++most;
            found.push_back(most);
            for (auto const which : draft.groups())
                if (draft.about(which).speaker == role::assistant && !draft.drop(which)) return;
        });
        static_cast<void>(ten_reduced(pipeline{look, made}));
        return found;
    };
    CHECK(targets(escalate{.when = used >= 50_pct}) == std::vector<std::uint64_t>{400, 499});
    CHECK(targets(escalate{.when = used > 50_pct}) == std::vector<std::uint64_t>{400, 500});
    CHECK(targets(escalate{.when = used >= 50_pct, .until = used <= 30_pct}) == std::vector<std::uint64_t>{300, 499});
    CHECK(targets(escalate{.when = used >= 500_tokens, .until = used <= 450_tokens, .passes = 3}) ==
          std::vector<std::uint64_t>{450, 450, 499});
}

TEST_CASE("escalate: with a last resort a run fits or is exhausted, and then names the floor") {
    conversation messages{S(letters(300, 's')), U(letters(100, 't')), A(letters(100, 'a')), U(letters(500, 'l'))};
    pipeline const mix{sliding_window{}, escalate{}};
    auto const at = [&](condense::tokens window, conversation copy) { return reduced(copy, mix, window); };
    CHECK(at(1'200_tokens, messages).outcome == outcome::fits);
    CHECK(at(1'000_tokens, messages).outcome == outcome::fits);
    auto const exhausted = at(800_tokens, messages);
    CHECK(exhausted.outcome == outcome::exhausted);
    CHECK(exhausted.floor == 900_tokens);
    CHECK(exhausted.after.tokens == 900_tokens);  // the task stays, as dropping it would not be enough
    CHECK_FALSE(exhausted.fits());
    CHECK(exhausted.layers[1].outcome == layer_outcome::declined);
    CHECK(at(1_tokens, messages).outcome == outcome::exhausted);
    CHECK(at(0_tokens, messages).outcome == outcome::over);  // no budget: refused
}

TEST_CASE("escalate: above its ceiling a request is never said to fit") {
    auto const with = [](condense::percent ceiling) {
        conversation copy{U(letters(985, 't'))};
        return reduced(copy, pipeline{sliding_window{}, escalate{.ceiling = ceiling}}, 1'000_tokens);
    };
    CHECK(with(98_pct).outcome == outcome::exhausted);
    CHECK_FALSE(with(98_pct).fits());
    CHECK(with(98_pct).limit == 980_tokens);
    CHECK(with(98.5_pct).outcome == outcome::fits);
    CHECK(with(98.5_pct).fits());
}

TEST_CASE("escalate: a layer that could drop more but did not leaves it over") {
    passes seen;
    lazy_resort lazy;
    lazy.passes = &seen;
    auto const report = ten_reduced(pipeline{lazy, escalate{}}, 900_tokens);
    CHECK(report.outcome == outcome::over);
    CHECK_FALSE(report.fits());
}

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
            if (draft.about(which).speaker == role::assistant && !draft.drop(which)) return;
    }
};

TEST_CASE("escalate: no pass begins when the time is up, and a clock that runs backward ends nothing early") {
    constexpr std::uint64_t second = 1'000'000'000;
    struct row {
        std::uint64_t takes;
        std::uint32_t most;
        outcome expected;
        passes seen;
    };
    for (auto const& [takes, most, expected, passes_seen] :
         std::vector<row>{{35 * second, 3, outcome::time, {"1"}},
                          {10 * second, 2, outcome::passes, {"1", "2"}},
                          {15 * second, 3, outcome::time, {"1", "2"}},
                          {~std::uint64_t{0} - 50, 2, outcome::passes, {"1", "2"}}}) {
        passes seen;
        std::vector<std::uint64_t> deadlines;
        std::uint64_t now = 100 * second;
        auto messages = ten_messages();
        CAPTURE(takes);
        CHECK(condense::reduce(messages,
                               pipeline{slow{&now, takes, &seen, &deadlines},
                                        escalate{.when = used >= 50_pct, .passes = most, .within = 30s}},
                               {.window = 1'000_tokens}, per_byte{},
                               condense::run_options<fakes::clock>{.clock = {&now}})
                  .outcome == expected);
        CHECK(seen == passes_seen);
        CHECK(deadlines == std::vector<std::uint64_t>(seen.size(), 130 * second));
    }
}

TEST_CASE("escalate: values that cannot work are rejected") {
    auto const made = [](auto layer) { static_cast<void>(pipeline{sliding_window{}, layer}); };
    for (auto const& layer :
         {escalate{.passes = 0}, escalate{.ceiling = 0_pct}, escalate{.ceiling = 100.01_pct},
          escalate{.when = used >= 90_messages}, escalate{.when = used >= 90_pct, .until = used <= 90_pct},
          escalate{.until = used <= 50_messages}, escalate{.until = used <= 5_turns}})
        CHECK_THROWS_AS(made(layer), invalid_configuration);
    CHECK_NOTHROW(made(escalate{}));
    CHECK_NOTHROW(made(escalate{
        .when = used > 100'000_tokens, .until = used <= 50_pct, .passes = 1, .within = 1ns, .ceiling = 100_pct}));
}

TEST_CASE("escalate: figures of any size are harmless") {
    auto const figure = any_figure();
    CAPTURE(figure);
    for (budget const limits :
         {budget{.window = {figure}}, budget{.window = {1'000}, .output = {figure}},
          budget{.window = {2'000}, .overhead = {figure}}, budget{.window = {figure}, .overhead = {figure}}}) {
        auto messages = ten_messages();
        auto const report =
            condense::reduce(messages, pipeline{sliding_window{}, escalate{.passes = 3}}, limits, per_byte{});
        CHECK(report.fits() == (report.outcome == outcome::fits));
        CHECK(messages.back() == ten_messages().back());
        if (report.outcome == outcome::exhausted) CHECK(messages.size() == 2);  // the newest, and the task
    }
    auto const report =
        ten_reduced(pipeline{sliding_window{}, escalate{.when = used > condense::tokens{figure}, .passes = 2}});
    CHECK((report.outcome == outcome::fits || report.outcome == outcome::exhausted));
}

TEST_CASE("escalate: a layer that threw is not run again, and the entry says the passes", "[law-14]") {
    int ran = 0;
    auto const thrower = toy::layer<condense::drops>([&](auto&, auto&) {
        ++ran;
        throw std::runtime_error{"broken"};
    });
    auto const report = ten_reduced(pipeline{thrower, escalate{.when = used >= 50_pct, .passes = 3}}, 600_tokens);
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

}  // namespace
