// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/fallback.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;

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
        if (how == works || how == returns || how == throws) fakes::drop(draft, 1);
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
        fakes::drop(draft, 1);
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
        fakes::drop(draft, 1);
        if (!nested) throw condense::cancelled{};
        fakes::throw_nested(condense::cancelled{});
    }
};

conversation history() { return {U("one"), U("two"), U("three"), U("four")}; }

/// Runs a mix over the history, and counts how often each of its workers ran.
struct trial {
    int first = 0;
    int second = 0;
    int third = 0;
    conversation messages = history();

    auto of(auto const& mix) { return reduced(messages, mix, 1'000_tokens); }
};

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
using window_layer = decltype(sliding_window{});

static_assert(fallback<window_layer, window_layer>::last_resort && !fallback<window_layer, clock_layer>::last_resort);
static_assert(!fallback<clock_layer, window_layer>::last_resort);
static_assert(fallback<journal_layer, journal_layer>::records && !fallback<journal_layer, clock_layer>::records);
static_assert(fallback<clock_layer, window_layer>::effects & condense::reads_clock);
static_assert(fallback<clock_layer, window_layer>::effects & condense::drops);
static_assert(!condense::deterministic<pipeline<fallback<window_layer, clock_layer>>>);
static_assert(condense::calls_model<pipeline<fallback<asking, window_layer>>>);
static_assert(condense::has_last_resort<pipeline<fallback<window_layer, window_layer>, escalate<>>>);
static_assert(!condense::has_last_resort<pipeline<fallback<window_layer, clock_layer>, escalate<>>>);
static_assert(condense::has_last_resort<pipeline<window_layer, fallback<window_layer, clock_layer>, escalate<>>>);
static_assert(condense::recoverable<pipeline<fallback<journal_layer, journal_layer>, window_layer>>);
static_assert(!condense::recoverable<pipeline<fallback<journal_layer, window_layer>>>);
static_assert(condense::recoverable<pipeline<journal_layer, fallback<window_layer, clock_layer>>>);
static_assert(condense::recoverable<pipeline<fallback<pipeline<journal_layer, window_layer>, clock_layer>>>);
static_assert(fallback<pipeline<window_layer, clock_layer>, window_layer>::size == 3);
static_assert(condense::layer<fallback<window_layer, window_layer>>);

}  // namespace

TEST_CASE("fallback: the next layer runs where the one before it failed, and only there") {
    using enum worker::way;
    struct row {
        worker::way how, then;
        char const* outcomes;
    };
    // One that was refused, or has nothing to do, has not failed.
    for (auto const& [how, then, outcomes] :
         {row{works, works, "applied idle idle"}, row{returns, works, "failed applied idle"},
          row{throws, works, "failed applied idle"}, row{throws, returns, "failed failed applied"},
          row{declines, works, "idle idle idle"}, row{refused, works, "declined idle idle"},
          row{idle, works, "idle idle idle"}}) {
        trial now;
        auto const report =
            now.of(fallback{worker{how, &now.first}, worker{then, &now.second}, worker{works, &now.third}});
        CAPTURE(static_cast<int>(how), static_cast<int>(then));
        CHECK(fakes::outcomes(report) == outcomes);
        CHECK(report.changed() == (now.messages.size() != 4));
        bool const failed = how == returns || how == throws;
        CHECK(now.second == (failed ? now.first : 0));
        CHECK(now.third == (then == works ? 0 : now.first));
        CHECK(report.changed() == (failed || how == works));
        if (!report.changed()) CHECK(now.first == 1);
        if (how == works) CHECK(report.layers[1].runs == 0);
        if (then == works) CHECK(report.layers[2].runs == 0);
        if (failed) CHECK(report.layers[0].note == (how == returns ? "failed" : "threw"));
        if (failed) CHECK(report.layers[0].groups_dropped == 0);
    }
}

TEST_CASE("fallback: when all fail nothing has changed, and each says why") {
    trial now;
    auto const report = now.of(fallback{worker{worker::throws, &now.first}, worker{worker::returns, &now.first}});
    CHECK(now.messages.size() == 4);
    CHECK_FALSE(report.changed());
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[1].failures == 1);
    CHECK(report.layers[1].note == "failed");
    CHECK(now.first == 2);
}

