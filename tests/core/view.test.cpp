// SPDX-License-Identifier: BSL-1.0
#include <condense/core/edit_log.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/cache_prefix.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::group;
using condense::refusal;
using condense::role;
using toy::assistant;
using toy::call;
using toy::call_part;
using toy::desk;
using toy::part_of;
using toy::recount;
using toy::result;
using toy::result_part;
using toy::shown;
using toy::spelt;
using toy::user;
using toy::with;

constexpr bool messages_are_followed() {
    desk on{user("u"), assistant("abc")};
    auto const sums = on.edits.sums();
    return sums.messages == 2 && sums.turns == 1 && sums.cost == condense::cost::of({4}) &&
           on.edits.of({1}).cost == condense::cost::of({3}) && on.edits.present({1});
}
static_assert(toy::run_time_only || messages_are_followed());

/// T25: no result stands without its call.
constexpr bool a_late_result_brings_its_call_back() {
    desk on{user("u"), call("1"), user("v"), assistant("a"), user("w")};
    if (on.draft().drop({1})) return false;
    on.push(result("1"));
    auto const sums = on.edits.sums();
    return on.edits.present({1}) && sums.messages == 6 && sums.cost == condense::cost::of({1 + 2 + 1 + 1 + 1 + 3});
}
static_assert(toy::run_time_only || a_late_result_brings_its_call_back());

constexpr bool steps_tell_whether_they_are_in_force() {
    desk on{user("u"), assistant("a"), assistant("b"), user("v")};
    auto draft = on.draft();
    if (draft.remove(part_of(on.facts, 1)) || draft.drop({2}) || draft.restore({2})) return false;
    return on.edits.in_force(0) && !on.edits.in_force(1);
}
static_assert(toy::run_time_only || steps_tell_whether_they_are_in_force());

/// Small numbers from a seed, the same everywhere.
class numbers {
public:
    explicit constexpr numbers(std::uint64_t seed) noexcept : state_{seed * 0x9E3779B97F4A7C15u + 1} {}
    constexpr std::uint32_t below(std::uint64_t limit) noexcept {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>((state_ >> 33) % limit);
    }

private:
    std::uint64_t state_;
};

/// A conversation that goes on, with reused, missing and late ids.
toy::message next_message(numbers& random) {
    static constexpr std::array<std::string_view, 4> ids = {"1", "2", "3", ""};
    static constexpr std::string_view words = "some words of many lengths, so that costs differ from one to the next";
    auto const text = words.substr(0, 1 + random.below(words.size()));
    auto const id = ids[random.below(ids.size())];
    switch (random.below(7)) {
        case 0: return user(text);
        case 1: return assistant(text);
        case 2:
            return with(role::assistant, {{.text = text}, call_part(id, "f"), call_part(ids[random.below(4)], "g")});
        case 3: return toy::joined(assistant(text));
        case 4: return with(role::user, {result_part(id, text), result_part(ids[random.below(4)], text)});
        default: return result(id, text);
    }
}

}  // namespace

TEST_CASE("view: follows messages") {
    CHECK(messages_are_followed());
    CHECK(a_late_result_brings_its_call_back());
    CHECK(steps_tell_whether_they_are_in_force());
}

TEST_CASE("view: a late result brings its call back, and the summary in its place stays") {
    desk on{user("u"), call("1"), user("v"), assistant("a"), user("w")};
    REQUIRE_FALSE(on.draft().summarize(std::vector<group>{{1}, {3}}, "sum"));
    on.push(result("1"));
    CHECK(shown(on.draft()) == "0: u | *1: sum | 1: {} out | 2: v | 4: w | ");
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}

TEST_CASE("view: groups that become one come back together") {
    desk on{user("u"), call("1"), user("v"), assistant("a"), call("2"), user("w"), assistant("b"), user("x")};
    auto draft = on.draft();
    SECTION("the older was dropped") { REQUIRE_FALSE(draft.drop({1})); }
    SECTION("the newer was dropped") { REQUIRE_FALSE(draft.drop({4})); }
    SECTION("both were dropped") {
        REQUIRE_FALSE(draft.drop({1}));
        REQUIRE_FALSE(draft.drop({4}));
    }
    on.push(with(role::user, {result_part("1"), result_part("2")}));
    CHECK(shown(on.draft()) == "0: u | 1: {} out out {} | 2: v | 3: a | 5: w | 6: b | 7: x | ");
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}

