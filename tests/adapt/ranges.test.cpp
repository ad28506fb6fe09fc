// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/ranges.hpp>

#include <deque>
#include <list>
#include <map>
#include <span>
#include <stdexcept>

#include <range/v3/algorithm/equal.hpp>
#include <range/v3/algorithm/find_if.hpp>
#include <range/v3/iterator/operations.hpp>
#include <range/v3/view/drop.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/transform.hpp>

#include <condense/condense.hpp>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/messages.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::always, condense::budget, condense::compress, condense::cost, condense::dry_run, condense::messages;
using condense::pipeline, condense::repair, condense::tokens, condense::used;
namespace views = condense::views;

template <class Message>
using addresses = std::vector<Message const*>;

/// Where the elements of a view, or the messages of a history, are.
template <class View>
auto where(View const& view) {
    addresses<ranges::range_value_t<View>> out;
    for (auto const& m : view) out.push_back(&m);
    return out;
}

conversation random_conversation(std::uint64_t seed) { return laws::conversation_generator{seed}.make(); }

/// One token for every four bytes, and four for a message.
struct framed {
    cost operator()(std::string_view text) const { return {text.size() * 64}; }
    cost frame(condense::role) const { return cost::of({4}); }
};

/// A layer that only looks at the draft.
template <class Look>
struct onlooker {
    Look look;
    static constexpr auto effects = condense::no_effects;
    void reduce(auto& draft, auto&) const { look(draft); }
};

template <class History, class Look>
void look_at(History const& history, framed const& count, Look look) {
    static_cast<void>(dry_run(history, pipeline{onlooker<Look>{look}}, budget{.window = {~std::uint64_t{0}}}, count));
}

/// The messages of a view's groups, each group in brackets.
template <class Groups>
std::string named(Groups const& groups) {
    std::string out;
    for (auto const& group : groups) {
        out.append("[");
        for (auto const& m : group) out.append(m.name).append(" ");
        out.append("]");
    }
    return out;
}

std::size_t reads = 0;
std::size_t changes = 0;

/// Says how often it is read and changed.
struct watched {
    std::string text;
    condense::part_kind kind = condense::part_kind::text;
    condense::role speaker = condense::role::user;
    struct condense_traits {
        static condense::role role_of(watched const& m) { return m.speaker; }
        static void each_part(watched const& m, auto&& sink) {
            ++reads;
            sink(condense::part_view{.kind = m.kind, .text = m.text});
        }
        static watched with_part(watched const& m, std::size_t, std::string text) {
            ++changes;
            return {std::move(text), m.kind, m.speaker};
        }
    };
};

/// One token for each byte; the copies count together, and throw at one call.
struct counter {
    std::size_t* calls = nullptr;
    std::size_t fails_at = 0;
    cost operator()(std::string_view text) const {
        if (++*calls == fails_at) throw std::runtime_error{"no luck"};
        return cost::of({text.size()});
    }
};

std::vector<watched> const five = {{"aaaaa"}, {"bbb"}, {"cc"}, {"ddd"}, {"e"}};

template <class View>
std::string initials(View&& view) {
    std::string out;
    for (auto const& m : view) out += m.text[0];
    return out;
}

}  // namespace

