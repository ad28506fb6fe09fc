// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/record.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory_journal.hpp>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/notation.hpp"
#include "support/tape.hpp"

namespace {

using condense::layer_outcome;
using condense::used;
using tapes::bytes_of;
using tapes::counting;
using tapes::tape;
using tapes::verb;
using namespace condense::literals;
using namespace notation;
using list = std::vector<std::string>;

/// A journal that ends with the process.
struct scrap : tape {
    static constexpr bool durable = false;
};

struct shelf {
    condense::reference name(std::string_view bytes) const { return tape{}.name(bytes); }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};

struct nothing_to_do {
    static constexpr auto effects = condense::no_effects;
    void reduce(auto&, auto&) const {}
};

constexpr auto window(condense::messages most) {
    return condense::sliding_window{.when = used > most, .until = used <= most, .protect = condense::nothing};
}

conversation turns(int first, int last) {
    conversation all;
    for (int turn = first; turn < last; ++turn)
        all += {U("question " + std::to_string(turn)), A("answer " + std::to_string(turn))};
    return all;
}

auto options_of(std::string id, bool marks = false) {
    condense::run_options<> options;
    options.conversation = std::move(id);
    options.marks = marks;
    return options;
}

constexpr condense::budget roomy{.window = {1'000'000}};

template <class Mix>
auto reduce(conversation& history, Mix const& mix, condense::run_options<> const& options = {},
            condense::budget limits = roomy) {
    return condense::reduce(history, mix, limits, per_byte{}, options);
}

// What the compiler proves.

template <class... Layers>
using mix_of = condense::pipeline<Layers...>;
using window_layer = decltype(window({1}));
using kept = condense::record<tape>;
using lent = condense::record<scrap>;
using stored = decltype(condense::offload{.over = 500_chars, .into = shelf{}});

static_assert(kept::durable && !lent::durable && kept::records);
static_assert(condense::recoverable<mix_of<kept, window_layer>> && condense::durable<mix_of<kept, window_layer>>);
static_assert(condense::recoverable<mix_of<lent, window_layer>> && !condense::durable<mix_of<lent, window_layer>>);
static_assert(!condense::recoverable<mix_of<window_layer, kept>>);
static_assert(!condense::recoverable<mix_of<window_layer>> && !condense::durable<mix_of<window_layer>>);
static_assert(!condense::durable<mix_of<kept, stored, window_layer>>);  // what is on the shelf is gone with it
static_assert(condense::recoverable<mix_of<mix_of<kept>, mix_of<window_layer>>>);
static_assert(condense::recoverable<mix_of<mix_of<kept, window_layer>, window_layer>>);
static_assert(!condense::recoverable<mix_of<mix_of<window_layer, kept>, window_layer>>);
static_assert(condense::recoverable<mix_of<condense::fallback<kept, lent>, window_layer>>);
static_assert(!condense::durable<mix_of<condense::fallback<kept, lent>, window_layer>>);
static_assert(!condense::recoverable<mix_of<condense::fallback<kept, window_layer>, window_layer>>);
static_assert(condense::writes<mix_of<kept>> && condense::deterministic<mix_of<kept, window_layer>>);
static_assert(mix_of<kept, window_layer>::acts_on_arrival && !mix_of<window_layer>::acts_on_arrival);

}  // namespace

TEST_CASE("record: every message is in the journal before anything is dropped", "[case-126]") {
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, window(3_messages)};
    auto history = turns(0, 4);
    auto const all = history;
    auto const report = reduce(history, mix, options_of("a"));
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

TEST_CASE("record: one line a message over many runs, equal messages too", "[case-126]") {
    bool const in_place = GENERATE(true, false);
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, window(6_messages)};
    conversation all;
    conversation history;
    for (int run = 0; run < 12; ++run) {
        conversation const more{U("step " + std::to_string(run)), A("ok"), A("ok"), U("ok")};
        all += more;
        history += more;
        auto request = history;
        static_cast<void>(reduce(request, mix));
        if (in_place) history = request;
        CHECK(journal.messages() == bytes_of(all));
        CHECK(journal.numbers() == counting(all.size()));
    }
    CHECK(journal.made() == 12);  // a digest of what each run has left
    CHECK(history.size() == (in_place ? 5u : 48u));
}

