// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/detail/sort.hpp>

// Copies of the parts of long messages. Adapters can only be asked for all parts of a message, so reading each part
// alone would cost the square of their number.

namespace condense {
inline namespace v1 {
namespace detail {

/// The parts of one message, by index and by call id. A template, so that it is instantiated only where drafts are
/// read.
template <class = void>
class basic_part_copy {
public:
    /// Takes the parts that `read(sink)` shows to sink(part_view), in place of those before.
    void load(callable_ref<void(callable_ref<void(part_view const&)>)> read) {
        parts_.clear();
        text_.clear();
        by_call_.clear();
        read([this](part_view const& part) {
            parts_.push_back({part, text_.size(), part.text.size(), part.tool.size(), part.call.size()});
            text_.append(part.text).append(part.tool).append(part.call);
        });
    }

    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(parts_.size()); }
    part_view at(std::uint32_t index) const noexcept {
        auto const& copy = parts_[index];
        std::string_view const all{text_};
        auto view = copy.view;
        view.text = all.substr(copy.begin, copy.text);
        view.tool = all.substr(copy.begin + copy.text, copy.tool);
        view.call = all.substr(copy.begin + copy.text + copy.tool, copy.call);
        return view;
    }

    /// Calls f(index) for each part that has this call id, in order; not at all for an empty one. The first call sorts
    /// the parts by their ids.
    void each_with(std::string_view call, callable_ref<void(std::uint32_t)> f) {
        if (call.empty()) return;
        if (by_call_.empty()) sort_by_call();
        std::size_t first = 0;
        for (auto end = by_call_.size(); first < end;) {
            auto const middle = first + (end - first) / 2;
            if (call_at(by_call_[middle]) < call) first = middle + 1;
            else end = middle;
        }
        for (; first < by_call_.size() && call_at(by_call_[first]) == call; ++first) f(by_call_[first]);
    }

private:
    struct copied_part {
        part_view view;  ///< its texts are in text_ from `begin` on, one behind the other
        std::size_t begin;
        std::size_t text;
        std::size_t tool;
        std::size_t call;
    };

    std::string_view call_at(std::uint32_t index) const noexcept {
        auto const& copy = parts_[index];
        return std::string_view{text_}.substr(copy.begin + copy.text + copy.tool, copy.call);
    }
    void sort_by_call() {
        for (std::uint32_t index = 0; index < size(); ++index)
            if (parts_[index].call != 0) by_call_.push_back(index);
        sort(by_call_, [this](std::uint32_t a, std::uint32_t b) { return call_at(a) < call_at(b); });
    }

    std::vector<copied_part> parts_;
    std::string text_;
    std::vector<std::uint32_t> by_call_;
};

using part_copy = basic_part_copy<>;

/// The parts of the few long messages that were read last.
template <class = void>
class basic_part_copies {
public:
    static constexpr std::uint32_t few = 16;  ///< so many are read from the message itself

    basic_part_copies() = default;
    /// A copy reads for itself.
    basic_part_copies(basic_part_copies const&) noexcept {}
    basic_part_copies& operator=(basic_part_copies const&) = delete;

    /// Calls f(part_copy&) with the parts of message `index`, which `read(sink)` shows to sink(part_view) unless
    /// they are here. They stay until f returns. False, without a call, while as many others are in use as are kept.
    bool use(std::uint32_t index, callable_ref<void(callable_ref<void(part_view const&)>)> read,
             callable_ref<void(part_copy&)> f) {
        auto* const copied = slot_for(index);
        if (copied == nullptr) return false;
        ++copied->users;
        scope_exit const done{[copied] { --copied->users; }};
        if (std::exchange(copied->message, none32) != index) copied->parts.load(read);
        copied->message = index;
        copied->used = ++uses_;
        f(copied->parts);
        return true;
    }

private:
    struct slot {
        part_copy parts = {};
        std::uint32_t message = none32;
        std::uint32_t users = 0;
        std::uint64_t used = 0;  ///< when it was used last
    };
    static constexpr std::size_t capacity = 4;

    /// The slot of this message, else a new one or that of the message that was used least recently; null where all are
    /// in use.
    slot* slot_for(std::uint32_t index) {
        slot* oldest = nullptr;
        for (auto& each : slots_) {
            if (each.message == index) return &each;
            if (each.users == 0 && (oldest == nullptr || each.used < oldest->used)) oldest = &each;
        }
        if (slots_.size() == capacity) return oldest;
        slots_.reserve(capacity);  // slots in use must not move
        return &slots_.emplace_back();
    }

    std::vector<slot> slots_;
    std::uint64_t uses_ = 0;
};
using part_copies = basic_part_copies<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
