// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/plan.hpp>

#include <condense/layer/fallback.hpp>
#include <condense/plan/model_planner.hpp>

#include "laws/harness.hpp"
#include "support/messages/chat.hpp"

// The laws for plan beside the other layers, over random conversations: one-shot runs and sessions, planned by rule and
// by a model, which is asked no more than it should.

namespace {

using namespace condense::literals;
using condense::chat_message, condense::used;
using laws::random_source, laws::share;

/// A planner that decides by numbers, asks for summaries too, and is wrong at times; counts how often it is asked.
struct dice {
    std::uint64_t* asked;
    std::string operator()(std::string const& prompt) const {
        ++*asked;
        random_source random{prompt.size()};
        if (random.chance(10)) return "no plan";
        std::string out = "{\"decisions\": [";
        for (std::size_t at = prompt.find("\n{\"id\": \""); at != std::string::npos;
             at = prompt.find("\n{\"id\": \"", at + 1)) {
            auto const begin = at + 9;
            auto const id = prompt.substr(begin, prompt.find('"', begin) - begin);
            static constexpr std::string_view strategies[] = {"include_full", "summarize", "extract", "exclude"};
            if (random.chance(10)) continue;
            out += (out.ends_with('[') ? "" : ", ") + std::string{"{\"id\": \""} + id + "\", \"strategy\": \"" +
                   std::string{strategies[random.below(4)]} +
                   "\", \"about\": \"row\", \"priority\": " + std::to_string(random.below(120)) + "}";
        }
        return out + "]}";
    }
};
struct scribe {
    std::uint64_t* asked;
    std::string operator()(std::string const& prompt) const {
        ++*asked;
        if (prompt.size() % 7 == 0) return {};
        return "In short, " + std::to_string(prompt.size()) + " bytes.";
    }
};

/// Calls f(mix) for a pipeline with a plan by rule.
void with_rule_mix(random_source& random, auto&& f) {
    condense::memory_store const store;
    condense::bytes const over{192 + random.below(1'500)};
    auto const room = share(random, 500, 9'000);
    auto const most = 1 + random.below(random.chance(30) ? 5 : 100);
    auto const high = share(random, 5'000, 9'500);
    auto const low = share(random, 1'000, 4'900);
    auto const stored = condense::plan{.over = over, .share = room, .most = most, .into = store};
    auto const lossy = condense::plan{.over = over, .share = room, .most = most};
    switch (random.below(8)) {
        case 0: return f(condense::pipeline{stored});
        case 1: return f(condense::pipeline{lossy, condense::sliding_window{.when = used >= high}});
        case 2:
            return f(condense::pipeline{condense::sliding_window{.when = used >= high, .until = used <= low}, stored,
                                        condense::escalate{.when = used >= 90_pct}});
        case 3:
            return f(condense::pipeline{
                condense::offload{.over = condense::chars{over.count + 500},
                                  .preview = condense::head_tail{100_chars, 100_chars},
                                  .into = store},
                stored, condense::sliding_window{.when = used >= high, .protect = condense::nothing_t{}},
                condense::escalate{.when = used >= 95_pct}});
        case 4:
            return f(condense::pipeline{condense::compress{.when = used >= low, .over = 600_chars}, lossy,
                                        condense::summarize{.when = used >= high},
                                        condense::sliding_window{.when = used >= 95_pct},
                                        condense::escalate{.when = used >= 95_pct}});
        case 5:
            return f(condense::pipeline{
                condense::plan{.when = used >= high,
                               .until = used <= low,
                               .protect = condense::last(4_messages) | condense::errors,
                               .over = over,
                               .share = room,
                               .into = store},
                condense::compress{.when = condense::always, .protect = condense::last(2_messages), .over = 20_lines},
                condense::escalate{.when = used >= 95_pct}});
        case 6:
            return f(condense::pipeline{
                condense::drop_superseded{.key = condense::markers("read_file")}, stored,
                condense::summarize{.when = used >= high, .until = used <= low, .protect = condense::nothing_t{}},
                condense::sliding_window{.when = used >= 95_pct}});
        default:
            return f(
                condense::pipeline{condense::sliding_window{.when = used > 12_messages, .until = used <= 8_messages},
                                   lossy, condense::repair{}, condense::escalate{.when = used >= high}});
    }
}

/// The same, with models, in which the layer stands with a journal before it.
void with_model_mix(random_source& random, condense::memory_journal const& journal, std::uint64_t& asked, auto&& f) {
    condense::memory_store const store;
    condense::bytes const over{192 + random.below(1'500)};
    auto const room = share(random, 500, 9'000);
    auto const high = share(random, 5'000, 9'500);
    auto const by_model = condense::plan{.over = over,
                                         .share = room,
                                         .with = condense::model_planner{dice{&asked}},
                                         .summaries = scribe{&asked},
                                         .into = store};
    if (random.chance(50))
        return f(condense::pipeline{condense::record{.to = journal}, by_model,
                                    condense::sliding_window{.when = used >= high},
                                    condense::escalate{.when = used >= 90_pct}});
    f(condense::pipeline{condense::record{.to = journal},
                         condense::fallback{condense::plan{.when = used >= high,
                                                           .over = over,
                                                           .share = room,
                                                           .with = condense::model_planner{dice{&asked}},
                                                           .summaries = scribe{&asked}},
                                            condense::plan{.when = used >= high, .over = over, .share = room}},
                         condense::compress{.when = used >= high}, condense::sliding_window{.when = used >= 90_pct}});
}

struct figures {
    std::uint64_t runs = 0, planned = 0, restored = 0, asked = 0;
};

void judge(auto const& session, std::vector<chat_message> const& pushed, laws::broken& found) {
    auto const request = notation::sent(session);
    laws::checker const judged{pushed, request};
    found.merge(laws::broken{judged.violations()});
    if (session.used().tokens != laws::recount(request, laws::byte_estimator{}).tokens())
        found.insert("the usage is not that of the request");
}

/// Pushes a conversation with runs between, and judges each request. After a run that is over a further one must not
/// change or ask anything.
void run_session(std::vector<chat_message> const& all, auto const& mix, condense::budget limits, random_source& random,
                 std::uint64_t& asked, figures& counted, laws::broken& found) {
    condense::session session{std::vector<chat_message>{}, mix, limits, laws::byte_estimator{}};
    std::vector<chat_message> pushed;
    for (auto const& m : all) {
        pushed.push_back(m);
        session.push(m);
        judge(session, pushed, found);
        if (!random.chance(50)) continue;
        if (random.chance(50)) laws::check_report(session.prepare(), found);
        auto const report = session.run();
        ++counted.runs;
        laws::check_report(report, found);
        judge(session, pushed, found);
        bool const failed = std::any_of(report.layers.begin(), report.layers.end(),
                                        [](auto const& layer) { return layer.failures != 0; });
        bool const settled =
            report.outcome == condense::outcome::fits || report.outcome == condense::outcome::exhausted;
        if (failed || !settled) continue;
        auto const before = notation::sent(session);
        auto const asked_before = asked;
        if (session.run().changed() || notation::sent(session) != before)
            found.insert("L5 a second run changes something");
        if (asked != asked_before) found.insert("L5 a second run asks");
    }
    for (auto const& layer : session.statistics().layers) {
        if (layer.name != "plan") continue;
        counted.planned += layer.events;
        counted.restored += layer.restored.count != 0 ? 1u : 0u;
    }
    counted.asked += asked;
}

/// Runs a session for each of so many random conversations, with a mix that `with_mix(random, asked, f)` gives to f.
figures run_sessions(std::uint64_t count, std::uint64_t salt, auto const& with_mix) {
    laws::tally unused;
    figures counted;
    laws::run_seeds(count, unused, [&](std::uint64_t seed, laws::tally&) {
        auto const original = laws::conversation_generator{seed}.make();
        random_source random{seed ^ salt};
        auto const limits = laws::random_budget(original, random);
        laws::broken found;
        std::uint64_t asked = 0;
        with_mix(random, asked, [&](auto const& mix) {
            run_session(original, mix, {.window = limits.window}, random, asked, counted, found);
        });
        return found;
    });
    return counted;
}

}  // namespace

TEST_CASE("the laws hold for plan beside others: one-shot", "[laws]") {
    laws::tally tallied;
    auto const count = laws::rounds_asked();
    laws::run_seeds(count, tallied, [](std::uint64_t seed, laws::tally& all) {
        auto const original = laws::conversation_generator{seed}.make();
        random_source random{seed ^ 0x91A9u};
        auto const limits = laws::random_budget(original, random);
        laws::broken found;
        bool const marks = random.chance(50);
        with_rule_mix(random, [&](auto const& mix) {
            found = laws::run_one<std::vector<chat_message>>(original, mix, limits, laws::byte_estimator{}, marks, all);
        });
        return found;
    });
    INFO(tallied.figures());
    CHECK(tallied.changed * 10 >= tallied.runs * 6);
    if (count >= 100) CHECK(tallied.applied["plan"] * 4 > tallied.runs);
}

TEST_CASE("the laws hold for plan beside others: sessions", "[laws]") {
    auto const count = (laws::rounds_asked() + 3) / 4;
    auto const counted = run_sessions(
        count, 0x5E55u, [](random_source& random, std::uint64_t&, auto const& f) { with_rule_mix(random, f); });
    CAPTURE(counted.runs, counted.restored);
    CHECK(counted.planned >= count / 2);
}

TEST_CASE("the laws hold for plan beside others: models", "[laws]") {
    auto const count = (laws::rounds_asked() + 3) / 4;
    auto const counted = run_sessions(count, 0xA5E5u, [](random_source& random, std::uint64_t& asked, auto const& f) {
        condense::memory_journal const journal;
        with_model_mix(random, journal, asked, f);
    });
    CAPTURE(counted.runs, counted.planned, counted.restored);
    CHECK(counted.asked >= count / 2);
}