TEST_CASE("record: a conversation that says the same again and again is recorded whole", "[law-6]") {
    bool const in_place = GENERATE(true, false);
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, window(6_messages)};
    conversation all;
    conversation history;
    for (int run = 0; run < 12; ++run) {
        conversation const more{U("go on"), A("ok")};
        all += more;
        history += more;
        for (int times = 0; times < 2; ++times) {
            if (in_place) static_cast<void>(reduce(history, mix));
            else static_cast<void>(condense::reduce(std::as_const(history), mix, roomy, per_byte{}));
            CHECK(journal.messages() == bytes_of(all));
        }
    }
}

TEST_CASE("record: a run that brings nothing new writes nothing") {
    tape const journal;
    auto const mix = condense::pipeline{
        condense::record{.to = journal},
        condense::compress{.when = condense::always, .over = 600_chars, .with = condense::head{100_chars}}};
    conversation full{U("u"), C("1", "read"), R("1", letters(5'000)), A("done")};
    auto first = full;
    CHECK(reduce(first, mix).changed());
    auto const lines = journal.held->lines.size();
    CHECK(journal.messages().size() == 4);
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
        auto const mix = condense::pipeline{
            condense::record{.to = journal},
            condense::compress{
                .when = used >= 30_pct, .over = 700_chars, .with = condense::head_tail{200_chars, 100_chars}},
            condense::summarize{
                .when = used >= 60_pct, .protect = condense::task | condense::last(4_messages), .size = 300_tokens},
            condense::sliding_window{.when = used >= 90_pct}, condense::escalate{.when = used >= 90_pct, .passes = 2}};
        auto const all = laws::conversation_generator{seed}.make();
        condense::budget const limits{.window = {2'000 + random.below(20'000)}};
        bool const in_place = random.chance(50);
        conversation history;
        for (std::size_t given = 0; given < all.size();) {
            for (auto left = 1 + random.below(9); left-- > 0 && given < all.size();) history.push_back(all[given++]);
            auto request = history;
            static_cast<void>(reduce(request, mix, options_of("c", marks), limits));
            if (in_place) history = request;
            INFO("seed " << seed << ", in place " << in_place << ", " << given << " of " << all.size());
            REQUIRE(journal.messages("c") ==
                    bytes_of(conversation(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(given))));
        }
        made += journal.made("c");
    }
    CHECK(made > rounds(300) / 2);
}

TEST_CASE("record: equal previews do not make later messages look new") {
    tape const journal;
    auto const mix = condense::pipeline{
        condense::record{.to = journal},
        condense::compress{.when = condense::always, .over = 600_chars, .with = condense::head{100_chars}}};
    conversation history;
    for (int turn = 0; turn < 4; ++turn)
        history += {U("read it again " + std::to_string(turn)), C("", "read"), R("", letters(5'000)), A("read")};
    auto const all = history;
    for (int run = 0; run < 3; ++run) static_cast<void>(reduce(history, mix));
    CHECK(history != all);
    CHECK(journal.messages() == bytes_of(all));
    CHECK(journal.numbers() == counting(all.size()));
}

TEST_CASE("record: answers that repair wrote are no messages") {
    bool const ids = GENERATE(true, false);
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, window(12_messages), condense::repair{}};
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
        static_cast<void>(reduce(history, mix));
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
        auto const mix = condense::pipeline{condense::record{.to = journal}, window(3_messages)};
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
    auto const mix = condense::pipeline{
        condense::record{.to = journal},
        condense::offload{.over = 500_chars, .preview = condense::head{50_chars}, .into = shelf{}},
        condense::compress{.when = condense::always, .over = 600_chars, .with = condense::head{100_chars}},
        condense::summarize{.when = used > 4_messages, .protect = condense::nothing},
        window(2_messages),
        condense::escalate{.when = used >= 1_pct, .passes = 2}};
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
    auto const report =
        reduce(history, condense::pipeline{window(6_messages), condense::record{.to = journal}, window(2_messages)});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[2].outcome == layer_outcome::failed);
    CHECK(history.size() == 6);
}

TEST_CASE("record: conversations are kept apart by their ids") {
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}};
    auto one = turns(0, 2);
    auto other = turns(0, 2);
    other.push_back(U("more"));
    static_cast<void>(reduce(one, mix, options_of("one")));
    static_cast<void>(reduce(other, mix, options_of("other")));
    static_cast<void>(reduce(one, mix));
    CHECK(journal.messages("one") == bytes_of(one));
    CHECK(journal.messages("other") == bytes_of(other));
    CHECK(journal.messages() == bytes_of(one));
    std::string const hostile{"../\0\n\"{x", 9};
    static_cast<void>(reduce(one, mix, options_of(hostile)));
    CHECK(journal.messages(hostile) == bytes_of(one));
}

