// SPDX-License-Identifier: BSL-1.0
#include <condense/core/session_calls.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "support/catch.hpp"

namespace {

using condense::call_outcome;
using condense::chat_message;
using namespace condense::literals;
using condense::used;
using reply = condense::reply<chat_message>;

struct letters_as_tokens {
    condense::cost operator()(std::string_view text) const { return condense::cost::of({text.size()}); }
};

chat_message text_of(std::size_t size, char which = 'x') { return chat_message::user(std::string(size, which)); }

reply refusal() { return {.error = {.status = 400, .text = "Input is too long for requested model."}}; }

auto half_full() {
    return condense::session{std::vector<chat_message>{}, condense::pipeline{condense::sliding_window{.when = used >= 90_pct}},
                             condense::budget{.window = 100'000_tokens}, letters_as_tokens{}};
}

}  // namespace

TEST_CASE("a model that pushes and overflows each time is called twice") {
    auto session = half_full();
    for (int turn = 0; turn < 50; ++turn) session.push(text_of(1'000));
    int calls = 0;
    auto const made = session.call([&](auto const&) {
        ++calls;
        session.push(text_of(10, 'p'));
        return calls < 9 ? refusal() : reply{.message = chat_message::assistant("at last")};
    });
    CHECK(made.outcome == call_outcome::overflow);
    CHECK(calls == 2);
    CHECK(made.attempts == 2);
    CHECK(session.history().size() == 52);
}

TEST_CASE("a model that pushes and throws overflows each time is called twice") {
    auto session = half_full();
    for (int turn = 0; turn < 50; ++turn) session.push(text_of(1'000));
    int calls = 0;
    auto const model = [&](auto const&) -> chat_message {
        if (++calls == 9) return chat_message::assistant("at last");
        session.push(text_of(10, 'p'));
        throw std::runtime_error{"prompt is too long: 210000 tokens > 200000 maximum"};
    };
    CHECK_THROWS_WITH(static_cast<void>(session.call(model)), "prompt is too long: 210000 tokens > 200000 maximum");
    CHECK(calls == 2);
}

TEST_CASE("what is reported is of what was sent, also where somebody looks at the request on arrival") {
    std::function<void()> look = [] {};
    auto const observer = [&look](condense::events::arrived const&) { look(); };
    condense::run_options<condense::steady_clock, condense::never_stops, condense::no_pins, decltype(observer)> const options{.observer = observer};
    condense::session session{std::vector<chat_message>{}, condense::pipeline{condense::sliding_window{.when = used >= 90_pct}},
                              condense::budget{.window = 100'000_tokens}, letters_as_tokens{}, options};
    look = [&] { static_cast<void>(session.request()); };
    session.push(text_of(1'000));
    auto const made = session.call([](auto const&) {
        return reply{.message = chat_message::assistant(std::string(500, 'a')), .usage = {.input = 2'000_tokens, .output = 1'000_tokens}};
    });
    CHECK(made);
    CHECK(session.used().tokens == 2'500_tokens);
}

TEST_CASE("the answer is the model's, also where another message comes with it") {
    std::function<void()> more = [] {};
    auto const observer = [&more](condense::events::arrived const& event) { if (event.at.number == 1) more(); };
    condense::run_options<condense::steady_clock, condense::never_stops, condense::no_pins, decltype(observer)> const options{.observer = observer};
    condense::session session{std::vector<chat_message>{}, condense::pipeline{condense::sliding_window{.when = used >= 90_pct}},
                              condense::budget{.window = 100'000_tokens}, letters_as_tokens{}, options};
    more = [&] { session.push(chat_message::user("and another thing")); };
    session.push(text_of(1'000));
    auto const made = session.call([](auto const&) { return chat_message::assistant("yes"); });
    REQUIRE(made);
    CHECK(session.history().size() == 3);
    CHECK(*made.answer == chat_message::assistant("yes"));
}

TEST_CASE("a request that fits by the provider's count is not too large once it is reduced", "[law-8]") {
    // Estimates are four times what the provider counts.
    condense::session session{std::vector<chat_message>{}, condense::pipeline{condense::sliding_window{.when = used >= 90_pct}},
                              condense::budget{.window = 100'000_tokens}, letters_as_tokens{}};
    std::size_t counted = 0;
    int answered = 0;
    auto const model = [&](auto const& request) {
        counted = 0;
        for (auto const& m : request) counted += m.parts[0].text.size();
        return reply{.message = chat_message::assistant(std::string(900, 'a')), .usage = {.input = {counted / 4}}};
    };
    for (int turn = 0; turn < 1'000; ++turn) {
        session.push(text_of(100));
        auto const made = session.call(model);
        answered += made ? 1 : 0;
    }
    CHECK(answered == 1'000);
    CHECK(session.statistics().changed > 0);
}
