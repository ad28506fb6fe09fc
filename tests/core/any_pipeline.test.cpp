// SPDX-License-Identifier: BSL-1.0
#include <condense/core/any_pipeline.hpp>

#include <chrono>

#include "laws/mixes.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/mixes.hpp"

namespace {

using condense::any_pipeline, condense::used;
using namespace condense::literals;
using namespace notation;
using any_mix = any_pipeline<chat_message>;

static_assert(condense::reducer<any_mix> && std::is_copy_constructible_v<any_mix> &&
              std::is_nothrow_move_constructible_v<any_mix>);
static_assert(!condense::recoverable<any_mix> && !condense::durable<any_mix> && !condense::has_last_resort<any_mix>);
static_assert(condense::calls_model<any_mix> && condense::writes<any_mix> && !condense::deterministic<any_mix>);
static_assert(!std::is_constructible_v<any_pipeline<chat_message, 1>,
                                       condense::pipeline<condense::sliding_window<>, condense::sliding_window<>>>);
static_assert(std::is_constructible_v<any_pipeline<chat_message, 2>,
                                      condense::pipeline<condense::sliding_window<>, condense::sliding_window<>>>);
static_assert(std::is_constructible_v<any_mix, any_pipeline<chat_message, 2>>);
static_assert(!std::is_constructible_v<any_mix, int>);

bool same(condense::layer_report const& left, condense::layer_report const& right) {
    return left.name == right.name && left.outcome == right.outcome && left.before == right.before &&
           left.saved == right.saved && left.restored == right.restored && left.runs == right.runs &&
           left.groups_dropped == right.groups_dropped && left.parts_shortened == right.parts_shortened &&
           left.artifacts == right.artifacts && left.refused == right.refused && left.failures == right.failures &&
           left.asked == right.asked && std::string_view{left.note} == std::string_view{right.note};
}

template <class Whole, class Report>
bool same_report(Whole const& whole, Report const& plain) {
    bool is = whole.outcome == plain.outcome && whole.before == plain.before && whole.after == plain.after &&
              whole.limit == plain.limit && whole.floor == plain.floor && whole.first_changed == plain.first_changed &&
              whole.text() == plain.text();
    for (std::size_t layer = 0; layer < whole.layers.size(); ++layer)
        is = is && (layer < plain.layers.size() ? same(whole.layers[layer], plain.layers[layer])
                                                : whole.layers[layer].name.empty() && whole.layers[layer].runs == 0);
    return is;
}

struct framed : per_byte {
    condense::cost frame(condense::role speaker) const {
        return condense::cost::of({speaker == condense::role::user ? 3u : 4u});
    }
    condense::cost frame(condense::part_view const& part) const {
        return condense::cost::of({part.tool.size() + part.call.size()});
    }
};

struct still {
    condense::instant operator()() const { return {17}; }
};

/// The history as a mix leaves it, with the report.
template <class Mix, class Options = condense::run_options<>>
auto outcome_of(conversation history, Mix const& mix, condense::budget limits, Options const& options = {}) {
    auto report = condense::reduce(history, mix, limits, framed{}, options);
    return std::pair{std::move(history), std::move(report)};
}

}  // namespace

