// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/store.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/text_type.hpp>
#include <condense/estimate/script_aware.hpp>

// What a program would keep of a conversation to shorten it by itself: written by hand, without the library but for
// its message type, its quantities and its estimator. Calls have ids and wait for nobody but the next turn.

namespace by_hand {

using condense::chat_message;
using condense::cost;
using condense::part_kind;
using condense::role;

/// What a store notes of a result that it is given; `caller` is the message with the call.
inline condense::artifact_source source_of(chat_message const& caller, condense::chat_part const& result) {
    condense::artifact_source source{.call = result.call, .type = std::string{condense::type_of_text(result.text)}};
    for (auto const& part : caller.parts)
        if (part.kind == part_kind::tool_call && part.call == result.call) source.tool = part.tool;
    return source;
}

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// What is kept of a message; the second half is of the group that begins with it.
struct note {
    cost own = {};
    cost all = {};
    std::uint32_t group = 0;  ///< the message with which it begins
    std::uint32_t last = 0;
    std::uint32_t count = 1;
    std::uint32_t unanswered = 0;
    std::uint32_t first_part = 0;  ///< in `parts`
    bool asks = false;            ///< a plain user message
    bool system = false;
    bool pinned = false;
    bool orphan = false;
    bool dropped = false;
};

class ledger {
public:
    std::vector<note> notes;
    std::vector<cost> parts;  ///< as they came
    cost sum = {};
    std::uint64_t count = 0;  ///< messages that are sent
    std::uint32_t task = nobody;
    std::uint32_t latest = nobody;  ///< plain user message

    static cost cost_of(std::string_view text, part_kind kind, condense::own_cost const& given, std::string_view tool,
                        std::string_view call) {
        constexpr auto most = cost::of({std::uint64_t{1} << 32});
        condense::default_estimator<> const estimate;
        auto found = given ? *given : estimate(text);
        if (kind == part_kind::tool_call) found += estimate(tool) + estimate(call);
        if (kind == part_kind::tool_result) found += estimate(call);
        return found < most ? found : most;
    }

    void reserve(std::size_t messages) {
        notes.reserve(messages);
        parts.reserve(messages);
        calls_.reserve(messages);
    }

    /// Room for one message more, so that taking it in cannot fail.
    void make_room(chat_message const& m) {
        grow(notes, 1);
        grow(parts, m.parts.size());
        grow(calls_, m.parts.size());
    }
    template <class Column>
    static void grow(Column& column, std::size_t more) {
        if (column.capacity() - column.size() < more) column.reserve(2 * column.capacity() + more);
    }

    /// Takes in the message at the end of `history`.
    void add(std::vector<chat_message> const& history, std::uint32_t index) {
        auto const& m = history[index];
        auto const before = calls_.size();
        note fresh{.own = condense::default_estimator<>{}.frame(m.role),
                   .group = index,
                   .last = index,
                   .first_part = static_cast<std::uint32_t>(parts.size())};
        for (std::uint32_t place = 0; place < m.parts.size(); ++place) {
            auto const& part = m.parts[place];
            parts.push_back(cost_of(part.text, part.kind, part.cost, part.tool, part.call));
            fresh.own += parts.back();
            fresh.asks = fresh.asks || (part.kind != part_kind::tool_result && part.call.empty());
            if (part.kind != part_kind::tool_call) continue;
            calls_.push_back({index, place, false});
            ++fresh.unanswered;
        }
        fresh.all = fresh.own;
        fresh.asks = fresh.asks && m.role == role::user;
        fresh.system = m.role == role::system;
        fresh.pinned = m.pinned;
        systems_ += fresh.system ? 1u : 0u;
        notes.push_back(fresh);
        sum += fresh.own;
        ++count;
        if (calls_.size() != before) newest_calls_ = index;
        for (auto const& part : m.parts)
            if (part.kind != part_kind::tool_call && (part.kind == part_kind::tool_result || !part.call.empty()))
                answer(history, index, part);
        if (m.role == role::assistant) {
            assistant_ = index;
            if (latest != nobody) live_from_ = latest;
        } else if (fresh.asks) {
            latest = index;
            if (task == nobody) task = index;
        }
    }

