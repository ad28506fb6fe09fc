// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/core/layer.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/reject.hpp>

// Makes a conversation with broken pairs one that providers take: repair{}. Put it after the layers
// that make room.

namespace condense {
inline namespace v1 {

/// Answers calls that were cancelled or are dead (a later turn went on without them) with `answer`, and
/// takes out results whose call is nowhere, with what came with them, and all but the first result of a
/// call: these are lost. Of results in several messages one that is not pending counts as the first. Grows by
/// the answers, inside the budget. Calls that may still be answered are left alone. Costs a look at each
/// broken pair.
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
        std::uint64_t repeats = 0;

        std::string save() const {
            std::string out;
            for (auto const count : {orphans, calls, repeats}) detail::put_field(out, count);
            return out;
        }
        bool load(std::string_view text, std::size_t) noexcept {
            detail::field_reader from{text};
            orphans = from.number(detail::u64_limit);
            calls = from.number(detail::u64_limit);
            repeats = from.done() ? 0 : from.number(detail::u64_limit);
            return from.done() && !from.broken();
        }
    };

    /// Costs what the message has broken.
    constexpr void arrive(auto& draft, sequence, auto& pass) const {
        auto& seen = pass.memory;
        auto const& facts = draft.outline();
        for (; seen.orphans < facts.orphans().size(); ++seen.orphans) {
            auto const part_id = facts.orphans()[detail::as_size(seen.orphans)];
            if (facts.open(facts.group_of(facts.part_at(part_id).message_index))) break;
            take_out(draft, pass, part_id);
        }
        while (seen.repeats < facts.repeats().size())
            keep_first(draft, pass, facts.repeats()[detail::as_size(seen.repeats++)]);
        while (seen.calls < facts.dead_calls().size())
            static_cast<void>(answer_call(draft, pass, facts.dead_calls()[detail::as_size(seen.calls++)]));
    }
    constexpr void reduce(auto& draft, auto& pass) const {
        auto const& facts = draft.outline();
        for (auto const part_id : facts.orphans()) take_out(draft, pass, part_id);
        for (auto const part_id : facts.repeats()) keep_first(draft, pass, part_id);
        for (auto const part_id : facts.dead_calls())
            if (answer_call(draft, pass, part_id) == refusal{refusal::no_room}) return;
        pass.idle_as("nothing to do: calls and results are in pairs");
    }

    friend bool operator==(repair const&, repair const&) = default;

private:
    constexpr refusal answer_call(auto& draft, auto& pass, std::uint32_t part_id) const {
        auto const& facts = draft.outline();
        auto const call = draft.part_at(part_id);
        if (!facts.unanswerable(facts.part_at(part_id)) || draft.edits().answer_at(part_id) != 0) return refusal::none;
        if (!draft.present(sequence{call.message_index})) return refusal::none;
        auto const refused = draft.repair(call, std::string{answer});
        pass.note(refused);
        return refused;
    }

    static constexpr void take_out(auto& draft, auto& pass, std::uint32_t part_id) {
        auto const& facts = draft.outline();
        auto const group_id = facts.group_of(facts.part_at(part_id).message_index);
        if (!draft.present(group{group_id}) || facts.open(group_id)) return;
        remove(draft, pass, draft.part_at(part_id));
    }

    /// Of a call's results by id in several messages; one that was matched by its place is left alone.
    static constexpr void keep_first(auto& draft, auto& pass, std::uint32_t part_id) {
        auto const& facts = draft.outline();
        auto const& repeated = facts.part_at(part_id);
        group const which{facts.group_of(repeated.message_index)};
        if (!draft.present(which)) return;
        auto const each = [&](auto&& f) {
            draft.each_part_of(which, [&](part_ref part) {
                auto const& found = facts.part_at(part.part_id);
                if (found.by_id && found.call == repeated.call) f(part, found.status == part_status::pending);
            });
        };
        auto first = detail::none32;
        auto settled = detail::none32;
        each([&](part_ref part, bool pending) {
            if (part.message_index < first) first = part.message_index;
            if (!pending && part.message_index < settled) settled = part.message_index;
        });
        if (settled != detail::none32) first = settled;
        std::vector<part_ref> others;
        each([&](part_ref part, bool) {
            if (part.message_index != first) others.push_back(part);
        });
        for (auto const part : others) remove(draft, pass, part);
    }

    /// With all that came with the result, which has its id.
    static constexpr void remove(auto& draft, auto& pass, part_ref result) {
        if constexpr (std::remove_cvref_t<decltype(draft)>::can_remove) {
            if (draft.is_removed(result)) return;
            std::vector<part_ref> gone;
            draft.original(result, [&](part_view const& held) {
                draft.each_part(sequence{result.message_index}, [&](part_ref part, part_view const& seen) {
                    bool const with_it =
                        !held.call.empty() && seen.call == held.call && seen.kind != part_kind::tool_call;
                    if (with_it && part.part_id != result.part_id) gone.push_back(part);
                });
            });
            gone.push_back(result);
            for (auto const part : gone)
                if (!draft.is_removed(part)) pass.note(draft.remove(part));
        } else if (draft.about(group{draft.outline().group_of(result.message_index)}).count == 1)
            drop_alone(draft, pass, result);
    }

    /// For messages that no part can be taken out of.
    static constexpr void drop_alone(auto& draft, auto& pass, part_ref result) {
        bool alone = true;
        draft.each_part_of(sequence{result.message_index},
                           [&](part_ref part) { alone = alone && draft.about(part).kind == part_kind::tool_result; });
        if (alone) pass.note(draft.drop(group{draft.outline().group_of(result.message_index)}));
    }
};

}  // namespace v1
}  // namespace condense
