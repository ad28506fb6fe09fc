// SPDX-License-Identifier: BSL-1.0
#include <condense/session/runner.hpp>

#include "core/toy.hpp"
#include "laws/harness.hpp"
#include "session/short_names.hpp"
#include "support/messages/chat.hpp"
#include "support/messages/handle.hpp"
#include "support/messages/json.hpp"

// Sessions over a container that stays the program's own, which appends, changes, erases, inserts and clears
// between the calls.

namespace {

using namespace short_names;

using fakes::roomy;

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

/// From seven messages down to four.
auto seven_to_four(int& asked) { return mixes::seven_to_four(fakes::with_number{&asked}); }

template <class Messages, class Mix>
auto over(Messages& mine, Mix const& mix, condense::budget limits = roomy) {
    return condense::session<std::reference_wrapper<Messages>, Mix, per_byte>{std::ref(mine), mix, limits};
}

}  // namespace

TEST_CASE("pushed through the session or by the program, in one order") {
    int asked = 0;
    conversation mine = turns(2);
    auto session = over(mine, pipeline{seven_to_four(asked)});
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
    auto session = over(mine, pipeline{seven_to_four(asked)});
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
    auto session = over(mine, pipeline{seven_to_four(asked)});
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
        auto session = over(mine, pipeline{seven_to_four(asked), sliding_window{.when = used > 5_messages}});
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
    auto session = over(mine, pipeline{seven_to_four(asked)});
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
    auto session = over(mine, pipeline{repair{}, seven_to_four(asked)});
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
    auto session = over(mine, pipeline{seven_to_four(asked)});
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
        pipeline{record{.to = journal}, offload{.over = 500_chars, .preview = head{50_chars}, .into = store}};
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
    auto const mix = pipeline{mixes::seven_to_four(acting_model{&act})};
    conversation mine = turns(9);
    mine.reserve(20);
    auto session = over(mine, mix);
    bool fails = false, appends = true;
    act = [&]() -> std::string {
        if (appends) mine.push_back(turn(9));
        push(session, {turn(10), turn(11)});
        if (fails) throw cancelled{};
        return "in short";
    };
    SECTION("well") {
        CHECK(session.run().changed());
        CHECK(request_of(session).size() == 7);
    }
    SECTION("in vain") {
        fails = true;
        CHECK_THROWS_AS(session.run(), cancelled);
        CHECK(request_of(session).size() == 12);
    }
    SECTION("in vain, where the program leaves it to the session") {
        fails = true;
        appends = false;
        CHECK_THROWS_AS(session.run(), cancelled);
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
    run_options<condense::steady_clock, condense::never_stops, std::remove_const_t<decltype(pins)>> const options{
        .pins = pins};
    condense::session session{std::ref(mine), pipeline{seven_to_four(asked)}, roomy, per_byte{}, options};
    mine.insert(mine.begin() + 1, named(U("keep this"), 50));
    session.sync({1});
    REQUIRE(session.run().changed());
    CHECK(all_words(request_of(session)).find("keep this") != std::string::npos);
}

// Whatever the program does.

namespace {

/// The first message of `after` that is another than in `before`.
std::size_t first_other(conversation const& before, conversation const& after) {
    std::size_t at = 0;
    while (at < before.size() && at < after.size() && before[at] == after[at]) ++at;
    return at;
}

template <class Container>
laws::broken run_borrowed(std::uint64_t seed, laws::counts& counted) {
    using message_type = std::remove_cvref_t<decltype(*std::declval<Container&>().begin())>;
    auto const original = forms::projected<message_type>(laws::conversation_generator{seed}.make());
    laws::random_source random{seed ^ 0xB0220u};
    laws::broken found;
    condense::memory_store const store;
    int asked = 0;
    auto const mix =
        pipeline{offload{.over = 900_chars, .preview = head{100_chars}, .into = store},
                 compress{.when = used >= 40_pct, .over = 300_chars, .with = head_tail{60_chars, 60_chars}},
                 summarize{.when = used >= 60_pct, .protect = last(3_messages), .with = fakes::with_number{&asked}},
                 sliding_window{.when = used >= 80_pct, .protect = last(3_messages)}};
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
        if (random.chance(60)) counted["runs"] += session.run().changed() ? 1u : 0u;
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
        ++counted["changes"];
        counted["untold"] += untold ? 1u : 0u;
        if (random.chance(10)) static_cast<void>(session.prepare());
        auto const now = request_of(session);
        laws::checker const judged{all, now};
        found.merge(laws::broken{judged.violations()});
        if (session.used().tokens != (recount(now, laws::byte_estimator{}) + cost::of(limits.overhead)).tokens())
            found.insert("the usage is not that of the request");
        if (session.used().messages.count != now.size()) found.insert("the count is not that of the request");
        std::map<std::string, chat_message> shown;
        for (auto const& m : was) shown[m.name] = m;
        for (auto const& m : now) {
            auto const place = shown.find(m.name);
            if (place == shown.end()) continue;
            if (m.name.empty()) {
                counted["summaries"] += place->second == m ? 1u : 0u;
                continue;
            }
            auto const same =
                std::find_if(all.begin(), all.end(), [&](auto const& other) { return other.name == m.name; });
            counted["carried"] += same != all.end() && place->second == m && !laws::same_but_mark(m, *same) ? 1u : 0u;
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
    laws::counts counted;
    auto const count = (laws::rounds_asked() + share - 1) / share;
    laws::run_seeds(count, [&](std::uint64_t seed) { return run_borrowed<Container>(seed, counted); });
    laws::check_least(counted, {{"changes", count * 10}});
    if (count < 25) return;
    laws::check_least(counted,
                      {{"untold", count * 3}, {"runs", count}, {"carried", count / 2}, {"summaries", count / 2}});
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

// The edits that stay in force before the first message that is another.

namespace {

using groups = std::vector<group>;

auto six() {
    return toy::desk{{toy::user("first question"), toy::assistant("first answer"), toy::user("second question"),
                      toy::assistant("second answer"), toy::user("third question"), toy::assistant("third answer")}};
}

using rest = std::vector<toy::message>;

/// What is sent when the first messages are read again and what follows is `others`.
template <class Desk>
std::string carried(Desk& old, std::uint32_t first, rest const& others) {
    toy::desk made{{}, old.limits};
    for (std::uint32_t index = 0; index < first; ++index) made.push(old.history[index]);
    for (auto const& m : others) made.push(m);
    condense::detail::edit_rebaser{old.facts, old.edits, made.facts, made.edits, first}.all();
    CHECK(toy::spelt(made.edits.sums()) == toy::spelt(toy::recount(made.facts, made.edits)));
    auto shown = toy::shown(made.draft());
    made.edits.take_back(made.facts, 0);
    CHECK(toy::spelt(made.edits.sums()) == toy::spelt(toy::recount(made.facts, made.edits)));
    return shown;
}
/// The same where what follows is as it was.
template <class Desk>
std::string carried(Desk& old, std::uint32_t first) {
    return carried(old, first, rest(old.history.begin() + static_cast<std::ptrdiff_t>(first), old.history.end()));
}

}  // namespace

TEST_CASE("drops and shortened parts before the first other message stay in force, others do not") {
    auto desk = six();
    desk.push(toy::user("and?"));  // until then the newest answer stays
    CHECK_FALSE(desk.draft().drop(group{1}));
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 3), "short"));
    CHECK_FALSE(desk.draft().drop(group{5}));
    CHECK(carried(desk, 7) == toy::shown(desk.draft()));
    CHECK(carried(desk, 5) ==
          "0: first question | 2: second question | 3: short | 4: third question | 5: third answer | 6: and? | ");
    CHECK(
        carried(desk, 3) ==
        "0: first question | 2: second question | 3: second answer | 4: third question | 5: third answer | 6: and? | ");
    CHECK(carried(desk, 1) ==
          "0: first question | 1: first answer | 2: second question | 3: second answer | 4: third question | 5: third "
          "answer | 6: and? | ");
    CHECK(carried(desk, 0, {toy::user("anew")}) == "0: anew | ");
    CHECK(carried(desk, 4, {toy::user("anew")}) == "0: first question | 2: second question | 3: short | 4: anew | ");
}

TEST_CASE("a part edited twice has its last text, and one restored its own") {
    auto desk = six();
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 1), "shorter"));
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 1), "tiny"));
    CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 3), "short"));
    CHECK_FALSE(desk.draft().restore(condense::sequence{3}));
    CHECK(carried(desk, 5) == toy::shown(desk.draft()));
    CHECK(carried(desk, 5).find("1: tiny | ") != std::string::npos);
}

