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

// Of markers with one key only the newest stays, of passing snapshots none: drop_superseded{
// .key = markers("set_active_task"), .transient = tools("snapshot")}. Calls go with their results.

namespace condense {
inline namespace v1 {

/// One key for each of these tools: the newest call of each counts.
template <std::size_t Count>
struct tool_key {
    tools_named<Count> named = {};

    constexpr std::string_view operator()(part_view const& part) const noexcept {
        return part.kind == part_kind::tool_call && named.holds(part) ? part.tool : std::string_view{};
    }
    friend constexpr bool operator==(tool_key const&, tool_key const&) = default;
};

/// `markers("set_active_task")`, for `key`.
template <std::convertible_to<std::string_view>... Patterns>
constexpr tool_key<sizeof...(Patterns)> markers(Patterns const&... patterns) noexcept {
    return {tools(patterns...)};
}

/// Nothing is a marker, or nothing passes.
struct no_part {
    constexpr std::optional<std::string> operator()(part_view const&) const { return std::nullopt; }
};

/// Loses groups: calls with all their results, and what was said and thought with the calls. `key` says of
/// a call or a text which marker it is, `transient` of either that it has passed. A group in which a call,
/// or a text beside no call, is neither stays as a whole. A marker that was not answered, or with an error,
/// takes the place of none. Reads the present texts once; O(n log n) in the markers.
template <condition When = trigger, protection Protect = task_t, class Worth = least_gain, part_key Key = no_part,
          protection Transient = tools_named<0>>
struct drop_superseded {
    When when = detail::slot_default<When>(always);
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    Key key = detail::slot_default<Key>();  ///< of a part_view: a text or nothing
    Transient transient = detail::slot_default<Transient>();
    std::string_view label = {};  ///< in reports, in place of its type's name; must outlive them

    static constexpr effect effects = drops;

    constexpr void validate() const { detail::check_target(when, until); }

    constexpr void reduce(auto& draft, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        std::vector<marker> found;
        std::vector<std::uint32_t> mixed;  // groups that say something else too
        for (auto const which : draft.groups())
            if (!which.is_summary()) look(draft, which, found, mixed);
        judge(draft, found);
        std::size_t next = 0;
        std::size_t stays = 0;
        bool spared = false;
        for (auto const which : draft.groups()) {
            if (which.is_summary()) continue;
            bool marks = false;
            bool old = true;
            for (; next < found.size() && found[next].group == which.id(); ++next) {
                marks = true;
                old = old && found[next].old;
            }
            while (stays < mixed.size() && mixed[stays] < which.id()) ++stays;
            bool const whole = stays < mixed.size() && mixed[stays] == which.id();
            if (!marks || !old || whole) continue;
            if (pass.enough()) return pass.idle_as(detail::target_reached);
            if (kept.holds(which)) spared = true;
            else pass.note(draft.drop(which));
        }
        pass.idle_as(spared ? detail::all_protected : std::string_view{"nothing to do: nothing is superseded"});
    }

    friend bool operator==(drop_superseded const&, drop_superseded const&) = default;

private:
    struct marker {
        std::uint32_t group = 0;
        std::uint32_t part_id = 0;
        bool counts = true;  ///< it takes the place of older ones
        bool old = false;
        std::string key = {};  ///< none where it passes
    };

    constexpr void look(auto& draft, group which, std::vector<marker>& found, std::vector<std::uint32_t>& mixed) const {
        auto const& facts = draft.outline();
        auto const begin = found.size();
        bool stays = false;
        bool const calls = facts.group_at(which.id()).has_calls;
        draft.each_part(which, [&](part_ref at, part_view const& part) {
            if (part.kind == part_kind::reasoning) return;
            bool const passes = detail::policy_of<Transient>{transient}.holds(part);
            marker mine{.group = which.id(), .part_id = at.part_id, .old = passes};
            if (!passes) mine.key = detail::key_of(key, part);
            if (passes || !mine.key.empty()) {
                mine.counts = !passes && part.status == part_status::ok;
                found.push_back(std::move(mine));
            } else if (part.kind == part_kind::tool_call) stays = true;
            else if (facts.part_at(at.part_id).call == detail::none32)
                stays = stays || !calls || facts.message_at(at.message_index).speaker != role::assistant;
        });
        if (stays && found.size() != begin) mixed.push_back(which.id());
    }

    /// A call counts with an answer, and a good one.
    static constexpr void judge(auto const& draft, std::vector<marker>& found) {
        if (found.empty()) return;
        auto const& facts = draft.outline();
        enum : std::uint8_t { none, good, bad };
        std::vector<std::uint8_t> answers(facts.part_count(), none);
        for (std::size_t part_id = 0; part_id < facts.part_count(); ++part_id) {
            auto const& part = facts.part_at(part_id);
            auto const call = facts.call_part_id(part);
            if (part.kind != part_kind::tool_result || call == detail::none32) continue;
            if (answers[call] != bad) answers[call] = part.status == part_status::ok ? good : bad;
        }
        std::vector<marker*> order;
        for (auto& one : found)
            if (!one.key.empty()) order.push_back(&one);
        detail::sort(order, [](marker const* left, marker const* right) {
            if (auto const keys = left->key <=> right->key; keys != 0) return keys < 0;
            return left->part_id < right->part_id;
        });
        marker const* newer = nullptr;
        for (auto at = order.size(); at-- > 0;) {
            auto& one = *order[at];
            if (newer != nullptr && newer->key != one.key) newer = nullptr;
            one.old = newer != nullptr;  // where that is in the same group, the group stays for it
            bool const is_call = facts.part_at(one.part_id).kind == part_kind::tool_call;
            if (newer == nullptr && one.counts && (!is_call || answers[one.part_id] == good)) newer = &one;
        }
    }
};

}  // namespace v1
}  // namespace condense
