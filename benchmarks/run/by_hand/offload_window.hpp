// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compress.hpp"
#include "window.hpp"

// Stores tool results over 10,000 characters as they come and leaves a preview of both ends with the name; then the
// window, by hand.

namespace by_hand {

/// What storing the large results of a message comes to; they are stored, nothing else has changed yet.
template <class Store>
std::vector<replaced> stored(ledger const& kept, std::vector<chat_message> const& history, std::uint32_t index,
                             Store const& store) {
    std::vector<replaced> made;
    auto const& parts = history[index].parts;
    for (std::uint32_t place = 0; place < parts.size(); ++place) {
        auto const& part = parts[place];
        if (part.kind != part_kind::tool_result || part.sealed || part.status == condense::part_status::cancelled)
            continue;
        if (part.text.size() <= 10'000 || !may_cut(kept, history, index)) continue;
        auto const name = store.name(part.text);
        auto cut = shorter(part.text, 10'000, 2'000, "the whole is stored as " + name.text());
        if (!cut) continue;
        auto const before = kept.parts[kept.notes[index].first_part + place];
        auto const after = ledger::cost_of(*cut, part.kind, {}, part.tool, part.call);
        if (after >= before || store.put(name, part.text, source_of(history[kept.notes[index].group], part))) continue;
        made.push_back({index, place, std::move(*cut), before, after});
    }
    return made;
}

/// One call on a history.
template <class Store>
bool offload_window_once(std::vector<chat_message>& history, condense::budget const& limits, Store const& store) {
    ledger kept;
    kept.reserve(history.size());
    for (std::uint32_t index = 0; index < history.size(); ++index) kept.add(history, index);
    std::vector<replaced> made;
    for (std::uint32_t index = 0; index < history.size(); ++index)
        for (auto& each : stored(kept, history, index, store)) made.push_back(std::move(each));
    for (auto const& each : made) kept.lower(each.message, each.before, each.after);
    bool const dropped = window(kept, limits);
    for (auto& each : made) {  // from here on nothing throws
        auto& part = history[each.message].parts[each.part];
        part.text.swap(each.text);
        part.cost.reset();
    }
    if (dropped) {
        std::uint32_t first = 0;
        while (kept.there(first)) ++first;
        erase_dropped(history, kept, first);
    }
    return dropped || !made.empty();
}

/// A conversation that goes on: large results are stored when they come.
template <class Store>
class offloaded {
public:
    std::vector<chat_message> history;

    offloaded(condense::budget limits, Store store) : limits_{limits}, store_{std::move(store)} {}

    void push(chat_message m) {
        kept_.make_room(m);
        ledger::grow(places_, 1);
        ledger::grow(sent_, 1);
        history.push_back(std::move(m));
        auto const index = static_cast<std::uint32_t>(history.size() - 1);
        kept_.add(history, index);
        places_.push_back(nobody);
        sent_.push_back(index);
        auto cuts = stored(kept_, history, index, store_);
        if (cuts.empty()) return;
        auto made = with_text(history[index], cuts[0]);
        for (std::size_t at = 1; at < cuts.size(); ++at) made = with_text(made, cuts[at]);
        made_.push_back(std::move(made));
        places_[index] = static_cast<std::uint32_t>(made_.size() - 1);
        for (auto const& each : cuts) kept_.lower(index, each.before, each.after);
    }
    std::size_t prepare() {
        if (!window(kept_, limits_)) return sent_.size();
        std::vector<std::uint32_t> fresh;
        fresh.reserve(static_cast<std::size_t>(kept_.count));
        for (std::uint32_t index = 0; index < history.size(); ++index)
            if (kept_.there(index)) fresh.push_back(index);
        sent_.swap(fresh);
        return sent_.size();
    }
    chat_message const& at(std::size_t place) const {
        auto const index = sent_[place];
        return places_[index] == nobody ? history[index] : made_[places_[index]];
    }

private:
    condense::budget limits_;
    Store store_;
    ledger kept_;
    std::vector<chat_message> made_;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> sent_;
};

}  // namespace by_hand
