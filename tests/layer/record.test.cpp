// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/record.hpp>

#include <condense/layer/journal_index.hpp>
#include <condense/layer/number_runs.hpp>

#include "laws/generator.hpp"
#include "layer/shared.hpp"
#include "support/effort.hpp"

namespace {

using namespace layers;
using tapes::bytes_of, tapes::counting, tapes::verb;
using list = std::vector<std::string>;

/// A journal that ends with the process.
struct scrap : tape {
    static constexpr bool durable = false;
};

struct nothing_to_do {
    static constexpr auto effects = condense::no_effects;
    void reduce(auto&, auto&) const {}
};

/// Keeps the beginnings of long results.
constexpr compress previews{.when = always, .over = 600_chars, .with = head{100_chars}};

conversation turns(int first, int last) {
    conversation all;
    for (int turn = first; turn < last; ++turn)
        all += {U("question " + std::to_string(turn)), A("answer " + std::to_string(turn))};
    return all;
}
conversation with_result(std::size_t size = 2'000) {
    return {U("u"), C("1", "read"), R("1", letters(size)), A("a"), U("v")};
}

condense::run_options<> named(std::string id, bool marks = false) {
    return {.marks = marks, .conversation = std::move(id)};
}

constexpr budget roomy{.window = {1'000'000}};

template <class Mix>
auto reduce(conversation& history, Mix const& mix, condense::run_options<> const& options = {}, budget limits = roomy) {
    return condense::reduce(history, mix, limits, per_byte{}, options);
}
/// Whatever the report says.
template <class... Given>
void rerun(Given&&... given) {
    static_cast<void>(reduce(given...));
}
/// A session of a conversation that is called s.
template <class Mix>
auto session_on(Mix const& mix, conversation history = {}) {
    return holding(mix, std::move(history), roomy, named("s"));
}

// What the compiler proves.

template <class... Layers>
using mix_of = pipeline<Layers...>;
using window_layer = decltype(window_of({1}));
using kept = record<tape>;
using lent = record<scrap>;
using stored = decltype(offload{.over = 500_chars, .into = fakes::volatile_shelf{}});

static_assert(kept::durable && !lent::durable && kept::records);
static_assert(condense::recoverable<mix_of<kept, window_layer>> && condense::durable<mix_of<kept, window_layer>>);
static_assert(condense::recoverable<mix_of<lent, window_layer>> && !condense::durable<mix_of<lent, window_layer>>);
static_assert(!condense::recoverable<mix_of<window_layer, kept>>);
static_assert(!condense::recoverable<mix_of<window_layer>> && !condense::durable<mix_of<window_layer>>);
static_assert(!condense::durable<mix_of<kept, stored, window_layer>>);  // what is on the shelf is gone with it
static_assert(condense::recoverable<mix_of<mix_of<kept>, mix_of<window_layer>>>);
static_assert(condense::recoverable<mix_of<mix_of<kept, window_layer>, window_layer>>);
static_assert(!condense::recoverable<mix_of<mix_of<window_layer, kept>, window_layer>>);
static_assert(condense::recoverable<mix_of<fallback<kept, lent>, window_layer>>);
static_assert(!condense::durable<mix_of<fallback<kept, lent>, window_layer>>);
static_assert(!condense::recoverable<mix_of<fallback<kept, window_layer>, window_layer>>);
static_assert(condense::writes<mix_of<kept>> && condense::deterministic<mix_of<kept, window_layer>>);
static_assert(mix_of<kept, window_layer>::acts_on_arrival && !mix_of<window_layer>::acts_on_arrival);

TEST_CASE("record: every message is in the journal before anything is dropped", "[case-126]") {
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, window_of(3_messages)};
    auto history = turns(0, 4);
    auto const all = history;
    auto const report = reduce(history, mix, named("a"));
    CHECK(history == conversation(all.end() - 2, all.end()));
    CHECK(journal.messages("a") == bytes_of(all));
    CHECK(journal.numbers("a") == counting(8));
    CHECK(journal.held->kept == journal.held->lines.size());
    CHECK(report.layers[0].artifacts == 8);
    CHECK(report.layers[0].failures == 0);
    CHECK(report.layers[0].saved == 0_tokens);
    for (std::size_t index = 0; index < all.size(); ++index)
        CHECK(condense::from_bytes<chat_message>(journal.held->lines[index].content) == all[index]);
    CHECK(condense::from_bytes<chat_message>(journal.held->lines[0].content) != all[1]);
}

