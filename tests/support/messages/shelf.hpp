// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

// A container that is none of the standard library's: it goes forward, grows at its end and can be
// swapped. No erase, no reserve, no assignment, no copy. And a range that can only be walked while it
// may be changed.

namespace forms {

template <class Element>
class shelf {
    struct node {
        Element held;
        node* next = nullptr;
    };

    template <class Held>
    class place {
    public:
        using value_type = std::remove_const_t<Held>;
        using difference_type = std::ptrdiff_t;
        using reference = Held&;
        using pointer = Held*;
        using iterator_category = std::forward_iterator_tag;

        place() = default;
        explicit place(node* at) : at_{at} {}
        Held& operator*() const { return at_->held; }
        Held* operator->() const { return &at_->held; }
        place& operator++() {
            at_ = at_->next;
            return *this;
        }
        place operator++(int) {
            auto const before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(place const&, place const&) = default;

    private:
        node* at_ = nullptr;
    };

public:
    shelf() = default;
    shelf(shelf&& other) noexcept { swap(*this, other); }
    shelf& operator=(shelf const&) = delete;
    ~shelf() {
        while (first_ != nullptr) delete std::exchange(first_, first_->next);
    }

    void push_back(Element const& element) { append(new node{element}); }
    void push_back(Element&& element) { append(new node{std::move(element)}); }

    auto begin() { return place<Element>{first_}; }
    auto end() { return place<Element>{}; }
    auto begin() const { return place<Element const>{first_}; }
    auto end() const { return place<Element const>{}; }
    std::size_t size() const { return size_; }

    friend void swap(shelf& one, shelf& other) noexcept {
        std::swap(one.first_, other.first_);
        std::swap(one.last_, other.last_);
        std::swap(one.size_, other.size_);
    }

private:
    void append(node* made) {
        (last_ == nullptr ? first_ : last_->next) = made;
        last_ = made;
        ++size_;
    }

    node* first_ = nullptr;
    node* last_ = nullptr;
    std::size_t size_ = 0;
};

/// Looks at a history; nothing can be walked through a const one.
template <class History>
class lookout {
public:
    explicit lookout(History& history) : history_{&history} {}
    auto begin() { return history_->begin(); }
    auto end() { return history_->end(); }

private:
    History* history_;
};

}  // namespace forms
