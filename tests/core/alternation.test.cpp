// SPDX-License-Identifier: BSL-1.0
#include <condense/core/alternation.hpp>

#include <random>

#include <condense/condense.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/store/memory.hpp>

#include "support/catch.hpp"
#include "support/fakes.hpp"

namespace {

using condense::role, condense::used;
using namespace condense::literals;
using namespace notation;

/// A byte is a token, and each message costs ten more.
struct framed : per_byte {
    condense::cost frame(role) const { return condense::cost::of({10}); }
};

std::string joined(chat_message const& m) {
    std::string all;
    for (auto const& part : m.parts) all.append(all.empty() ? "" : "|").append(part.text);
    return all;
}

conversation alternated(auto const& messages) {
    conversation all;
    condense::each_alternating(messages, [&](chat_message const& m) { all.push_back(m); });
    return all;
}

chat_message with_image(chat_message m, bool first) {
    condense::chat_part image{
        .kind = condense::part_kind::media, .text = "image", .cost = condense::cost::of(100_tokens)};
    m.parts.insert(first ? m.parts.begin() : m.parts.end(), image);
    return m;
}

bool alternates(auto const& messages) {
    for (std::size_t at = 1; at < messages.size(); ++at)
        if (messages[at].role == role::user && messages[at - 1].role == role::user) return false;
    return true;
}

auto const mix = condense::pipeline{
    condense::summarize{
        .when = used >= 60_pct, .protect = condense::task | condense::last(2_messages), .with = fakes::model{}},
    condense::sliding_window{.when = used >= 90_pct}};

auto alternating_session(bool alternate = true) {
    return condense::session{conversation{}, mix, condense::budget{.window = 4'000_tokens}, framed{},
                             condense::run_options{.alternate = alternate}};
}

chat_message step(int number) { return A("step " + std::to_string(number) + letters(300, '.')); }

/// The task, and steps that are made to fit as they come.
template <class Session>
void work(Session& session, int steps) {
    session.push(U("the task"));
    for (int number = 0; number < steps; ++number) {
        session.push(step(number));
        static_cast<void>(session.prepare());
    }
}

/// Empty where the figures are those of the request: what joined messages gain, two bytes each, is not counted.
template <class Session>
std::string miscounted(Session const& session) {
    std::uint64_t bytes = 0;
    auto const request = session.request();
    for (chat_message const& m : request) {
        bytes += 10;
        for (auto const& part : m.parts) bytes += part.cost ? 100 : part.text.size();
    }
    auto const joins = session.used().messages.count - request.size();
    if (session.used().tokens.count == bytes - 2 * joins) return {};
    return std::to_string(session.used().tokens.count) + " for " + std::to_string(bytes) + " and " +
           std::to_string(joins) + " joins";
}

TEST_CASE("neighbouring user messages are sent as one, with a blank line between their texts") {
    auto const all = alternated(conversation{S("rules"), U("a"), U("b"), U("c"), A("d"), U("e")});
    REQUIRE(all.size() == 4);
    CHECK((joined(all[1]) == "a\n\nb\n\nc" && joined(all[3]) == "e"));
    CHECK(alternated(conversation{}).empty());
}

TEST_CASE("text joins the message that holds more; two that hold more than text stay apart") {
    CHECK(joined(alternated(conversation{with_image(U("a"), false), U("b")})[0]) == "a\n\nb|image");
    CHECK(joined(alternated(conversation{U("a"), with_image(U("b"), true)})[0]) == "image|a\n\nb");
    CHECK(alternated(conversation{with_image(U("a"), false), with_image(U("b"), true)}).size() == 2);
    auto const image = with_image(chat_message{.role = role::user}, true);
    CHECK(alternated(conversation{image, U("b")}).size() == 2);
    auto const sealed = chat_message{.role = role::user, .parts = {{.text = "signed", .sealed = true}}};
    CHECK(alternated(conversation{sealed, U("b")}).size() == 2);
}

/// A message whose adapter writes no text of more than three letters.
struct short_message {
    std::string text = {};

    struct condense_traits {
        static condense::role role_of(short_message const&) { return role::user; }
        static void each_part(short_message const& m, auto&& sink) { sink(condense::part_view{.text = m.text}); }
        static short_message with_part(short_message const& m, std::size_t, std::string text) {
            return text.size() > 4 ? m : short_message{std::move(text)};
        }
    };
};

TEST_CASE("a text that the adapter does not write is not lost") {
    std::vector<short_message> const all{{"a"}, {"b"}, {"c"}};
    std::string words;
    condense::each_alternating(all, [&](short_message const& m) { words.append(m.text).append("|"); });
    CHECK(words == "a\n\nb|c|");
}

TEST_CASE("a session sends its summary in the task's message, counts a frame less, and keeps the history") {
    auto session = alternating_session();
    auto apart = alternating_session(false);
    for (auto* const each : {&session, &apart}) work(*each, 12);
    REQUIRE(fakes::summaries_in(session.request()) == 1);
    CHECK(session.request()[0].parts[0].text.starts_with("the task\n\nSummary of"));
    CHECK((session.history()[0] == U("the task") && session.request().size() + 1 == apart.request().size()));
    CHECK(session.used().tokens.count + 10 == apart.used().tokens.count);
    CHECK(session.used().messages == apart.used().messages);
    CHECK(miscounted(session) == "");
}

TEST_CASE("a joined summary is replaced by the next one, and a run that has nothing to do changes nothing") {
    auto session = alternating_session();
    session.push(U("the task"));
    int reductions = 0;
    for (int number = 0; number < 60; ++number) {
        session.push(step(number));
        reductions += session.prepare().changed() ? 1 : 0;
        REQUIRE(fakes::summaries_in(session.request()) <= 1);
        REQUIRE(miscounted(session) == "");
    }
    CHECK(reductions > 2);
    CHECK(fakes::summaries_in(session.request()) == 1);
    auto const before = alternated(session.request());
    static_cast<void>(session.run());
    static_cast<void>(session.run());
    CHECK(alternated(session.request()) == before);
}

TEST_CASE("a summary that stands before a user message joins that one") {
    condense::session session{
        conversation{},
        condense::pipeline{condense::summarize{.when = used >= 60_pct, .protect = condense::last(3_messages)}},
        condense::budget{.window = 4'000_tokens}, framed{}, condense::run_options{.alternate = true}};
    push(session, {S("rules"), U("the task")});
    for (int number = 0; number < 6; ++number) session.push(step(number));
    session.push(U("next"));
    session.push(step(6));
    session.push(step(7));
    REQUIRE(session.run(condense::force{.target = 1'450_tokens}).changed());
    CHECK(session.request()[1].parts[0].text.starts_with("Summary of"));
    CHECK(session.request()[1].parts[0].text.ends_with("\n\nnext"));
    CHECK(miscounted(session) == "");
}

TEST_CASE("a restored session sends the same joined messages, and an undone reduction joins none") {
    auto session = alternating_session();
    work(session, 12);
    auto const taken = session.state();
    REQUIRE(taken);
    auto other = alternating_session();
    REQUIRE_FALSE(other.adopt(taken.state));
    CHECK(alternated(other.request()) == alternated(session.request()));
    CHECK(other.used() == session.used());
    CHECK(miscounted(other) == "");
    CHECK(fakes::summaries_in(other.request()) == 1);
    while (session.undo()) {}
    CHECK(session.request().size() == session.history().size());
    CHECK(miscounted(session) == "");
}

TEST_CASE("a model is called with an alternating request") {
    auto session = alternating_session();
    push(session, {U("the task"), U("and this")});
    std::string seen;
    auto const model = [&](auto const& request) {
        for (chat_message const& m : request) seen.append(joined(m)).append("|");
        return A("done");
    };
    REQUIRE(session.call(model).outcome == condense::call_outcome::answered);
    CHECK(seen == "the task\n\nand this|");
    session.push(U("more"));
    CHECK(session.request().size() == 3);
}

TEST_CASE("whatever a conversation holds, its request alternates, its words are all there, and it is counted right") {
    std::size_t joins = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        std::mt19937 random{seed};
        auto const one_of = [&](unsigned sides) { return random() % sides; };
        condense::memory_store const store;
        condense::pipeline const layers{
            condense::offload{.over = 4'000_chars,
                              .preview = condense::head_tail{.head = 500_chars, .tail = 500_chars},
                              .into = store},
            condense::compress{.when = used >= 50_pct, .with = condense::head_tail{}},
            condense::summarize{.when = used >= 60_pct, .protect = condense::last(2_messages)},
            condense::sliding_window{.when = used >= 80_pct, .protect = condense::last(2_messages)}};
        auto const make = [&] {
            return condense::session{conversation{}, layers, condense::budget{.window = 15'000_tokens}, framed{},
                                     condense::run_options{.alternate = true}};
        };
        auto session = make();
        for (int number = 0; number < 60; ++number) {
            std::string const text = std::to_string(number) + letters(one_of(900));
            auto const kind = one_of(5);
            if (kind < 3) session.push(U(text));
            else if (kind == 3) session.push(A(text));
            else {
                auto const id = "c" + std::to_string(number);
                push(session, {C(id, "read"), R(id, text + letters(one_of(6'000), 'y'))});
            }
            if (one_of(3) == 0) static_cast<void>(session.prepare());
            if (one_of(20) == 0) static_cast<void>(session.undo());
            if (one_of(2) == 0) continue;
            INFO("seed " << seed << ", message " << number);
            REQUIRE(miscounted(session) == "");
            auto const request = session.request();
            REQUIRE(alternates(request));
            joins += session.used().messages.count - request.size();
            std::string apart;
            std::string all;
            auto const add = [](std::string& to, chat_message const& m) {
                for (auto const& part : m.parts)
                    for (char const letter : part.text)
                        if (letter != '\n') to.push_back(letter);
            };
            for (auto const& m : request) add(all, m);
            auto const& outline = session.outline();
            auto const& edits = session.edits();
            auto const kept = [&](std::uint32_t index) { add(apart, session.history()[index]); };
            auto const made = [&](condense::sent_place, chat_message const& m) { add(apart, m); };
            condense::detail::render_into<chat_message>(session.history(), outline, edits, false, kept, made);
            REQUIRE(all == apart);
        }
    }
    CHECK(joins > 1'000);
}

TEST_CASE("a request that is asked for again keeps the joined messages where they are") {
    auto chat = alternating_session();
    push(chat, {U("the task, in a text that is longer than any buffer inside a string"), U("and more of it")});
    auto const* const text = chat.request()[0].parts[0].text.data();
    CHECK(chat.request()[0].parts[0].text.data() == text);
    chat.push(U("and the end"));
    CHECK(joined(chat.request()[0]).ends_with("and more of it\n\nand the end"));
}

TEST_CASE("a run says that the request fits only where it does, with messages that are joined, too") {
    condense::session chat{conversation{}, condense::pipeline{condense::sliding_window{.when = used > 100_pct}},
                           condense::budget{.window = 2'000_tokens}, framed{},
                           condense::run_options{.alternate = true}};
    for (int number = 0; number < 100; ++number) chat.push(U("u"));
    for (int number = 0; number < 12; ++number) chat.push(step(number));
    auto const report = chat.run();
    CHECK((report.after.tokens == chat.used().tokens && report.fits() == chat.used().fits()));
}

}  // namespace
