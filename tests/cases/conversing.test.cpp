// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: a session that speaks with a provider.

#include <condense/core/provider_usage.hpp>
#include <condense/session/recent_events.hpp>

#include "cases/runs.hpp"

namespace {

using namespace cases;
using condense::call_outcome, condense::recover_outcome;
using reply = condense::reply<chat_message>;

reply overflow() { return {.error = {.status = 400, .text = "prompt is too long: 210000 tokens > 200000 maximum"}}; }

auto windowed() {
    return condense::session{conversation{}, pipeline{window_to(90_pct)}, {.window = 10'000_tokens}, per_char{}};
}
template <class Session>
std::size_t letters_sent(Session const& session) {
    std::size_t sum = 0;
    for (auto const& m : session.request()) sum += m.parts[0].text.size();
    return sum;
}

TEST_CASE("an overflow is recovered from once, by a smaller request", "[case-T90]") {
    for (int const refusals : {1, 2, 9}) {
        CAPTURE(refusals);
        auto session = windowed();
        for (int turn = 0; turn < 40; ++turn) session.push(turn % 2 == 0 ? U(letters(100)) : A(letters(100)));
        session.push(U("and now?"));
        std::vector<std::size_t> sizes;
        auto const made = session.call([&](auto const&) {
            sizes.push_back(letters_sent(session));
            return static_cast<int>(sizes.size()) <= refusals ? overflow() : reply{.message = A("so")};
        });
        REQUIRE(sizes.size() == 2);
        CHECK(sizes[1] < sizes[0]);
        CHECK(made.attempts == 2);
        CHECK(made.outcome == (refusals == 1 ? call_outcome::answered : call_outcome::overflow));
        CHECK(made.error == (refusals == 1 ? condense::provider_error{} : overflow().error));
        CHECK(session.history().size() == (refusals == 1 ? 42u : 41u));
    }
}

TEST_CASE("where nothing can be taken out an overflow is the caller's at once", "[case-T90]") {
    auto session = windowed();
    session.push(U(letters(5'000)));
    CHECK(session.recover(overflow().error) == recover_outcome::exhausted);
    CHECK(letters_sent(session) == 5'000);
    CHECK(session.recover(overflow().error) == recover_outcome::repeated);
    CHECK(session.recover({.status = 503, .text = "overloaded"}) == recover_outcome::not_overflow);
}

TEST_CASE("an answer that was broken off leaves the figures of the one before", "[case-T94]") {
    auto session = windowed();
    session.push(U(letters(100)));
    CHECK(session.call([](auto const&) {
        return reply{.message = A(letters(50)), .usage = {.input = 150_tokens, .output = 60_tokens}};
    }));
    CHECK(session.used().tokens == 200_tokens);
    session.push(U(letters(20)));
    CHECK_FALSE(session.call([](auto const&) { return reply{.error = {.status = 500, .text = "aborted"}}; }));
    CHECK(session.used().tokens == 220_tokens);
    CHECK(session.call([](auto const&) { return reply{.message = A(letters(5))}; }));  // without a report
    CHECK(session.used().tokens == 225_tokens);
}

TEST_CASE("figures do not outlast what they are of", "[case-T95]") {
    condense::session session{
        conversation{}, pipeline{sliding_window{.when = used > 4_messages}}, {.window = 10'000_tokens}, per_char{}};
    for (int turn = 0; turn < 5; ++turn) session.push(turn % 2 == 0 ? U(letters(100)) : A(letters(100)));
    static_cast<void>(session.request());
    session.observe({.input = 900_tokens});
    CHECK(session.used().tokens == 900_tokens);
    CHECK(session.run().changed());
    CHECK(session.used().source == condense::usage_source::estimated);
    CHECK(session.used().tokens.count ==
          letters_sent(session) * 900 / 500);  // as the provider counted what the estimator took for 500
}

TEST_CASE("near the limit a session warns once, and again after it was below", "[case-151]") {
    int warnings = 0;
    auto const observer = [&warnings](condense::events::near_limit const&) { ++warnings; };
    condense::run_options<condense::steady_clock, condense::never_stops, condense::no_pins, decltype(observer)> const
        options{.observer = observer};
    condense::session session{
        conversation{}, pipeline{window_to(95_pct, 50_pct)}, {.window = 1'000_tokens}, per_char{}, options};
    auto const add = [&](std::size_t size) {
        session.push(A(letters(size)));
        static_cast<void>(session.prepare());
    };
    session.push(U(letters(100)));
    add(699);
    CHECK(warnings == 0);
    add(1);  // 80 %
    CHECK(warnings == 1);
    add(10);
    CHECK(warnings == 1);
    add(140);  // reduced
    CHECK(session.used().tokens <= 500_tokens);
    CHECK(warnings == 1);
    add((800_tokens - session.used().tokens).count);
    CHECK(warnings == 2);
    add(1);
    CHECK(warnings == 2);
}

TEST_CASE("the context is the input, the cached input and the answer", "[case-T92]") {
    condense::provider_usage const told{
        .input = 1'000_tokens, .output = 500_tokens, .cache_read = 200_tokens, .cache_write = 100_tokens};
    CHECK(told.context() == 1'800_tokens);
}

TEST_CASE("of ten events the newest five are kept, in order", "[case-148]") {
    condense::recent_events<5> seen;
    for (std::uint64_t turn = 1; turn <= 10; ++turn)
        condense::detail::tell(seen, condense::events::usage_missing{.turn = turn});
    REQUIRE(seen.size() == 5);
    for (std::size_t index = 0; index < 5; ++index)
        CHECK(seen[index] == condense::events::usage_missing{.turn = 6 + index}.text());
}

}  // namespace
