// SPDX-License-Identifier: BSL-1.0
#include <condense/core/layer_run.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/rounds.hpp"
#include "support/catch.hpp"

namespace {

using namespace calls_in_rounds;
using condense::layer_outcome;
using condense::refusal;

}  // namespace

TEST_CASE("layer_run: a layer that does nothing is idle") {
    auto messages = four_rounds();
    auto const report = reduced(messages, pipeline{layer<condense::drops>(nothing)});
    CHECK(report.layers[0].outcome == layer_outcome::idle);
    CHECK(report.layers[0].runs > 0);
    CHECK(messages == four_rounds());
}

TEST_CASE("layer_run: a layer that was refused everything has declined, and its note says why") {
    auto messages = four_rounds();
    auto const all = [](auto& draft, auto& pass) {
        pass.note(draft.drop({6}));
        pass.note(draft.drop({99}));
    };
    auto const report = reduced(messages, pipeline{layer<condense::drops>(all)});
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(report.layers[0].refused >= 2);
    CHECK(std::string_view{report.layers[0].note} == "latest user message");
    CHECK(messages == four_rounds());
}

// Failures change nothing

TEST_CASE("layer_run: a layer that throws is taken back, and the next one goes on") {
    auto messages = four_rounds();
    auto const after_drop = [](auto fail) {
        return layer<condense::drops>([fail](auto& draft, auto& pass) {
            pass.note(draft.drop({5}));
            fail();
        });
    };
    auto const good = layer<condense::drops>(drop_round);
    SECTION("an exception that says what it is") {
        auto const report = reduced(messages, pipeline{after_drop([] { throw std::runtime_error{"no luck"}; }), good});
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(std::string_view{report.layers[0].note} == "no luck");
        CHECK(report.layers[1].outcome == layer_outcome::applied);
    }
    SECTION("an exception that does not") {
        auto const report = reduced(messages, pipeline{after_drop([] { throw 7; }), good});
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(std::string_view{report.layers[0].note} == "an exception of unknown type");
        CHECK(report.layers[1].outcome == layer_outcome::applied);
    }
    CHECK(messages.size() == 5);
    CHECK(messages[3] == A("well"));
}

TEST_CASE("layer_run: a layer that says that it failed is taken back") {
    auto messages = four_rounds();
    auto const fails = [](std::string_view reason) {
        return layer<condense::drops>([reason](auto& draft, auto& pass) -> condense::failed {
            pass.note(draft.drop({1}));
            return {reason};
        });
    };
    auto report = reduced(messages, pipeline{fails("the model was silent")});
    CHECK(report.layers[0].outcome == layer_outcome::failed);
    CHECK(std::string_view{report.layers[0].note} == "the model was silent");
    CHECK(report.layers[0].saved.count == 0);
    CHECK(report.layers[0].groups_dropped == 0);
    CHECK(messages == four_rounds());
    report = reduced(messages, pipeline{fails("")});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(messages.size() == 5);
}

// Dry runs, models, cancellation

