// SPDX-License-Identifier: BSL-1.0
#include <condense/core/layer_run.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using namespace notation;
using condense::effect, condense::group, condense::measure, condense::pipeline, toy::layer;

constexpr condense::budget limits{.window = {1'000}};

/// Tokens are bytes.
conversation four_rounds() {
    return {U("task"), C("1", "read"), R("1", "0123456789"), A("answer"), U("go on"), A("well"), U("latest")};
}
constexpr std::uint64_t whole = 4 + 2 + 10 + 6 + 5 + 4 + 6;

/// Drops the round with the tool: two messages, twelve tokens.
constexpr auto drop_round = [](auto& draft, auto& pass) { pass.note(draft.drop({1})); };
constexpr auto shorten_result = [](auto& draft, auto& pass) {
    draft.each_part_of(condense::sequence{2}, [&](condense::part_ref part) {
        if (!draft.about(part).edited) pass.note(draft.shorten(part, "0"));
    });
};
/// 25 tokens in place of twelve.
constexpr auto summarize_long = [](auto& draft, auto& pass) {
    pass.note(draft.summarize(std::vector<group>{{1}}, "words and words and words"));
};
constexpr auto nothing = [](auto&, auto&) {};
auto const drops_round = layer<condense::drops>(drop_round);

template <class... Layers>
auto reduced(conversation& messages, Layers const&... layers) {
    return condense::reduce(messages, pipeline{layers...}, limits, per_byte{});
}
/// The report on a run over the four rounds.
template <class... Layers>
auto report_of(Layers const&... layers) {
    auto messages = four_rounds();
    return reduced(messages, layers...);
}
/// The outcome of the first layer, with its note where it has done nothing, and how many messages are left where any
/// has changed: "applied 5", "failed: why".
template <class... Layers>
std::string told(Layers const&... layers) {
    auto messages = four_rounds();
    auto const entry = reduced(messages, layers...).layers[0];
    std::string out{name(entry.outcome)};
    bool const in_vain =
        entry.outcome == condense::layer_outcome::failed || entry.outcome == condense::layer_outcome::declined;
    if (in_vain && !entry.note.empty()) out.append(": ").append(entry.note);
    return messages == four_rounds() ? out : out.append(" ").append(std::to_string(messages.size()));
}

TEST_CASE("layer_run: a layer that does nothing is idle, one that was refused everything has declined") {
    CHECK(told(layer<condense::drops>(nothing)) == "idle");
    CHECK(report_of(layer<condense::drops>(nothing)).layers[0].runs > 0);
    auto const refused = layer<condense::drops>([](auto& draft, auto& pass) {
        pass.note(draft.drop({6}));
        pass.note(draft.drop({99}));
    });
    CHECK(told(refused) == "declined: latest user message");
    CHECK(report_of(refused).layers[0].refused >= 2);
}

TEST_CASE("layer_run: what a layer did is measured") {
    auto const report = report_of(drops_round, layer<condense::shortens>(nothing));
    auto const& entry = report.layers[0];
    CHECK(told(drops_round) == "applied 5");
    CHECK((entry.before.count == whole && entry.saved.count == 12 && entry.after().count == whole - 12));
    CHECK((entry.groups_dropped == 1 && entry.parts_shortened == 0));
    CHECK((report.layers[1].before.count == whole - 12 && report.after.tokens.count == whole - 12));
}

TEST_CASE("layer_run: an edit of a part counts as one, and savings are those of each layer") {
    auto const report = report_of(layer<condense::shortens>(shorten_result), drops_round);
    CHECK((report.layers[0].parts_shortened == 1 && report.layers[0].saved.count == 9));
    CHECK((report.layers[1].saved.count == 3 && report.before.tokens - report.after.tokens == condense::tokens{12}));
}

TEST_CASE("layer_run: notes on work stay, notes on idle runs do not") {
    auto const says = layer<condense::drops>([](auto& draft, auto& pass) {
        if (!draft.present(condense::sequence{1})) return;
        if (!draft.drop({1})) pass.note("the oldest round went");
    });
    auto const waits = layer<condense::drops>([](auto& draft, auto&) {
        if (!draft.present(condense::sequence{1}) && draft.present(condense::sequence{3}))
            static_cast<void>(draft.drop({3}));
    });
    auto const report = report_of(waits, says);
    CHECK(std::string_view{report.layers[1].note} == "the oldest round went");
    CHECK((report.layers[0].outcome == condense::layer_outcome::applied && report.layers[0].note.empty()));
}

// Rules of a batch

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

TEST_CASE("layer_run: a batch must be smaller in the measure that fired, and larger in none") {
    constexpr auto both = condense::shortens | condense::drops;
    // Fewer tokens are not fewer messages, for a layer that could take some out.
    CHECK(told(on<both, measure::message_count>(shorten_result)) ==
          "declined: not smaller: the request would be 7 of 7 messages");
    CHECK(told(on<both, measure::turn_count>(shorten_result)).ends_with(" turns"));
    // A layer that takes nothing out is measured in tokens, whatever fired.
    CHECK(told(on<condense::shortens, measure::message_count>(shorten_result)) == "applied 7");
    CHECK(told(on<condense::shortens, measure::token_count>(shorten_result)) == "applied 7");
    CHECK(told(on<condense::drops, measure::message_count>(drop_round)) == "applied 5");
    // Fewer messages are not fewer turns; one of several measures will do.
    CHECK(told(on<condense::drops, measure::turn_count>(drop_round)).starts_with("declined: not smaller: "));
    CHECK(told(on<condense::drops, (measure::message_count | measure::turn_count)>(drop_round)) == "applied 5");
    // Fewer messages, but more tokens.
    CHECK(told(on<condense::summarizes, measure::message_count>(summarize_long)) ==
          "declined: not smaller: the request would be " + std::to_string(whole - 12 + 25) + " of " +
              std::to_string(whole) + " tokens");
    // Parts without cost go without gain.
    auto messages = four_rounds();
    messages[3].parts.push_back({});
    auto const before = messages;
    auto const remove = layer<condense::shortens>([](auto& draft, auto& pass) {
        draft.each_part_of(condense::sequence{3}, [&](condense::part_ref part) {
            if (part.index == 1) pass.note(draft.remove(part));
        });
    });
    CHECK(reduced(messages, remove).layers[0].outcome == condense::layer_outcome::declined);
    CHECK(messages == before);
}

TEST_CASE("layer_run: a batch that is not worth it is taken back, but under pressure") {
    using worth = worthwhile<condense::drops, decltype(drop_round)>;
    CHECK(told(worth{{drop_round}, {13}}) == "declined: not worth it");
    CHECK(told(worth{{drop_round}, {12}}) == "applied 5");
    auto const report = report_of(worth{{drop_round}, {13}}, toy::press{});
    CHECK(report.layers[0].outcome == condense::layer_outcome::applied);
    CHECK((report.layers[0].saved.count == 12 && report.layers[1].saved.count == 0));
}

// Failures change nothing

TEST_CASE("layer_run: a layer that throws is taken back, and the next one goes on") {
    auto const failing = [](auto fail) {
        return layer<condense::drops>([fail](auto& draft, auto& pass) {
            pass.note(draft.drop({5}));
            fail();
        });
    };
    CHECK(told(failing([] { throw std::runtime_error{"no luck"}; })) == "failed: no luck");
    CHECK(told(failing([] { throw 7; })) == "failed: an exception of unknown type");
    auto messages = four_rounds();
    auto const report = reduced(messages, failing([] { throw 7; }), drops_round);
    CHECK(fakes::outcomes(report) == "failed applied");
    CHECK((messages.size() == 5 && messages[3] == A("well")));
}

TEST_CASE("layer_run: a layer that says that it failed is taken back") {
    auto const fails = [](std::string_view reason) {
        return layer<condense::drops>([reason](auto& draft, auto& pass) -> condense::failed {
            pass.note(draft.drop({1}));
            return {reason};
        });
    };
    CHECK(told(fails("the model was silent")) == "failed: the model was silent");
    auto const entry = report_of(fails("the model was silent")).layers[0];
    CHECK((entry.saved.count == 0 && entry.groups_dropped == 0));
    CHECK(told(fails("")) == "applied 5");
}

// Stores

constexpr auto keeping = condense::keeps | condense::drops | condense::summarizes;

/// Keeps two texts and, where it is told so, drops the round.
auto keeper(fakes::shelf const& store, bool drops) {
    return layer<keeping>([&store, drops](auto& draft, auto& pass) {
        if (drops && draft.drop({1})) return;
        pass.keep(store, "one");
        pass.keep(store, "three");
    });
}
using texts_kept = std::vector<std::string>;

TEST_CASE("layer_run: what is kept is put when the edits stand, also without an edit") {
    fakes::shelf const store;
    CHECK(told(keeper(store, true)) == "applied 5");
    CHECK(store.held->contents == texts_kept{"one", "three"});
    CHECK(report_of(keeper(store, true)).layers[0].artifacts == 2);
    fakes::shelf const other;
    auto messages = four_rounds();
    static_cast<void>(reduced(messages, keeper(other, false)));
    CHECK(other.held->contents == texts_kept{"one", "three"});
    CHECK(messages == four_rounds());
}

TEST_CASE("layer_run: where a put fails, by its answer or by an exception, the edits are taken back") {
    fakes::shelf const store;
    store.held->fails_at = 2;
    CHECK(told(keeper(store, true)) == "failed: the disk is full");
    fakes::shelf const gone;
    gone.held->throws = true;
    gone.held->fails_at = 2;
    gone.held->reason = "the disk is gone";
    CHECK(told(keeper(gone, true)) == "failed: the disk is gone");
    CHECK(gone.held->contents == texts_kept{"one"});
    gone.held->fails_at = 0;
    CHECK(report_of(keeper(gone, true)).layers[0].artifacts == 0);
}

TEST_CASE("layer_run: nothing is put for edits that were taken back") {
    fakes::shelf const store;
    auto const fails = layer<keeping>([&](auto& draft, auto& pass) -> condense::failed {
        pass.note(draft.drop({1}));
        pass.keep(store, "one");
        return {"no"};
    });
    auto const declines = layer<keeping>([&](auto& draft, auto& pass) {
        summarize_long(draft, pass);
        pass.keep(store, "three");
    });
    CHECK(fakes::outcomes(report_of(fails, declines, drops_round)) == "failed declined applied");
    CHECK(store.held->contents.empty());
}

// Dry runs, models, cancellation

TEST_CASE("layer_run: a dry run asks nothing and keeps nothing, and says what would be") {
    auto const messages = four_rounds();
    fakes::shelf const store;
    int asked = 0;
    auto const ask = layer<condense::asks>([&](auto&, auto& pass) {
        CHECK(pass.dry());
        CHECK(pass.ask([&](std::string_view) { return ++asked, std::string{"answer"}; }, "?", {}).empty());
    });
    auto const made = condense::dry_run(messages, pipeline{ask, keeper(store, true)}, limits, per_byte{});
    CHECK((asked == 0 && store.held->contents.empty()));
    CHECK((made.report().layers[0].asked > 0 && made.report().layers[1].artifacts == 2));
    CHECK(made.used().messages.count == 5);
}

/// A conversation, and a run that a layer may have to stop.
struct stoppable {
    conversation messages = four_rounds();
    bool stop = false;
    int reached = 0;

    auto counter() {
        return layer<condense::no_effects>([this](auto&, auto&) { ++reached; });
    }
    template <class... Layers>
    auto run(Layers const&... layers) {
        condense::run_options<condense::steady_clock, fakes::stop_flag> const options{.stop = {&stop}};
        return condense::reduce(messages, pipeline{layers...}, limits, per_byte{}, options);
    }
};

TEST_CASE("layer_run: a layer that throws when it was told to stop ends the run, and nothing has changed") {
    stoppable on;
    bool told = true;
    auto const throws = layer<condense::drops>([&](auto&, auto& pass) {
        on.stop = told;
        if (!told) return;
        CHECK(pass.stop_requested());
        throw std::runtime_error{"cancelled"};
    });
    CHECK_THROWS_AS(on.run(drops_round, throws, on.counter()), std::runtime_error);
    CHECK((on.reached == 0 && on.messages == four_rounds()));
    on.stop = told = false;
    CHECK_NOTHROW(on.run(drops_round, throws, on.counter()));
    CHECK((on.reached > 0 && on.messages.size() == 5));
}

TEST_CASE("layer_run: being told to stop is heard through a layer that runs others again") {
    stoppable on;
    auto const under_pressure = layer<condense::drops>([&](auto& draft, auto& pass) {
        if (pass.pressure() == 0) return;
        on.stop = true;
        pass.note(draft.drop({1}));
        throw std::runtime_error{"cancelled"};
    });
    CHECK_THROWS_AS(on.run(under_pressure, toy::press{}), std::runtime_error);
    CHECK(on.messages == four_rounds());
}

TEST_CASE("layer_run: who is told to stop and fails by value leaves the view, and the report, as they were",
          "[law-12]") {
    stoppable on;
    auto const fails = layer<condense::drops>([&](auto&, auto&) {
        on.stop = true;
        return condense::failed{"told to stop"};
    });
    auto const report = on.run(drops_round, fails, on.counter());
    CHECK((on.messages == four_rounds() && on.reached == 0));
    CHECK((!report.changed() && report.after == report.before && report.layers[0].saved == condense::tokens{}));
    CHECK(std::string_view{report.layers[0].note} == "stopped");
    CHECK(report.layers[1].failures == 1);
}

TEST_CASE("layer_run: a cancellation reaches the caller, wrapped or not", "[law-12]") {
    struct own_stop : condense::cancelled {};
    for (int kind = 0; kind < 3; ++kind) {
        auto messages = four_rounds();
        auto const cancel = layer<condense::drops>([&](auto& draft, auto& pass) {
            pass.note(draft.drop({1}));
            if (kind == 0) throw own_stop{};
            if (kind == 1) fakes::throw_nested(own_stop{});
            try {
                fakes::throw_nested(own_stop{});
            } catch (...) { std::throw_with_nested(std::logic_error{"outer"}); }
        });
        CHECK_THROWS_AS(reduced(messages, cancel), std::exception);
        CHECK(messages == four_rounds());
    }
    auto const nested =
        layer<condense::drops>([](auto&, auto&) { fakes::throw_nested(std::logic_error{"no cancellation"}); });
    CHECK(told(nested).starts_with("failed: "));
}

// Growth

constexpr auto restoring = condense::drops | condense::restores;

TEST_CASE("layer_run: growth by restored messages is reported apart") {
    auto const once = layer<condense::drops>([](auto& draft, auto& pass) {
        if (draft.present(condense::sequence{5})) pass.note(draft.drop({1}));
    });
    auto const swap = layer<restoring>([](auto& draft, auto& pass) {
        if (draft.present(condense::sequence{1}) || !draft.present(condense::sequence{3})) return;
        pass.note(draft.drop({3}));
        pass.note(draft.drop({5}));
        pass.note(draft.restore({1}));
    });
    auto const report = report_of(once, swap);
    auto const& entry = report.layers[1];
    CHECK(fakes::outcomes(report) == "applied applied");
    CHECK((entry.saved.count == 10 && entry.restored.count == 12));
    CHECK(report.before.tokens + entry.restored == report.after.tokens + report.layers[0].saved + entry.saved);
}

}  // namespace
