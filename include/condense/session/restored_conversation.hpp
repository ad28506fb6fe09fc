// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/session/message_container.hpp>
#include <condense/session/metering.hpp>
#include <condense/session/request.hpp>
#include <condense/session/restore_edits.hpp>
#include <condense/session/state.hpp>

// Reads a conversation from a saved state, which may be forged.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Messages>
struct restored_conversation {
    using container = typename message_container<Messages>::container;

    container messages = {};
    typename message_container<Messages>::facts noted = {};
    v1::outline outline = {};
    view edits = {};
    std::vector<std::uint32_t> places = {};  ///< in the container, by index, where some were released
    std::vector<undo_point> undo_points = {};
    std::vector<abandoned_call> abandoned = {};
    std::vector<released_message> released = {};
    std::string learnt = {};  ///< by the estimator

    /// Moves messages and edits out of the state. Costs reading and counting each message.
    template <class Estimator>
    state_error load(session_state& from, metering<Estimator> const& meter) {
        if (message_container<Messages>::borrowed && !from.released.empty())
            return unrestorable(state_fault::foreign, "the program's own container",
                                "be of a session that released nothing");
        auto const& count = meter.estimator();
        if (auto const problem = load_messages(from, count)) return problem;
        edits.note_sent(from.sent);
        edits.note_cached(from.cached);
        originals<container> const source{address_of(messages), address_of(places)};
        edit_restorer<originals<container>, Estimator> restorer{source, outline, edits, count, from.limits};
        if (auto const what = restorer.restore(std::move(from.steps), std::move(from.texts)); !what.empty())
            return impossible(what, "be as a session leaves it");
        if (!undos_are_good(from.undos)) return impossible("what can be undone", "be in the order of the steps");
        if (!from.anchor.within(outline.size()))
            return impossible("a request", "have been of messages of the conversation");
        if (saved_estimator<Estimator> && !from.memories.empty()) {
            learnt = std::move(from.memories.back());
            from.memories.pop_back();
        }
        if (!meter.can_learn(learnt)) return impossible("what the estimator has learnt", "be as it saved it");
        noted = message_container<Messages>::look_at(messages);
        undo_points = std::move(from.undos);
        grow(undo_points, 1);
        abandoned = std::move(from.abandoned);
        released = std::move(from.released);
        return {};
    }

private:
    using message_type = element_of<container const>;

    /// Reads the messages in order, and abandons calls and releases messages at the same points as the saved session.
    template <class Estimator>
    state_error load_messages(session_state& from, Estimator const& count) {
        auto const size = from.messages.size() + from.released.size();
        if (size >= group::summary_bit) return impossible("the messages", "be fewer than 2^31");
        if (from.pins.size() > size) return impossible("the pins", "be of messages");
        auto const numbered = [&](std::vector<std::uint32_t>& by, auto const& each, auto const& index_of) {
            by.assign(size, none32);
            for (std::size_t at = 0; at < each.size(); ++at) {
                auto const index = index_of(each[at]);
                if (index >= size || std::exchange(by[as_size(index)], static_cast<std::uint32_t>(at)) != none32)
                    return false;
            }
            return true;
        };
        std::vector<std::uint32_t> gone;
        std::vector<std::uint32_t> pins;
        if (!numbered(gone, from.released, [](auto const& m) { return m.index; }))
            return impossible("a released message", "be one of the conversation");
        if (!numbered(pins, from.pins, [](auto number) { return number; }))
            return impossible("a pin", "be on one message");
        std::size_t given_up = 0;
        std::size_t let_go = 0;
        auto const keep_up = [&] {
            for (; given_up < from.abandoned.size() && from.abandoned[given_up].messages == outline.size(); ++given_up)
                if (outline.abandon(from.abandoned[given_up].id) == 0) return false;
            for (; let_go < from.released.size() && from.released[let_go].messages == outline.size(); ++let_go) {
                if (from.released[let_go].index >= outline.size()) return false;
                outline.release(static_cast<std::uint32_t>(from.released[let_go].index));
            }
            return true;
        };
        std::uint32_t there = 0;
        for (std::uint32_t index = 0; index < size; ++index) {
            if (!keep_up()) return impossible("a call or a message that was given up", "have been there");
            bool const pinned = pins[index] != none32;
            bool const is_there = gone[index] == none32;
            if (is_there) {
                auto const bytes = std::exchange(from.messages[there], {});
                auto m = v1::from_bytes<message_type>(bytes);
                if (!m) return impossible("a message", "be as its traits write it");
                outline.read(*m, count, {.pinned = pinned, .exact = true});
                messages.push_back(std::move(*m));
            } else outline.read(from.released[gone[index]], pinned, part_removable<message_type>);
            gone[index] = is_there ? there++ : none32;
            outline.place();
        }
        if (!keep_up() || given_up != from.abandoned.size() || let_go != from.released.size())
            return impossible("a call or a message that was given up", "have been there");
        if (!from.released.empty()) places = std::move(gone);
        return {};
    }

    /// Undo points are ascending steps, none before a release.
    bool undos_are_good(std::vector<undo_point> const& undos) const noexcept {
        std::uint64_t steps = 0;
        for (std::uint32_t index = 0; index < outline.size(); ++index) {
            auto const dropped = edits.dropped_at(outline.group_of(index));
            if (outline.message_at(index).released && dropped > steps) steps = dropped;
        }
        std::uint64_t seen = 0;
        bool first = true;
        for (auto const& each : undos) {
            if (each.steps < steps || (!first && each.steps == steps) || each.messages < seen) return false;
            if (each.steps >= edits.steps().size() || each.messages > outline.size()) return false;
            steps = each.steps;
            seen = each.messages;
            first = false;
        }
        return true;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
