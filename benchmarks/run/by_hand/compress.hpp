// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ledger.hpp"
#include "text.hpp"

// Shortens tool results over 10,000 characters to both ends, oldest first, at 65 % of the input until 52 %, by hand.

namespace by_hand {

/// A text to put in place of a part.
struct replaced {
    std::uint32_t message = 0;
    std::uint32_t part = 0;
    std::string text;
    cost before = {};
    cost after = {};
};

inline bool may_cut(ledger const& kept, std::vector<chat_message> const& history, std::uint32_t index) {
    auto const& m = history[index];
    return kept.there(index) && m.role != role::system && !m.pinned && index != kept.latest && index != kept.task;
}

/// What compressing comes to; nothing has changed yet.
inline std::vector<replaced> compress(ledger const& kept, std::vector<chat_message> const& history,
                                      condense::budget const& limits, std::vector<std::uint32_t> const& edited = {}) {
    std::vector<replaced> made;
    auto const input = limits.input().count;
    auto now = kept.sum + cost::of(limits.overhead);
    if (now.tokens().count < ceil_share(input, 65)) return made;
    auto const target = floor_share(input, 52);
    for (std::uint32_t index = 0; index < history.size() && now.tokens().count > target; ++index) {
        if (!may_cut(kept, history, index) || kept.open(kept.notes[index].group)) continue;
        if (index < edited.size() && edited[index] != nobody) continue;
        auto const& parts = history[index].parts;
        for (std::uint32_t place = 0; place < parts.size() && now.tokens().count > target; ++place) {
            auto const& part = parts[place];
            if (part.kind != part_kind::tool_result || part.sealed) continue;
            auto cut = shorter(part.text, 10'000, 4'000, {});
            if (!cut) continue;
            auto const before = kept.parts[kept.notes[index].first_part + place];
            auto const after = ledger::cost_of(*cut, part.kind, {}, part.tool, part.call);
            if (after >= before) continue;
            made.push_back({index, place, std::move(*cut), before, after});
            now = now - before + after;
        }
    }
    return made;
}

/// The message with another text in the part, which is moved from; the text that was there is not copied.
inline chat_message with_text(chat_message const& m, replaced& with) {
    chat_message made{.role = m.role, .name = m.name, .pinned = m.pinned, .mark = m.mark};
    made.parts.reserve(m.parts.size());
    for (std::size_t place = 0; place < m.parts.size(); ++place) {
        auto const& part = m.parts[place];
        if (place != with.part) made.parts.push_back(part);
        else
            made.parts.push_back({.kind = part.kind,
                                  .text = std::move(with.text),
                                  .tool = part.tool,
                                  .call = part.call,
                                  .status = part.status,
                                  .sealed = part.sealed});
    }
    return made;
}

/// One call on a history.
inline bool compress_once(std::vector<chat_message>& history, condense::budget const& limits) {
    ledger kept;
    kept.reserve(history.size());
    for (std::uint32_t index = 0; index < history.size(); ++index) kept.add(history, index);
    auto made = compress(kept, history, limits);
    for (auto& each : made) {  // throws nothing
        auto& part = history[each.message].parts[each.part];
        part.text.swap(each.text);
        part.cost.reset();
    }
    return !made.empty();
}

/// A conversation that goes on: the history stays, what is sent instead of a message is made once.
class compressed {
public:
    std::vector<chat_message> history;

    explicit compressed(condense::budget limits) : limits_{limits} {}

    void push(chat_message m) {
        kept_.make_room(m);
        ledger::grow(places_, 1);
        history.push_back(std::move(m));
        kept_.add(history, static_cast<std::uint32_t>(history.size() - 1));
        places_.push_back(nobody);
    }
    std::size_t prepare() {
        auto cuts = compress(kept_, history, limits_, places_);
        if (cuts.empty()) return history.size();
        std::vector<chat_message> fresh;
        fresh.reserve(cuts.size());
        for (std::size_t at = 0; at < cuts.size(); ++at) {
            bool const same = at != 0 && cuts[at - 1].message == cuts[at].message;
            if (same) fresh.back() = with_text(fresh.back(), cuts[at]);
            else fresh.push_back(with_text(history[cuts[at].message], cuts[at]));
        }
        made_.reserve(made_.size() + fresh.size());
        std::size_t next = 0;  // nothing below throws
        for (std::size_t at = 0; at < cuts.size(); ++at) {
            kept_.lower(cuts[at].message, cuts[at].before, cuts[at].after);
            if (at != 0 && cuts[at - 1].message == cuts[at].message) continue;
            places_[cuts[at].message] = static_cast<std::uint32_t>(made_.size());
            made_.push_back(std::move(fresh[next++]));
        }
        return history.size();
    }
    chat_message const& at(std::size_t place) const {
        return places_[place] == nobody ? history[place] : made_[places_[place]];
    }

private:
    condense::budget limits_;
    ledger kept_;
    std::vector<chat_message> made_;
    std::vector<std::uint32_t> places_;  ///< in `made_`, by message
};

}  // namespace by_hand
