// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>

#include "compress.hpp"

// What is sent of a history, and one run that changes it, by hand: texts in place of parts, groups that go, a summary
// in place of some. What a run has done is taken back unless it is kept.

namespace by_hand {

/// Thrown where a preset would do what was not written by hand.
struct not_by_hand : std::logic_error {
    using std::logic_error::logic_error;
};

/// A part as it is sent.
struct part_note {
    cost now = {};
    std::uint32_t text = nobody;         ///< in the texts of the run that changed it
    condense::reference stored = {};
    bool edited = false;
    bool settled = false;  ///< nothing would make it shorter
};

/// Stands before message `at`, in place of it and others.
struct summary_note {
    std::uint32_t at = nobody;
    cost own = {};
    std::string text = {};
};

struct sent {
    ledger kept;                   ///< counts the summary, too
    std::vector<part_note> parts;  ///< one for each of `kept.parts`
    summary_note summary;
    std::vector<chat_message> made;       ///< by earlier runs
    std::vector<std::uint32_t> made_at;   ///< in `made`, by message; empty where nothing is kept

    void add(std::vector<chat_message> const& history, std::uint32_t index) {
        kept.add(history, index);
        while (parts.size() < kept.parts.size()) parts.push_back({.now = kept.parts[parts.size()]});
    }
    part_note& part(std::uint32_t index, std::size_t place) { return parts[kept.notes[index].first_part + place]; }
    chat_message const& message(std::vector<chat_message> const& history, std::uint32_t index) const {
        return made_at.empty() || made_at[index] == nobody ? history[index] : made[made_at[index]];
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(kept.notes.size()); }
    /// A group begins with it, and is there.
    bool leads(std::uint32_t index) const { return kept.notes[index].group == index && !kept.notes[index].dropped; }
};

/// Messages that a layer leaves alone: the first ones, the newest, and the first user message.
struct zone {
    std::uint32_t head = 0;
    std::uint32_t tail = nobody;
    std::uint32_t task = nobody;

    bool holds(std::uint32_t index) const { return index < head || index >= tail || index == task; }
    bool holds_some(ledger const& kept, std::uint32_t group) const {
        return group < head || kept.notes[group].last >= tail || (task != nobody && kept.notes[task].group == group);
    }
};

/// The newest messages for which `fits(how many, what they cost)` stays true begin with this one.
template <class Fits>
std::uint32_t newest(sent const& now, Fits const& fits) {
    std::uint64_t count = 0;
    cost sum;
    auto first = now.size();
    for (auto index = now.size(); index-- > 0;) {
        if (now.kept.there(index)) {
            if (!fits(++count, sum += now.kept.notes[index].own)) break;
            first = index;
        }
        if (now.summary.at == index) {
            if (!fits(++count, sum += now.summary.own)) break;
            first = index;
        }
    }
    return first;
}

/// One past the first message that is sent.
inline std::uint32_t after_first(sent const& now) {
    for (std::uint32_t index = 0; index < now.size(); ++index) {
        if (now.summary.at == index) return index;
        if (now.kept.there(index)) return index + 1;
    }
    return now.size();
}

inline condense::part_view view_of(condense::chat_part const& part, std::string_view text) {
    return {part.kind, text, part.tool, part.call, part.status, part.sealed, part.cost};
}

/// How far a run has come.
struct mark {
    std::size_t texts = 0;
    std::size_t gone = 0;
    std::size_t summaries = 0;
};

class run {
public:
    struct new_text {
        std::uint32_t message = 0;
        std::uint32_t part = 0;
        std::string text;
        part_note was;
    };

    std::vector<chat_message> const& history;
    sent& now;
    condense::budget const& limits;
    std::vector<new_text> texts;

    run(std::vector<chat_message> const& all, sent& from, condense::budget const& room)
        : history{all}, now{from}, limits{room} {}
    run(run const&) = delete;
    run& operator=(run const&) = delete;
    ~run() {
        if (!done_) take_back({});
    }

    std::uint64_t used() const { return by_hand::used(now.kept, limits); }
    bool reaches(std::uint64_t percent) const { return used() >= ceil_share(limits.input().count, percent); }
    bool within(std::uint64_t percent) const { return used() <= floor_share(limits.input().count, percent); }
    bool may_cut(std::uint32_t index) const { return by_hand::may_cut(now.kept, history, index); }

