// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pass.hpp>

#include <condense/policy/trigger.hpp>

#include "core/constant.hpp"
#include "core/toy.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::pipeline, condense::refusal, condense::used, toy::layer;

conversation one_round() { return {U("task"), A("an answer"), U("latest")}; }
constexpr std::uint64_t whole = 4 + 9 + 6;

/// A run over the conversation.
template <class... Layers>
auto run(Layers const&... layers) {
    auto messages = one_round();
    return condense::reduce(messages, pipeline{layers...}, {.window = 100_tokens}, per_byte{});
}

/// Gives what a look at draft and pass finds.
template <class Found, condense::effect Effects = condense::no_effects, class Look, class... Options>
Found seen(Look look, Options const&... options) {
    std::optional<Found> found;
    auto messages = one_round();
    auto const looks = layer<Effects>([&](auto& draft, auto& pass) {
        if (!found) found = look(draft, pass);
    });
    static_cast<void>(condense::reduce(messages, pipeline{looks}, {.window = 100_tokens}, per_byte{}, options...));
    return *found;
}
/// Whether a look under a pressure says so; the target is 10 tokens.
template <class Look>
bool seen_at(unsigned pressure, bool top, Look look) {
    bool found = false;
    auto const looks = layer<condense::no_effects>([&](auto& draft, auto& pass) {
        if (pass.pressure() == pressure) found = look(draft, pass);
    });
    static_cast<void>(run(looks, toy::press{pressure, top, 10_tokens}));
    return found;
}

/// Presses once, at the top, unless the time is up.
struct hurried {
    condense::instant within = {};
    condense::tokens limit = {};
    static constexpr auto effects = condense::reruns | condense::reads_clock;
    constexpr bool due(condense::usage const&) const noexcept { return true; }
    constexpr condense::pressure_schedule schedule(condense::tokens) const noexcept {
        return {.limit = limit, .passes = 1, .within = within};
    }
};

/// Looks at a trigger of its own.
template <class When, class Until, class Look, condense::effect Effects = condense::no_effects>
struct triggered {
    When when;
    Until until;
    Look look;
    static constexpr auto effects = Effects;
    void reduce(auto& draft, auto& pass) const { look(draft, pass); }
};
template <class When, class Until, class Look>
triggered(When, Until, Look) -> triggered<When, Until, Look>;

TEST_CASE("pass: a routine run has no pressure") {
    CHECK(seen<unsigned>([](auto&, auto& pass) { return pass.pressure(); }) == 0);
    CHECK_FALSE(seen<bool>([](auto&, auto& pass) { return pass.top(); }));
    CHECK_FALSE(seen<bool>([](auto&, auto& pass) { return pass.dry(); }));
    CHECK_FALSE(seen<bool>([](auto&, auto& pass) { return pass.stop_requested(); }));
    CHECK(seen<condense::instant>([](auto&, auto& pass) { return pass.deadline(); }).count ==
          condense::detail::u64_limit);
}

TEST_CASE("pass: under pressure a layer stops at the run's target") {
    auto const at_top = [](auto&, auto& pass) { return pass.top(); };
    CHECK((seen_at(2, true, at_top) && !seen_at(1, false, at_top)));
    auto const enough_at = [](std::uint64_t tokens) {
        return seen_at(1, false, [=](auto&, auto& pass) { return pass.enough({.tokens = {tokens}}); });
    };
    CHECK((enough_at(10) && !enough_at(11)));
    CHECK_FALSE(seen_at(1, false, [](auto&, auto& pass) { return pass.enough(); }));
}

TEST_CASE("pass: a layer under the run's target is not run again") {
    auto const reached_at = [](condense::tokens target) {
        int reached = 0;
        auto const counts = layer<condense::no_effects>([&](auto&, auto& pass) { reached += pass.pressure() != 0; });
        static_cast<void>(run(counts, toy::press{.target = target}));
        return reached;
    };
    CHECK((reached_at({whole}) == 0 && reached_at({whole - 1}) == 1));
}

