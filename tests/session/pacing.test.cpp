// SPDX-License-Identifier: BSL-1.0
#include <condense/session/pacing.hpp>

#include "support/catch.hpp"

namespace {

using condense::tokens;
using condense::usage;

constexpr condense::pacing usual{};
constexpr condense::cost of(std::uint64_t count) { return condense::cost::of({count}); }
constexpr usage at(std::uint64_t count) { return {.tokens = {count}, .input = {1'000}}; }

/// Asks with the usual pacing; nothing can be reduced.
struct pace : condense::detail::pace {
    explicit pace(std::uint64_t added = 0, bool round = false) { push(added, round); }
    void push(std::uint64_t count, bool round = false) {
        if (count != 0) on_pushed(of(count), round);
    }
    /// `due`: the layers that are, as bits; `counted`: those of them by messages.
    bool may(std::uint64_t used, std::uint64_t due = 1, std::uint64_t counted = 0, tokens reducible = {}) const {
        return may_run(usual, at(used), due, counted, [=] { return reducible; });
    }
    bool may_after(std::uint64_t added, std::uint64_t used) { return push(added), may(used); }
    bool may_ask(std::uint64_t used) const { return condense::detail::pace::may_ask(usual, at(used)); }
    /// True where that opens the circuit.
    bool run(bool helped, std::uint64_t due, std::uint64_t counted = 0, bool waits = false) {
        return ran(usual, helped, waits, due, counted);
    }
};

}  // namespace

TEST_CASE("pacing: after a run that left its layer due, the next waits for growth") {
    pace kept;
    CHECK(kept.may(700));
    kept.push(1);
    // It has helped, and another layer is not due any more.
    CHECK_FALSE(kept.run(true, 0));
    CHECK(kept.may(700));
    // It has helped, but not enough: 2 % have to come first.
    CHECK_FALSE(kept.run(true, 1));
    CHECK_FALSE(kept.may(700));
    CHECK_FALSE(kept.may_after(19, 700));
    CHECK(kept.may_after(1, 700));
    // But a layer that was not due then is, or the request does not fit.
    CHECK_FALSE(kept.run(true, 1));
    CHECK((kept.may(700, 3) && kept.may(700, 2)));
    CHECK_FALSE(kept.may(1'001));
    CHECK(kept.may_after(1, 1'001));
}

TEST_CASE("pacing: what has not changed is not tried again", "[law-9]") {
    pace kept{5'000};
    static_cast<void>(kept.run(false, 1));
    CHECK_FALSE(kept.may(5'000));
    kept.changed();
    CHECK(kept.may(500));
}

TEST_CASE("pacing: two runs in vain open the circuit, progress closes it", "[law-9]") {
    pace kept{900};
    CHECK((!kept.run(false, 1) && !kept.open));
    kept.push(20);
    CHECK((kept.run(false, 1) && kept.open));
    // Where it fits a quarter of the input has to come.
    CHECK_FALSE(kept.may_after(249, 990));
    CHECK(kept.may_after(1, 990));
    CHECK(kept.may(990, 2));  // a layer that was not due is tried
    // Where it does not, something that may go.
    kept.stuck_at = {30};
    kept.push(1);
    CHECK_FALSE(kept.may(1'100, 1, 0, {49}));
    CHECK(kept.may(1'100, 1, 0, {50}));
    // Still in vain: it is open already.
    CHECK((!kept.run(false, 1) && kept.open && kept.fruitless == 3));
    CHECK((!kept.run(true, 0) && !kept.open && kept.fruitless == 0));
}

TEST_CASE("pacing: a run that only waited for its model opens no circuit") {
    pace kept{900};
    for (int run = 0; run < 5; ++run) CHECK((!kept.run(false, 1, 0, true) && !kept.open));
    CHECK(kept.fruitless == 0);
}

TEST_CASE("pacing: a manual run in vain is not repeated by itself") {
    pace kept{900};
    kept.ran_in_vain(1);
    CHECK_FALSE(kept.may(950));
    CHECK(kept.may(950, 3));
    CHECK((!kept.open && kept.fruitless == 0 && kept.may_after(20, 950)));
}

TEST_CASE("pacing: limits in messages or turns wait for rounds, not for tokens", "[law-18]") {
    pace kept{1, true};
    static_cast<void>(kept.run(false, 1, 1));
    kept.push(1);  // the round goes on
    CHECK_FALSE(kept.may(700, 1, 1));
    CHECK((kept.may_ask_of(1) == 0 && kept.may_ask_of(3) == 2));
    kept.push(1, true);
    CHECK((kept.may(700, 1, 1) && !kept.may(700) && kept.may_ask_of(1) == 1));
    // In vain again, twice the rounds, whether the circuit is open or not.
    CHECK((kept.run(false, 1, 1) && kept.open));
    kept.push(1, true);
    CHECK_FALSE(kept.may(700, 1, 1));
    kept.push(1, true);
    CHECK(kept.may(700, 1, 1));
    // Once it is below its limit it waits for one round again.
    static_cast<void>(kept.run(true, 0));
    static_cast<void>(kept.run(true, 1, 1));
    kept.push(1, true);
    CHECK(kept.may(700, 1, 1));
}

TEST_CASE("pacing: models are asked once in a quarter of the input") {
    pace kept{800};
    CHECK(kept.may_ask(800));
    kept.on_model_asked(true);
    kept.push(249);
    CHECK_FALSE(kept.may_ask(900));
    CHECK(kept.may_ask(1'001));  // nothing else may make it fit
    kept.open = true;
    CHECK_FALSE(kept.may_ask(1'001));
    kept.open = false;
    kept.on_model_asked(false);  // its answer did not make it fit
    kept.push(249);
    CHECK_FALSE(kept.may_ask(1'001));
    kept.push(1);
    CHECK(kept.may_ask(900));
}

TEST_CASE("pacing: figures at their limits are harmless", "[law-t4]") {
    for (auto const figure : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        pace kept;
        kept.on_pushed({figure});
        kept.on_pushed({figure});
        usage const now{.tokens = {figure}, .input = {figure}};
        static_cast<void>(kept.run(false, 1));
        static_cast<void>(kept.run(false, 1));
        CHECK(kept.open);
        CHECK_FALSE(kept.may_run(usual, now, 1, 0, [] { return tokens{0}; }));
        kept.on_model_asked(true);
        CHECK(kept.condense::detail::pace::may_ask(usual, now) == (figure == 0));
    }
}

TEST_CASE("pacing: a session that waits can say why") {
    pace kept{900};
    auto const why = [&](std::uint64_t used, tokens reducible = {}) {
        return kept.pause_of(usual, at(used), 1, 0, [=] { return reducible; }).text();
    };
    CHECK(why(700).empty());
    static_cast<void>(kept.run(true, 1));
    CHECK(why(700) == "nothing has come since the latest run");
    kept.push(5);
    CHECK(why(700) == "15 tokens have to come first");
    CHECK(why(1'100).empty());
    static_cast<void>(kept.run(false, 1));
    static_cast<void>(kept.run(false, 1));
    kept.push(50);
    CHECK(why(700) == "the circuit is open until 200 tokens more have come");
    CHECK(why(1'100) == "the circuit is open until more can be reduced");
    CHECK(why(1'100, {20}).empty());
    kept.push(200);
    CHECK(why(700).empty());
}
