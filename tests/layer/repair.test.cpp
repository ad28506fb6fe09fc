// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/repair.hpp>

#include <map>

#include <condense/adapt/json.hpp>
#include <condense/adapt/json_state.hpp>

#include "laws/generator.hpp"
#include "laws/model.hpp"
#include "layer/shared.hpp"
#include "support/effort.hpp"
#include "support/rows.hpp"

namespace {

using namespace layers;
using nlohmann::json, nlohmann::ordered_json, notation::C;

struct exact : per_byte {
    condense::cost frame(role) const { return condense::cost::of({3}); }
};

constexpr budget roomy{.window = {1'000'000}};
auto const mending = pipeline{condense::repair{.answer = "none"}};

chat_message C(std::string id, part_status status) {
    auto call = notation::C(std::move(id));
    call.parts[0].status = status;
    return call;
}
/// What repair writes for C(id).
chat_message answer(std::string id, std::string tool = "t") {
    auto made = R(std::move(id), "none", part_status::cancelled);
    made.parts[0].tool = std::move(tool);
    return made;
}

template <class Mix>
conversation after(conversation history, Mix const& mix, budget limits = roomy) {
    auto const report = condense::reduce(history, mix, limits, exact{});
    auto again = history;
    CHECK_FALSE(condense::reduce(again, mix, limits, exact{}).changed());
    CHECK(again == history);
    CHECK(report.after.tokens == recount(history, exact{}).tokens());
    CHECK(report.after.messages.count == history.size());
    return history;
}
conversation mended(conversation history) { return after(std::move(history), mending); }

bool repeats_an_id(chat_message const& m) {
    std::map<std::string, int> calls;
    for (auto const& part : m.parts)
        if (part.kind == part_kind::tool_call && !part.call.empty() && ++calls[part.call] > 1) return true;
    return false;
}

/// Figures that those of the messages sent bear out.
template <class Session>
bool adds_up(Session const& session) {
    return session.used().tokens == recount(sent(session), exact{}).tokens() &&
           session.used().messages.count == session.request().size();
}

static_assert(condense::repair::effects & condense::repairs);
static_assert(!condense::recoverable<pipeline<condense::repair>>);
static_assert(condense::deterministic<pipeline<condense::repair>>);

/// Can not lose a part.
struct whole : chat_message {
    struct condense_traits {
        static condense::role role_of(whole const& m) { return m.role; }
        static void each_part(whole const& m, auto&& sink) {
            condense::each_part(static_cast<chat_message const&>(m), sink);
        }
        static whole make_result(whole const& m, part_view const& call, std::string text) {
            return {condense::make_result(static_cast<chat_message const&>(m), call, std::move(text))};
        }
    };
};

struct lenient {
    static constexpr auto effects = condense::repairs;
    std::vector<condense::refusal>* said;
    void reduce(auto& draft, auto&) const {
        for (std::uint32_t part_id = 0; part_id < draft.outline().part_count(); ++part_id)
            said->push_back(draft.repair(draft.part_at(part_id), "none"));
        said->push_back(draft.repair({0, 0, 1'000}, "none"));
    }
};

}  // namespace

TEST_CASE("repair: dead and cancelled calls are answered where they stand", "[case-T27]") {
    CHECK(mended({U(), C("1"), U("v"), A()}) == conversation{U(), C("1"), answer("1"), U("v"), A()});
    CHECK(mended({U(), C("1", part_status::cancelled)}) ==
          conversation{U(), C("1", part_status::cancelled), answer("1")});
    CHECK(mended({C("1"), U(), A()}) == conversation{C("1"), answer("1"), U(), A()});
    CHECK(answer("1") ==
          condense::make_result(C("1"), {.kind = part_kind::tool_call, .tool = "t", .call = "1"}, "none"));
}

TEST_CASE("repair: calls that may still be answered are left alone") {
    for (auto const& history :
         {conversation{U(), C("1")}, conversation{U(), C("1"), U("v")}, conversation{U(), C("1"), A()},
          conversation{C("1"), A(), U()}, conversation{U(), C("1", part_status::pending), U("v"), A()},
          conversation{U(), C("1"), R("1", "", part_status::pending), U("v"), A()},
          conversation{U(), C("1"), R("1"), U("v"), A()},
          conversation{U(), C("1", part_status::cancelled), R("1"), U("v"), A()}, conversation{}, conversation{U()}})
        CHECK(mended(history) == history);
}

TEST_CASE("repair: the report tells a call that waits from pairs") {
    auto const idle = [](conversation history) { return condense::reduce(history, mending, roomy, exact{}).text(); };
    auto const both = C("1").and_call("2", "s", "{}");
    CHECK(idle({U(), both, R("1"), A()}).find("a call still waits for its result") != std::string::npos);
    CHECK(idle({U(), both, R("1"), R("2"), A()}).find("calls and results are in pairs") != std::string::npos);
    CHECK(idle({U(), A(), R("x")}).find("the newest result has no call") != std::string::npos);
}

TEST_CASE("repair: of parallel calls only those without a result are answered") {
    auto const both = C("1").and_call("2", "s", "{}");
    CHECK(mended({U(), both, U("v"), A()}) == conversation{U(), both, answer("1"), answer("2", "s"), U("v"), A()});
    CHECK(mended({U(), both, R("2"), U("v"), A()}) == conversation{U(), both, answer("1"), R("2"), U("v"), A()});
    CHECK(mended({U(), both, R("1"), U("v"), A()}) == conversation{U(), both, answer("2", "s"), R("1"), U("v"), A()});
    auto const in_one = RR("1", "2");
    CHECK(mended({U(), both, in_one, U("v"), A()}) == conversation{U(), both, in_one, U("v"), A()});
    auto const beside = joined(C("1"), R("1"));
    CHECK(mended({U(), beside, U("v"), A()}) == conversation{U(), beside, U("v"), A()});
    auto const half = joined(beside, C("2"));
    CHECK(mended({U(), half, U("v"), A()}) == conversation{U(), half, answer("2"), U("v"), A()});
}

TEST_CASE("repair: reused and missing ids") {
    CHECK(mended({U(), C("x"), U("v"), C("x"), R("x"), A()}) ==
          conversation{U(), C("x"), answer("x"), U("v"), C("x"), R("x"), A()});
    CHECK(mended({U(), C("x"), U("v"), C("x"), U("w"), A()}) ==
          conversation{U(), C("x"), answer("x"), U("v"), C("x"), answer("x"), U("w"), A()});
    CHECK(mended({U(), C(""), U("v"), A()}) == conversation{U(), C(""), answer(""), U("v"), A()});
    auto const both = C("").and_call("", "s", "{}");
    CHECK(mended({U(), both, U("v"), A()}) == conversation{U(), both, answer(""), answer("", "s"), U("v"), A()});
    auto const same = C("x").and_call("x", "t", "{}");
    CHECK(mended({U(), same, U("v"), A()}) ==
          conversation{U(), same, U("v"), A()});  // whose answer it were, none could tell
}

TEST_CASE("repair: results whose call is nowhere are taken out") {
    conversation const asked{U("u"), A(), U("v"), R("x"), U("w")};
    CHECK(mended(asked) == conversation{U("u"), A(), U("v"), U("w")});
    CHECK(mended({U(), R("0"), A()}) == conversation{U(), A()});
    CHECK(mended({U(), RR("0", "9"), A()}) == conversation{U(), A()});
    // Beside words only the result goes.
    CHECK(mended({U(), joined(joined(A("so"), R("0")), A("it is")), A()}) ==
          conversation{U(), joined(A("so"), A("it is")), A()});
    // Beside a result that has its call.
    CHECK(mended({U(), C("1"), RR("0", "1"), A()}) == conversation{U(), C("1"), R("1"), A()});
    // While the round may go on, it stays.
    CHECK(mended({U(), A(), R("0")}) == conversation{U(), A(), R("0")});
    conversation going_on{U(), A(), R("0")};
    CHECK(condense::reduce(going_on, mending, roomy, exact{}).layers[0].refused == 0);
    // What protects a message protects it.
    CHECK(mended({U(), pinned(R("0")), A()}) == conversation{U(), pinned(R("0")), A()});
    auto system = R("0");
    system.role = role::system;
    CHECK(mended({U(), system, A()}) == conversation{U(), system, A()});
    auto const latest = joined(U("v"), R("0"));
    CHECK(mended({U(), A(), latest, A()}) == conversation{U(), A(), latest, A()});
}

TEST_CASE("repair: of several results of a call the first stays") {
    conversation const once{U(), C("1"), R("1", "first"), A(), U()};
    CHECK(mended({U(), C("1"), R("1", "first"), R("1", "second"), A(), U()}) == once);
    CHECK(mended({U(), C("1"), R("1", "first"), A(), U(), R("1", "late"), R("1", "later")}) == once);
    CHECK(mended({U(), C("1"), R("1", "soon", part_status::pending), R("1", "first"), R("1", "second"), A(), U()}) ==
          once);
    // In the round that is still open, too, where providers look first.
    CHECK(mended({U(), C("1"), R("1", "first"), R("1", "second")}) == conversation{U(), C("1"), R("1", "first")});
    // Blocks of one result stand in one message.
    auto const blocks = joined(R("1", "first"), R("1", "first"));
    CHECK(mended({U(), C("1"), blocks, A(), U()}) == conversation{U(), C("1"), blocks, A(), U()});
    CHECK(mended({U(), C("1"), blocks, blocks, A(), U()}) == conversation{U(), C("1"), blocks, A(), U()});
    // What came with the second goes with it, what stands beside it stays.
    auto image = R("1", "second");
    image.parts.push_back({.kind = part_kind::media, .text = "image/png", .call = "1"});
    image.role = role::user;
    auto const beside = joined(image, U("and now?"));
    CHECK(mended({U(), C("1"), R("1", "first"), image, A(), U()}) == once);
    CHECK(mended({U(), C("1"), R("1", "first"), beside, A(), U()}) ==
          conversation{U(), C("1"), R("1", "first"), U("and now?"), A(), U()});
    // Without ids nobody can tell that they are of one call.
    conversation const unnamed{U(), C(""), R("", "first"), R("", "second"), A(), U()};
    CHECK(mended(unnamed) == unnamed);
    // One that names its call stays where another was only matched by its place.
    conversation const partly_named{U(), C("1"), R("", "nameless"), R("1", "by id"), A(), U()};
    CHECK(mended(partly_named) == partly_named);
    CHECK(mended({U(), C("1"), R("1", "first"), pinned(R("1", "second")), A(), U()}).size() == 6);
}

TEST_CASE("repair: a second result in a session is never sent") {
    session chat{conversation{}, mending, roomy, exact{}};
    push(chat, {U(), C("1"), R("1", "first"), R("1", "second")});
    conversation const wanted{U(), C("1"), R("1", "first")};
    CHECK(sent(chat) == wanted);
    CHECK(adds_up(chat));
    push(chat, {A(), U()});
    auto all = wanted;
    all += {A(), U()};
    CHECK(sent(chat) == all);
    CHECK(adds_up(chat));
    session back{conversation{}, mending, roomy, exact{}};
    CHECK_FALSE(condense::restore(back, condense::save(chat).text));
    CHECK(sent(back) == all);
    CHECK(adds_up(back));
}

TEST_CASE("repair: a result without a call goes with all that came with it") {
    auto const shape = [](std::string const& content) {
        return std::vector<ordered_json>{
            ordered_json::parse(R"({"role":"user","content":"go"})"),
            ordered_json::parse(
                R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"nowhere","content":)" + content +
                R"(},{"type":"text","text":"and so on"}]})"),
            ordered_json::parse(R"({"role":"assistant","content":"done"})"),
            ordered_json::parse(R"({"role":"user","content":"next"})"),
            ordered_json::parse(R"({"role":"assistant","content":"done"})")};
    };
    auto const image = std::string{R"({"type":"image","source":{"type":"url","url":"https://x/y.png"}})"};
    auto const text = std::string{R"({"type":"text","text":"some output of a tool"})"};
    for (auto const& content : {"[" + text + "," + image + "]", "[" + image + "," + text + "]", "[" + image + "]",
                                "[" + text + "," + image + "," + text + "]", "[" + text + "," + text + "]",
                                std::string{"[]"}, std::string{R"("plain")"}}) {
        CAPTURE(content);
        auto history = shape(content);
        auto const report = condense::reduce(history, mending, roomy, exact{});
        CHECK(history[1].dump() == R"({"role":"user","content":[{"type":"text","text":"and so on"}]})");
        auto again = history;
        auto const anew = condense::reduce(again, mending, roomy, exact{});
        CHECK_FALSE(anew.changed());
        CHECK(anew.before.tokens == report.after.tokens);
    }
}

TEST_CASE("repair: the report tells answers from savings") {
    conversation history{U(), R("0", letters(50)), C("1"), U("v"), A()};
    auto const report = condense::reduce(history, mending, roomy, exact{});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].saved == 53_tokens);
    CHECK(report.layers[0].restored == 7_tokens);
    CHECK(report.layers[0].groups_dropped == 1);
    CHECK(report.layers[0].parts_shortened == 0);
    CHECK(report.first_changed == 1u);
    conversation only{U(), C("1"), U("v"), A()};
    auto const grown = condense::reduce(only, mending, roomy, exact{});
    CHECK(grown.layers[0].outcome == layer_outcome::applied);
    CHECK(grown.layers[0].saved == 0_tokens);
    CHECK(grown.layers[0].restored == 7_tokens);
    CHECK(grown.first_changed == 2u);
    CHECK(grown.after.messages == 5_messages);
}

TEST_CASE("repair: answers fit the budget or are not written") {
    conversation const history{U(), C("1"), U("v"), A()};  // 5 bytes and 4 frames of 3
    CHECK(after(history, mending, {.window = 23_tokens}) == history);
    CHECK(after(history, mending, {.window = 24_tokens}).size() == 5);
    conversation both{U(), C("1"), C("2"), U("v"), A()};  // 22 tokens; each answer takes 7
    CHECK(after(both, mending, {.window = 30_tokens}).size() == 6);
    auto const report = condense::reduce(both, mending, {.window = 30_tokens}, exact{});
    CHECK(report.layers[0].refused > 0);
    CHECK(report.layers[0].note == "no room");
}

TEST_CASE("repair: draft.repair refuses what is no dead call") {
    std::vector<condense::refusal> said;
    conversation history{U(), C("1"), R("1"), C("2"), C("3", part_status::cancelled), U("v"), C("4")};
    static_cast<void>(condense::reduce(history, pipeline{lenient{&said}}, roomy, exact{}));
    using condense::refusal;
    // u, call 1, result 1, dead call 2, cancelled call 3, v, open call 4, and what is no part
    CHECK(said[0] == refusal::pair);
    CHECK(said[1] == refusal::open);
    CHECK(said[2] == refusal::pair);
    CHECK(said[3] == refusal::none);
    CHECK(said[4] == refusal::none);
    CHECK(said[5] == refusal::pair);
    CHECK(said[6] == refusal::open);
    CHECK(said[7] == refusal::gone);
    // In the next sweep they have their answers.
    CHECK(said[11] == refusal::gone);
    CHECK(history.size() == 9);
}

TEST_CASE("repair: an answer that the adapter makes of something else is refused") {
    struct stubborn : chat_message {
        struct condense_traits : condense::message_traits<chat_message> {
            static stubborn make_result(stubborn const& m, part_view const&, std::string text) {
                stubborn made;
                made.role = m.name == "system" ? role::system : role::user;
                if (m.name == "words") made.parts.push_back({.text = text});
                if (m.name != "nothing") made.parts.push_back(R(m.name == "other" ? "other" : "1", text).parts[0]);
                if (m.name == "twice") made.parts.push_back(made.parts[0]);
                return made;
            }
        };
    };
    std::size_t answered = 0;
    for (auto const* const name : {"", "words", "nothing", "other", "twice", "system"}) {
        std::vector<stubborn> history{{U()}, {C("1")}, {U("v")}, {A()}};
        history[1].name = name;
        auto const report = condense::reduce(history, mending, roomy, exact{});
        answered += history.size() == 5 ? 1u : 0u;
        bool const answers = *name == 0 || std::string_view{name} == "twice";
        CHECK(history.size() == (answers ? 5u : 4u));
        CHECK(report.layers[0].refused == (answers ? 0u : 1u));
    }
    CHECK(answered == 2);
}

TEST_CASE("repair: a message that can not lose a part keeps a result without a call beside words") {
    auto words = R("0");
    words.role = role::assistant;
    words.parts.push_back({.text = "so it is"});
    std::vector<whole> history{{U()}, {R("9")}, {words}, {A()}};
    auto const report = condense::reduce(history, mending, roomy, exact{});
    CHECK(report.layers[0].groups_dropped == 1);
    REQUIRE(history.size() == 3);
    CHECK(history[1] == words);
    CHECK_FALSE(condense::reduce(history, mending, roomy, exact{}).changed());
}

TEST_CASE("repair: an empty answer is no answer") {
    CHECK_THROWS_AS(pipeline{condense::repair{.answer = ""}}, invalid_configuration);
}

TEST_CASE("repair: groups with answers are dropped, summarised and put back whole") {
    conversation history{U(), C("1"), U("v"), A(), U("w"), A("b")};
    auto const window = sliding_window{.when = used > 5_messages, .until = used <= 3_messages, .protect = nothing};
    CHECK(after(history, pipeline{condense::repair{.answer = "none"}, window}) == conversation{U("w"), A("b")});
    CHECK(after(history, pipeline{window, condense::repair{.answer = "none"}}) == conversation{U("w"), A("b")});
    auto const summary = summarize{.when = used > 5_messages, .until = used <= 3_messages, .protect = nothing};
    for (auto& m : history)
        for (auto& part : m.parts) part.text += part.kind == part_kind::text ? letters(200, '.') : std::string{};
    auto const summarised = after(history, pipeline{condense::repair{.answer = "none"}, summary});
    CHECK(summarised.size() == 3);
    for (auto const& m : summarised) CHECK(m.role != role::tool);
}

TEST_CASE("repair: a late result in a session takes the place of the answer") {
    session session{conversation{}, mending, roomy, exact{}};
    auto const both = C("1").and_call("2", "s", "{}");
    push(session, {U(), both, U("v")});
    CHECK(sent(session).size() == 3);
    session.push(A());
    CHECK(sent(session) == conversation{U(), both, answer("1"), answer("2", "s"), U("v"), A()});
    CHECK(adds_up(session));
    auto const all_answered = session.used();
    session.push(R("2", "late"));
    CHECK(sent(session) == conversation{U(), both, answer("1"), U("v"), A(), R("2", "late")});
    CHECK(adds_up(session));
    CHECK_FALSE(session.run().changed());
    // Undone, the calls are as they were, and what came stays.
    CHECK(session.undo());
    CHECK(sent(session) == conversation{U(), both, U("v"), A(), R("2", "late")});
    CHECK(adds_up(session));
    CHECK(session.run().changed());
    CHECK(sent(session) == conversation{U(), both, answer("1"), U("v"), A(), R("2", "late")});
    session.push(R("1", "", part_status::pending));
    CHECK(sent(session) == conversation{U(), both, U("v"), A(), R("2", "late"), R("1", "", part_status::pending)});
    CHECK(adds_up(session));
    CHECK(all_answered.messages == 6_messages);
}

TEST_CASE("repair: undo past a late result keeps it, and takes no answer back in") {
    auto const mix = pipeline{sliding_window{.when = used > 5_messages, .until = used <= 4_messages},
                              condense::repair{.answer = "none"}};
    session session{conversation{}, mix, roomy, exact{}};
    push(session, {U("task"), C("1"), U("v"), A(), U("w")});
    CHECK(sent(session).size() == 6);  // answered on arrival
    CHECK(session.prepare().changed());
    CHECK(adds_up(session));
    session.push(R("1", "late"));
    auto const with_late = sent(session);
    CHECK(std::count(with_late.begin(), with_late.end(), answer("1")) == 0);
    CHECK(std::count(with_late.begin(), with_late.end(), R("1", "late")) == 1);
    CHECK(adds_up(session));
    CHECK(session.undo());  // the window's run
    CHECK(adds_up(session));
    CHECK(sent(session) == conversation{U("task"), C("1"), U("v"), A(), U("w"), R("1", "late")});
    CHECK(session.undo());  // the answer
    CHECK(sent(session) == session.history());
    CHECK(adds_up(session));
    CHECK_FALSE(session.undo());
}

TEST_CASE("repair: random conversations come out paired, in order, once and for all") {
    std::size_t answers = 0;
    std::size_t orphans = 0;
    for (std::uint64_t seed = 1; seed <= rounds(1'500); ++seed) {
        auto original = laws::conversation_generator{seed}.make();
        laws::random_source random{seed};
        // Calls of one id in one message: which of them an answer is for, a later reader can not tell.
        if (std::any_of(original.begin(), original.end(), repeats_an_id)) continue;
        for (auto& m : original)
            for (auto& part : m.parts)
                if (part.kind == part_kind::tool_call && part.call > "call_2" && random.chance(4))
                    part.status = part_status::cancelled;
        auto reduced = original;
        auto const report = condense::reduce(reduced, mending, roomy, exact{});
        INFO("seed " << seed);
        auto again = reduced;
        CHECK_FALSE(condense::reduce(again, mending, roomy, exact{}).changed());
        std::size_t place = 0;
        while (place < original.size() && place < reduced.size() && original[place] == reduced[place]) ++place;
        CHECK(report.changed() == (original != reduced));
        if (report.changed()) CHECK(*report.first_changed == place);
        // Every original is there in order, but for results without a call.
        std::size_t next = 0;
        for (auto const& m : original) {
            while (next < reduced.size() && reduced[next].name.empty()) ++next, ++answers;
            if (next < reduced.size() && reduced[next].name == m.name) {
                CHECK(reduced[next].parts.size() <= m.parts.size());
                ++next;
                continue;
            }
            ++orphans;
            for (auto const& part : m.parts) CHECK(part.kind == part_kind::tool_result);
        }
        while (next < reduced.size() && reduced[next].name.empty()) ++next, ++answers;
        CHECK(next == reduced.size());
    }
    CHECK(answers > rounds(200) / 2);
    CHECK(orphans > rounds(50) / 2);
}

TEMPLATE_TEST_CASE("repair: OpenAI and Anthropic shapes", "", json, ordered_json) {
    for (auto const& row : rows_beside(__FILE__, "repair.json")) {
        CAPTURE(row["before"].dump());
        auto document = TestType::parse(row["before"].dump());
        static_cast<void>(condense::reduce(*condense::messages_of(document), mending, roomy, exact{}));
        CHECK(document == TestType::parse(row["after"].dump()));
        auto again = document;
        CHECK_FALSE(condense::reduce(*condense::messages_of(again), mending, roomy, exact{}).changed());
        CHECK(again == document);
    }
}
