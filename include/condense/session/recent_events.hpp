// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <condense/detail/text.hpp>
#include <condense/session/observer.hpp>

// The newest events as lines, for display on request: recent_events<> log; pass std::ref(log) as the observer, and show
// log.text().

namespace condense {
inline namespace v1 {

/// A ring of the newest events, without allocation. Takes no arrivals and no truncations: there is one for each message
/// or part, which would leave no room for anything else. Five events show what led to the latest run.
template <std::size_t Capacity = 5>
class recent_events {
    static_assert(Capacity > 0 && Capacity <= 1'000,
                  "condense: recent_events: the capacity must be 1 to 1,000 (see recent_events)");

public:
    template <class Event>
        requires requires(Event const& event) { std::string_view{event.text()}; }
    void operator()(Event const& event) {
        lines_[next_] = event.text();
        next_ = (next_ + 1) % Capacity;
        if (size_ < Capacity) ++size_;
    }
    void operator()(events::arrived const&) = delete;
    void operator()(events::truncated const&) = delete;

    std::size_t size() const noexcept { return size_; }
    /// The text of an event, the oldest at 0; `index` is below size(). Valid until the next event.
    std::string_view operator[](std::size_t index) const noexcept {
        return lines_[(next_ + Capacity - size_ + index) % Capacity];
    }

    /// One line an event, the oldest first.
    std::string text() const {
        std::string out;
        for (std::size_t index = 0; index < size_; ++index) out.append((*this)[index]).push_back('\n');
        return out;
    }

    friend bool operator==(recent_events const&, recent_events const&) = default;

private:
    std::array<detail::small_text<events::longest>, Capacity> lines_ = {};
    std::size_t next_ = 0;
    std::size_t size_ = 0;
};

}  // namespace v1
}  // namespace condense