    /// Its results are not all there yet, or no one has seen them.
    bool open(std::uint32_t group) const {
        auto const& found = notes[group];
        if (found.unanswered != 0 && group >= live_from_) return true;
        if (assistant_ != nobody && assistant_ > found.last) return false;
        return found.orphan || (newest_calls_ != nobody && notes[newest_calls_].group == group);
    }
    bool bound(std::uint32_t group) const {
        auto const& found = notes[group];
        return found.system || found.pinned || open(group) || (latest != nobody && notes[latest].group == group) ||
               (latest < assistant_ && assistant_ != nobody && notes[assistant_].group == group);
    }
    /// What no answer has followed begins with it.
    std::uint32_t unanswered() const { return assistant_ == nobody ? 0 : assistant_ + 1; }
    bool there(std::uint32_t index) const { return !notes[notes[index].group].dropped; }

    bool drop(std::uint32_t group) {
        auto& gone = notes[group];
        if (count - gone.count <= systems_) return false;
        gone.dropped = true;
        sum -= gone.all;
        count -= gone.count;
        return true;
    }
    void bring_back(std::uint32_t group) {
        auto& back = notes[group];
        back.dropped = false;
        sum += back.all;
        count += back.count;
    }
    /// A part of the message costs less from now on.
    void lower(std::uint32_t index, cost before, cost after) {
        notes[index].own = notes[index].own - before + after;
        auto& whole = notes[notes[index].group];
        whole.all = whole.all - before + after;
        sum = sum - before + after;
    }

private:
    struct call {
        std::uint32_t message;
        std::uint32_t part;
        bool answered;
    };

    void answer(std::vector<chat_message> const& history, std::uint32_t index, condense::chat_part const& part) {
        auto found = calls_.size();
        for (auto at = calls_.size(); at-- > 0;) {  // nearly always the newest
            if (calls_[at].message == index || history[calls_[at].message].parts[calls_[at].part].call != part.call)
                continue;
            found = at;
            if (!calls_[at].answered) break;
        }
        if (found == calls_.size()) {
            notes[index].orphan = notes[index].orphan || part.kind == part_kind::tool_result;
            return;
        }
        auto const asked = notes[calls_[found].message].group;
        join(asked, notes[index].group);
        if (part.kind != part_kind::tool_result || std::exchange(calls_[found].answered, true)) return;
        --notes[notes[index].group].unanswered;
    }

    void join(std::uint32_t left, std::uint32_t right) {
        if (left == right) return;
        auto const into = left < right ? left : right;
        auto const from = left < right ? right : left;
        if (notes[into].dropped) bring_back(into);
        if (notes[from].dropped) bring_back(from);
        auto& whole = notes[into];
        auto& part = notes[from];
        whole.all += part.all;
        whole.last = whole.last > part.last ? whole.last : part.last;
        whole.count += part.count;
        whole.unanswered += part.unanswered;
        whole.system = whole.system || part.system;
        whole.pinned = whole.pinned || part.pinned;
        whole.orphan = whole.orphan || part.orphan;
        for (auto index = from; index < notes.size(); ++index)
            if (notes[index].group == from) notes[index].group = into;
    }

    std::vector<call> calls_;
    std::uint64_t systems_ = 0;
    std::uint32_t assistant_ = nobody;
    std::uint32_t newest_calls_ = nobody;
    std::uint32_t live_from_ = 0;  ///< calls before it that have no answer will have none
};

/// What a budget leaves, and shares of it.
inline std::uint64_t used(ledger const& kept, condense::budget const& limits) {
    return (kept.sum + cost::of(limits.overhead)).tokens().count;
}
inline std::uint64_t floor_share(std::uint64_t whole, std::uint64_t percent) {
    return whole / 100 * percent + whole % 100 * percent / 100;
}
inline std::uint64_t ceil_share(std::uint64_t whole, std::uint64_t percent) {
    return whole / 100 * percent + (whole % 100 * percent + 99) / 100;
}

/// Messages that stay where they are, and the rest of them erased. Throws nothing.
inline void erase_dropped(std::vector<chat_message>& history, ledger const& kept, std::uint32_t from) {
    auto to = from;
    for (auto index = from; index < history.size(); ++index)
        if (kept.there(index)) {
            if (to != index) history[to] = std::move(history[index]);
            ++to;
        }
    history.erase(history.begin() + to, history.end());
}

}  // namespace by_hand