TEST_CASE("fallback: it is due when the first one is") {
    int ran = 0;
    fallback const mix{worker{worker::works, &ran, 100_tokens}, worker{worker::works, &ran, 10_tokens}};
    CHECK_FALSE(mix.due({.tokens = 50_tokens}));
    CHECK(mix.due({.tokens = 101_tokens}));
    CHECK_FALSE(pipeline{mix}.due({.tokens = 50_tokens}));
    // Due or not is asked of a layer with `when` before it runs: the second does not stand in for it.
    fallback const windows{sliding_window{.when = used > 10_messages}, sliding_window{.when = used > 1_messages}};
    CHECK_FALSE(trial{}.of(windows).changed());
}

TEST_CASE("fallback: a model that failed in a run is not asked again in it, its substitute acts each time") {
    int asked = 0;
    int stood_in = 0;
    auto messages = history();
    auto const report = reduced(messages,
                                pipeline{fallback{asking{&asked}, worker{worker::works, &stood_in}},
                                         escalate{.when = used > 1_tokens, .until = used <= 1_tokens, .passes = 3}},
                                8_tokens);
    CHECK(asked == 1);
    CHECK(stood_in > 1);
    CHECK(messages.size() == 1);
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[1].outcome == layer_outcome::applied);
}

TEST_CASE("fallback: a pipeline fails when a layer in it does") {
    trial now;
    auto const report =
        now.of(fallback{pipeline{worker{worker::works, &now.first}, worker{worker::throws, &now.second}},
                        worker{worker::works, &now.third}});
    CHECK(now.first > 0);
    CHECK(now.second == now.first);
    CHECK(now.third == now.first);
    CHECK(fakes::outcomes(report) == "applied failed applied");
}

TEST_CASE("fallback: one in another has failed only where all of its own layers do") {
    trial now;
    auto const report =
        now.of(fallback{fallback{worker{worker::throws, &now.first}, worker{worker::throws, &now.first}},
                        fallback{worker{worker::throws, &now.first}, worker{worker::works, &now.second}}});
    CHECK(now.second * 3 == now.first);
    CHECK(now.second > 0);
    CHECK(fakes::outcomes(report) == "failed failed failed applied");
    trial other;
    static_cast<void>(
        other.of(fallback{fallback{worker{worker::throws, &other.first}, worker{worker::works, &other.first}},
                          worker{worker::works, &other.second}}));
    CHECK(other.first > 0);
    CHECK(other.second == 0);
}

TEST_CASE("fallback: a cancellation reaches the caller and no layer stands in for another", "[law-12]") {
    trial now;
    bool const nested = GENERATE(false, true);
    fallback const mix{stopper{&now.first, nested}, worker{worker::works, &now.second}};
    if (nested) CHECK_THROWS_AS(now.of(mix), std::runtime_error);
    else CHECK_THROWS_AS(now.of(mix), condense::cancelled);
    CHECK(now.first == 1);
    CHECK(now.second == 0);
    CHECK(now.messages == history());
}

TEST_CASE("fallback: a stop in the first leaves the second alone") {
    trial now;
    bool stop = false;
    auto const one = toy::layer<condense::drops>([&](auto&, auto&) -> condense::failed {
        ++now.first;
        stop = true;
        return {"too late"};
    });
    condense::run_options<condense::steady_clock, fakes::stop_flag> const options{.stop = {&stop}};
    auto const report = condense::reduce(now.messages, fallback{one, worker{worker::works, &now.second}},
                                         {.window = 1'000_tokens}, per_byte{}, options);
    CHECK(now.first == 1);
    CHECK(now.second == 0);
    CHECK(now.messages.size() == 4);
    CHECK(report.layers[0].note == "too late");
    CHECK(report.layers[1].note == "stopped");
}

TEST_CASE("fallback: on arrival each message goes to the first that takes it") {
    int first_ran = 0;
    int second_ran = 0;
    bool const fails = GENERATE(false, true);
    auto session = opened(fallback{arriving{&first_ran, fails}, arriving{&second_ran}});
    push(session, history());
    CHECK(first_ran == 4);
    CHECK(second_ran == (fails ? 4 : 0));
    CHECK(session.statistics().layers[0].failures == (fails ? 4u : 0u));
}

TEST_CASE("fallback: a store that fails is a failure of the layer that used it") {
    shelf const full;
    full.held->fails = true;
    conversation messages{U("u"), C("1"), R("1", letters(2'000)), A("a")};
    auto const report =
        reduced(messages, fallback{offload{.over = 500_chars, .preview = head{50_chars}, .into = full},
                                   offload{.over = 500_chars, .preview = head{60_chars}, .into = shelf{}}});
    CHECK(fakes::outcomes(report) == "failed applied");
    CHECK(report.layers[0].note == "the disk is full");
    CHECK(report.layers[1].artifacts == 1);
    CHECK(messages[2].parts[0].text.size() < 500);
}
