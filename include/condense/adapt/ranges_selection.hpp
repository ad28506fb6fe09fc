// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <range/v3/functional/pipeable.hpp>
#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/traits.hpp>
#include <range/v3/view/all.hpp>
#include <range/v3/view/interface.hpp>
#include <range/v3/view/view.hpp>

#include <condense/core/message.hpp>
#include <condense/core/reduce.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/source.hpp>

// The machinery of the views in <condense/adapt/ranges.hpp>: a range that is decided at its first use and
// shared by its copies, what a history has to be, and the closures that are piped into.

namespace condense {
inline namespace v1 {
namespace detail {

/// By index over what At gives, a callable that stays valid as long as the selection.
template <class At>
struct selection_cursor {
    At at = {};
    std::size_t index = 0;

    constexpr decltype(auto) read() const { return at(index); }
    constexpr bool equal(selection_cursor const& other) const noexcept { return index == other.index; }
    constexpr void next() noexcept { ++index; }
    constexpr void prev() noexcept { --index; }
    constexpr void advance(std::ptrdiff_t by) noexcept { index += static_cast<std::size_t>(by); }
    constexpr std::ptrdiff_t distance_to(selection_cursor const& other) const noexcept {
        return static_cast<std::ptrdiff_t>(other.index) - static_cast<std::ptrdiff_t>(index);
    }
};

/// Messages that are somewhere else.
template <class Message>
struct pointee_at {
    Message const* const* first = nullptr;
    constexpr Message const& operator()(std::size_t index) const noexcept { return *first[index]; }
};

/// What Held finds or makes when it is asked.
template <class Held>
struct held_at {
    Held* held = nullptr;
    constexpr decltype(auto) operator()(std::size_t index) const { return held->element(index); }
};

/// Held has `find()`, which does its work once, `size()`, and `at()` by index.
template <class Held>
class selection : public ranges::view_interface<selection<Held>, ranges::finite> {
    using cursor = selection_cursor<decltype(std::declval<Held&>().at())>;

public:
    selection() = default;
    explicit selection(std::shared_ptr<Held> held) noexcept : held_{std::move(held)} {}

    auto begin() const {
        if (held_ == nullptr) return ranges::basic_iterator<cursor>{};
        held_->find();
        return ranges::basic_iterator<cursor>{cursor{held_->at(), 0}};
    }
    auto end() const {
        if (held_ == nullptr) return ranges::basic_iterator<cursor>{};
        held_->find();
        return ranges::basic_iterator<cursor>{cursor{held_->at(), held_->size()}};
    }

private:
    std::shared_ptr<Held> held_;
};

/// Messages of a history, picked by `Find`, which writes their addresses in order.
template <class History, class Find>
class picked {
public:
    using message_type = typename source<History>::message_type;

    picked(History history, Find how) : history_{std::move(history)}, find_{std::move(how)} {}

    void find() {
        if (found_) return;
        std::vector<message_type const*> places;
        find_(history_, places);
        places_ = std::move(places);
        found_ = true;
    }
    std::size_t size() const noexcept { return places_.size(); }
    pointee_at<message_type> at() const noexcept { return {places_.data()}; }

private:
    History history_;
    Find find_;
    std::vector<message_type const*> places_;
    bool found_ = false;
};

/// A history as a view keeps it: a container by reference, as const where that can be walked; a view as it is.
template <class History>
constexpr auto kept_history(History&& history) {
    using plain = std::remove_reference_t<History>;
    if constexpr (std::is_lvalue_reference_v<History> && !ranges::view_<std::remove_const_t<plain>> &&
                  ranges::forward_range<plain const>)
        return ranges::views::all(static_cast<plain const&>(history));
    else return ranges::views::all(static_cast<History&&>(history));
}

template <class History>
concept walkable = ranges::forward_range<History> && history<History>;

template <class History>
concept holds_elements = std::is_lvalue_reference_v<decltype(*ranges_access::begin_of(std::declval<History&>()))>;

/// Whether a view can be made of a history; where not, the first thing that is wrong with it is said.
template <class History, class Plain = std::remove_reference_t<History>>
constexpr bool accepted_history() {
    static_assert(!is_document<std::remove_const_t<Plain>>,
                  "condense: views: a document must be given as the array of its messages (see messages_of)");
    static_assert(walkable<Plain>,
                  "condense: views: the history must be a range that can be walked again and again (see message)");
    if constexpr (is_document<std::remove_const_t<Plain>> || !walkable<Plain>) return false;
    else {
        static_assert(ranges::viewable_range<History>,
                      "condense: views: the history must outlive the view: give a container that has a name, or a view "
                      "(see message)");
        static_assert(holds_elements<Plain>,
                      "condense: views: the elements of the history must be there to be referred to, not made when "
                      "read (see message)");
        static_assert(message<element_of<Plain>>,
                      "condense: views: the elements of the history must be messages: give message_traits role_of and "
                      "each_part (see message)");
        return ranges::viewable_range<History> && holds_elements<Plain> && message<element_of<Plain>>;
    }
}

/// As range-v3's, with our sentence before its own where the left side is no history.
template <class Verb>
struct view_closure : ranges::views::view_closure<Verb> {
    view_closure() = default;
    constexpr explicit view_closure(Verb verb) : ranges::views::view_closure<Verb>{std::move(verb)} {}

    template <class History>
        requires(!ranges::is_pipeable_v<std::remove_cvref_t<History>>)
    friend constexpr auto operator|(History&& history, view_closure const& verb) {
        return verb(std::forward<History>(history));
    }
};

/// A verb on a history that gives the messages which Find picks.
template <class Find>
struct pick {
    Find find = {};

    template <class History>
    constexpr auto operator()(History&& history) const {
        if constexpr (accepted_history<History>()) {
            using held = picked<decltype(kept_history(std::forward<History>(history))), Find>;
            return selection<held>{std::make_shared<held>(kept_history(std::forward<History>(history)), find)};
        }
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense

template <class Verb>
inline constexpr bool ranges::is_pipeable_v<condense::detail::view_closure<Verb>> = true;
