// SPDX-License-Identifier: BSL-1.0
#include <condense/session/runner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "core/sessions.hpp"
#include "laws/harness.hpp"
#include "support/messages/chat.hpp"
#include "support/messages/handle.hpp"
#include "support/messages/json.hpp"
#include "support/notation.hpp"
#include "support/tape.hpp"

// Sessions over a container that stays the program's own, which appends, changes, erases, inserts and clears
// between the calls.

namespace {

using condense::commit_outcome;
using condense::layer_outcome;
using condense::refusal;
using condense::sequence;
using condense::used;
using namespace condense::literals;
using namespace notation;

constexpr condense::budget roomy{.window = 100'000_tokens};

/// Takes in what the program has changed.
template <class Session>
conversation request_of(Session& session) {
    return forms::all_to_chat(session.request());
}
std::string all_words(conversation const& all) {
    std::string out;
    for (auto const& m : all) out += words(m) + " | ";
    return out;
}

/// Empty where the request obeys the laws and the figures are those of the request.
template <class Session, class Estimator = per_byte>
std::string wrong(Session& session, conversation const& pushed, Estimator const& count = {}) {
    auto const request = request_of(session);
    laws::checker const judged{pushed, request};
    std::string all;
    for (auto const& one : judged.violations()) all += one + "; ";
    if (session.used().tokens != recount(request, count).tokens()) all += "tokens; ";
    if (session.used().messages.count != request.size()) all += "messages; ";
    return all;
}

struct counting_model {
    int* asked;
    std::string operator()(std::string_view) const { return "answer " + std::to_string(++*asked); }
};

/// From seven messages down to four.
auto seven_to_four(int& asked) {
    return condense::summarize{.when = used > 6_messages,
                               .until = used <= 4_messages,
                               .protect = condense::last(2_messages),
                               .with = counting_model{&asked}};
}

template <class Messages, class Mix>
auto over(Messages& mine, Mix const& mix, condense::budget limits = roomy) {
    return condense::session<std::reference_wrapper<Messages>, Mix, per_byte>{std::ref(mine), mix, limits};
}

}  // namespace

TEST_CASE("pushed through the session or by the program, in one order") {
    int asked = 0;
    conversation mine = turns(2);
    auto session = over(mine, condense::pipeline{seven_to_four(asked)});
    mine.push_back(turn(2));
    session.push(turn(3));
    mine += {turn(4), turn(5)};
    CHECK(request_of(session) == turns(6));
    session.push(turn(6));
    CHECK(&session.history() == &mine);
    CHECK(mine == turns(7));
    CHECK(session.due());
    CHECK(session.prepare().changed());
    CHECK(asked == 1);
    CHECK(mine == turns(7));
    CHECK(request_of(session).size() == 4);
    CHECK(wrong(session, mine).empty());
    CHECK(session.undo());
    CHECK(request_of(session) == mine);
}

TEST_CASE("edits before the first changed message stay, and no model is asked for them again") {
    int asked = 0;
    conversation mine = turns(9);
    auto session = over(mine, condense::pipeline{seven_to_four(asked)});
    REQUIRE(session.run().changed());
    REQUIRE(asked == 1);
    auto const before = all_words(request_of(session));
    SECTION("changed behind it, told") {
        mine[7] = named(A("other"), 7);
        session.sync({7});
        CHECK(asked == 1);
    }
    SECTION("changed behind it, told too early") {
        mine[8] = named(U("other"), 8);
        session.sync({6});
        CHECK(asked == 1);
    }
    SECTION("cut off") {
        mine.resize(8);
        session.sync({8});
        CHECK(asked == 1);
    }
    SECTION("cut off, told too late") {
        mine.resize(8);
        mine[7] = named(A("other"), 7);
        session.sync({8});
        CHECK(asked == 1);
    }
    SECTION("the last one, untold") {
        mine[8] = named(U("other"), 8);
        CHECK(session.history() == mine);
    }
    SECTION("cut off, untold") {
        mine.pop_back();
        CHECK(session.history() == mine);
    }
    SECTION("inserted") {
        mine.insert(mine.begin() + 7, named(U("between"), 100));
        session.sync({7});
        CHECK(asked == 1);
    }
    auto const after = request_of(session);
    CHECK(words(after[0]).find("answer 1") != std::string::npos);
    CHECK(all_words(after).substr(0, before.size() / 3) == before.substr(0, before.size() / 3));
    CHECK(wrong(session, mine).empty());
    CHECK_FALSE(session.undo());
    CHECK_FALSE(session.prepare().changed());
    CHECK(asked == 1);
}

TEST_CASE("a changed message takes the edits of what it was part of with it") {
    int asked = 0;
    conversation mine = turns(9);
    auto session = over(mine, condense::pipeline{seven_to_four(asked)});
    REQUIRE(session.run().changed());
    mine[2] = named(U("other"), 2);
    session.sync({2});
    CHECK(request_of(session) == mine);
    CHECK(wrong(session, mine).empty());
    CHECK(session.run().changed());
    CHECK(asked == 2);
    for (std::size_t number = 9; number < 13; ++number) mine.push_back(turn(number));
    CHECK(session.run().changed());
    CHECK(asked == 3);
    // The second summary went over the first: what that stood for is as it was.
    mine[8] = named(U("another"), 8);
    session.sync({8});
    CHECK(words(request_of(session)[0]).find("answer 2") != std::string::npos);
    CHECK(wrong(session, mine).empty());
}

TEST_CASE("a conversation that was taken back to an earlier turn keeps its latest words, and is never empty") {
    for (bool const told : {true, false}) {
        CAPTURE(told);
        int asked = 0;
        conversation mine = turns(9);
        auto session =
            over(mine, condense::pipeline{seven_to_four(asked), condense::sliding_window{.when = used > 5_messages}});
        REQUIRE(session.run().changed());
        for (auto const size : {3u, 2u, 1u}) {
            mine.resize(size);
            if (told) session.sync({size});
            CHECK(request_of(session) == mine);
            CHECK(wrong(session, mine).empty());
        }
        mine.clear();
        CHECK(request_of(session).empty());
        CHECK(session.used().tokens == 0_tokens);
        session.push(turn(0));
        mine.push_back(turn(1));
        CHECK(request_of(session) == turns(2));
        mine.clear();
        session.sync({0});
        CHECK(request_of(session).empty());
    }
}

TEST_CASE("a container that is shorter than what was told to have changed") {
    int asked = 0;
    conversation mine = turns(12);
    auto session = over(mine, condense::pipeline{seven_to_four(asked)});
    REQUIRE(session.run().changed());
    mine.resize(4);
    session.sync({9});
    CHECK(session.outline().size() == 4);
    CHECK(wrong(session, mine).empty());
    mine.push_back(turn(4));
    CHECK(wrong(session, mine).empty());
    session.sync({100});
    CHECK(wrong(session, mine).empty());
}

TEST_CASE("pins, and calls that were given up, before the first changed message stay so") {
    int asked = 0;
    conversation mine = turns(3);
    mine[1].pinned = true;
    mine.push_back(named(C("slow", "build"), 3));
    for (std::size_t number = 4; number < 9; ++number) mine.push_back(turn(number));
    mine.push_back(named(C("other", "build"), 9));
    auto session = over(mine, condense::pipeline{condense::repair{}, seven_to_four(asked)});
    for (std::uint64_t const number : {2u, 4u}) CHECK_FALSE(session.pin({number}));
    for (std::uint64_t const number : {1u, 4u}) session.unpin({number});
    CHECK(session.abandon("slow") == 0);  // dead already: a later turn was answered
    CHECK(session.abandon("other") == 1);
    REQUIRE(session.run().changed());
    mine += {turn(10), turn(11)};
    mine[11] = named(A("other"), 11);
    session.sync({11});
    CHECK(session.outline().message_at(2).pinned);
    CHECK(session.outline().message_at(1).pinned);  // by its traits
    CHECK_FALSE(session.outline().message_at(4).pinned);
    CHECK(session.abandon("other") == 0);
    CHECK(session.outline().group_at(session.outline().group_of(9)).waiting == 0);
    // From there on the messages are others.
    mine[2] = named(U("new"), 2);
    session.sync({2});
    CHECK_FALSE(session.outline().message_at(2).pinned);
    CHECK(session.outline().message_at(1).pinned);
    mine[1].pinned = false;
    session.sync({1});
    CHECK_FALSE(session.outline().message_at(1).pinned);
    CHECK(wrong(session, mine).empty());
}

TEST_CASE("verbs that name messages or changes see first what the program has done") {
    int asked = 0;
    conversation mine = turns(9);
    auto session = over(mine, condense::pipeline{seven_to_four(asked)});
    SECTION("undo") {
        REQUIRE(session.run().changed());
        mine.erase(mine.begin(), mine.begin() + 8);
        CHECK_FALSE(session.undo());
        CHECK(request_of(session) == mine);
    }
    SECTION("pin") {
        mine.push_back(turn(9));
        CHECK(session.pin({9}) == refusal::none);
        mine.resize(4);
        CHECK(session.pin({9}) == refusal::gone);
    }
    SECTION("abandon a call") {
        mine.push_back(named(C("mine", "build"), 9));
        CHECK(session.abandon("mine") == 1);
    }
    SECTION("commit a job whose messages are others") {
        auto const job = session.begin_summary();
        REQUIRE(job);
        mine.erase(mine.begin());
        CHECK(session.commit(job, "late") == commit_outcome::stale);
        CHECK(request_of(session) == mine);
    }
    SECTION("commit a job, told") {
        auto const job = session.begin_summary();
        mine[1].parts[0].text = "other";
        session.sync({1});
        CHECK(session.commit(job, "late") == commit_outcome::stale);
        CHECK(request_of(session) == mine);
    }
    SECTION("commit a job after messages that came") {
        auto const job = session.begin_summary();
        mine.push_back(turn(9));
        session.push(turn(10));
        mine.push_back(turn(11));
        CHECK(session.commit(job, "in time") == commit_outcome::committed);
        CHECK(wrong(session, mine).empty());
        CHECK(request_of(session).back() == turn(11));
    }
}

TEST_CASE("layers that act on arrival see the messages that are others now, and a journal has them") {
    condense::memory_store const store;
    tapes::tape const journal;
    auto const mix =
        condense::pipeline{condense::record{.to = journal},
                           condense::offload{.over = 500_chars, .preview = condense::head{50_chars}, .into = store}};
    conversation mine{turn(0), named(C("1", "read"), 1), named(R("1", letters(2'000)), 2), turn(3), turn(4)};
    auto session = over(mine, mix);
    CHECK(store.size() == 1);
    mine[2].parts[0].text = letters(3'000, 'y');
    session.sync({2});
    CHECK(store.size() == 2);
    CHECK(words(request_of(session)[2]).size() < 500);
    CHECK(store.get(store.name(letters(3'000, 'y'))).has_value());
    mine.insert(mine.begin() + 1, named(U("between"), 9));
    session.sync({1});
    CHECK(words(request_of(session)[3]).size() < 500);
    CHECK(wrong(session, mine).empty());
    auto const recorded = journal.messages();
    for (auto const& m : tapes::bytes_of(mine)) CHECK(std::find(recorded.begin(), recorded.end(), m) != recorded.end());
}

TEST_CASE("what the program appends, and what it pushes, while a model answers") {
    std::function<std::string()> act;
    struct acting_model {
        std::function<std::string()>* act;
        std::string operator()(std::string_view) const { return (*act)(); }
    };
    auto const mix = condense::pipeline{condense::summarize{.when = used > 6_messages,
                                                            .until = used <= 4_messages,
                                                            .protect = condense::last(2_messages),
                                                            .with = acting_model{&act}}};
    conversation mine = turns(9);
    mine.reserve(20);
    auto session = over(mine, mix);
    bool fails = false, appends = true;
    act = [&]() -> std::string {
        if (appends) mine.push_back(turn(9));
        push(session, {turn(10), turn(11)});
        if (fails) throw condense::cancelled{};
        return "in short";
    };
    SECTION("well") {
        CHECK(session.run().changed());
        CHECK(request_of(session).size() == 7);
    }
    SECTION("in vain") {
        fails = true;
        CHECK_THROWS_AS(session.run(), condense::cancelled);
        CHECK(request_of(session).size() == 12);
    }
    SECTION("in vain, where the program leaves it to the session") {
        fails = true;
        appends = false;
        CHECK_THROWS_AS(session.run(), condense::cancelled);
        CHECK(mine.size() == 11);  // at once
        mine.insert(mine.begin() + 9, turn(9));
        session.sync({9});
    }
    CHECK(all_words(mine) == all_words(turns(12)));
    CHECK(session.outline().size() == 12);
    CHECK(wrong(session, mine).empty());
    CHECK(session.outline().part_at(9).size == mine[9].parts[0].text.size());
}

TEST_CASE("pins of options hold for what was put between") {
    int asked = 0;
    conversation mine = turns(8);
    auto const pins = [](chat_message const& m) { return words(m).find("keep") != std::string::npos; };
    condense::run_options<condense::steady_clock, condense::never_stops, std::remove_const_t<decltype(pins)>> const
        options{.pins = pins};
    condense::session session{std::ref(mine), condense::pipeline{seven_to_four(asked)}, roomy, per_byte{}, options};
    mine.insert(mine.begin() + 1, named(U("keep this"), 50));
    session.sync({1});
    REQUIRE(session.run().changed());
    CHECK(all_words(request_of(session)).find("keep this") != std::string::npos);
}

// Whatever the program does.

namespace {

struct figures {
    std::uint64_t changes = 0;
    std::uint64_t untold = 0;
    std::uint64_t runs = 0;
    std::uint64_t carried = 0;  ///< edited messages that are so still after a change behind them
    std::uint64_t summaries = 0;  ///< the same of summaries
};

/// The first message of `after` that is another than in `before`.
std::size_t first_other(conversation const& before, conversation const& after) {
    std::size_t at = 0;
    while (at < before.size() && at < after.size() && before[at] == after[at]) ++at;
    return at;
}

template <class Container>
laws::broken run_borrowed(std::uint64_t seed, figures& counted) {
    using message_type = std::remove_cvref_t<decltype(*std::declval<Container&>().begin())>;
    auto const original = forms::projected<message_type>(laws::conversation_generator{seed}.make());
    laws::random_source random{seed ^ 0xB0220u};
    laws::broken found;
    condense::memory_store const store;
    int asked = 0;
    auto const mix = condense::pipeline{
        condense::offload{.over = 900_chars, .preview = condense::head{100_chars}, .into = store},
        condense::compress{.when = used >= 40_pct, .over = 300_chars, .with = condense::head_tail{60_chars, 60_chars}},
        condense::summarize{
            .when = used >= 60_pct, .protect = condense::last(3_messages), .with = counting_model{&asked}},
        condense::sliding_window{.when = used >= 80_pct, .protect = condense::last(3_messages)}};
    auto const limits = laws::random_budget(original, random);

    Container mine;
    conversation all;  // the same as chat_messages
    std::size_t names = 0;
    // No two are read alike: names are not read.
    auto const named_anew = [&](chat_message m) {
        auto const number = std::to_string(names++);
        m.name = "m" + number;
        if (m.parts.empty() || m.parts[0].sealed || m.parts[0].kind == condense::part_kind::media)
            m.parts.push_back({.text = number});
        else if (m.parts[0].kind == condense::part_kind::tool_call) m.parts[0].text = "{\"n\":" + number + "}";
        else m.parts[0].text += " " + number;
        return forms::to_chat(forms::from_chat<message_type>(m));
    };
    auto const fresh = [&] { return named_anew(original[random.below(original.size())]); };
    auto const at = [&](std::size_t index) { return mine.begin() + static_cast<std::ptrdiff_t>(index); };
    auto const put = [&](std::size_t index) {
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(index), fresh());
        mine.insert(at(index), forms::from_chat<message_type>(all[index]));
    };
    for (auto const& m : original) {
        all.push_back(named_anew(m));
        mine.push_back(forms::from_chat<message_type>(all.back()));
    }
    condense::session session{std::ref(mine), mix, limits, laws::byte_estimator{}};
    for (int step = 0; step < 12 && found.empty(); ++step) {
        if (random.chance(60)) counted.runs += session.run().changed() ? 1u : 0u;
        if (random.chance(10)) static_cast<void>(session.undo());
        auto const before = all;
        auto const was = request_of(session);
        auto const count = all.size();
        auto const index = random.below(count + 1);
        switch (random.below(8)) {
            case 0:
                all.push_back(fresh());
                session.push(forms::from_chat<message_type>(all.back()));
                break;
            case 1: put(count); break;
            case 2:
            case 3: put(count - (count > 3 ? random.below(3) : 0)); break;
            case 4:
                if (index == count) break;
                all[index] = fresh();
                *at(index) = forms::from_chat<message_type>(all[index]);
                break;
            case 5:
                if (index == count) break;
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
                mine.erase(at(index));
                break;
            case 6:
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(index), all.end());
                mine.erase(at(index), mine.end());
                break;
            default:
                if (!random.chance(20)) break;
                all.clear();
                mine.clear();
        }
        auto const first = first_other(before, all);
        bool const untold = random.chance(40);
#if defined(NDEBUG)
        if (true) session.sync({first});
#else
        if (!untold) session.sync({first});
#endif
        ++counted.changes;
        counted.untold += untold ? 1u : 0u;
        if (random.chance(10)) static_cast<void>(session.prepare());
        auto const now = request_of(session);
        laws::checker const judged{all, now};
        found.merge(laws::broken{judged.violations()});
        if (session.used().tokens !=
            (recount(now, laws::byte_estimator{}) + condense::cost::of(limits.overhead)).tokens())
            found.insert("the usage is not that of the request");
        if (session.used().messages.count != now.size()) found.insert("the count is not that of the request");
        std::map<std::string, chat_message> shown;
        for (auto const& m : was) shown[m.name] = m;
        for (auto const& m : now) {
            auto const place = shown.find(m.name);
            if (place == shown.end()) continue;
            if (m.name.empty()) {
                counted.summaries += place->second == m ? 1u : 0u;
                continue;
            }
            auto const same =
                std::find_if(all.begin(), all.end(), [&](auto const& other) { return other.name == m.name; });
            counted.carried += same != all.end() && place->second == m && !laws::same_but_mark(m, *same) ? 1u : 0u;
        }
        if (!found.empty() && laws::one_asked())
            UNSCOPED_INFO("step " << step << ", first " << first << "\n"
                                  << laws::listing(before) << laws::listing(was) << laws::listing(all)
                                  << laws::listing(now));
    }
    return found;
}

template <class Container>
void check_borrowed(std::uint64_t share) {
    figures counted;
    laws::tally unused;
    auto const count = (laws::rounds_asked() + share - 1) / share;
    laws::run_seeds(count, unused,
                    [&](std::uint64_t seed, laws::tally&) { return run_borrowed<Container>(seed, counted); });
    CHECK(counted.changes >= count * 10);
    if (count < 25) return;
    CHECK(counted.untold >= count * 3);
    CHECK(counted.runs >= count);
    CHECK(counted.carried >= count / 2);
    CHECK(counted.summaries >= count / 2);
}

}  // namespace

TEST_CASE("whatever the program does to its container the laws hold: a vector", "[laws]") {
    check_borrowed<conversation>(40);
}
TEST_CASE("whatever the program does to its container the laws hold: a deque", "[laws]") {
    check_borrowed<std::deque<chat_message>>(160);
}
TEST_CASE("whatever the program does to its container the laws hold: messages that can only be moved", "[laws]") {
    check_borrowed<std::vector<forms::handle>>(160);
}
TEST_CASE("whatever the program does to its container the laws hold: JSON", "[laws]") {
    check_borrowed<nlohmann::json::array_t>(160);
}
