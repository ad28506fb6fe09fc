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

// The machinery of the views in <condense/adapt/ranges.hpp>: a range that is evaluated at its first use and shared by
// its copies, the requirements on a history, and the closures that histories are piped into.

namespace condense {
inline namespace v1 {
namespace detail {

/// A range-v3 cursor by index. Access: a callable from an index to an element, valid as long as the selection.
template <class Access>
struct selection_cursor {
    Access access = {};
    std::size_t index = 0;

    constexpr decltype(auto) read() const { return access(index); }
    constexpr bool equal(selection_cursor const& other) const noexcept { return index == other.index; }
    constexpr void next() noexcept { ++index; }
    constexpr void prev() noexcept { --index; }
    constexpr void advance(std::ptrdiff_t by) noexcept { index += static_cast<std::size_t>(by); }
    constexpr std::ptrdiff_t distance_to(selection_cursor const& other) const noexcept {
        return static_cast<std::ptrdiff_t>(other.index) - static_cast<std::ptrdiff_t>(index);
    }
};

/// Messages by their addresses.
template <class Message>
struct pointee_at {
    Message const* const* first = nullptr;
    constexpr Message const& operator()(std::size_t index) const noexcept { return *first[index]; }
};

/// Elements that Storage computes on access.
template <class Storage>
struct element_access {
    Storage* storage = nullptr;
    constexpr decltype(auto) operator()(std::size_t index) const { return storage->element(index); }
};

/// A view whose copies share one Storage, which has `evaluate()`, doing its work once, `size()`, and `access()`, a
/// callable by index.
template <class Storage>
class selection : public ranges::view_interface<selection<Storage>, ranges::finite> {
    using cursor = selection_cursor<decltype(std::declval<Storage&>().access())>;

public:
    selection() = default;
    explicit selection(std::shared_ptr<Storage> storage) noexcept : storage_{std::move(storage)} {}

    auto begin() const {
        if (storage_ == nullptr) return ranges::basic_iterator<cursor>{};
        storage_->evaluate();
        return ranges::basic_iterator<cursor>{cursor{storage_->access(), 0}};
    }
    auto end() const {
        if (storage_ == nullptr) return ranges::basic_iterator<cursor>{};
        storage_->evaluate();
        return ranges::basic_iterator<cursor>{cursor{storage_->access(), storage_->size()}};
    }

private:
    std::shared_ptr<Storage> storage_;
};

/// The storage of messages of a history chosen by `Select`, which appends their addresses in order. Nothing changes if
/// it throws.
template <class History, class Select>
class lazy_selection {
public:
    using message_type = typename source<History>::message_type;

    /// `history` is a view.
    lazy_selection(History history, Select select) : history_{std::move(history)}, select_{std::move(select)} {}

    void evaluate() {
        if (evaluated_) return;
        std::vector<message_type const*> selected;
        select_(history_, selected);
        selected_ = std::move(selected);
        evaluated_ = true;
    }
    std::size_t size() const noexcept { return selected_.size(); }
    pointee_at<message_type> access() const noexcept { return {selected_.data()}; }

private:
    History history_;
    Select select_;
    std::vector<message_type const*> selected_;
    bool evaluated_ = false;
};

/// The history as a view: a container by reference, const if it can be read so; a view by value.
template <class History>
constexpr auto view_of_history(History&& history) {
    using plain = std::remove_reference_t<History>;
    if constexpr (std::is_lvalue_reference_v<History> && !ranges::view_<std::remove_const_t<plain>> &&
                  ranges::forward_range<plain const>)
        return ranges::views::all(static_cast<plain const&>(history));
    else return ranges::views::all(static_cast<History&&>(history));
}

/// A forward range for range-v3 and for the library.
template <class History>
concept walkable = ranges::forward_range<History> && history<History>;

/// Its elements are objects that stay, so that a view may refer to them.
template <class History>
concept holds_elements = std::is_lvalue_reference_v<decltype(*ranges_access::begin_of(std::declval<History&>()))>;

/// True if the history can be viewed; else a static_assert names the first problem.
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

/// The closure of range-v3, with our diagnostic before its own if the left side is no history.
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

/// A view closure's function: the messages of a history that Select chooses.
template <class Select>
struct pick {
    Select select = {};

    template <class History>
    constexpr auto operator()(History&& history) const {
        if constexpr (accepted_history<History>()) {
            using storage = lazy_selection<decltype(view_of_history(std::forward<History>(history))), Select>;
            return selection<storage>{
                std::make_shared<storage>(view_of_history(std::forward<History>(history)), select)};
        }
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense

template <class Verb>
inline constexpr bool ranges::is_pipeable_v<condense::detail::view_closure<Verb>> = true;