TEST_CASE("pass: enough is the layer's target, else eight tenths of its trigger, else never") {
    std::vector<bool> found;
    auto const look = [&](auto&, auto& pass) {
        found.clear();
        for (auto const tokens : {10_tokens, 8_tokens, 5_tokens})
            found.push_back(pass.enough({.tokens = tokens, .input = 100_tokens}));
    };
    auto const found_by = [&](auto made) { return static_cast<void>(run(made)), found; };
    CHECK(found_by(triggered{used >= 10_tokens, used <= 5_tokens, look}) == std::vector<bool>{false, false, true});
    CHECK(found_by(triggered{used >= 10_tokens, condense::target{}, look}) == std::vector<bool>{false, true, true});
    CHECK(found_by(triggered{used >= 10_pct, condense::target{}, look}) == std::vector<bool>{false, true, true});
    CHECK(found_by(layer<condense::no_effects>(look)) == std::vector<bool>{false, false, false});
}

TEST_CASE("pass: enough agrees with the usage after each edit") {
    auto const looks_at = [](condense::trigger when, condense::target until, condense::budget limits) {
        conversation messages;
        for (int turn = 0; turn < 12; ++turn) messages.push_back(U("a question")), messages.push_back(A("an answer"));
        std::size_t enough_count = 0;
        std::size_t count = 0;
        auto const look = [&](auto& draft, auto& pass) {
            for (auto const which : draft.groups()) {
                CHECK(pass.enough() == pass.enough(draft.used()));
                enough_count += pass.enough() ? 1u : 0u;
                ++count;
                static_cast<void>(draft.drop(which));
            }
        };
        auto const drops =
            triggered<condense::trigger, condense::target, decltype(look), condense::drops>{when, until, look};
        static_cast<void>(condense::reduce(messages, pipeline{drops}, limits, per_byte{}));
        REQUIRE(count >= 24);
        return enough_count;
    };
    condense::budget const plain{.window = 250_tokens};
    condense::budget const laden{.window = 250_tokens, .output = 10_tokens, .overhead = 60_tokens};
    for (auto const& limits : {plain, laden}) {
        CHECK(looks_at(used >= 10_pct, used <= 50_pct, limits) != 0);
        CHECK(looks_at(used >= 10_pct, used < 120_tokens, limits) != 0);
        CHECK(looks_at(used >= 10_pct, used < 1_tokens, limits) == 0);
        CHECK(looks_at(used >= 10_pct || used > 2_messages, condense::target{}, limits) < 24);
        CHECK(looks_at(used > 4_messages, used <= 10_messages, limits) != 0);
        CHECK(looks_at(used >= 10_pct, condense::headroom > 130_tokens, limits) != 0);
    }
    CHECK(looks_at(used >= 10_pct, used <= 50_tokens, laden) == 0);  // less than the overhead
}

TEST_CASE("pass: knows the limit in messages of a trigger") {
    std::uint64_t found = 99;
    auto const look = [&](auto&, auto& pass) { found = pass.message_limit().count; };
    static_cast<void>(run(triggered{used >= 2_messages, condense::target{}, look}));
    CHECK(found == 2);
    static_cast<void>(run(layer<condense::no_effects>(look)));
    CHECK(found == 0);
}

TEST_CASE("pass: the clock and the request come from the options") {
    std::uint64_t time = 5;
    condense::run_options<fakes::clock> const options{.clock = {&time},
                                                      .request = {.question = "why?", .focus = "the flag"}};
    auto const now = [](auto&, auto& pass) { return pass.now(); };
    auto const request = [](auto&, auto& pass) { return pass.request(); };
    CHECK(seen<condense::instant, condense::reads_clock>(now, options).count == 5);
    auto const found = seen<decltype(options.request)>(request, options);
    CHECK((found.question == "why?" && found.focus == "the flag"));
}

TEST_CASE("pass: a model is asked with limits where it takes them") {
    std::string prompt;
    condense::ask_limits limits;
    auto const with_limits = [&](std::string_view given, condense::ask_limits most) {
        prompt = given;
        limits = most;
        return "answer";
    };
    auto const plain = [&](std::string_view given) { return std::string{given} + "!"; };
    CHECK(seen<std::string, condense::asks>([&](auto&, auto& pass) {
              return pass.ask(with_limits, "what now", {.answer = 30_tokens, .deadline = {70}});
          }) == "answer");
    CHECK((prompt == "what now" && limits.answer == 30_tokens && limits.deadline.count == 70));
    CHECK(seen<std::string, condense::asks>([&](auto&, auto& pass) { return pass.ask(plain, "so", {}); }) == "so!");
}

