// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/shorten/head_tail.hpp>

#include "record.hpp"
#include "run.hpp"

// What two presets have in common, by hand: every message is recorded, large results are stored as they come, and a run
// stands as a whole or not at all. Layers give `journal`, `arrive(run, index, recorded)`, false where that has to be
// done again, `due(run)` and `reduce(run)`.

namespace by_hand {

/// Stores a result over 10,000 characters and leaves both ends of it with the name. False where it could not be stored.
template <class Store>
bool store_large(run& r, std::uint32_t index, std::uint32_t place, Store const& store) {
    auto const& part = r.history[index].parts[place];
    if (part.sealed || part.status == condense::part_status::cancelled ||
        condense::text_limit{condense::chars{10'000}}.holds(part.text))
        return true;
    if (!r.may_cut(index)) return false;
    auto const name = store.name(part.text);
    constexpr condense::head_tail ends{condense::chars{2'000}, condense::chars{2'000}, {}};
    auto preview = ends(view_of(part, part.text), {.how = {name}});
    auto const before = r.here();
    if (!preview || !r.replace(index, place, std::move(*preview), name)) return true;
    if (!store.put(name, part.text, source_of(r.history[r.now.kept.notes[index].group], part))) return true;
    r.take_back(before);
    return false;
}

/// The layers until they leave nothing to do that they could, so that another run changes nothing.
template <class Layers>
void reduce_all(run& r, Layers const& layers) {
    for (int round = 0; round < 16; ++round) {
        auto const before = r.here();
        layers.reduce(r);
        if (!r.changed(before) || !layers.due(r)) return;
    }
}

/// The message with the texts of the run, which are moved from.
inline chat_message with_texts(run& r, std::uint32_t index) {
    auto const& m = r.now.message(r.history, index);
    chat_message made{.role = m.role, .name = m.name, .pinned = m.pinned, .mark = m.mark};
    made.parts.reserve(m.parts.size());
    for (std::size_t place = 0; place < m.parts.size(); ++place) {
        auto const& part = m.parts[place];
        auto const fresh = r.now.part(index, place).text;
        if (fresh == nobody) made.parts.push_back(part);
        else
            made.parts.push_back({.kind = part.kind,
                                  .text = std::move(r.texts[fresh].text),
                                  .tool = part.tool,
                                  .call = part.call,
                                  .status = part.status,
                                  .sealed = part.sealed});
    }
    return made;
}
inline bool has_texts(run const& r, std::uint32_t index) {
    for (std::size_t place = 0; place < r.history[index].parts.size(); ++place)
        if (r.now.part(index, place).text != nobody) return true;
    return false;
}

/// One call on a history. True where something changed.
template <class Layers>
bool reduce_once(std::vector<chat_message>& history, condense::budget const& limits, Layers const& layers) {
    sent now;
    now.kept.reserve(history.size());
    now.parts.reserve(history.size());
    for (std::uint32_t index = 0; index < history.size(); ++index) now.add(history, index);
    run r{history, now, limits};
    recorded_history journal{layers.journal};
    bool const recorded = journal.record(history);
    for (std::uint32_t index = 0; index < history.size(); ++index) layers.arrive(r, index, recorded);
    if (recorded) reduce_all(r, layers);

    std::vector<chat_message> made;
    made.reserve(r.texts.size() + 1);
    bool noted = recorded;
    for (std::uint32_t index = 0; index < history.size(); ++index) {
        if (now.summary.at == index) {
            made.push_back(chat_message::user(std::move(now.summary.text)));
            noted = noted && journal.left(index, made.back());
        }
        if (!now.kept.there(index)) continue;
        if (has_texts(r, index)) {
            made.push_back(with_texts(r, index));
            noted = noted && journal.left(index, made.back());
        } else if (noted) journal.left(index);
    }
    // What is not noted would be taken for new messages by the next call.
    if (recorded && !(noted && journal.close())) return false;
    if (!r.changed()) return false;

    std::size_t to = 0;  // from here on nothing throws
    std::size_t next = 0;
    for (std::uint32_t index = 0; index < history.size(); ++index) {
        if (now.summary.at == index) history[to++] = std::move(made[next++]);
        if (!now.kept.there(index)) continue;
        if (has_texts(r, index)) history[to] = std::move(made[next++]);
        else if (to != index) history[to] = std::move(history[index]);
        ++to;
    }
    history.erase(history.begin() + static_cast<std::ptrdiff_t>(to), history.end());
    r.keep();
    return true;
}

/// A conversation that goes on: the history stays, what is sent is a list of places. Of a session's pacing only this is
/// here: what was tried in vain is not tried again before a message comes.
template <class Layers>
class conversation {
public:
    std::vector<chat_message> history;

    conversation(condense::budget limits, Layers layers)
        : limits_{limits}, layers_{std::move(layers)}, journal_{layers_.journal} {}

    /// The message is in when this returns. What a journal or a store did not take is tried again before it is missed.
    void push(chat_message m) {
        now_.kept.make_room(m);
        ledger::grow(now_.parts, m.parts.size());
        ledger::grow(now_.made_at, 1);
        ledger::grow(sent_, history.size() + 2 - sent_.size());
        ledger::grow(late_, 1);
        history.push_back(std::move(m));
        auto const index = static_cast<std::uint32_t>(history.size() - 1);
        auto const before = now_.kept.count;
        now_.add(history, index);
        now_.made_at.push_back(nobody);
        if (now_.kept.count == before + 1) sent_.push_back(index);
        else list(sent_);  // a late result has brought its call back
        late_.push_back(index);
        try {
            bool const recorded = journal_.catch_up(history);
            run r{history, now_, limits_};
            bool const done = layers_.arrive(r, index, recorded);
            commit(r);
            if (done) late_.pop_back();
        } catch (std::exception const&) {}
    }

    /// Makes what is sent anew where something changed; when it throws nothing has.
    std::size_t prepare() {
        run r{history, now_, limits_};
        if (!layers_.due(r) || in_vain_ == history.size()) return sent_.size();
        bool const recorded = journal_.catch_up(history);
        std::vector<std::uint32_t> late;
        for (auto const index : late_)
            if (!layers_.arrive(r, index, recorded)) late.push_back(index);
        if (recorded) reduce_all(r, layers_);
        if (!r.changed()) in_vain_ = history.size();
        commit(r);
        late_.swap(late);
        return sent_.size();
    }

    chat_message const& at(std::size_t place) const {
        auto const index = sent_[place];
        return index == nobody ? summary_ : now_.message(history, index);
    }

private:
    void commit(run& r) {
        if (!r.changed()) return;
        std::vector<std::uint32_t> fresh;
        chat_message summary;
        if (r.moves()) {
            fresh.reserve(history.size() + 2);
            list(fresh);
            summary = chat_message::user(now_.summary.text);
        }
        std::vector<std::pair<std::uint32_t, chat_message>> made;
        made.reserve(r.texts.size());
        for (auto const& each : r.texts) {
            if (!has_texts(r, each.message)) continue;
            made.emplace_back(each.message, with_texts(r, each.message));
            for (std::size_t place = 0; place < made.back().second.parts.size(); ++place)
                now_.part(each.message, place).text = nobody;
        }
        ledger::grow(now_.made, made.size());
        bool const moves = r.moves();
        r.keep();  // from here on nothing throws
        for (auto& [index, m] : made) {
            if (now_.made_at[index] != nobody) now_.made[now_.made_at[index]] = std::move(m);
            else {
                now_.made_at[index] = static_cast<std::uint32_t>(now_.made.size());
                now_.made.push_back(std::move(m));
            }
        }
        if (!moves) return;
        std::swap(summary_, summary);
        sent_.swap(fresh);
    }
    void list(std::vector<std::uint32_t>& into) const {
        into.clear();
        for (std::uint32_t index = 0; index < history.size(); ++index) {
            if (now_.summary.at == index) into.push_back(nobody);
            if (now_.kept.there(index)) into.push_back(index);
        }
    }

    condense::budget limits_;
    Layers layers_;
    recorder<std::remove_cvref_t<decltype(std::declval<Layers&>().journal)>> journal_;
    sent now_;
    std::vector<std::uint32_t> sent_;
    std::vector<std::uint32_t> late_;  ///< whose large results are not stored yet
    chat_message summary_;
    std::size_t in_vain_ = ~std::size_t{0};
};

}  // namespace by_hand
