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

// Pairs calls with results as providers require it: repair{}. Place it after the layers that make room, because it may
// add answers.

namespace condense {
inline namespace v1 {

/// Answers calls that were cancelled or are dead (a later turn went on without them) with `answer`. Loses results whose
/// call is nowhere, with the parts that came with them, and all but the first result of a call; of results in several
/// messages the first that is not pending stays. Calls that may still be answered are left alone. The request grows by
/// the answers, but never beyond the budget. Costs a look at each broken pair.
struct repair {
    std::string_view answer = "[no result: the call was not completed]";  ///< must outlive the layer

    static constexpr effect effects = repairs | drops;

    /// Never by itself: a broken pair is mended on arrival, or in a run that takes place anyway.
    constexpr bool due(usage const&) const noexcept { return false; }
    constexpr void validate() const {
        detail::reject_unless(!answer.empty(), "condense: repair: the answer must not be empty (see repair)");
    }

    /// How many entries of each of the outline's lists of broken pairs were handled on arrival, so that an arrival
    /// costs only what is new. `reduce` goes through all.
    struct memory {
        std::uint64_t orphans = 0;
        std::uint64_t calls = 0;
        std::uint64_t repeats = 0;

        std::string save() const {
            std::string out;
            for (auto const count : {orphans, calls, repeats}) detail::put_field(out, count);
            return out;
        }
        /// The third figure may be missing, as it is in states of earlier versions.
        bool load(std::string_view text, std::size_t) noexcept {
            detail::field_reader from{text};
            orphans = from.number(detail::u64_limit);
            calls = from.number(detail::u64_limit);
            repeats = from.done() ? 0 : from.number(detail::u64_limit);
            return from.done() && !from.broken();
        }
    };

    /// Costs a look at each pair that the message has broken.
    void arrive(auto& draft, sequence, auto& pass) const {
        auto& progress = pass.memory;
        auto const& conversation = draft.outline();
        auto const skip_gone = [](std::uint64_t& place, auto const& pairs) {
            if (place < pairs.first()) place = pairs.first();
        };
        skip_gone(progress.orphans, conversation.orphans());
        skip_gone(progress.repeats, conversation.repeats());
        skip_gone(progress.calls, conversation.dead_calls());
        for (; progress.orphans < conversation.orphans().size(); ++progress.orphans) {
            auto const part_id = conversation.orphans()[progress.orphans];
            // Its group may still change; this orphan and those after it wait for a later arrival.
            if (conversation.open(conversation.group_of(conversation.part_at(part_id).message_index))) break;
            remove_orphan(draft, pass, part_id);
        }
        while (progress.repeats < conversation.repeats().size())
            keep_first(draft, pass, conversation.repeats()[progress.repeats++]);
        while (progress.calls < conversation.dead_calls().size())
            static_cast<void>(answer_call(draft, pass, conversation.dead_calls()[progress.calls++]));
    }
    void reduce(auto& draft, auto& pass) const {
        auto const& conversation = draft.outline();
        auto const each = [&](auto&& f) {
            draft.each_message([&](sequence message) {
                draft.each_part_of(message,
                                   [&](part_ref part) { f(part.part_id, conversation.part_at(part.part_id)); });
            });
        };
        bool orphaned = false;
        each([&](std::uint32_t part_id, auto const& part) {
            if (part.kind != part_kind::tool_result || part.call != detail::none32) return;
            remove_orphan(draft, pass, part_id);
            orphaned = orphaned || conversation.open(conversation.group_of(part.message_index));
        });
        each([&](std::uint32_t part_id, auto const& part) {
            if (part.repeats) keep_first(draft, pass, part_id);
        });
        bool room = true;
        bool waits = false;
        each([&](std::uint32_t part_id, auto const& part) {
            waits = waits || conversation.waits(part);
            if (room && part.kind == part_kind::tool_call)
                room = answer_call(draft, pass, part_id) != refusal{refusal::no_room};
        });
        if (!room) return;
        pass.idle_as(waits
                         ? "nothing to do: a call still waits for its result; without one its status must be cancelled"
                     : orphaned ? "nothing to do: the newest result has no call, and one may still come"
                                : "nothing to do: calls and results are in pairs");
    }

    friend bool operator==(repair const&, repair const&) = default;

private:
    /// Adds the answer unless the call has one, may still get one, or is not there any more.
    refusal answer_call(auto& draft, auto& pass, std::uint32_t part_id) const {
        auto const& conversation = draft.outline();
        auto const call = draft.part_at(part_id);
        if (!conversation.unanswerable(conversation.part_at(part_id)) || draft.edits().answer_at(part_id) != 0)
            return refusal::none;
        if (!draft.present(sequence{call.message_index})) return refusal::none;
        auto const refused = draft.repair(call, std::string{answer});
        pass.note(refused);
        return refused;
    }

    /// Removes a result whose call is nowhere, unless its group is open and the call may yet arrive.
    static void remove_orphan(auto& draft, auto& pass, std::uint32_t part_id) {
        auto const& conversation = draft.outline();
        auto const group_id = conversation.group_of(conversation.part_at(part_id).message_index);
        if (!draft.present(group{group_id}) || conversation.open(group_id)) return;
        remove(draft, pass, draft.part_at(part_id));
    }

    /// Keeps one message's result of a call that has results in several messages. Only results with the call's id
    /// count; one that was matched with its call by position is left alone.
    static void keep_first(auto& draft, auto& pass, std::uint32_t part_id) {
        auto const& conversation = draft.outline();
        auto const& repeated = conversation.part_at(part_id);
        if (!draft.present(group{conversation.group_of(repeated.message_index)})) return;
        auto const repeat = draft.part_at(part_id);
        if (draft.is_removed(repeat)) return;  // with others of its call
        std::vector<part_ref> answers;
        for (auto const result_id : draft.results_beside(repeat))
            if (auto const part = draft.part_at(result_id);
                conversation.part_at(result_id).by_id && !draft.is_removed(part))
                answers.push_back(part);
        auto first = detail::none32;
        auto first_complete = detail::none32;
        for (auto const part : answers) {
            if (part.message_index < first) first = part.message_index;
            bool const pending = conversation.part_at(part.part_id).status == part_status::pending;
            if (!pending && part.message_index < first_complete) first_complete = part.message_index;
        }
        if (first_complete != detail::none32) first = first_complete;
        for (auto const part : answers)
            if (part.message_index != first) remove(draft, pass, part);
    }

    /// Removes a result and the other parts of its message with the same call id, such as media that came with it.
    static void remove(auto& draft, auto& pass, part_ref result) {
        if constexpr (std::remove_cvref_t<decltype(draft)>::can_remove) {
            if (draft.is_removed(result)) return;
            std::vector<part_ref> removals;
            draft.each_beside(result, [&](part_ref part) {
                if (draft.outline().part_at(part.part_id).kind != part_kind::tool_call) removals.push_back(part);
            });
            removals.push_back(result);
            // Collected first, so that no part is removed while each_beside walks its message.
            for (auto const part : removals)
                if (!draft.is_removed(part)) pass.note(draft.remove(part));
        } else if (draft.about(group{draft.outline().group_of(result.message_index)}).count == 1)
            drop_if_only_results(draft, pass, result);
    }

    /// For message types without a `without_part`: drops the message if it holds nothing but results.
    static void drop_if_only_results(auto& draft, auto& pass, part_ref result) {
        bool only_results = true;
        draft.each_part_of(sequence{result.message_index}, [&](part_ref part) {
            only_results = only_results && draft.about(part).kind == part_kind::tool_result;
        });
        if (only_results) pass.note(draft.drop(group{draft.outline().group_of(result.message_index)}));
    }
};

}  // namespace v1
}  // namespace condense
