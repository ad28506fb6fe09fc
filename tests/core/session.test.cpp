// SPDX-License-Identifier: BSL-1.0
#include <condense/core/session.hpp>

#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "support/catch.hpp"

namespace {

using condense::chat_message;
using namespace condense::literals;
using condense::used;

struct exact {
    condense::cost operator()(std::string_view text) const { return condense::cost::of({text.size()}); }
};

template <class Session>
std::vector<chat_message> sent(Session const& session) {
    auto const request = session.request();
    return {request.begin(), request.end()};
}

}  // namespace

TEST_CASE("push says when a reduction is due, prepare runs it, the originals stay") {
    condense::session session{std::deque<chat_message>{}, condense::pipeline{condense::sliding_window{.when = used >= 90_pct}},
                              condense::budget{.window = 100_tokens}, exact{}};
    CHECK_FALSE(session.push(chat_message::user(std::string(40, 'a'))));
    CHECK_FALSE(session.push(chat_message::assistant(std::string(40, 'b'))));
    CHECK_FALSE(session.prepare().changed());
    CHECK(session.push(chat_message::user(std::string(15, 'c'))));
    auto const report = session.prepare();
    CHECK(report.changed());
    CHECK(report.fits());
    CHECK(sent(session).size() == 2);
    CHECK(session.used().messages == 2_messages);
    CHECK(session.history().size() == 3);
    CHECK_FALSE(session.due());
}

TEST_CASE("layers that act on arrival do so once, at arrival", "[case-13]") {
    condense::memory_store const store;
    condense::session session{
        std::vector<chat_message>{},
        condense::pipeline{condense::offload{.over = 500_chars, .preview = condense::head{50_chars}, .into = store}},
        condense::budget{.window = 100'000_tokens}, exact{}};
    session.push(chat_message::user("go"));
    session.push(chat_message::call("1", "read", "{}"));
    session.push(chat_message::result("1", std::string(2'000, 'x')));
    CHECK(store.size() == 1);
    auto const request = sent(session);
    CHECK(request.size() == 3);
    CHECK(request[2].parts[0].text.size() < 500);
    CHECK(store.get(store.name(std::string(2'000, 'x'))) == std::string(2'000, 'x'));
    CHECK(session.history()[2].parts[0].text.size() == 2'000);
    CHECK_FALSE(session.prepare().changed());
    CHECK(sent(session) == request);
}

TEST_CASE("a late result brings its dropped call back", "[case-T25]") {
    condense::session session{std::vector<chat_message>{},
                              condense::pipeline{condense::sliding_window{.when = used > 4_messages, .until = used <= 3_messages}},
                              condense::budget{.window = 100'000_tokens}, exact{}};
    session.push(chat_message::user("first"));
    session.push(chat_message::call("slow", "build", "{}"));
    session.push(chat_message::user("meanwhile"));
    session.push(chat_message::assistant("yes"));  // the call is dead now
    CHECK(session.push(chat_message::user("more")));
    CHECK(session.prepare().changed());
    for (auto const& m : sent(session)) CHECK((m.parts.empty() || m.parts[0].call != "slow"));
    session.push(chat_message::result("slow", "done"));
    auto const request = sent(session);
    std::size_t calls = 0;
    for (auto const& m : request)
        for (auto const& part : m.parts) calls += part.call == "slow" ? 1u : 0u;
    CHECK(calls == 2);
    condense::cost sum;
    for (auto const& m : request)
        for (auto const& part : m.parts) sum += exact{}(part.text);
    CHECK(session.used().tokens == sum.tokens());
    CHECK(session.used().messages.count == request.size());
}

TEST_CASE("a summary is replaced by the next one, and a session reads its own") {
    condense::session session{std::vector<chat_message>{},
                              condense::pipeline{condense::summarize{.when = used >= 80_pct, .protect = condense::last(2_messages)}},
                              condense::budget{.window = 3'000_tokens}, exact{}};
    std::size_t runs = 0;
    for (int turn = 0; turn < 60; ++turn) {
        session.push(chat_message::user(std::string(100, 'q')));
        if (!session.push(chat_message::assistant(std::string(100, 'a')))) continue;
        runs += session.prepare().changed() ? 1u : 0u;
        CHECK(session.used().fits());
        std::size_t summaries = 0;
        for (auto const& m : sent(session)) summaries += m.parts[0].text.find("<summary>") != std::string::npos ? 1u : 0u;
        CHECK(summaries == 1);
    }
    CHECK(runs > 2);
}

TEST_CASE("an estimator that throws leaves a session as it was", "[law-7]") {
    struct moody {
        condense::cost operator()(std::string_view text) const {
            return text == "bad" ? throw std::runtime_error{"no"} : condense::cost::of({text.size()});
        }
    };
    condense::session session{std::vector<chat_message>{}, condense::pipeline{condense::sliding_window{}},
                              condense::budget{.window = 1'000_tokens}, moody{}};
    session.push(chat_message::user("good"));
    CHECK_THROWS(session.push(chat_message::user("bad")));
    CHECK(session.history().size() == 1);
    CHECK(session.outline().size() == 1);
    CHECK(sent(session).size() == 1);
    session.push(chat_message::assistant("fine"));
    CHECK(sent(session).size() == 2);
    CHECK(session.used().tokens == 8_tokens);
}
