// SPDX-License-Identifier: BSL-1.0
#include <condense/core/layer_run.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/rounds.hpp"
#include "support/catch.hpp"

namespace {

using namespace calls_in_rounds;
using condense::effect;
using condense::layer_outcome;

/// A layer that acts on one measure, at any usage.
template <effect Effects, condense::measure Measure, class Act>
struct measured : toy::acting<Effects, Act> {
    struct trigger {
        constexpr bool due(condense::usage const&) const noexcept { return true; }
        constexpr condense::measure fired(condense::usage const&) const noexcept { return Measure; }
        constexpr trigger target() const noexcept { return {}; }
        constexpr trigger bind(condense::tokens) const noexcept { return {}; }
        constexpr bool operator()(condense::usage const&) const noexcept { return false; }
        constexpr condense::messages message_limit() const noexcept { return {}; }
    };
    trigger when = {};
};
template <effect Effects, condense::measure Measure, class Act>
measured<Effects, Measure, Act> on(Act act) {
    return {{std::move(act)}};
}

struct gain {
    std::uint64_t least;
    constexpr bool pays(condense::tokens saved, condense::usage const&) const noexcept { return saved.count >= least; }
};
template <effect Effects, class Act>
struct worthwhile : toy::acting<Effects, Act> {
    gain worth;
};

}  // namespace

TEST_CASE("batch: what a layer did is measured") {
    auto messages = four_rounds();
    auto const report =
        reduced(messages, pipeline{layer<condense::drops>(drop_round), layer<condense::shortens>(nothing)});
    auto const& entry = report.layers[0];
    CHECK(entry.outcome == layer_outcome::applied);
    CHECK(entry.before.count == whole);
    CHECK(entry.saved.count == 12);
    CHECK(entry.after().count == whole - 12);
    CHECK(entry.groups_dropped == 1);
    CHECK(entry.parts_shortened == 0);
    CHECK(report.layers[1].before.count == whole - 12);
    CHECK(report.after.tokens.count == whole - 12);
    CHECK(messages.size() == 5);
}

TEST_CASE("batch: an edit of a part counts as one, and savings are those of each layer") {
    auto messages = four_rounds();
    auto const report =
        reduced(messages, pipeline{layer<condense::shortens>(shorten_result), layer<condense::drops>(drop_round)});
    CHECK(report.layers[0].parts_shortened == 1);
    CHECK(report.layers[0].saved.count == 9);
    CHECK(report.layers[1].saved.count == 3);
    CHECK(report.before.tokens - report.after.tokens == condense::tokens{12});
}

TEST_CASE("batch: what a layer notes of its work stays, what was noted of idle runs does not") {
    auto messages = four_rounds();
    auto const says = layer<condense::drops>([](auto& draft, auto& pass) {
        if (!draft.present(condense::sequence{1})) return;
        if (!draft.drop({1})) pass.note("the oldest round went");
    });
    auto const waits = layer<condense::drops>([](auto& draft, auto&) {
        if (!draft.present(condense::sequence{1}) && draft.present(condense::sequence{3}))
            static_cast<void>(draft.drop({3}));
    });
    auto const report = reduced(messages, pipeline{waits, says});
    CHECK(std::string_view{report.layers[1].note} == "the oldest round went");
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(std::string_view{report.layers[0].note}.empty());
}

TEST_CASE("batch: a batch must be smaller in the measure that fired, and larger in none") {
    using condense::measure;
    auto messages = four_rounds();
    auto const outcome = [&](auto made) { return reduced(messages, pipeline{made}).layers[0].outcome; };
    SECTION("fewer tokens are not fewer messages, for a layer that could take some out") {
        constexpr auto both = condense::shortens | condense::drops;
        CHECK(outcome(on<both, measure::message_count>(shorten_result)) == layer_outcome::declined);
        CHECK(outcome(on<both, measure::turn_count>(shorten_result)) == layer_outcome::declined);
        CHECK(messages == four_rounds());
    }
    SECTION("a layer that takes nothing out is measured in tokens, whatever fired") {
        CHECK(outcome(on<condense::shortens, measure::message_count>(shorten_result)) == layer_outcome::applied);
    }
    SECTION("fewer tokens") {
        CHECK(outcome(on<condense::shortens, measure::token_count>(shorten_result)) == layer_outcome::applied);
        CHECK(messages != four_rounds());
    }
    SECTION("fewer messages") {
        CHECK(outcome(on<condense::drops, measure::message_count>(drop_round)) == layer_outcome::applied);
        CHECK(messages.size() == 5);
    }
    SECTION("fewer messages are not fewer turns") {
        CHECK(outcome(on<condense::drops, measure::turn_count>(drop_round)) == layer_outcome::declined);
    }
    SECTION("one of several measures will do") {
        auto const both = measure::message_count | measure::turn_count;
        CHECK(outcome(on<condense::drops, both>(drop_round)) == layer_outcome::applied);
    }
    SECTION("fewer messages, but more tokens") {
        auto const verbose = [](auto& draft, auto& pass) {
            pass.note(draft.summarize(std::vector<group>{{1}}, "words and words and words"));
        };
        CHECK(outcome(on<condense::summarizes, measure::message_count>(verbose)) == layer_outcome::declined);
        CHECK(messages == four_rounds());
    }
    SECTION("parts without cost go without gain") {
        messages[3].parts.push_back({});
        auto const before = messages;
        auto const remove = [](auto& draft, auto& pass) {
            draft.each_part_of(condense::sequence{3}, [&](condense::part_ref part) {
                if (part.index == 1) pass.note(draft.remove(part));
            });
        };
        CHECK(outcome(layer<condense::shortens>(remove)) == layer_outcome::declined);
        CHECK(messages == before);
    }
}