TEST_CASE("record: a dry run keeps nothing, and says what it would") {
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, window(3_messages), condense::repair{}};
    auto const history = turns(0, 4);
    auto const dry = condense::dry_run(history, mix, roomy, per_byte{});
    CHECK(journal.held->lines.empty());
    CHECK(journal.calls(verb::append) == 0);
    CHECK(journal.calls(verb::flush) == 0);
    CHECK(dry.report().layers[0].artifacts == 8);
    CHECK(dry.report().after.messages == 2_messages);
    auto kept = history;
    auto const made = reduce(kept, mix);
    CHECK(made.after.tokens == dry.report().after.tokens);
    CHECK(made.layers[0].artifacts == dry.report().layers[0].artifacts);
}

TEST_CASE("record: of two journals one that holds everything is enough") {
    tape const first;
    tape const second;
    auto const mix =
        condense::pipeline{condense::record{.to = first}, condense::record{.to = second}, window(2_messages)};
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
    auto const mix = condense::pipeline{
        condense::fallback{condense::record{.to = first}, condense::record{.to = second}}, window(2_messages)};
    auto history = turns(0, 2);
    auto all = history;
    static_cast<void>(reduce(history, mix));
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

TEST_CASE("record: in a nested pipeline it protects what comes after it, and knows what runs made") {
    tape const journal;
    auto const mix = condense::pipeline{
        condense::pipeline{condense::record{.to = journal}},
        condense::pipeline{
            condense::compress{.when = condense::always, .over = 600_chars, .with = condense::head{100_chars}},
            window(5_messages)}};
    conversation history{U("u"), C("1", "read"), R("1", letters(2'000)), A("a"), U("v")};
    auto const all = history;
    journal.down(verb::append);
    auto const report = reduce(history, mix);
    CHECK(report.layers[1].note == "not all is recorded");
    CHECK(history == all);
    journal.down(verb::append, false);
    for (int run = 0; run < 3; ++run) static_cast<void>(reduce(history, mix));
    CHECK(history != all);
    CHECK(journal.messages() == bytes_of(all));
}

TEST_CASE("record: in a fallback with something else, what a run makes is known as well") {
    tape const journal;
    auto const mix = condense::pipeline{
        condense::fallback{condense::record{.to = journal}, nothing_to_do{}},
        condense::compress{.when = condense::always, .over = 600_chars, .with = condense::head{100_chars}}};
    conversation history{U("u"), C("1", "read"), R("1", letters(2'000)), A("a"), U("v")};
    auto const all = history;
    for (int run = 0; run < 3; ++run) static_cast<void>(reduce(history, mix));
    CHECK(history != all);
    CHECK(journal.messages() == bytes_of(all));
}

TEST_CASE("record: in a session each message is kept as it arrives, once") {
    tape const journal;
    condense::session session{conversation{}, condense::pipeline{condense::record{.to = journal}, window(4_messages)},
                              roomy, per_byte{}, options_of("s")};
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
    auto const mix = condense::pipeline{condense::record{.to = journal}, window(4_messages)};
    auto history = turns(0, 3);
    auto all = history;
    static_cast<void>(reduce(history, mix, options_of("s")));
    CHECK(history.size() == 4);
    {
        condense::session session{history, mix, roomy, per_byte{}, options_of("s")};
        CHECK(journal.messages("s") == bytes_of(all));
        for (auto const& m : turns(3, 4)) {
            all.push_back(m);
            session.push(m);
        }
        CHECK(journal.messages("s") == bytes_of(all));
        CHECK(journal.numbers("s") == counting(8));
    }
    // What a session has not seen before it, and what it brings itself.
    auto more = all;
    more.push_back(U("pushed behind our back"));
    condense::session session{more, mix, roomy, per_byte{}, options_of("s")};
    CHECK(journal.messages("s") == bytes_of(more));
}

TEST_CASE("record: a message pushed to a session is new, whatever the journal holds") {
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}};
    auto const all = turns(0, 3);
    auto whole = all;
    static_cast<void>(reduce(whole, mix, options_of("s")));
    // The program went back to an earlier point, and the user says the same again.
    condense::session session{conversation(all.begin(), all.begin() + 2), mix, roomy, per_byte{}, options_of("s")};
    session.push(all[2]);
    session.push(A("another answer"));
    auto expected = all;
    expected.push_back(all[2]);
    expected.push_back(A("another answer"));
    CHECK(journal.messages("s") == bytes_of(expected));
    CHECK(journal.numbers("s") == counting(8));
}

TEST_CASE("record: a session over existing messages knows them also when the journal was away at first") {
    auto const which = GENERATE(verb::read, verb::append, verb::flush);
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, window(4_messages)};
    auto all = turns(0, 3);
    auto whole = all;
    static_cast<void>(reduce(whole, mix, options_of("s")));
    journal.down(which);
    auto existing = all;
    existing.push_back(U("not recorded yet"));
    condense::session session{existing, mix, roomy, per_byte{}, options_of("s")};
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

TEST_CASE("record: a fresh session with an old id goes on after what is there") {
    tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}};
    auto old = turns(0, 2);
    static_cast<void>(reduce(old, mix, options_of("s")));
    condense::session session{conversation{}, mix, roomy, per_byte{}, options_of("s")};
    auto all = old;
    for (auto const& m : old) {
        session.push(m);
        all.push_back(m);
    }
    CHECK(journal.messages("s") == bytes_of(all));
    CHECK(journal.numbers("s") == counting(8));
}

TEST_CASE("record: what failed at an arrival is made up for at the next, and nothing is lost meanwhile") {
    tape const journal;
    condense::session session{conversation{}, condense::pipeline{condense::record{.to = journal}, window(3_messages)},
                              roomy, per_byte{}};
    conversation all;
    journal.down(verb::append);
    for (auto const& m : turns(0, 3)) {
        all.push_back(m);
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
    condense::session session{
        conversation{},
        condense::pipeline{condense::record{.to = first}, condense::record{.to = second}, window(2_messages)}, roomy,
        per_byte{}};
    auto const all = turns(0, 4);
    for (auto const& m : all) session.push(m);
    CHECK(session.prepare().fits());
    CHECK(session.release({100}) == 6);
    second.down(verb::append, false);
    session.push(U("after"));
    conversation left{all[6], all[7], U("after")};
    CHECK(second.messages() == bytes_of(left));
    session.push(A("on"));
    CHECK(first.messages().size() == 10);
    CHECK(second.messages().size() == 4);
}

TEST_CASE("record: a fallback journal takes over after messages were given back") {
    tape const first;
    tape const second;
    condense::session session{
        conversation{},
        condense::pipeline{condense::fallback{condense::record{.to = first}, condense::record{.to = second}},
                           window(2_messages)},
        roomy, per_byte{}};
    auto const all = turns(0, 4);
    for (auto const& m : all) session.push(m);
    CHECK(session.prepare().fits());
    CHECK(session.release({100}) == 6);
    first.down(verb::append);
    session.push(U("after"));
    CHECK(second.messages() == bytes_of(conversation{all[6], all[7], U("after")}));
    CHECK(session.prepare().changed());
}

TEST_CASE("record: a journal that throws at an arrival takes nothing with it") {
    tape const journal;
    journal.held->throws = true;
    condense::session session{conversation{}, condense::pipeline{condense::record{.to = journal}, window(100_messages)},
                              roomy, per_byte{}};
    journal.fail_at(verb::append, 2);
    auto const all = turns(0, 2);
    for (auto const& m : all) session.push(m);
    CHECK(session.history() == all);
    CHECK(journal.messages() == bytes_of(all));
    CHECK(session.statistics().layers[0].failures == 1);
    CHECK(session.statistics().layers[0].failure == "the journal threw");
}

TEST_CASE("record: where what a run made can not be noted, the report says so") {
    tape const journal;
    auto const mix = condense::pipeline{
        condense::record{.to = journal},
        condense::compress{.when = condense::always, .over = 600_chars, .with = condense::head{100_chars}}};
    conversation history{U("u"), C("1", "read"), R("1", letters(2'000)), A("a"), U("v")};
    journal.fail_at(verb::append, 6);
    auto const report = reduce(history, mix);
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[0].note == "no space left");
}

TEST_CASE("record: beside another journal a saved state is not believed", "[law-6]") {
    tape const before;
    auto const mix = [](tape const& journal) {
        return condense::pipeline{condense::record{.to = journal}, window(4_messages)};
    };
    condense::session first{conversation{}, mix(before), roomy, per_byte{}, options_of("s")};
    auto all = turns(0, 4);
    for (auto const& m : all) first.push(m);
    auto const kept = [&] {
        auto taken = first.state();
        REQUIRE(taken);
        return taken.state;
    };
    SECTION("what it does not hold is recorded anew") {
        tape const other;
        condense::session second{conversation{}, mix(other), roomy, per_byte{}, options_of("s")};
        REQUIRE_FALSE(second.adopt(kept()));
        CHECK(second.release({second.outline().size()}) == 0);
        all.push_back(U("next"));
        second.push(all.back());
        CHECK(other.messages("s") == bytes_of(all));
        static_cast<void>(second.prepare());
        CHECK(second.release({second.outline().size()}) > 0);
    }
    SECTION("of one that holds a part, the rest") {
        tape const other;
        condense::session half{conversation{}, mix(other), roomy, per_byte{}, options_of("s")};
        for (std::size_t at = 0; at < 3; ++at) half.push(all[at]);
        condense::session second{conversation{}, mix(other), roomy, per_byte{}, options_of("s")};
        REQUIRE_FALSE(second.adopt(kept()));
        all.push_back(U("next"));
        second.push(all.back());
        CHECK(other.messages("s") == bytes_of(all));
    }
    SECTION("its own is not written again") {
        condense::session second{conversation{}, mix(before), roomy, per_byte{}, options_of("s")};
        REQUIRE_FALSE(second.adopt(kept()));
        all.push_back(U("next"));
        second.push(all.back());
        CHECK(before.messages("s") == bytes_of(all));
        CHECK(before.numbers("s") == counting(9));
    }
    SECTION("where it lacks what was released, nothing more is lost") {
        static_cast<void>(first.prepare());
        REQUIRE(first.release({first.outline().size()}) > 0);
        tape const other;
        condense::session second{conversation{}, mix(other), roomy, per_byte{}, options_of("s")};
        REQUIRE_FALSE(second.adopt(kept()));
        for (auto const& m : turns(4, 7)) second.push(m);
        auto const report = second.prepare();
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(std::string_view{report.layers[0].note}.starts_with("foreign: "));
        CHECK_FALSE(report.changed());
        CHECK(second.release({second.outline().size()}) == 0);
    }
}

TEST_CASE("record: the numbers of messages are saved and loaded, and forged texts are refused") {
    condense::record<tape>::memory loaded;
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
    auto const mix = condense::pipeline{condense::record{.to = condense::memory_journal{}}};
    auto const first = condense::reduce(messages, mix, condense::budget{.window = {1'000}},
                                        [](std::string_view) { return condense::cost{256}; });
    CHECK(first.layers[0].outcome == condense::layer_outcome::stored);
    CHECK(first.layers[0].artifacts == 2);
    CHECK(first.text().find("stored  ") != std::string::npos);
    auto const again = condense::reduce(messages, mix, condense::budget{.window = {1'000}},
                                        [](std::string_view) { return condense::cost{256}; });
    CHECK(again.layers[0].outcome == condense::layer_outcome::idle);
}
