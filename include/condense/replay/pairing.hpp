// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/detail/saturate.hpp>
#include <condense/replay/reading.hpp>

// Pairs calls with results, independently of the library's own code.

namespace condense {
inline namespace v1 {
namespace detail {

/// A result belongs to the nearest earlier call with its id that has no result yet, else to the nearest call with that
/// id. A result without id belongs to the first call of its tool without a result in the newest message with calls,
/// else to the newest call.
class replay_pairing {
public:
    /// Adds the next message. Costs its parts, amortised.
    void push(message_reading const& m) {
        auto const index = static_cast<std::uint32_t>(linked_.size());
        linked_.emplace_back();
        has_orphan_.emplace_back();
        std::unordered_map<std::uint64_t, std::size_t> calls_by_id;  // several parts with one id are one result
        for (auto const& part : m.parts) {
            if (part.kind == part_kind::tool_call) add_call(part, index);
            if (part.kind != part_kind::tool_result) continue;
            auto target = part.call == 0 ? find_by_order(part) : find_by_id(part.call);
            if (part.call != 0) target = calls_by_id.try_emplace(part.call, target).first->second;
            if (target == none) {
                has_orphan_.back() = true;
                continue;
            }
            calls_[target].answered = part.status != part_status::pending;
            link(calls_[target].message, index);
        }
        if (m.speaker == role::assistant && !(newest_caller_ == index)) newest_answered_ = true;
    }

    /// The other messages that hold calls of this one's results, or results of its calls. A message may come twice.
    std::vector<std::uint32_t> const& linked(std::size_t index) const noexcept { return linked_[index]; }
    /// True if some result of the message has no call before it.
    bool has_orphan(std::size_t index) const noexcept { return has_orphan_[index]; }
    /// The newest message with calls, until an assistant message follows it; then none32.
    std::uint32_t open() const noexcept { return newest_answered_ ? none32 : newest_caller_; }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    /// A call, in the order of appearance.
    struct call {
        std::uint64_t tool = 0;
        std::uint32_t message = 0;
        bool answered = false;
        std::size_t next_older = none;  ///< the next older call with the same id
    };

    /// A cancelled call counts as answered: no result will come.
    void add_call(part_reading const& part, std::uint32_t index) {
        if (newest_caller_ != index) first_of_newest_ = calls_.size();
        newest_caller_ = index;
        newest_answered_ = false;
        calls_.push_back({.tool = part.tool, .message = index, .answered = part.status == part_status::cancelled});
        if (part.call == 0) return;
        auto const [entry, inserted] =
            by_id_.try_emplace(part.call, latest_calls{calls_.size() - 1, calls_.size() - 1});
        if (inserted) return;
        calls_.back().next_older = entry->second.waiting;
        entry->second = {calls_.size() - 1, calls_.size() - 1};
    }

    /// The call of a result with this id, or `none`. Skips answered calls for good, so each costs once.
    std::size_t find_by_id(std::uint64_t id) {
        auto const entry = by_id_.find(id);
        if (entry == by_id_.end()) return none;
        auto& waiting = entry->second.waiting;
        while (waiting != none && calls_[waiting].answered) waiting = calls_[waiting].next_older;
        return waiting != none ? waiting : entry->second.newest;
    }
    /// The call of a result without id, or `none`.
    std::size_t find_by_order(part_reading const& part) const {
        static std::uint64_t const unnamed = print_of(std::string_view{});
        for (auto index = first_of_newest_; index < calls_.size(); ++index)
            if (!calls_[index].answered && (part.tool == unnamed || calls_[index].tool == part.tool)) return index;
        return calls_.empty() ? none : calls_.size() - 1;
    }

    /// Links two messages both ways; the same pair is not linked again right after itself.
    void link(std::uint32_t first, std::uint32_t second) {
        if (first == second || (!linked_[second].empty() && linked_[second].back() == first)) return;
        linked_[first].push_back(second);
        linked_[second].push_back(first);
    }

    /// The calls with one id, from the newest, which links to the older ones.
    struct latest_calls {
        std::size_t newest = none;
        std::size_t waiting = none;  ///< the newest that may lack a result; older ones hang below it
    };

    std::vector<call> calls_;
    std::unordered_map<std::uint64_t, latest_calls> by_id_;
    std::vector<std::vector<std::uint32_t>> linked_;
    std::vector<bool> has_orphan_;
    std::uint32_t newest_caller_ = none32;
    bool newest_answered_ = false;
    std::size_t first_of_newest_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
