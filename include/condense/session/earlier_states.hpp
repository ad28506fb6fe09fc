// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/saved_edits.hpp>
#include <condense/session/state.hpp>

// Converts saved states of versions before 7. They name parts and groups by numbers that count released messages, too,
// of which they hold records; these are read once more here, and left out.

namespace condense {
inline namespace v1 {
namespace detail {

/// A template, so that a program that only includes it instantiates nothing.
template <class = void>
struct basic_earlier_states {
    /// Makes a state one of version 7, or says what is wrong with it. Reads all messages.
    template <class Message, class Estimator>
    static state_error convert(session_state& state, Estimator const& estimator) {
        outline facts;
        if (auto const problem = read_all<Message>(state, estimator, facts)) return problem;
        state.size = facts.size();
        auto numbers = convert_steps(facts, state);
        if (numbers.empty()) return impossible("a step", "be as a session leaves it");
        for (auto& point : state.undos) {
            if (point.edits >= numbers.size()) return impossible("what can be undone", "be in the order of the edits");
            point.edits = numbers[as_size(point.edits)];
        }
        remove_empty(state.undos, state.edits.size());
        if (!state.earlier.released.empty()) leave_out_released(facts, state);
        state.earlier = {};
        state.version = session_state::latest;
        return {};
    }

private:
    /// Reads messages and records, and abandons calls and releases messages at the same points as the saved session.
    template <class Message, class Estimator>
    static state_error read_all(session_state const& state, Estimator const& estimator, outline& facts) {
        auto const& released = state.earlier.released;
        auto const size = state.messages.size() + released.size();
        if (size >= group::summary_bit) return impossible("the messages", "be fewer than 2^31");
        std::vector<std::uint32_t> positions(size, none32);  // of the record of a message
        for (std::size_t position = 0; position < released.size(); ++position) {
            auto const index = released[position].index;
            if (index >= size ||
                std::exchange(positions[as_size(index)], static_cast<std::uint32_t>(position)) != none32)
                return impossible("a released message", "be one of the conversation");
        }
        std::size_t abandoned_count = 0;
        std::size_t released_count = 0;
        auto const catch_up = [&] {
            auto const& calls = state.abandoned;
            for (; abandoned_count < calls.size() && calls[abandoned_count].messages == facts.size(); ++abandoned_count)
                if (facts.abandon(calls[abandoned_count].id) == 0) return false;
            for (; released_count < released.size() && released[released_count].messages == facts.size();
                 ++released_count) {
                if (released[released_count].index >= facts.size()) return false;
                facts.release(static_cast<std::uint32_t>(released[released_count].index));
            }
            return true;
        };
        std::size_t read_count = 0;
        std::size_t pin_count = 0;
        for (std::uint32_t index = 0; index < size; ++index) {
            if (!catch_up()) return impossible("a call or a message that was given up", "have been there");
            bool const pinned = pin_count < state.pins.size() && state.pins[pin_count] == index;
            pin_count += pinned ? 1u : 0u;
            if (positions[index] == none32) {
                auto const m = v1::from_bytes<Message>(state.messages[read_count++]);
                if (!m) return impossible("a message", "be as its traits write it");
                facts.read(*m, estimator, {.marks = true, .pinned = pinned, .exact = true});
            } else facts.read(released[positions[index]], pinned, part_removable<Message>);
            facts.place();
        }
        if (!catch_up() || abandoned_count != state.abandoned.size() || released_count != released.size())
            return impossible("a call or a message that was given up", "have been there");
        return {};
    }

    /// Makes edits of the steps, but for those on what was released. Returns the number of edits before each step, and
    /// before the end; empty where a step names what is not there.
    static std::vector<std::uint64_t> convert_steps(outline const& facts, session_state& state) {
        auto& [released, steps, texts] = state.earlier;
        std::vector<std::uint64_t> numbers;
        std::size_t text_count = 0;
        for (auto const& step : steps) {
            numbers.push_back(state.edits.size());
            if (step.on_part ? step.target >= facts.part_count() : group{step.target}.id() >= facts.group_count())
                return {};
            auto edit = saved_edits::without_text(facts, step);
            if (edit.writes) {
                if (step.text != text_count || text_count == texts.size()) return {};
                edit.text = std::move(texts[text_count].text);
                edit.stored = texts[text_count++].stored;
            }
            if (edit.of_summary && step.kind == edit_kind::restore) {
                if (step.previous == 0 || step.previous >= numbers.size()) return {};
                edit.undoes = numbers[step.previous - 1] + 1;
            }
            bool const on_summary = edit.of_summary || step.kind == edit_kind::summarize;
            if (on_summary || !is_gone(facts, as_size(edit.message))) state.edits.push_back(std::move(edit));
        }
        if (text_count != texts.size()) return {};
        numbers.push_back(state.edits.size());
        return numbers;
    }
    /// The message was released, or one with which it can only be sent together.
    static bool is_gone(outline const& facts, std::size_t index) noexcept {
        return facts.group_at(facts.group_of(index)).unsendable;
    }
    /// Takes out the points after which no edit is left.
    static void remove_empty(std::vector<undo_point>& points, std::size_t end) {
        std::size_t count = 0;
        for (std::size_t index = 0; index < points.size(); ++index) {
            auto const next = index + 1 == points.size() ? end : points[index + 1].edits;
            if (points[index].edits != next) points[count++] = points[index];
        }
        points.resize(count);
    }

    static void leave_out_released(outline& facts, session_state& state) {
        auto messages = std::exchange(state.messages, {});
        auto const is_released = [&](std::size_t index) { return facts.message_at(index).released; };
        std::size_t position = 0;
        for (std::uint32_t index = 0; index < facts.size(); ++index) {
            auto* const m = is_released(index) ? nullptr : &messages[position++];
            if (is_gone(facts, index)) continue;
            state.messages.push_back(std::move(*m));
            state.numbers.push_back(index);
        }
        for (std::uint32_t index = 0; index < facts.size(); ++index)
            if (is_gone(facts, index)) facts.release(index);
        std::erase_if(state.pins,
                      [&](std::uint64_t number) { return number < facts.size() && is_released(as_size(number)); });
        if (state.task != 0 && state.task <= facts.size() && is_released(as_size(state.task - 1))) state.task = 0;
        state.released = facts.without_released({}).released(true);
        state.abandoned.clear();
    }
};
using earlier_states = basic_earlier_states<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