TEST_CASE("any_pipeline: the same bytes and the same report as the pipeline in it", "[laws]") {
    std::size_t changed = 0;
    for (std::uint64_t seed = 1; seed <= rounds(600); ++seed) {
        auto const original = laws::conversation_generator{seed}.make();
        laws::random_source random{seed};
        condense::budget const limits{.window = {500 + random.below(20'000)}, .overhead = {random.below(100)}};
        bool const marks = random.chance(50);
        laws::with_random_mix(random, [&](auto const& mix) {
            condense::run_options<still> options;
            options.marks = marks;
            any_mix const any = mix;
            auto const [plain, report] = outcome_of(original, mix, limits, options);
            auto const [through, whole] = outcome_of(original, any, limits, options);
            INFO("seed " << seed);
            CHECK(through == plain);
            CHECK(same_report(whole, report));
            CHECK(any.due(report.before) == mix.due(report.before));
            changed += report.changed() ? 1u : 0u;
            if (seed % 5 != 0) return;
            auto const dry = any.draft(original, limits, framed{}, options);
            CHECK(same_report(dry.report(), mix.draft(original, limits, framed{}, options).report()));
            condense::session<conversation, std::remove_cvref_t<decltype(mix)>, framed, condense::run_options<still>>
                one{{}, mix, limits, {}, options};
            condense::session<conversation, any_mix, framed, condense::run_options<still>> other{
                {}, any, limits, {}, options};
            for (auto const& m : original) {
                CHECK(one.push(m) == other.push(m));
                CHECK(same_report(other.prepare(), one.prepare()));
                CHECK(one.statistics().saved() == other.statistics().saved());
            }
            auto const left = one.request();
            auto const right = other.request();
            CHECK(conversation(left.begin(), left.end()) == conversation(right.begin(), right.end()));
            while (true) {
                auto const undone = one.undo();
                CHECK(other.undo() == undone);
                if (!undone) break;
            }
        });
    }
    CHECK(changed > rounds(300));
}

TEST_CASE("any_pipeline: what fails fails the same way, and a cancellation reaches the caller") {
    std::size_t failures = 0;
    for (std::uint64_t seed = 1; seed <= rounds(200); ++seed) {
        auto const original = laws::conversation_generator{seed}.make();
        laws::random_source random{seed};
        condense::budget const limits{.window = {500 + random.below(10'000)}};
        laws::with_faulty_mix(random, [&](auto const& mix) {
            condense::run_options<still> const options;
            auto const [plain, report] = outcome_of(original, mix, limits, options);
            auto const [through, whole] = outcome_of(original, any_mix{mix}, limits, options);
            INFO("seed " << seed);
            CHECK(through == plain);
            CHECK(same_report(whole, report));
            for (auto const& layer : report.layers) failures += layer.failures;
        });
    }
    CHECK(failures > rounds(100) - 1);
    struct cancelling {
        std::string operator()(std::string_view) const { throw condense::cancelled{}; }
    };
    any_mix const mix = condense::pipeline{
        condense::summarize{.when = used > 1_messages, .protect = condense::nothing, .with = cancelling{}}};
    conversation history{U("a"), A("b"), U("c"), A("d")};
    auto const before = history;
    CHECK_THROWS_AS(condense::reduce(history, mix, {.window = {4'000}}, framed{}), condense::cancelled);
    CHECK(history == before);
}

TEST_CASE("any_pipeline: a journal in it knows a conversation as in the pipeline itself") {
    tapes::tape const direct;
    tapes::tape const within;
    auto const mix = [](tapes::tape const& to) {
        return condense::pipeline{
            condense::record{.to = to},
            condense::compress{.when = condense::always, .over = 300_chars, .with = condense::head{20_chars}},
            condense::sliding_window{.when = used > 8_messages}};
    };
    auto const plain = mix(direct);
    any_mix const any = mix(within);
    condense::run_options<> options;
    options.conversation = "s";
    options.marks = GENERATE(false, true);
    conversation history;
    conversation through;
    auto const all = laws::conversation_generator{11}.make();
    for (auto const& m : all) {
        history.push_back(m);
        through.push_back(m);
        static_cast<void>(condense::reduce(history, plain, {.window = {100'000}}, framed{}, options));
        static_cast<void>(condense::reduce(through, any, {.window = {100'000}}, framed{}, options));
        CHECK(history == through);
    }
    CHECK((within.messages("s") == tapes::bytes_of(all) && within.made("s") == direct.made("s")));
    condense::session session{all, any, condense::budget{.window = {100'000}}, framed{}, options};
    session.push(U("more"));
    auto more = all;
    more.push_back(U("more"));
    CHECK(within.messages("s") == tapes::bytes_of(more));
}

TEST_CASE("any_pipeline: copies share the pipeline, and one can be put in the place of another") {
    any_mix mix = condense::pipeline{mixes::window_of(4_messages)};
    auto const copy = mix;
    mix = condense::pipeline{mixes::window_of(2_messages)};
    conversation const all{U("1"), U("2"), U("3"), U("4"), U("5")};
    condense::budget const limits{.window = {1'000}};
    CHECK(outcome_of(all, copy, limits).first.size() == 4);
    CHECK(outcome_of(all, mix, limits).first.size() == 2);
    any_pipeline<chat_message, 4> const small = condense::pipeline{mixes::window_of(3_messages)};
    any_mix const wider = small;
    auto const [kept, report] = outcome_of(all, wider, limits);
    CHECK((kept.size() == 3 && report.layers.size() == 16));
    CHECK((report.layers[0].name == "sliding_window" && report.layers[1].name.empty()));
    CHECK(fakes::occurrences(report.text(), "sliding_window") == 1);
    any_mix const back =
        condense::fallback{condense::sliding_window{.when = used > 3_messages}, condense::sliding_window{}};
    CHECK(outcome_of(all, back, limits).second.changed());
}

TEST_CASE("any_pipeline: a stop and the clock reach the layers") {
    std::uint64_t now = 0;
    auto const mix = condense::pipeline{
        condense::sliding_window{.when = used > 4_messages, .protect = condense::nothing},
        condense::escalate{.when = used >= 10_pct, .passes = 8, .within = std::chrono::nanoseconds{1}}};
    conversation const all{U("1"), U("2"), U("3"), U("4")};
    condense::run_options<fakes::clock> timed{.clock = {&now, 5'000'000'000}};
    auto const [plain, report] = outcome_of(all, mix, {.window = {5}}, timed);
    now = 0;
    auto const [through, whole] = outcome_of(all, any_mix{mix}, {.window = {5}}, timed);
    CHECK((whole.outcome == report.outcome && whole.time == report.time));
    CHECK(through == plain);
    bool const up = true;
    condense::run_options<still, fakes::stop_flag> const stopped{.stop = {&up}};
    CHECK_FALSE(outcome_of(through, any_mix{mix}, {.window = {5}}, stopped).second.changed());
}

TEST_CASE("any_pipeline: the memory of layers is the session's") {
    tapes::tape const journal;
    any_mix const mix = condense::pipeline{condense::record{.to = journal}};
    condense::session one{conversation{}, mix, condense::budget{.window = {1'000}}, framed{}};
    condense::session other{conversation{}, mix, condense::budget{.window = {1'000}}, framed{}};
    push(one, {U("a"), U("b")});
    other.push(U("c"));
    CHECK((journal.messages().size() == 3 && journal.calls(tapes::verb::read) == 2));
}

TEST_CASE("a layer alone is a pipeline of one") {
    condense::sliding_window const window{.when = used > 4_messages};
    condense::pipeline const mix{window};
    condense::budget const limits{.window = 100'000_tokens};
    auto const original = laws::conversation_generator{7}.make();
    auto expected = original;
    auto const report = condense::reduce(expected, mix, limits);
    REQUIRE(report.changed());

    auto history = original;
    CHECK(condense::reduce(history, window, limits).after == report.after);
    CHECK(history == expected);
    conversation sent;
    history = original;
    CHECK(condense::reduce_into([&](chat_message m) { sent.push_back(std::move(m)); }, history, window, limits).after ==
          report.after);
    CHECK(sent == expected);
    CHECK(condense::reduce(std::as_const(original), window, limits).report().after == report.after);
    CHECK(condense::dry_run(original, window, limits).report().after == report.after);

    history = original;
    CHECK(condense::reduce(history, any_mix{window}, limits).after == report.after);
    CHECK(history == expected);

    condense::session session{original, window, limits};
    static_assert(std::same_as<decltype(session), condense::session<conversation, std::remove_const_t<decltype(mix)>>>);
    CHECK(session.run().after == report.after);
}

/// Cuts a character off the first message whenever another arrives.
struct one_character_less {
    static constexpr auto effects = condense::shortens;
    void arrive(auto& draft, condense::sequence, auto&) const {
        std::string text;
        condense::part_ref first;
        draft.each_part(condense::sequence{0}, [&](condense::part_ref part, condense::part_view const& shown) {
            first = part;
            text = shown.text;
        });
        static_cast<void>(draft.shorten(first, text.substr(1)));
    }
};

TEST_CASE("any_pipeline: each message that arrives is a run of its own, as in the pipeline itself") {
    condense::pipeline const mix{one_character_less{}};
    condense::budget const limits{.window = {1'000}};
    condense::session typed{conversation{}, mix, limits, framed{}};
    condense::session hidden{conversation{}, any_mix{mix}, limits, framed{}};
    push(typed, {A("a text"), A("b"), A("c")});
    push(hidden, {A("a text"), A("b"), A("c")});
    CHECK(typed.statistics().layers[0].parts_shortened == 3);
    CHECK(hidden.statistics().layers[0].parts_shortened == 3);
}
