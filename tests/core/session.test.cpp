// SPDX-License-Identifier: BSL-1.0
#include <condense/core/session.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "laws/checker.hpp"
#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/tape.hpp"

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

using conversation = std::vector<chat_message>;
using condense::layer_outcome;

/// Empty where the figures of a session are those of what it would send.
template <class Session>
std::string miscounted(Session const& session) {
    condense::cost sum;
    std::uint64_t turns = 0;
    auto const request = session.request();
    std::size_t size = 0;
    for (auto const& m : request) {
        ++size;
        bool words = false;
        for (auto const& part : m.parts) {
            sum += part.cost ? *part.cost : exact{}(part.text);
            words = words || (part.kind != condense::part_kind::tool_result && part.call.empty());
        }
        turns += m.role == condense::role::user && words && m.parts[0].text.find("<summary>") == std::string::npos ? 1u : 0u;
    }
    if (size != request.size()) return "size";
    if (session.used().tokens != sum.tokens()) return "tokens";
    if (session.used().messages.count != size) return "messages";
    if (session.used().turns.count != turns) return "turns";
    return {};
}

/// A model whose work a test gives.
struct acting_model {
    std::function<std::string()>* act;
    std::string operator()(std::string_view) const { return (*act)(); }
};

auto asking(std::function<std::string()>& act) {
    return condense::summarize{.when = used >= 50_pct, .protect = condense::task | condense::last(2_messages), .with = acting_model{&act}};
}

/// Calls what a test gives for each message that arrives.
struct on_arrival {
    std::function<void()>* act;
    static constexpr auto effects = condense::no_effects;
    void arrive(auto&, condense::sequence, auto&) const { (*act)(); }
};

auto long_turns(int count) {
    conversation all;
    for (int turn = 0; turn < count; ++turn) {
        all.push_back(chat_message::user("question " + std::to_string(turn) + std::string(90, 'q')));
        all.push_back(chat_message::assistant("answer " + std::to_string(turn) + std::string(90, 'a')));
    }
    return all;
}

/// Estimates that fail for one text.
struct moody {
    condense::cost operator()(std::string_view text) const {
        return text == "bad" ? throw std::runtime_error{"no"} : condense::cost::of({text.size()});
    }
};

/// Asks to stop while the flag is up.
struct stop_flag {
    bool const* up;
    bool stop_requested() const { return *up; }
};

auto const three_layers = condense::pipeline{
    condense::compress{.when = used >= 30_pct, .over = 500_chars, .with = condense::head_tail{100_chars, 100_chars}},
    condense::summarize{.when = used >= 60_pct, .protect = condense::task | condense::last(4_messages)},
    condense::sliding_window{.when = used >= 90_pct}};

