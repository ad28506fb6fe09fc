// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "offload_window.hpp"

// That window, and storing before it, by a program that is to last: it keeps a list of the groups that are sent, so
// that a run costs what is sent and not what has been; it can take its newest runs back; it reports what it did; and it
// frees the previews that are not sent any more.

namespace by_hand {

/// Figures of a run.
struct told {
    std::uint64_t before = 0;  ///< tokens
    std::uint64_t after = 0;
    std::uint64_t groups = 0;  ///< that were dropped
    std::uint64_t messages = 0;  ///< of these
    std::uint32_t first_changed = nobody;
    bool reached = false;  ///< it has come to its target
};

/// Drops the oldest of `groups` until the target is reached, and adds them to `gone`. As drop_oldest.
inline void drop_oldest_of(ledger& kept, condense::budget const& limits, std::uint64_t target,
                           std::vector<std::uint32_t> const& groups, std::vector<std::uint32_t>& gone) {
    auto const begins = [&](std::uint32_t index) { return kept.notes[index].asks; };
    auto const task = kept.task == nobody ? nobody : kept.notes[kept.task].group;
    auto const stays = [&](std::uint32_t index) { return index == task || kept.bound(index); };
    std::uint32_t last_begin = 0;
    for (auto at = groups.size(); at-- > 0 && last_begin == 0;)
        if (begins(groups[at])) last_begin = groups[at];
    bool has_head = false;
    bool enough = used(kept, limits) <= target;
    for (std::size_t at = 0; at < groups.size(); ++at) {
        auto const index = groups[at];
        if (kept.notes[index].system) continue;
        if (enough && (has_head || begins(index) || index >= last_begin)) break;
        bool has_to = stays(index);
        if (!has_to && !has_head && begins(index))
            for (auto next = at + 1; next < groups.size() && !has_to; ++next) {
                if (kept.notes[groups[next]].system) continue;
                if (begins(groups[next])) break;
                has_to = stays(groups[next]);
            }
        if (has_to) has_head = true;
        else if (kept.drop(index)) {
            gone.push_back(index);
            enough = used(kept, limits) <= target;
        }
    }
    for (auto const index : groups) {
        if (kept.notes[index].dropped || kept.notes[index].system) continue;
        if (begins(index)) break;
        auto head = index;
        while (head != 0 && !(kept.notes[head].group == head && begins(head) && kept.notes[head].dropped)) --head;
        if (head == 0) break;
        kept.bring_back(head);
        gone.erase(std::remove(gone.begin(), gone.end(), head), gone.end());
        break;
    }
}

/// No large results are stored.
struct no_store {};

/// A conversation that goes on.
template <class Store = no_store>
class live {
public:
    std::vector<chat_message> history;
    std::vector<told> reports;

    explicit live(condense::budget limits, Store store = {}) : limits_{limits}, store_{std::move(store)} {}

    void push(chat_message m) {
        kept_.make_room(m);
        ledger::grow(groups_, 1);
        ledger::grow(sent_, 1);
        ledger::grow(made_, 1);
        history.push_back(std::move(m));
        auto const index = static_cast<std::uint32_t>(history.size() - 1);
        kept_.add(history, index);
        if (kept_.notes[index].group == index) groups_.push_back(index);
        sent_.push_back(index);
        made_.emplace_back();
        if constexpr (requires { store_.name(history[0].parts[0].text); }) {
            for (auto& each : stored(kept_, history, index, store_)) {
                made_[index] = with_text(made_[index] ? *made_[index] : history[index], each);
                kept_.lower(index, each.before, each.after);
            }
        }
    }
    /// How many messages are to be sent. A run that is due drops groups, as one that can be taken back.
    std::size_t prepare() {
        auto const input = limits_.input().count;
        auto const before = used(kept_, limits_);
        if (before < ceil_share(input, 90)) return sent_.size();
        auto const target = floor_share(input, 50);
        std::vector<std::uint32_t> gone;
        auto const count = kept_.count;
        drop_oldest_of(kept_, limits_, target, groups_, gone);
        auto const after = used(kept_, limits_);
        if (after >= before) {
            for (auto const group : gone) kept_.bring_back(group);
            return sent_.size();
        }
        told report{before, after, gone.size(), count - kept_.count, gone.front(), after <= target};
        for (auto const group : gone) report.first_changed = std::min(report.first_changed, group);
        std::erase_if(groups_, [&](std::uint32_t group) { return kept_.notes[group].dropped; });
        std::erase_if(sent_, [&](std::uint32_t index) {
            bool const leaves = !kept_.there(index);
            if (leaves) made_[index].reset();
            return leaves;
        });
        reports.push_back(report);
        runs_.push_back(std::move(gone));
        return sent_.size();
    }
    /// Takes the newest run back; previews that were freed are not made again, so that their originals are sent.
    bool undo() {
        if (runs_.empty()) return false;
        for (auto const group : runs_.back()) kept_.bring_back(group);
        runs_.pop_back();
        groups_.clear();
        sent_.clear();
        for (std::uint32_t index = 0; index < history.size(); ++index) {
            if (!kept_.there(index)) continue;
            if (kept_.notes[index].group == index) groups_.push_back(index);
            sent_.push_back(index);
        }
        return true;
    }
    chat_message const& at(std::size_t place) const {
        auto const index = sent_[place];
        return made_[index] ? *made_[index] : history[index];
    }

private:
    condense::budget limits_;
    Store store_;
    ledger kept_;
    std::vector<std::uint32_t> groups_;  ///< that are sent, by their first messages, ascending
    std::vector<std::uint32_t> sent_;  ///< messages, ascending
    std::vector<std::optional<chat_message>> made_;  ///< by message, those that are sent otherwise than they came
    std::vector<std::vector<std::uint32_t>> runs_;  ///< the groups that each has dropped
};

}  // namespace by_hand
