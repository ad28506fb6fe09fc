// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>

#include <condense/core/reduce.hpp>
#include <condense/detail/reject.hpp>

#include "core/constant.hpp"
#include "core/toy.hpp"

namespace {

using namespace notation;
using condense::effect, condense::pipeline;

/// Does nothing, but declares it.
template <effect Effects>
struct doing {
    static constexpr auto effects = Effects;
    void reduce(auto&, auto&) const {}
};

template <bool Durable>
struct journal {
    static constexpr auto effects = condense::keeps;
    static constexpr bool records = true;
    static constexpr bool durable = Durable;
    void arrive(auto&, condense::sequence, auto&) const {}
};

struct keeps_somewhere {
    static constexpr auto effects = condense::externalizes | condense::keeps;
    void reduce(auto&, auto&) const {}
};

struct drops_all {
    static constexpr auto effects = condense::drops;
    static constexpr bool last_resort = true;
    void reduce(auto&, auto&) const {}
};

using idle = doing<condense::no_effects>;
using drop = doing<condense::drops>;
using shorten = doing<condense::shortens>;
using summary = doing<condense::summarizes>;
using externalize = doing<condense::externalizes>;
using ask = doing<condense::asks>;
using rerun = toy::press;
using durable_journal = journal<true>;

// All that is lost must have been recorded before.
template <class... Layers>
constexpr bool recoverable = condense::recoverable<pipeline<Layers...>>;
static_assert(recoverable<externalize> && recoverable<idle>);
static_assert(!recoverable<drop> && !recoverable<shorten> && !recoverable<summary> && !recoverable<externalize, drop>);
static_assert(!recoverable<doing<condense::externalizes | condense::drops>>);
static_assert(recoverable<durable_journal, drop, shorten, summary> && !recoverable<drop, durable_journal>);
static_assert(recoverable<externalize, durable_journal, drop> && recoverable<pipeline<durable_journal>, drop>);
static_assert(recoverable<durable_journal, pipeline<drop>> && !recoverable<pipeline<drop>, durable_journal>);
static_assert(!recoverable<pipeline<externalize, drop>>);

template <class... Layers>
constexpr bool durable = condense::durable<pipeline<Layers...>>;
static_assert(durable<durable_journal, drop> && durable<idle>);
static_assert(!durable<journal<false>, drop> && !durable<drop, durable_journal>);
static_assert(!durable<durable_journal, keeps_somewhere> && !durable<durable_journal, pipeline<keeps_somewhere>>);

static_assert(condense::calls_model<pipeline<doing<condense::summarizes | condense::asks>, drop>>);
static_assert(!condense::calls_model<pipeline<summary, drop>> && condense::calls_model<pipeline<drop, pipeline<ask>>>);
static_assert(condense::writes<pipeline<drop, keeps_somewhere>> && !condense::writes<pipeline<drop, shorten>>);

// A layer that can drop all, and one that runs it at the top.
static_assert(condense::has_last_resort<pipeline<drops_all, rerun>> && !condense::has_last_resort<pipeline<drops_all>>);
static_assert(!condense::has_last_resort<pipeline<drop, rerun>>);
static_assert(condense::has_last_resort<pipeline<shorten, pipeline<drops_all>, rerun>>);

template <bool Deterministic>
struct settled : per_byte {
    static constexpr bool deterministic = Deterministic;
};
static_assert(condense::deterministic<pipeline<drop, shorten, summary>>);
static_assert(!condense::deterministic<pipeline<drop, ask>> &&
              !condense::deterministic<pipeline<doing<condense::reads_clock>>>);
static_assert(!condense::deterministic<pipeline<drop>, settled<false>> &&
              condense::deterministic<pipeline<drop>, settled<true>> &&
              condense::deterministic<pipeline<drop>, per_byte>);

// They hold for the type in every guise.
static_assert(condense::recoverable<pipeline<externalize> const&> && condense::calls_model<pipeline<ask>&&>);
static_assert(condense::has_last_resort<pipeline<drops_all, rerun> const> &&
              condense::deterministic<pipeline<drop> const>);

// A pipeline has the effects of its layers, an entry for each, and is a value.
static_assert(pipeline<drop, pipeline<shorten, keeps_somewhere>>::effects ==
              (condense::drops | condense::shortens | condense::externalizes | condense::keeps));
static_assert(pipeline<drop>::size == 1 &&
              pipeline<drop, pipeline<shorten, pipeline<summary, drop>>, shorten>::size == 5);
static_assert(pipeline<durable_journal>::records && !pipeline<drop>::records);
static_assert(std::is_copy_constructible_v<pipeline<drop, shorten>> &&
              std::is_nothrow_move_constructible_v<pipeline<drop>>);
static_assert(std::is_same_v<decltype(pipeline{drop{}, shorten{}}), pipeline<drop, shorten>>);
static_assert(sizeof(pipeline<drop>) == sizeof(drop));

/// Writes down when it runs and, where it is told so, drops an answer.
struct scribe {
    std::vector<std::string>* pages;
    std::string_view line;
    bool drops = false;

    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto& pass) const {
        pages->push_back(std::string{line} + std::to_string(pass.pressure()) + (pass.top() ? "!" : ""));
        if (!drops) return;
        for (auto const which : draft.groups())
            if (draft.about(which).speaker == condense::role::assistant && !draft.drop(which)) return;
    }
};