template <class Mix>
using session_of = condense::session<conversation, Mix, exact>;

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
    auto const mix = condense::pipeline{condense::offload{.over = 500_chars, .preview = condense::head{50_chars}, .into = store}, condense::repair{}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    conversation all{chat_message::user("go"), chat_message::call("1", "read", "{}"), chat_message::result("1", std::string(2'000, 'x')),
                     chat_message::call("2", "build", "{}"), chat_message::user("and?"), chat_message::assistant("went on")};
    for (auto const& m : all) session.push(m);
    CHECK(sent(session).size() == 7);
    CHECK(sent(session)[4].parts[0].text == condense::repair{}.answer);
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
    auto const mix = condense::pipeline{condense::sliding_window{.when = used > 4_messages, .until = used <= 3_messages}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    conversation all{chat_message::user("first"), chat_message::call("slow", "build", "{}").and_call("other", "test", "{}"),
                     chat_message::user("meanwhile"), chat_message::assistant("yes"), chat_message::user("more")};
    for (auto const& m : all) session.push(m);
    CHECK(session.prepare().changed());
    auto const push = [&](chat_message m) {
        all.push_back(m);
        session.push(std::move(m));
        CHECK(miscounted(session).empty());
    };
    push(chat_message::result("slow", "done"));
    CHECK(sent(session).size() > 3);
    CHECK(session.undo());
    CHECK(sent(session) == all);
    CHECK(session.prepare().changed());
    push(chat_message::result("other", "ok"));
    CHECK(session.undo());
    CHECK(sent(session) == all);
    CHECK(miscounted(session).empty());
    CHECK_FALSE(session.undo());
}

TEST_CASE("a session without anything to undo says so") {
    session_of<decltype(three_layers)> session{{}, three_layers, {.window = 100'000_tokens}};
    CHECK_FALSE(session.undo());
    session.push(chat_message::user("hello"));
    CHECK_FALSE(session.run().changed());
    CHECK_FALSE(session.undo());
    CHECK(sent(session) == conversation{chat_message::user("hello")});
}

TEST_CASE("release destroys originals that are not sent, and changes nothing that is") {
    tapes::tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal},
                                        condense::compress{.when = used >= 30_pct, .over = 500_chars, .with = condense::head{100_chars}},
                                        condense::summarize{.when = used >= 60_pct, .protect = condense::task | condense::last(4_messages)},
                                        condense::sliding_window{.when = used >= 90_pct}};
    std::size_t released = 0;
    std::size_t runs_after = 0;
    for (std::uint64_t seed = 1; seed <= rounds(200); ++seed) {
        auto const all = laws::conversation_generator{seed}.make();
        laws::random_source random{seed};
        session_of<decltype(mix)> session{{}, mix, {.window = {1'500 + random.below(9'000)}}};
        std::size_t given_back = 0;
        for (std::size_t index = 0; index < all.size(); ++index) {
            session.push(all[index]);
            CHECK(session.history().back() == all[index]);
            if (random.chance(40)) runs_after += session.run().changed() && given_back != 0 ? 1u : 0u;
            if (!random.chance(10)) continue;
            auto const request = sent(session);
            auto const count = session.release({random.below(index + 2)});
            given_back += count;
            INFO("seed " << seed << ", after message " << index);
            CHECK(session.history().size() == index + 1 - given_back);
            CHECK(sent(session) == request);
            CHECK(miscounted(session).empty());
            CHECK_FALSE(session.undo());
            CHECK(sent(session) == request);
        }
        released += given_back;
        CHECK(miscounted(session).empty());
        std::size_t next = 0;  // what is left stands in order
        for (auto const& m : session.history()) {
            auto const at = static_cast<std::size_t>(std::stoul(m.name.substr(1)));
            CHECK(at >= next);
            CHECK(m == all[at]);
            next = at + 1;
        }
        CHECK(journal.messages().size() >= all.size());
    }
    CHECK(released > rounds(300) / 2);
    CHECK(runs_after > rounds(100) / 2);
}

TEST_CASE("a session that has given messages back goes on as one that has not") {
    tapes::tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal},
                                        condense::summarize{.when = used >= 60_pct, .protect = condense::task | condense::last(4_messages)},
                                        condense::sliding_window{.when = used >= 90_pct}};
    condense::session<std::deque<chat_message>, decltype(mix), exact> session{{}, mix, {.window = 3'000_tokens}};
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

TEST_CASE("what was given back can not be undone, or joined") {
    tapes::tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, condense::sliding_window{.when = used > 4_messages, .until = used <= 3_messages},
                                        condense::repair{}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    for (auto const& m : {chat_message::user("first"), chat_message::user("second"), chat_message::call("slow", "build", "{}"), chat_message::result("slow", "half"),
                          chat_message::user("meanwhile"), chat_message::assistant("yes"), chat_message::user("more")})
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
    session.push(chat_message::result("slow", "done"));
    CHECK(sent(session).size() == request.size());  // the call is gone for good, and the result with it
    CHECK(miscounted(session).empty());
    session.push(chat_message::assistant("so it is"));
    CHECK(sent(session).size() == request.size() + 1);
    CHECK(miscounted(session).empty());
    CHECK_FALSE(session.release({0}));
}

TEST_CASE("a call that a late result may answer is not given back, nor the turn before it") {
    tapes::tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, condense::sliding_window{.when = used > 4_messages, .until = used <= 3_messages}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    for (auto const& m : {chat_message::user("first"), chat_message::user("second"), chat_message::assistant("well"), chat_message::user("third"),
                          chat_message::call("slow", "build", "{}"), chat_message::user("meanwhile"), chat_message::assistant("yes"), chat_message::user("more")})
        session.push(m);
    CHECK(session.run().changed());
    CHECK(session.release({100}) == 3);  // "second", "well" and "meanwhile"
    session.push(chat_message::result("slow", "done"));
    auto const request = sent(session);
    CHECK(std::count(request.begin(), request.end(), chat_message::call("slow", "build", "{}")) == 1);
    CHECK(request.back() == chat_message::result("slow", "done"));
    CHECK(miscounted(session).empty());
}

TEST_CASE("a message that was given back is not restored") {
    tapes::tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal}, condense::sliding_window{.when = used > 4_messages, .until = used <= 3_messages}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    for (int index = 0; index < 8; ++index) session.push(chat_message::user(std::to_string(index)));
    CHECK(session.run().changed());
    CHECK(session.release({100}) == 5);
    auto facts = session.outline();
    auto edits = session.edits();
    auto const count = exact{};
    condense::budget const limits{.window = 100'000_tokens};
    condense::draft draft{session.history(), facts, edits, count, limits};
    for (std::uint64_t index = 0; index < 8; ++index) CHECK(draft.restore({index}) == condense::refusal::gone);
    CHECK(edits.steps().size() == session.edits().steps().size());
}

TEST_CASE("statistics are the sums of the reports, and of what was done on arrival") {
    condense::memory_store const store;
    auto const mix = condense::pipeline{condense::offload{.when = used >= 40_pct, .over = 600_chars, .preview = condense::head{50_chars}, .into = store},
                                        condense::summarize{.when = used >= 60_pct, .protect = condense::task | condense::last(4_messages)},
                                        condense::sliding_window{.when = used >= 90_pct}};
    std::uint64_t saved = 0;
    for (std::uint64_t seed = 1; seed <= rounds(60); ++seed) {
        auto const all = laws::conversation_generator{seed}.make();
        session_of<decltype(mix)> session{{}, mix, {.window = 9'000_tokens}};
        for (auto const& m : all) {
            auto const before = session.statistics();
            auto const used_before = session.used().tokens;
            session.push(m);
            condense::cost whole;
            for (auto const& part : m.parts) whole += part.cost ? *part.cost : exact{}(part.text);
            // On arrival: what the message costs, less what was saved.
            if (session.edits().steps().empty() || session.statistics().saved() != before.saved())
                CHECK(used_before.count + whole.tokens().count - session.used().tokens.count ==
                      session.statistics().saved().count - before.saved().count);
            CHECK(session.statistics().runs == before.runs);
            auto const arrival = session.statistics();
            auto const report = session.prepare();
            auto const& now = session.statistics();
            for (std::size_t layer = 0; layer < 3; ++layer) {
                CHECK(now.layers[layer].saved.count - arrival.layers[layer].saved.count == report.layers[layer].saved.count);
                CHECK(now.layers[layer].groups_dropped - arrival.layers[layer].groups_dropped == report.layers[layer].groups_dropped);
                CHECK(now.layers[layer].parts_shortened - arrival.layers[layer].parts_shortened == report.layers[layer].parts_shortened);
                CHECK(now.layers[layer].artifacts - arrival.layers[layer].artifacts == report.layers[layer].artifacts);
                CHECK(now.layers[layer].failures - arrival.layers[layer].failures == report.layers[layer].failures);
            }
            CHECK(now.changed - arrival.changed == (report.changed() ? 1u : 0u));
        }
        saved += session.statistics().saved().count;
        CHECK(session.statistics().changed <= session.statistics().runs);
    }
    CHECK(saved > rounds(100'000));
}

TEST_CASE("messages pushed while a summary is being made are all there, in order", "[case-183]") {
    std::function<std::string()> act;
    auto const mix = condense::pipeline{asking(act), condense::sliding_window{.when = used >= 95_pct}};
    session_of<decltype(mix)> session{{}, mix, {.window = 2'000_tokens}};
    auto all = long_turns(8);
    int asked = 0;
    std::string said = "in short";
    act = [&] {
        ++asked;
        auto const steps = session.edits().steps().size();
        auto const history = session.history().size();
        for (auto const* const text : {"one", "two", "three"}) CHECK_FALSE(session.push(chat_message::user(text)));
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
    for (auto const* const text : {"one", "two", "three"}) all.push_back(chat_message::user(text));
    CHECK(session.history() == all);
    auto const request = sent(session);
    CHECK(conversation(request.end() - 3, request.end()) == conversation(all.end() - 3, all.end()));
    CHECK(miscounted(session).empty());
}

TEST_CASE("what was done before a run can not be undone in it") {
    std::function<std::string()> act;
    auto const mix = condense::pipeline{asking(act)};
    session_of<decltype(mix)> session{long_turns(8), mix, {.window = 2'000_tokens}};
    act = [] { return std::string{"in short"}; };
    CHECK(session.run().changed());
    for (auto const& m : long_turns(8)) session.push(m);
    int refused = 0;
    act = [&] {
        refused += session.undo() ? 0 : 1;
        return std::string{"shorter"};
    };
    CHECK(session.run().changed());
    CHECK(refused == 1);
    CHECK(miscounted(session).empty());
    CHECK(session.undo());
    CHECK(session.undo());
    CHECK(sent(session) == session.history());
}

TEST_CASE("statistics tell what was done on arrival") {
    condense::memory_store const store;
    auto const mix = condense::pipeline{condense::offload{.over = 500_chars, .preview = condense::head{50_chars}, .into = store}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    for (auto const& m : {chat_message::user("go"), chat_message::call("1", "read", "{}"), chat_message::result("1", std::string(2'000, 'x'))})
        session.push(m);
    auto const& layer = session.statistics().layers[0];
    CHECK(layer.name == "offload");
    CHECK(layer.saved.count == 2'004 - session.used().tokens.count);
    CHECK(layer.events == 1);
    CHECK(layer.artifacts == 1);
    CHECK(layer.parts_shortened == 1);
    CHECK(session.statistics().runs == 0);
}

TEST_CASE("messages pushed during a run that is cancelled are there", "[law-13]") {
    std::function<std::string()> act;
    auto const mix = condense::pipeline{condense::compress{.when = used >= 10_pct, .over = 60_chars, .with = condense::head{20_chars}}, asking(act)};
    session_of<decltype(mix)> session{{}, mix, {.window = 2'000_tokens}};
    auto all = long_turns(8);
    all.push_back(chat_message::call("1", "t", "{}"));
    all.push_back(chat_message::result("1", std::string(300, 'r')));
    for (auto const& m : all) session.push(m);
    SECTION("plainly") {
        act = [&]() -> std::string {
            session.push(chat_message::user("meanwhile"));
            throw condense::cancelled{};
        };
        CHECK_THROWS_AS(session.run(), condense::cancelled);
    }
    SECTION("in another exception") {
        act = [&]() -> std::string {
            session.push(chat_message::user("meanwhile"));
            try {
                throw condense::cancelled{};
            } catch (...) {
                std::throw_with_nested(std::runtime_error{"the transport failed"});
            }
        };
        CHECK_THROWS_AS(session.run(), std::runtime_error);
    }
    all.push_back(chat_message::user("meanwhile"));
    CHECK(sent(session) == all);
    CHECK(session.statistics().runs == 0);
    CHECK_FALSE(session.undo());
    session.push(chat_message::user("next"));
    all.push_back(chat_message::user("next"));
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
    auto const mix = condense::pipeline{asking(act), condense::sliding_window{.when = used > 3_messages}};
    condense::run_options<condense::steady_clock, stop_flag> const options{.stop = {&stop}};
    condense::session session{conversation{}, mix, condense::budget{.window = 2'000_tokens}, exact{}, options};
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

TEST_CASE("what a run asks for before it is taken back is not what is sent after it") {
    std::function<std::string()> act;
    auto const mix = condense::pipeline{condense::compress{.when = used >= 10_pct, .over = 60_chars, .with = condense::head{20_chars}}, asking(act)};
    session_of<decltype(mix)> session{{}, mix, {.window = 2'000_tokens}};
    auto all = long_turns(8);
    all.push_back(chat_message::call("1", "t", "{}"));
    all.push_back(chat_message::result("1", std::string(300, 'r')));
    all.push_back(chat_message::assistant("done"));
    for (auto const& m : all) session.push(m);
    bool const asked_before = GENERATE(true, false);
    if (asked_before) CHECK(sent(session) == all);
    std::size_t seen = 0;
    act = [&]() -> std::string {
        seen = sent(session).size();
        throw condense::cancelled{};
    };
    // The first message makes the request stale before the run.
    if (!asked_before) CHECK(session.undo() == false);
    CHECK_THROWS_AS(session.run(), condense::cancelled);
    CHECK(seen == all.size());
    CHECK(sent(session) == all);
}

TEST_CASE("a request made in the first run of a session is made anew after it") {
    std::function<std::string()> act;
    auto const mix = condense::pipeline{condense::sliding_window{.when = used > 16_messages, .until = used <= 15_messages}, asking(act)};
    auto all = long_turns(8);
    all.push_back(chat_message::call("1", "t", "{}"));
    all.push_back(chat_message::result("1", std::string(300, 'r')));
    all.push_back(chat_message::assistant("done"));
    session_of<decltype(mix)> session{all, mix, {.window = 2'000_tokens}};
    act = [&]() -> std::string {
        CHECK(sent(session).size() < all.size());
        throw condense::cancelled{};
    };
    CHECK_THROWS_AS(session.run(), condense::cancelled);
    CHECK(sent(session) == all);
}

TEST_CASE("messages pushed on arrival of another stand after it") {
    std::function<void()> act;
    auto const mix = condense::pipeline{on_arrival{&act}, condense::sliding_window{.when = used > 100_messages}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    int left = 2;
    act = [&] {
        if (left-- > 0) session.push(chat_message::user("echo"));
    };
    session.push(chat_message::user("first"));
    session.push(chat_message::user("last"));
    CHECK(session.history().size() == 4);
    CHECK(session.history()[0] == chat_message::user("first"));
    CHECK(session.history().back() == chat_message::user("last"));
    CHECK(miscounted(session).empty());
}

TEST_CASE("a message that can not be taken in does not take those behind it with it") {
    std::function<std::string()> act;
    auto const mix = condense::pipeline{asking(act)};
    condense::session<conversation, decltype(mix), moody> session{{}, mix, {.window = 2'000_tokens}};
    auto all = long_turns(8);
    for (auto const& m : all) session.push(m);
    act = [&] {
        for (auto const* const text : {"one", "bad", "three"}) session.push(chat_message::user(text));
        return std::string{"in short"};
    };
    CHECK_THROWS_AS(session.run(), std::runtime_error);
    CHECK(session.history().size() == all.size() + 1);
    CHECK(session.history().back() == chat_message::user("one"));
    // It still waits, and nothing passes it.
    CHECK_THROWS_AS(session.push(chat_message::user("four")), std::runtime_error);
    CHECK_THROWS_AS(session.prepare(), std::runtime_error);
    CHECK(session.history().size() == all.size() + 1);
}

TEST_CASE("a walk over the request gives each message as often as one likes") {
    session_of<decltype(three_layers)> session{long_turns(3), three_layers, {.window = 100'000_tokens}};
    auto const request = session.request();
    CHECK(request.size() == 6);
    auto at = request.begin();
    auto const first = at;
    CHECK(&*at == &session.history()[0]);  // not a copy
    CHECK(at->role == condense::role::user);
    CHECK((at++)->role == condense::role::user);
    CHECK(at->role == condense::role::assistant);
    CHECK(at != first);
    CHECK(++at == [&] { auto third = request.begin(); return ++++third; }());
    CHECK(session.request().begin() == request.begin());
}

TEST_CASE("nothing is released that the journal could not take", "[law-6]") {
    tapes::tape const journal;
    auto const mix = condense::pipeline{condense::record{.to = journal},
                                        condense::sliding_window{.when = used > 6_messages, .until = used <= 3_messages}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    for (auto const& m : {chat_message::user("task"), chat_message::call("1", "t", "{}"), chat_message::result("1", "first")}) session.push(m);
    for (int turn = 0; turn < 8; ++turn) {
        session.push(chat_message::user("u"));
        session.push(chat_message::assistant("a"));
        static_cast<void>(session.prepare());
    }
    CHECK(session.release(condense::sequence{9}) > 0);
    journal.down(tapes::verb::append);
    session.push(chat_message::result("1", "late, and the only copy"));  // of a call that is gone: not sent
    auto const size = session.history().size();
    CHECK(session.release(condense::sequence{1'000}) == 0);
    CHECK(session.history().size() == size);
    journal.down(tapes::verb::append, false);
    session.push(chat_message::user("more"));
    CHECK(session.release(condense::sequence{1'000}) > 0);
    CHECK(journal.messages().size() == 21);
}

namespace {

struct remembering {
    static constexpr auto effects = condense::no_effects;
    struct memory {
        std::size_t read = 0;
    };
    constexpr bool due(condense::usage const&) const noexcept { return false; }
    void arrive(auto& draft, condense::sequence, auto& pass) const {
        draft.each_part(condense::sequence{0}, [&](condense::part_ref, condense::part_view const&) { ++pass.memory.read; });
        draft.each_part(condense::sequence{1'000}, [](condense::part_ref, condense::part_view const&) { FAIL(); });
    }
};

}  // namespace

TEST_CASE("a layer that remembers a released message reads nothing there") {
    auto const mix = condense::pipeline{condense::record{.to = tapes::tape{}}, remembering{},
                                        condense::sliding_window{.when = used > 4_messages, .protect = condense::nothing}};
    session_of<decltype(mix)> session{{}, mix, {.window = 100'000_tokens}};
    for (int turn = 0; turn < 6; ++turn) {
        session.push(chat_message::user("u"));
        session.push(chat_message::assistant("a"));
        static_cast<void>(session.prepare());
    }
    CHECK(session.release(condense::sequence{1'000}) > 0);
    session.push(chat_message::user("next"));
    CHECK(session.history().size() == session.used().messages.count);
}

TEST_CASE("a session knows what the provider's cache may hold: what it has sent") {
    auto const mix = condense::pipeline{
        condense::sliding_window{.when = used > 4_messages, .until = used <= 4_messages, .worth = condense::pays_off{.turns = 1_turns}}};
    for (bool const sent_before : {false, true}) {
        CAPTURE(sent_before);
        condense::session<conversation, decltype(mix), exact> session{
            {chat_message::user("go"), chat_message::call("1", "read", "{}"), chat_message::result("1", std::string(1'500, 'x')),
             chat_message::assistant(std::string(3'000, 'y')), chat_message::user("go on")},
            mix, {.window = 100'000_tokens}, {}, condense::run_options<>{.sent = {0}}};
        if (sent_before) CHECK(sent(session).size() == 5);
        CHECK(session.run().changed() != sent_before);
    }
}