TEST_CASE("a summary comes with all that it stands for, or not at all") {
    auto desk = six();
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}, group{2}}, "in short"));
    CHECK(carried(desk, 6) == "*0: in short | 3: second answer | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 3) == "*0: in short | 3: second answer | 4: third question | 5: third answer | ");
    for (std::uint32_t first = 0; first < 3; ++first) {
        std::string whole;
        for (std::uint32_t index = 0; index < 6; ++index)
            whole.append(std::to_string(index)).append(": ").append(desk.history[index].parts[0].text).append(" | ");
        CHECK(carried(desk, first) == whole);
    }
}

TEST_CASE("where a summary of a summary goes, the earlier one stands again") {
    auto desk = six();
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}}, "once"));
    CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{2}, group{3}}, "twice"));
    CHECK(carried(desk, 4) == "*0: twice | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 3) ==
          "*0: once | 2: second question | 3: second answer | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 2) ==
          "*0: once | 2: second question | 3: second answer | 4: third question | 5: third answer | ");
    CHECK(carried(desk, 1).find('*') == std::string::npos);
    // Also where the later one was given up, or came back.
    CHECK_FALSE(desk.draft().drop(group{0}.summary()));
    CHECK(carried(desk, 4) == "4: third question | 5: third answer | ");
    CHECK(carried(desk, 3) ==
          "*0: once | 2: second question | 3: second answer | 4: third question | 5: third answer | ");
    desk.draft().settle_head();
    CHECK(carried(desk, 4) == toy::shown(desk.draft()));
}

