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

// Messages that a layer with `.when = always` could not act on when they arrived, because a tail protected them
// or their group was open: it looks at them again as messages arrive, until it may.

namespace condense {
inline namespace v1 {
namespace detail {

/// The memory of such a layer. Plain data: saved, restored and rewound with its session.
class deferred_messages {
public:
    /// Calls act(sequence) for each message up to `arrived` that came since the last call, and for each deferred
    /// one that is now free to be edited, in an open group too where `open` says so. Where it returns true the
    /// message is deferred. When it throws, the next call begins anew. Costs a look at each deferred message.
    template <class Draft, class Shield, class Function>
    constexpr void each(Draft const& draft, Shield const& kept, sequence arrived, bool open, Function&& act) {
        std::vector<std::uint64_t> rest;
        for (auto const number : waiting_) {
            if (!draft.present(sequence{number})) continue;
            if (is_bound(draft, kept, number, open) || act(sequence{number})) rest.push_back(number);
        }
        for (auto number = next_; number <= arrived.number; ++number)
            if (act(sequence{number})) rest.push_back(number);
        waiting_ = std::move(rest);
        if (next_ <= arrived.number) next_ = arrived.number + 1;
    }

    std::string save() const {
        std::string out;
        put_field(out, next_);
        for (auto const number : waiting_) put_field(out, number);
        return out;
    }
    bool load(std::string_view text, std::size_t most) {
        deferred_messages found;
        field_reader from{text};
        found.next_ = text.empty() ? most : from.number(most);
        for (std::uint64_t least = 0; !from.done(); least = found.waiting_.back() + 1) {
            found.waiting_.push_back(from.number(most));
            if (from.broken() || found.waiting_.back() < least || found.waiting_.back() >= found.next_) return false;
        }
        if (from.broken()) return false;
        *this = std::move(found);
        return true;
    }
    /// Messages from `first` on are others now, and will arrive again.
    void rewind(std::uint64_t first) noexcept {
        while (!waiting_.empty() && waiting_.back() >= first) waiting_.pop_back();
        if (first < next_) next_ = first;
    }

private:
    template <class Draft, class Shield>
    static constexpr bool is_bound(Draft const& draft, Shield const& kept, std::uint64_t number, bool open) {
        auto const& facts = draft.outline();
        auto const index = static_cast<std::uint32_t>(number);
        return kept.holds_for_now(index) || index == facts.latest_user() ||
               (!open && facts.open(facts.group_of(index)));
    }

    std::vector<std::uint64_t> waiting_;  ///< ascending
    std::uint64_t next_ = 0;              ///< messages before it have been looked at
};

/// A layer that acts on arrival and in reduce needs it where no trigger makes its reduce due.
template <class When>
using arrival_memory =
    std::conditional_t<requires(When const& when) { when.is_always(); }, deferred_messages, no_memory>;

/// What has arrived, and what was deferred where the trigger is `always`.
template <class When, class Memory, class Draft, class Shield, class Function>
constexpr void each_arrived(When const& when, Memory& deferred, Draft const& draft, Shield const& kept,
                            sequence arrived, bool open, Function&& act) {
    if constexpr (std::same_as<Memory, deferred_messages>)
        if (when.is_always()) return deferred.each(draft, kept, arrived, open, act);
    static_cast<void>(act(arrived));
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
