// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/layer.hpp>
#include <condense/detail/sort.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/part_key.hpp>

// Drops state that was announced again: drop_superseded{.key = markers("set_active_task"), .transient =
// tools("snapshot")}. Of markers with equal keys only the newest stays; transient parts always go.

namespace condense {
inline namespace v1 {

/// A key for calls of these tools, which is the tool's name: the newest call of each tool stays.
template <std::size_t Count>
struct tool_key {
    tools_named<Count> named = {};

    constexpr std::string_view operator()(part_view const& part) const noexcept {
        return part.kind == part_kind::tool_call && named.holds(part) ? part.tool : std::string_view{};
    }
    friend constexpr bool operator==(tool_key const&, tool_key const&) = default;
};

/// `.key = markers("set_active_task")`. Patterns as for `tools`; the characters must outlive the layer.
template <std::convertible_to<std::string_view>... Patterns>
constexpr tool_key<sizeof...(Patterns)> markers(Patterns const&... patterns) noexcept {
    return {tools(patterns...)};
}

/// The default of `key`: no part is a marker.
struct no_part {
    constexpr std::optional<std::string> operator()(part_view const&) const { return std::nullopt; }
};

/// Drops whole groups: calls with all their results, and the text and reasoning in the same messages. `key` returns the
/// key of a call or text that is a marker, `transient` is true for one that has served its purpose. A group stays if
/// any of its calls, or a text that does not merely accompany calls, is neither. A marker whose call has no result, or
/// one with an error, supersedes nothing. Reads the present texts once; O(n log n) in the number of markers.
template <condition When = trigger, protection Protect = task_t, class Worth = least_gain, part_key Key = no_part,
          protection Transient = tools_named<0>>
struct drop_superseded {
    When when = detail::slot_default<When>(always);
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    Key key = detail::slot_default<Key>();  ///< callable on part_view: the marker's key, or nothing
    Transient transient = detail::slot_default<Transient>();
    std::string_view label = {};  ///< the layer's name in reports, which it must outlive

    static constexpr effect effects = drops;

    constexpr void validate() const { detail::check_target(when, until); }

    void reduce(auto& draft, auto& pass) const {
        auto const protected_set = detail::bind_protection(protect, draft, pass);
        std::vector<marker> entries;
        std::vector<std::uint32_t> mixed_groups;  // that hold something beside markers
        for (auto const which : draft.groups())
            if (!which.is_summary()) collect(draft, which, entries, mixed_groups);
        mark_superseded(draft, entries);
        // Entries and mixed groups are in the order of groups, so one walk over the three is enough.
        std::size_t entry_index = 0;
        std::size_t mixed_index = 0;
        bool spared = false;
        for (auto const which : draft.groups()) {
            if (which.is_summary()) continue;
            bool has_marker = false;
            bool all_superseded = true;
            for (; entry_index < entries.size() && entries[entry_index].group == which.id(); ++entry_index) {
                has_marker = true;
                all_superseded = all_superseded && entries[entry_index].superseded;
            }
            while (mixed_index < mixed_groups.size() && mixed_groups[mixed_index] < which.id()) ++mixed_index;
            bool const is_mixed = mixed_index < mixed_groups.size() && mixed_groups[mixed_index] == which.id();
            if (!has_marker || !all_superseded || is_mixed) continue;
            if (pass.enough()) return pass.idle_as(detail::target_reached);
            if (protected_set.holds(which)) spared = true;
            else pass.note(draft.drop(which));
        }
        pass.idle_as(spared ? detail::all_protected : std::string_view{"nothing to do: nothing is superseded"});
    }

    friend bool operator==(drop_superseded const&, drop_superseded const&) = default;

private:
    struct marker {
        std::uint32_t group = 0;  ///< group_id
        std::uint32_t part_id = 0;
        bool supersedes = true;  ///< may take the place of older ones; a call also needs a result without error
        bool superseded = false;  ///< or transient
        std::string key = {};  ///< empty for a transient part
    };

    /// Appends the markers of a group, and the group itself to `mixed_groups` if it has markers and other content.
    void collect(auto& draft, group which, std::vector<marker>& entries,
                 std::vector<std::uint32_t>& mixed_groups) const {
        auto const& conversation = draft.outline();
        auto const begin = entries.size();
        bool is_mixed = false;
        bool const has_calls = conversation.group_at(which.id()).has_calls;
        draft.each_part(which, [&](part_ref ref, part_view const& part) {
            if (part.kind == part_kind::reasoning) return;
            bool const is_transient = detail::policy_of<Transient>{transient}.holds(part);
            marker entry{.group = which.id(), .part_id = ref.part_id, .superseded = is_transient};
            if (!is_transient) entry.key = detail::key_of(key, part);
            if (is_transient || !entry.key.empty()) {
                entry.supersedes = !is_transient && part.status == part_status::ok;
                entries.push_back(std::move(entry));
            } else if (part.kind == part_kind::tool_call) is_mixed = true;
            else if (conversation.part_at(ref.part_id).call == detail::none32)
                is_mixed =
                    is_mixed || !has_calls || conversation.message_at(ref.message_index).speaker != role::assistant;
        });
        if (is_mixed && entries.size() != begin) mixed_groups.push_back(which.id());
    }

    /// Sets `superseded` for each marker with an equal key after it that supersedes; a call supersedes with a result,
    /// and none with an error.
    static void mark_superseded(auto const& draft, std::vector<marker>& entries) {
        if (entries.empty()) return;
        auto const& conversation = draft.outline();
        std::vector<marker*> sorted;
        for (auto& entry : entries)
            if (!entry.key.empty()) sorted.push_back(&entry);
        detail::sort(sorted, [](marker const* left, marker const* right) {
            if (auto const keys = left->key <=> right->key; keys != 0) return keys < 0;
            return left->part_id < right->part_id;
        });
        marker const* newer = nullptr;
        for (auto position = sorted.size(); position-- > 0;) {
            auto& entry = *sorted[position];
            if (newer != nullptr && newer->key != entry.key) newer = nullptr;
            entry.superseded = newer != nullptr;  // if `newer` is in the same group, that one keeps the group
            bool const is_call = conversation.part_at(entry.part_id).kind == part_kind::tool_call;
            if (newer == nullptr && entry.supersedes &&
                (!is_call || conversation.succeeded(conversation.part_at(entry.part_id))))
                newer = &entry;
        }
    }
};

}  // namespace v1
}  // namespace condense
