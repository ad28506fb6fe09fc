// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/session/earlier_states.hpp>
#include <condense/session/message_container.hpp>
#include <condense/session/metering.hpp>
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
    std::vector<std::uint32_t> indices = {};  ///< by place in the container; empty where no message was released
    std::vector<undo_point> undo_points = {};
    std::vector<abandoned_call> abandoned = {};
    std::string learnt = {};  ///< what the estimator has learnt

    /// Moves messages and edits out of the state. Costs reading and counting each message. On an error, both the state
    /// and this object are to be discarded.
    template <class Estimator>
    state_error load(session_state& state, metering<Estimator> const& meter) {
        auto const& estimator = meter.estimator();
        if (state.version < 7)
            if (auto const problem = earlier_states::convert<message_type>(state, estimator)) return problem;
        if (message_container<Messages>::borrowed && state.released.latest != 0)
            return unrestorable(state_fault::foreign, "the program's own container",
                                "be of a session that released nothing");
        if (auto const problem = load_messages(state, estimator)) return problem;
        if (state.task != 0 && !outline.name_task(state.task - 1))
            return impossible("the task", "be a message of the user");
        edits.note_sent(state.sent);
        edits.note_task_taken(state.task_taken);
        edits.note_cached(state.cached);
        originals<container> const source{address_of(messages), outline.has_released() ? &indices : nullptr};
        edit_restorer<originals<container>, Estimator> restorer{source, outline, edits, estimator, state.limits};
        if (auto const what = restorer.restore(std::move(state.edits)); !what.empty())
            return impossible(what, "be as a session leaves it");
        if (!are_undo_points_valid(state.undos))
            return impossible("what can be undone", "be in the order of the edits");
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
        abandoned = std::move(state.abandoned);
        return {};
    }

private:
    using message_type = element_of<container const>;

    /// Reads the messages in order, and abandons calls at the same points as the saved session, as which calls an id
    /// names depends on what was there at the time. Of released messages there is nothing to read; what does not follow
    /// from those that are left is in the state. O(messages), plus reading them.
    template <class Estimator>
    state_error load_messages(session_state& state, Estimator const& estimator) {
        bool const has_released = state.released.latest != 0;
        if (state.size >= group::summary_bit) return impossible("the messages", "be fewer than 2^31");
        if (has_released ? state.numbers.size() != state.messages.size() || state.released.latest > state.size
                         : !state.numbers.empty() || state.size != state.messages.size())
            return impossible("the messages", "be those that were not released");
        if (!ascend(state.numbers, state.size)) return impossible("the number of a message", "be above the one before");
        if (!ascend(state.pins, state.size)) return impossible("a pin", "be on one message");
        if (!has_released) return read_messages(state, estimator, {});
        auto const layout = sparse_layout::of(numbers_with_places(state), as_size(state.size), 0);
        outline = v1::outline{layout, state.released};
        if (auto const problem = read_messages(state, estimator, layout)) return problem;
        if (!outline.take_calls(state.released)) return impossible("a call", "be as a session leaves it");
        return {};
    }

    template <class Estimator>
    state_error read_messages(session_state& state, Estimator const& estimator, sparse_layout const& layout) {
        bool const has_released = state.released.latest != 0;
        std::size_t read_count = 0;
        std::size_t pin_count = 0;
        std::size_t abandoned_count = 0;
        auto const abandon_again = [&] {
            auto const& calls = state.abandoned;
            for (; abandoned_count < calls.size() && calls[abandoned_count].messages == outline.size();
                 ++abandoned_count)
                if (outline.abandon(calls[abandoned_count].id) == 0) return false;
            return true;
        };
        auto const read = [&](std::uint32_t index) {
            bool const is_present =
                !has_released || (read_count < state.numbers.size() && state.numbers[read_count] == index);
            if (!is_present) return outline.place_released(), true;
            // Frees each text once it is read: the state and the messages are not in memory twice.
            auto const bytes = std::exchange(state.messages[read_count++], {});
            auto m = v1::from_bytes<message_type>(bytes);
            if (!m) return false;
            bool const pinned = pin_count < state.pins.size() && state.pins[pin_count] == index;
            pin_count += pinned ? 1u : 0u;
            outline.read(*m, estimator, {.marks = true, .pinned = pinned, .exact = true});
            messages.push_back(std::move(*m));
            if (has_released) indices.push_back(index);
            outline.place();
            return true;
        };
        for (auto const index : layout.early) {
            outline.skip_to(index);
            if (!read(index)) return impossible("a message", "be as its traits write it");
        }
        outline.skip_to(static_cast<std::uint32_t>(layout.dense));
        for (auto index = layout.dense; index < state.size; ++index) {
            if (!abandon_again()) return impossible("a call that was given up", "have been there");
            if (!read(static_cast<std::uint32_t>(index))) return impossible("a message", "be as its traits write it");
        }
        if (!abandon_again() || abandoned_count != state.abandoned.size())
            return impossible("a call that was given up", "have been there");
        if (pin_count != state.pins.size()) return impossible("a pin", "be on one message");
        return {};
    }

    /// All are below `end`, each above the one before it.
    static bool ascend(std::vector<std::uint64_t> const& numbers, std::uint64_t end) noexcept {
        std::uint64_t next = 0;
        for (auto const number : numbers) {
            if (number < next || number >= end) return false;
            next = number + 1;
        }
        return true;
    }
    /// The numbers of the messages, and of those that were released and before which a summary may stand.
    static std::vector<std::uint32_t> numbers_with_places(session_state const& state) {
        std::vector<std::uint32_t> places;
        for (auto const& edit : state.edits)
            if ((edit.of_summary || edit.kind == edit_kind::summarize) && edit.message < state.size)
                places.push_back(static_cast<std::uint32_t>(edit.message));
        sort(places, [](std::uint32_t left, std::uint32_t right) { return left < right; });
        std::vector<std::uint32_t> all;
        std::size_t next = 0;
        auto const add_up_to = [&](std::uint64_t number) {
            for (; next < places.size() && places[next] <= number; ++next)
                if (all.empty() || all.back() != places[next]) all.push_back(places[next]);
        };
        for (auto const number : state.numbers) {
            add_up_to(number);
            if (all.empty() || all.back() != number) all.push_back(static_cast<std::uint32_t>(number));
        }
        add_up_to(state.size);
        return all;
    }

    /// True if undo points ascend and lie within the conversation.
    bool are_undo_points_valid(std::vector<undo_point> const& undos) const noexcept {
        undo_point before;
        bool first = true;
        for (auto const& point : undos) {
            if ((!first && point.edits <= before.edits) || point.messages < before.messages) return false;
            if (point.edits >= edits.steps().size() || point.messages > outline.size()) return false;
            // A release leaves no point from before it, so all messages since are there.
            if (outline.size() - point.messages > outline.record_count()) return false;
            before = point;
            first = false;
        }
        return true;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