TEST_CASE("batch: what was not smaller is told with its measure") {
    using condense::measure;
    auto const said = [](auto made) {
        auto messages = four_rounds();
        auto const report = reduced(messages, pipeline{made});
        CHECK(report.layers[0].outcome == layer_outcome::declined);
        return std::string{std::string_view{report.layers[0].note}};
    };
    constexpr auto both = condense::shortens | condense::drops;
    auto const size = std::to_string(four_rounds().size());
    CHECK(said(on<both, measure::message_count>(shorten_result)) ==
          "not smaller: the request would be " + size + " of " + size + " messages");
    CHECK(said(on<both, measure::turn_count>(shorten_result)).ends_with(" turns"));
    auto const verbose = [](auto& draft, auto& pass) {
        pass.note(draft.summarize(std::vector<group>{{1}}, "words and words and words"));
    };
    CHECK(said(on<condense::summarizes, measure::message_count>(verbose)) ==
          "not smaller: the request would be " + std::to_string(whole - 12 + 25) + " of " + std::to_string(whole) +
              " tokens");
}

TEST_CASE("batch: a batch that is not worth it is taken back") {
    auto messages = four_rounds();
    auto const with_worth = [](std::uint64_t least) {
        return worthwhile<condense::drops, decltype(drop_round)>{{drop_round}, {least}};
    };
    auto report = reduced(messages, pipeline{with_worth(13)});
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(std::string_view{report.layers[0].note} == "not worth it");
    CHECK(messages == four_rounds());
    report = reduced(messages, pipeline{with_worth(12)});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(messages.size() == 5);
}

TEST_CASE("batch: pressure lifts what a batch must be worth") {
    auto messages = four_rounds();
    auto const press = toy::press{};
    worthwhile<condense::drops, decltype(drop_round)> const greedy{{drop_round}, {13}};
    auto const report = reduced(messages, pipeline{greedy, press});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].saved.count == 12);
    CHECK(report.layers[1].saved.count == 0);
}

// Stores

TEST_CASE("batch: what is kept is put when the edits stand") {
    auto messages = four_rounds();
    shelf::state state;
    shelf const store{&state};
    auto const report = reduced(messages, pipeline{keeper(store, true)});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(state.kept == std::vector<std::string>{"one", "three"});
    CHECK(report.layers[0].artifacts == 2);
    CHECK(messages.size() == 5);
}

TEST_CASE("batch: what is kept without an edit is put, too") {
    auto messages = four_rounds();
    shelf::state state;
    shelf const store{&state};
    static_cast<void>(reduced(messages, pipeline{keeper(store, false)}));
    CHECK(state.kept == std::vector<std::string>{"one", "three"});
    CHECK(messages == four_rounds());
}

TEST_CASE("batch: where a put fails, the edits are taken back") {
    auto messages = four_rounds();
    shelf::state state{.fails_at = 1};
    shelf const store{&state};
    SECTION("by its answer") {
        auto const report = reduced(messages, pipeline{keeper(store, true)});
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(std::string_view{report.layers[0].note} == "the disk is full");
        CHECK(report.layers[0].artifacts == 0);
    }
    SECTION("by an exception") {
        state.throws = true;
        auto const report = reduced(messages, pipeline{keeper(store, true)});
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(std::string_view{report.layers[0].note} == "the disk is gone");
    }
    CHECK(messages == four_rounds());
}

TEST_CASE("batch: nothing is put for edits that were taken back") {
    auto messages = four_rounds();
    shelf::state state;
    shelf const store{&state};
    auto const fails = layer < condense::keeps | condense::drops > ([&](auto& draft, auto& pass) -> condense::failed {
                                                     pass.note(draft.drop({1}));
                                                     pass.keep(store, "one");
                                                     return {"no"};
                                                 });
    auto const declines =
        layer < condense::keeps | condense::summarizes > ([&](auto& draft, auto& pass) {
                                      pass.note(draft.summarize(std::vector<group>{{1}}, std::string(100, 'x')));
                                      pass.keep(store, "three");
                                  });
    auto const report = reduced(messages, pipeline{fails, declines, layer<condense::drops>(drop_round)});
    CHECK(report.layers[1].outcome == layer_outcome::declined);
    CHECK(report.layers[2].outcome == layer_outcome::applied);
    CHECK(state.kept.empty());
}
