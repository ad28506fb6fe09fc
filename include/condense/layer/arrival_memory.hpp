// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/core/pass.hpp>
#include <condense/detail/netstring.hpp>

// The memory of a layer that acts on arrival with `.when = always`: the messages that it was not free to edit when they
// arrived, because a tail protected them or their group was open. It looks at them again with each later arrival.

namespace condense {
inline namespace v1 {
namespace detail {

/// Sequence numbers of deferred messages. Plain data: saved, restored and rewound with its session.
class deferred_messages {
public:
    /// Calls act(sequence) for each deferred message that may be edited now, then for each that came since the last
    /// call, up to `arrived`. Returning true defers the message. `open`: members of open groups may be edited, too.
    /// If act throws, nothing is remembered and the next call starts from the same messages. Costs a look at each
    /// deferred message.
    template <class Draft, class Protection, class Function>
    void each(Draft const& draft, Protection const& protected_set, sequence arrived, bool open, Function&& act) {
        std::vector<std::uint64_t> rest;  // replaces the member only at the end, in case act throws
        for (auto const number : deferred_) {
            if (!draft.present(sequence{number})) continue;
            if (is_bound(draft, protected_set, number, open) || act(sequence{number})) rest.push_back(number);
        }
        for (auto number = next_; number <= arrived.number; ++number)
            if (act(sequence{number})) rest.push_back(number);
        deferred_ = std::move(rest);
        if (next_ <= arrived.number) next_ = arrived.number + 1;
    }

    /// `next_`, then the deferred numbers, as netstrings.
    std::string save() const {
        std::string out;
        put_field(out, next_);
        for (auto const number : deferred_) put_field(out, number);
        return out;
    }
    /// False, and unchanged, unless `text` was saved for a conversation of `message_count` messages. Without a
    /// saved text all present messages count as looked at: they arrived before the session was restored.
    bool load(std::string_view text, std::size_t message_count) {
        deferred_messages loaded;
        field_reader reader{text};
        loaded.next_ = text.empty() ? message_count : reader.number(message_count);
        for (std::uint64_t least = 0; !reader.done(); least = loaded.deferred_.back() + 1) {
            loaded.deferred_.push_back(reader.number(message_count));
            if (reader.broken() || loaded.deferred_.back() < least || loaded.deferred_.back() >= loaded.next_)
                return false;
        }
        if (reader.broken()) return false;
        *this = std::move(loaded);
        return true;
    }
    /// Forgets the messages from `first` on: others have taken their numbers and will arrive.
    void rewind(std::uint64_t first) noexcept {
        while (!deferred_.empty() && deferred_.back() >= first) deferred_.pop_back();
        if (first < next_) next_ = first;
    }

private:
    /// True while no edit of the message would be accepted, or the layer's own protection still covers it.
    template <class Draft, class Protection>
    static bool is_bound(Draft const& draft, Protection const& protected_set, std::uint64_t number, bool open) {
        auto const& conversation = draft.outline();
        auto const index = static_cast<std::uint32_t>(number);
        return protected_set.holds_for_now(index) || index == conversation.latest_user() ||
               (!open && conversation.open(conversation.group_of(index)));
    }

    std::vector<std::uint64_t> deferred_;  ///< ascending
    std::uint64_t next_ = 0;  ///< messages before it have been looked at
};

/// The `memory` of a layer with this type of `when`. Only a trigger that can be `always` needs deferred_messages; any
/// other makes `reduce` due later, which looks at all messages again.
template <class When>
using arrival_memory =
    std::conditional_t<requires(When const& when) { when.is_always(); }, deferred_messages, no_memory>;

/// Calls act(sequence) for the message that arrived, and if the trigger is `always` for deferred ones that are free
/// now.
template <class When, class Memory, class Draft, class Protection, class Function>
void each_arrived(When const& when, Memory& deferred, Draft const& draft, Protection const& protected_set,
                  sequence arrived, bool open, Function&& act) {
    if constexpr (std::same_as<Memory, deferred_messages>)
        if (when.is_always()) return deferred.each(draft, protected_set, arrived, open, act);
    static_cast<void>(act(arrived));
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
