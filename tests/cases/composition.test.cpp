// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: layers together, budgets, counting, and whole pipelines.

#include <thread>

#include "cases/runs.hpp"
#include "laws/generator.hpp"
#include "support/effort.hpp"

namespace {

using namespace cases;
using condense::budget;

/// Drops one group, and writes down that it was called.
struct tier {
    static constexpr auto effects = condense::drops;
    char name = 'a';
    std::string* calls = nullptr;
    bool drops = true;

    void reduce(auto& draft, auto&) const {
        *calls += name;
        if (drops) fakes::drop(draft, 1);
    }
};

// Law L5 wins over "once": while tiers change something the run goes on, so that a second one would not.
TEST_CASE("tiers that do not reach the target are called in order and measured", "[case-T79]") {
    budget const tight{.window = 5_tokens};
    std::string calls;
    conversation messages{U(letters(10)), U(letters(20)), U(letters(30))};
    pipeline const idle{tier{'a', &calls, false}, tier{'b', &calls, false}, tier{'c', &calls, false}};
    auto const none = run(messages, idle, tight);
    CHECK(calls == "abc");
    CHECK(none.outcome == outcome::over);
    for (auto const& layer : none.layers) {
        CHECK(layer.before.count == 60u);
        CHECK(layer.saved.count == 0u);
        CHECK(layer.runs == 1u);
    }

    calls.clear();
    auto const report = run(messages, pipeline{tier{'a', &calls}, tier{'b', &calls}, tier{'c', &calls}}, tight);
    CHECK(messages.size() == 1u);
    CHECK(report.outcome == outcome::over);
    REQUIRE(calls.size() % 3 == 0);
    for (std::size_t index = 0; index < calls.size(); ++index) CHECK(calls[index] == "abc"[index % 3]);
    std::array<std::uint64_t, 3> const sizes{60, 50, 30};
    for (std::size_t index = 0; index < 3; ++index) {
        CHECK(report.layers[index].before.count == sizes[index]);
        CHECK(report.layers[index].saved.count == (index == 2 ? 0 : sizes[index] - sizes[index + 1]));
    }
}

// With its answer, which law L16 keeps, and the task, which would go in vain.
TEST_CASE("under a budget that nothing fits the last user message remains", "[case-T82]") {
    auto messages = numbered({U(), A(), C("1"), R("1"), U("the last"), A()});
    auto const report = run(messages, pipeline{compress{}, sliding_window{}, escalate{}}, {.window = 1_tokens});
    CHECK(indices(messages) == list{0, 4, 5});
    CHECK(report.outcome == outcome::exhausted);
    CHECK_FALSE(report.fits());
    CHECK(report.floor.count == 10u);
}

TEST_CASE("thresholds are of the window less the output", "[case-T84]") {
    budget const limits{.window = 1'000_tokens, .output = 100_tokens};
    CHECK((used >= 50_pct).bind(limits.input()).one().limit == 450u);
    CHECK((used >= 80_pct).bind(limits.input()).one().limit == 720u);
    pipeline const mix{compress{.when = used >= 50_pct}, window_to(80_pct)};
    auto const outcomes = [&](std::size_t size) {
        conversation messages{U(letters(1)), C("1", "t", "{}"), R("1", letters(size - 5)), A(), A()};
        auto const report = run(messages, mix, limits);
        CHECK(report.before.tokens.count == size);
        return std::pair{report.layers[0].runs, report.layers[1].runs};
    };
    CHECK(outcomes(449) == std::pair{0u, 0u});
    CHECK(outcomes(450) == std::pair{1u, 0u});
    CHECK(outcomes(719) == std::pair{1u, 0u});
    CHECK(outcomes(720).second > 0u);
}

TEST_CASE("nine tenths of the input trigger", "[case-T85]") {
    auto const when = used >= 90_pct;
    CHECK(when.bind(300_tokens).one().limit == 270u);
    CHECK_FALSE(when.due({.tokens = 269_tokens, .input = 300_tokens}));
    CHECK(when.due({.tokens = 270_tokens, .input = 300_tokens}));
}

// The buffer of 10 % is of the window; a share would be of the input.
TEST_CASE("a safety buffer stands before the output reserve", "[case-T85b]") {
    auto const input = budget{.window = 100'000_tokens, .output = 30'000_tokens}.input();
    auto const when = condense::headroom < 10'000_tokens;
    CHECK_FALSE(when.due({.tokens = 59'999_tokens, .input = input}));
    CHECK_FALSE(when.due({.tokens = 60'000_tokens, .input = input}));
    CHECK(when.due({.tokens = 60'001_tokens, .input = input}));
}

TEST_CASE("a conversation that was just reduced is left alone", "[case-T87]") {
    budget const limits{.window = 10'000_tokens};
    pipeline const mix{compress{}, summarize{}, sliding_window{}, escalate{}};
    conversation messages;
    for (int turn = 0; turn < 20; ++turn) messages += {U(letters(250)), A(letters(250))};
    CHECK(run(messages, mix, limits).changed());
    messages += {U(letters(100)), A(letters(100))};
    auto const before = messages;
    auto const report = run(messages, mix, limits);
    CHECK(messages == before);
    CHECK_FALSE(report.changed());
    CHECK(report.layers[1].runs == 0u);
    CHECK(report.layers[2].runs == 0u);
}

// Adapted: a reduction to what is retained is made when it gains at least the coalescing size.
TEST_CASE("small deficits are left to grow", "[case-T89]") {
    auto const snapshot = [](std::size_t deficit) {
        conversation messages{A(letters(deficit)), U(letters(1'000))};
        auto const report = run(
            messages,
            sliding_window{.when = used > 1'000_tokens, .until = used <= 1'000_tokens, .worth = at_least(1'500_tokens)},
            {.window = 5'000_tokens});
        CHECK(report.fits());
        return report.changed();
    };
    CHECK_FALSE(snapshot(500));
    CHECK_FALSE(snapshot(1'499));
    CHECK(snapshot(1'500));
    CHECK(snapshot(3'500));
}

TEST_CASE("a system message that fills the budget is an error that names it", "[case-98]") {
    pipeline const mix{compress{}, summarize{}, sliding_window{}, escalate{.when = used > 100_pct, .ceiling = 100_pct}};
    conversation const before{costing(S(), 50_tokens), costing(U(), 1_tokens)};
    auto messages = before;
    auto const report = run(messages, mix, {.window = 50_tokens});
    CHECK(messages == before);
    CHECK(report.outcome == outcome::exhausted);
    CHECK(report.floor.count == 51u);
    CHECK(contains(report.text(), "floor: 51 tokens cannot be reduced"));
    auto const enough = run(messages, mix, {.window = 51_tokens});
    CHECK(messages == before);
    CHECK(enough.outcome == outcome::fits);
    CHECK(enough.fits());
}

TEST_CASE("shares of a window are exact", "[case-100]") {
    for (auto const& [part, count] :
         std::map<percent, std::uint64_t>{{33_pct, 42'240}, {66_pct, 84'480}, {100_pct, 128'000}}) {
        CHECK(part.of(128'000_tokens).count == count);
        CHECK((used >= part).bind(128'000_tokens).one().limit == count);
        CHECK((used <= part).bind(128'000_tokens).one().limit == count);
    }
}

/// Adds up what each role uses.
struct role_totals {
    static constexpr auto effects = condense::no_effects;
    std::map<role, condense::cost>* sums = nullptr;

    void reduce(auto& draft, auto&) const {
        for (auto const each : {role::system, role::user, role::assistant, role::tool, role::other})
            (*sums)[each] = draft.used_by(each);
    }
};

TEST_CASE("the roles add up to what is used", "[case-101]") {
    std::map<role, condense::cost> sums;
    conversation messages{S("be brief"),
                          U("do it"),
                          CC("1", "2"),
                          R("1", "done"),
                          R("2", letters(77)),
                          A("well"),
                          {.role = role::other, .parts = {{.text = "note"}}}};
    auto const report = condense::reduce(messages, role_totals{&sums}, {.window = 10'000_tokens});
    condense::cost whole;
    for (auto const& [speaker, sum] : sums) {
        CHECK(sum.steps > 0u);
        whole += sum;
    }
    CHECK(whole.tokens() == report.before.tokens);
    CHECK(report.outcome == outcome::fits);
    static_cast<void>(run(messages, role_totals{&sums}));
    CHECK(sums[role::tool].tokens().count == 81u);
    CHECK(sums[role::user].tokens().count == 5u);
}

/// A failure that is its own cause.
struct circular : std::runtime_error {
    using std::runtime_error::runtime_error;
    mutable std::exception_ptr cause;
};

struct fails_in_a_circle {
    static constexpr auto effects = condense::drops;
    std::vector<std::exception_ptr>* thrown = nullptr;

    void reduce(auto& draft, auto&) const {
        fakes::drop(draft);
        try {
            throw circular{"in a circle"};
        } catch (circular const& problem) {
            problem.cause = std::current_exception();
            thrown->push_back(problem.cause);
            throw;
        }
    }
};

TEST_CASE("a circular cause is an ordinary failure", "[case-120]") {
    std::vector<std::exception_ptr> thrown;
    conversation messages{U(), A(), U()};
    auto const before = messages;
    auto const report = run(messages, pipeline{fails_in_a_circle{&thrown}, window_of(2_messages)});
    CHECK(report.layers[0].outcome == layer_outcome::failed);
    CHECK(report.layers[0].note == "in a circle");
    CHECK(report.layers[0].groups_dropped == 0u);
    CHECK(report.layers[1].outcome == layer_outcome::applied);
    CHECK(messages == conversation{U()});
    REQUIRE_FALSE(thrown.empty());
    for (auto const& each : thrown) {
        try {
            std::rethrow_exception(each);
        } catch (circular const& problem) { problem.cause = nullptr; }
    }
}

/// 3.7 characters a token, and eight characters more for each message.
struct framed {
    condense::chars_per_token ratio{37, {0}};
    condense::cost operator()(std::string_view text) const { return ratio(text); }
    condense::cost frame(role) const { return ratio("12345678"); }
};

TEST_CASE("sums are rounded once", "[case-156]") {
    auto const total = [](std::vector<std::size_t> const& sizes) {
        conversation messages;
        for (auto const size : sizes) messages.push_back(U(letters(size)));
        return condense::dry_run(messages, pipeline{window_of(9_messages)}, roomy, framed{}).used().tokens.count;
    };
    CHECK(total({40}) == 13u);
    CHECK(total({11, 3'000}) == 819u);
    CHECK(total({0, 1'600, 1'600}) == 872u);
}

TEST_CASE("prose at 3.8 characters a token", "[case-160]") {
    condense::char_ratio<condense::family::kimi> const count;
    CHECK(count(letters(380)).tokens().count == 100u);
    auto const thousand = count(letters(3'800)).tokens();
    CHECK(thousand.count == 1'000u);
    CHECK((used >= 0.5_pct).bind(200'000_tokens).one().limit == thousand.count);
}

TEST_CASE("estimates begin at one and never fall", "[case-163]") {
    condense::char_ratio<condense::family::gemini> const sparse;
    condense::default_estimator<> const usual;
    std::string text;
    condense::cost before;
    CHECK(usual(text).steps == 0u);
    for (auto const* const piece : {"a", " ", "\xF0\x9F\x98\x80", "\xE6", "\xBC", "\xA2", "\xFF", "}", "words"}) {
        text += piece;
        CHECK(sparse(piece) >= condense::cost::of(1_tokens));
        CHECK(usual(piece) >= condense::cost::of(1_tokens));
        CHECK(usual(text) >= before);
        before = usual(text);
    }
}

TEST_CASE("a window and a cut together", "[case-165]") {
    conversation messages;
    for (int step = 0; step < 15; ++step) {
        auto const id = std::to_string(step);
        messages += {C(id), R(id, letters(11'000))};
    }
    auto const mix = pipeline{
        compress{.when = always, .protect = nothing},
        sliding_window{
            .when = used > 10_messages, .until = used <= 10_messages, .protect = first(1_messages) | last(3_messages)}};
    static_cast<void>(run(messages, mix));
    CHECK(messages.size() <= 10u);
    CHECK(messages.size() > 4u);
    CHECK(broken(messages) == "");
    CHECK(std::count_if(messages.begin(), messages.end(),
                        [](chat_message const& m) { return m.role == role::tool && text_of(m).size() < 10'000; }) > 0);
}

TEST_CASE("one pipeline serves several threads", "[case-166]") {
    auto const mix = pipeline{window_of(20_messages)};
    std::array<std::vector<std::string>, 5> wrong;
    std::vector<std::thread> threads;
    for (std::size_t which = 0; which < wrong.size(); ++which)
        threads.emplace_back([&mix, &found = wrong[which], which] {
            for (std::size_t round = 0; round < 10; ++round) {
                conversation messages;
                for (std::size_t index = 0; index < 25; ++index) {
                    auto const text = std::to_string(which * 10'000 + round * 100 + index);
                    messages.push_back(index % 2 == 0 ? U(text) : A(text));
                }
                auto const whole = messages;
                static_cast<void>(run(messages, mix));
                if (messages.size() > 20 || messages.size() < 19) found.push_back("size");
                if (!std::equal(messages.rbegin(), messages.rend(), whole.rbegin())) found.push_back("content");
            }
        });
    for (auto& thread : threads) thread.join();
    for (auto const& found : wrong) CHECK(found.empty());
}

/// After the system messages stands a plain user message or a summary.
bool has_head(conversation const& messages) {
    auto const head =
        std::find_if(messages.begin(), messages.end(), [](auto const& m) { return m.role != role::system; });
    return head == messages.end() || (head->role == role::user && !answers_calls(*head));
}

/// What must hold of any reduction; says which promise is broken.
template <class Mix>
std::string broken_promise(conversation const& before, Mix const& mix, budget limits, std::size_t& changed,
                           std::size_t& repeated) {
    auto once = before;
    auto const report = run(once, mix, limits);
    changed += report.changed() ? 1u : 0u;
    if (report.changed() != (once != before)) return "the report is wrong about changes";
    if (auto const why = broken(once); !why.empty()) return why;
    if (has_head(before) && !has_head(once)) return "no user message at the beginning";
    if (size_of(once) > size_of(before)) return "larger";
    if (report.after.tokens.count != size_of(once)) return "the report is wrong about the size";
    auto places = indices(once);
    bool const summarized = std::find(places.begin(), places.end(), -1) != places.end();
    places.erase(std::remove(places.begin(), places.end(), -1), places.end());
    if (std::adjacent_find(places.begin(), places.end(), std::greater_equal<>{}) != places.end()) return "out of order";
    if (report.outcome != outcome::fits && report.outcome != outcome::exhausted) return {};
    // Without marks a second run takes a summary for a message like others, where a layer is due again.
    if (summarized && mix.due(report.after)) return {};
    ++repeated;
    auto twice = once;
    static_cast<void>(run(twice, mix, limits));
    return twice == once ? "" : "a second run changes something";
}

TEST_CASE("any stack of layers keeps any conversation valid", "[case-171]") {
    std::size_t tried = 0;
    std::size_t changed = 0;
    std::size_t repeated = 0;
    auto const stacks = 100 + rounds(900);
    for (std::uint64_t seed = 1; tried < stacks && seed < 10'000; ++seed) {
        auto const before = laws::conversation_generator{seed}.make();
        if (!broken(before).empty()) continue;
        ++tried;
        laws::random_source roll{~seed};
        budget const limits{.window = {200 + roll.next() % (2 * size_of(before) + 1)}};
        percent const late{static_cast<std::uint32_t>(5'000 + roll.next() % 4'500)};
        percent const early{late.basis_points / 2};
        condense::messages const most{1 + roll.next() % 30};
        head_tail const ends{.head = condense::chars{200 + roll.next() % 500}, .tail = 200_chars};
        compress const shorten{.when = used >= early, .over = 2'000_chars, .with = ends};
        auto const why = [&, stack = roll.below(5)] {
            auto const wrong = [&](auto const& mix) { return broken_promise(before, mix, limits, changed, repeated); };
            if (stack == 0) return wrong(pipeline{window_of(most)});
            if (stack == 1)
                return wrong(pipeline{shorten, sliding_window{.when = used > most,
                                                              .until = used <= most,
                                                              .protect = first(1_messages) | last(2_messages)}});
            if (stack == 2)
                return wrong(pipeline{shorten, summarize{.when = used >= late}, sliding_window{}, escalate{}});
            if (stack == 3)
                return wrong(pipeline{pipeline{offload{.over = 2'000_chars, .preview = ends, .into = shelf{}}},
                                      sliding_window{.when = used >= late}, escalate{.passes = 3}});
            return wrong(pipeline{summarize{.when = used > most, .protect = last(2_turns)}, shorten});
        }();
        CAPTURE(seed);
        CHECK(why == "");
    }
    CHECK(tried == stacks);
    CHECK(changed * 10 > tried * 6);
    CHECK(repeated * 10 > tried * 6);
}

TEST_CASE("text that no layer shortens is dropped, else the run says so", "[case-173]") {
    conversation messages;
    for (std::size_t index = 0; index < 30; ++index)
        messages.push_back(index % 2 == 0 ? U(letters(80'000)) : A(letters(80'000)));
    condense::chars_per_token const count{40, {4}};
    sliding_window const by_count{.when = used > 100_messages};
    budget const limits{.window = 200'000_tokens};
    auto left = messages;
    auto const over = condense::reduce(left, pipeline{compress{}, by_count}, limits, count);
    CHECK(over.before == over.after);
    CHECK(over.outcome == outcome::over);
    CHECK_FALSE(over.fits());
    auto const report = condense::reduce(left, pipeline{compress{}, by_count, escalate{}}, limits, count);
    CHECK(report.before.tokens.count > 600'000u);
    CHECK(report.outcome == outcome::fits);
    CHECK(report.after.tokens.count < 180'000u);
    CHECK(left.size() > 2u);
    CHECK(std::equal(left.rbegin(), left.rend() - 1, messages.rbegin()));
}

TEST_CASE("a cut by count never leaves a result first", "[case-176]") {
    conversation messages{U()};
    for (int step = 0; step < 12; ++step) messages += {C(std::to_string(step)), R(std::to_string(step))};
    messages.push_back(A());
    for (auto const& left : {cases::after(numbered(messages), window_of(20_messages)),
                             cases::after(numbered(messages), sliding_window{.when = used > 20_messages,
                                                                             .until = used <= 0_messages,
                                                                             .protect = last(20_messages)})}) {
        CHECK(broken(left) == "");
        REQUIRE(left.size() >= 19u);
        CHECK(left[0].role == role::user);
        CHECK(left[1].role == role::assistant);
        CHECK(left.back() == numbered(messages).back());
    }
}

/// Counts how often each text is counted.
struct counting {
    std::map<std::string, std::size_t>* seen = nullptr;
    condense::cost operator()(std::string_view text) const {
        ++(*seen)[std::string{text}];
        return per_char{}(text);
    }
};

TEST_CASE("an appended message is the only one that is counted", "[case-T97]") {
    std::map<std::string, std::size_t> seen;
    condense::outline facts;
    for (int index = 0; index < 1'000; ++index) facts.append(U(std::to_string(index)), counting{&seen});
    CHECK(seen.size() == 1'000u);
    seen.clear();
    facts.append(U("the new one"), counting{&seen});
    CHECK(seen == std::map<std::string, std::size_t>{{"the new one", 1}});
}

TEST_CASE("a run that summarises counts each message once", "[case-T99]") {
    std::map<std::string, std::size_t> seen;
    conversation messages;
    for (std::size_t index = 0; index < 20; ++index) {
        auto const text = std::to_string(index) + letters(1'000);
        messages.push_back(index % 2 == 0 ? U(text) : A(text));
    }
    auto const before = messages;
    auto const report =
        condense::reduce(messages, pipeline{summarize{.with = saying({"in short"})}, sliding_window{}, escalate{}},
                         {.window = 20'000_tokens}, counting{&seen});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].asked == 1u);
    for (auto const& m : before) CHECK(seen[text_of(m)] == 1u);
}

TEST_CASE("an empty pipeline does nothing", "[case-T77]") {
    conversation messages{U(), A(letters(900))};
    auto const before = messages;
    auto const report = run(messages, pipeline<>{}, {.window = 1'000_tokens});
    CHECK(messages == before);
    CHECK_FALSE(report.changed());
    CHECK(report.outcome == outcome::fits);
    CHECK(report.layers.empty());
    CHECK(run(messages, pipeline<>{}, {.window = 500_tokens}).outcome == outcome::over);
}

}  // namespace
