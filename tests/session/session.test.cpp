// SPDX-License-Identifier: BSL-1.0
#include <condense/session/session.hpp>

#include "session/short_names.hpp"

using namespace short_names;

TEST_CASE("push says when a reduction is due, prepare runs it, the originals stay") {
    condense::session session{std::deque<chat_message>{}, mixes::window, condense::budget{.window = 100_tokens},
                              per_byte{}};
    CHECK_FALSE(session.push(U(letters(40, 'a'))));
    CHECK_FALSE(session.push(A(letters(40, 'b'))));
    CHECK_FALSE(session.prepare().changed());
    CHECK(session.push(U(letters(15, 'c'))));
    auto const report = session.prepare();
    CHECK(report.changed());
    CHECK(report.fits());
    CHECK(sent(session).size() == 2);
    CHECK(session.used().messages == 2_messages);
    CHECK(session.history().size() == 3);
    CHECK_FALSE(session.due());
}

TEST_CASE("a request has messages by their place, and layers the names that a program gives them") {
    auto session =
        opened(pipeline{compress{.when = always, .over = 100_chars, .label = "long texts"}, compress{.over = 50_chars},
                        sliding_window{.when = used >= 90_pct, .label = "old turns"}});
    CHECK(session.request().empty());
    push(session, {U("go"), C("1", "read"), R("1", letters(2'000))});
    auto const request = session.request();
    REQUIRE(request.size() == 3);
    CHECK_FALSE(request.empty());
    CHECK(request[0] == session.history()[0]);
    CHECK(request.front() == request[0]);
    CHECK(request[2] == session.history()[2]);
    CHECK(&request.back() == &request[2]);
    auto const report = session.prepare();
    CHECK(report.layers[0].name == "long texts");
    CHECK(report.layers[1].name == "compress");
    CHECK(report.layers[2].name == "old turns");
}

TEST_CASE("layers that act on arrival do so once, at arrival", "[case-13]") {
    condense::memory_store const store;
    auto session = opened(pipeline{offload{.over = 500_chars, .preview = head{50_chars}, .into = store}});
    push(session, {U("go"), C("1", "read"), R("1", letters(2'000))});
    CHECK(store.size() == 1);
    auto const request = sent(session);
    CHECK(request.size() == 3);
    CHECK(request[2].parts[0].text.size() < 500);
    CHECK(store.get(store.name(letters(2'000))) == letters(2'000));
    CHECK(session.history()[2].parts[0].text.size() == 2'000);
    auto const& layer = session.statistics().layers[0];
    CHECK((layer.name == "offload" && layer.events == 1 && layer.artifacts == 1 && layer.parts_shortened == 1));
    CHECK(layer.saved.count == 2'004 - session.used().tokens.count);
    CHECK(session.statistics().runs == 0);
    CHECK_FALSE(session.prepare().changed());
    CHECK(sent(session) == request);
}

TEST_CASE("an estimator that throws leaves a session as it was", "[law-7]") {
    condense::session session{conversation{}, pipeline{sliding_window{}}, condense::budget{.window = 1'000_tokens},
                              moody{}};
    session.push(U("good"));
    CHECK_THROWS(session.push(U("bad")));
    CHECK(session.history().size() == 1);
    CHECK(session.outline().size() == 1);
    CHECK(sent(session).size() == 1);
    session.push(A("fine"));
    CHECK(sent(session).size() == 2);
    CHECK(session.used().tokens == 8_tokens);
}

TEST_CASE("messages pushed while a summary is being made are all there, in order", "[case-183]") {
    std::function<std::string()> act;
    auto session = opened(pipeline{asking(act), sliding_window{.when = used >= 95_pct}}, {.window = 2'000_tokens});
    auto all = long_turns(8);
    int asked = 0;
    std::string said = "in short";
    act = [&] {
        ++asked;
        auto const steps = session.edits().steps().size();
        auto const history = session.history().size();
        for (auto const* const text : {"one", "two", "three"}) CHECK_FALSE(session.push(U(text)));
        // The rest waits for the end of the run.
        CHECK_FALSE(session.prepare().changed());
        CHECK_FALSE(session.run().changed());
        CHECK_FALSE(session.undo());
        CHECK(session.history().size() == history);
        CHECK(session.edits().steps().size() == steps);
        return said;
    };
    for (auto const& m : all) session.push(m);
    SECTION("one that is good") {
        auto const report = session.run();
        CHECK(report.changed());
        CHECK(report.layers[0].outcome == layer_outcome::applied);
        CHECK(report.after.messages.count + 3 == session.used().messages.count);
    }
    SECTION("one that fails") {
        said = "";
        auto const report = session.run();
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(sent(session).size() == all.size() + 3);
    }
    CHECK(asked == 1);
    for (auto const* const text : {"one", "two", "three"}) all.push_back(U(text));
    CHECK(session.history() == all);
    auto const request = sent(session);
    CHECK(conversation(request.end() - 3, request.end()) == conversation(all.end() - 3, all.end()));
    CHECK(miscounted(session).empty());
}

TEST_CASE("what was done before a run can not be undone in it") {
    std::function<std::string()> act;
    auto session = holding(pipeline{asking(act)}, long_turns(8), {.window = 2'000_tokens});
    act = [] { return std::string{"in short"}; };
    CHECK(session.run().changed());
    for (auto const& m : long_turns(8)) session.push(m);
    int refused = 0;
    int asked = 0;
    act = [&] {
        ++asked;
        refused += session.undo() ? 0 : 1;
        return std::string{"shorter"};
    };
    CHECK(session.run().changed());
    CHECK(asked > 0);
    CHECK(refused == asked);
    CHECK(miscounted(session).empty());
    CHECK(session.undo());
    CHECK(session.undo());
    CHECK(sent(session) == session.history());
}

namespace {

/// What a `reduce` with marks has left, its summary second.
conversation reduced_before() {
    auto all = long_turns(4);
    run_options marking;
    marking.marks = true;
    static_cast<void>(condense::reduce(all, summarize{.when = always, .protect = task | last(2_messages)},
                                       condense::budget{.window = 10'000_tokens}, per_byte{}, marking));
    REQUIRE(all.size() == 4);
    REQUIRE(all[1].mark == "summary");
    return all;
}

constexpr auto summarizing = pipeline{summarize{.when = used > 6_messages, .protect = task | last(2_messages)}};

}  // namespace

TEST_CASE("a session replaces the summary of an earlier reduce, which comes back by undo alone") {
    auto session = holding(summarizing, reduced_before(), {.window = 10'000_tokens});
    push(session, {U("and?"), A("so"), U("then?")});
    auto const before = sent(session);
    REQUIRE(session.run().changed());
    CHECK(fakes::summaries_in(session.request()) == 1);
    CHECK(session.history()[1].mark == "summary");
    CHECK(sent(session)[1].mark.empty());
    auto const after = sent(session);
    CHECK(session.restore({1}) == refusal::summary);
    CHECK(session.pin({1}) == refusal::summary);
    CHECK(sent(session) == after);
    REQUIRE(session.undo());
    CHECK(sent(session) == before);
}

TEST_CASE("the summary of an earlier reduce stays where it is pinned, until it is unpinned") {
    auto session = holding(summarizing, reduced_before(), {.window = 10'000_tokens});
    REQUIRE_FALSE(session.pin({1}));
    push(session, {U("and?"), A("so"), U("then?")});
    REQUIRE(session.run().changed());
    CHECK(fakes::summaries_in(session.request()) == 2);
    session.unpin({1});
    push(session, {A("thus"), U("hence?"), A("yes"), U("go")});
    REQUIRE(session.run().changed());
    CHECK(fakes::summaries_in(session.request()) == 1);
}

namespace {

/// The reason that `next` gives for refusing the state of `session`; else they send the same.
template <class Session>
std::string adoption_problem(Session& session, Session& next) {
    auto taken = session.state();
    if (!taken) return "unsavable";
    if (auto const problem = next.adopt(std::move(taken.state))) return std::string{std::string_view{problem.reason}};
    auto const before = session.request(), after = next.request();
    return std::equal(before.begin(), before.end(), after.begin(), after.end()) ? "" : "another request";
}

}  // namespace

TEST_CASE("pinning a summary brings back a beginning that it had kept away, so that the state can be restored") {
    bool drops = false;
    pipeline const mix{sessions::layer_of_a_program{&drops}};
    condense::budget const limits{.window = 10'000_tokens};
    auto session = holding(mix, sessions::answers_first(), limits);
    sessions::drop_beside_a_pin(session, drops);
    CHECK(sent(session).front() == A("and here"));
    REQUIRE_FALSE(session.pin({2}));
    CHECK(words(sent(session).front()) == "<summary>\nIn short.");

    auto later = opened(mix, limits);
    CHECK(adoption_problem(session, later).empty());
}

TEST_CASE("a message whose parts were all removed is not pinned") {
    auto session = holding(pipeline{repair{}}, conversation{U("task"), C("1"), R("1"), R("1"), A("a"), U("u")});
    static_cast<void>(session.run());
    REQUIRE(session.request().size() == 5);
    CHECK(session.pin({3}) == refusal{refusal::gone});
    CHECK(session.request().size() == 5);
}

TEST_CASE("a request whose only group has a message of the system is restored") {
    chat_message both = R("1");
    both.role = role::user;
    both.parts.push_back({.text = "go on"});
    auto told = R("1");
    told.role = role::system;
    pipeline const mix{sliding_window{.when = always, .until = used <= 1_pct, .protect = nothing}};
    auto session = holding(mix, conversation{U("old"), A("so"), C("1"), both, told}, {.window = 1'000_tokens});
    static_cast<void>(session.run());
    REQUIRE(session.request().size() == 3);
    auto later = opened(mix, {.window = 1'000_tokens});
    CHECK(adoption_problem(session, later) == "");
}

TEST_CASE("a request beside which a message of the system cannot be sent is restored") {
    condense::memory_journal const journal;
    pipeline const mix{record{.to = journal},
                       sliding_window{.when = always, .until = used <= 1_pct, .protect = nothing}};
    auto session =
        holding(mix, conversation{U("old"), C("1"), R("1"), A("so"), U("the latest")}, {.window = 1'000_tokens});
    static_cast<void>(session.run());
    REQUIRE(session.release({4}) == 2);  // the task and the latest answer stay
    auto late = R("1");
    late.role = role::system;
    session.push(late);
    static_cast<void>(session.run());
    auto later = opened(mix, {.window = 1'000_tokens});
    CHECK(adoption_problem(session, later) == "");
}

namespace {

struct trims {
    static constexpr auto effects = condense::shortens;
    void reduce(auto& draft, auto& pass) const {
        for (auto const which : draft.groups())
            draft.each_part(which, [&](part_ref part, part_view const& content) {
                if (content.text.size() > 300) pass.note(draft.shorten(part, std::string{content.text.substr(0, 100)}));
            });
    }
};

}  // namespace

TEST_CASE("a task that was shortened before it was named is restored as it is sent") {
    pipeline const mix{trims{}};
    auto session = holding(mix, conversation{U("the rules"), A("so"), U(letters(900)), A("yes"), U("now")});
    static_cast<void>(session.run());
    REQUIRE(words(sent(session)[2]).size() < 900);
    REQUIRE_FALSE(session.task({2}));
    auto later = opened(mix);
    CHECK(adoption_problem(session, later) == "");
}

TEST_CASE("a summary is not pinned where the beginning that this brings back has no room") {
    bool drops = false;
    auto session =
        holding(pipeline{sessions::layer_of_a_program{&drops}}, sessions::answers_first(), {.window = 130_tokens});
    sessions::drop_beside_a_pin(session, drops);
    push(session, {A(letters(80, 'b')), U("go")});
    auto const before = sent(session);
    auto const steps = session.edits().steps().size();
    REQUIRE(session.used().fits());
    CHECK(session.pin({2}) == refusal{refusal::no_room});
    CHECK_FALSE(session.outline().message_at(2).pinned);
    CHECK(session.edits().steps().size() == steps);
    CHECK(sent(session) == before);
}

namespace {

/// A message that may belong to the one before it, whoever wrote that.
struct thought {
    chat_message message;
    bool joins = false;
    bool operator==(thought const&) const = default;
};

}  // namespace

template <>
struct condense::message_traits<thought> {
    using chat = condense::message_traits<chat_message>;
    static role role_of(thought const& m) { return chat::role_of(m.message); }
    static void each_part(thought const& m, auto&& sink) { chat::each_part(m.message, sink); }
    static bool joins_previous(thought const& m) { return m.joins; }
    static std::string_view mark_of(thought const& m) { return m.message.mark; }
    static thought make(role speaker, std::string text) { return {chat::make(speaker, std::move(text))}; }
    static std::string to_bytes(thought const& m) { return (m.joins ? "1" : "0") + chat::to_bytes(m.message); }
    static std::optional<thought> from_bytes(std::string_view bytes) {
        auto m = chat::from_bytes(bytes.substr(1));
        if (!m) return {};
        return thought{std::move(*m), bytes[0] == '1'};
    }
};

TEST_CASE("a beginning comes back where a message that arrives takes the one that is there away") {
    condense::budget const limits{.window = 10'000_tokens};
    bool drops = false;
    pipeline const own{sessions::layer_of_a_program{&drops}};
    std::vector<thought> all;
    for (auto const& m : sessions::answers_first()) all.push_back({m});
    all.pop_back();
    auto session = holding(own, all, limits);
    sessions::drop_beside_a_pin(session, drops);
    session.push({A("so"), true});  // no summary any more
    condense::session next{std::vector<thought>{}, own, limits, per_byte{}};
    CHECK(adoption_problem(session, next).empty());

    // A result makes the message that begins the request one of the system's group.
    pipeline const window{
        sliding_window{.when = used > 5_messages, .until = used <= 5_messages, .protect = last(1_messages)}};
    auto with_calls = holding(
        window, {joined(S("rules"), C("1")), U("first"), joined(U("second"), C("2")), A("fine"), U("third"), A("good")},
        limits);
    REQUIRE(with_calls.run().changed());
    with_calls.push(RR("1", "2"));
    auto later = opened(window, limits);
    CHECK(adoption_problem(with_calls, later).empty());
}

TEST_CASE("a state can be adopted after a sync to fewer messages than were sent") {
    conversation mine{U("one"), A("two"), U("three")};
    pipeline const mix{sliding_window{.when = used > 50_messages}};
    condense::budget const limits{.window = 1'000_tokens};
    condense::session session{std::ref(mine), mix, limits, per_byte{}};
    REQUIRE(session.request().size() == 3);
    mine = {U("changed")};
    session.sync({0});
    conversation later;
    condense::session next{std::ref(later), mix, limits, per_byte{}};
    CHECK(adoption_problem(session, next).empty());
}

TEST_CASE("the summary of an earlier reduce is known after a restart, a release and a sync") {
    condense::memory_journal const journal;
    auto const mix =
        pipeline{record{.to = journal}, summarize{.when = used > 6_messages, .protect = task | last(2_messages)}};
    condense::budget const room{.window = 10'000_tokens};
    auto session = holding(mix, reduced_before(), room);
    auto const restarted = [&] {
        auto taken = session.state();
        REQUIRE(taken);
        auto next = std::make_unique<decltype(session)>(conversation{}, mix, room, per_byte{});
        REQUIRE_FALSE(next->adopt(std::move(taken.state)));
        return next;
    };
    push(session, {U("and?"), A("so"), U("then?")});
    auto const next = restarted();
    REQUIRE(next->run().changed());
    CHECK(fakes::summaries_in(next->request()) == 1);
    REQUIRE(session.run().changed());
    REQUIRE(session.release({4}) > 0);
    CHECK_FALSE(restarted()->outline().message_at(1).plain_user);

    auto all = reduced_before();
    condense::session over{std::ref(all), summarizing, room, per_byte{}};
    all.push_back(U("and?"));
    all.push_back(A("so"));
    all.push_back(U("then?"));
    over.sync({3});
    REQUIRE(over.run().changed());
    CHECK(fakes::summaries_in(over.request()) == 1);
}

TEST_CASE("nothing is released while a journal lacks what was pushed in a run that was cancelled", "[law-6]") {
    std::function<std::string()> act = [] { return std::string{"in short"}; };
    tapes::tape const journal;
    auto session = opened(pipeline{record{.to = journal}, asking(act)}, {.window = 2'000_tokens});
    for (auto const& m : long_turns(8)) session.push(m);
    REQUIRE(session.run().changed());
    for (auto const& m : long_turns(8)) session.push(m);
    act = [&]() -> std::string {
        session.push(U("meanwhile"));
        throw cancelled{};
    };
    CHECK_THROWS_AS(session.run(), cancelled);
    REQUIRE(text_of(sent(session).back()) == "meanwhile");
    CHECK(journal.messages().size() == session.outline().size() - 1);
    CHECK(session.release({session.outline().size()}) == 0);
    session.push(A("and on"));
    CHECK(journal.messages().size() == session.outline().size());
    CHECK(session.release({session.outline().size()}) > 0);
}

TEST_CASE("messages pushed during a run that is cancelled are there", "[law-13]") {
    std::function<std::string()> act;
    auto session =
        opened(pipeline{compress{.when = used >= 10_pct, .over = 60_chars, .with = head{20_chars}}, asking(act)},
               {.window = 2'000_tokens});
    auto all = long_turns(8);
    all += {C("1"), R("1", letters(300, 'r'))};
    for (auto const& m : all) session.push(m);
    bool const nested = GENERATE(false, true);
    act = [&]() -> std::string {
        session.push(U("meanwhile"));
        if (nested) fakes::throw_nested(cancelled{});
        throw cancelled{};
    };
    if (nested) CHECK_THROWS_AS(session.run(), std::runtime_error);
    else CHECK_THROWS_AS(session.run(), cancelled);
    all.push_back(U("meanwhile"));
    CHECK(sent(session) == all);
    CHECK(session.statistics().runs == 0);
    CHECK_FALSE(session.undo());
    session.push(U("next"));
    all.push_back(U("next"));
    CHECK(session.history() == all);
    CHECK(sent(session) == all);
    CHECK(miscounted(session).empty());
}

TEST_CASE("a run that is stopped leaves the session as it was, and says so") {
    bool stop = false;
    std::function<std::string()> act = [&] {
        stop = true;
        return std::string{"in short"};
    };
    auto const mix = pipeline{asking(act), sliding_window{.when = used > 3_messages}};
    run_options const options{.stop = stop_flag{&stop}};
    auto session = opened(mix, {.window = 2'000_tokens}, options);
    auto const all = long_turns(8);
    for (auto const& m : all) session.push(m);
    auto const report = session.run();
    CHECK_FALSE(report.changed());
    CHECK(report.layers[0].note == "stopped");
    CHECK(report.layers[0].asked == 1);
    CHECK(report.layers[0].saved == 0_tokens);
    CHECK(report.after.tokens == session.used().tokens);
    CHECK(sent(session) == all);
    CHECK_FALSE(session.undo());
    stop = false;
    act = [] { return std::string{"in short"}; };
    CHECK(session.run().changed());
}

TEST_CASE("a run that was stopped was not in vain", "[law-9]") {
    bool stop = false;
    int asked = 0;
    std::function<std::string()> act = [&] {
        stop = ++asked == 1;
        return std::string{"in short"};
    };
    run_options const options{.stop = stop_flag{&stop}};
    auto session =
        opened(pipeline{asking(act), sliding_window{.when = used >= 90_pct}}, {.window = 2'000_tokens}, options);
    for (auto const& m : long_turns(8)) session.push(m);
    CHECK_FALSE(session.prepare().changed());
    CHECK(asked == 1);
    CHECK_FALSE(session.prepare().changed());
    stop = false;
    CHECK(session.prepare().changed());
    CHECK(asked == 2);
}

TEST_CASE("what a run asks for before it is taken back is not what is sent after it") {
    std::function<std::string()> act;
    auto session =
        opened(pipeline{compress{.when = used >= 10_pct, .over = 60_chars, .with = head{20_chars}}, asking(act)},
               {.window = 2'000_tokens});
    auto all = long_turns(8);
    all += {C("1"), R("1", letters(300, 'r')), A("done")};
    for (auto const& m : all) session.push(m);
    bool const asked_before = GENERATE(true, false);
    if (asked_before) CHECK(sent(session) == all);
    std::size_t seen = 0;
    act = [&]() -> std::string {
        seen = sent(session).size();
        throw cancelled{};
    };
    // The first message makes the request stale before the run.
    if (!asked_before) CHECK(session.undo() == false);
    CHECK_THROWS_AS(session.run(), cancelled);
    CHECK(seen == all.size());
    CHECK(sent(session) == all);
}

TEST_CASE("messages pushed on arrival of another stand after it") {
    std::function<void()> act;
    auto session =
        opened(pipeline{on_arrival{&act}, sliding_window{.when = used > 100_messages}}, {.window = 100'000_tokens});
    int left = 2;
    act = [&] {
        if (left-- > 0) session.push(U("echo"));
    };
    push(session, {U("first"), U("last")});
    CHECK(session.history().size() == 4);
    CHECK(session.history()[0] == U("first"));
    CHECK(session.history().back() == U("last"));
    CHECK(miscounted(session).empty());
}

TEST_CASE("a message that can not be taken in does not take those behind it with it") {
    std::function<std::string()> act;
    auto const mix = pipeline{asking(act)};
    condense::session<conversation, decltype(mix), moody> session{{}, mix, {.window = 2'000_tokens}};
    auto all = long_turns(8);
    for (auto const& m : all) session.push(m);
    act = [&] {
        for (auto const* const text : {"one", "bad", "three"}) session.push(U(text));
        return std::string{"in short"};
    };
    CHECK_THROWS_AS(session.run(), std::runtime_error);
    CHECK(session.history().size() == all.size() + 1);
    CHECK(session.history().back() == U("one"));
    // It still waits, and nothing passes it.
    CHECK_THROWS_AS(session.push(U("four")), std::runtime_error);
    CHECK_THROWS_AS(session.prepare(), std::runtime_error);
    CHECK(session.history().size() == all.size() + 1);
}

TEST_CASE("a session knows what the provider's cache may hold: what it has sent") {
    auto const mix = pipeline{sliding_window{
        .when = used > 4_messages, .until = used <= 4_messages, .worth = condense::pays_off{.turns = 1_turns}}};
    for (bool const sent_before : {false, true}) {
        CAPTURE(sent_before);
        condense::session<conversation, decltype(mix), per_byte> session{
            {U("go"), C("1", "read"), R("1", letters(1'500)), A(letters(3'000, 'y')), U("go on")},
            mix,
            {.window = 100'000_tokens},
            {},
            run_options<>{.sent = {0}}};
        if (sent_before) CHECK(sent(session).size() == 5);
        CHECK(session.run().changed() != sent_before);
    }
}

TEST_CASE("a pinned message stays whatever comes, also an undo", "[law-2]") {
    auto session = holding(pipeline{sliding_window{.when = used >= 90_pct, .protect = nothing}}, long_turns(12),
                           {.window = 2'000_tokens});
    REQUIRE(session.prepare().changed());
    auto const there = [&](std::string_view text) {
        for (auto const& m : sent(session))
            if (m.parts[0].text.starts_with(text)) return true;
        return false;
    };
    REQUIRE_FALSE(there("answer 1a"));
    CHECK(session.pin({99}) == refusal{refusal::gone});
    CHECK(session.pin({3}) == refusal{refusal::none});
    CHECK(there("answer 1a"));
    CHECK(session.history()[3].parts[0].text.starts_with("answer 1a"));
    for (int turn = 0; turn < 10; ++turn) {
        push(session, {U(letters(150)), A(letters(150, 'y'))});
        static_cast<void>(session.prepare());
        CHECK(there("answer 1a"));
    }
    while (session.undo()) CHECK(there("answer 1a"));
    static_cast<void>(session.run());
    CHECK(there("answer 1a"));
    session.unpin({3});
    for (int turn = 0; turn < 10; ++turn) {
        session.push(U(letters(150)));
        static_cast<void>(session.prepare());
    }
    CHECK_FALSE(there("answer 1a"));
    // Where there is no room it does not come back.
    auto full =
        holding(mixes::window, {U("task"), A(letters(900, 'a')), U(letters(600, 'q'))}, {.window = 1'000_tokens});
    REQUIRE(full.prepare().changed());
    CHECK(full.pin({1}) == refusal{refusal::no_room});
    CHECK(full.used().messages == 2_messages);
}

TEST_CASE("unpin takes back what pin did, and no pin of the traits or the options", "[law-2]") {
    auto const rule = [](sequence which, chat_message const&) { return which.number == 3; };
    condense::session session{
        conversation{U("task"), A("plain"), pinned(A("by its traits")), A("by the options"), U("latest")},
        pipeline{sliding_window{.when = used > 1_messages}}, condense::budget{.window = 1'000_tokens}, per_byte{},
        run_options<condense::steady_clock, condense::never_stops, decltype(rule)>{.pins = rule}};
    for (std::uint64_t const number : {1u, 2u, 3u}) CHECK_FALSE(session.pin({number}));
    auto const is_pinned = [&](std::uint32_t index) { return session.outline().message_at(index).pinned; };
    for (std::uint32_t const index : {1u, 2u, 3u}) CHECK(is_pinned(index));
    for (std::uint64_t const number : {0u, 1u, 2u, 3u, 4u, 99u}) session.unpin({number});
    CHECK_FALSE(is_pinned(1));
    CHECK(is_pinned(2));
    CHECK(is_pinned(3));
    CHECK_FALSE(is_pinned(4));
    REQUIRE(session.run().changed());
    auto const left = sent(session);
    CHECK(std::find(left.begin(), left.end(), A("plain")) == left.end());
    CHECK(std::find(left.begin(), left.end(), A("by the options")) != left.end());
    CHECK(session.pin({3}) == refusal{refusal::none});
    session.unpin({3});
    CHECK(is_pinned(3));
}

TEST_CASE("a layer may wait for the beginning of a turn, while there is room for the one that runs") {
    auto session = holding(pipeline{sliding_window{.when = (condense::at_turn && used >= 50_pct) || used >= 90_pct}},
                           {U("task"), A(letters(56))}, {.window = 100_tokens});
    CHECK(session.prepare().changed() == false);
    session.push(U());
    CHECK(session.prepare().changed());
    session.push(A(letters(80)));
    CHECK_FALSE(session.prepare().changed());
    session.push(A(letters(20)));
    CHECK(session.prepare().changed());
}

TEST_CASE("a provider's compaction stays until a newer one comes, also in a restored session") {
    auto const folded = [](std::string text) {
        auto m = A(std::move(text));
        m.parts[0].compaction = condense::compaction_place::any;
        return m;
    };
    auto const mix = pipeline{sliding_window{.when = used > 2_messages, .protect = condense::nothing}};
    auto session = holding(mix, {U("task"), folded("old"), U("v"), A("a"), U("w"), A("b")}, {.window = 900_tokens});
    REQUIRE(session.prepare().changed());
    auto const has = [](auto const& from, chat_message const& m) {
        auto const left = sent(from);
        return std::find(left.begin(), left.end(), m) != left.end();
    };
    CHECK(has(session, folded("old")));
    auto restored = holding(mix, {}, {.window = 900_tokens});
    REQUIRE_FALSE(restored.adopt(session.state().state));
    for (auto const& m : {folded("new"), U("x"), A("c")}) restored.push(m);
    REQUIRE(restored.prepare().changed());
    CHECK((has(restored, folded("new")) && !has(restored, folded("old"))));
}

TEST_CASE("a call that is abandoned blocks nothing", "[law-3]") {
    auto session =
        holding(pipeline{sliding_window{.when = used >= 50_pct}},
                {U("task"), C("1", "read", letters(50, ' ') + "{}"), C("2", "read")}, {.window = 100_tokens});
    CHECK_FALSE(session.prepare().changed());
    CHECK(session.abandon("nothing") == 0);
    CHECK(session.abandon("") == 0);
    CHECK(session.abandon("1") == 1);
    CHECK(session.abandon("1") == 0);
    CHECK(session.prepare().changed());
    CHECK(sent(session).size() == 2);
    // The newest one blocks nothing either, where no model has anything of it to see.
    CHECK(session.outline().open(2));
    CHECK(session.abandon("2") == 1);
    CHECK_FALSE(session.outline().open(2));
    // A result that comes nevertheless brings its call back.
    session.push(R("1", "late"));
    CHECK(sent(session).size() == 4);
}

TEST_CASE("a call stays abandoned when messages behind it change", "[law-3]") {
    conversation mine{U("task"), C("1", "read")};
    condense::session session{std::ref(mine), pipeline{sliding_window{.when = used >= 50_pct}},
                              condense::budget{.window = 100_tokens}, per_byte{}};
    REQUIRE(session.abandon("1") == 1);
    for (auto const* const id : {"2", "3"}) {
        mine.resize(2, U(""));
        mine.push_back(C(id, "read"));
        session.sync({2});
        CHECK_FALSE(session.outline().open(1));
        CHECK(session.outline().open(2));
    }
    mine[1] = C("1", "write");
    session.sync({1});
    CHECK(session.outline().open(1));
}

TEST_CASE("a draft changes nothing, asks nothing, and says what a run would do") {
    int asked = 0;
    std::function<std::string()> act = [&] { return ++asked, std::string{"summary"}; };
    auto session = holding(pipeline{asking(act)}, long_turns(12), {.window = 2'000_tokens});
    auto const before = session.used();
    auto const would = session.draft();
    CHECK(would.layers[0].asked > 0);
    CHECK(asked == 0);
    CHECK(session.used() == before);
    CHECK(session.edits().steps().empty());
    auto window = holding(pipeline{sliding_window{.when = used >= 50_pct}}, long_turns(12), {.window = 2'000_tokens});
    auto const dropped = window.draft();
    CHECK(dropped.changed());
    CHECK(window.edits().steps().empty());
    CHECK(window.run().after == dropped.after);
}

namespace {

/// Does once what a test says, amid counting.
struct acting_estimator {
    std::function<void()>* act;
    cost operator()(std::string_view text) const {
        if (*act) std::exchange(*act, nullptr)();
        return per_byte{}(text);
    }
};
struct acting_shortener {
    std::function<void()>* act;
    std::optional<std::string> operator()(part_view const&, cut) const {
        if (*act) std::exchange(*act, nullptr)();
        return "short";
    }
};

}  // namespace

TEST_CASE("what an estimator pushes stands behind what it counts", "[law-13]") {
    std::function<void()> act;
    condense::session session{conversation{U("first")}, three_layers, condense::budget{.window = 10'000_tokens},
                              acting_estimator{&act}};
    act = [&] {
        // Also while that one is taken in.
        act = [&] { session.push(U("fourth " + letters(40))); };
        session.push(U("third"));
        CHECK(session.call([](auto const&) { return A("no"); }).attempts == 0);
    };
    session.push(U("second"));
    static_cast<void>(session.prepare());
    REQUIRE(session.history().size() == 4);
    CHECK(session.history()[1] == U("second"));
    CHECK(session.history()[2].parts[0].text.substr(0, 6) != session.history()[3].parts[0].text.substr(0, 6));
    CHECK(miscounted(session) == "");
}

TEST_CASE("what is pushed while a draft is made waits for its end", "[law-13]") {
    std::function<void()> act;
    auto session = holding(pipeline{compress{.when = used >= 10_pct, .over = 10_chars, .with = acting_shortener{&act}}},
                           {U("task")}, {.window = 1'000_tokens});
    for (int turn = 0; turn < 4; ++turn) {
        session.push(
            {.role = role::tool, .parts = {{.kind = condense::part_kind::tool_result, .text = letters(90, 'r')}}});
        push(session, {A("seen"), U("and now?")});
    }
    auto const before = session.history().size();
    act = [&] {
        for (int more = 0; more < 100; ++more) session.push(U("more"));
        CHECK(session.history().size() == before);
        CHECK_FALSE(session.undo());
    };
    CHECK(session.draft().changed());
    CHECK_FALSE(act);
    static_cast<void>(session.prepare());
    CHECK(session.history().size() == before + 100);
    CHECK(miscounted(session) == "");
}

TEST_CASE("a draft of the program's own container is of what is there") {
    auto all = long_turns(9);
    condense::session session{std::ref(all), three_layers, condense::budget{.window = 1'000_tokens}, per_byte{}};
    CHECK(session.draft().before.tokens > 1'000_tokens);
    all.resize(2);
    all.shrink_to_fit();
    CHECK(session.draft().before.messages == 2_messages);
}

TEST_CASE("what an observer pushes while the program's messages are taken in is read once") {
    std::function<void()> act;
    auto const observer = [&act](events::arrived const&) {
        if (act) std::exchange(act, nullptr)();
    };
    auto const options = run_options{.observer = observer};
    conversation all;
    condense::session session{std::ref(all), three_layers, condense::budget{.window = 10'000_tokens}, per_byte{},
                              options};
    all = {U("one"), A("two"), U("three")};
    act = [&] { session.push(U("pushed")); };
    static_cast<void>(session.prepare());
    CHECK(all.size() == 4);
    CHECK(session.outline().size() == 4);
    CHECK(miscounted(session) == "");
}

TEST_CASE("a session with a budget that leaves nothing for the input keeps all and sends nothing", "[law-8]") {
    auto session = opened(pipeline{compress{.when = used >= 10_pct}, sliding_window{}, escalate{}},
                          {.window = 8'000_tokens, .output = 16'000_tokens});
    for (int turn = 0; turn < 4; ++turn) session.push(turn % 2 == 0 ? U("u") : A("a"));
    CHECK_FALSE(session.due());
    CHECK_FALSE(session.prepare().refused.empty());
    CHECK_FALSE(session.run().changed());
    auto const called = session.call([](auto const&) { return A("never"); });
    CHECK(called.outcome == call_outcome::too_large);
    CHECK(called.error.text == condense::budget_refused);
    CHECK(sent(session).size() == 4);
    session.set_limits({.window = 8'000_tokens});
    CHECK(session.prepare().refused.empty());
    CHECK(session.call([](auto const&) { return A("done"); }));
}

TEST_CASE("a forced run lowers to the layers' targets, whatever their triggers say") {
    std::string prompt;
    auto const model = [&prompt](std::string_view asked) { return prompt = asked, std::string{"In short."}; };
    auto const mix = pipeline{
        compress{.when = used >= 65_pct, .over = 200_chars, .with = head_tail{50_chars, 50_chars}},
        summarize{.when = used >= 80_pct, .until = used <= 20_pct, .protect = task | last(2_messages), .with = model},
        sliding_window{.when = used >= 90_pct, .until = used <= 70_pct}, escalate{}};
    auto const make = [&] { return holding(mix, long_turns(10), {.window = 10'000_tokens}); };  // 2,000 tokens
    auto session = make();
    SECTION("a run that is not forced does nothing") { CHECK_FALSE(session.run().changed()); }
    SECTION("where the targets are met nothing happens") {
        auto const report = session.run(condense::force{});
        CHECK(report.changed() == (session.used().tokens < report.before.tokens));
        CHECK(report.layers[2].runs == 0);
        CHECK(report.layers[3].runs == 0);
    }
    SECTION("to a target, with a focus") {
        auto const report = session.run(condense::force{.focus = "the parser", .target = 900_tokens});
        CHECK(report.changed());
        CHECK(report.after.tokens <= 900_tokens);
        CHECK(report.layers[1].outcome == layer_outcome::applied);
        CHECK(prompt.find("Above all keep what concerns this: the parser") != std::string::npos);
        CHECK(sent(session).front().parts[0].text.find("question 0") == 0);
        CHECK(sent(session).back().parts[0].text.find("answer 9") == 0);
        CHECK(session.undo());
        CHECK(sent(session) == long_turns(10));
    }
    SECTION("protections bind, so a target may not be met") {
        auto const report = session.run(condense::force{.target = 1_tokens});
        CHECK(report.after.tokens > 1_tokens);
        CHECK(sent(session).front().parts[0].text.find("question 0") == 0);
        CHECK(report.layers[3].passes == 0);
    }
    SECTION("to the layers' own targets") {
        for (auto const& m : long_turns(10)) session.push(m);  // 4,000 of 10,000, the summary's target is 2,000
        CHECK_FALSE(session.due());
        auto const report = session.run(condense::force{});
        CHECK(report.changed());
        CHECK(report.after.tokens <= 2'000_tokens);
        CHECK(prompt.find("Above all") == std::string::npos);
    }
}

TEST_CASE("deferred_pushes: the oldest comes first, and stays in place while others are pushed") {
    condense::detail::deferred_pushes<std::string> pushes;
    CHECK(pushes.next() == nullptr);
    pushes.push("one");
    pushes.push("two");
    auto* const first = pushes.next();
    REQUIRE(first != nullptr);
    for (int more = 0; more < 100; ++more) pushes.push("more");
    CHECK(pushes.next() == first);
    CHECK(*first == "one");
    CHECK(pushes.size() == 102);
    pushes.pop();
    CHECK(*pushes.next() == "two");
    pushes.pop();
    CHECK(*pushes.next() == "more");
    CHECK(pushes.size() == 100);
    while (pushes.next() != nullptr) pushes.pop();
    CHECK(pushes.size() == 0);
}

TEST_CASE("deferred_pushes: the session is busy until the outermost guard is gone") {
    condense::detail::deferred_pushes<int> const pushes;
    {
        auto const outer = pushes.occupy();
        {
            auto const inner = pushes.occupy();
            CHECK(pushes.busy());
        }
        CHECK(pushes.busy());
    }
    CHECK_FALSE(pushes.busy());
}
