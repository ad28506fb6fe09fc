// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/core/edit.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/message.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sort.hpp>

// Which messages have left the request since the last time, by whatever layer, and what was cut from those that stay:
// shown part by part to the index of a summary.

namespace condense {
inline namespace v1 {

/// Why an index is shown a part.
enum class departure : std::uint8_t {
    left,  ///< its message has left, or is about to
    cut,  ///< a layer has cut it in a message that stays; the index is shown the original
    summary,  ///< it is of an earlier summary, which is about to leave
};

/// A part that the index of a summary is shown: index.see(memory, leaving_part). Refers to the conversation, valid
/// during the call.
struct leaving_part {
    departure why = departure::left;
    part_view const& part;
    role speaker = role::other;
    bool is_words = false;  ///< of the user, as a person said them
    bool is_task = false;  ///< of the message with the task
    bool is_known = false;  ///< of a summary: this memory has seen before what it stands for
    std::uint64_t message = 0;  ///< its number
    tokens size = {};  ///< of the whole message, with its first part; 0 with the others
    tokens input = {};  ///< the most that a request holds
    detail::callable_ref<void(detail::view_sink)> call;  ///< shows the call of a result
    detail::callable_ref<void(detail::view_sink)> before;  ///< shows the parts of the assistant's message before it
};

/// The room of an index, and all that it is written from: index.write(memory, index_room).
struct index_room {
    tokens limit = {};
    tokens input = {};  ///< the most that a request holds
    std::string_view before = {};  ///< the summary so far
    std::string_view beside = {};  ///< and behind it, the indexes before this one
    bool has_task = false;  ///< the task stays
    detail::callable_ref<std::uint64_t(std::string_view)> tokens_of;
    detail::callable_ref<void(detail::callable_ref<void(std::string_view)>)> each_kept;  ///< shows all texts that stay
};

namespace detail {

/// Groups that are about to leave.
class leaving_groups {
public:
    explicit leaving_groups(std::vector<group> const& groups) : groups_{&groups} {
        for (auto const which : groups) places_.push_back(place_of(which));
        detail::sort(places_, [](std::uint32_t a, std::uint32_t b) { return a < b; });
    }
    std::vector<group> const& in_order() const noexcept { return *groups_; }
    bool holds(group which) const noexcept {
        std::size_t begin = 0;
        for (auto end = places_.size(); begin < end;) {
            auto const middle = begin + (end - begin) / 2;
            if (places_[middle] == place_of(which)) return true;
            if (places_[middle] < place_of(which)) begin = middle + 1;
            else end = middle;
        }
        return false;
    }

private:
    static std::uint32_t place_of(group which) noexcept { return 2 * which.id() + (which.is_summary() ? 0u : 1u); }

    std::vector<group> const* groups_;
    std::vector<std::uint32_t> places_;
};

/// Remembers the messages that have not left. Plain data: saved, restored and rewound with its session. A template, so
/// that a program that only includes this instantiates nothing.
template <class = void>
class basic_departures {
public:
    /// Calls visitor.message(index) for each message that has left since the last time or is about to, in this order;
    /// visitor.cut(part_ref, part_view) with the original of each part that a layer has cut in one that stays; and
    /// visitor.summary(group) for each earlier summary that is about to leave. Released messages are passed over. Costs
    /// a look at what is sent and at what came since the last time, and the texts of what is visited.
    template <class Draft, class Visitor>
    void visit(Draft const& draft, leaving_groups const& leaving, Visitor&& visitor) {
        auto const stays = [&](staying_message& message) {
            auto const index = static_cast<std::uint32_t>(message.number);
            group const which{draft.outline().group_of(index)};
            if (leaving.holds(which)) return false;
            if (draft.edits().is_dropped(which.id())) {
                if (!draft.outline().message_at(index).released) visitor.message(index);
                return false;
            }
            auto const cost = draft.message_cost(index).steps;
            if (cost < message.cost) visit_cuts(draft, index, visitor);
            message.cost = cost;
            return true;
        };
        // Built aside: what a visitor throws leaves everything as it was.
        std::vector<staying_message> rest;
        for (auto message : staying_)
            if (stays(message)) rest.push_back(message);
        auto next = next_;
        for (next = draft.outline().next_record(next); next < draft.outline().size();
             next = draft.outline().next_record(next + 1)) {
            staying_message message{.number = next};
            if (stays(message)) rest.push_back(message);
        }
        for (auto const which : leaving.in_order()) {
            if (which.is_summary() || draft.is_summary(which)) visitor.summary(which);
            else
                draft.each_member(which, [&](std::uint32_t index) {
                    if (!draft.outline().message_at(index).released) visitor.message(index);
                });
        }
        staying_ = std::move(rest);
        next_ = next;
    }

    /// True if messages were visited before.
    bool begun() const noexcept { return next_ != 0; }

    void save(std::string& out) const {
        put_field(out, next_);
        put_field(out, staying_.size());
        for (auto const& message : staying_) {
            put_field(out, message.number);
            put_field(out, message.cost);
        }
    }
    /// False unless what comes next was saved for a conversation of `message_count` messages.
    bool load(field_reader& reader, std::size_t message_count) {
        next_ = reader.number(message_count);
        staying_.clear();
        for (auto count = reader.number(next_); count != 0 && !reader.broken(); --count) {
            auto const least = staying_.empty() ? 0 : staying_.back().number + 1;
            staying_message message;
            message.number = reader.number(next_);
            message.cost = reader.number(u64_limit);
            if (message.number < least || message.number >= next_) return false;
            staying_.push_back(message);
        }
        return !reader.broken();
    }
    /// Messages from `first` on are others now.
    void rewind(std::uint64_t first) noexcept {
        while (!staying_.empty() && staying_.back().number >= first) staying_.pop_back();
        if (first < next_) next_ = first;
    }

private:
    /// A message that has not left, and what it cost when what was cut from it was visited.
    struct staying_message {
        std::uint64_t number = 0;
        std::uint64_t cost = u64_limit;
    };

    template <class Draft, class Visitor>
    static void visit_cuts(Draft const& draft, std::uint32_t index, Visitor& visitor) {
        auto const& message = draft.outline().message_at(index);
        for (std::uint32_t part = 0; part < message.part_count; ++part) {
            auto const part_id = message.first_part + part;
            auto const* const edit = draft.edits().edit_of(part_id);
            if (edit == nullptr || edit->kind == edit_kind::restore) continue;
            part_ref const place{index, part, part_id};
            draft.original(place, [&](part_view const& original) { visitor.cut(place, original); });
        }
    }

    std::uint64_t next_ = 0;  ///< messages before it have left, or are in staying_
    std::vector<staying_message> staying_;  ///< ascending
};
using departures = basic_departures<>;

/// The calls that were read last: a result mostly leaves right behind its call, which is not read again then.
class latest_calls {
public:
    void add(std::uint32_t part_id, part_view const& call) {
        constexpr std::size_t longest = 64'000;  // of longer ones no copy is kept
        if (call.text.size() > longest) return;
        auto& place = calls_[next_++ % calls_.size()];
        place.part_id = part_id;
        place.tool = call.tool;
        place.text = call.text;
    }
    /// Shows the call of a result, if there is one.
    template <class Draft>
    void show(Draft const& draft, std::uint32_t result, view_sink sink) {
        auto const id = draft.outline().call_part_id(draft.outline().part_at(result));
        if (id == none32) return;
        for (auto const& known : calls_)
            if (known.part_id == id)
                return sink({.kind = part_kind::tool_call, .text = known.text, .tool = known.tool});
        draft.original(draft.part_at(id), [&](part_view const& call) {
            add(id, call);
            sink(call);
        });
    }

private:
    struct known_call {
        std::uint32_t part_id = none32;
        std::string tool = {};
        std::string text = {};
    };
    std::array<known_call, 8> calls_ = {};
    std::size_t next_ = 0;
};

/// Shows an index the parts of all that has left since the last time.
template <class Draft, class Index, class Memory>
void show_departures(Draft const& draft, departures& gone, leaving_groups const& leaving, Index const& index,
                     Memory& memory) {
    static constexpr auto nothing = [](view_sink) {};
    auto const input = draft.limits().input();
    struct visitor {
        Draft const& draft;
        Index const& index;
        Memory& memory;
        tokens input;
        bool begun;
        latest_calls calls = {};

        void message(std::uint32_t number) {
            auto const& record = draft.outline().message_at(number);
            auto const before = [&](view_sink sink) {
                if (number == 0) return;
                auto const& earlier = draft.outline().message_at(number - 1);
                if (earlier.speaker == role::assistant && !earlier.released)
                    draft.each_original(sequence{number - 1}, [&](part_ref, part_view const& part) { sink(part); });
            };
            auto size = draft.measured(draft.message_cost(number));
            draft.each_original(sequence{number}, [&](part_ref place, part_view const& part) {
                if (part.kind == part_kind::tool_call) calls.add(place.part_id, part);
                auto const call = [&](view_sink sink) {
                    if (part.kind == part_kind::tool_result) calls.show(draft, place.part_id, sink);
                };
                index.see(memory, leaving_part{.part = part,
                                               .speaker = record.speaker,
                                               .is_words = record.plain_user && !record.summary,
                                               .is_task = number == draft.outline().task(),
                                               .message = number,
                                               .size = std::exchange(size, tokens{}),
                                               .input = input,
                                               .call = call,
                                               .before = before});
            });
        }
        void cut(part_ref place, part_view const& part) const {
            index.see(memory, leaving_part{.why = departure::cut,
                                           .part = part,
                                           .speaker = draft.outline().message_at(place.message_index).speaker,
                                           .message = place.message_index,
                                           .input = input,
                                           .call = nothing,
                                           .before = nothing});
        }
        void summary(group which) const {
            draft.each_part(which, [&](part_ref, part_view const& part) {
                index.see(memory, leaving_part{.why = departure::summary,
                                               .part = part,
                                               .is_known = begun,
                                               .input = input,
                                               .call = nothing,
                                               .before = nothing});
            });
        }
    };
    gone.visit(draft, leaving, visitor{draft, index, memory, input, gone.begun()});
}

/// The text of an index, of at most `limit`, once it was shown what has left. `Draft` is the reader of a draft, so that
/// layers of different effects share it.
template <class Draft, class Index, class Memory>
std::string write_index(Draft const& draft, Index const& index, departures& gone, Memory& memory,
                        std::vector<group> const& leaving, tokens limit, std::string_view before) {
    leaving_groups const leaves{leaving};
    show_departures(draft, gone, leaves, index, memory);
    auto const tokens_of = [&](std::string_view text) { return draft.measured(draft.estimator()(text)).count; };
    auto const each_kept = [&](callable_ref<void(std::string_view)> sink) {
        for (auto const which : draft.groups())
            if (!leaves.holds(which))
                draft.each_part(which, [&](part_ref, part_view const& part) {
                    if (part.kind != part_kind::media) sink(part.text);
                });
    };
    auto const task = draft.outline().task();
    bool has_task = false;
    if (task != none32) {
        group const which{draft.outline().group_of(task)};
        has_task = draft.edits().present(which) && !leaves.holds(which);
    }
    return index.write(memory, index_room{.limit = limit,
                                          .input = draft.limits().input(),
                                          .before = before,
                                          .has_task = has_task,
                                          .tokens_of = tokens_of,
                                          .each_kept = each_kept});
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