TEST_CASE("layer_run: a dry run asks nothing and keeps nothing, and says what would be") {
    auto const messages = four_rounds();
    shelf::state state;
    shelf const store{&state};
    int asked = 0;
    auto const ask = layer<condense::asks>([&](auto&, auto& pass) {
        CHECK(pass.dry());
        CHECK(pass.ask([&](std::string_view) { return ++asked, std::string{"answer"}; }, "?", {}).empty());
    });
    auto const reduced =
        condense::dry_run(messages, pipeline{ask, keeper(store, true)}, {.window = {1'000}}, toy::per_byte{});
    CHECK(asked == 0);
    CHECK(state.kept.empty());
    CHECK(reduced.report().layers[0].asked > 0);
    CHECK(reduced.report().layers[1].artifacts == 2);
    CHECK(reduced.used().messages.count == 5);
}

namespace {

struct stopper {
    bool const* wanted;
    bool stop_requested() const noexcept { return *wanted; }
};

}  // namespace

TEST_CASE("layer_run: a layer that throws when it was told to stop ends the run, and nothing has changed") {
    auto messages = four_rounds();
    bool stop = false;
    condense::run_options<condense::steady_clock, stopper> const options{.stop = {&stop}};
    int reached = 0;
    bool told = true;
    pipeline const mix{layer<condense::drops>(drop_round), layer<condense::drops>([&](auto&, auto& pass) {
                           stop = told;
                           if (!stop) return;
                           CHECK(pass.stop_requested());
                           throw std::runtime_error{"cancelled"};
                       }),
                       layer<condense::no_effects>([&](auto&, auto&) { ++reached; })};
    CHECK_THROWS_AS(condense::reduce(messages, mix, {.window = {1'000}}, toy::per_byte{}, options), std::runtime_error);
    CHECK(reached == 0);
    CHECK(messages == four_rounds());
    stop = told = false;
    CHECK_NOTHROW(condense::reduce(messages, mix, {.window = {1'000}}, toy::per_byte{}, options));
    CHECK(reached > 0);
    CHECK(messages.size() == 5);
}

TEST_CASE("layer_run: being told to stop is heard through a layer that runs others again") {
    auto messages = four_rounds();
    bool stop = false;
    condense::run_options<condense::steady_clock, stopper> const options{.stop = {&stop}};
    auto const under_pressure = layer<condense::drops>([&](auto& draft, auto& pass) {
        if (pass.pressure() == 0) return;
        stop = true;
        pass.note(draft.drop({1}));
        throw std::runtime_error{"cancelled"};
    });
    auto const press = toy::press{};
    CHECK_THROWS_AS(
        condense::reduce(messages, pipeline{under_pressure, press}, {.window = {1'000}}, toy::per_byte{}, options),
        std::runtime_error);
    CHECK(messages == four_rounds());
}

TEST_CASE("layer_run: who is told to stop and fails by value leaves the view, and the report, as they were",
          "[law-12]") {
    auto messages = four_rounds();
    bool stop = false;
    condense::run_options<condense::steady_clock, stopper> const options{.stop = {&stop}};
    int reached = 0;
    pipeline const mix{layer<condense::drops>(drop_round), layer<condense::drops>([&](auto&, auto&) {
                           stop = true;
                           return condense::failed{"told to stop"};
                       }),
                       layer<condense::no_effects>([&](auto&, auto&) { ++reached; })};
    auto const report = condense::reduce(messages, mix, {.window = {1'000}}, toy::per_byte{}, options);
    CHECK(messages == four_rounds());
    CHECK_FALSE(report.changed());
    CHECK(report.after == report.before);
    CHECK(report.layers[0].saved == condense::tokens{});
    CHECK(std::string_view{report.layers[0].note} == "stopped");
    CHECK(report.layers[1].failures == 1);
    CHECK(reached == 0);
}

TEST_CASE("layer_run: a cancellation reaches the caller, wrapped or not", "[law-12]") {
    struct own_stop : condense::cancelled {};
    for (int kind = 0; kind < 3; ++kind) {
        auto messages = four_rounds();
        auto const cancel = layer<condense::drops>([&](auto& draft, auto& pass) {
            pass.note(draft.drop({1}));
            if (kind == 0) throw own_stop{};
            try {
                throw own_stop{};
            } catch (...) {
                if (kind == 1) std::throw_with_nested(std::runtime_error{"the model's client gave up"});
                try {
                    std::throw_with_nested(std::runtime_error{"inner"});
                } catch (...) { std::throw_with_nested(std::logic_error{"outer"}); }
            }
        });
        CHECK_THROWS_AS(reduced(messages, pipeline{cancel}), std::exception);
        CHECK(messages == four_rounds());
    }
    auto messages = four_rounds();
    auto const nested = layer<condense::drops>([](auto&, auto&) {
        try {
            throw std::logic_error{"no cancellation"};
        } catch (...) { std::throw_with_nested(std::runtime_error{"only a failure"}); }
    });
    CHECK(reduced(messages, pipeline{nested}).layers[0].outcome == layer_outcome::failed);
}

// Growth

TEST_CASE("layer_run: growth by restored messages is reported apart") {
    auto messages = four_rounds();
    auto const once = layer<condense::drops>([](auto& draft, auto& pass) {
        if (draft.present(condense::sequence{5})) pass.note(draft.drop({1}));
    });
    constexpr auto effects = condense::drops | condense::restores;
    auto const swap = layer<effects>([](auto& draft, auto& pass) {
        if (draft.present(condense::sequence{1}) || !draft.present(condense::sequence{3})) return;
        pass.note(draft.drop({3}));
        pass.note(draft.drop({5}));
        pass.note(draft.restore({1}));
    });
    auto const report = reduced(messages, pipeline{once, swap});
    auto const& entry = report.layers[1];
    CHECK(entry.outcome == layer_outcome::applied);
    CHECK(entry.saved.count == 10);
    CHECK(entry.restored.count == 12);
    CHECK(report.before.tokens + entry.restored == report.after.tokens + report.layers[0].saved + entry.saved);
}
