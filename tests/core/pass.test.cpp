// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pass.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/reduce.hpp>
#include <condense/policy/trigger.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::pipeline;
using condense::refusal;
using condense::used;
using toy::layer;

struct own_clock {
    condense::instant* time;
    condense::instant operator()() const noexcept { return *time; }
};

// Stores

struct store {
    condense::reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};
struct changing_store {
    condense::reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) { return {}; }
};
struct nameless_store {
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};
static_assert(condense::artifact_store<store> && !condense::artifact_store<changing_store>);
static_assert(!condense::artifact_store<nameless_store> && !condense::artifact_store<int>);

static_assert(!condense::store_error{} && condense::store_error{"the disk is full"});

conversation one_round() { return {U("task"), A("an answer"), U("latest")}; }
constexpr std::uint64_t whole = 4 + 9 + 6;

/// Gives what a look at draft and pass finds, in a run over the conversation.
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

/// The same for a look under a pressure.
template <class Found, class Look>
Found seen_at(unsigned pressure, bool top, condense::tokens target, Look look) {
    std::optional<Found> found;
    auto messages = one_round();
    auto const looks = layer<condense::no_effects>([&](auto& draft, auto& pass) {
        if (pass.pressure() == pressure) found = look(draft, pass);
    });
    toy::press const press{pressure, top, target};
    static_cast<void>(condense::reduce(messages, pipeline{looks, press}, {.window = 100_tokens}, per_byte{}));
    return *found;
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

}  // namespace

TEST_CASE("pass: a routine run has no pressure") {
    CHECK(seen<unsigned>([](auto&, auto& pass) { return pass.pressure(); }) == 0);
    CHECK_FALSE(seen<bool>([](auto&, auto& pass) { return pass.top(); }));
    CHECK_FALSE(seen<bool>([](auto&, auto& pass) { return pass.dry(); }));
    CHECK_FALSE(seen<bool>([](auto&, auto& pass) { return pass.stop_requested(); }));
    CHECK(seen<condense::instant>([](auto&, auto& pass) { return pass.deadline(); }).count ==
          condense::detail::u64_limit);
}

TEST_CASE("pass: under pressure a layer stops at the run's target") {
    CHECK(seen_at<bool>(2, true, 10_tokens, [](auto&, auto& pass) { return pass.top(); }));
    CHECK_FALSE(seen_at<bool>(1, false, 10_tokens, [](auto&, auto& pass) { return pass.top(); }));
    auto const enough_at = [](std::uint64_t tokens) {
        return seen_at<bool>(1, false, 10_tokens, [=](auto&, auto& pass) { return pass.enough({.tokens = {tokens}}); });
    };
    CHECK(enough_at(10));
    CHECK_FALSE(enough_at(11));
    CHECK_FALSE(seen_at<bool>(1, false, 10_tokens, [](auto&, auto& pass) { return pass.enough(); }));
}

TEST_CASE("pass: a layer under the run's target is not run again") {
    auto const reached_at = [](condense::tokens target) {
        int reached = 0;
        auto messages = one_round();
        auto const counts = layer<condense::no_effects>([&](auto&, auto& pass) { reached += pass.pressure() != 0; });
        static_cast<void>(condense::reduce(messages, pipeline{counts, toy::press{.target = target}},
                                           {.window = 100_tokens}, per_byte{}));
        return reached;
    };
    CHECK(reached_at({whole}) == 0);
    CHECK(reached_at({whole - 1}) == 1);
}

TEST_CASE("pass: enough is the layer's target, else eight tenths of its trigger, else never") {
    auto messages = one_round();
    std::vector<bool> found;
    auto const look = [&](auto&, auto& pass) {
        found = {pass.enough({.tokens = 10_tokens, .input = 100_tokens}),
                 pass.enough({.tokens = 8_tokens, .input = 100_tokens}),
                 pass.enough({.tokens = 5_tokens, .input = 100_tokens})};
    };
    auto const run = [&](auto made) {
        static_cast<void>(condense::reduce(messages, pipeline{made}, {.window = 100_tokens}, per_byte{}));
        return found;
    };
    CHECK(run(triggered{used >= 10_tokens, used <= 5_tokens, look}) == std::vector<bool>{false, false, true});
    CHECK(run(triggered{used >= 10_tokens, condense::target{}, look}) == std::vector<bool>{false, true, true});
    CHECK(run(triggered{used >= 10_pct, condense::target{}, look}) == std::vector<bool>{false, true, true});
    CHECK(run(layer<condense::no_effects>(look)) == std::vector<bool>{false, false, false});
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
    auto messages = one_round();
    std::uint64_t found = 99;
    auto const look = [&](auto&, auto& pass) { found = pass.message_limit().count; };
    static_cast<void>(condense::reduce(messages, pipeline{triggered{used >= 2_messages, condense::target{}, look}},
                                       {.window = 100_tokens}, per_byte{}));
    CHECK(found == 2);
    static_cast<void>(
        condense::reduce(messages, pipeline{layer<condense::no_effects>(look)}, {.window = 100_tokens}, per_byte{}));
    CHECK(found == 0);
}

