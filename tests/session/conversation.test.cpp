// SPDX-License-Identifier: BSL-1.0
#include <condense/session/conversation.hpp>

#include "session/short_names.hpp"

using namespace short_names;

/// Leaves three messages where there are more than four.
constexpr sliding_window to_three{.when = used > 4_messages, .until = used <= 3_messages};

TEST_CASE("undo takes back the newest run, byte for byte, whatever came after it") {
    std::size_t undone = 0;
    std::size_t after_pushes = 0;
    for (std::uint64_t seed = 1; seed <= rounds(250); ++seed) {
        auto const all = laws::conversation_generator{seed}.make();
        laws::random_source random{seed};
        condense::budget const limits{.window = {1'500 + random.below(15'000)}};
        // What was done: a message, or a run.
        std::vector<std::optional<std::size_t>> done;
        session_of<decltype(three_layers)> session{{}, three_layers, limits};
        for (std::size_t index = 0; index < all.size(); ++index) {
            session.push(all[index]);
            done.push_back(index);
            if (random.chance(30)) {
                static_cast<void>(session.run());
                done.push_back({});
            }
            if (!random.chance(15)) continue;
            // The newest run that changed something did not happen.
            auto const before = session.edits().steps().size();
            if (!session.undo()) continue;
            ++undone;
            CHECK(session.edits().steps().size() < before);
            auto newest = done.size();
            auto const replay = [&](std::size_t no_run_from) {
                session_of<decltype(three_layers)> again{{}, three_layers, limits};
                for (std::size_t at = 0; at < done.size(); ++at) {
                    if (done[at]) again.push(all[*done[at]]);
                    else if (at < no_run_from && again.run().changed() && no_run_from == done.size()) newest = at;
                }
                return sent(again);
            };
            static_cast<void>(replay(done.size()));
            INFO("seed " << seed << ", after message " << index);
            REQUIRE(newest < done.size());
            after_pushes += newest + 1 != done.size() ? 1u : 0u;
            CHECK(sent(session) == replay(newest));
            CHECK(miscounted(session).empty());
            for (auto at = done.size(); at-- > newest;)
                if (!done[at]) done.erase(done.begin() + static_cast<std::ptrdiff_t>(at));
        }
        while (session.undo()) CHECK(miscounted(session).empty());
        CHECK(sent(session) == all);
        CHECK(session.history() == all);
    }
    CHECK(undone > rounds(100) / 2);
    CHECK(after_pushes > rounds(30) / 2);
}

