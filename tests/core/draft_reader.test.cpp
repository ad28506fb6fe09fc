// SPDX-License-Identifier: BSL-1.0
#include <condense/core/draft_reader.hpp>

#include <condense/core/part_copies.hpp>
#include <condense/core/pipeline.hpp>
#include <condense/core/reduce.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using namespace toy;
using condense::budget, condense::chat_message, condense::cost, condense::group, condense::refusal;
using condense::sequence;
using numbers = std::vector<std::uint32_t>;

TEST_CASE("draft_reader: usage is the messages and the overhead") {
    desk on{{user("four"), assistant("12345")}, budget{.window = {100}, .output = {20}, .overhead = {7}}};
    auto const used = on.draft().used();
    CHECK((used.tokens.count == 16 && used.input.count == 80 && used.messages.count == 2 && used.turns.count == 1));
}

TEST_CASE("draft_reader: roles add up, also for messages that were edited or dropped [case-101]") {
    desk on{{toy::system("rules"), user("task"), call("1"), result("1", "output"), assistant("answer"), user("latest")},
            budget{.window = {100}, .overhead = {7}}};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.drop({4}));
    cost sum = cost::of({7});
    for (auto const speaker : {role::system, role::user, role::assistant, role::tool, role::other})
        sum += draft.used_by(speaker);
    CHECK(sum.tokens() == draft.used().tokens);
    CHECK((draft.used_by(role::tool) == cost::of({6}) && draft.used_by(role::assistant) == cost::of({2})));
}

TEST_CASE("draft_reader: the floor is what stays") {
    desk on{
        {toy::system("rules"), user("task"), assistant("answer"), pinned(assistant("pin")), user("latest"), call("1")},
        budget{.window = {100}, .overhead = {7}}};
    // The pin may not come first: the user message before it stays, too.
    CHECK(on.draft().floor().count == 7 + 5 + 4 + 3 + 6 + 2);
    desk without_pin{toy::system("rules"), user("task"), assistant("answer"), user("latest")};
    CHECK(without_pin.draft().floor().count == 5 + 6);
}

TEST_CASE("draft_reader: groups are told without their text") {
    desk on{toy::system("s"), user("u"), call("1"), pinned(result("1", "no", part_status::error)),
            user("v"),        call("2")};
    auto const draft = on.draft();
    auto const task = draft.about(group{1});
    auto const round = draft.about(group{2});
    CHECK((draft.about(group{0}).system && !draft.about(group{0}).starts_turn));
    CHECK((task.starts_turn && task.plain_user && !task.latest_user && !task.open));
    CHECK((round.first == 2 && round.last == 3 && round.count == 2 && round.cost == cost::of({4}) && round.pinned));
    CHECK((round.has_calls && round.has_error && round.speaker == role::assistant && !round.open && !round.summary));
    CHECK((draft.about(group{4}).latest_user && draft.about(group{5}).open));
    // The task is the first plain user message.
    CHECK((!draft.holds_task({0}) && draft.holds_task({1}) && !draft.holds_task({4})));
    CHECK_FALSE(draft.holds_task(group{1}.summary()));
}

TEST_CASE("draft_reader: parts are told without their text") {
    part_view const sealed{.kind = part_kind::reasoning, .text = "hm", .sealed = true};
    desk on{marked(with(role::assistant, {sealed, {.text = "abc"}}), "stored.1")};
    auto const draft = on.draft();
    auto const first = draft.about(part_of(on.facts, 0, 0));
    auto const second = draft.about(part_of(on.facts, 0, 1));
    CHECK((first.kind == part_kind::reasoning && first.sealed && !first.edited));
    CHECK((second.edited && second.externalized && second.stored_earlier));
    CHECK((second.cost == cost::of({3}) && second.original_size.count == 3));
}

TEST_CASE("draft_reader: members are walked") {
    desk on{call("1"), user("u"), result("1")};
    numbers seen;
    on.draft().each_member(group{0}, [&](std::uint32_t index) { seen.push_back(index); });
    CHECK(seen == numbers{0, 2});
}

TEST_CASE("draft_reader: says why each group stays, in the order of what is asked first") {
    desk on{toy::system("s"), pinned(user("u")), assistant("a"), user("v"), call("1")};
    auto const draft = on.draft();
    CHECK((draft.undroppable({0}) == refusal::system && draft.undroppable({1}) == refusal::pinned));
    CHECK((draft.undroppable({2}) == refusal::none && draft.undroppable({3}) == refusal::latest_user));
    CHECK((draft.undroppable({4}) == refusal::open && draft.undroppable({5}) == refusal::gone));
    CHECK(draft.undroppable(group{2}.summary()) == refusal::gone);
}

