// SPDX-License-Identifier: BSL-1.0
#include <condense/session/pacing.hpp>

#include "support/catch.hpp"

namespace {

using condense::pacing;
using condense::tokens;
using condense::usage;
using condense::detail::pace;

constexpr condense::cost of(std::uint64_t count) { return condense::cost::of({count}); }
constexpr usage at(std::uint64_t count) { return {.tokens = {count}, .input = {1'000}}; }
constexpr auto nothing = [] { return tokens{0}; };
constexpr pacing usual{};

/// Pushes so many tokens, and says whether a run with layer 0 due may follow.
constexpr bool after(pace& kept, std::uint64_t more, usage now) {
    kept.on_pushed(of(more));
    return kept.may_run(usual, now, 1, 0, nothing);
}

constexpr bool runs_wait_for_growth() {
    pace kept;
    bool good = kept.may_run(usual, at(700), 1, 0, nothing);
    kept.on_pushed(of(1));
    // It has helped, and another layer is not due any more.
    good = good && !kept.ran(usual, true, false, 0) && kept.may_run(usual, at(700), 1, 0, nothing);
    // It has helped, but not enough: 2 % have to come first.
    good = good && !kept.ran(usual, true, false, 1);
    good = good && !kept.may_run(usual, at(700), 1, 0, nothing);
    good = good && !after(kept, 19, at(700)) && after(kept, 1, at(700));
    // But a layer that was not due then is, or the request does not fit.
    good = good && !kept.ran(usual, true, false, 1);
    good = good && kept.may_run(usual, at(700), 3, 0, nothing) && kept.may_run(usual, at(700), 2, 0, nothing);
    good = good && !kept.may_run(usual, at(1'001), 1, 0, nothing) && after(kept, 1, at(1'001));
    return good;
}
static_assert(runs_wait_for_growth());

constexpr bool unchanged_input_is_not_tried_again() {
    pace kept;
    kept.on_pushed(of(5'000));
    static_cast<void>(kept.ran(usual, false, false, 1));
    bool const waits = !kept.may_run(usual, at(5'000), 1, 0, nothing);
    kept.changed();
    return waits && kept.may_run(usual, at(500), 1, 0, nothing);
}
static_assert(unchanged_input_is_not_tried_again());

constexpr bool two_runs_in_vain_open_the_circuit() {
    pace kept;
    kept.on_pushed(of(900));
    bool good = !kept.ran(usual, false, false, 1) && !kept.open;
    kept.on_pushed(of(20));
    good = good && kept.ran(usual, false, false, 1) && kept.open;
    // Where it fits a quarter of the input has to come.
    good = good && !after(kept, 249, at(990)) && after(kept, 1, at(990));
    // A layer that was not due is tried.
    good = good && kept.may_run(usual, at(990), 2, 0, nothing);
    // Where it does not, something that may go.
    kept.stuck_at = {30};
    kept.on_pushed(of(1));
    good = good && !kept.may_run(usual, at(1'100), 1, 0, [] { return tokens{49}; });
    good = good && kept.may_run(usual, at(1'100), 1, 0, [] { return tokens{50}; });
    // Still in vain: it is open already.
    good = good && !kept.ran(usual, false, false, 1) && kept.open && kept.fruitless == 3;
    // Progress closes it.
    return good && !kept.ran(usual, true, false, 0) && !kept.open && kept.fruitless == 0;
}
static_assert(two_runs_in_vain_open_the_circuit());

constexpr bool waiting_for_a_model_is_not_in_vain() {
    pace kept;
    kept.on_pushed(of(900));
    bool good = true;
    for (int run = 0; run < 5; ++run) good = good && !kept.ran(usual, false, true, 1) && !kept.open;
    return good && kept.fruitless == 0;
}
static_assert(waiting_for_a_model_is_not_in_vain());

constexpr bool a_manual_run_in_vain_is_not_repeated() {
    pace kept;
    kept.on_pushed(of(900));
    kept.ran_in_vain(1);
    bool const waits = !kept.may_run(usual, at(950), 1, 0, nothing) && kept.may_run(usual, at(950), 3, 0, nothing);
    return waits && !kept.open && kept.fruitless == 0 && after(kept, 20, at(950));
}
static_assert(a_manual_run_in_vain_is_not_repeated());

constexpr bool limits_in_messages_wait_for_rounds() {
    pace kept;
    kept.on_pushed(of(1), true);
    static_cast<void>(kept.ran(usual, false, false, 1, 1));
    kept.on_pushed(of(1));  // the round goes on
    bool good = !kept.may_run(usual, at(700), 1, 1, nothing) && kept.may_ask_of(1) == 0 && kept.may_ask_of(3) == 2;
    kept.on_pushed(of(1), true);
    good = good && kept.may_run(usual, at(700), 1, 1, nothing) && !kept.may_run(usual, at(700), 1, 0, nothing) &&
           kept.may_ask_of(1) == 1;
    // In vain again, twice the rounds, whether the circuit is open or not.
    good = good && kept.ran(usual, false, false, 1, 1) && kept.open;
    kept.on_pushed(of(1), true);
    good = good && !kept.may_run(usual, at(700), 1, 1, nothing);
    kept.on_pushed(of(1), true);
    good = good && kept.may_run(usual, at(700), 1, 1, nothing);
    // Once it is below its limit it waits for one round again.
    static_cast<void>(kept.ran(usual, true, false, 0, 0));
    static_cast<void>(kept.ran(usual, true, false, 1, 1));
    kept.on_pushed(of(1), true);
    return good && kept.may_run(usual, at(700), 1, 1, nothing);
}
static_assert(limits_in_messages_wait_for_rounds());

constexpr bool models_wait_longer() {
    pace kept;
    kept.on_pushed(of(800));
    bool good = kept.may_ask(usual, at(800));
    kept.on_model_asked(true);
    kept.on_pushed(of(249));
    good = good && !kept.may_ask(usual, at(900));
    good = good && kept.may_ask(usual, at(1'001));  // nothing else may make it fit
    kept.open = true;
    good = good && !kept.may_ask(usual, at(1'001));
    kept.open = false;
    kept.on_model_asked(false);  // its answer did not make it fit
    kept.on_pushed(of(249));
    good = good && !kept.may_ask(usual, at(1'001));
    kept.on_pushed(of(1));
    return good && kept.may_ask(usual, at(900));
}
static_assert(models_wait_longer());

}  // namespace

TEST_CASE("pacing: after a run that left its layer due, the next waits for growth") { CHECK(runs_wait_for_growth()); }

TEST_CASE("pacing: what has not changed is not tried again", "[law-9]") { CHECK(unchanged_input_is_not_tried_again()); }

TEST_CASE("pacing: two runs in vain open the circuit, progress closes it", "[law-9]") {
    CHECK(two_runs_in_vain_open_the_circuit());
}

TEST_CASE("pacing: a run that only waited for its model opens no circuit") {
    CHECK(waiting_for_a_model_is_not_in_vain());
}

TEST_CASE("pacing: a manual run in vain is not repeated by itself") { CHECK(a_manual_run_in_vain_is_not_repeated()); }

TEST_CASE("pacing: limits in messages or turns wait for rounds, not for tokens", "[law-18]") {
    CHECK(limits_in_messages_wait_for_rounds());
}

TEST_CASE("pacing: models are asked once in a quarter of the input") { CHECK(models_wait_longer()); }

TEST_CASE("pacing: figures at their limits are harmless", "[law-t4]") {
    for (auto const figure : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        pace kept;
        kept.on_pushed({figure});
        kept.on_pushed({figure});
        usage const now{.tokens = {figure}, .input = {figure}};
        static_cast<void>(kept.ran(usual, false, false, 1));
        static_cast<void>(kept.ran(usual, false, false, 1));
        CHECK(kept.open);
        CHECK_FALSE(kept.may_run(usual, now, 1, 0, nothing));
        kept.on_model_asked(true);
        CHECK(kept.may_ask(usual, now) == (figure == 0));
    }
}

TEST_CASE("pacing: a session that waits can say why") {
    using condense::detail::pause;
    pace kept;
    kept.on_pushed(of(900));
    auto const why = [&](usage now, tokens reducible = {}) {
        return kept.pause_of(usual, now, 1, 0, [=] { return reducible; }).text();
    };
    CHECK(why(at(700)).empty());
    static_cast<void>(kept.ran(usual, true, false, 1));
    CHECK(why(at(700)) == "nothing has come since the latest run");
    kept.on_pushed(of(5));
    CHECK(why(at(700)) == "15 tokens have to come first");
    CHECK(why(at(1'100)).empty());
    static_cast<void>(kept.ran(usual, false, false, 1));
    static_cast<void>(kept.ran(usual, false, false, 1));
    kept.on_pushed(of(50));
    CHECK(why(at(700)) == "the circuit is open until 200 tokens more have come");
    CHECK(why(at(1'100)) == "the circuit is open until more can be reduced");
    CHECK(why(at(1'100), tokens{20}).empty());
    kept.on_pushed(of(200));
    CHECK(why(at(700)).empty());
}
