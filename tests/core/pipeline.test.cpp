// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/reduce.hpp>
#include <condense/detail/reject.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::effect;
using condense::pipeline;

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

using drop = doing<condense::drops>;
using shorten = doing<condense::shortens>;
using summary = doing<condense::summarizes>;
using externalize = doing<condense::externalizes>;
using rerun = toy::press;
using durable_journal = journal<true>;

// recoverable

static_assert(condense::recoverable<pipeline<externalize>>);
static_assert(condense::recoverable<pipeline<doing<condense::no_effects>>>);
static_assert(!condense::recoverable<pipeline<drop>>);
static_assert(!condense::recoverable<pipeline<shorten>>);
static_assert(!condense::recoverable<pipeline<summary>>);
static_assert(!condense::recoverable<pipeline<externalize, drop>>);
static_assert(!condense::recoverable<pipeline<doing<condense::externalizes | condense::drops>>>);
static_assert(condense::recoverable<pipeline<durable_journal, drop, shorten, summary>>);
static_assert(!condense::recoverable<pipeline<drop, durable_journal>>);
static_assert(condense::recoverable<pipeline<externalize, durable_journal, drop>>);
static_assert(condense::recoverable<pipeline<pipeline<durable_journal>, drop>>);
static_assert(condense::recoverable<pipeline<durable_journal, pipeline<drop>>>);
static_assert(!condense::recoverable<pipeline<pipeline<drop>, durable_journal>>);
static_assert(!condense::recoverable<pipeline<pipeline<externalize, drop>>>);

// durable

static_assert(condense::durable<pipeline<durable_journal, drop>>);
static_assert(!condense::durable<pipeline<journal<false>, drop>>);
static_assert(!condense::durable<pipeline<drop, durable_journal>>);
static_assert(!condense::durable<pipeline<durable_journal, keeps_somewhere>>);
static_assert(!condense::durable<pipeline<durable_journal, pipeline<keeps_somewhere>>>);
static_assert(condense::durable<pipeline<doing<condense::no_effects>>>);

// calls_model, writes

static_assert(condense::calls_model<pipeline<doing<condense::summarizes | condense::asks>, drop>>);
static_assert(!condense::calls_model<pipeline<summary, drop>>);
static_assert(condense::calls_model<pipeline<drop, pipeline<doing<condense::asks>>>>);
static_assert(condense::writes<pipeline<drop, keeps_somewhere>>);
static_assert(!condense::writes<pipeline<drop, shorten>>);

// has_last_resort: a layer that can drop all, and one that runs it at the top

static_assert(condense::has_last_resort<pipeline<drops_all, rerun>>);
static_assert(!condense::has_last_resort<pipeline<drops_all>>);
static_assert(!condense::has_last_resort<pipeline<drop, rerun>>);
static_assert(condense::has_last_resort<pipeline<shorten, pipeline<drops_all>, rerun>>);

// deterministic

struct random_estimator : per_byte {
    static constexpr bool deterministic = false;
};
struct settled_estimator : per_byte {
    static constexpr bool deterministic = true;
};
static_assert(condense::deterministic<pipeline<drop, shorten, summary>>);
static_assert(!condense::deterministic<pipeline<drop, doing<condense::asks>>>);
static_assert(!condense::deterministic<pipeline<doing<condense::reads_clock>>>);
static_assert(!condense::deterministic<pipeline<drop>, random_estimator>);
static_assert(condense::deterministic<pipeline<drop>, settled_estimator>);
static_assert(condense::deterministic<pipeline<drop>, per_byte>);

// They hold for the type in every guise.

static_assert(condense::recoverable<pipeline<externalize> const&>);
static_assert(condense::has_last_resort<pipeline<drops_all, rerun> const>);
static_assert(condense::calls_model<pipeline<doing<condense::asks>>&&>);
static_assert(condense::deterministic<pipeline<drop> const>);

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

}  // namespace

TEST_CASE("pipeline: layers run in order, nested ones where they stand") {
    std::vector<std::string> pages;
    pipeline const inner{scribe{&pages, "b"}, scribe{&pages, "c"}};
    pipeline const mix{scribe{&pages, "a"}, inner, scribe{&pages, "d"}};
    auto messages = five_rounds();
    auto const report = condense::reduce(messages, mix, limits, per_byte{});
    CHECK(pages == std::vector<std::string>{"a0", "b0", "c0", "d0"});
    CHECK(report.layers.size() == 4);
    CHECK(messages == five_rounds());
}

TEST_CASE("pipeline: entries are in the order of the layers and have their names") {
    pipeline const mix{drop{}, pipeline{labelled{}, keeps_somewhere{}}, drops_all{}};
    auto messages = five_rounds();
    auto const report = condense::reduce(messages, mix, limits, per_byte{});
    CHECK(report.layers[0].name == "doing");
    CHECK(report.layers[1].name == "a name of its own");
    CHECK(report.layers[2].name == "keeps_somewhere");
    CHECK(report.layers[3].name == "drops_all");
}