TEST_CASE("record: one line a message over many runs, equal messages too", "[case-126][law-6]") {
    bool const in_place = GENERATE(true, false);
    bool const same = GENERATE(true, false);  // a conversation that says the same again and again
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, window_of(6_messages)};
    conversation all;
    conversation history;
    for (int run = 0; run < 12; ++run) {
        conversation const more{U(same ? "go on" : "step " + std::to_string(run)), A("ok"), A("ok"), U("ok")};
        all += more;
        history += more;
        for (int times = 0; times < 2; ++times) {
            if (in_place) rerun(history, mix);
            else static_cast<void>(condense::reduce(std::as_const(history), mix, roomy, per_byte{}));
            CHECK(journal.messages() == bytes_of(all));
            CHECK(journal.numbers() == counting(all.size()));
        }
    }
    CHECK(history.size() == (in_place ? 5u : 48u));
    if (!same) CHECK(journal.made() == 12);  // a digest of what each run has left
}

TEST_CASE("record: a run that brings nothing new writes nothing") {
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, previews};
    auto const full = with_result(5'000);
    auto first = full;
    CHECK(reduce(first, mix).changed());
    auto const lines = journal.held->lines.size();
    CHECK(journal.messages().size() == 5);
    CHECK(journal.made() == 2);  // the preview, and the digest of all
    auto again = first;
    CHECK_FALSE(reduce(again, mix).changed());
    CHECK(journal.held->lines.size() == lines);
    // A program that keeps the whole history has the same work done in each run.
    auto from_the_whole = full;
    CHECK(reduce(from_the_whole, mix).changed());
    CHECK(from_the_whole == first);
    CHECK(journal.held->lines.size() == lines);
}

TEST_CASE("record: what runs have made is never taken for a message") {
    bool const marks = GENERATE(false, true);
    laws::random_source random{marks ? 7u : 8u};
    std::uint64_t made = 0;
    for (std::uint64_t seed = 1; seed <= rounds(150); ++seed) {
        tape const journal;
        auto const mix =
            pipeline{record{.to = journal},
                     compress{.when = used >= 30_pct, .over = 700_chars, .with = head_tail{200_chars, 100_chars}},
                     summarize{.when = used >= 60_pct, .protect = task | last(4_messages), .size = 300_tokens},
                     window_to(90_pct), escalate{.when = used >= 90_pct, .passes = 2}};
        auto const all = laws::conversation_generator{seed}.make();
        budget const limits{.window = {2'000 + random.below(20'000)}};
        bool const in_place = random.chance(50);
        conversation history;
        for (std::size_t given = 0; given < all.size();) {
            for (auto left = 1 + random.below(9); left-- > 0 && given < all.size();) history.push_back(all[given++]);
            auto request = history;
            rerun(request, mix, named("c", marks), limits);
            if (in_place) history = request;
            INFO("seed " << seed << ", in place " << in_place << ", " << given << " of " << all.size());
            REQUIRE(journal.messages("c") ==
                    bytes_of(conversation(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(given))));
        }
        made += journal.made("c");
    }
    CHECK(made > rounds(300) / 2);
}