TEST_CASE("ranges: the views give what the layers select") {
    framed const count;
    std::size_t cut = 0, joined = 0, partial = 0;
    auto const wanted = 30 + rounds(570);
    for (std::uint64_t seed = 0; seed < wanted; ++seed) {
        INFO("seed " << seed);
        auto const original = random_conversation(seed);
        std::list<chat_message> const history(original.begin(), original.end());
        auto const all = where(history);
        laws::random_source random{seed};

        std::vector<addresses<chat_message>> groups;
        std::size_t newest = 0;
        tokens const limit{random.below(12'000)};
        look_at(history, count, [&](auto const& draft) {
            groups.clear();
            for (auto const which : draft.groups()) {
                auto& group = groups.emplace_back();
                draft.each_member(which, [&](std::uint32_t index) { group.push_back(all[index]); });
            }
            auto const zone = condense::newest(limit).zone_in(draft, {});
            newest = 0;
            for (std::uint32_t index = 0; index < all.size(); ++index)
                newest += zone.holds(condense::detail::place_of(index)) ? 1u : 0u;
        });

        auto const grouped = history | views::groups;
        REQUIRE(grouped.size() == groups.size());
        for (std::size_t index = 0; index < groups.size(); ++index)
            REQUIRE(where(grouped[static_cast<std::ptrdiff_t>(index)]) == groups[index]);
        joined += groups.size() < all.size() ? 1u : 0u;

        auto const suffix = where(history | views::newest_within(limit, count));
        REQUIRE(suffix == addresses<chat_message>(all.end() - static_cast<std::ptrdiff_t>(newest), all.end()));
        REQUIRE(where(history | views::newest_within(
                                    budget{.window = limit + 90_tokens, .output = 60_tokens, .overhead = 30_tokens},
                                    count)) == suffix);
        partial += newest != 0 && newest != all.size() ? 1u : 0u;

        messages const most{random.below(all.size() + 2)};
        auto const mix = pipeline{condense::sliding_window{.when = used > most, .until = used <= most}};
        auto const reduced = dry_run(history, mix, budget{.window = {~std::uint64_t{0}}}, count);
        addresses<chat_message> left;
        reduced.each([&](chat_message const& m) { left.push_back(&m); });
        REQUIRE(where(history | views::window(most)) == left);
        REQUIRE(where(views::of(reduced)) == left);
        cut += left.size() < all.size() ? 1u : 0u;
    }
    CHECK(cut > wanted / 2);
    CHECK(joined > wanted / 2);
    CHECK(partial > wanted / 2);
}

TEST_CASE("ranges: of gives each message that a reduction would send") {
    framed const count;
    auto const mix = pipeline{compress{.when = used >= 10_pct}, condense::summarize{.when = used >= 60_pct}, repair{}};
    std::map<condense::sent_kind, std::size_t> seen_kinds;
    auto const wanted = rounds(300);
    for (std::uint64_t seed = 0; seed < wanted; ++seed) {
        INFO("seed " << seed);
        auto const original = random_conversation(seed);
        std::deque<chat_message> const history(original.begin(), original.end());
        condense::run_options<> options;
        options.marks = seed % 2 == 0;
        auto const reduced =
            condense::reduce(history, mix, {.window = seed % 3 == 0 ? 3'000_tokens : 20'000_tokens}, count, options);
        conversation sent;
        reduced.each([&](chat_message const& m) { sent.push_back(m); });
        std::vector<condense::sent_place> from;
        reduced.each_sent([&](condense::sent_place place) { from.push_back(place); });

        auto const seen = views::of(reduced);
        REQUIRE(ranges::equal(seen, sent));
        REQUIRE(ranges::equal(seen | ranges::views::reverse, conversation(sent.rbegin(), sent.rend())));
        auto const originals = where(history);
        auto const shown = where(seen);
        REQUIRE(shown == where(seen));  // made once
        for (std::size_t index = 0; index < from.size(); ++index) {
            if (from[index].kind == condense::sent_kind::original)
                REQUIRE(shown[index] == originals[from[index].index]);
            ++seen_kinds[from[index].kind];
        }
    }
    CHECK(seen_kinds[condense::sent_kind::original] > wanted);
    CHECK(seen_kinds[condense::sent_kind::changed] > wanted / 4);
    CHECK(seen_kinds[condense::sent_kind::summary] > wanted / 4);
    CHECK(seen_kinds[condense::sent_kind::answer] > wanted / 20);
}

TEST_CASE("ranges: members of a group stand in the order in which they joined") {
    conversation history{S("Be brief."),       U("Which log?"), C("a", "read_log").and_call("b", "read_log", "{}"),
                         R("b", "second"),     U("Hurry."),     R("a", "first"),
                         A("Nothing unusual.")};
    history = numbered(history);
    CHECK(named(history | views::groups) == "[m0 ][m1 ][m2 m3 m5 ][m4 ][m6 ]");
    CHECK(named(history | ranges::views::drop(3) | views::groups) == "[m3 ][m4 ][m5 ][m6 ]");
    history.clear();
    CHECK(named(history | views::groups).empty());
}

TEST_CASE("ranges: newest_within stops at the first message that does not fit, and equality fits") {
    // With 8, bbb does not fit, and aaaaa is not tried.
    for (auto const& [limit, left] : {std::pair{0_tokens, ""},
                                      {3_tokens, "e"},
                                      {4_tokens, "de"},
                                      {8_tokens, "cde"},
                                      {9_tokens, "bcde"},
                                      {14_tokens, "abcde"},
                                      {tokens{~std::uint64_t{0}}, "abcde"}})
        CHECK(initials(five | views::newest_within(limit, per_byte{})) == left);
    CHECK(initials(five | views::newest_within(budget{.window = 9_tokens}, per_byte{})) == "bcde");
    CHECK(initials(five | views::newest_within(budget{.window = 9_tokens, .output = 3_tokens, .overhead = 2_tokens},
                                               per_byte{})) == "de");
    CHECK(initials(five | views::newest_within(budget{.window = 9_tokens, .output = 10_tokens}, per_byte{})).empty());
    CHECK(initials(five | views::newest_within(1'000_tokens)) == "abcde");
    CHECK(initials(five | views::newest_within(10_tokens)) == "de");  // the default counts four tokens for a message
}

TEST_CASE("ranges: nothing is read before begin, and everything once") {
    reads = 0;
    std::size_t calls = 0;
    auto const newest = five | views::newest_within(4_tokens, counter{&calls});
    auto const copy = newest;
    CHECK(calls == 0);
    CHECK(initials(newest) == "de");
    CHECK(calls == 3);  // two that fit, and one that does not
    CHECK(initials(copy) == "de");
    CHECK(ranges::distance(newest) == 2);
    CHECK(calls == 3);

    reads = 0;
    auto const groups = five | views::groups;
    auto const sizes = groups | ranges::views::transform([](auto const& group) { return group.size(); });
    auto const window = five | views::window(2_messages);  // the task stays
    auto names = window | ranges::views::filter([](watched const& m) { return m.text.size() > 1; });
    auto const dry =
        dry_run(five, pipeline{condense::sliding_window{.when = used > 2_messages}}, {.window = 99_tokens}, per_byte{});
    auto const read_by_dry_run = std::exchange(reads, 0);
    auto const sent = views::of(dry);
    CHECK(read_by_dry_run == five.size());
    CHECK(reads == 0);
    CHECK(ranges::distance(sizes) == 5);
    CHECK(reads == five.size());
    CHECK(initials(names) == "a");
    CHECK(reads == 2 * five.size());
    CHECK(initials(sent) == "ae");
    CHECK(initials(window) == "ae");
    CHECK(groups.size() == 5);
    CHECK(reads == 2 * five.size());
}

TEST_CASE("ranges: of makes a message when it is first looked at") {
    using enum condense::part_kind;
    using condense::role;
    std::vector<watched> const history{{"a"},
                                       {"{}", tool_call, role::assistant},
                                       {letters(40'000, 'b'), tool_result, role::tool},
                                       {"{}", tool_call, role::assistant},
                                       {letters(40'000, 'd'), tool_result, role::tool},
                                       {"e", text, role::assistant}};
    auto const sent = views::of(dry_run(history, pipeline{compress{.when = always}}, {.window = 100'000_tokens}));
    changes = 0;
    CHECK(ranges::distance(sent) == 6);
    CHECK(sent[0].text == "a");
    CHECK(changes == 0);
    auto const copy = sent;
    auto const& result = sent[2];
    CHECK(changes == 1);
    CHECK(result.text.size() < 40'000);
    CHECK(&copy[2] == &result);
    CHECK(initials(copy) == "a{b{de");
    CHECK(changes == 2);
}

TEST_CASE("ranges: a reduction that has no name is kept, and a group outlives its view") {
    conversation const history{U("one"), A("two"), U("three")};
    auto const mix = pipeline{condense::sliding_window{.when = used > 2_messages, .until = used <= 2_messages}};
    auto const sent = dry_run(history, mix, {.window = 1'000_tokens}) | views::of;
    CHECK(where(sent) == addresses<chat_message>{&history[0], &history[2]});
    auto const group = (history | views::groups)[1];
    CHECK(where(group) == addresses<chat_message>{&history[1]});
}

TEST_CASE("ranges: what throws is tried again") {
    std::size_t calls = 0;
    auto const newest = five | views::newest_within(4_tokens, counter{&calls, 2});
    CHECK_THROWS_AS(newest.begin(), std::runtime_error);
    CHECK(initials(newest) == "de");
}

TEST_CASE("ranges: views of other ranges, other containers and other messages") {
    std::forward_list<watched> const forward(five.begin(), five.end());
    CHECK(initials(forward | views::newest_within(6_tokens, per_byte{})) == "cde");
    CHECK(initials(std::span{five} | views::window(3_messages)) == "ade");

    auto long_ones = five | ranges::views::filter([](watched const& m) { return m.text.size() > 2; });
    CHECK(initials(long_ones | views::newest_within(6_tokens, per_byte{})) == "bd");
    CHECK(ranges::distance(long_ones | views::groups) == 3);

    auto const last_two =
        ranges::views::drop(3) | views::newest_within(99_tokens, per_byte{}) | ranges::views::transform(&watched::text);
    CHECK(ranges::equal(five | last_two, std::vector<std::string>{"ddd", "e"}));

    std::string standard;
    for (auto const& text : five | views::window(3_messages) | std::views::transform(&watched::text)) standard += text;
    CHECK(standard == "aaaaaddde");

    std::vector<forms::handle> handles;
    for (auto const& m : forms::arranged<forms::handle>(random_conversation(3)))
        handles.push_back(forms::from_chat<forms::handle>(m));
    CHECK(where(handles | views::newest_within(tokens{~std::uint64_t{0}})) == where(handles));
    CHECK(where(views::of(dry_run(handles, pipeline{}, {.window = 9_tokens}))) == where(handles));
    std::size_t members = 0;
    for (auto const& group : handles | views::groups) members += group.size();
    CHECK(members == handles.size());

    forms::shelf<watched> shelf;
    for (auto const& m : five) shelf.push_back(m);
    CHECK(initials(shelf | views::window(3_messages)) == "ade");
    forms::lookout lookout{shelf};
    CHECK(initials(lookout | views::newest_within(4_tokens, per_byte{})) == "de");
}

namespace {

template <class View, class Reference>
concept selects = ranges::view_<View> && ranges::random_access_range<View> && ranges::random_access_range<View const> &&
                  ranges::sized_range<View> && ranges::common_range<View> && std::ranges::random_access_range<View> &&
                  std::same_as<ranges::range_reference_t<View>, Reference>;
using listed = std::list<chat_message>;
using group_of_list = ranges::range_value_t<decltype(std::declval<listed&>() | views::groups)>;
static_assert(selects<decltype(std::declval<listed&>() | views::groups), condense::message_group<chat_message>>);
static_assert(selects<group_of_list, chat_message const&>);
static_assert(selects<decltype(std::declval<listed&>() | views::window(1_messages)), chat_message const&>);
static_assert(selects<decltype(std::declval<listed const&>() | views::newest_within(1_tokens)), chat_message const&>);
static_assert(selects<decltype(views::of(dry_run(std::declval<listed&>(), pipeline{}, {}))), chat_message const&>);
static_assert(std::same_as<decltype(std::declval<listed&>() | views::groups),
                           decltype(std::declval<listed const&>() | views::groups)>);
static_assert(sizeof(decltype(std::declval<listed&>() | views::groups)) <= 3 * sizeof(void*));  // cheap to copy

}  // namespace

TEST_CASE("ranges: where the messages are is asked at the first look, for all copies") {
    auto history = five;
    auto const view = history | views::window(2_messages);
    auto const copy = view;
    history.push_back({"f"});
    CHECK(initials(view) == "af");
    CHECK(&copy[1] == &history.back());
    CHECK(initials(copy | ranges::views::reverse) == "fa");
    CHECK((copy.end()[-2].text == "aaaaa" && copy.begin() - copy.end() == -2 && copy.begin()[1].text == "f"));
    auto const composed = views::window(2_messages) | ranges::views::reverse;
    CHECK(initials(five | composed) == "ea");
}

TEST_CASE("ranges: a view that was not made of a history is empty") {
    decltype(five | views::groups) const groups;
    decltype(five | views::window(1_messages)) const window;
    CHECK(groups.empty());
    CHECK(window.size() == 0);
    CHECK(ranges::range_value_t<decltype(groups)>{}.empty());
}
