// SPDX-License-Identifier: BSL-1.0
#include <condense/core/edit_log.hpp>

#include <limits>
#include <optional>

#include <condense/core/cache_prefix.hpp>

#include "core/constant.hpp"
#include "core/toy.hpp"
#include "laws/generator.hpp"

namespace {

using namespace toy;
using condense::cost, condense::edit_kind, condense::group, condense::refusal, condense::tokens, condense::view;

constexpr cost of(std::uint64_t count) { return cost::of({count}); }

template <class Estimator>
void check_sums(desk<Estimator> const& on) {
    CHECK(spelt(on.edits.sums()) == spelt(recount(on.facts, on.edits)));
}

TEST_CASE("view: follows messages, and steps tell whether they are in force") {
    desk on{user("u"), assistant("abc"), assistant("b"), user("v")};
    auto const sums = on.edits.sums();
    CHECK((sums.messages == 4 && sums.turns == 2 && sums.cost == of(6)));
    CHECK((on.edits.of({1}).cost == of(3) && on.edits.present({1})));
    auto draft = on.draft();
    REQUIRE_FALSE(draft.remove(part_of(on.facts, 1)));
    REQUIRE_FALSE(draft.drop({2}));
    REQUIRE_FALSE(draft.restore({2}));
    CHECK((on.edits.in_force(0) && !on.edits.in_force(1)));
}

/// A conversation that goes on, with reused, missing and late ids.
message next_message(laws::random_source& random) {
    static constexpr std::array<std::string_view, 4> ids = {"1", "2", "3", ""};
    static constexpr std::string_view words = "some words of many lengths, so that costs differ from one to the next";
    auto const text = words.substr(0, 1 + random.below(words.size()));
    auto const id = ids[random.below(ids.size())];
    switch (random.below(7)) {
        case 0: return user(text);
        case 1: return assistant(text);
        case 2:
            return with(role::assistant, {{.text = text}, call_part(id, "f"), call_part(ids[random.below(4)], "g")});
        case 3: return joined(assistant(text));
        case 4: return with(role::user, {result_part(id, text), result_part(ids[random.below(4)], text)});
        default: return result(id, text);
    }
}

TEST_CASE("view: a late result brings its call back, and the summary in its place stays") {
    desk on{user("u"), call("1"), user("v"), assistant("a"), user("w")};
    SECTION("T25: no result stands without its call") {
        REQUIRE_FALSE(on.draft().drop({1}));
        on.push(result("1"));
        CHECK(shown(on.draft()) == "0: u | 1: {} out | 2: v | 3: a | 4: w | ");
    }
    SECTION("beside a summary") {
        REQUIRE_FALSE(on.draft().summarize(std::vector<group>{{1}, {3}}, "sum"));
        on.push(result("1"));
        CHECK(shown(on.draft()) == "0: u | *1: sum | 1: {} out | 2: v | 4: w | ");
    }
    check_sums(on);
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
    check_sums(on);
}

TEST_CASE("view: what was written for a call gives way to its result") {
    desk on{user("u"), call("1"), user("v"), assistant("a"), user("w")};
    auto const before = on.edits.sums();
    auto const asked = part_of(on.facts, 1).part_id;
    on.edits.answer(on.facts, asked, "none", of(4));
    REQUIRE(on.edits.answer_at(asked) != 0);
    CHECK((on.edits.sums().messages == 6 && on.edits.sums().cost == before.cost + of(4)));
    on.push(result("1"));
    CHECK((on.edits.answer_at(asked) == 0 && on.edits.sums().messages == 6));
    CHECK(on.edits.sums().cost == before.cost + of(3));
    on.push(result("1", "again"));
    CHECK(on.edits.sums().messages == 7);
    on.draft().take_back(0);
    CHECK(on.edits.answer_at(asked) == 0);
    check_sums(on);
}

TEST_CASE("view: what was written for a call goes along where its group becomes one with another") {
    auto const calls = with(role::assistant, {call_part("1"), call_part("3")});
    desk on{user("u"), calls, user("v"), assistant("a"), call("2"), user("w"), assistant("b"), user("x")};
    auto const asked = part_of(on.facts, 1, 1).part_id;
    on.edits.answer(on.facts, asked, "none", of(4));
    on.push(with(role::user, {result_part("1"), result_part("2")}));
    REQUIRE(on.facts.group_of(4) == 1);
    CHECK((on.edits.answer_at(asked) != 0 && on.edits.has_answers(1)));
    auto expected = recount(on.facts, on.edits);
    expected += {of(4), 1, 0, 0, 4};
    CHECK(spelt(on.edits.sums()) == spelt(expected));
    on.draft().take_back(0);
    CHECK_FALSE(on.edits.has_answers(1));
    check_sums(on);
}

TEST_CASE("view: steps can be taken back after groups became one") {
    auto const approval = with(role::user, {{.text = "w"}, {.kind = part_kind::other, .call = "2"}});
    desk on{user("u"), call("1"), user("v"), assistant("a"), call("2"), approval, user("x"), assistant("b"), user("y")};
    REQUIRE(on.facts.group_of(5) == 4);
    REQUIRE_FALSE(on.draft().drop({4}));
    on.push(with(role::user, {result_part("1"), result_part("2")}));
    REQUIRE(on.facts.group_of(5) == 1);
    on.draft().take_back(0);
    check_sums(on);
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
    std::size_t drops = 0, shortened = 0, summaries = 0, restored = 0, taken_back = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        laws::random_source random{seed};
        auto const below = [&](std::size_t limit) { return static_cast<std::uint32_t>(random.below(limit)); };
        desk<framed> on{{user("the task")}, {.window = {4'000}}};
        for (int more = 0; more < 12; ++more) on.push(next_message(random));
        std::vector<std::pair<std::size_t, std::string>> marks;
        for (int step = 0; step < 40; ++step) {
            auto draft = on.draft();
            draft.allow_open(below(2) == 0);
            auto const before = shown(draft);
            auto const mark = draft.mark();
            refusal refused = refusal::none;
            auto const slot = group{below(on.facts.group_count())};
            auto const which = below(4) == 0 ? slot.summary() : slot;
            auto const part = condense::part_ref{0, 0, below(on.facts.part_count())};
            auto const at = on.facts.part_at(part.part_id).message_index;
            auto const ref = part_of(on.facts, at, part.part_id - on.facts.message_at(at).first_part);
            auto const counted = [](refusal made, std::size_t& times) {
                times += made ? 0u : 1u;
                return made;
            };
            switch (below(9)) {
                case 0:
                case 1: refused = counted(draft.drop(which), drops); break;
                case 2: refused = counted(draft.shorten(ref, std::string(below(20), 's')), shortened); break;
                case 3: refused = draft.externalize(ref, std::string(below(20), 'e'), {{1}}); break;
                case 4: refused = draft.remove(ref); break;
                case 5: {
                    std::vector<group> groups;
                    for (auto const one : draft.groups())
                        if (!draft.undroppable(one) && below(3) != 0) groups.push_back(one);
                    refused = counted(draft.summarize(groups, std::string(below(30), 'z')), summaries);
                    break;
                }
                case 6: refused = counted(draft.restore({below(on.facts.size())}), restored); break;
                case 7:
                    if (!marks.empty()) {
                        auto const& [until, text] = marks[below(marks.size())];
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
            check_sums(on);
            check_walks(on.facts, on.edits);
        }
        on.draft().take_back(0);
        check_walks(on.facts, on.edits);
        check_sums(on);
    }
    CHECK(drops > 400);
    CHECK(shortened > 300);
    CHECK(summaries > 300);
    CHECK(restored > 300);
    CHECK(taken_back > 300);
}

TEST_CASE("view: figures of any size are counted right") {
    auto const media = [](std::uint64_t count) {
        return with(role::assistant, {{.kind = part_kind::media, .cost = of(count)}});
    };
    auto const figure = GENERATE(as<std::uint64_t>{}, 0u, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max());
    desk on{user("task"), media(figure), media(figure), assistant("answer"), media(figure), user("latest")};
    auto draft = on.draft();
    for (auto const slot : {1u, 3u, 2u}) {
        REQUIRE_FALSE(draft.drop({slot}));
        check_sums(on);
    }
    draft.take_back(0);
    check_sums(on);
}

TEST_CASE("view: what has gone is there again with the group that it joins, by a step") {
    desk on{user("u"), pinned(call("1")), user("v"), call("2"), user("w"), assistant("a")};
    REQUIRE_FALSE(on.draft().drop({3}));
    auto const mark = on.edits.steps().size();
    on.push(with(role::tool, {result_part("1"), result_part("2")}));
    CHECK((on.facts.group_of(3) == 1 && on.edits.sums().messages == 7));
    check_sums(on);
    CHECK(on.edits.steps().size() == mark + 1);
    CHECK(condense::detail::first_changed(on.facts, on.edits, mark) == 3);
    on.edits.take_back(on.facts, mark);
    check_sums(on);
}

TEST_CASE("calibration_scope: sums are scaled while it lasts, an inner scale gives way to the outer one") {
    using condense::detail::calibration_scope;
    view edits;
    for (auto const& [real, sum] : {std::pair<std::uint64_t, std::uint64_t>{600, 300}, {1'000, 500}}) {
        auto const during = calibration_scope(edits, {1'000}, {real});
        CHECK(edits.measured(of(500)) == tokens{sum});
    }
    {
        auto const outer = calibration_scope(edits, {1'000}, {1'500});
        {
            auto const inner = calibration_scope(edits, {1'000}, {2'000}, {500});
            CHECK(edits.measured(of(750)) == tokens{1'250});
        }
        CHECK(edits.measured(of(500)) == tokens{750});
    }
    CHECK(edits.measured(of(500)) == tokens{500});
}

using condense::detail::token_scale;

constexpr bool sums_are_in_proportion() {
    auto const half_more = token_scale::of({1'000}, {1'500});
    bool good =
        half_more(of(1'000)) == tokens{1'500} && half_more(of(500)) == tokens{750} && half_more(of(501)) == tokens{752};
    good = good && half_more.of_messages(of(10)) == of(15) && half_more.within({15}) == of(10);
    token_scale const none;
    return good && none(of(7)) == tokens{7} && none.of_messages(of(7)) == of(7) && none.within({7}) == of(7);
}

constexpr bool what_is_known_apart_counts_one_for_one() {
    auto const doubled = token_scale::of({1'000}, {1'900}, {100});
    bool good =
        doubled(of(1'000)) == tokens{1'900} && doubled(of(550)) == tokens{1'000} && doubled(of(100)) == tokens{100};
    good = good && doubled.of_messages(of(10)) == of(20) && doubled.within({20}) == of(10);
    // A report that is below it says nothing of it.
    return good && token_scale::of({1'000}, {500}, {600})(of(600)) == tokens{300};
}

/// A sum is within what `most` gives for a limit exactly where it scales to no more than the limit.
/// Not constexpr: g++ would try to fold each call, in gigabytes.
bool most_is_the_inverse(token_scale const& scale) {
    bool good = true;
    for (std::uint64_t limit = 0; limit < 70; ++limit)
        for (std::uint64_t steps = 0; steps < 80 * cost::per_token; steps += 37) {
            auto const most = scale.most({limit});
            good = good && (scale(cost{steps}) <= tokens{limit}) == (most && cost{steps} <= *most);
        }
    return good;
}

constexpr bool any_figures_are_harmless() {
    constexpr auto limit = ~std::uint64_t{0};
    auto const sum = [](std::uint64_t counted, std::uint64_t real, std::uint64_t apart = 0) {
        return token_scale::of({counted}, {real}, {apart})(of(1'000)).count;
    };
    return sum(0, 500) == 1'000 && sum(500, 0) == 1'000 && sum(limit, limit / 2) == 500 && sum(1, limit) == 1'000 &&
           sum(limit, 1) == 1'000 && sum(limit, limit, limit) == 1'000 && sum(500, 600, limit) == 1'200;
}

TEST_CASE("token_scale: sums and parts in proportion, what is known apart one for one", "[law-t4]") {
    CHECK_CONSTANT(sums_are_in_proportion());
    CHECK_CONSTANT(what_is_known_apart_counts_one_for_one());
    CHECK_CONSTANT(any_figures_are_harmless());
}

TEST_CASE("token_scale: the most that scales to a limit") {
    CHECK(most_is_the_inverse({}));
    for (auto const& scale : {token_scale::of({1'000}, {1'500}), token_scale::of({1'500}, {1'000}),
                              token_scale::of({1'007}, {1'900}, {20}), token_scale::of({1'900}, {613}, {40})})
        CHECK(most_is_the_inverse(scale));
}

using condense::detail::first_changed, condense::detail::unchanged_prefix;

TEST_CASE("cache_prefix: the prefix ends before the first change") {
    desk on{toy::system("sys"), user("task"), assistant("12345"), user("more"), assistant("67890"), user("v")};
    auto draft = on.draft();
    auto const mark = draft.mark();
    CHECK_FALSE(first_changed(on.facts, on.edits, mark));
    CHECK(unchanged_prefix(draft, mark).count == 22);
    REQUIRE_FALSE(draft.drop({4}));
    CHECK(first_changed(on.facts, on.edits, mark) == 4u);
    CHECK(unchanged_prefix(draft, mark).count == 16);
    REQUIRE_FALSE(draft.drop({2}));
    CHECK((first_changed(on.facts, on.edits, mark) == 2u && unchanged_prefix(draft, mark).count == 7));
    // A group that is back has not changed.
    REQUIRE_FALSE(draft.restore({4}));
    REQUIRE_FALSE(draft.restore({2}));
    CHECK((!first_changed(on.facts, on.edits, mark) && unchanged_prefix(draft, mark).count == 22));
}

TEST_CASE("cache_prefix: messages never sent are no prefix") {
    // A message that no request has held is in no cache.
    desk on{user("task"), assistant("12345"), user("more")};
    on.edits.note_sent(2);
    auto draft = on.draft();
    CHECK(unchanged_prefix(draft, draft.mark()).count == 9);
}

TEST_CASE("cache_prefix: every prefix is the sum of what stands before") {
    // Whether it is summed from the front or from the end.
    desk on{user("task"), assistant("12345"), user("more"), call("a"), user("67890"), assistant("on"), user("v")};
    auto draft = on.draft();
    REQUIRE_FALSE(draft.drop({1}));
    std::uint64_t sum = 0;
    for (std::uint64_t end = 0; end <= on.facts.size(); ++end) {
        CHECK(condense::detail::prefix_before(draft, end).count == sum);
        if (end < on.facts.size() && draft.present(condense::sequence{end}))
            sum += draft.message_cost(static_cast<std::uint32_t>(end)).tokens().count;
    }
    CHECK(sum == draft.used().tokens.count);
}

}  // namespace
