// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/place_set.hpp>

#include <iterator>
#include <map>
#include <ranges>
#include <set>

#include <condense/detail/call_index.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/heap.hpp>
#include <condense/detail/index_iterator.hpp>
#include <condense/detail/sort.hpp>
#include <condense/detail/sparse_vector.hpp>

#include "core/constant.hpp"
#include "laws/generator.hpp"
#include "support/effort.hpp"

namespace {

using condense::detail::place_set;

constexpr bool finds_its_members() {
    place_set places;
    places.reserve_more(200);
    places.extend_to(200);
    bool good = places.next(0) == 200 && places.previous(200) == place_set::none;
    for (auto const number : {0u, 3u, 63u, 64u, 199u}) places.insert(number);
    good = good && places.next(0) == 0 && places.next(1) == 3 && places.next(4) == 63 && places.next(64) == 64 &&
           places.next(65) == 199 && places.next(200) == 200;
    good = good && places.previous(200) == 199 && places.previous(199) == 64 && places.previous(64) == 63 &&
           places.previous(3) == 0 && places.previous(0) == place_set::none;
    places.erase(63);
    return good && !places.contains(63) && places.contains(64) && places.next(4) == 64;
}

TEST_CASE("place_set: finds its members, forward and backward, on levels that come as it grows") {
    CHECK_CONSTANT(finds_its_members());
    place_set places;
    for (std::uint32_t number = 0; number < 300'000; ++number) {
        places.reserve_more(1);
        places.extend_to(number + 1);
        if (number % 50'000 == 7) places.insert(number);
    }
    std::uint32_t count = 0;
    for (auto number = places.next(0); number < places.size(); number = places.next(number + 1)) {
        CHECK(number == count * 50'000 + 7);
        ++count;
    }
    CHECK(count == 6);
}

TEST_CASE("place_set: does what an ordered set does") {
    for (std::uint64_t seed = 1; seed <= rounds(200); ++seed) {
        laws::random_source random{seed};
        std::vector<std::uint32_t> early;  // numbers below the base that may be members
        auto const base = static_cast<std::uint32_t>(random.chance(50) ? 0 : random.below(5'000));
        for (std::uint32_t number = 0; number < base; ++number)
            if (random.chance(1)) early.push_back(number);
        place_set places{base, early};
        std::set<std::uint32_t> model;
        for (int step = 0; step < 400; ++step) {
            if (random.chance(20) || places.size() == 0) {
                auto const more = static_cast<std::uint32_t>(1 + random.below(random.chance(10) ? 9'000 : 70));
                places.reserve_more(more);
                places.extend_to(places.size() + more);
            }
            auto number = static_cast<std::uint32_t>(random.below(places.size()));
            if (number < base && !early.empty()) number = early[random.below(early.size())];
            if (number >= places.size() || (number < base && early.empty())) continue;
            if (random.chance(40)) places.insert(number), model.insert(number);
            else places.erase(number), model.erase(number);
            auto const at = static_cast<std::uint32_t>(random.below(places.size() + 1));
            auto const next = model.lower_bound(at);
            CAPTURE(seed, step, at, base);
            REQUIRE(places.contains(number) == (model.count(number) != 0));
            REQUIRE(places.next(at) == (next == model.end() ? places.size() : *next));
            REQUIRE(places.previous(at) == (next == model.begin() ? place_set::none : *std::prev(next)));
        }
    }
}

TEST_CASE("place_set: a walk over all follows what it changes ahead") {
    for (std::uint64_t seed = 1; seed <= rounds(200); ++seed) {
        laws::random_source random{seed};
        auto const size = static_cast<std::uint32_t>(random.below(random.chance(20) ? 9'000 : 300));
        place_set places;
        places.reserve_more(size);
        places.extend_to(size);
        for (std::uint32_t number = 0; number < size; ++number)
            if (random.chance(30)) places.insert(number);
        std::uint32_t from = 0;  // the least that the walk may meet next
        auto const meet = [&](std::uint32_t number) {
            CAPTURE(seed, from);
            REQUIRE(number == places.next(from));
            from = number + 1;
            places.erase(number);
            auto const ahead = static_cast<std::uint32_t>(number + 1 + random.below(100));
            if (ahead >= size) return;
            if (random.chance(50)) places.insert(ahead);
            else places.erase(ahead);
        };
        places.each(meet);
        CHECK(places.next(from) == size);
    }
}

using condense::detail::call_index, condense::detail::none32;

std::uint32_t add(call_index& calls, std::string_view id, std::string_view tool = {}, std::uint32_t message = 0) {
    calls.reserve_more(1, id.size() + tool.size());
    return calls.add(id, tool, message);
}

TEST_CASE("call_index: calls are found by their id, the newest that waits first") {
    call_index calls;
    CHECK(calls.nearest("a") == none32);
    CHECK((add(calls, "a", "read", 3) == 0 && add(calls, "b", "write", 4) == 1 && add(calls, "a", "shell", 5) == 2));
    CHECK(calls.nearest("a") == 2);
    calls[2].answered = true;
    CHECK(calls.nearest("a") == 0);
    calls[0].answered = true;
    CHECK(calls.nearest("a") == 2);  // all are answered: the newest of that id
    CHECK((calls.nearest("b") == 1 && calls.nearest("c") == none32));
    CHECK((calls.size() == 3 && calls.id(2) == "a" && calls.tool(2) == "shell" && calls[2].message == 5));
}

TEST_CASE("call_index: ids of any bytes are told apart, and calls without an id are never found") {
    call_index calls;
    std::vector<std::string> ids = {"a",          "aa", "aaa",  std::string(1'000, 'a'), std::string(1'001, 'a'),
                                    "\n",         " ",  "\xFF", std::string("\0", 1),    std::string("a\0b", 3),
                                    "../../etc/x"};
    for (auto const& id : ids) add(calls, id, "tool");
    for (std::uint32_t index = 0; index < ids.size(); ++index)
        CHECK((calls.nearest(ids[index]) == index && calls.id(index) == ids[index]));
    call_index nameless;
    CHECK(add(nameless, "", "read") == 0);
    CHECK(nameless.nearest("") == none32);
    CHECK(add(nameless, "a") == 1);
    CHECK((nameless.nearest("") == none32 && nameless.tool(0) == "read" && nameless.tool(1).empty()));
}

TEST_CASE("call_index: does what lists of calls do, for any order of calls, answers and calls that are open again") {
    for (bool const expected_to_come : {false, true}) {
        call_index calls;
        if (expected_to_come) calls.expect(3'000, 10'000);
        std::map<std::string, std::vector<std::uint32_t>> made;  // of each id, in order
        laws::random_source random{5};
        std::size_t reopened = 0;
        for (int step = 0; step < 20'000; ++step) {
            auto const id = "id" + std::to_string(random.below(random.below(2) == 0 ? 20 : 3'000));
            auto& of_id = made[id];
            auto const what = random.below(8);
            if (what < 4) of_id.push_back(add(calls, id, "t"));
            else if (what == 4 && !of_id.empty()) {
                auto const call = of_id[random.below(of_id.size())];
                reopened += calls[call].answered ? 1u : 0u;
                if (calls[call].answered) calls.reopen(call);
            } else {
                auto const waits = std::find_if(of_id.rbegin(), of_id.rend(),
                                                [&](std::uint32_t call) { return !calls[call].answered; });
                auto const newest = of_id.empty() ? none32 : of_id.back();
                REQUIRE(calls.nearest(id) == (waits != of_id.rend() ? *waits : newest));
                if (waits != of_id.rend()) calls[*waits].answered = true;
            }
        }
        CHECK(calls.size() > 9'000);
        CHECK(reopened > 100);
    }
}

TEST_CASE("call_index: after reserve_more nothing is allocated") {
    call_index calls;
    std::vector<std::string> ids;
    std::size_t text = 0;
    for (int number = 0; number < 500; ++number) {
        ids.push_back("an id that is longer than a small string " + std::to_string(number));
        text += ids.back().size() + 4;
    }
    calls.reserve_more(ids.size(), text);
    auto const* const first = (add(calls, ids[0], "tool"), calls.id(0).data());
    for (std::size_t index = 1; index < ids.size(); ++index) calls.add(ids[index], "tool", 0);
    CHECK((calls.id(0).data() == first && calls.nearest(ids[499]) == 499));
}

using condense::detail::sparse_vector;

using condense::detail::sparse_layout;

std::vector<std::uint32_t> indices(sparse_vector<int> const& values) {
    std::vector<std::uint32_t> all;
    values.each([&](std::uint32_t index) { all.push_back(index); });
    return all;
}

TEST_CASE("sparse_vector: values that stay keep their indices, others read as gone") {
    sparse_vector<int> values;
    for (int number = 0; number < 10; ++number) values.push_back(100 + number);
    CHECK((values.size() == 10 && values.count() == 10 && values[0] == 100 && values.contains(9)));
    auto some = values.with_only({{1, 4}, 7}, -1);
    values = some.with_only({{4, 7}, 9}, -2);
    for (auto* const each : {&some, &values}) {
        each->push_back(110);
        (*each)[4] = 44;
        CHECK((each->size() == 11 && (*each)[4] == 44 && (*each)[7] == 107 && (*each)[10] == 110));
    }
    CHECK((some.count() == 6 && values.count() == 4));
    CHECK((some[0] == -1 && some[1] == 101 && some[5] == -1 && some[6] == -1 && some[8] == 108));
    CHECK((values[0] == -2 && values[1] == -2 && values[6] == -2 && values[8] == -2 && values[9] == 109));
    CHECK((some.contains(7) && some.contains(4) && !some.contains(3) && !values.contains(8) && values.contains(10)));
    CHECK(indices(some) == std::vector<std::uint32_t>{1, 4, 7, 8, 9, 10});
    CHECK(indices(values) == std::vector<std::uint32_t>{4, 7, 9, 10});
}

TEST_CASE("sparse_vector: is filled in order where it has a layout") {
    sparse_vector<int> values{{{2, 5}, 8}, -1};
    values.skip_to(2);
    values.push_back(102);
    CHECK((values.size() == 3 && values[2] == 102 && values[1] == -1));
    CHECK(indices(values) == std::vector<std::uint32_t>{2});
    values.skip_to(5);
    values.push_back(105);
    values.skip_to(8);
    for (int number = 108; number < 111; ++number) values.push_back(number);
    CHECK((values.size() == 11 && values[5] == 105 && values[6] == -1 && values[8] == 108 && values[10] == 110));
    CHECK(indices(values) == std::vector<std::uint32_t>{2, 5, 8, 9, 10});
}

TEST_CASE("sparse_layout: all are there from where more than half are needed") {
    auto const is = [](std::vector<std::uint32_t> left, std::size_t size, std::size_t least,
                       std::vector<std::uint32_t> const& early, std::size_t dense) {
        auto const made = sparse_layout::of(std::move(left), size, least);
        return made.early == early && made.dense == dense;
    };
    CHECK(is({}, 10, 0, {}, 10));
    CHECK(is({0, 1, 2}, 3, 0, {}, 0));
    CHECK(is({0, 8, 9}, 10, 0, {0}, 8));
    CHECK(is({0, 6, 9}, 10, 0, {0}, 6));
    CHECK(is({0, 5, 9}, 10, 0, {0, 5}, 9));
    CHECK(is({0, 6, 9}, 10, 7, {0, 6}, 9));
    CHECK(is({0, 1}, 10, 0, {0, 1}, 10));
}

TEST_CASE("grow: makes the room that was asked for, and many small steps move little") {
    std::vector<int> values;
    condense::detail::grow(values, 3);
    REQUIRE(values.capacity() >= 3);
    auto const* const at = values.data();
    for (int each = 0; each < 3; ++each) values.push_back(each);
    CHECK(values.data() == at);
    std::string text(100, 'x');
    condense::detail::grow(text, 1'000);
    CHECK((text.capacity() >= 1'100 && text.size() == 100));
    std::size_t moves = 0;
    values = {};
    for (int each = 0; each < 10'000; ++each) {
        auto const before = values.capacity();
        condense::detail::grow(values, 1);
        moves += values.capacity() != before ? 1u : 0u;
        values.push_back(each);
    }
    CHECK(moves < 20);
}

namespace detail = condense::detail;

struct pair {
    std::uint32_t part_id = 0;
    int label = 0;
    friend constexpr bool operator==(pair, pair) = default;
};

bool by_part(pair left, pair right) { return left.part_id < right.part_id; }

/// Columns below `kinds` in a scattered order: sorted, and equals in the order in which they came.
bool sorts(std::size_t count, std::uint32_t kinds) {
    std::vector<pair> values;
    for (std::size_t at = 0; at < count; ++at)
        values.push_back({static_cast<std::uint32_t>(at * 7919 % 1013) % kinds, static_cast<int>(at)});
    detail::sort(values, by_part);
    for (std::size_t at = 1; at < count; ++at) {
        if (values[at].part_id < values[at - 1].part_id) return false;
        if (values[at].part_id == values[at - 1].part_id && values[at].label < values[at - 1].label) return false;
    }
    return values.size() == count;
}

TEST_CASE("sort: in order, and stable; parts are found by their ids") {
    for (std::size_t count = 0; count < 70; ++count)
        for (std::uint32_t const kinds : {1u, 2u, 5u, 1'000u}) CHECK(sorts(count, kinds));
    CHECK(sorts(100'000, 900));
    std::vector<pair> const values{{2, 20}, {3, 30}, {7, 70}, {100, 1'000}};
    for (auto const& one : values) {
        auto const* const found = detail::find_part(values, one.part_id);
        CHECK((found != nullptr && *found == one));
    }
    for (std::uint32_t const absent : {0u, 4u, 99u, 101u, ~0u}) CHECK(detail::find_part(values, absent) == nullptr);
    CHECK(detail::find_part(std::vector<pair>{}, 0) == nullptr);
}

struct digit {
    int value = 0;
    void operator&() const = delete;
};
struct digits {
    digit all[3] = {{7}, {8}, {9}};

    constexpr digit const& operator[](std::size_t index) const { return all[index]; }
    using iterator = condense::detail::index_iterator<digits, (&digits::operator[])>;
    constexpr iterator begin() const noexcept { return {*this, 0}; }
    constexpr iterator end() const noexcept { return {*this, 3}; }
};
/// A range that is gone before its iterators are.
struct view {
    digits const* of;

    using iterator = condense::detail::index_iterator<digits, (&digits::operator[])>;
    constexpr iterator begin() const noexcept { return of->begin(); }
};

static_assert(std::forward_iterator<digits::iterator> && !std::bidirectional_iterator<digits::iterator>);
static_assert(std::ranges::forward_range<digits const>);
static_assert(std::same_as<std::iter_value_t<digits::iterator>, digit> &&
              std::same_as<std::iter_reference_t<digits::iterator>, digit const&>);

constexpr bool elements_come_in_order() {
    digits const of;
    int number = 0;
    for (auto const& each : of) number = 10 * number + each.value;
    return number == 789;
}

constexpr bool a_step_gives_the_old_place_or_the_new_one() {
    digits const of;
    auto at = of.begin();
    return (at++)->value == 7 && at->value == 8 && (++at)->value == 9 && at != of.end() && ++at == of.end();
}

constexpr bool iterators_outlive_their_range() {
    digits const of;
    auto const at = view{&of}.begin();
    return at->value == 7 && at == of.begin();
}

static_assert(digits::iterator{} == digits::iterator{});

TEST_CASE("index_iterator: elements of an owner by index") {
    CHECK_CONSTANT(elements_come_in_order());
    CHECK_CONSTANT(a_step_gives_the_old_place_or_the_new_one());
    CHECK_CONSTANT(iterators_outlive_their_range());
}

}  // namespace

namespace {

struct number {
    std::uint32_t value = 0;
    bool before(number const& other) const noexcept { return value > other.value; }
};

}  // namespace

TEST_CASE("heap: gives all values in order, whatever it began with and whatever changes at its front") {
    std::uint32_t state = 7;
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<number> heap;
        while (heap.size() < size) heap.push_back({(state = state * 1664525 + 1013904223) % 25});
        condense::detail::make_heap(heap);
        if (size > 2) {
            heap[0].value = 3;
            condense::detail::sink(heap, 0);
        }
        for (std::uint32_t last = 25; !heap.empty(); condense::detail::pop_first(heap)) {
            CHECK(heap[0].value <= last);
            last = heap[0].value;
        }
    }
}