TEST_CASE("record: equal previews do not make later messages look new, wherever the journal stands in the mix") {
    conversation history;
    for (int turn = 0; turn < 4; ++turn)
        history += {U("read it again " + std::to_string(turn)), C("", "read"), R("", letters(5'000)), A("read")};
    auto const all = history;
    auto const check = [&](auto const& mix) {
        tape const journal;
        history = all;
        for (int run = 0; run < 3; ++run) rerun(history, mix(record{.to = journal}));
        CHECK(history != all);
        CHECK(journal.messages() == bytes_of(all));
        CHECK(journal.numbers() == counting(all.size()));
    };
    check([](auto layer) { return pipeline{layer, previews}; });
    check([](auto layer) { return pipeline{pipeline{layer}, pipeline{previews, window_of(16_messages)}}; });
    check([](auto layer) { return pipeline{fallback{layer, nothing_to_do{}}, previews}; });
}

TEST_CASE("record: answers that repair wrote are no messages") {
    bool const ids = GENERATE(true, false);
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, window_of(12_messages), condense::repair{}};
    conversation all;
    conversation history;
    for (int turn = 0; turn < 8; ++turn) {
        auto const id = [&](char const* text) {
            return ids ? std::string{text} : std::string{};
        };  // of which two stand in one message
        conversation const more{U("q" + std::to_string(turn)), C(id("one")).and_call(id("two"), "t", "{}"),
                                U("still there?"), A("a" + std::to_string(turn))};
        all += more;
        history += more;
        rerun(history, mix);
        INFO(turn);
        REQUIRE(journal.messages() == bytes_of(all));
    }
    CHECK(journal.made() >= 16);
}

TEST_CASE("record: after a failed append nothing is lost, and recording goes on without a hole") {
    bool const throws = GENERATE(false, true);
    auto const which = GENERATE(verb::append, verb::flush, verb::read);
    for (std::size_t call = 1; call <= (which == verb::append ? 8u : 1u); ++call) {
        tape const journal;
        journal.held->throws = throws;
        auto const mix = pipeline{record{.to = journal}, window_of(3_messages)};
        auto history = turns(0, 4);
        auto const all = history;
        journal.fail_at(which, call);
        auto const report = reduce(history, mix);
        INFO("verb " << static_cast<int>(which) << ", call " << call << ", throws " << throws);
        CHECK(history == all);
        CHECK_FALSE(report.changed());
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(report.layers[0].failures == 1);
        CHECK(report.layers[0].note == (throws ? "the journal threw" : "no space left"));
        CHECK(report.layers[1].outcome == layer_outcome::failed);
        CHECK(report.layers[1].failures == 1);
        CHECK(report.layers[1].note == "not all is recorded");
        auto const again = reduce(history, mix);
        CHECK(again.layers[0].failures == 0);
        CHECK(history.size() == 2);
        CHECK(journal.messages() == bytes_of(all));
        CHECK(journal.numbers() == counting(8));
        CHECK(journal.held->kept == journal.held->lines.size());
    }
}

TEST_CASE("record: every layer that loses content waits for the journal, those that keep it do not") {
    tape const journal;
    journal.down(verb::append);
    auto const mix = pipeline{record{.to = journal},
                              offload{.over = 500_chars, .preview = head{50_chars}, .into = fakes::volatile_shelf{}},
                              previews,
                              summarize{.when = used > 4_messages, .protect = nothing},
                              window_of(2_messages),
                              escalate{.when = used >= 1_pct, .passes = 2}};
    conversation history{U("u"), C("1", "read"), R("1", letters(2'000)), A(letters(900, 'y')), U("v"), A("w")};
    auto const all = history;
    auto const report = reduce(history, mix, {}, {.window = 1'000_tokens});
    CHECK(report.layers[1].outcome == layer_outcome::applied);
    for (std::size_t layer : {2u, 3u, 4u}) {
        INFO(report.layers[layer].name);
        CHECK(report.layers[layer].outcome == layer_outcome::failed);
        CHECK(report.layers[layer].note == "not all is recorded");
    }
    CHECK(history.size() == all.size());
    CHECK(history[3] == all[3]);
    CHECK_FALSE(report.fits());
    journal.down(verb::append, false);
    CHECK(reduce(history, mix, {}, {.window = 1'000_tokens}).fits());
}

TEST_CASE("record: a layer before the journal does not wait for it, and none at all where there is no journal") {
    tape const journal;
    journal.down(verb::append);
    auto history = turns(0, 4);
    auto const report = reduce(history, pipeline{window_of(6_messages), record{.to = journal}, window_of(2_messages)});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[2].outcome == layer_outcome::failed);
    CHECK(history.size() == 6);
}

TEST_CASE("record: conversations are kept apart by their ids") {
    tape const journal;
    auto const mix = pipeline{record{.to = journal}};
    auto one = turns(0, 2);
    auto other = turns(0, 2);
    other.push_back(U("more"));
    rerun(one, mix, named("one"));
    rerun(other, mix, named("other"));
    rerun(one, mix);
    CHECK(journal.messages("one") == bytes_of(one));
    CHECK(journal.messages("other") == bytes_of(other));
    CHECK(journal.messages() == bytes_of(one));
    std::string const hostile{"../\0\n\"{x", 9};
    rerun(one, mix, named(hostile));
    CHECK(journal.messages(hostile) == bytes_of(one));
}

TEST_CASE("record: a dry run keeps nothing, and says what it would") {
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, window_of(3_messages), condense::repair{}};
    auto const history = turns(0, 4);
    auto const dry = condense::dry_run(history, mix, roomy, per_byte{});
    CHECK(journal.held->lines.empty());
    CHECK(journal.calls(verb::append) == 0);
    CHECK(journal.calls(verb::flush) == 0);
    CHECK(dry.report().layers[0].artifacts == 8);
    CHECK(dry.report().after.messages == 2_messages);
    auto reduced_history = history;
    auto const made = reduce(reduced_history, mix);
    CHECK(made.after.tokens == dry.report().after.tokens);
    CHECK(made.layers[0].artifacts == dry.report().layers[0].artifacts);
}

TEST_CASE("record: of two journals one that holds everything is enough") {
    tape const first;
    tape const second;
    auto const mix = pipeline{record{.to = first}, record{.to = second}, window_of(2_messages)};
    auto history = turns(0, 2);
    auto all = history;
    (GENERATE(true, false) ? first : second).down(verb::append);
    auto const report = reduce(history, mix);
    CHECK(history.size() == 2);
    CHECK(report.layers[0].failures + report.layers[1].failures == 1);
    CHECK(report.layers[2].outcome == layer_outcome::applied);
    CHECK(first.messages().size() + second.messages().size() == 4);
    first.down(verb::append);
    second.down(verb::append);
    history += turns(5, 6);
    auto const before = history;
    CHECK(reduce(history, mix).layers[2].outcome == layer_outcome::failed);
    CHECK(history == before);
}

TEST_CASE("record: the second journal of a fallback stands in for the first") {
    tape const first;
    tape const second;
    auto const mix = pipeline{fallback{record{.to = first}, record{.to = second}}, window_of(2_messages)};
    auto history = turns(0, 2);
    auto all = history;
    rerun(history, mix);
    CHECK(first.messages() == bytes_of(all));
    CHECK(second.held->lines.empty());
    first.down(verb::append);
    history += turns(2, 4);
    auto const given = history;
    auto const report = reduce(history, mix);
    CHECK(report.layers[0].outcome == layer_outcome::failed);
    CHECK(report.layers[2].outcome == layer_outcome::applied);
    CHECK(second.messages() == bytes_of(given));
    second.down(verb::append);
    history += turns(4, 6);
    auto const before = history;
    CHECK(reduce(history, mix).layers[2].note == "not all is recorded");
    CHECK(history == before);
}

TEST_CASE("record: in a nested pipeline it protects what comes after it") {
    tape const journal;
    auto history = with_result();
    journal.down(verb::append);
    auto const report =
        reduce(history, pipeline{pipeline{record{.to = journal}}, pipeline{previews, window_of(5_messages)}});
    CHECK(report.layers[1].note == "not all is recorded");
    CHECK(history == with_result());
}

TEST_CASE("record: in a session each message is kept as it arrives, once") {
    tape const journal;
    auto session = session_on(pipeline{record{.to = journal}, window_of(4_messages)});
    conversation all;
    for (int turn = 0; turn < 10; ++turn)
        for (auto const& m : {U("ok"), A("ok")}) {
            all.push_back(m);
            session.push(m);
            CHECK(journal.messages("s") == bytes_of(all));
            CHECK(journal.held->kept == all.size());
            CHECK(session.prepare().fits());
        }
    CHECK(session.used().messages <= 4_messages);
    CHECK(journal.numbers("s") == counting(20));
    CHECK(journal.calls(verb::read) == 1);
    CHECK(session.statistics().layers[0].artifacts == 20);
}

TEST_CASE("record: a session over messages that are in the journal adds only what is new") {
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, window_of(4_messages)};
    auto history = turns(0, 3);
    auto all = history;
    rerun(history, mix, named("s"));
    CHECK(history.size() == 4);
    {
        auto session = session_on(mix, history);
        CHECK(journal.messages("s") == bytes_of(all));
        push(session, turns(3, 4));
        all += turns(3, 4);
        CHECK(journal.messages("s") == bytes_of(all));
        CHECK(journal.numbers("s") == counting(8));
    }
    // What a session has not seen before it, and what it brings itself.
    all.push_back(U("pushed behind our back"));
    auto const session = session_on(mix, all);
    CHECK(journal.messages("s") == bytes_of(all));
}

TEST_CASE("record: a message pushed to a session is new, whatever the journal holds") {
    auto const all = turns(0, 3);
    // The program went back to an earlier point, and the user says the same again; or it begins with an old id.
    for (std::size_t const known : {2u, 0u}) {
        tape const journal;
        auto const mix = pipeline{record{.to = journal}};
        auto whole = all;
        rerun(whole, mix, named("s"));
        auto session = session_on(mix, conversation(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(known)));
        conversation const more{all[known], A("another answer"), all[1]};
        push(session, more);
        CHECK(journal.messages("s") == bytes_of(all + more));
        CHECK(journal.numbers("s") == counting(9));
    }
}

TEST_CASE("record: a session over existing messages knows them also when the journal was away at first") {
    auto const which = GENERATE(verb::read, verb::append, verb::flush);
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, window_of(4_messages)};
    auto all = turns(0, 3);
    auto whole = all;
    rerun(whole, mix, named("s"));
    journal.down(which);
    auto existing = all;
    existing.push_back(U("not recorded yet"));
    auto session = session_on(mix, existing);
    session.push(A("nor this"));
    CHECK(session.run().layers[1].note == "not all is recorded");
    CHECK(session.used().messages == 8_messages);
    journal.down(which, false);
    session.push(U("answer 1"));  // as a text of an earlier message
    existing += {A("nor this"), U("answer 1")};
    CHECK(journal.messages("s") == bytes_of(existing));
    CHECK(journal.numbers("s") == counting(existing.size()));
    CHECK(session.run().changed());
}

TEST_CASE("record: what failed at an arrival is made up for at the next, and nothing is lost meanwhile") {
    tape const journal;
    auto session = opened(pipeline{record{.to = journal}, window_of(3_messages)});
    auto const all = turns(0, 3);
    journal.down(verb::append);
    for (auto const& m : all) {
        session.push(m);
        CHECK_FALSE(session.prepare().changed());
    }
    CHECK(session.used().messages == 6_messages);
    CHECK(session.statistics().layers[0].failures >= 6);
    CHECK(session.statistics().layers[0].failure == "no space left");
    CHECK(session.statistics().layers[1].failure == "not all is recorded");
    journal.down(verb::append, false);
    CHECK(session.prepare().changed());
    CHECK(journal.messages() == bytes_of(all));
    CHECK(journal.numbers() == counting(6));
    CHECK(session.statistics().layers[0].artifacts == 6);
}

TEST_CASE("record: one that is far behind skips messages that another journal has let go") {
    tape const first;
    tape const second;
    second.down(verb::append);
    auto session = opened(pipeline{record{.to = first}, record{.to = second}, window_of(2_messages)});
    auto const all = turns(0, 4);
    push(session, all);
    CHECK(session.prepare().fits());
    CHECK(session.release({100}) == 5);  // the task stays
    second.down(verb::append, false);
    session.push(U("after"));
    conversation left{all[0], all[6], all[7], U("after")};
    CHECK(second.messages() == bytes_of(left));
    session.push(A("on"));
    CHECK(first.messages().size() == 10);
    CHECK(second.messages().size() == 5);
}

TEST_CASE("record: a fallback journal takes over after messages were given back") {
    tape const first;
    tape const second;
    auto session = opened(pipeline{fallback{record{.to = first}, record{.to = second}}, window_of(2_messages)});
    auto const all = turns(0, 4);
    push(session, all);
    CHECK(session.prepare().fits());
    CHECK(session.release({100}) == 5);
    first.down(verb::append);
    session.push(U("after"));
    CHECK(second.messages() == bytes_of(conversation{all[0], all[6], all[7], U("after")}));
    CHECK(session.prepare().changed());
}

TEST_CASE("record: a journal that throws at an arrival takes nothing with it") {
    tape const journal;
    journal.held->throws = true;
    auto session = opened(pipeline{record{.to = journal}, window_of(100_messages)});
    journal.fail_at(verb::append, 2);
    auto const all = turns(0, 2);
    push(session, all);
    CHECK(session.history() == all);
    CHECK(journal.messages() == bytes_of(all));
    CHECK(session.statistics().layers[0].failures == 1);
    CHECK(session.statistics().layers[0].failure == "the journal threw");
}

TEST_CASE("record: where what a run made can not be noted, the report says so") {
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, previews};
    auto history = with_result();
    journal.fail_at(verb::append, 6);
    auto const report = reduce(history, mix);
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[0].note == "no space left");
}

TEST_CASE("record: beside another journal a saved state is not believed", "[law-6]") {
    tape const before;
    auto const mix = [](tape const& journal) { return pipeline{record{.to = journal}, window_of(4_messages)}; };
    auto first = session_on(mix(before));
    auto all = turns(0, 4);
    push(first, all);
    auto const state_of_first = [&] {
        auto taken = first.state();
        REQUIRE(taken);
        return taken.state;
    };
    SECTION("what it does not hold is recorded anew") {
        tape const other;
        auto second = session_on(mix(other));
        REQUIRE_FALSE(second.adopt(state_of_first()));
        CHECK(second.release({second.outline().size()}) == 0);
        all.push_back(U("next"));
        second.push(all.back());
        CHECK(other.messages("s") == bytes_of(all));
        static_cast<void>(second.prepare());
        CHECK(second.release({second.outline().size()}) > 0);
    }
    SECTION("of one that holds a part, the rest") {
        tape const other;
        auto half = session_on(mix(other));
        for (std::size_t at = 0; at < 3; ++at) half.push(all[at]);
        auto second = session_on(mix(other));
        REQUIRE_FALSE(second.adopt(state_of_first()));
        all.push_back(U("next"));
        second.push(all.back());
        CHECK(other.messages("s") == bytes_of(all));
    }
    SECTION("its own is not written again") {
        auto second = session_on(mix(before));
        REQUIRE_FALSE(second.adopt(state_of_first()));
        all.push_back(U("next"));
        second.push(all.back());
        CHECK(before.messages("s") == bytes_of(all));
        CHECK(before.numbers("s") == counting(9));
    }
    SECTION("where it lacks what was released, nothing more is lost") {
        static_cast<void>(first.prepare());
        REQUIRE(first.release({first.outline().size()}) > 0);
        tape const other;
        auto second = session_on(mix(other));
        REQUIRE_FALSE(second.adopt(state_of_first()));
        push(second, turns(4, 7));
        auto const report = second.prepare();
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(std::string_view{report.layers[0].note}.starts_with("foreign: "));
        CHECK_FALSE(report.changed());
        CHECK(second.release({second.outline().size()}) == 0);
    }
}

TEST_CASE("record: the numbers of messages are saved and loaded, and forged texts are refused") {
    record<tape>::memory loaded;
    std::string const saved = "1:2,1:3,20:18446744073709551615,1:1,1:9,1:1,";  // one that the journal does not hold
    REQUIRE(loaded.load(saved, 5));
    CHECK(loaded.save() == saved);
    CHECK(loaded.numbers.size() == 5);
    for (std::string const forged : {"1:2,1:6,",  // more messages than there are
                                     "1:2,1:3,1:9,1:3,", "20:18446744073709551615,1:6,",
                                     "1:2,1:0,",  // no message
                                     "20:18446744073709551613,1:3,",  // no numbers are left for so many
                                     "1:2,", "1:2,1:3,1:9", "x"}) {
        CAPTURE(forged);
        CHECK_FALSE(loaded.load(forged, 5));
        CHECK(loaded.save() == saved);
    }
    REQUIRE(loaded.load("", 5));
    CHECK(loaded.save().empty());
}

TEST_CASE("record: it is not idle where it stored") {
    conversation messages{U("u"), A("a")};
    auto const mix = pipeline{record{.to = condense::memory_journal{}}};
    auto const first = condense::reduce(messages, mix, budget{.window = {1'000}},
                                        [](std::string_view) { return condense::cost{256}; });
    CHECK(first.layers[0].outcome == layer_outcome::stored);
    CHECK(first.layers[0].artifacts == 2);
    CHECK(first.text().find("stored  ") != std::string::npos);
    auto const again = condense::reduce(messages, mix, budget{.window = {1'000}},
                                        [](std::string_view) { return condense::cost{256}; });
    CHECK(again.layers[0].outcome == layer_outcome::idle);
}

using condense::detail::journal_index;
constexpr auto none = journal_index::none;
using places = std::vector<std::uint64_t>;

condense::reference name(std::string_view text) { return tapes::name_of(text); }

void came(journal_index& held, std::string_view text, std::uint64_t number) { held.add({name(text), number, false}); }
void made(journal_index& held, std::string_view text, std::uint64_t number) { held.add({name(text), number, true}); }

places find(journal_index& held, std::vector<std::string> const& history) {
    places out;
    for (auto const& text : history) out.push_back(held.find(name(text)));
    return out;
}

TEST_CASE("journal_index: an empty journal knows nothing") {
    journal_index held;
    CHECK(held.next() == 0);
    CHECK(held.numbers().empty());
    CHECK_FALSE(held.holds(name("a"), 0));
    CHECK(held.find(name("a")) == none);
    CHECK(held.find({}) == none);
    CHECK_FALSE(held.has_derived(name("a"), 0));
}

TEST_CASE("journal_index: each message is found after the one before it") {
    journal_index held;
    for (std::uint64_t number = 0; number < 6; ++number) came(held, number % 2 == 0 ? "ok" : "go", number);
    CHECK(held.next() == 6);
    SECTION("a whole history") {
        CHECK(find(held, {"ok", "go", "ok", "go", "ok", "go"}) == places{0, 1, 2, 3, 4, 5});
        CHECK(held.find(name("ok")) == none);
        CHECK(held.find(name("go")) == none);
    }
    SECTION("one with gaps") { CHECK(find(held, {"go", "go", "ok", "ok"}) == places{1, 3, 4, none}); }
    SECTION("unknown ones between") {
        CHECK(find(held, {"ok", "new", "ok", "new", "go"}) == places{0, none, 2, none, 3});
    }
}

TEST_CASE("journal_index: what was made of a message stands for it") {
    journal_index held;
    came(held, "u", 0);
    came(held, "long", 1);
    came(held, "v", 2);
    came(held, "long", 3);
    came(held, "w", 4);
    SECTION("in the place of each, noted in any order") {
        auto const first = GENERATE(as<std::uint64_t>{}, 1u, 3u);
        made(held, "short", first);
        made(held, "short", 4 - first);
        CHECK(held.holds(name("long"), 3));
        CHECK(held.holds(name("short"), 3));
        CHECK_FALSE(held.holds(name("short"), 2));
        CHECK(held.numbers() == places{0, 1, 2, 3, 4});
        CHECK(find(held, {"u", "short", "v", "short", "w"}) == places{0, 1, 2, 3, 4});
        CHECK(held.find(name("short")) == none);
    }
    SECTION("beside it, once") {
        made(held, "answer", 1);
        CHECK(find(held, {"u", "long", "answer", "v", "answer"}) == places{0, 1, 1, 2, none});
    }
    SECTION("beside it, as often as it was noted") {
        made(held, "answer", 1);
        made(held, "answer", 1);
        made(held, "answer", 3);
        CHECK(find(held, {"u", "long", "answer", "answer", "v", "long", "answer", "w"}) ==
              places{0, 1, 1, 1, 2, 3, 3, 4});
    }
    SECTION("but not for a later message that is the same") {
        made(held, "short", 1);
        CHECK(find(held, {"u", "short", "v", "short", "w"}) == places{0, 1, 2, none, 4});
    }
    SECTION("also where it is the same as a later message") {
        made(held, "w", 1);
        CHECK(find(held, {"u", "w", "v", "w"}) == places{0, 1, 2, 4});
    }
    made(held, "known", 4);
    CHECK(held.next() == 5);
    CHECK(held.has_derived(name("known"), 4));
    CHECK_FALSE(held.has_derived(name("known"), 3));
    CHECK_FALSE(held.has_derived(name("w"), 4));
}

TEST_CASE("journal_index: numbers have gaps and repeat, and may be the largest there are") {
    journal_index held;
    came(held, "a", 7);
    came(held, "b", 3);
    CHECK(held.next() == 8);
    CHECK(find(held, {"b", "a"}) == places{3, 7});
    journal_index far;
    came(far, "a", none - 2);
    CHECK(far.next() == none - 1);
    CHECK(far.find(name("a")) == none - 2);
    CHECK(far.find(name("a")) == none);
    came(held, "c", none);
    made(held, "d", none);
    CHECK(held.next() == 8);
    CHECK(find(held, {"c", "d"}) == places{none, none});
}

TEST_CASE("journal_index: any subsequence of what it holds is found whole, and nothing else in it") {
    std::size_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        laws::random_source random{seed};
        journal_index held;
        std::vector<std::string> all;
        std::vector<std::string> reduced;
        auto const size = random.below(200);
        auto const kinds = 1 + random.below(60);
        for (std::uint64_t number = 0; number < size; ++number) {
            all.push_back(std::to_string(random.below(kinds)));
            came(held, all.back(), number);
            if (random.chance(20)) {
                reduced.push_back("made of " + all.back());
                made(held, reduced.back(), number);
            } else if (random.chance(60)) reduced.push_back(all.back());
        }
        reduced.push_back("new");
        auto const found = find(held, reduced);
        INFO("seed " << seed);
        CHECK(found.back() == none);
        bool known = true;
        for (std::size_t index = 0; index + 1 < found.size(); ++index)
            known = known && found[index] != none && (index == 0 || found[index - 1] < found[index]);
        CHECK(known);
        longest = reduced.size() > longest ? reduced.size() : longest;
    }
    CHECK(longest > 100);
}

TEST_CASE("journal_index: a line without a name is nobody's") {
    journal_index held;
    for (std::uint64_t number = 0; number < 10; ++number) held.add({{}, number, number % 2 == 0});
    CHECK(held.next() == 10);
    CHECK(held.find({}) == none);
    for (int text = 0; text < 200; ++text) CHECK(held.find(name(std::to_string(text))) == none);
    CHECK_FALSE(held.has_derived({}, 0));
}

TEST_CASE("journal_index: names that differ in their last byte only are different") {
    journal_index held;
    std::vector<condense::reference> names;
    for (int byte = 0; byte < 256; ++byte) {
        condense::reference next;
        next.digest.fill(1);
        next.digest.back() = static_cast<std::uint8_t>(byte);
        names.push_back(next);
        held.add({next, static_cast<std::uint64_t>(byte), false});
    }
    for (std::size_t byte = 0; byte < 256; ++byte) CHECK(held.find(names[byte]) == byte);
}

TEST_CASE("number_runs: numbers come back as they were given, in few runs") {
    using condense::detail::number_runs;
    laws::random_source random{5};
    number_runs runs;
    std::vector<std::uint64_t> all;
    auto next = [&] { return all.empty() || all.back() == number_runs::none ? 0 : all.back() + 1; };
    for (int step = 0; step < 3'000; ++step) {
        auto const number = random.chance(90) ? next() : random.chance(50) ? number_runs::none : random.below(9'000);
        runs.reserve_one();
        runs.push_back(number);
        all.push_back(number);
        if (!random.chance(2)) continue;
        all.resize(all.size() - random.below(all.size()) / 4);
        runs.cut(all.size());
    }
    REQUIRE(runs.size() == all.size());
    for (std::size_t index = 0; index < all.size(); ++index) REQUIRE(runs[index] == all[index]);
    number_runs again;
    std::size_t count = 0;
    runs.each_run([&](std::uint64_t first, std::size_t size) { again.append(first, size), ++count; });
    REQUIRE(again.size() == all.size());
    for (std::size_t index = 0; index < all.size(); ++index) REQUIRE(again[index] == all[index]);
    CHECK(count < all.size() / 4);
}

}  // namespace