/// Presses three times as long as something is gained.
struct press {
    static constexpr auto effects = condense::reruns;
    bool due(condense::usage const&) const noexcept { return true; }
    condense::pressure_schedule schedule(condense::tokens input) const noexcept {
        return {.limit = input, .passes = 3};
    }
};

struct labelled {
    static constexpr std::string_view name = "a name of its own";
    static constexpr auto effects = condense::no_effects;
    void reduce(auto&, auto&) const {}
};

struct arrives {
    std::vector<std::uint64_t>* seen;
    static constexpr auto effects = condense::no_effects;
    void arrive(auto&, condense::sequence message, auto&) const { seen->push_back(message.number); }
};

struct does_both {
    std::vector<std::uint64_t>* seen;
    static constexpr auto effects = condense::no_effects;
    void arrive(auto&, condense::sequence, auto&) const { seen->push_back(99); }
    void reduce(auto&, auto&) const { seen->push_back(88); }
};

struct counter {
    std::vector<int>* seen;
    struct memory {
        int count = 0;
    };
    static constexpr auto effects = condense::no_effects;
    void arrive(auto&, condense::sequence, auto& pass) const { seen->push_back(++pass.memory.count); }
};

condense::budget const limits{.window = {1'000}};

conversation five_rounds() {
    conversation made{U("task")};
    for (int turn = 0; turn < 5; ++turn) made += {A("answer"), U("go on")};
    return made;
}

using lines = std::vector<std::string>;

template <class Mix>
auto run(Mix const& mix, conversation messages = five_rounds()) {
    return condense::reduce(messages, mix, limits, per_byte{});
}

TEST_CASE("pipeline: layers run in order, nested ones where they stand, and leave the messages as they are") {
    lines pages;
    pipeline const inner{scribe{&pages, "b"}, scribe{&pages, "c"}};
    auto messages = five_rounds();
    auto const report =
        condense::reduce(messages, pipeline{scribe{&pages, "a"}, inner, scribe{&pages, "d"}}, limits, per_byte{});
    CHECK(pages == lines{"a0", "b0", "c0", "d0"});
    CHECK(report.layers.size() == 4);
    CHECK(messages == five_rounds());
}

TEST_CASE("pipeline: entries are in the order of the layers and have their names") {
    auto const report = run(pipeline{drop{}, pipeline{labelled{}, keeps_somewhere{}}, drops_all{}});
    lines names;
    for (auto const& layer : report.layers) names.emplace_back(layer.name);
    CHECK(names == lines{"doing", "a name of its own", "keeps_somewhere", "drops_all"});
}

TEST_CASE("pipeline: an entry tells of its own layer, also of what was done under pressure") {
    lines pages;
    auto const dropped = [&](auto const& mix) {
        std::vector<bool> all;
        for (auto const& layer : run(mix).layers) {
            all.push_back(layer.groups_dropped != 0);
            CHECK((layer.saved.count != 0) == all.back());
            if (all.back()) CHECK(layer.outcome == condense::layer_outcome::applied);
        }
        return all;
    };
    CHECK(dropped(pipeline{scribe{&pages, "a"}, pipeline{scribe{&pages, "b"}, scribe{&pages, "c", true}},
                           scribe{&pages, "d"}}) == std::vector<bool>{false, false, true, false});
    auto const presses = toy::layer<condense::drops>([](auto& draft, auto& pass) {
        if (pass.pressure() == 1) pass.note(draft.drop({1}));
    });
    CHECK(dropped(pipeline{scribe{&pages, "a"}, pipeline{scribe{&pages, "b"}, presses, press{}}}) ==
          std::vector<bool>{false, false, true, false});
}

TEST_CASE("pipeline: the last layer runs those before it again, under pressure") {
    lines const expected{"a0", "b0", "a1", "b1", "a2", "b2", "a3!", "b3!"};
    lines pages;
    SECTION("all of them, also nested") {
        static_cast<void>(run(pipeline{scribe{&pages, "a", true}, pipeline{scribe{&pages, "b"}}, press{}}));
        CHECK(pages == expected);
    }
    SECTION("also those before the pipeline in which it was given") {
        static_cast<void>(run(pipeline{scribe{&pages, "a", true}, pipeline{scribe{&pages, "b"}, press{}}}));
        CHECK(pages == expected);
    }
}

TEST_CASE("pipeline: only layers that arrive by themselves are told of messages that are there") {
    std::vector<std::uint64_t> seen;
    static_cast<void>(run(pipeline{does_both{&seen}, pipeline{arrives{&seen}}}, {U("a"), A("b")}));
    CHECK(seen == std::vector<std::uint64_t>{0, 1, 88});
}

TEST_CASE("pipeline: each layer has the memory that it declares, which belongs to the run") {
    std::vector<int> first;
    std::vector<int> second;
    pipeline const mix{counter{&first}, pipeline{counter{&second}}};
    static_cast<void>(run(mix, {U("a"), A("b")}));
    CHECK((first == std::vector<int>{1, 2} && second == first));
    static_cast<void>(run(mix, {U("a"), A("b")}));
    CHECK(first == std::vector<int>{1, 2, 1, 2});
}

struct picky {
    bool right = true;
    static constexpr auto effects = condense::no_effects;
    constexpr void validate() const {
        condense::detail::reject_unless(right, "condense: picky: it must be right (see picky)");
    }
    void reduce(auto&, auto&) const {}
};
static_assert((pipeline{picky{}}, true));

/// Acts at a number of messages.
struct at_messages {
    struct trigger {
        std::uint64_t limit;
        constexpr bool due(condense::usage const& now) const noexcept { return now.messages.count >= limit; }
        constexpr condense::measure fired(condense::usage const&) const noexcept {
            return condense::measure::message_count;
        }
        struct goal {
            constexpr bool operator()(condense::usage const&) const noexcept { return false; }
            constexpr goal bind(condense::tokens) const noexcept { return {}; }
        };
        constexpr goal target() const noexcept { return {}; }
        constexpr condense::messages message_limit() const noexcept { return {limit}; }
    };
    trigger when;
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

constexpr bool due_at(std::uint64_t count) {
    pipeline const mix{at_messages{{20}}, pipeline{at_messages{{10}}}};
    return mix.due({.messages = {count}});
}

TEST_CASE("pipeline: values that cannot work are rejected when it is made") {
    CHECK_THROWS_AS((pipeline{picky{}, picky{false}}), condense::invalid_configuration);
    CHECK_THROWS_WITH((pipeline{pipeline{picky{false}}}), "condense: picky: it must be right (see picky)");
    CHECK_NOTHROW(pipeline{picky{}, pipeline{picky{}}});
}

TEST_CASE("pipeline: says whether any layer is due") {
    CHECK_CONSTANT(!due_at(9) && due_at(10) && due_at(25));
    CHECK(pipeline{drop{}}.due({}));                   // a layer without trigger is always due
    CHECK_FALSE(pipeline{durable_journal{}}.due({}));  // one that acts on arrival only is not
    CHECK_FALSE(pipeline{}.due({.tokens = {1'000}}));
    static_assert(pipeline<>::size == 0 && condense::recoverable<pipeline<>>);
}

}  // namespace