TEST_CASE("draft_reader: removed parts are left out") {
    desk on{user("u"), with(role::assistant, {{.kind = part_kind::reasoning, .text = "hm"}, {.text = "abc"}}),
            user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.remove(part_of(on.facts, 1)));
    numbers by_facts;
    std::string by_text;
    draft.each_part_of(group{1}, [&](condense::part_ref part) { by_facts.push_back(part.index); });
    draft.each_part(group{1}, [&](condense::part_ref part, part_view const& seen) {
        by_text.append(std::to_string(part.index)).append(seen.text);
    });
    CHECK((by_facts == numbers{1} && by_text == "1abc"));
}

TEST_CASE("draft_reader: results have the tool of their call") {
    desk on{call("1", "read"),
            with(role::tool, {{.kind = part_kind::tool_result, .tool = "own", .call = "1"}, result_part("1")})};
    std::string tools;
    on.draft().each_part(sequence{1}, [&](condense::part_ref, part_view const& seen) { tools.append(seen.tool); });
    on.draft().original(part_of(on.facts, 1, 1), [&](part_view const& seen) { tools.append(seen.tool); });
    CHECK(tools == "ownreadread");
}

TEST_CASE("draft_reader: present text and the original") {
    desk on{user("u"), call("1"), result("1", "output"), assistant("a"), user("v")};
    auto draft = on.draft();
    auto const part = part_of(on.facts, 2);
    REQUIRE_FALSE(draft.shorten(part, "out"));
    std::string present;
    std::string original;
    draft.each_part(sequence{2}, [&](condense::part_ref, part_view const& seen) { present = seen.text; });
    draft.original(part, [&](part_view const& seen) { original = seen.text; });
    CHECK((present == "out" && original == "output"));
    CHECK((draft.message_cost(2) == cost::of({3}) && draft.message_at({2}).parts[0].text == "output"));
}

TEST_CASE("draft_reader: groups come in order, a summary before the group in whose place it stands") {
    desk on{user("u"), assistant("a"), assistant("b"), user("v")};
    auto draft = on.draft();
    CHECK(shown(draft) == "0: u | 1: a | 2: b | 3: v | ");
    REQUIRE_FALSE(draft.summarize(std::vector<group>{{1}, {2}}, "s"));
    CHECK(shown(draft) == "0: u | *1: s | 3: v | ");
    REQUIRE_FALSE(draft.drop({0}));  // a message that is restored beside its summary needs room
    REQUIRE_FALSE(draft.restore({1}));
    CHECK(shown(draft) == "*1: s | 1: a | 3: v | ");
}

TEST_CASE("draft_reader: an adapter that shows other parts than before reads no further than was counted") {
    desk on{user("u"), with(role::assistant, {{.text = "abc"}}), user("v")};
    on.history[1] = with(role::assistant, {{.text = "abc"}, {.text = "def"}});
    std::size_t seen = 0;
    on.draft().each_part(sequence{1}, [&](condense::part_ref, part_view const&) { ++seen; });
    CHECK(seen == 1);
    on.history[1] = with(role::assistant, {});
    CHECK(on.draft().shorten(part_of(on.facts, 1), "a") == refusal::gone);
}

// Messages of many parts

/// Reads messages of many parts inside each other: the one that is being read must not be replaced.
struct nested_reader {
    static constexpr condense::effect effects = condense::drops;
    bool* good;
    void reduce(auto& draft, auto&) const {
        for (std::uint32_t number = 0; number < 20; ++number) {
            auto const text = std::to_string(number);
            auto const part_at = [&](std::uint32_t message) {
                return draft.part_at(draft.outline().message_at(message).first_part + number);
            };
            int calls = 0;
            draft.original(part_at(1), [&](part_view const& outer) {
                draft.original(part_at(2), [&](part_view const& inner) {
                    *good = *good && inner.text == "second " + text;
                    ++calls;
                });
                draft.each_part(sequence{2}, [&](condense::part_ref part, part_view const& inner) {
                    *good = *good && inner.text == "second " + std::to_string(part.index);
                    ++calls;
                });
                *good = *good && outer.text == "first " + text;
            });
            *good = *good && calls == 21;
        }
    }
};

chat_message many(std::string const& text) {
    chat_message m{.role = role::assistant};
    for (int number = 0; number < 20; ++number) m.parts.push_back({.text = text + std::to_string(number)});
    return m;
}

/// A user message and one more.
struct two_messages : desk_of<chat_message> {
    explicit two_messages(chat_message const& m) : desk_of{{chat_message::user("u"), m}} {}
};