TEST_CASE("pipeline: an entry tells of its own layer") {
    std::vector<std::string> pages;
    pipeline const mix{scribe{&pages, "a"}, pipeline{scribe{&pages, "b"}, scribe{&pages, "c", true}},
                       scribe{&pages, "d"}};
    auto messages = five_rounds();
    auto const report = condense::reduce(messages, mix, limits, per_byte{});
    CHECK(report.layers[2].outcome == condense::layer_outcome::applied);
    CHECK(report.layers[2].groups_dropped > 0);
    for (auto const other : {0u, 1u, 3u}) {
        CHECK(report.layers[other].groups_dropped == 0);
        CHECK(report.layers[other].saved.count == 0);
    }
}

TEST_CASE("pipeline: what is done under pressure is told of the layer that did it, also in nested ones") {
    std::vector<std::string> pages;
    auto const presses = toy::layer<condense::drops>([](auto& draft, auto& pass) {
        if (pass.pressure() == 1) pass.note(draft.drop({1}));
    });
    pipeline const mix{scribe{&pages, "a"}, pipeline{scribe{&pages, "b"}, presses, press{}}};
    auto messages = five_rounds();
    auto const report = condense::reduce(messages, mix, limits, per_byte{});
    CHECK(report.layers[2].groups_dropped == 1);
    CHECK(report.layers[0].groups_dropped == 0);
    CHECK(report.layers[1].groups_dropped == 0);
    CHECK(report.layers[3].groups_dropped == 0);
}

TEST_CASE("pipeline: the last layer runs those before it again, under pressure") {
    std::vector<std::string> pages;
    auto messages = five_rounds();
    SECTION("all of them, also nested") {
        pipeline const mix{scribe{&pages, "a", true}, pipeline{scribe{&pages, "b"}}, press{}};
        static_cast<void>(condense::reduce(messages, mix, limits, per_byte{}));
        CHECK(pages == std::vector<std::string>{"a0", "b0", "a1", "b1", "a2", "b2", "a3!", "b3!"});
    }
    SECTION("also those before the pipeline in which it was given") {
        pipeline const mix{scribe{&pages, "a", true}, pipeline{scribe{&pages, "b"}, press{}}};
        static_cast<void>(condense::reduce(messages, mix, limits, per_byte{}));
        CHECK(pages == std::vector<std::string>{"a0", "b0", "a1", "b1", "a2", "b2", "a3!", "b3!"});
    }
}

TEST_CASE("pipeline: only what arrives by itself is told of messages that are there") {
    std::vector<std::uint64_t> seen;
    pipeline const mix{does_both{&seen}, pipeline{arrives{&seen}}};
    conversation messages{U("a"), A("b")};
    static_cast<void>(condense::reduce(messages, mix, limits, per_byte{}));
    CHECK(seen == std::vector<std::uint64_t>{0, 1, 88});
}

TEST_CASE("pipeline: without layers nothing is done [T77]") {
    auto messages = five_rounds();
    auto const report = condense::reduce(messages, pipeline{}, limits, per_byte{});
    CHECK(messages == five_rounds());
    CHECK(report.layers.empty());
    CHECK(report.fits());
    CHECK_FALSE(report.changed());
    CHECK_FALSE(pipeline{}.due(report.before));
    static_assert(pipeline<>::size == 0 && condense::recoverable<pipeline<>>);
}

TEST_CASE("pipeline: each layer has the memory that it declares") {
    std::vector<int> first;
    std::vector<int> second;
    pipeline const mix{counter{&first}, pipeline{counter{&second}}};
    conversation messages{U("a"), A("b")};
    static_cast<void>(condense::reduce(messages, mix, limits, per_byte{}));
    CHECK(first == std::vector<int>{1, 2});
    CHECK(second == std::vector<int>{1, 2});
    // It belongs to the run, not to the pipeline.
    static_cast<void>(condense::reduce(messages, mix, limits, per_byte{}));
    CHECK(first == std::vector<int>{1, 2, 1, 2});
}

namespace {

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
static_assert(!due_at(9) && due_at(10) && due_at(25));

/// What has no trigger is always due.
static_assert(pipeline{drop{}}.due({}));
/// What acts on arrival only is not due.
static_assert(!pipeline{durable_journal{}}.due({}));

}  // namespace

TEST_CASE("pipeline: values that cannot work are rejected when it is made") {
    CHECK_THROWS_AS((pipeline{picky{}, picky{false}}), condense::invalid_configuration);
    CHECK_THROWS_WITH((pipeline{pipeline{picky{false}}}), "condense: picky: it must be right (see picky)");
    CHECK_NOTHROW(pipeline{picky{}, pipeline{picky{}}});
}

TEST_CASE("pipeline: says whether any layer is due") {
    CHECK_FALSE(due_at(9));
    CHECK(due_at(10));
    CHECK(due_at(25));
}

TEST_CASE("pipeline: a dry run leaves the history as it is") {
    std::vector<std::string> pages;
    pipeline const mix{scribe{&pages, "a", true}};
    auto const messages = five_rounds();
    auto const reduced = mix.draft(messages, limits, per_byte{});
    CHECK(reduced.report().changed());
    CHECK(messages == five_rounds());
    std::size_t left = 0;
    reduced.each([&](chat_message const&) { ++left; });
    CHECK(left < messages.size());
    CHECK(left == reduced.used().messages.count);
}