TEST_CASE("view: what was written for a call gives way to its result") {
    desk on{user("u"), call("1"), user("v"), assistant("a"), user("w")};
    auto const before = on.edits.sums();
    auto const asked = part_of(on.facts, 1).part_id;
    on.edits.answer(on.facts, asked, "none", condense::cost::of({4}));
    REQUIRE(on.edits.answer_at(asked) != 0);
    CHECK(on.edits.sums().messages == 6);
    CHECK(on.edits.sums().cost == before.cost + condense::cost::of({4}));
    on.push(result("1"));
    CHECK(on.edits.answer_at(asked) == 0);
    CHECK(on.edits.sums().messages == 6);
    CHECK(on.edits.sums().cost == before.cost + condense::cost::of({3}));
    on.push(result("1", "again"));
    CHECK(on.edits.sums().messages == 7);
    on.draft().take_back(0);
    CHECK(on.edits.answer_at(asked) == 0);
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}

TEST_CASE("view: what was written for a call goes along where its group becomes one with another") {
    auto const calls = with(role::assistant, {call_part("1"), call_part("3")});
    desk on{user("u"), calls, user("v"), assistant("a"), call("2"), user("w"), assistant("b"), user("x")};
    auto const asked = part_of(on.facts, 1, 1).part_id;
    on.edits.answer(on.facts, asked, "none", condense::cost::of({4}));
    on.push(with(role::user, {result_part("1"), result_part("2")}));
    REQUIRE(on.facts.group_of(4) == 1);
    CHECK(on.edits.answer_at(asked) != 0);
    CHECK(on.edits.has_answers(1));
    auto expected = recount(on.facts, on.edits);
    expected += {condense::cost::of({4}), 1, 0};
    CHECK(spelt(on.edits.sums()) == spelt(expected));
    on.draft().take_back(0);
    CHECK_FALSE(on.edits.has_answers(1));
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}

TEST_CASE("view: steps can be taken back after groups became one") {
    auto const approval = with(role::user, {{.text = "w"}, {.kind = condense::part_kind::other, .call = "2"}});
    desk on{user("u"), call("1"), user("v"), assistant("a"), call("2"), approval, user("x"), assistant("b"), user("y")};
    REQUIRE(on.facts.group_of(5) == 4);
    REQUIRE_FALSE(on.draft().drop({4}));
    on.push(with(role::user, {result_part("1"), result_part("2")}));
    REQUIRE(on.facts.group_of(5) == 1);
    on.draft().take_back(0);
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}

/// The places that are sent, by a look at each: an independent reading of next_sent, previous_sent and next_place.
void check_walks(condense::outline const& facts, condense::view const& edits) {
    std::vector<std::uint32_t> sent;
    std::vector<std::uint32_t> groups;
    auto const end = static_cast<std::uint32_t>(2 * facts.size());
    for (std::uint32_t place = 0; place < end; ++place) {
        auto const which = place % 2 == 0 ? group{place / 2}.summary() : group{place / 2};
        if (edits.present(which)) groups.push_back(place);
        if (place % 2 == 0 ? edits.present(which) : edits.sends(facts, place / 2)) sent.push_back(place);
    }
    std::vector<std::uint32_t> walked;
    for (auto place = edits.next_sent(facts, 0); place < end; place = edits.next_sent(facts, place + 1))
        walked.push_back(place);
    CHECK(walked == sent);
    walked.clear();
    for (auto place = end; (place = edits.previous_sent(facts, place)) != condense::detail::none32;)
        walked.insert(walked.begin(), place);
    CHECK(walked == sent);
    walked.clear();
    for (auto place = edits.next_place(0); place < end; place = edits.next_place(place + 1)) walked.push_back(place);
    CHECK(walked == groups);
}