    std::string_view text_of(std::uint32_t index, std::uint32_t place) const {
        auto const fresh = now.part(index, place).text;
        return fresh != nobody ? texts[fresh].text : now.message(history, index).parts[place].text;
    }
    /// A part as it is sent; results have the name of their tool from their call.
    condense::part_view view(std::uint32_t index, std::uint32_t place) const {
        auto seen = view_of(history[index].parts[place], text_of(index, place));
        if (now.part(index, place).edited) seen.cost.reset();
        if (seen.tool.empty() && !seen.call.empty()) seen.tool = tool_of(index, seen.call);
        return seen;
    }
    std::string_view tool_of(std::uint32_t index, std::string_view call) const {
        for (auto at = index + 1; at-- > now.kept.notes[index].group;) {
            if (now.kept.notes[at].group != now.kept.notes[index].group) continue;
            for (auto const& part : history[at].parts)
                if (part.kind == part_kind::tool_call && part.call == call) return part.tool;
        }
        return {};
    }

    /// Puts a text in the place of a part, where that costs less.
    bool replace(std::uint32_t index, std::uint32_t place, std::string text, condense::reference stored) {
        auto const& part = history[index].parts[place];
        auto& note = now.part(index, place);
        auto const after = ledger::cost_of(text, part.kind, {}, part.tool, part.call);
        if (after >= note.now) return false;
        texts.push_back({index, place, std::move(text), note});
        now.kept.lower(index, note.now, after);
        note = {.now = after, .text = static_cast<std::uint32_t>(texts.size() - 1), .stored = stored, .edited = true};
        return true;
    }
    bool drop(std::uint32_t group) {
        gone_.push_back(group);
        if (now.kept.drop(group)) return true;
        gone_.pop_back();
        return false;
    }
    /// Puts a summary in the place of `groups`, which are there, and of the one before.
    void summarize(std::vector<std::uint32_t> const& groups, summary_note summary) {
        gone_.reserve(gone_.size() + groups.size());
        summaries_.reserve(summaries_.size() + 1);
        show_summary(std::move(summary));
        for (auto const group : groups)
            if (now.kept.drop(group)) gone_.push_back(group);
    }

    bool changed(mark const& from = {}) const {
        return texts.size() != from.texts || gone_.size() != from.gone || summaries_.size() != from.summaries;
    }
    bool moves() const { return !gone_.empty() || !summaries_.empty(); }
    mark here() const { return {texts.size(), gone_.size(), summaries_.size()}; }
    void keep() noexcept { done_ = true; }

    void take_back(mark const& to) noexcept {
        for (; gone_.size() != to.gone; gone_.pop_back()) now.kept.bring_back(gone_.back());
        for (; summaries_.size() != to.summaries; summaries_.pop_back()) {
            count_summary(false);
            now.summary = std::move(summaries_.back());
            count_summary(true);
        }
        for (; texts.size() != to.texts; texts.pop_back()) {
            auto const& last = texts.back();
            auto& note = now.part(last.message, last.part);
            now.kept.lower(last.message, note.now, last.was.now);
            note = last.was;
        }
    }

private:
    void show_summary(summary_note summary) noexcept {
        count_summary(false);
        summaries_.push_back(std::exchange(now.summary, std::move(summary)));
        count_summary(true);
    }
    void count_summary(bool there) noexcept {
        if (now.summary.at == nobody) return;
        now.kept.sum = there ? now.kept.sum + now.summary.own : now.kept.sum - now.summary.own;
        now.kept.count = there ? now.kept.count + 1 : now.kept.count - 1;
    }

    std::vector<std::uint32_t> gone_;
    std::vector<summary_note> summaries_;  ///< that stood there before
    bool done_ = false;
};

/// Drops the oldest groups that are in no zone until there are few enough. The first user message stays, and a summary,
/// so a request begins with one of them; what stands before the first user message goes rather than begin it.
template <class Enough>
void drop_oldest(run& r, zone const& spared, Enough const& enough) {
    auto const& kept = r.now.kept;
    auto const task = kept.task == nobody ? 0 : kept.notes[kept.task].group;
    bool head = false;
    for (std::uint32_t index = 0; index < r.now.size(); ++index) {
        head = head || r.now.summary.at == index;
        if (!r.now.leads(index) || kept.notes[index].system) continue;
        if (enough() && (head || index >= task)) return;
        if (spared.holds_some(kept, index) || kept.bound(index)) head = true;
        else r.drop(index);
    }
}

}  // namespace by_hand
