// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <condense/core/edit_log.hpp>
#include <condense/core/usage.hpp>

// Where the steps of a run first change what is sent, and what stays before that: the prefix that a
// provider's prompt cache still holds.

namespace condense {
inline namespace v1 {

/// What a batch of edits comes to, for a policy that weighs it: `worth.pays(gain)`.
struct gain {
    tokens saved = {};
    usage before = {};
    tokens prefix_before = {};  ///< of the last request, what this run leaves as it was without the batch
    tokens prefix_after = {};   ///< and with it
};

namespace detail {

/// Index of the first message that steps from `mark` on have changed.
template <class View>
constexpr std::optional<std::uint64_t> first_changed(outline const& facts, View const& edits,
                                                     std::size_t mark) noexcept {
    auto first = none32;
    for (auto index = mark, end = edits.steps().size(); index < end; ++index) {
        auto const& made = edits.steps()[index];
        auto const at = made.on_part
                            ? facts.part_at(made.target).message_index + (made.kind == edit_kind::repair ? 1u : 0u)
                            : made.target & ~group::summary_bit;  // groups have the index of their first message
        if (at >= first) continue;
        // What went and came back within these steps has not changed: only the first step on a target
        // counts, and only where the end differs from what it found.
        auto const now = made.kind == edit_kind::repair ? edits.answer_at(made.target)
                         : made.on_part                 ? edits.edit_at(made.target)
                                                        : 0;
        if (made.on_part ? made.previous > mark || now == made.previous
            : made.kind == edit_kind::restore || (made.target & group::summary_bit) != 0 ? made.previous > mark
                                                                                         : !edits.in_force(index))
            continue;
        first = at;
    }
    if (first == none32) return std::nullopt;
    return first;
}

/// What stands at `index`: answers to the calls of the message before, a summary, the message.
template <class Draft>
constexpr cost cost_of_place(Draft const& seen, std::uint32_t index) noexcept {
    auto const& facts = seen.outline();
    auto const& edits = seen.edits();
    cost sum;
    if (index != 0 && seen.present(sequence{index - 1})) {
        auto const& asked = facts.message_at(index - 1);
        for (auto part_id = asked.first_part; part_id < asked.first_part + asked.part_count; ++part_id)
            if (auto const made = edits.answer_at(part_id)) sum += edits.steps()[made - 1].after;
    }
    if (index == facts.size()) return sum;
    if (seen.present(group{index}.summary())) sum += seen.about(group{index}.summary()).cost;
    if (seen.present(sequence{index})) sum += seen.message_cost(index);
    return sum;
}

/// What the overhead and the messages that are there before index `end` cost, but for those that no
/// request has held yet. Costs a look at what stands before it, or behind it where that is less.
template <class Draft>
constexpr tokens prefix_before(Draft const& seen, std::uint64_t end) noexcept {
    auto const size = static_cast<std::uint32_t>(seen.outline().size());
    if (end > size) end = size;
    if (end > seen.edits().sent()) end = seen.edits().sent();
    auto sum = cost::of(seen.limits().overhead);
    if (end <= size / 2)
        for (std::uint32_t index = 0; index < end; ++index) sum += cost_of_place(seen, index);
    else {
        sum += seen.edits().sums().cost;
        for (auto index = static_cast<std::uint32_t>(end); index <= size; ++index) sum -= cost_of_place(seen, index);
    }
    return seen.edits().measured(sum);
}

/// Tokens at the front of the request that steps from `mark` on leave byte-identical.
template <class Draft>
constexpr tokens kept_prefix(Draft const& seen, std::size_t mark) noexcept {
    auto const changed = first_changed(seen.outline(), seen.edits(), mark);
    return prefix_before(seen, changed ? *changed : seen.outline().size());
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
