// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: one summary in place of the oldest groups, written by a scripted model.

#include <condense/estimate/char_ratio.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/user_words.hpp>
#include <condense/presets.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "cases/runs.hpp"

namespace {

using namespace cases;

model in_short() { return saying({"in short"}); }

/// What is asked of the model is taken from all that is not protected.
template <class Protect>
auto all_but(Protect protect, model const& with) {
    return pipeline{summarize{.when = always, .protect = protect, .with = with}};
}

/// Texts that are worth a summary, each with a word of its own: "word7" and 1,000 letters.
std::string wordy(std::size_t index) { return "word" + std::to_string(index) + " " + letters(1'000); }

conversation alternating(std::size_t count, std::size_t begin = 0) {
    conversation out;
    for (std::size_t index = begin; index < begin + count; ++index)
        out.push_back(index % 2 == 0 ? U(wordy(index)) : A(wordy(index)));
    return out;
}

/// Which of the first `count` words a prompt shows.
list words_in(std::string const& text, int count) {
    list out;
    for (int index = 0; index < count; ++index)
        if (contains(text, "word" + std::to_string(index) + " ")) out.push_back(index);
    return out;
}

/// Later runs know a summary by its mark.
template <class Mix>
auto run_marked(conversation& messages, Mix const& mix) {
    return condense::reduce(messages, mix, roomy, per_char{}, fakes::with_marks());
}

/// The same with an extraction of facts, which takes note of the texts that it sees.
template <class Mix>
list run_extracting(conversation& messages, Mix const& mix, int count) {
    std::string texts;
    auto const extraction = [&](auto const& leaving) {
        for (auto const& m : leaving) texts += words(m) + "\n";
    };
    static_cast<void>(condense::reduce(messages, mix, roomy, per_char{},
                                       condense::run_options{.marks = true, .before_drop = extraction}));
    CHECK_FALSE(contains(texts, "old "));
    CHECK_FALSE(contains(texts, "summary"));
    return words_in(texts, count);
}

std::size_t summaries_in(conversation const& messages) {
    std::size_t found = 0;
    for (auto const& m : messages) found += m.mark == "summary" ? 1u : 0u;
    return found;
}

TEST_CASE("a share of the message limit is kept as it is", "[case-103]") {
    auto const ask = in_short();
    auto messages = numbered(alternating(6));
    static_cast<void>(run(messages, summarize{.when = used >= 6_messages,
                                              .until = used <= 0_messages,
                                              .protect = last(50_pct) | last(2_messages),
                                              .with = ask}));
    CHECK(indices(messages) == list{-1, 3, 4, 5});
    CHECK(contains(text_of(messages[0]), "in short"));
    CHECK(messages[0].role == role::user);
}

/// How many of the oldest messages of [U,C,R,A] and a further question go when this many are protected.
std::size_t split_at(condense::messages kept) {
    auto const ask = in_short();
    auto const left = cases::after(numbered({U(wordy(0)), C("1"), R("1", wordy(2)), A(wordy(3)), U()}),
                                   all_but(last(kept + 1_messages), ask));
    return left.front().name.empty() ? 6 - left.size() : 0;
}

// Where the reference moves a split inside a pair forward, here it moves back, as in case 108: what is
// protected stays, and law L1 keeps its call with it. A newer question stands for the part that the
// reference always keeps, because the latest plain user message is in no summary (law L2).
TEST_CASE("a split never falls inside a pair", "[case-106]") {
    CHECK(split_at(0_messages) == 4u);
    CHECK(split_at(1_messages) == 3u);
    CHECK(split_at(2_messages) == 1u);
    CHECK(split_at(3_messages) == 1u);
    CHECK(split_at(4_messages) == 0u);
    CHECK(split_at(9_messages) == 0u);
}

// With a newer question at the end, as in case 106.
TEST_CASE("a protected result keeps its parallel calls", "[case-108]") {
    auto const ask = in_short();
    auto const left = cases::after(numbered({U(wordy(0)), CC("1", "2"), R("1", wordy(2)), R("2", wordy(3)), A(), U()}),
                                   all_but(last(3_messages), ask));
    CHECK(indices(left) == list{-1, 1, 2, 3, 4, 5});
    CHECK(broken(left) == "");
    CHECK(words_in(ask.asked(), 6) == list{0});
}

TEST_CASE("without a safe cut no model is asked", "[case-110]") {
    auto const ask = in_short();
    auto messages = numbered({C("1"), R("1", letters(9'000)), U()});
    auto const before = messages;
    auto const report = run(messages, all_but(last(2_messages), ask));
    CHECK(messages == before);
    CHECK(ask.calls() == 0u);
    CHECK(report.layers[0].asked == 0u);
    CHECK(report.layers[0].outcome != layer_outcome::applied);
    CHECK(std::string_view{report.layers[0].note}.starts_with("nothing to do: all "));
}

TEST_CASE("the newest tokens are kept", "[case-111]") {
    auto const kept = [](condense::tokens count) {
        auto const ask = in_short();
        conversation messages;
        for (std::size_t index = 0; index < 10; ++index)
            messages.push_back(index % 2 == 0 ? A(letters(4'700)) : U(letters(4'700)));
        auto const left = indices(cases::after(numbered(messages), all_but(newest(count), ask)));
        CHECK(ask.calls() == (left.size() == 10 ? 0u : 1u));
        return left;
    };
    CHECK(kept(10'000_tokens) == list{-1, 8, 9});
    CHECK(kept(4'000_tokens) == list{-1, 9});
    CHECK(kept(47'000_tokens) == list{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("earlier summaries become part of the one that follows", "[case-113]") {
    auto const ask = in_short();
    auto const earlier = [](std::string text) {
        auto m = U(std::move(text));
        m.mark = "summary";
        return m;
    };
    conversation messages{earlier("old one"), U(wordy(1)), earlier("old two"), A(wordy(3)), U(wordy(4)), A(wordy(5))};
    CHECK(run_extracting(messages, all_but(last(2_messages), ask), 6) == list{1, 3});
    CHECK(messages.size() == 3u);
    CHECK(summaries_in(messages) == 1u);
    CHECK(messages[0].mark == "summary");
    REQUIRE(ask.calls() == 1u);
    CHECK(words_in(ask.asked(), 6) == list{1, 3});
    CHECK(contains(ask.asked(), "old one"));
    CHECK(contains(ask.asked(), "old two"));
}

TEST_CASE("a chained summary replaces the first and has read it", "[case-115]") {
    auto const ask = in_short();
    auto messages = alternating(4);
    ask.held->answers = {"the first summary"};
    CHECK(run_extracting(messages, all_but(last(2_messages), ask), 9) == list{0, 1});
    CHECK(words_in(ask.asked(), 9) == list{0, 1});
    messages += alternating(3, 4);
    ask.held->answers = {"the second summary"};
    CHECK(run_extracting(messages, all_but(last(2_messages), ask), 9) == list{2, 3, 4});
    REQUIRE(ask.calls() == 2u);
    CHECK(contains(ask.asked(1), "the first summary"));
    CHECK(words_in(ask.asked(1), 9) == list{2, 3, 4});
    CHECK(messages.size() == 3u);
    CHECK(summaries_in(messages) == 1u);
    CHECK(contains(text_of(messages[0]), "the second summary"));
    CHECK_FALSE(contains(text_of(messages[0]), "the first summary"));
}

TEST_CASE("a summary that grows with every run stays under its cap", "[case-116]") {
    auto const ask = in_short();
    std::size_t length = 0;
    ask.held->act = [&] { return model::answer{.message = letters(length += 300, 's')}; };
    pipeline const mix{summarize{.when = always, .protect = last(1_messages), .size = 1'000_tokens, .with = ask}};
    auto messages = alternating(7);
    for (std::size_t round = 0; round < 10; ++round) {
        messages += alternating(8, 7 + round * 8);
        auto const report = run_marked(messages, mix);
        CAPTURE(round);
        CHECK(summaries_in(messages) == 1u);
        CHECK(occurrences(text_of(messages[0]), "s") <= 1'000u + 20u);
        CHECK(text_of(messages[0]).size() < 1'200u);
        if (length > 1'000) CHECK(contains(report.layers[0].note, "cut to its size"));
        CHECK(ask.calls() == round + 1);
    }
}

TEST_CASE("an answer that is blank, inflated or an exception changes nothing",
          "[case-118][case-T67][case-T69][case-T70]") {
    struct row {
        model ask;
        std::string_view note;
    };
    for (auto const& [ask, note] :
         {row{saying({" \t\r\n "}), "empty"}, row{saying({""}), "empty"}, row{saying({letters(20'000)}), "not smaller"},
          row{saying({letters(7'300)}), "not smaller"}, row{fakes::throwing("overloaded"), "overloaded"},
          row{fakes::acting([]() -> model::answer { throw 7; }), "unknown type"}}) {
        CAPTURE(note);
        auto messages = numbered(alternating(9));
        auto const before = messages;
        auto const report = run(messages, all_but(last(2_messages), ask));
        CHECK(messages == before);
        CHECK(ask.calls() == 1u);
        CHECK_FALSE(report.changed());
        CHECK(report.layers[0].asked == 1u);
        CHECK(report.layers[0].saved.count == 0u);
        CHECK(report.layers[0].groups_dropped == 0u);
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(contains(report.layers[0].note, note));
    }
}

TEST_CASE("the rounds before those that are kept become one summary with one call", "[case-123]") {
    auto const ask = in_short();
    auto messages = numbered(alternating(16));
    auto const report =
        run(messages, pipeline{summarize{.when = used > 10_messages, .protect = last(4_turns), .with = ask},
                               sliding_window{.when = used > 10_messages}});
    CHECK(indices(messages) == list{-1, 8, 9, 10, 11, 12, 13, 14, 15});
    CHECK(ask.calls() == 1u);
    CHECK(words_in(ask.asked(), 16) == list{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[1].outcome == layer_outcome::idle);
}

TEST_CASE("what no answer has followed is not summarised, and no model is asked", "[case-125]") {
    auto const ask = in_short();
    conversation questions;
    for (std::size_t index = 0; index < 30; ++index) questions.push_back(U(wordy(index)));
    auto const unchanged = [&](auto const& mix) {
        auto messages = questions;
        CHECK_FALSE(run(messages, mix).changed());
        CHECK(messages == questions);
        CHECK(ask.calls() == 0u);
    };
    unchanged(
        pipeline{summarize{.when = used >= 10_messages, .protect = last(3_turns) | condense::unanswered, .with = ask}});
    unchanged(pipeline{summarize{.when = used >= 10_messages, .with = ask}});
    unchanged(condense::presets::harness(condense::memory_journal{}, condense::memory_store{}, ask));
    unchanged(condense::presets::cascade(condense::memory_journal{}, condense::memory_store{}, ask));
    unchanged(condense::presets::coding_agent(condense::memory_journal{}, ask));
    // One answer, and what is before it goes, but for the task.
    questions.insert(questions.begin() + 20, A("so"));
    auto messages = numbered(questions);
    static_cast<void>(
        run(messages, condense::presets::harness(condense::memory_journal{}, condense::memory_store{}, ask)));
    CHECK(messages.size() == 12u);
    CHECK(ask.calls() == 1u);
}

/// An unfinished round with two steps.
conversation open_round() { return {U(), C("1"), R("1", letters(2'000)), C("2"), R("2", letters(2'000))}; }

// The base of the case, eight rounds behind a system message, is that of case 123.
TEST_CASE("a round in flight keeps all of its pairs", "[case-128]") {
    auto const ask = in_short();
    auto messages = numbered(conversation{S()} + alternating(16) + open_round());
    static_cast<void>(run(messages, summarize{.when = used > 10_messages, .protect = last(4_turns), .with = ask}));
    CHECK(indices(messages) == list{0, -1, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21});
    CHECK(broken(messages) == "");
    CHECK(messages.size() == 13u);
}

TEST_CASE("old rounds are summarised beside an open one", "[case-130]") {
    auto const ask = in_short();
    auto messages = numbered(alternating(12) + conversation{U(), C("1"), R("1", letters(9'000))});
    auto const before = messages;
    static_cast<void>(
        run(messages,
            summarize{.when = used > 10_messages, .until = used <= 0_messages, .protect = last(3_turns), .with = ask}));
    CHECK(indices(messages) == list{-1, 8, 9, 10, 11, 12, 13, 14});
    CHECK(messages[6] == before[13]);
    CHECK(messages[7] == before[14]);
}

TEST_CASE("a call known to be dead blocks nothing", "[case-133]") {
    conversation const messages{U(wordy(0)), C("dead"), U(wordy(2)), A(wordy(3)), U(wordy(4)), A(wordy(5))};
    CHECK(indices(cases::after(numbered(messages), window_of(2_messages))) == list{4, 5});
    auto const ask = in_short();
    CHECK(indices(cases::after(numbered(messages), all_but(last(2_messages), ask))) == list{-1, 4, 5});
    CHECK(words_in(ask.asked(), 6) == list{0, 2, 3});
    conversation const waiting{U(wordy(0)), C("1"), U(wordy(2))};
    CHECK(indices(cases::after(numbered(waiting), window_of(1_messages))) == list{0, 1, 2});
    // Its answer is what the report tells of it.
    auto answered = messages;
    auto const report = run(answered, condense::repair{.answer = "none"});
    CHECK(report.layers[0].restored == 4_tokens);
    CHECK(report.first_changed == 2u);
    CHECK(answered.size() == messages.size() + 1);
}

TEST_CASE("the newest messages stay raw and nothing older stays behind", "[case-135]") {
    auto const left = [](std::size_t count) {
        auto const ask = in_short();
        return indices(cases::after(
            numbered(alternating(count)),
            summarize{
                .when = used >= 5_messages, .until = used <= 0_messages, .protect = last(2_messages), .with = ask}));
    };
    CHECK(left(4) == list{0, 1, 2, 3});
    CHECK(left(5) == list{-1, 3, 4});
    CHECK(left(6) == list{-1, 4, 5});
    CHECK(left(7) == list{-1, 5, 6});
    CHECK(left(10) == list{-1, 8, 9});
}

TEST_CASE("the cut of a chained summary moves on through the whole conversation", "[case-T62]") {
    auto const ask = in_short();
    conversation messages;
    std::size_t total = 0;
    for (std::size_t const count : {8u, 14u, 20u}) {
        messages += alternating(count - total, total);
        auto const whole = numbered(alternating(count));
        CHECK(indices(cases::after(whole, all_but(last(2_messages), ask))).at(1) == static_cast<int>(count) - 2);
        static_cast<void>(run_marked(messages, all_but(last(2_messages), ask)));
        CHECK(messages.size() == 3u);
        CHECK(contains(text_of(messages[1]), "word" + std::to_string(count - 2) + " "));
        total = count;
    }
}

TEST_CASE("an event limit is passed, not met", "[case-T63]") {
    summarize const layer{.when = used > 100_messages};
    CHECK_FALSE(layer.when.due({.messages = 100_messages}));
    CHECK(layer.when.due({.messages = 101_messages}));
    pipeline const mix{layer};
    CHECK_FALSE(mix.due({.messages = 100_messages}));
    CHECK(mix.due({.messages = 101_messages}));
}

// Events, an event limit and its targets, of which the smaller wins; the summary takes one place of it.
TEST_CASE("the summary counts against the target, and one call suffices", "[case-T64][case-T65]") {
    struct row {
        std::size_t events;
        std::uint64_t most, target, other;
        int from;
    };
    for (auto const& [events, most, target, other, from] : {row{40, 30, 20, 15, 28}, row{25, 20, 12, 10, 18}}) {
        CAPTURE(events);
        auto const ask = in_short();
        auto messages = numbered(alternating(events));
        auto const report =
            run(messages, summarize{.when = used > condense::messages{most},
                                    .until = used <= condense::messages{target} && used <= condense::messages{other},
                                    .protect = first(2_messages),
                                    .with = ask});
        list wanted{0, 1, -1};
        for (auto index = from; index < static_cast<int>(events); ++index) wanted.push_back(index);
        CHECK(indices(messages) == wanted);
        CHECK(report.layers[0].groups_dropped == static_cast<std::size_t>(from) - 2u);
        CHECK(ask.calls() == 1u);
    }
}

TEST_CASE("after an inflated answer the way without a model is taken", "[case-T70]") {
    for (bool const falls_back : {false, true}) {
        CAPTURE(falls_back);
        auto const ask = saying({letters(20'000)});
        auto const by_model = summarize{.when = used >= 60_pct, .protect = last(2_messages), .with = ask};
        auto const by_rule = summarize{.when = used >= 60_pct, .protect = last(2_messages)};
        auto const session_of = [](auto const& mix) {
            return condense::session<conversation, std::remove_cvref_t<decltype(mix)>, per_char>{
                {}, mix, condense::budget{.window = 10'000_tokens}};
        };
        auto const judge = [&](auto session) {
            for (auto const& each : alternating(8)) session.push(each);
            bool const changed = session.prepare().changed();
            CHECK(changed == falls_back);
            CHECK(session.used().fits());
            auto const asked = ask.calls();
            CHECK(asked == 1u);
            session.push(U("on"));
            static_cast<void>(session.prepare());
            CHECK(ask.calls() == asked);  // not for every message
        };
        if (falls_back) judge(session_of(pipeline{condense::fallback{by_model, by_rule}}));
        else judge(session_of(pipeline{by_model}));
    }
}

// What is split off is what lies between the two shares; all of it would leave no tail.
TEST_CASE("a share that cannot split is refused", "[case-T74]") {
    CHECK_THROWS_AS((pipeline{summarize{.when = used >= 80_pct, .until = used <= 80_pct}}), invalid_configuration);
    CHECK_THROWS_AS((pipeline{summarize{.when = used >= 80_pct, .until = used <= 90_pct}}), invalid_configuration);
    CHECK_THROWS_AS(used >= 0_pct, invalid_configuration);
    CHECK_THROWS_AS(used <= 101_pct, invalid_configuration);
    CHECK_THROWS_AS(at_most(101_pct, last(8_messages)), invalid_configuration);
    auto const ask = in_short();
    auto messages = alternating(8);
    static_cast<void>(
        run(messages, summarize{.when = used >= 1_messages, .until = used <= 0_pct, .protect = nothing, .with = ask}));
    CHECK(ask.calls() == 1u);
    REQUIRE(messages.size() >= 2u);
    CHECK(text_of(messages.back()) == wordy(7));
}

TEST_CASE("only whole groups that fit are sent to the model", "[case-T72]") {
    auto const ask = in_short();
    auto messages = numbered({U("word0 " + letters(700)), U("word1 " + letters(600)), U("word2 " + letters(500)),
                              U("word3 " + letters(800)), U()});
    auto const report =
        run(messages, summarize{.when = always, .protect = last(1_messages), .reads = 1'000_tokens, .with = ask});
    REQUIRE(ask.calls() > 2u);
    CHECK(report.layers[0].asked == ask.calls());
    CHECK(contains(ask.asked(1), "in short"));  // each reads the summary of the one before it
    CHECK(words_in(ask.asked(), 4) == list{0});
    for (auto const& prompt : ask.held->prompts) {
        auto const text = words_in(prompt.data, 4);
        CHECK(text.size() <= 1u);
        CHECK((contains(prompt.data, letters(500)) == !text.empty()));
        CHECK(occurrences(prompt.text(), "x") <= 1'000u + 100u);
    }
    CHECK(indices(messages).back() == 4);
}

TEST_CASE("the newest words of the user are kept within tokens of their own", "[case-T75]") {
    std::string long_words;
    for (int word = 0; word < 200; ++word) long_words += "word" + std::to_string(word) + " ";
    conversation messages{U("the task"), A(letters(4'000)), U("the oldest"),   A(letters(4'000)), U(long_words),
                          A("ok"),       U("do it now"),    A(letters(4'000)), U("the latest")};
    static_cast<void>(condense::reduce(messages,
                                       summarize{.when = used >= 10_pct,
                                                 .until = used <= 0_pct,
                                                 .protect = task | last(1_messages),
                                                 .size = 1_tokens,
                                                 .with = condense::no_prose{},
                                                 .leaves = condense::user_words{.share = 20_pct, .most = 60_tokens}},
                                       {.window = 4'000_tokens}, condense::char_ratio<condense::family::gpt>{},
                                       fakes::with_marks()));
    std::string summary;
    for (auto const& m : messages)
        if (m.mark == "summary") summary = text_of(m);
    CHECK(contains(summary, "> do it now\n"));
    CHECK(contains(summary, "> word0"));
    CHECK(contains(summary, " [a part is left out] "));
    CHECK(contains(summary, "word199 \n"));
    CHECK(summary.find("> word0") < summary.find("> do it now"));
    for (auto const& other : {std::string{"the task"}, letters(50)}) CHECK_FALSE(contains(summary, other));
}

}  // namespace
