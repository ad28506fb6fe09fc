// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: how results find their calls, and what goes together.

#include "cases/runs.hpp"

/// Reasoning and the steps that follow it are one loop.
struct looping_message {
    condense::chat_message said;
    bool joined = false;
};

template <>
struct condense::message_traits<looping_message> {
    static role role_of(looping_message const& m) { return m.said.role; }
    static void each_part(looping_message const& m, auto&& sink) { condense::each_part(m.said, sink); }
    static bool joins_previous(looping_message const& m) { return m.joined; }
};

namespace {

using namespace cases;
using condense::part_status;

/// The groups that a conversation falls into, each by the indices of its messages.
std::vector<list> grouped(conversation const& messages) {
    condense::outline facts;
    for (auto const& m : messages) facts.append(m, per_char{});
    std::vector<list> out;
    for (std::size_t group = 0; group < facts.group_count(); ++group) {
        list members;
        for (std::size_t index = 0; index < facts.size(); ++index)
            if (facts.group_of(index) == group) members.push_back(static_cast<int>(index));
        if (!members.empty()) out.push_back(std::move(members));
    }
    return out;
}

chat_message approval(role speaker, std::string call) {
    return {.role = speaker, .parts = {{.kind = part_kind::other, .text = "approval", .call = std::move(call)}}};
}

/// Drops every group that calls a tool.
struct drop_calls_of {
    static constexpr auto effects = condense::drops;
    std::string tool;

    void reduce(auto& draft, auto& pass) const {
        for (auto const group : draft.groups()) {
            bool found = false;
            draft.each_part(group, [&](condense::part_ref, condense::part_view const& part) {
                found = found || (part.kind == part_kind::tool_call && part.tool == tool);
            });
            if (found) pass.note(draft.drop(group));
        }
    }
};

TEST_CASE("a result that lacks content or an id passes through", "[case-20]") {
    auto nameless = R("", letters(100));
    auto hollow = R("2", "");
    chat_message const none{.role = role::tool};
    conversation const before{U(), C("1"), none, nameless, hollow, A(), U(), A()};
    auto messages = before;
    auto const report = run(messages, pipeline{compress{.when = always}, window_of(100_messages)});
    CHECK(messages == before);
    CHECK(report.outcome == outcome::fits);
    CHECK(grouped({U(), C("1"), nameless, A()}) == std::vector<list>{{0}, {1, 2}, {3}});
}

TEST_CASE("the same id in two turns makes two groups", "[case-T22]") {
    CHECK(grouped({U(), C("1"), R("1"), A(), U(), C("1"), R("1"), A()}) ==
          std::vector<list>{{0}, {1, 2}, {3}, {4}, {5, 6}, {7}});
}

TEST_CASE("a result before its call is not paired with it", "[case-T24]") {
    conversation const messages{U(), R("1"), C("1"), A(), U()};
    CHECK(grouped(messages) == std::vector<list>{{0}, {1}, {2}, {3}, {4}});
    condense::outline facts;
    for (auto const& m : messages) facts.append(m, per_char{});
    CHECK(facts.group_at(1).orphan);
    CHECK(grouped({U(), R("1"), C("1"), R("1"), A()}) == std::vector<list>{{0}, {1}, {2, 3}, {4}});
}

TEST_CASE("a late result brings its dropped call back", "[case-T25]") {
    condense::outline facts;
    condense::view edits;
    auto const push = [&](chat_message const& m) {
        edits.reserve_message(facts.read(m, per_char{}));
        edits.on_message_placed(facts, facts.place());
    };
    for (auto const& m : {U(), C("1"), U(), A(), U(), A()}) push(m);
    auto const whole = edits.sums();
    condense::group const call{facts.group_of(1)};
    CHECK_FALSE(facts.open(call.id()));
    edits.drop(facts, call);
    CHECK_FALSE(edits.present(call));
    CHECK(edits.sums().messages == 5u);
    push(R("1", letters(10)));
    CHECK(facts.group_of(6) == call.id());
    CHECK(edits.present(call));
    CHECK(edits.sums().messages == 7u);
    CHECK(edits.sums().cost == whole.cost + condense::cost::of(10_tokens));
}

TEST_CASE("a thinking loop goes whole or stays whole", "[case-T29]") {
    auto const loop = [](std::string const& id) {
        return conversation{thinking(C(id)), R(id), C(id + "b"), R(id + "b"), A()};
    };
    auto const before = numbered(conversation{U()} + loop("1") + loop("2") + conversation{U(), A()});
    for (std::uint64_t limit = 0; limit < 13; ++limit) {
        std::vector<looping_message> messages;
        for (std::size_t index = 0; index < before.size(); ++index)
            messages.push_back({before[index], index > 0 && index < 11 && index % 5 != 1});
        auto const mix = pipeline{
            sliding_window{.when = used > condense::messages{limit}, .until = used <= condense::messages{limit}}};
        static_cast<void>(condense::reduce(messages, mix, roomy, per_char{}));
        CAPTURE(limit);
        list left;
        for (auto const& m : messages) left.push_back(index_of(m.said));
        CHECK(left == (limit < 8 ? list{0, 11, 12} : list{0, 6, 7, 8, 9, 10, 11, 12}));
    }
}

TEST_CASE("approvals go with the call they belong to", "[case-T30]") {
    auto const round = [](std::string const& tool, std::string const& id) {
        return conversation{C(id, tool), approval(role::assistant, id), approval(role::user, id), R(id)};
    };
    auto const before =
        numbered(conversation{U()} + round("x", "1") + round("y", "2") +
                 conversation{A(), U(), C("3", "x"), approval(role::assistant, "3"), U(), A(), U(), A()});
    auto const left = cases::after(before, drop_calls_of{"x"});
    CHECK(indices(left) == list{0, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16});
    for (auto const& m : left) CHECK(m == before[static_cast<std::size_t>(index_of(m))]);
    auto const rest = cases::after(before, drop_calls_of{"y"});
    CHECK(indices(rest) == list{0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16});
}

}  // namespace
