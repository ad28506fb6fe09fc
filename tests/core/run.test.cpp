// SPDX-License-Identifier: BSL-1.0
#include <condense/core/run.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/reduce.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::chat_message;
using condense::effect;
using condense::group;
using condense::layer_outcome;
using condense::pipeline;
using condense::refusal;
using history = std::vector<chat_message>;
using toy::layer;

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

/// Tokens are bytes.
history conversation() {
    return {chat_message::user("task"),
            chat_message::call("1", "read", "{}"),
            chat_message::result("1", "0123456789"),
            chat_message::assistant("answer"),
            chat_message::user("go on"),
            chat_message::assistant("well"),
            chat_message::user("latest")};
}
constexpr std::uint64_t whole = 4 + 2 + 10 + 6 + 5 + 4 + 6;

template <class... Layers>
auto reduced(history& messages, pipeline<Layers...> const& mix) {
    return condense::reduce(messages, mix, {.window = {1'000}}, toy::per_byte{});
}

/// Drops the round with the tool: two messages, twelve tokens.
constexpr auto drop_round = [](auto& draft, auto& pass) { pass.note(draft.drop({1})); };
constexpr auto shorten_result = [](auto& draft, auto& pass) {
    draft.each_part_of(condense::sequence{2}, [&](condense::part_ref part) {
        if (!draft.about(part).edited) pass.note(draft.shorten(part, "0"));
    });
};
constexpr auto nothing = [](auto&, auto&) {};

}  // namespace

TEST_CASE("run: what a layer did is measured") {
    auto messages = conversation();
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

TEST_CASE("run: an edit of a part counts as one, and savings are those of each layer") {
    auto messages = conversation();
    auto const report =
        reduced(messages, pipeline{layer<condense::shortens>(shorten_result), layer<condense::drops>(drop_round)});
    CHECK(report.layers[0].parts_shortened == 1);
    CHECK(report.layers[0].saved.count == 9);
    CHECK(report.layers[1].saved.count == 3);
    CHECK(report.before.tokens - report.after.tokens == condense::tokens{12});
}

TEST_CASE("run: what a layer notes of its work stays, what was noted of idle runs does not") {
    auto messages = conversation();
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

TEST_CASE("run: a layer that does nothing is idle") {
    auto messages = conversation();
    auto const report = reduced(messages, pipeline{layer<condense::drops>(nothing)});
    CHECK(report.layers[0].outcome == layer_outcome::idle);
    CHECK(report.layers[0].runs > 0);
    CHECK(messages == conversation());
}

TEST_CASE("run: a layer that was refused everything has declined, and its note says why") {
    auto messages = conversation();
    auto const all = [](auto& draft, auto& pass) {
        pass.note(draft.drop({6}));
        pass.note(draft.drop({99}));
    };
    auto const report = reduced(messages, pipeline{layer<condense::drops>(all)});
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(report.layers[0].refused >= 2);
    CHECK(std::string_view{report.layers[0].note} == "latest user message");
    CHECK(messages == conversation());
}

TEST_CASE("run: a batch must be smaller in the measure that fired, and larger in none") {
    using condense::measure;
    auto messages = conversation();
    auto const outcome = [&](auto made) { return reduced(messages, pipeline{made}).layers[0].outcome; };
    SECTION("fewer tokens are not fewer messages") {
        CHECK(outcome(on<condense::shortens, measure::message_count>(shorten_result)) == layer_outcome::declined);
        CHECK(outcome(on<condense::shortens, measure::turn_count>(shorten_result)) == layer_outcome::declined);
        CHECK(messages == conversation());
    }
    SECTION("fewer tokens") {
        CHECK(outcome(on<condense::shortens, measure::token_count>(shorten_result)) == layer_outcome::applied);
        CHECK(messages != conversation());
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
        CHECK(messages == conversation());
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

TEST_CASE("run: a batch that is not worth it is taken back") {
    auto messages = conversation();
    auto const with_worth = [](std::uint64_t least) {
        return worthwhile<condense::drops, decltype(drop_round)>{{drop_round}, {least}};
    };
    auto report = reduced(messages, pipeline{with_worth(13)});
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(std::string_view{report.layers[0].note} == "not worth it");
    CHECK(messages == conversation());
    report = reduced(messages, pipeline{with_worth(12)});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(messages.size() == 5);
}

TEST_CASE("run: pressure lifts what a batch must be worth") {
    auto messages = conversation();
    auto const press = layer<condense::reruns>([](auto&, auto& pass) { pass.rerun(1, false, {}); });
    worthwhile<condense::drops, decltype(drop_round)> const greedy{{drop_round}, {13}};
    auto const report = reduced(messages, pipeline{greedy, press});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].saved.count == 12);
    CHECK(report.layers[1].saved.count == 0);
}

// Failures change nothing

TEST_CASE("run: a layer that throws is taken back, and the next one goes on") {
    auto messages = conversation();
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
    CHECK(messages[3] == chat_message::assistant("well"));
}

TEST_CASE("run: a layer that says that it failed is taken back") {
    auto messages = conversation();
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
    CHECK(messages == conversation());
    report = reduced(messages, pipeline{fails("")});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(messages.size() == 5);
}

// Stores

namespace {

/// Remembers what it was given; fails at one put.
struct shelf {
    struct state {
        std::vector<std::string> kept = {};
        std::size_t fails_at = 99;
        bool throws = false;
    };
    state* at;

    condense::reference name(std::string_view content) const {
        return {{static_cast<std::uint8_t>(content.size()), 1}};
    }
    condense::store_error put(condense::reference const&, std::string_view content) const {
        if (at->kept.size() == at->fails_at) {
            if (at->throws) throw std::runtime_error{"the disk is gone"};
            return {"the disk is full"};
        }
        at->kept.emplace_back(content);
        return {};
    }
};
static_assert(condense::artifact_store<shelf>);

/// Keeps two texts and, where it is told so, drops the round.
auto keeper(shelf const& store, bool drops) {
    return layer < condense::keeps | condense::drops > ([&store, drops](auto& draft, auto& pass) {
                                         if (drops && draft.drop({1})) return;
                                         pass.keep(store, "one");
                                         pass.keep(store, "three");
                                     });
}

}  // namespace

TEST_CASE("run: what is kept is put when the edits stand") {
    auto messages = conversation();
    shelf::state state;
    shelf const store{&state};
    auto const report = reduced(messages, pipeline{keeper(store, true)});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(state.kept == std::vector<std::string>{"one", "three"});
    CHECK(report.layers[0].artifacts == 2);
    CHECK(messages.size() == 5);
}

TEST_CASE("run: what is kept without an edit is put, too") {
    auto messages = conversation();
    shelf::state state;
    shelf const store{&state};
    static_cast<void>(reduced(messages, pipeline{keeper(store, false)}));
    CHECK(state.kept == std::vector<std::string>{"one", "three"});
    CHECK(messages == conversation());
}

TEST_CASE("run: where a put fails, the edits are taken back") {
    auto messages = conversation();
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
    CHECK(messages == conversation());
}

TEST_CASE("run: nothing is put for edits that were taken back") {
    auto messages = conversation();
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

// Dry runs, models, cancellation

TEST_CASE("run: a dry run asks nothing and keeps nothing, and says what would be") {
    auto const messages = conversation();
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

TEST_CASE("run: a layer that throws when it was told to stop ends the run, and nothing has changed") {
    auto messages = conversation();
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
    CHECK(messages == conversation());
    stop = told = false;
    CHECK_NOTHROW(condense::reduce(messages, mix, {.window = {1'000}}, toy::per_byte{}, options));
    CHECK(reached > 0);
    CHECK(messages.size() == 5);
}

TEST_CASE("run: being told to stop is heard through a layer that runs others again") {
    auto messages = conversation();
    bool stop = false;
    condense::run_options<condense::steady_clock, stopper> const options{.stop = {&stop}};
    auto const under_pressure = layer<condense::drops>([&](auto& draft, auto& pass) {
        if (pass.pressure() == 0) return;
        stop = true;
        pass.note(draft.drop({1}));
        throw std::runtime_error{"cancelled"};
    });
    auto const press = layer<condense::reruns>([](auto&, auto& pass) { pass.rerun(1, false, {}); });
    CHECK_THROWS_AS(
        condense::reduce(messages, pipeline{under_pressure, press}, {.window = {1'000}}, toy::per_byte{}, options),
        std::runtime_error);
    CHECK(messages == conversation());
}

TEST_CASE("run: who is told to stop and fails by value leaves the view, and the report, as they were", "[law-12]") {
    auto messages = conversation();
    bool stop = false;
    condense::run_options<condense::steady_clock, stopper> const options{.stop = {&stop}};
    int reached = 0;
    pipeline const mix{layer<condense::drops>(drop_round), layer<condense::drops>([&](auto&, auto&) {
                           stop = true;
                           return condense::failed{"told to stop"};
                       }),
                       layer<condense::no_effects>([&](auto&, auto&) { ++reached; })};
    auto const report = condense::reduce(messages, mix, {.window = {1'000}}, toy::per_byte{}, options);
    CHECK(messages == conversation());
    CHECK_FALSE(report.changed());
    CHECK(report.after == report.before);
    CHECK(report.layers[0].saved == condense::tokens{});
    CHECK(std::string_view{report.layers[0].note} == "stopped");
    CHECK(report.layers[1].failures == 1);
    CHECK(reached == 0);
}

TEST_CASE("run: a cancellation reaches the caller, wrapped or not", "[law-12]") {
    struct own_stop : condense::cancelled {};
    for (int kind = 0; kind < 3; ++kind) {
        auto messages = conversation();
        auto const cancel = layer<condense::drops>([&](auto& draft, auto& pass) {
            pass.note(draft.drop({1}));
            if (kind == 0) throw own_stop{};
            try {
                throw own_stop{};
            } catch (...) {
                if (kind == 1) std::throw_with_nested(std::runtime_error{"the model's client gave up"});
                try {
                    std::throw_with_nested(std::runtime_error{"inner"});
                } catch (...) {
                    std::throw_with_nested(std::logic_error{"outer"});
                }
            }
        });
        CHECK_THROWS_AS(reduced(messages, pipeline{cancel}), std::exception);
        CHECK(messages == conversation());
    }
    auto messages = conversation();
    auto const nested = layer<condense::drops>([](auto&, auto&) {
        try {
            throw std::logic_error{"no cancellation"};
        } catch (...) {
            std::throw_with_nested(std::runtime_error{"only a failure"});
        }
    });
    CHECK(reduced(messages, pipeline{nested}).layers[0].outcome == layer_outcome::failed);
}

// Growth

TEST_CASE("run: growth by restored messages is reported apart") {
    auto messages = conversation();
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
