// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/render.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/index_iterator.hpp>

// The messages that would be sent by a draft as it is, for a layer that asks a model behind them.

namespace condense {
inline namespace v1 {
namespace detail {

/// A range of `Message const&`. Messages without edits are those of the history, which must outlive it unchanged.
template <class Message>
class message_list {
    struct entry {
        Message const* original = nullptr;  ///< null for one that is rendered
        std::size_t place = 0;  ///< among those
    };

public:
    void refer(Message const& original) { entries_.push_back({.original = detail::address_of(original)}); }
    void own(Message&& rendered) {
        entries_.push_back({.place = rendered_.size()});
        rendered_.push_back(std::move(rendered));
    }
    Message const& operator[](std::size_t index) const noexcept {
        auto const& at = entries_[index];
        return at.original != nullptr ? *at.original : rendered_[at.place];
    }
    using iterator = index_iterator<message_list, (&message_list::operator[])>;
    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size()}; }
    std::size_t size() const noexcept { return entries_.size(); }

private:
    std::vector<Message> rendered_;
    std::vector<entry> entries_;
};

/// Costs a pointer for each message, and a copy of each that has edits.
template <class Draft>
auto rendered_request(Draft const& draft) {
    using message_type = typename Draft::message_type;
    auto const& facts = draft.outline();
    auto const& edits = draft.edits();
    message_list<message_type> result;
    auto const original = [&](std::uint32_t index) -> decltype(auto) { return draft.message_at(sequence{index}); };
    auto const unchanged = [&](std::uint32_t index) {
        if constexpr (std::is_lvalue_reference_v<decltype(original(index))>) result.refer(original(index));
        else result.own(original(index));
    };
    auto const changed = [&](std::uint32_t index) {
        result.own(render<message_type>(original(index), facts, edits, index, false));
    };
    auto const summary = [&](group which) {
        if constexpr (composable<message_type>)
            result.own(render_summary<message_type>(original, facts, edits, which, false));
    };
    part_copies copies;
    auto const answer = [&](std::uint32_t part_id) {
        auto const index = facts.part_at(part_id).message_index;
        result.own(render_answer<message_type>(original(index), facts, edits, part_id, copies));
    };
    each_place(facts, edits, unchanged, changed, summary, answer);
    return result;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
