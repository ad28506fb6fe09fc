// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/core/outline.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sort.hpp>

// The results of one group by their calls, so that looking for further results of each call in turn costs what the
// group holds, once.

namespace condense {
inline namespace v1 {
namespace detail {

/// Holds the results of the group that was asked for last. A template, so that it is instantiated only where drafts are
/// read.
template <class = void>
class basic_group_results {
    struct entry {
        std::uint32_t call;
        std::uint32_t part_id;
    };

public:
    /// Part ids, in the order in which messages joined the group.
    class range {
    public:
        struct iterator {
            entry const* at;
            constexpr std::uint32_t operator*() const noexcept { return at->part_id; }
            constexpr iterator& operator++() noexcept { return ++at, *this; }
            constexpr bool operator!=(iterator other) const noexcept { return at != other.at; }
        };
        constexpr range(entry const* first, entry const* last) noexcept : first_{first}, last_{last} {}
        constexpr iterator begin() const noexcept { return {first_}; }
        constexpr iterator end() const noexcept { return {last_}; }

    private:
        entry const* first_;
        entry const* last_;
    };

    basic_group_results() = default;
    /// A copy looks for itself.
    constexpr basic_group_results(basic_group_results const&) noexcept {}
    basic_group_results& operator=(basic_group_results const&) = delete;

    /// The results of a call in a group.
    constexpr range of(outline const& facts, std::uint32_t group_id, std::uint32_t call) {
        load(facts, group_id);
        auto const* const all = results_.data();
        std::size_t first = 0;
        for (auto end = results_.size(); first < end;) {
            auto const middle = first + (end - first) / 2;
            if (results_[middle].call < call) first = middle + 1;
            else end = middle;
        }
        auto last = first;
        while (last < results_.size() && results_[last].call == call) ++last;
        return {all + first, all + last};
    }
    /// The first message of the group with a pending call that has no id; none32 without one.
    constexpr std::uint32_t first_waiting_without_id(outline const& facts, std::uint32_t group_id) {
        load(facts, group_id);
        return waiting_in_;
    }

private:
    constexpr void load(outline const& facts, std::uint32_t group_id) {
        if (group_ == group_id && version_ == facts.version()) return;
        group_ = none32;
        results_.clear();
        waiting_in_ = none32;
        for (auto const index : facts.members_of(group_id))
            for (auto const part_id : facts.message_at(index).parts()) {
                auto const& part = facts.part_at(part_id);
                if (part.kind == part_kind::tool_result && part.call != none32)
                    results_.push_back({part.call, part_id});
                if (index < waiting_in_ && facts.waits_without_id(part)) waiting_in_ = index;
            }
        sort(results_, [](entry const& a, entry const& b) { return a.call < b.call; });
        group_ = group_id;
        version_ = facts.version();
    }

    std::vector<entry> results_;  ///< by call
    std::uint32_t waiting_in_ = none32;
    std::uint32_t group_ = none32;
    std::uint64_t version_ = 0;
};
using group_results = basic_group_results<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
