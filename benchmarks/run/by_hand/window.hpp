// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ledger.hpp"

// Drops the oldest groups at 90 % of the input until 50 %, by hand: pairs stay whole, system messages, pins, open
// groups, the first and the latest user message stay, and what is left begins with a user message.

namespace by_hand {

/// Gives what was dropped, oldest first.
inline std::vector<std::uint32_t> drop_oldest(ledger& kept, condense::budget const& limits, std::uint64_t target) {
    std::vector<std::uint32_t> gone;
    auto const size = static_cast<std::uint32_t>(kept.notes.size());
    auto const begins = [&](std::uint32_t index) { return kept.notes[index].asks && kept.notes[index].group == index; };
    auto const task = kept.task == nobody ? nobody : kept.notes[kept.task].group;
    auto const stays = [&](std::uint32_t index) { return index == task || kept.bound(index); };
    auto last_begin = kept.latest == nobody ? 0 : kept.latest;
    while (last_begin != 0 && (!begins(last_begin) || kept.notes[last_begin].dropped)) --last_begin;
    bool has_head = false;
    bool enough = used(kept, limits) <= target;
    for (std::uint32_t index = 0; index < size; ++index) {
        auto const& found = kept.notes[index];
        if (found.group != index || found.dropped || found.system) continue;
        // Once enough is gone, on to where a turn begins, so that the rest does not begin amid one.
        if (enough && (has_head || begins(index) || index >= last_begin)) break;
        bool has_to = stays(index);
        if (!has_to && !has_head && begins(index))
            for (auto next = index + 1; next < size && !has_to; ++next) {
                auto const& other = kept.notes[next];
                if (other.group != next || other.dropped || other.system) continue;
                if (begins(next)) break;
                has_to = stays(next);
            }
        if (has_to) has_head = true;
        else if (kept.drop(index)) {
            gone.push_back(index);
            enough = used(kept, limits) <= target;
        }
    }
    for (std::uint32_t index = 0; index < size; ++index) {
        auto const& found = kept.notes[index];
        if (found.group != index || found.dropped || found.system) continue;
        if (begins(index)) break;
        auto head = index;
        while (head != 0 && !(begins(head) && kept.notes[head].dropped)) --head;
        if (begins(head) && kept.notes[head].dropped) {
            kept.bring_back(head);
            gone.erase(std::find(gone.begin(), gone.end(), head));
        }
        break;
    }
    return gone;
}

/// True where something was dropped; when it throws nothing was.
inline bool window(ledger& kept, condense::budget const& limits) {
    auto const input = limits.input().count;
    auto const due = ceil_share(input, 90);
    bool changed = false;
    while (used(kept, limits) >= due) {
        auto const before = kept.sum;
        auto const gone = drop_oldest(kept, limits, floor_share(input, 50));
        if (gone.empty()) break;
        if (kept.sum < before) {
            changed = true;
            continue;
        }
        for (auto const group : gone) kept.bring_back(group);
        break;
    }
    return changed;
}

/// One call on a history.
inline bool window_once(std::vector<chat_message>& history, condense::budget const& limits) {
    ledger kept;
    kept.reserve(history.size());
    for (std::uint32_t index = 0; index < history.size(); ++index) kept.add(history, index);
    if (!window(kept, limits)) return false;
    std::uint32_t first = 0;
    while (kept.there(first)) ++first;
    erase_dropped(history, kept, first);
    return true;
}

/// A conversation that goes on: the history stays, what is sent is a list of places.
class windowed {
public:
    std::vector<chat_message> history;
    std::vector<std::uint32_t> sent;

    explicit windowed(condense::budget limits) : limits_{limits} {}

    void push(chat_message m) {
        kept_.make_room(m);
        ledger::grow(sent, 1);
        history.push_back(std::move(m));
        kept_.add(history, static_cast<std::uint32_t>(history.size() - 1));
        sent.push_back(static_cast<std::uint32_t>(history.size() - 1));
    }
    /// Makes what is sent anew where something was dropped.
    std::size_t prepare() {
        if (!window(kept_, limits_)) return sent.size();
        std::vector<std::uint32_t> fresh;
        fresh.reserve(static_cast<std::size_t>(kept_.count));
        for (std::uint32_t index = 0; index < history.size(); ++index)
            if (kept_.there(index)) fresh.push_back(index);
        sent.swap(fresh);
        return sent.size();
    }
    chat_message const& at(std::size_t place) const { return history[sent[place]]; }

private:
    condense::budget limits_;
    ledger kept_;
};

}  // namespace by_hand