TEST_CASE("pass: a model has no longer than the run has") {
    auto const asked_until = [](std::uint64_t own, std::uint64_t within) {
        std::uint64_t until = 0;
        auto const model = [&](std::string_view, condense::ask_limits most) {
            until = most.deadline.count;
            return std::string{"answer"};
        };
        auto const asks = layer<condense::asks>([&](auto&, auto& pass) {
            if (pass.pressure() != 0) static_cast<void>(pass.ask(model, "what now", {.deadline = {own}}));
        });
        auto messages = one_round();
        std::uint64_t now = 20;
        static_cast<void>(condense::reduce(messages, pipeline{asks, hurried{.within = {within}}},
                                           {.window = 100_tokens}, per_byte{},
                                           condense::run_options<fakes::clock>{.clock = {&now}}));
        return until;
    };
    CHECK((asked_until(70, 40) == 60 && asked_until(50, 40) == 50));
}

TEST_CASE("pass: refusals are counted, the first is noted, and words replace it") {
    auto entry = run(layer<condense::drops>([](auto&, auto& pass) {
                     pass.note(refusal::none);
                     pass.note(refusal{refusal::open});
                     pass.note(refusal{refusal::gone});
                 })).layers[0];
    CHECK((entry.refused == 2 * entry.runs && std::string_view{entry.note} == "open group"));
    entry = run(layer<condense::drops>([](auto&, auto& pass) {
                pass.note(refusal{refusal::open});
                pass.note("as I said");
            })).layers[0];
    CHECK((entry.refused == entry.runs && std::string_view{entry.note} == "as I said"));
}

TEST_CASE("pass: keep gives the name at once") {
    fakes::shelf const store;
    auto const named = [&](auto&, auto& pass) { return pass.keep(store, "four"); };
    CHECK(seen<condense::reference, condense::keeps>(named) == store.name("four"));
}

TEST_CASE("pass: a run ends as its schedule of pressure does, whose limit holds") {
    auto const pressed = [&](condense::instant within, condense::tokens limit) {
        return run(layer<condense::no_effects>([](auto&, auto&) {}), hurried{within, limit});
    };
    auto report = pressed({}, {whole});
    CHECK((report.outcome == condense::outcome::time && report.limit.count == whole && report.fits()));
    report = pressed({condense::detail::u64_limit}, {whole - 1});
    CHECK((report.outcome == condense::outcome::passes && !report.fits()));
}

using condense::effect;

constexpr auto all = {condense::shortens,    condense::externalizes, condense::drops,
                      condense::summarizes,  condense::keeps,        condense::asks,
                      condense::reads_clock, condense::reruns,       condense::restores};

constexpr bool effects_are_a_set() {
    for (auto const one : all)
        for (auto const other : all)
            if ((one & other) != (one == other)) return false;
    auto const three = condense::drops | condense::asks | condense::keeps;
    return (three & condense::asks) && !(three & condense::shortens) && !(condense::no_effects & three) &&
           (three | condense::drops) == three && (three & (condense::shortens | condense::keeps));
}

/// What can be had back from a store is not lost.
constexpr bool losing_effects_take_content_away() {
    using condense::detail::losing;
    return (losing & condense::shortens) && (losing & condense::drops) && (losing & condense::summarizes) &&
           !(losing & condense::externalizes) && !(losing & condense::keeps) && !(losing & condense::asks);
}

struct with_auto {
    static constexpr auto effects = condense::drops;
};
struct with_none {
    static constexpr effect effects = condense::no_effects;
};
struct with_a_number {
    static constexpr int effects = 4;
};
struct without {};
static_assert(condense::detail::declares_effects<with_auto> && condense::detail::declares_effects<with_none>);
static_assert(!condense::detail::declares_effects<with_a_number> && !condense::detail::declares_effects<without>);

TEST_CASE("effect: sets of effects") {
    CHECK_CONSTANT(effects_are_a_set());
    CHECK_CONSTANT(losing_effects_take_content_away());
}

}  // namespace