TEST_CASE("draft_reader: messages of many parts are read inside each other") {
    std::vector<chat_message> history{chat_message::user("u"), many("first "), many("second "),
                                      chat_message::user("v")};
    bool good = true;
    auto const report =
        condense::reduce(history, condense::pipeline{nested_reader{&good}}, {.window = {1}}, per_byte{});
    CHECK(report.layers[0].outcome != condense::layer_outcome::failed);
    CHECK(good);
}

TEST_CASE("draft_reader: a part of a message of many is the one with its id") {
    two_messages on{many("")};
    std::string text;
    on.draft().original({1, 0, 1 + 7}, [&](part_view const& part) { text = part.text; });
    CHECK(text == "7");
}

TEST_CASE("draft_reader: parts that name the same call, in messages of few parts and of many") {
    for (std::size_t const others : {0u, 20u}) {
        auto m = chat_message::result("1", "a");
        m.parts.push_back({.kind = part_kind::media, .call = "1"});
        m.parts.push_back({.text = "b"});
        m.parts.push_back(m.parts[0]);
        m.parts.resize(4 + others, {.kind = part_kind::tool_result, .call = "2"});
        two_messages on{m};
        auto const draft = on.draft();
        numbers all;
        for (std::uint32_t part = 0; part < 4; ++part) {
            draft.each_beside({1, part, 1 + part}, [&](condense::part_ref other) { all.push_back(other.index); });
            all.push_back(100 + part);
        }
        CHECK(all == numbers{1, 3, 100, 0, 3, 101, 102, 0, 1, 103});
    }
}

using condense::detail::part_copies;

/// Messages with parts "0 a", "0 b", ... and a count of how often they were read.
struct counted_messages {
    int reads = 0;

    auto reader(std::uint32_t index) {
        return [this, index](auto const& sink) {
            ++reads;
            for (char const letter : {'a', 'b', 'c'}) {
                std::array<char, 3> const text{static_cast<char>('0' + index), ' ', letter};
                sink(part_view{.kind = part_kind::tool_result, .text = {text.data(), 3}, .call = {&text[2], 1}});
            }
        };
    }
};

TEST_CASE("part_copies: parts are as they were shown, and some messages are read once") {
    counted_messages all;
    part_copies copies;
    CHECK(copies.use(7, all.reader(7), [](auto const& parts) {
        CHECK((parts.size() == 3 && parts.at(1).text == "7 b" && parts.at(1).call == "b" && parts.at(2).text == "7 c"));
        CHECK((parts.at(0).kind == part_kind::tool_result && parts.at(0).tool.empty()));
    }));
    all.reads = 0;
    auto const use = [&](std::uint32_t index) {
        CHECK(copies.use(index, all.reader(index),
                         [&](auto const& parts) { CHECK(parts.at(0).text == std::to_string(index) + " a"); }));
    };
    for (int round = 0; round < 5; ++round)
        for (std::uint32_t index = 0; index < 4; ++index) use(index);
    CHECK(all.reads == 4);
    // The one that was used least recently makes room.
    for (auto const index : {4u, 1u, 0u}) use(index);
    CHECK(all.reads == 6);
}

TEST_CASE("part_copies: parts stay while they are in use") {
    counted_messages all;
    part_copies copies;
    auto const use = [&](std::uint32_t index, auto const& inner) {
        return copies.use(index, all.reader(index), [&](auto const& parts) {
            inner();
            CHECK(parts.at(2).text == std::to_string(index) + " c");
        });
    };
    use(0, [&] { use(1, [&] { use(2, [&] { use(3, [&] { CHECK((!use(4, [] {}) && use(0, [] {}))); }); }); }); });
    CHECK(all.reads == 4);
    CHECK(use(4, [] {}));
}

TEST_CASE("part_copies: parts have their call ids") {
    part_copies copies;
    auto const read = [](auto const& sink) {
        for (auto const* const id : {"b", "", "a", "b", "ab", "a", "b"}) sink(part_view{.text = "t", .call = id});
    };
    auto const found = [&](std::string_view id) {
        numbers all;
        copies.use(0, read,
                   [&](auto& parts) { parts.each_with(id, [&](std::uint32_t index) { all.push_back(index); }); });
        return all;
    };
    CHECK((found("b") == numbers{0, 3, 6} && found("a") == numbers{2, 5} && found("ab") == numbers{4}));
    CHECK((found("").empty() && found("c").empty()));
}

TEST_CASE("part_copies: a message that cannot be read is read again") {
    counted_messages all;
    part_copies copies;
    auto const fails = [](auto const& sink) {
        sink(part_view{.text = "half"});
        throw 7;
    };
    CHECK_THROWS_AS(copies.use(0, fails, [](auto const&) {}), int);
    CHECK(copies.use(0, all.reader(0), [&](auto const& parts) { CHECK(parts.at(0).text == "0 a"); }));
}

}  // namespace