TEST_CASE("pass: the clock and what is asked for come from the options") {
    condense::instant time{5};
    condense::run_options<own_clock> const options{.clock = {&time},
                                                   .request = {.question = "why?", .focus = "the flag"}};
    CHECK(seen<condense::instant, condense::reads_clock>([](auto&, auto& pass) { return pass.now(); }, options).count ==
          5);
    CHECK(seen<std::string_view>([](auto&, auto& pass) { return pass.request().question; }, options) == "why?");
    CHECK(seen<std::string_view>([](auto&, auto& pass) { return pass.request().focus; }, options) == "the flag");
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
    CHECK(prompt == "what now");
    CHECK(limits.answer == 30_tokens);
    CHECK(limits.deadline.count == 70);
    CHECK(seen<std::string, condense::asks>([&](auto&, auto& pass) { return pass.ask(plain, "so", {}); }) == "so!");
}

TEST_CASE("pass: a model has no longer than the run has") {
    constexpr std::uint64_t now = 20;
    struct stopped_clock {
        condense::instant operator()() const { return {now}; }
    };
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
        static_cast<void>(condense::reduce(messages, pipeline{asks, hurried{.within = {within}}},
                                           {.window = 100_tokens}, per_byte{}, condense::run_options<stopped_clock>{}));
        return until;
    };
    CHECK(asked_until(70, 40) == 60);
    CHECK(asked_until(50, 40) == 50);
}

TEST_CASE("pass: questions are counted, also those of a dry run") {
    auto messages = one_round();
    auto const asks = layer<condense::asks>([](auto&, auto& pass) {
        for (auto const* const prompt : {"a", "b"})
            static_cast<void>(pass.ask([](std::string_view) { return std::string{"answer"}; }, prompt, {}));
    });
    auto const report = condense::reduce(messages, pipeline{asks}, {.window = 100_tokens}, per_byte{});
    CHECK(report.layers[0].asked % 2 == 0);
    CHECK(report.layers[0].asked > 0);
}

TEST_CASE("pass: refusals are counted, the first is noted, and words replace it") {
    auto messages = one_round();
    auto const report_of = [&](auto act) {
        return condense::reduce(messages, pipeline{layer<condense::drops>(act)}, {.window = 100_tokens}, per_byte{})
            .layers[0];
    };
    auto entry = report_of([](auto&, auto& pass) {
        pass.note(refusal::none);
        pass.note(refusal{refusal::open});
        pass.note(refusal{refusal::gone});
    });
    CHECK(entry.refused == 2 * entry.runs);
    CHECK(std::string_view{entry.note} == "open group");
    entry = report_of([](auto&, auto& pass) {
        pass.note(refusal{refusal::open});
        pass.note("as I said");
    });
    CHECK(std::string_view{entry.note} == "as I said");
    CHECK(entry.refused == entry.runs);
}

TEST_CASE("pass: keep gives the name at once") {
    auto const named = [](auto&, auto& pass) {
        static constexpr struct {
            condense::reference name(std::string_view content) const {
                return {{static_cast<std::uint8_t>(content.size())}};
            }
            std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
            condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
        } sized{};
        return pass.keep(sized, "four");
    };
    CHECK(seen<condense::reference, condense::keeps>(named) == condense::reference{{4}});
}

TEST_CASE("pass: a run ends as its schedule of pressure does, whose limit holds") {
    auto messages = one_round();
    auto const pressed = [&](condense::instant within, condense::tokens limit) {
        return condense::reduce(messages,
                                pipeline{layer<condense::no_effects>([](auto&, auto&) {}), hurried{within, limit}},
                                {.window = 100_tokens}, per_byte{});
    };
    auto report = pressed({}, {whole});
    CHECK(report.outcome == condense::outcome::time);
    CHECK(report.limit.count == whole);
    CHECK(report.fits());
    report = pressed({condense::detail::u64_limit}, {whole - 1});
    CHECK(report.outcome == condense::outcome::passes);
    CHECK_FALSE(report.fits());
}

TEST_CASE("pass: a draft is read through whatever a layer declares") {
    CHECK(seen<std::uint64_t>([](auto& draft, auto&) { return draft.used().tokens.count; }) == whole);
    CHECK(seen<std::size_t>([](auto& draft, auto&) { return draft.outline().size(); }) == 3);
}
