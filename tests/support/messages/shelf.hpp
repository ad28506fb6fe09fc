// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <forward_list>
#include <utility>

// A container that is none of the standard library's: it goes forward, grows at its end and can be
// swapped. No erase, no reserve, no assignment, no copy. And a range that can only be walked while it
// may be changed.

namespace forms {

template <class Element>
class shelf {
public:
    shelf() = default;
    shelf(shelf&& other) noexcept { swap(*this, other); }
    shelf& operator=(shelf const&) = delete;

    void push_back(Element const& element) { append(element); }
    void push_back(Element&& element) { append(std::move(element)); }

    auto begin() { return held_.begin(); }
    auto end() { return held_.end(); }
    auto begin() const { return held_.begin(); }
    auto end() const { return held_.end(); }
    std::size_t size() const { return size_; }

    friend void swap(shelf& one, shelf& other) noexcept {
        one.held_.swap(other.held_);
        std::swap(one.last_, other.last_);
        std::swap(one.size_, other.size_);
    }

private:
    void append(auto&& element) {
        last_ = held_.insert_after(size_ == 0 ? held_.before_begin() : last_, std::forward<decltype(element)>(element));
        ++size_;
    }

    std::forward_list<Element> held_;
    typename std::forward_list<Element>::iterator last_ = {};
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
