// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <condense/core/layer.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/reject.hpp>

// Makes a conversation with broken pairs one that providers take: repair{}. Put it after the layers
// that make room.

namespace condense {
inline namespace v1 {

/// Answers calls that were cancelled or are dead (a later turn went on without them) with `answer`, and
/// takes out results whose call is nowhere, which are lost. Grows by the answers, inside the budget.
/// Calls that may still be answered are left alone. Costs a look at each broken pair.
struct repair {
    std::string_view answer = "[no result: the call was not completed]";  ///< must outlive the layer

    static constexpr effect effects = repairs | drops;

    constexpr bool due(usage const&) const noexcept { return false; }
    constexpr void validate() const {
        detail::reject_unless(!answer.empty(), "condense: repair: the answer must not be empty (see repair)");
    }

    struct memory {
        std::uint64_t orphans = 0;  ///< looked at on arrival; `reduce` looks at all
        std::uint64_t calls = 0;

        std::string save() const {
            std::string out;
            detail::put_field(out, orphans);
            detail::put_field(out, calls);
            return out;
        }
        bool load(std::string_view text, std::size_t) noexcept {
            detail::field_reader from{text};
            orphans = from.number(detail::u64_limit);
            calls = from.number(detail::u64_limit);
            return from.done() && !from.broken();
        }
    };

    /// Costs what the message has broken.
    constexpr void arrive(auto& draft, sequence, auto& pass) const {
        auto& seen = pass.memory;
        auto const& facts = draft.outline();
        for (; seen.orphans < facts.orphans().size(); ++seen.orphans) {
            auto const column = facts.orphans()[detail::as_size(seen.orphans)];
            if (facts.open(facts.group_of(facts.part_at(column).message_index))) break;
            take_out(draft, pass, column);
        }
        while (seen.calls < facts.dead_calls().size()) static_cast<void>(answer_call(draft, pass, facts.dead_calls()[detail::as_size(seen.calls++)]));
    }
    constexpr void reduce(auto& draft, auto& pass) const {
        auto const& facts = draft.outline();
        for (auto const column : facts.orphans()) take_out(draft, pass, column);
        for (auto const column : facts.dead_calls())
            if (answer_call(draft, pass, column) == refusal{refusal::no_room}) return;
    }

    friend bool operator==(repair const&, repair const&) = default;

private:
    constexpr refusal answer_call(auto& draft, auto& pass, std::uint32_t column) const {
        auto const& facts = draft.outline();
        auto const call = draft.part_at(column);
        if (!facts.unanswerable(facts.part_at(column)) || draft.edits().answer_at(column) != 0) return refusal::none;
        if (!draft.present(sequence{call.message_index})) return refusal::none;
        auto const refused = draft.repair(call, std::string{answer});
        pass.note(refused);
        return refused;
    }

    static constexpr void take_out(auto& draft, auto& pass, std::uint32_t column) {
        auto const& facts = draft.outline();
        auto const result = draft.part_at(column);
        auto const slot = facts.group_of(result.message_index);
        if (!draft.present(group{slot}) || facts.open(slot)) return;
        auto const& found = facts.message_at(result.message_index);
        bool alone = facts.group_at(slot).count == 1;
        for (auto at = found.first_part; at < found.first_part + found.part_count; ++at)
            alone = alone && facts.part_at(at).kind == part_kind::tool_result;
        if (alone) pass.note(draft.drop(group{slot}));
        else if constexpr (std::remove_cvref_t<decltype(draft)>::can_remove)
            if (!draft.is_removed(result)) pass.note(draft.remove(result));
    }
};

}  // namespace v1
}  // namespace condense
