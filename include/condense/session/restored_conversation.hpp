// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/session/forget_released.hpp>
#include <condense/session/message_container.hpp>
#include <condense/session/metering.hpp>
#include <condense/session/released_log.hpp>
#include <condense/session/request.hpp>
#include <condense/session/restore_edits.hpp>
#include <condense/session/state.hpp>

// Reads a conversation from a saved state, which may be forged: everything is checked before a session adopts it.

namespace condense {
inline namespace v1 {
namespace detail {

/// All that a conversation holds, read and checked apart from it, so that the session is unchanged if the state is bad.
template <class Messages>
struct restored_conversation {
    using container = typename message_container<Messages>::container;

    container messages = {};
    typename message_container<Messages>::digests digests = {};
    v1::outline outline = {};
    view edits = {};
    std::vector<std::uint32_t> indices = {};  ///< by place in the container; used if a message was released
    std::vector<undo_point> undo_points = {};
    std::vector<abandoned_call> abandoned = {};
    released_log released = {};
    std::string learnt = {};  ///< what the estimator has learnt

    /// Moves messages and edits out of the state. Costs reading and counting each message. On an error, both the state
    /// and this object are to be discarded.
    template <class Estimator>
    state_error load(session_state& state, metering<Estimator> const& meter) {
        if (message_container<Messages>::borrowed && !state.released.empty())
            return unrestorable(state_fault::foreign, "the program's own container",
                                "be of a session that released nothing");
        auto const& estimator = meter.estimator();
        if (auto const problem = load_messages(state, estimator)) return problem;
        if (state.task != 0 && !outline.name_task(state.task - 1))
            return impossible("the task", "be a message of the user");
        edits.note_sent(state.sent);
        edits.note_task_taken(state.task_taken);
        edits.note_cached(state.cached);
        originals<container> const source{address_of(messages), state.released.empty() ? nullptr : &indices};
        edit_restorer<originals<container>, Estimator> restorer{source, outline, edits, estimator, state.limits};
        if (auto const what = restorer.restore(std::move(state.steps), std::move(state.texts)); !what.empty())
            return impossible(what, "be as a session leaves it");
        if (!are_undo_points_valid(state.undos))
            return impossible("what can be undone", "be in the order of the steps");
        if (!state.anchor.within(outline.size()))
            return impossible("a request", "have been of messages of the conversation");
        // An estimator's memory is the last one; those of the layers stay for the caller.
        if (saved_estimator<Estimator> && !state.memories.empty()) {
            learnt = std::move(state.memories.back());
            state.memories.pop_back();
        }
        if (!meter.can_learn(learnt)) return impossible("what the estimator has learnt", "be as it saved it");
        digests = message_container<Messages>::digests_of(messages);
        undo_points = std::move(state.undos);
        grow(undo_points, 1);  // a conversation always has room for one more
        if (!state.released.empty()) forget_released(outline, edits, undo_points);
        abandoned = std::move(state.abandoned);
        released.append(state.released,
                        [this](std::uint64_t index) { return outline.group_of(as_size(index)) == index; });
        return {};
    }

private:
    using message_type = element_of<container const>;

    /// Reads the messages in order, and abandons calls and releases messages at the same points as the saved session:
    /// which calls an id names, and which groups a message joins, depends on what was there at the time. Released
    /// messages are read from their records, so that all indices are those of the saved session. O(messages), plus
    /// reading them.
    template <class Estimator>
    state_error load_messages(session_state& state, Estimator const& estimator) {
        auto const size = state.messages.size() + state.released.size();
        if (size >= group::summary_bit) return impossible("the messages", "be fewer than 2^31");
        if (state.pins.size() > size) return impossible("the pins", "be of messages");
        // The position of each record by the index of its message; false if an index is too large or comes twice.
        auto const index_records = [&](std::vector<std::uint32_t>& positions, auto const& records,
                                       auto const& index_of) {
            positions.assign(size, none32);
            for (std::size_t position = 0; position < records.size(); ++position) {
                auto const index = index_of(records[position]);
                if (index >= size ||
                    std::exchange(positions[as_size(index)], static_cast<std::uint32_t>(position)) != none32)
                    return false;
            }
            return true;
        };
        std::vector<std::uint32_t> released_positions;
        std::vector<std::uint32_t> pins;
        if (!index_records(released_positions, state.released, [](auto const& m) { return m.index; }))
            return impossible("a released message", "be one of the conversation");
        if (!index_records(pins, state.pins, [](auto number) { return number; }))
            return impossible("a pin", "be on one message");
        // Both lists are in the order in which things happened, so one position in each is enough. False if an id names
        // no call, or a record a message that is still to come.
        std::size_t abandoned_count = 0;
        std::size_t released_count = 0;
        auto const catch_up = [&] {
            auto const& calls = state.abandoned;
            for (; abandoned_count < calls.size() && calls[abandoned_count].messages == outline.size();
                 ++abandoned_count)
                if (outline.abandon(calls[abandoned_count].id) == 0) return false;
            auto const& records = state.released;
            for (; released_count < records.size() && records[released_count].messages == outline.size();
                 ++released_count) {
                if (records[released_count].index >= outline.size()) return false;
                outline.release(static_cast<std::uint32_t>(records[released_count].index));
            }
            return true;
        };
        std::uint32_t read_count = 0;
        for (std::uint32_t index = 0; index < size; ++index) {
            if (!catch_up()) return impossible("a call or a message that was given up", "have been there");
            bool const pinned = pins[index] != none32;
            bool const is_present = released_positions[index] == none32;
            if (is_present) {
                // Frees each text once it is read: the state and the messages are not in memory twice.
                auto const bytes = std::exchange(state.messages[read_count], {});
                auto m = v1::from_bytes<message_type>(bytes);
                if (!m) return impossible("a message", "be as its traits write it");
                outline.read(*m, estimator, {.marks = true, .pinned = pinned, .exact = true});
                messages.push_back(std::move(*m));
            } else outline.read(state.released[released_positions[index]], pinned, part_removable<message_type>);
            if (is_present) indices.push_back(index), ++read_count;
            outline.place();
        }
        if (!catch_up() || abandoned_count != state.abandoned.size() || released_count != state.released.size())
            return impossible("a call or a message that was given up", "have been there");
        return {};
    }

    /// True if undo points ascend, lie within the conversation, and come after the drop of each released message, whose
    /// original an undo would need.
    bool are_undo_points_valid(std::vector<undo_point> const& undos) const noexcept {
        std::uint64_t steps = 0;
        for (std::uint32_t index = 0; index < outline.size(); ++index) {
            auto const dropped = edits.dropped_at(outline.group_of(index));
            if (outline.message_at(index).released && dropped > steps) steps = dropped;
        }
        std::uint64_t message_count = 0;
        bool first = true;
        for (auto const& point : undos) {
            if (point.steps < steps || (!first && point.steps == steps) || point.messages < message_count) return false;
            if (point.steps >= edits.steps().size() || point.messages > outline.size()) return false;
            steps = point.steps;
            message_count = point.messages;
            first = false;
        }
        return true;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
