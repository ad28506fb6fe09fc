// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/session/edit_loader.hpp>
#include <condense/session/session_jobs.hpp>
#include <condense/session/state.hpp>

// How a session is taken out of a process and goes on in another: state(), then adopt(state).

namespace condense {
inline namespace v1 {
namespace detail {

template <class Messages, class Mix, class Estimator, class Options>
class session_saving : public session_jobs<Messages, Mix, Estimator, Options> {
    using core = session_jobs<Messages, Mix, Estimator, Options>;

protected:
    using core::abandoned_, core::anchor_, core::count_, core::deferred_, core::edits_, core::undo_points_,
        core::facts_, core::blank_entries_, core::jobs_, core::kept_, core::limits_, core::messages_, core::mix_,
        core::note_, core::options_, core::overflowed_, core::pace_, core::places_, core::released_, core::sent_,
        core::sent_sum_, core::statistics_, core::tracker_, core::unread_, core::unrecorded_, core::warned_;
    using core::borrowed, core::catch_up;

public:
    using typename core::container;
    using typename core::message_type;

    /// All that a later session needs to go on as this one would. What was pushed during a failed run
    /// comes in first. Summaries under way are not in it: their commits come back `stale`. Costs a copy.
    taken_state state() {
        check_storable();
        taken_state made;
        if (deferred_.busy()) {
            made.error = {state_fault::busy, "condense: save: the session must not be in a run (see session_state)"};
            return made;
        }
        catch_up();
        auto& out = made.state;
        if (!save_memories(mix_, kept_, out.memories)) {
            made.error = {state_fault::unsavable,
                          "condense: save: the memory of a layer must have save and load (see session_state)"};
            return made;
        }
        if constexpr (saves_estimator) out.memories.push_back(count_.save());
        for (auto const& entry : blank_entries_) out.layers.emplace_back(entry.name);
        out.conversation = options_.conversation;
        out.limits = limits_;
        for (auto const& m : messages_.get()) out.messages.push_back(v1::to_bytes(m));
        out.released = released_;
        out.abandoned = abandoned_;
        for (std::uint32_t index = 0; index < facts_.size(); ++index)
            if (facts_.message_at(index).pinned) out.pins.push_back(index);
        out.steps = edits_.steps();
        out.texts = edits_.texts();
        out.undos = undo_points_;
        out.sent = edits_.sent();
        out.cached = edits_.cached();
        out.runs = statistics_.runs;
        out.changed = statistics_.changed;
        out.statistics.assign(statistics_.layers.begin(), statistics_.layers.end());
        out.pace = pace_;
        out.anchor = anchor_;
        out.turns = tracker_;
        out.latest_job = jobs_.latest();
        out.note = std::string_view{note_};
        out.unrecorded = unrecorded_;
        out.overflowed = overflowed_;
        out.warned = warned_;
        return made;
    }

    /// Goes on where the session whose state this is would: for one that was made of an empty container, with
    /// the same pipeline, estimator and options. Nothing of the state is believed; where there is an error,
    /// or an exception, the session is as before. Costs reading and counting each message.
    state_error adopt(session_state from) {
        check_storable();
        if (deferred_.busy()) return unrestorable(state_fault::busy, "the session", "not be in a run");
        if (facts_.size() != 0 || ranges_access::begin_of(messages_.get()) != ranges_access::end_of(messages_.get()))
            return unrestorable(state_fault::not_empty, "the session", "be made of an empty container");
        if (auto const problem = belongs(from)) return problem;

        container all;
        std::vector<std::uint32_t> places;
        v1::outline facts;
        view edits;
        if (auto const problem = rebuild_messages(from, all, places, facts)) return problem;
        edits.know_summaries(edits_.knows_summaries());
        edits.note_sent(from.sent);
        edits.note_cached(from.cached);
        originals<container> const source{address_of(all), address_of(places)};
        edit_loader<originals<container>, Estimator> whole{source, facts, edits, count_, from.limits};
        if (auto const what = whole.load(std::move(from.steps), std::move(from.texts)); !what.empty())
            return impossible(what, "be as a session leaves it");
        if (!undos_are_good(from.undos, facts, edits))
            return impossible("what can be undone", "be in the order of the steps");
        if (!from.anchor.within(facts.size()))
            return impossible("a request", "have been of messages of the conversation");
        [[maybe_unused]] std::string learnt;
        if constexpr (saves_estimator) {
            if (!from.memories.empty()) learnt = std::move(from.memories.back()), from.memories.pop_back();
            if (Estimator tried{count_}; !tried.load(learnt))
                return impossible("what the estimator has learnt", "be as it saved it");
        }
        typename Mix::memory kept{};
        if (!load_memories(mix_, kept, from.memories, facts.size()))
            return impossible("a layer's memory", "be as the layer saved it");
        auto noted = core::held_type::look_at(all);
        grow(undo_points_, 1);

        // From here on nothing fails but a memory that throws when it is moved.
        kept_ = std::move(kept);
        if constexpr (saves_estimator) static_cast<void>(count_.load(learnt));
        sent_sum_ = {};
        messages_.adopt(all, std::move(noted));
        places_.swap(places);
        facts_ = std::move(facts);
        edits_ = std::move(edits);
        undo_points_.swap(from.undos);
        abandoned_.swap(from.abandoned);
        released_.swap(from.released);
        limits_ = from.limits;
        take_statistics(from);
        pace_ = from.pace;
        anchor_ = from.anchor;
        tracker_ = from.turns;
        jobs_.go_on(from.latest_job);
        note_ = std::string_view{from.note};
        unrecorded_ = from.unrecorded;
        unread_ = core::records && facts_.size() != 0;
        overflowed_ = from.overflowed;
        warned_ = from.warned;
        sent_.forget();
        return {};
    }

protected:
    using core::core;

private:
    /// What was learnt stands behind the memories of the layers.
    static constexpr bool saves_estimator = saved_estimator<Estimator>;

    static constexpr void check_storable() noexcept {
        static_assert(storable<message_type>,
                      "condense: session.state: the messages must have to_bytes and from_bytes (see storable)");
    }

    state_error belongs(session_state const& from) const {
        if (from.version > session_state::latest)
            return unrestorable(state_fault::newer, "the version", "be one that this library knows");
        if (from.version == 0) return impossible("the version", "be above 0");
        bool same = from.layers.size() == blank_entries_.size();
        for (std::size_t at = 0; same && at < blank_entries_.size(); ++at)
            same = from.layers[at] == blank_entries_[at].name;
        if (!same)
            return unrestorable(state_fault::foreign, "the pipeline", "have the layers of the one that was saved");
        if (from.conversation != options_.conversation)
            return unrestorable(state_fault::foreign, "the conversation", "be the one that was saved");
        if (from.statistics.size() != blank_entries_.size())
            return impossible("the statistics", "be one entry a layer");
        for (auto const& made : from.steps)
            if (made.author > blank_entries_.size()) return impossible("the author of an edit", "be a layer");
        if (from.latest_job > u64_limit / 2) return impossible("the number of the latest job", "be below 2^63");
        if constexpr (borrowed)
            if (!from.released.empty())
                return unrestorable(state_fault::foreign, "the program's own container",
                                    "be of a session that released nothing");
        return {};
    }

    /// Reads the messages in the order in which they came, and does what was done at the same moments.
    state_error rebuild_messages(session_state& from, container& all, std::vector<std::uint32_t>& places,
                                 v1::outline& facts) const {
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
        std::size_t abandoned = 0;
        std::size_t released = 0;
        auto const keep_up = [&] {
            for (; abandoned < from.abandoned.size() && from.abandoned[abandoned].messages == facts.size(); ++abandoned)
                if (facts.abandon(from.abandoned[abandoned].id) == 0) return false;
            for (; released < from.released.size() && from.released[released].messages == facts.size(); ++released) {
                if (from.released[released].index >= facts.size()) return false;
                facts.release(static_cast<std::uint32_t>(from.released[released].index));
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
                facts.read(*m, count_, {.pinned = pinned, .exact = true});
                all.push_back(std::move(*m));
            } else facts.read(from.released[gone[index]], pinned, part_removable<message_type>);
            gone[index] = is_there ? there++ : none32;
            facts.place();
        }
        if (!keep_up() || abandoned != from.abandoned.size() || released != from.released.size())
            return impossible("a call or a message that was given up", "have been there");
        if (!from.released.empty()) places.swap(gone);
        return {};
    }

    /// An undo goes back to a step that was made, and never to before a release.
    static bool undos_are_good(std::vector<undo_point> const& undos, v1::outline const& facts,
                               view const& edits) noexcept {
        std::uint64_t steps = view_loader::fixed(edits, facts);
        std::uint64_t messages = 0;
        bool first = true;
        for (auto const& each : undos) {
            if (each.steps < steps || (!first && each.steps == steps) || each.messages < messages) return false;
            if (each.steps >= edits.steps().size() || each.messages > facts.size()) return false;
            steps = each.steps;
            messages = each.messages;
            first = false;
        }
        return true;
    }

    void take_statistics(session_state const& from) noexcept {
        statistics_.runs = from.runs;
        statistics_.changed = from.changed;
        for (std::size_t at = 0; at < blank_entries_.size(); ++at) {
            statistics_.layers[at] = from.statistics[at];
            statistics_.layers[at].name = blank_entries_[at].name;
        }
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
