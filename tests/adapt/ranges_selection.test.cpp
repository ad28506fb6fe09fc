// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/ranges_selection.hpp>

#include <concepts>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <range/v3/range/access.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/reverse.hpp>

#include <condense/core/part.hpp>

#include "support/catch.hpp"

namespace {

namespace detail = condense::detail;

struct line {
    std::string text;
    struct condense_traits {
        static condense::role role_of(line const&) { return condense::role::user; }
        static void each_part(line const& m, auto&& sink) { sink(condense::part_view{.text = m.text}); }
    };
};

std::size_t finds = 0;

/// The first messages of a history, so many.
struct first_few {
    std::size_t most = 2;

    template <class History, class Message>
    void operator()(History& history, std::vector<Message const*>& places) const {
        ++finds;
        for (auto const& m : history) {
            places.push_back(std::addressof(m));
            if (places.size() == most) return;
        }
        if (most == 99) throw std::runtime_error{"not yet"};
    }
};

template <class View>
std::string letters(View&& view) {
    std::string out;
    for (auto const& m : view) out += m.text;
    return out;
}

template <class History>
using selected = decltype(detail::pick<first_few>{}(std::declval<History>()));

using lines = std::vector<line>;
static_assert(ranges::random_access_range<selected<lines&>> && ranges::sized_range<selected<lines&>>);
static_assert(ranges::common_range<selected<lines&>> && ranges::viewable_range<selected<lines&>>);
static_assert(std::same_as<ranges::range_reference_t<selected<lines&>>, line const&>);
static_assert(std::same_as<ranges::range_reference_t<selected<std::list<line>&>>, line const&>);

// A container is referred to, as const where that can be walked; a view is kept as it is.
template <class History>
using kept = decltype(detail::view_of_history(std::declval<History>()));
static_assert(std::same_as<kept<lines&>, kept<lines const&>>);
static_assert(std::same_as<ranges::range_reference_t<kept<lines&>>, line const&>);
using half = decltype(ranges::views::filter(std::declval<lines&>(), std::declval<bool (*)(line const&)>()));
static_assert(!ranges::range<half const> && std::same_as<kept<half&>, half> && std::same_as<kept<half>, half>);

static_assert(detail::accepted_history<lines&>() && detail::accepted_history<lines const&>());
static_assert(detail::accepted_history<std::deque<line>&>() && detail::accepted_history<half&>() &&
              detail::accepted_history<half>());

using cursor = detail::selection_cursor<detail::pointee_at<int>>;
constexpr bool a_cursor_moves_by_index() {
    int const values[] = {10, 11, 12};
    int const* const places[] = {values + 2, values, values + 1};
    cursor at{{places}, 0};
    cursor const end{{places}, 3};
    if (&at.read() != values + 2 || at.distance_to(end) != 3 || end.distance_to(at) != -3) return false;
    at.next();
    if (at.read() != 10) return false;
    at.advance(1);
    if (at.read() != 11 || at.equal(end)) return false;
    at.prev();
    at.advance(2);
    if (!at.equal(end)) return false;
    at.advance(-3);
    return at.read() == 12 && at.index == 0;
}
static_assert(a_cursor_moves_by_index());

/// Makes its elements, and counts how often it is asked for them.
struct maker {
    int found = 0;
    void evaluate() { ++found; }
    std::size_t size() const { return 3; }
    detail::element_access<maker> access() { return {this}; }
    std::string element(std::size_t index) const { return std::string(index, 'x'); }
};

}  // namespace

TEST_CASE("ranges_selection: a cursor moves by index", "[adapt][ranges]") { CHECK(a_cursor_moves_by_index()); }

TEST_CASE("ranges_selection: nothing is decided before the first look, and then once for all copies",
          "[adapt][ranges]") {
    lines history{{"a"}, {"b"}, {"c"}};
    finds = 0;
    auto const view = history | detail::view_closure{detail::pick<first_few>{}};
    auto const copy = view;
    CHECK(finds == 0);
    history.push_back({"d"});  // where the messages are is asked at the first look
    CHECK(letters(view) == "ab");
    CHECK(letters(copy) == "ab");
    CHECK(view.size() == 2);
    CHECK(finds == 1);
    CHECK(std::addressof(copy[1]) == &history[1]);
    CHECK(letters(copy | ranges::views::reverse) == "ba");
    CHECK(letters(history | detail::view_closure{detail::pick<first_few>{{9}}}) == "abcd");
    CHECK(finds == 2);
}

TEST_CASE("ranges_selection: what was thrown while finding leaves it to be found", "[adapt][ranges]") {
    lines history{{"a"}, {"b"}};
    auto const view = detail::pick<first_few>{{99}}(history);
    CHECK_THROWS_AS(view.begin(), std::runtime_error);
    CHECK_THROWS_AS(view.end(), std::runtime_error);
    history.resize(99, {"c"});
    CHECK(view.size() == 99);
    CHECK(letters(view).size() == 99);
}

TEST_CASE("ranges_selection: a selection of nothing is empty", "[adapt][ranges]") {
    selected<lines&> const none;
    CHECK(none.begin() == none.end());
    CHECK(letters(none).empty());
    lines const empty;
    CHECK(letters(detail::pick<first_few>{}(empty)).empty());
}

TEST_CASE("ranges_selection: elements may be made when they are read", "[adapt][ranges]") {
    auto const held = std::make_shared<maker>();
    detail::selection<maker> const view{held};
    CHECK(held->found == 0);
    std::vector<std::string> all;
    for (auto&& made : view) all.push_back(made);
    CHECK(all == std::vector<std::string>{"", "x", "xx"});
    CHECK(held->found > 0);
    // A copy keeps alive what is held.
    std::weak_ptr<maker> const watch = held;
    CHECK(watch.use_count() == 2);
    {
        auto const copy = view;
        CHECK(watch.use_count() == 3);
    }
    CHECK(watch.use_count() == 2);
}

TEST_CASE("ranges_selection: a closure of a view can be composed with others", "[adapt][ranges]") {
    lines const history{{"a"}, {"b"}, {"c"}};
    detail::view_closure const two{detail::pick<first_few>{}};
    CHECK(letters(history | two | ranges::views::reverse) == "ba");
    auto const composed = two | ranges::views::reverse;
    CHECK(letters(history | composed) == "ba");
}