TEST_CASE("no summary is redone, and none comes back, beside one that stands again") {
    auto desk = six();
    CHECK_FALSE(desk.draft().summarize(groups{group{0}}, "once"));
    SECTION("a later one") {
        CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{3}}, "changed"));
        CHECK_FALSE(desk.draft().drop(group{0}.summary()));
        CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 2), "short"));
        CHECK_FALSE(desk.draft().summarize(groups{group{1}}, "later"));
        CHECK(toy::shown(desk.draft()) == "*1: later | 2: short | 4: third question | 5: third answer | ");
        CHECK(carried(desk, 3) ==
              "*0: once | 1: first answer | 2: short | 3: second answer | 4: third question | 5: third answer | ");
    }
    SECTION("an earlier one") {
        CHECK_FALSE(desk.draft().drop(group{0}.summary()));
        CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 2), "short"));
        CHECK_FALSE(desk.draft().summarize(groups{group{1}}, "later"));
        CHECK_FALSE(desk.draft().summarize(groups{group{1}.summary(), group{3}}, "changed"));
        CHECK_FALSE(desk.draft().drop(group{1}.summary()));
        desk.edits.undrop(desk.facts, group{0}.summary(), desk.edits.summary_drops()[0]);
        CHECK(toy::shown(desk.draft()) == "*0: once | 2: short | 4: third question | 5: third answer | ");
        CHECK(carried(desk, 3) == "*1: later | 2: short | 3: second answer | 4: third question | 5: third answer | ");
    }
}

TEST_CASE("a summary of one that has left is not redone beside another") {
    toy::desk desk{{toy::user("task"), toy::marked(toy::user("so far"), "summary"), toy::assistant("a"),
                    toy::assistant("b"), toy::user("changed"), toy::assistant("c"), toy::user("z")}};
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}}, "once"));
    CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{4}}, "twice"));
    CHECK_FALSE(desk.draft().drop(group{0}.summary()));
    CHECK_FALSE(desk.draft().restore(condense::sequence{1}));
    CHECK_FALSE(desk.draft().summarize(groups{group{1}, group{3}}, "later"));
    CHECK(carried(desk, 7) == "*1: later | 2: a | 5: c | 6: z | ");
    CHECK(carried(desk, 4) == "*0: once | 2: a | 3: b | 4: changed | 5: c | 6: z | ");
    CHECK(carried(desk, 3) == "*0: once | 2: a | 3: b | 4: changed | 5: c | 6: z | ");
}

TEST_CASE("groups that a later message has joined, or left, are others") {
    toy::desk desk{{toy::user("go"), toy::call("1"), toy::user("meanwhile"), toy::assistant("yes"),
                    toy::result("1", "done"), toy::assistant("so")}};
    CHECK_FALSE(desk.draft().drop(group{1}));
    CHECK(carried(desk, 6) == "0: go | 2: meanwhile | 3: yes | 5: so | ");
    CHECK(carried(desk, 4, {toy::user("instead")}) == "0: go | 1: {} | 2: meanwhile | 3: yes | 4: instead | ");
    toy::desk waits{
        {toy::user("go"), toy::call("1"), toy::user("meanwhile"), toy::assistant("yes"), toy::user("more")}};
    CHECK_FALSE(waits.draft().drop(group{1}));
    CHECK(carried(waits, 4, {toy::user("more"), toy::result("1", "late")}) ==
          "0: go | 1: {} late | 2: meanwhile | 3: yes | 4: more | ");
}

