// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/fallback.hpp>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/condense.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"
#include "support/tape.hpp"

namespace {

using condense::fallback;
using condense::layer_outcome;
using condense::pipeline;
using condense::used;
using namespace condense::literals;
using namespace notation;

struct exact : per_byte {};

/// Drops one group, after it has noted that it ran, or fails in the way that it was told.
struct worker {
    enum way { works, returns, throws, declines, refused, idle };
    way how = works;
    int* ran = nullptr;
    condense::tokens due_from = {};
    static constexpr auto effects = condense::drops;

    bool due(condense::usage const& now) const noexcept { return now.tokens > due_from; }

    condense::failed reduce(auto& draft, auto& pass) const {
        ++*ran;
        if (how == idle) return {};
        if (how == refused) pass.note(draft.drop({1'000}));
        if (how == works || how == returns || how == throws)
            for (auto const which : draft.groups())
                if (!draft.drop(which)) break;
        if (how == throws) throw std::runtime_error{"threw"};
        if (how == returns) return {"failed"};
        return {};
    }
};

struct asking {
    int* ran = nullptr;
    bool fails = true;
    static constexpr auto effects = condense::asks | condense::drops;
    condense::failed reduce(auto& draft, auto&) const {
        ++*ran;
        if (fails) return {"429"};
        for (auto const which : draft.groups())
            if (!draft.drop(which)) break;
        return {};
    }
};

struct arriving {
    int* ran = nullptr;
    bool fails = false;
    static constexpr auto effects = condense::no_effects;
    condense::failed arrive(auto&, condense::sequence, auto&) const {
        ++*ran;
        if (fails) return {"no"};
        return {};
    }
};

struct stopper {
    int* ran = nullptr;
    bool nested = false;
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto&) const {
        ++*ran;
        for (auto const which : draft.groups())
            if (!draft.drop(which)) break;
        if (!nested) throw condense::cancelled{};
        try {
            throw condense::cancelled{};
        } catch (...) { std::throw_with_nested(std::runtime_error{"the transport failed"}); }
    }
};

struct flag {
    bool const* up;
    bool stop_requested() const { return *up; }
};

std::vector<toy::message> history() {
    return {toy::user("one"), toy::user("two"), toy::user("three"), toy::user("four")};
}
constexpr condense::budget roomy{.window = {1'000}};

// What is certain whichever layer acts.

struct journal_layer {
    static constexpr auto effects = condense::keeps;
    static constexpr bool records = true;
    static constexpr bool durable = true;
    condense::failed reduce(auto&, auto&) const { return {}; }
};
struct clock_layer {
    static constexpr auto effects = condense::reads_clock;
    void reduce(auto&, auto&) const {}
};
using window_layer = decltype(condense::sliding_window{});

static_assert(fallback<window_layer, window_layer>::last_resort && !fallback<window_layer, clock_layer>::last_resort);
static_assert(!fallback<clock_layer, window_layer>::last_resort);
static_assert(fallback<journal_layer, journal_layer>::records && !fallback<journal_layer, clock_layer>::records);
static_assert(fallback<clock_layer, window_layer>::effects & condense::reads_clock);
static_assert(fallback<clock_layer, window_layer>::effects & condense::drops);
static_assert(!condense::deterministic<pipeline<fallback<window_layer, clock_layer>>>);
static_assert(condense::calls_model<pipeline<fallback<asking, window_layer>>>);
static_assert(condense::has_last_resort<pipeline<fallback<window_layer, window_layer>, condense::escalate<>>>);
static_assert(!condense::has_last_resort<pipeline<fallback<window_layer, clock_layer>, condense::escalate<>>>);
static_assert(
    condense::has_last_resort<pipeline<window_layer, fallback<window_layer, clock_layer>, condense::escalate<>>>);
static_assert(condense::recoverable<pipeline<fallback<journal_layer, journal_layer>, window_layer>>);
static_assert(!condense::recoverable<pipeline<fallback<journal_layer, window_layer>>>);
static_assert(condense::recoverable<pipeline<journal_layer, fallback<window_layer, clock_layer>>>);
static_assert(condense::recoverable<pipeline<fallback<pipeline<journal_layer, window_layer>, clock_layer>>>);
static_assert(fallback<pipeline<window_layer, clock_layer>, window_layer>::size == 3);
static_assert(condense::layer<fallback<window_layer, window_layer>>);

}  // namespace

TEST_CASE("fallback: the next layer runs where the one before it failed, and only there", "[case-T80]") {
    int first = 0;
    int second = 0;
    int third = 0;
    auto const run = [&](worker::way how, worker::way then) {
        first = second = third = 0;
        auto messages = history();
        auto const report = condense::reduce(
            messages, pipeline{fallback{worker{how, &first}, worker{then, &second}, worker{worker::works, &third}}},
            roomy, exact{});
        CHECK(report.layers.size() == 3);
        CHECK(report.changed() == (messages.size() != 4));
        return report;
    };
    SECTION("one that works") {
        auto const report = run(worker::works, worker::works);
        CHECK(second == 0);
        CHECK(report.layers[0].outcome == layer_outcome::applied);
        CHECK(report.layers[1].outcome == layer_outcome::idle);
        CHECK(report.layers[1].runs == 0);
    }
    SECTION("one that returns a failure, or throws") {
        for (auto const how : {worker::returns, worker::throws}) {
            auto const report = run(how, worker::works);
            CHECK(first == second);
            CHECK(third == 0);
            CHECK(report.layers[0].outcome == layer_outcome::failed);
            CHECK(report.layers[0].note == (how == worker::returns ? "failed" : "threw"));
            CHECK(report.layers[0].groups_dropped == 0);
            CHECK(report.layers[1].outcome == layer_outcome::applied);
            CHECK(report.layers[2].runs == 0);
        }
    }
    SECTION("two that fail") {
        auto const report = run(worker::throws, worker::returns);
        CHECK(third == first);
        CHECK(report.layers[2].outcome == layer_outcome::applied);
    }
    SECTION("one that was refused, or has nothing to do") {
        for (auto const how : {worker::declines, worker::refused, worker::idle}) {
            auto const report = run(how, worker::works);
            CHECK(first == 1);
            CHECK(second == 0);
            CHECK_FALSE(report.changed());
        }
    }
}

TEST_CASE("fallback: when all fail nothing has changed, and each says why") {
    int ran = 0;
    auto messages = history();
    auto const report = condense::reduce(
        messages, fallback{worker{worker::throws, &ran}, worker{worker::returns, &ran}}, roomy, exact{});
    CHECK(messages.size() == 4);
    CHECK_FALSE(report.changed());
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[1].failures == 1);
    CHECK(report.layers[1].note == "failed");
    CHECK(ran == 2);
}

TEST_CASE("fallback: it is due when the first one is") {
    int ran = 0;
    fallback const mix{worker{worker::works, &ran, 100_tokens}, worker{worker::works, &ran, 10_tokens}};
    CHECK_FALSE(mix.due({.tokens = 50_tokens}));
    CHECK(mix.due({.tokens = 101_tokens}));
    CHECK_FALSE(pipeline{mix}.due({.tokens = 50_tokens}));
    // Due or not is asked of a layer with `when` before it runs: the second does not stand in for it.
    auto messages = history();
    auto const report = condense::reduce(messages,
                                         pipeline{fallback{condense::sliding_window{.when = used > 10_messages},
                                                           condense::sliding_window{.when = used > 1_messages}}},
                                         roomy, exact{});
    CHECK_FALSE(report.changed());
}

TEST_CASE("fallback: a model that failed in a run is not asked again in it, its substitute acts each time") {
    int asked = 0;
    int stood_in = 0;
    auto messages = history();
    auto const mix = pipeline{fallback{asking{&asked}, worker{worker::works, &stood_in}},
                              condense::escalate{.when = used > 1_tokens, .until = used <= 1_tokens, .passes = 3}};
    auto const report = condense::reduce(messages, mix, {.window = 8_tokens}, exact{});
    CHECK(asked == 1);
    CHECK(stood_in > 1);
    CHECK(messages.size() == 1);
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[1].outcome == layer_outcome::applied);
}

TEST_CASE("fallback: a pipeline fails when a layer in it does") {
    int first = 0;
    int second = 0;
    int third = 0;
    auto messages = history();
    auto const report =
        condense::reduce(messages,
                         pipeline{fallback{pipeline{worker{worker::works, &first}, worker{worker::throws, &second}},
                                           worker{worker::works, &third}}},
                         roomy, exact{});
    CHECK(first > 0);
    CHECK(second == first);
    CHECK(third == first);
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[1].outcome == layer_outcome::failed);
    CHECK(report.layers[2].outcome == layer_outcome::applied);
}

TEST_CASE("fallback: in fallbacks") {
    int ran = 0;
    int last = 0;
    auto messages = history();
    auto const mix = pipeline{fallback{fallback{worker{worker::throws, &ran}, worker{worker::throws, &ran}},
                                       fallback{worker{worker::throws, &ran}, worker{worker::works, &last}}}};
    auto const report = condense::reduce(messages, mix, roomy, exact{});
    CHECK(last * 3 == ran);
    CHECK(last > 0);
    CHECK(report.layers[3].outcome == layer_outcome::applied);
    CHECK(report.layers.size() == 4);
}

TEST_CASE("fallback: one in another has not failed where one of its own layers works") {
    int ran = 0;
    int outer = 0;
    auto messages = history();
    auto const mix = pipeline{
        fallback{fallback{worker{worker::throws, &ran}, worker{worker::works, &ran}}, worker{worker::works, &outer}}};
    static_cast<void>(condense::reduce(messages, mix, roomy, exact{}));
    CHECK(ran > 0);
    CHECK(outer == 0);
}

TEST_CASE("fallback: a cancellation reaches the caller and no layer stands in for another", "[law-12]") {
    int first = 0;
    int second = 0;
    bool const nested = GENERATE(false, true);
    auto messages = history();
    auto const mix = pipeline{fallback{stopper{&first, nested}, worker{worker::works, &second}}};
    if (nested) CHECK_THROWS_AS(condense::reduce(messages, mix, roomy, exact{}), std::runtime_error);
    else CHECK_THROWS_AS(condense::reduce(messages, mix, roomy, exact{}), condense::cancelled);
    CHECK(first == 1);
    CHECK(second == 0);
    CHECK(messages.size() == 4);
}

TEST_CASE("fallback: a stop in the first leaves the second alone") {
    int first = 0;
    int second = 0;
    bool stop = false;
    struct stops_then_fails {
        bool* stop;
        int* ran;
        condense::failed operator()() const {
            ++*ran;
            *stop = true;
            return {"too late"};
        }
    };
    stops_then_fails const act{&stop, &first};
    auto const one = toy::layer<condense::drops>([&](auto&, auto&) { return act(); });
    auto messages = history();
    condense::run_options<condense::steady_clock, flag> const options{.stop = {&stop}};
    auto const report =
        condense::reduce(messages, pipeline{fallback{one, worker{worker::works, &second}}}, roomy, exact{}, options);
    CHECK(first == 1);
    CHECK(second == 0);
    CHECK(messages.size() == 4);
    CHECK(report.layers[0].note == "too late");
    CHECK(report.layers[1].note == "stopped");
}

TEST_CASE("fallback: on arrival each message goes to the first that takes it") {
    int first = 0;
    int second = 0;
    bool const fails = GENERATE(false, true);
    auto const mix = pipeline{fallback{arriving{&first, fails}, arriving{&second}}};
    condense::session session{std::vector<toy::message>{}, mix, roomy, exact{}};
    for (auto const& m : history()) session.push(m);
    CHECK(first == 4);
    CHECK(second == (fails ? 4 : 0));
    CHECK(session.statistics().layers[0].failures == (fails ? 4u : 0u));
}

TEST_CASE("fallback: a store that fails is a failure of the layer that used it") {
    struct shelf {
        bool works;
        condense::reference name(std::string_view bytes) const { return tapes::tape{}.name(bytes); }
        std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
        condense::store_error put(condense::reference const&, std::string_view) const {
            return works ? condense::store_error{} : condense::store_error{"full"};
        }
    };
    auto const mix = pipeline{
        fallback{condense::offload{.over = 500_chars, .preview = condense::head{50_chars}, .into = shelf{false}},
                 condense::offload{.over = 500_chars, .preview = condense::head{60_chars}, .into = shelf{true}}}};
    conversation messages{U("u"), C("1"), R("1", letters(2'000)), A("a")};
    auto const report = condense::reduce(messages, mix, {.window = {100'000}}, exact{});
    CHECK(report.layers[0].outcome == layer_outcome::failed);
    CHECK(report.layers[0].note == "full");
    CHECK(report.layers[1].outcome == layer_outcome::applied);
    CHECK(report.layers[1].artifacts == 1);
    CHECK(messages[2].parts[0].text.size() < 500);
}
