// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <condense/core/edit_log.hpp>
#include <condense/core/usage.hpp>

// Where the steps of a run first change the request, and how many tokens stay unchanged before that: the prefix that a
// provider's prompt cache can still serve.

namespace condense {
inline namespace v1 {

/// What a batch of edits saves and what it costs in cached prefix, for a policy that weighs it: `worth.pays(gain)`.
struct gain {
    tokens saved = {};
    usage before = {};          ///< before the batch
    tokens prefix_before = {};  ///< prefix of the last request that the run had left unchanged before the batch
    tokens prefix_after = {};   ///< the same after it; the batch takes the difference out of the cache
    tokens bound = {};  ///< reasoning that is bound to what the batch changes, and leaves with it; not in `saved`
};

namespace detail {

/// Index of the first message that a step changes.
constexpr std::uint32_t message_of(outline const& facts, view_step const& step) noexcept {
    return step.on_part ? facts.part_at(step.target).message_index + (step.kind == edit_kind::repair ? 1u : 0u)
                        : step.target & ~group::summary_bit;  // groups have the index of their first message
}

/// The least place_of(step) of the steps from `mark` on that leave something else than a request would have held then;
/// none32 where there is none. Its cost is linear in these steps. A step that was undone later does not count.
template <class View, class Place>
constexpr std::uint32_t first_change(View const& edits, std::size_t mark, Place const& place_of) noexcept {
    auto first = none32;
    auto const* const steps = edits.steps().data();
    for (auto index = mark, end = edits.steps().size(); index < end; ++index) {
        auto const& step = steps[index];
        auto const place = place_of(step);
        if (place >= first) continue;
        // A target that is back in the state it had at `mark` has not changed. So only the first step on each target
        // is looked at, and only its final state is compared.
        auto const current = step.kind == edit_kind::repair ? edits.answer_at(step.target)
                             : step.on_part                 ? edits.edit_at(step.target)
                                                            : 0;
        if (step.on_part ? step.previous > mark || current == step.previous
            : step.kind == edit_kind::restore || (step.target & group::summary_bit) != 0 ? step.previous > mark
                                                                                         : !edits.in_force(index))
            continue;
        first = place;
    }
    return first;
}

/// Index of the first message that differs from what a request would have held at `mark`; nothing where none does.
template <class View>
constexpr std::optional<std::uint64_t> first_changed(outline const& facts, View const& edits,
                                                     std::size_t mark) noexcept {
    auto const first = first_change(edits, mark, [&](view_step const& step) { return message_of(facts, step); });
    if (first == none32) return std::nullopt;
    return first;
}

/// The first part from which on steps from `mark` on have invalidated all bound ones, none32 where they have none:
/// those behind the first change, and those behind one that went from the middle, as each names the one before it. One
/// that goes from the front changes nothing for the others. The provider does not look at the messages before its own
/// compaction any more.
template <class View>
[[gnu::noinline]] constexpr std::uint32_t first_unbound(outline const& facts, View const& edits,
                                                        std::size_t mark) noexcept {
    if (edits.steps().size() == mark) return none32;
    auto const compaction = facts.compaction();
    auto const begin = compaction == none32 ? 0 : facts.message_at(compaction).first_part;
    auto front = none32;
    for (auto const bound : edits.bound_parts()) {
        if (bound < begin) continue;  // few, as they leave with what is before a compaction
        front = bound;
        break;
    }
    if (front == none32) return none32;
    auto const place_of = [&](view_step const& step) {
        auto place = step.target;
        if (!step.on_part || step.kind == edit_kind::repair) {
            auto const index = message_of(facts, step);
            place = index < facts.size() ? facts.message_at(index).first_part : none32;
        } else if (step.kind == edit_kind::remove && facts.part_at(place).bound && place < front) return none32;
        return place < begin ? none32 : place;
    };
    return first_change(edits, mark, place_of);
}
/// Removes them.
template <class View>
[[gnu::noinline]] constexpr void remove_unbound(outline const& facts, View& edits, std::size_t mark,
                                                std::uint16_t author = 0) {
    edits.remove_bound(facts, first_unbound(facts, edits, mark), author);
}

/// The cost of the results that were written for calls of a message; they stand behind it.
template <class Draft>
cost cost_of_answers(Draft const& draft, std::uint32_t index) noexcept {
    auto const& edits = draft.edits();
    cost sum;
    if (!edits.has_answers(draft.outline().group_of(index))) return sum;
    for (auto const part_id : draft.outline().message_at(index).parts())
        if (auto const answer = edits.answer_at(part_id)) sum += edits.steps()[answer - 1].after;
    return sum;
}

/// The cost of what a request sends at a place: a summary, or a message with the results written for its calls.
template <class Draft>
cost cost_of_place(Draft const& draft, std::uint32_t place) noexcept {
    if (place % 2 == 0) return draft.about(group{place / 2}.summary()).cost;
    return draft.message_cost(place / 2) + cost_of_answers(draft, place / 2);
}

/// Tokens of the overhead and of what a request sends before index `end`, without the messages that were never sent:
/// those are in no cache. Walks over what is sent on the shorter side of `end`, as the sum of all is known.
template <class Draft>
tokens prefix_before(Draft const& draft, std::uint64_t end) noexcept {
    auto const size = static_cast<std::uint32_t>(draft.outline().size());
    if (end > size) end = size;
    if (end > draft.edits().sent()) end = draft.edits().sent();
    auto const split = static_cast<std::uint32_t>(2 * end);
    auto sum = cost::of(draft.limits().overhead);
    if (end <= size / 2) {
        for (auto place = draft.next_sent(0); place < split; place = draft.next_sent(place + 1))
            sum += cost_of_place(draft, place);
    } else {
        sum += draft.edits().sums().cost;
        for (auto place = draft.next_sent(split); place < 2 * size; place = draft.next_sent(place + 1))
            sum -= cost_of_place(draft, place);
    }
    if (end != 0 && draft.present(sequence{end - 1})) sum -= cost_of_answers(draft, split / 2 - 1);
    return draft.edits().measured(sum);
}

/// Tokens at the front of the request that steps from `mark` on leave byte-identical, overhead included.
template <class Draft>
tokens unchanged_prefix(Draft const& draft, std::size_t mark) noexcept {
    auto const changed = first_changed(draft.outline(), draft.edits(), mark);
    return prefix_before(draft, changed ? *changed : draft.outline().size());
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