TEST_CASE("a group that was dropped and came back is there, one dropped again is not") {
    auto desk = six();
    CHECK_FALSE(desk.draft().drop(group{1}));
    CHECK_FALSE(desk.draft().restore(condense::sequence{1}));
    CHECK_FALSE(desk.draft().drop(group{3}));
    CHECK_FALSE(desk.draft().restore(condense::sequence{3}));
    CHECK_FALSE(desk.draft().drop(group{3}));
    CHECK(carried(desk, 5) == toy::shown(desk.draft()));
}

TEST_CASE("what has become protected is not dropped, summarised or shortened any more") {
    auto desk = six();
    SECTION("the latest words of the user") {
        CHECK_FALSE(desk.draft().drop(group{1}));
        CHECK_FALSE(desk.draft().drop(group{2}));
        CHECK(carried(desk, 4, {}) == "0: first question | 2: second question | 3: second answer | ");
        CHECK(carried(desk, 4) == "0: first question | 3: second answer | 4: third question | 5: third answer | ");
    }
    SECTION("in a summary") {
        CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{1}, group{2}}, "in short"));
        CHECK(carried(desk, 3, {}) == "0: first question | 1: first answer | 2: second question | ");
    }
    SECTION("shortened") {
        CHECK_FALSE(desk.draft().shorten(toy::part_of(desk.facts, 2), "short"));
        CHECK(carried(desk, 3, {}) == "0: first question | 1: first answer | 2: second question | ");
    }
    SECTION("shortened, in a group that waits for a result") {
        auto const words_and_result =
            toy::with(condense::role::user, {toy::result_part("1", "first result"), {.text = "go on"}});
        auto const two_calls = toy::with(condense::role::assistant, {toy::call_part("1"), toy::call_part("2")});
        toy::desk waits{{toy::user("go"), two_calls, words_and_result, toy::user("more")}};
        REQUIRE(waits.facts.open(waits.facts.group_of(2)));
        auto draft = waits.draft();
        draft.allow_open(true);
        CHECK_FALSE(draft.shorten(toy::part_of(waits.facts, 2), "short"));
        CHECK(carried(waits, 4) == "0: go | 1: {} {} short go on | 3: more | ");
        CHECK(carried(waits, 3, {}) == "0: go | 1: {} {} first result go on | ");
    }
    SECTION("all that is left") {
        toy::desk talk{{toy::assistant("a"), toy::assistant("b"), toy::user("c"), toy::user("d")}};
        CHECK_FALSE(talk.draft().drop(group{0}));
        CHECK_FALSE(talk.draft().drop(group{1}));
        CHECK(carried(talk, 2, {}) == "0: a | 1: b | ");
        CHECK(carried(talk, 2, {toy::assistant("e")}) == "2: e | ");
    }
    SECTION("a call that waits again") {
        toy::desk late{
            {toy::user("go"), toy::call("1"), toy::user("meanwhile"), toy::assistant("yes"), toy::user("more")}};
        CHECK_FALSE(late.draft().drop(group{1}));
        CHECK(carried(late, 2, {}) == "0: go | 1: {} | ");
        CHECK(carried(late, 4, {}) == "0: go | 2: meanwhile | 3: yes | ");
    }
}

TEST_CASE("a summary of what a summary that is gone stood for is gone, too") {
    toy::desk desk{{toy::user("a question"), toy::assistant("an answer"), toy::assistant("kept back"),
                    toy::user("changed later"), toy::assistant("more"), toy::user("z")}};
    CHECK_FALSE(desk.draft().summarize(groups{group{0}, group{3}}, "once"));
    CHECK_FALSE(desk.draft().summarize(groups{group{0}.summary(), group{2}}, "twice"));
    CHECK(carried(desk, 5) == "*0: twice | 1: an answer | 4: more | 5: z | ");
    CHECK(carried(desk, 3) == "0: a question | 1: an answer | 2: kept back | 3: changed later | 4: more | 5: z | ");
}
