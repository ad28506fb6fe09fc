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

/// A result belongs to the nearest earlier call with its id that has no result yet, else to the nearest with
/// it; one without id to the first call of its tool without result in the newest message with calls.
class replay_pairing {
public:
    /// A message further on; each costs its parts.
    void push(message_reading const& m) {
        auto const index = static_cast<std::uint32_t>(links_.size());
        links_.emplace_back();
        orphans_.emplace_back();
        std::unordered_map<std::uint64_t, std::size_t> seen;  // several parts with one id are one result
        for (auto const& part : m.parts) {
            if (part.kind == part_kind::tool_call) add_call(part, index);
            if (part.kind != part_kind::tool_result) continue;
            auto found = part.call == 0 ? by_order(part) : by_id(part.call);
            if (part.call != 0) found = seen.try_emplace(part.call, found).first->second;
            if (found == none) {
                orphans_.back() = true;
                continue;
            }
            calls_[found].answered = part.status != part_status::pending;
            link(calls_[found].message, index);
        }
        if (m.speaker == role::assistant && !(newest_ == index)) newest_answered_ = true;
    }

    /// The messages that this one shares a call with.
    std::vector<std::uint32_t> const& links(std::size_t index) const noexcept { return links_[index]; }
    /// Some result of it has no call.
    bool orphaned(std::size_t index) const noexcept { return orphans_[index]; }
    /// The newest message with calls while no assistant message has followed it, else none32.
    std::uint32_t open() const noexcept { return newest_answered_ ? none32 : newest_; }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    struct call {
        std::uint64_t tool = 0;
        std::uint32_t message = 0;
        bool answered = false;
        std::size_t below = none;  ///< the next older with the same id
    };

    void add_call(part_reading const& part, std::uint32_t index) {
        if (newest_ != index) first_of_newest_ = calls_.size();
        newest_ = index;
        newest_answered_ = false;
        calls_.push_back({.tool = part.tool, .message = index, .answered = part.status == part_status::cancelled});
        if (part.call == 0) return;
        auto const [found, fresh] = by_id_.try_emplace(part.call, ids{calls_.size() - 1, calls_.size() - 1});
        if (fresh) return;
        calls_.back().below = found->second.waiting;
        found->second = {calls_.size() - 1, calls_.size() - 1};
    }

    /// Skips answered calls, each once.
    std::size_t by_id(std::uint64_t id) {
        auto const found = by_id_.find(id);
        if (found == by_id_.end()) return none;
        auto& waiting = found->second.waiting;
        while (waiting != none && calls_[waiting].answered) waiting = calls_[waiting].below;
        return waiting != none ? waiting : found->second.newest;
    }
    std::size_t by_order(part_reading const& part) const {
        static std::uint64_t const unnamed = print_of(std::string_view{});
        for (auto at = first_of_newest_; at < calls_.size(); ++at)
            if (!calls_[at].answered && (part.tool == unnamed || calls_[at].tool == part.tool)) return at;
        return calls_.empty() ? none : calls_.size() - 1;
    }

    void link(std::uint32_t left, std::uint32_t right) {
        if (left == right || (!links_[right].empty() && links_[right].back() == left)) return;
        links_[left].push_back(right);
        links_[right].push_back(left);
    }

    struct ids {
        std::size_t newest = none;
        std::size_t waiting = none;
    };

    std::vector<call> calls_;
    std::unordered_map<std::uint64_t, ids> by_id_;
    std::vector<std::vector<std::uint32_t>> links_;
    std::vector<bool> orphans_;
    std::uint32_t newest_ = none32;
    bool newest_answered_ = false;
    std::size_t first_of_newest_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
