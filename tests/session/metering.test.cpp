// SPDX-License-Identifier: BSL-1.0
#include <condense/session/metering.hpp>

#include <condense/estimate/calibrated.hpp>
#include <condense/estimate/recency_weighted.hpp>

#include "session/short_names.hpp"

namespace {

using namespace short_names;
using condense::usage_source;

/// Counts nothing at all, so that only reports are left.
struct never_counts {
    constexpr cost operator()(std::string_view) const { return {}; }
};
using learning = condense::calibrated<per_byte, condense::log_ratio>;

auto const& window = mixes::window_to_half;

/// What the provider counts: 1.4 times the bytes, 6 for each message, and 9,000 outside them.
template <class Session>
tokens reported_for(Session const& chat) {
    std::uint64_t sum = 9'000;
    for (chat_message const& m : chat.request()) {
        sum += 6;
        for (auto const& part : m.parts) sum += part.text.size() * 14 / 10;
    }
    return {sum};
}

/// Pushes, sends, and observes with cached tokens apart, as Anthropic reports them.
template <class Session>
void turn_of(Session& chat, std::size_t size) {
    chat.push(U(letters(size)));
    auto const all = reported_for(chat);
    chat.observe({.input = {all.count / 4}, .cache_read = {all.count - all.count / 4 - 7}, .cache_write = {7}});
}

auto talk(tokens size) {
    return condense::session{conversation{}, window, condense::budget{.window = size, .overhead = 9'000_tokens},
                             learning{}};
}

}  // namespace

TEST_CASE("a session teaches its estimator, cached tokens included and overhead apart") {
    auto chat = talk(10'000'000_tokens);
    for (std::size_t turn = 0; turn < 60; ++turn) turn_of(chat, turn % 2 == 0 ? 300 : 5'000);
    auto const& rule = chat.estimator().rule;
    CHECK(rule.seen() == 60);
    CHECK(rule.ratio() * 100 / 65'536 >= 138);
    CHECK(rule.ratio() * 100 / 65'536 <= 141);

    // What is not reported yet is corrected too.
    CHECK(chat.used().source == usage_source::reported);
    auto const before = chat.used().tokens.count;
    chat.push(U(letters(10'000)));
    auto const grown = chat.used().tokens.count - before;
    CHECK(grown >= 13'700);
    CHECK(grown <= 14'200);
}

TEST_CASE("after an edit sums are corrected where estimates alone would be far off") {
    auto chat = talk(70'000_tokens);
    while (chat.used().tokens < 61'000_tokens) turn_of(chat, 1'000);
    chat.push(U(letters(2'000)));
    auto const made = chat.prepare();
    REQUIRE(made.changed());
    CHECK(made.before.source == usage_source::reported);
    CHECK(made.after.source == usage_source::estimated);
    CHECK(made.text().find("(reported -> estimated)") != std::string::npos);
    CHECK(chat.used().source == usage_source::estimated);
    auto const real = reported_for(chat).count;
    CHECK(chat.used().tokens.count * 100 >= real * 96);
    CHECK(chat.used().tokens.count * 100 <= real * 104);
    CHECK(made.after.tokens.count * 100 >= real * 96);
    CHECK(real <= 35'000);  // the target holds by the provider's count
}

TEST_CASE("an estimator that counts too much is corrected downward, in runs too") {
    condense::session chat{conversation{}, window, condense::budget{.window = 20'000_tokens}, learning{}};
    for (int turn = 0; turn < 12; ++turn) {
        chat.push(U(letters(2'000)));
        std::uint64_t real = 0;
        for (chat_message const& m : chat.request()) real += m.parts.front().text.size() * 6 / 10;
        chat.observe({.input = {real}});
    }
    CHECK(chat.used().tokens < 15'000_tokens);  // 24,000 bytes
    CHECK_FALSE(chat.due());
    auto const made = chat.run();
    CHECK_FALSE(made.changed());
    CHECK(made.fits());
    CHECK(chat.draft().before.source == usage_source::reported);
}

TEST_CASE("what is known apart is not corrected where it changes between two requests") {
    auto chat = talk(10'000'000_tokens);
    for (std::size_t turn = 0; turn < 60; ++turn) turn_of(chat, turn % 2 == 0 ? 300 : 5'000);
    auto const before = chat.used().tokens;
    chat.set_limits({.window = 10'000'000_tokens, .overhead = 29'000_tokens});
    CHECK(chat.used().tokens == before + 20'000_tokens);
    chat.push(U(letters(10'000)));
    auto const grown = chat.used().tokens;
    chat.set_limits({.window = 10'000'000_tokens});
    CHECK(chat.used().tokens == grown - 29'000_tokens);
    CHECK(chat.used().source == usage_source::reported);
}

TEST_CASE("a session of one class of content learns of that one") {
    condense::session chat{conversation{}, window,
                           condense::budget{.window = 10'000'000_tokens, .overhead = 9'000_tokens},
                           condense::calibrated{.count = per_byte{}, .rule = condense::log_ratio{}, .content = 2}};
    for (std::size_t turn = 0; turn < 30; ++turn) turn_of(chat, 4'000);
    CHECK(chat.estimator().rule.seen(0) == 0);
    CHECK(chat.estimator().rule.seen(2) == 30);
    chat.set_limits({.window = 10'000'000_tokens});
    auto const before = chat.used().tokens.count;
    chat.push(U(letters(10'000)));
    CHECK(chat.used().tokens.count - before >= 13'700);
}

TEST_CASE("caution keeps room for what reports may differ by, until there is one") {
    auto const told = [](std::uint32_t caution) {
        learning careful{.rule = {.caution = caution}};
        condense::session chat{conversation{}, window, condense::budget{.window = 20'000_tokens}, careful};
        push(chat, {U(letters(8'000)), U(letters(8'000))});
        return std::pair{chat.used().tokens, chat.due()};
    };
    CHECK(told(0) == std::pair{16'000_tokens, false});
    CHECK(told(164).first > 18'500_tokens);  // a tenth of spread, 1.64 of them
    CHECK(told(164).first < 19'200_tokens);
    CHECK(told(164).second);
}

TEST_CASE("a report is learnt once, and only of a request that was made") {
    auto chat = talk(100'000_tokens);
    chat.observe({.input = 15'000_tokens});
    CHECK(chat.estimator().rule.seen() == 0);
    chat.push(U(letters(1'000)));
    static_cast<void>(chat.request());
    chat.observe({});
    CHECK(chat.estimator().rule.seen() == 0);
    chat.observe({.input = 10'400_tokens});
    chat.observe({.input = 10'400_tokens});
    CHECK(chat.estimator().rule.seen() == 1);
}

TEST_CASE("another model begins anew") {
    auto chat = talk(100'000_tokens);
    chat.set_model("one", {.window = 100'000_tokens, .overhead = 9'000_tokens});
    turn_of(chat, 3'000);
    CHECK(chat.estimator().rule.seen() == 1);
    chat.set_model("one", {.window = 50'000_tokens});
    CHECK(chat.estimator().rule.seen() == 1);
    CHECK(chat.limits().window == 50'000_tokens);
    CHECK(chat.used().source == usage_source::estimated);
    chat.set_model("two", {.window = 40'000_tokens});
    CHECK(chat.estimator().rule.seen() == 0);
    CHECK(chat.used().tokens == 3'000_tokens);
    auto plain = opened(window, {.window = 1'000_tokens});
    plain.set_model("two", {.window = 2'000_tokens});
    CHECK(plain.limits().window == 2'000_tokens);
}

TEST_CASE("what was learnt is saved with the session") {
    auto chat = talk(100'000_tokens);
    for (int turn = 0; turn < 9; ++turn) turn_of(chat, 2'000);
    auto kept = chat.state();
    REQUIRE(kept);
    auto other = talk(100'000_tokens);
    auto broken = kept.state;
    broken.memories.back() += "x";
    CHECK(other.adopt(broken).fault == condense::state_fault::impossible);
    broken.memories.clear();
    CHECK(other.adopt(broken).fault == condense::state_fault::impossible);
    CHECK(other.estimator().rule.seen() == 0);
    REQUIRE_FALSE(other.adopt(std::move(kept.state)));
    CHECK(other.estimator().rule == chat.estimator().rule);
    CHECK(other.used() == chat.used());
    for (int turn = 0; turn < 5; ++turn) {
        turn_of(chat, 1'500);
        turn_of(other, 1'500);
        CHECK(other.used() == chat.used());
    }
    CHECK(other.estimator().rule == chat.estimator().rule);
}

TEST_CASE("a report of more messages than there are is not restored") {
    auto chat = talk(100'000_tokens);
    for (int turn = 0; turn < 9; ++turn) turn_of(chat, 200 + 900 * static_cast<std::size_t>(turn % 3));
    REQUIRE(chat.estimator().rule.per_message() > cost{});
    auto const kept = chat.state();
    REQUIRE(kept);
    auto const restored = [&](std::uint64_t sent, std::uint64_t reported) {
        auto torn = kept.state;
        torn.anchor.each_field([&](auto&, auto& sent_messages, auto&, auto&, auto&, auto& messages) {
            sent_messages = sent, messages = reported;
        });
        auto other = talk(100'000_tokens);
        auto const problem = other.adopt(torn);
        CHECK((problem || other.used() == chat.used()));
        return problem.fault;
    };
    CHECK(restored(9, 9) == condense::state_fault::none);
    CHECK(restored(10, 9) == condense::state_fault::impossible);
    CHECK(restored(9, 10) == condense::state_fault::impossible);
    CHECK(restored(9, ~std::uint64_t{0}) == condense::state_fault::impossible);
}

TEST_CASE("reported usage stands in where nothing can be counted, and where neither is there that is said") {
    condense::session chat{conversation{}, window, condense::budget{.window = 1'000_tokens}, never_counts{}};
    CHECK(chat.used().source == usage_source::estimated);  // of no message
    chat.push(U(letters(100)));
    CHECK(chat.used().source == usage_source::none);
    CHECK(chat.prepare().before.source == usage_source::none);
    CHECK(chat.run().text().find("(unknown -> unknown)") != std::string::npos);
    CHECK(chat.status().substr(0, 23) == "unknown of 1,000 tokens");
    static_cast<void>(chat.request());
    chat.observe({.input = 950_tokens});
    CHECK(chat.used().source == usage_source::reported);
    CHECK(chat.used().tokens == 950_tokens);
    CHECK(chat.due());
    chat.set_model("another", chat.limits());
    CHECK(chat.used().source == usage_source::none);
}

TEST_CASE("one call reduces by corrected sums too") {
    learning learnt;
    for (int turn = 0; turn < 30; ++turn) learnt.observe({.counted = cost::of({20'000}), .messages = 20}, {28'000});
    conversation const history(40, U(letters(1'000)));
    condense::budget const limits{.window = 45'000_tokens};
    auto const plain = condense::reduce(history, window, limits, per_byte{});
    auto const made = condense::reduce(history, window, limits, learnt);
    CHECK_FALSE(plain.report().changed());  // 40,000 of 45,000
    CHECK(made.report().before.tokens > 55'000_tokens);
    CHECK(made.report().changed());
    CHECK(made.report().fits());
    CHECK(condense::reduce(history, window, limits, never_counts{}).report().before.source == usage_source::none);
    CHECK(plain.report().before.source == usage_source::estimated);
}

TEST_CASE("the simple rule works in a session as well") {
    condense::session chat{conversation{}, window, condense::budget{.window = 1'000'000_tokens},
                           condense::calibrated{condense::chars_per_token{40, {0}}, condense::recency_weighted{}}};
    for (int turn = 0; turn < 20; ++turn) {
        chat.push(U(letters(4'000)));
        static_cast<void>(chat.request());
        chat.observe({.input = {static_cast<std::uint64_t>(turn + 1) * 1'600}});  // 2.5 characters per token
    }
    auto const before = chat.used().tokens;
    chat.push(U(letters(40'000)));
    auto const grown = (chat.used().tokens - before).count;
    CHECK(grown > 15'800);
    CHECK(grown <= 16'000);
}