TEST_CASE("undo takes back what was done on arrival, and answers to calls") {
    condense::memory_store const store;
    auto session = opened(pipeline{offload{.over = 500_chars, .preview = head{50_chars}, .into = store}, repair{}});
    conversation all{U("go"), C("1", "read"), R("1", letters(2'000)), C("2", "build"), U("and?"), A("went on")};
    for (auto const& m : all) session.push(m);
    CHECK(sent(session).size() == 7);
    CHECK(sent(session)[4].parts[0].text == repair{}.answer);
    CHECK(miscounted(session).empty());
    CHECK(session.undo());  // the answer
    CHECK(sent(session).size() == 6);
    CHECK(sent(session)[2] != all[2]);
    CHECK(session.undo());  // the preview
    CHECK(sent(session) == all);
    CHECK_FALSE(session.undo());
    CHECK(miscounted(session).empty());
    // What could be done again is done by the next run.
    CHECK(session.run().changed());
    CHECK(sent(session).size() == 7);
    CHECK(session.undo());
    CHECK(sent(session) == all);
}

TEST_CASE("undo after a late result that joined a group which was gone") {
    auto session = opened(pipeline{to_three});
    conversation all{U("first"), C("slow", "build").and_call("other", "test", "{}"), U("meanwhile"), A("yes"),
                     U("more")};
    for (auto const& m : all) session.push(m);
    CHECK(session.prepare().changed());
    auto const push = [&](chat_message m) {
        all.push_back(m);
        session.push(std::move(m));
        CHECK(miscounted(session).empty());
    };
    push(R("slow", "done"));
    CHECK(sent(session).size() > 3);
    CHECK(session.undo());
    CHECK(sent(session) == all);
    CHECK(session.prepare().changed());
    push(R("other", "ok"));
    CHECK(session.undo());
    CHECK(sent(session) == all);
    CHECK(miscounted(session).empty());
    CHECK_FALSE(session.undo());
}

TEST_CASE("a session without anything to undo says so") {
    session_of<decltype(three_layers)> session{{}, three_layers, {.window = 100'000_tokens}};
    CHECK_FALSE(session.undo());
    session.push(U("hello"));
    CHECK_FALSE(session.run().changed());
    CHECK_FALSE(session.undo());
    CHECK(sent(session) == conversation{U("hello")});
}

TEST_CASE("a session that has given messages back goes on as one that has not") {
    tapes::tape const journal;
    auto const mix =
        pipeline{record{.to = journal}, summarize{.when = used >= 60_pct, .protect = task | last(4_messages)},
                 sliding_window{.when = used >= 90_pct}};
    condense::session<std::deque<chat_message>, decltype(mix), per_byte> session{{}, mix, {.window = 3'000_tokens}};
    session_of<decltype(mix)> twin{{}, mix, {.window = 3'000_tokens}};
    std::size_t released = 0;
    for (auto const& m : long_turns(60)) {
        CHECK(session.push(m) == twin.push(m));
        auto const report = session.prepare();
        CHECK(report.first_changed == twin.prepare().first_changed);
        if (report.changed()) released += session.release({session.outline().size()});
        CHECK(sent(session) == sent(twin));
        CHECK(session.history().size() < 40);
    }
    CHECK(released > 80);
    CHECK(session.statistics().layers[1].events == twin.statistics().layers[1].events);
}

TEST_CASE("a release that frees nothing keeps all that can be undone") {
    tapes::tape const journal;
    auto session = opened(pipeline{
        record{.to = journal},
        compress{.when = used > 2_messages, .over = 100_chars, .with = head_tail{50_chars, 50_chars}}, to_three});
    for (auto const& m : {U("first"), C("1", "read"), R("1", letters(900)), A("seen"), U("latest")}) session.push(m);
    CHECK(session.release({100}) == 0);
    auto const original = sent(session);
    REQUIRE(session.run().changed());
    auto const reduced = sent(session);
    CHECK(session.release({0}) == 0);
    CHECK(session.release({1}) == 0);
    CHECK(sent(session) == reduced);
    CHECK(session.undo());
    CHECK(sent(session) == original);
    CHECK(miscounted(session).empty());
    REQUIRE(session.run().changed());
    REQUIRE(session.release({100}) != 0);
    CHECK_FALSE(session.undo());
    CHECK(session.release({100}) == 0);  // all of it is free already
    CHECK(miscounted(session).empty());
}

TEST_CASE("what was given back can not be undone, or joined") {
    tapes::tape const journal;
    auto session = opened(pipeline{record{.to = journal}, to_three, repair{}});
    for (auto const& m :
         {U("first"), U("second"), C("slow", "build"), R("slow", "half"), U("meanwhile"), A("yes"), U("more")})
        session.push(m);
    CHECK(session.release({100}) == 0);
    CHECK(session.run().changed());
    CHECK(session.undo());
    CHECK(session.run().changed());
    CHECK(session.release({1}) == 0);
    auto const before = session.history();
    auto const count = session.release({100});
    CHECK(count > 0);
    CHECK(session.history().size() == before.size() - count);
    CHECK_FALSE(session.undo());
    auto const request = sent(session);
    session.push(R("slow", "done"));
    CHECK(sent(session).size() == request.size());  // the call is gone for good, and the result with it
    CHECK(miscounted(session).empty());
    session.push(A("so it is"));
    CHECK(sent(session).size() == request.size() + 1);
    CHECK(miscounted(session).empty());
    CHECK_FALSE(session.release({0}));
}

TEST_CASE("a call that a late result may answer is not given back, nor the turn before it") {
    tapes::tape const journal;
    auto session = opened(pipeline{record{.to = journal}, to_three});
    for (auto const& m :
         {U("first"), U("second"), A("well"), U("third"), C("slow", "build"), U("meanwhile"), A("yes"), U("more")})
        session.push(m);
    CHECK(session.run().changed());
    CHECK(session.release({100}) == 3);  // "second", "well" and "meanwhile"
    session.push(R("slow", "done"));
    auto const request = sent(session);
    CHECK(std::count(request.begin(), request.end(), C("slow", "build")) == 1);
    CHECK(request.back() == R("slow", "done"));
    CHECK(miscounted(session).empty());
}

TEST_CASE("a message that was given back is not restored") {
    tapes::tape const journal;
    auto session = opened(pipeline{record{.to = journal}, to_three});
    for (int index = 0; index < 8; ++index) session.push(U(std::to_string(index)));
    CHECK(session.run().changed());
    CHECK(session.release({100}) == 5);
    auto facts = session.outline();
    auto edits = session.edits();
    auto const count = per_byte{};
    condense::budget const limits{.window = 100'000_tokens};
    condense::draft draft{session.history(), facts, edits, count, limits};
    for (std::uint64_t index = 0; index < 8; ++index) CHECK(draft.restore({index}) == refusal::gone);
    CHECK(edits.steps().size() == session.edits().steps().size());
}

TEST_CASE("a request made in the first run of a session is made anew after it") {
    std::function<std::string()> act;
    auto const mix = pipeline{sliding_window{.when = used > 16_messages, .until = used <= 15_messages}, asking(act)};
    auto all = long_turns(8);
    all += {C("1"), R("1", letters(300, 'r')), A("done")};
    session_of<decltype(mix)> session{all, mix, {.window = 2'000_tokens}};
    act = [&]() -> std::string {
        CHECK(sent(session).size() < all.size());
        throw cancelled{};
    };
    CHECK_THROWS_AS(session.run(), cancelled);
    CHECK(sent(session) == all);
}

TEST_CASE("a walk over the request gives each message as often as one likes") {
    session_of<decltype(three_layers)> session{long_turns(3), three_layers, {.window = 100'000_tokens}};
    auto const request = session.request();
    CHECK(request.size() == 6);
    auto at = request.begin();
    auto const first = at;
    CHECK(&*at == &session.history()[0]);  // not a copy
    CHECK(at->role == role::user);
    CHECK((at++)->role == role::user);
    CHECK(at->role == role::assistant);
    CHECK(at != first);
    CHECK(++at == [&] {
        auto third = request.begin();
        return ++ ++third;
    }());
    CHECK(session.request().begin() == request.begin());
}

TEST_CASE("nothing is released that the journal could not take", "[law-6]") {
    tapes::tape const journal;
    auto session =
        opened(pipeline{record{.to = journal}, sliding_window{.when = used > 6_messages, .until = used <= 3_messages}});
    push(session, {U("task"), C("1"), R("1", "first")});
    for (int turn = 0; turn < 8; ++turn) {
        push(session, {U("u"), A("a")});
        static_cast<void>(session.prepare());
    }
    CHECK(session.release(sequence{9}) > 0);
    journal.down(tapes::verb::append);
    session.push(R("1", "late, and the only copy"));  // of a call that is gone: not sent
    auto const size = session.history().size();
    CHECK(session.release(sequence{1'000}) == 0);
    CHECK(session.history().size() == size);
    journal.down(tapes::verb::append, false);
    session.push(U("more"));
    CHECK(session.release(sequence{1'000}) > 0);
    CHECK(journal.messages().size() == 21);
}

namespace {

struct remembering {
    static constexpr auto effects = condense::no_effects;
    struct memory {
        std::size_t read = 0;
    };
    constexpr bool due(usage const&) const noexcept { return false; }
    void arrive(auto& draft, sequence, auto& pass) const {
        draft.each_part(sequence{0}, [&](part_ref, part_view const&) { ++pass.memory.read; });
        draft.each_part(sequence{1'000}, [](part_ref, part_view const&) { FAIL(); });
    }
};

}  // namespace

TEST_CASE("a layer that remembers a released message reads nothing there") {
    auto session = opened(pipeline{record{.to = tapes::tape{}}, remembering{},
                                   sliding_window{.when = used > 4_messages, .protect = nothing}});
    for (int turn = 0; turn < 6; ++turn) {
        push(session, {U("u"), A("a")});
        static_cast<void>(session.prepare());
    }
    CHECK(session.release(sequence{1'000}) > 0);
    session.push(U("next"));
    CHECK(session.history().size() == session.used().messages.count + 1);  // the task stays
}

TEST_CASE("what was shortened on arrival, and has gone and been released since, is not made any more") {
    auto session =
        opened(pipeline{record{.to = tapes::tape{}}, offload{.into = condense::memory_store{}},
                        sliding_window{.when = used > 4_messages, .until = used <= 2_messages, .protect = nothing}});
    push(session, {U("task"), A("ok"), U("q1"), C("c1", "read")});
    REQUIRE(session.request().size() == 4);
    session.push(R("c1", letters(60'000)));  // stored, and no request after it
    for (auto const* const words : {"done", "q2", "a2", "q3"}) session.push(words[0] == 'q' ? U(words) : A(words));
    REQUIRE(session.prepare().changed());
    REQUIRE(session.release({session.outline().size()}) > 0);
    REQUIRE(session.request().size() == session.used().messages.count);
    CHECK((*session.request().begin()).parts[0].text == "q3");
}

TEST_CASE("a message that answers a call that is sent and one that has gone brings the second back") {
    auto session =
        opened(pipeline{sliding_window{.when = used > 4_messages, .until = used <= 3_messages, .protect = nothing}});
    push(session, {U("task"), pinned(C("A", "read")), U("q1"), C("B", "read"), U("q2")});
    session.push(A("a2"));  // neither will be answered, it seems
    REQUIRE(session.prepare().changed());
    REQUIRE(session.request().size() == session.used().messages.count);
    session.push(joined(R("A", "late"), R("B", "late, too")));
    REQUIRE(session.request().size() == session.used().messages.count);
    std::size_t calls = 0;
    for (auto const& m : session.request())
        for (auto const& part : m.parts) calls += part.kind == condense::part_kind::tool_call ? 1u : 0u;
    CHECK(calls == 2);
}

TEST_CASE("a result of a released call leaves the message that it comes in, and no half of a pair is sent", "[law-1]") {
    auto const mix = pipeline{record{.to = condense::memory_journal{}},
                              sliding_window{.when = used > 14_messages, .until = used <= 5_messages}};
    for (std::string const id : {"new", ""})
        for (auto const status : {condense::part_status::ok, condense::part_status::pending}) {
            auto const make = [&] { return opened(mix, {.window = {100'000}}); };
            auto session = make();
            push(session, {U("task"), C("old", "tool"), R("old", "out")});
            for (int turn = 0; turn < 6; ++turn) push(session, {A("a"), U("u")});
            REQUIRE(session.prepare().changed());
            REQUIRE(session.release({session.outline().size()}) != 0);
            session.push(C(id, "tool"));
            auto late = R("old", "out again");
            late.parts.push_back({.kind = condense::part_kind::tool_result,
                                  .text = "out",
                                  .tool = "tool",
                                  .call = id,
                                  .status = status});
            session.push(late);
            auto const check = [&](auto& each) {
                auto const request = sent(each);
                for (auto const& m : request)
                    for (auto const& part : m.parts) CHECK(part.call != "old");
                CHECK(request.back().parts.size() == 1);
                CHECK(request.back().parts[0].text == "out");
                CHECK(sessions::miscounted(each).empty());
            };
            check(session);
            auto taken = session.state();
            REQUIRE(taken);
            auto other = make();
            auto shown = taken.state;
            REQUIRE_FALSE(other.adopt(taken.state));
            check(other);
            // One that sends it all the same is refused.
            shown.edits.pop_back();
            CHECK(make().adopt(shown).fault == condense::state_fault::impossible);
            session.push(A("done"));
            for (int turn = 0; turn < 6; ++turn) push(session, {U("u"), A("a")});
            static_cast<void>(session.prepare());
            while (session.undo()) {}
            for (auto const& m : sent(session))
                for (auto const& part : m.parts) CHECK(part.call != "old");
        }
}

TEST_CASE("a further result of a released call is not taken for one of an older call with its id", "[law-17]") {
    auto session = opened(pipeline{record{.to = condense::memory_journal{}}, sliding_window{.when = used >= 70_pct}},
                          {.window = 1'000_tokens});
    auto const come = [&](std::initializer_list<chat_message> all) {
        push(session, all);
        static_cast<void>(session.prepare());
    };
    come({U("task"), C("1", "ls"), R("1", "listing"), U("remember this"), A("ok")});
    REQUIRE_FALSE(session.pin(sequence{1}));
    come({U("again"), C("1", "rm"), R("1", letters(50)), A("done")});
    for (auto const* const id : {"2", "3", "4", "5", "6", "7"}) come({U("u"), C(id), R(id, letters(200)), A("a")});
    REQUIRE(session.release({session.outline().size()}) != 0);
    session.push(R("1", "removed"));
    std::size_t listings = 0;
    for (auto const& m : session.request())
        for (auto const& part : m.parts) {
            listings += part.text == "listing" ? 1u : 0u;
            CHECK(part.text != "removed");
        }
    CHECK(listings == 1);
}