TEST_CASE("view: what it counts is what a recount finds, after any edits") {
    std::size_t drops = 0;
    std::size_t shortened = 0;
    std::size_t summaries = 0;
    std::size_t restored = 0;
    std::size_t taken_back = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        numbers random{seed};
        desk<toy::framed> on{{user("the task")}, {.window = {4'000}}};
        for (int more = 0; more < 12; ++more) on.push(next_message(random));
        std::vector<std::pair<std::size_t, std::string>> marks;
        for (int step = 0; step < 40; ++step) {
            auto draft = on.draft();
            draft.allow_open(random.below(2) == 0);
            auto const before = shown(draft);
            auto const mark = draft.mark();
            refusal refused = refusal::none;
            auto const slot = group{random.below(on.facts.group_count())};
            auto const which = random.below(4) == 0 ? slot.summary() : slot;
            auto const part = condense::part_ref{0, 0, random.below(on.facts.part_count())};
            auto const at = on.facts.part_at(part.part_id).message_index;
            auto const ref = part_of(on.facts, at, part.part_id - on.facts.message_at(at).first_part);
            switch (random.below(9)) {
                case 0:
                case 1:
                    refused = draft.drop(which);
                    drops += refused ? 0u : 1u;
                    break;
                case 2:
                    refused = draft.shorten(ref, std::string(random.below(20), 's'));
                    shortened += refused ? 0u : 1u;
                    break;
                case 3: refused = draft.externalize(ref, std::string(random.below(20), 'e'), {{1}}); break;
                case 4: refused = draft.remove(ref); break;
                case 5: {
                    std::vector<group> groups;
                    for (auto const one : draft.groups())
                        if (!draft.undroppable(one) && random.below(3) != 0) groups.push_back(one);
                    refused = draft.summarize(groups, std::string(random.below(30), 'z'));
                    summaries += refused ? 0u : 1u;
                    break;
                }
                case 6:
                    refused = draft.restore({random.below(on.facts.size())});
                    restored += refused ? 0u : 1u;
                    break;
                case 7:
                    if (!marks.empty()) {
                        auto const& [until, text] = marks[random.below(marks.size())];
                        if (until > mark) break;
                        draft.take_back(until);
                        CHECK(shown(draft) == text);
                        ++taken_back;
                    }
                    break;
                default: on.push(next_message(random)); marks.clear();
            }
            if (refused) {
                CHECK(draft.mark() == mark);
                CHECK(shown(draft) == before);
            }
            std::erase_if(marks, [&](auto const& one) { return one.first > draft.mark(); });
            marks.emplace_back(draft.mark(), shown(draft));
            REQUIRE(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
            check_walks(on.facts, on.edits);
        }
        on.draft().take_back(0);
        check_walks(on.facts, on.edits);
        REQUIRE(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
    }
    CHECK(drops > 400);
    CHECK(shortened > 300);
    CHECK(summaries > 300);
    CHECK(restored > 300);
    CHECK(taken_back > 300);
}

TEST_CASE("view: figures of any size are counted right") {
    auto const media = [](std::uint64_t tokens) {
        return with(role::assistant, {{.kind = condense::part_kind::media, .cost = condense::cost::of({tokens})}});
    };
    auto const figure = GENERATE(as<std::uint64_t>{}, 0u, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max());
    desk on{user("task"), media(figure), media(figure), assistant("answer"), media(figure), user("latest")};
    auto draft = on.draft();
    for (auto const slot : {1u, 3u, 2u}) {
        REQUIRE_FALSE(draft.drop({slot}));
        CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
    }
    draft.take_back(0);
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}

TEST_CASE("view: what has gone is there again with the group that it joins, by a step") {
    desk on{user("u"), toy::pinned(call("1")), user("v"), call("2"), user("w"), assistant("a")};
    REQUIRE_FALSE(on.draft().drop({3}));
    auto const mark = on.edits.steps().size();
    on.push(with(role::tool, {result_part("1"), result_part("2")}));
    CHECK(on.facts.group_of(3) == 1);
    CHECK(on.edits.sums().messages == 7);
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
    CHECK(on.edits.steps().size() == mark + 1);
    CHECK(condense::detail::first_changed(on.facts, on.edits, mark) == 3);
    on.edits.take_back(on.facts, mark);
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}
