// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <set>

#include <condense/core/report.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>
#include "laws/model.hpp"
#include "support/notation.hpp"

// Says which laws an output breaks, given its input. Messages are recognised by their names; a
// message without a name was written by the library: a summary, or an answer to a dead call.

namespace laws {

using notation::words;
using broken = std::set<std::string>;

/// What the pipeline is allowed to do, as far as a law depends on it.
struct permissions {
    bool lifts_task = true;   ///< some layer may drop the first user message
    bool recorded = false;
};

inline bool same_but_mark(chat_message left, chat_message const& right) {
    left.mark = right.mark;
    return left == right;
}

class checker {
public:
    /// Messages were released when there were `released_at`: a later result whose call is nowhere need not be sent.
    checker(std::vector<chat_message> const& before, std::vector<chat_message> const& after,
            std::size_t released_at = ~std::size_t{0})
        : before_{before}, after_{after}, model_{before}, found_(before.size()), released_at_{released_at} {
        locate();
        check_protected();
        check_groups();
        check_head();
        check_left();
        for (std::size_t index = 0; index < before_.size(); ++index)
            if (found_[index] != nullptr) check_message(index, *found_[index]);
    }

    broken const& violations() const { return broken_; }

    std::size_t answers() const { return answers_; }
    /// Dead calls that are still there without an answer, results that are still there without a call.
    std::size_t broken_pairs() const {
        auto const there = [&](std::size_t index) { return found_[index] != nullptr; };
        std::size_t sum = 0;
        for (auto const& call : model_.dead_calls) {
            auto const& parts = before_[call.message].parts;
            auto const same = std::count_if(parts.begin(), parts.end(), [&](auto const& part) {
                return part.kind == part_kind::tool_call && !call.id.empty() && part.call == call.id;
            });
            // Of calls with one id, or with none, nobody knows which is answered.
            auto const other_waits =
                call.id.empty() &&
                std::any_of(model_.waiting_nameless.begin(), model_.waiting_nameless.end(), [&](auto at) {
                    return model_.group[at] == model_.group[call.message] && at <= call.message;
                });
            sum += there(call.message) && same <= 1 && !other_waits ? 1u : 0u;
        }
        for (auto const& [index, place] : model_.orphan_parts) {
            if (!there(index) || bound(index)) continue;
            auto const& was = before_[index].parts[place];
            auto const same = [&](auto const& part) { return same_place(was, part) && part.text == was.text; };
            auto const& now = found_[index]->parts;
            sum += std::find_if(now.begin(), now.end(), same) != now.end() ? 1u : 0u;
        }
        return sum;
    }

    /// Messages of open groups are there, whose parts another mix might shorten.
    bool has_open() const {
        for (std::size_t index = 0; index < before_.size(); ++index)
            if (found_[index] != nullptr && model_.open[index]) return true;
        return false;
    }

    /// The messages left are only those that no layer may take.
    bool only_floor() const {
        for (std::size_t index = 0; index < before_.size(); ++index) {
            if (found_[index] == nullptr) continue;
            bool stays = false;
            for (std::size_t other = 0; other < before_.size(); ++other)
                stays =
                    stays || (model_.group[other] == model_.group[index] && (bound(other) || found_[other] == head()));
            if (!stays && !alone(index)) return false;
        }
        return summaries_ == 0 || head() == nullptr || head()->name.empty();
    }

private:
    bool is_orphan(std::size_t index) const {
        return std::find(model_.orphans.begin(), model_.orphans.end(), index) != model_.orphans.end();
    }

    /// Nothing but system messages stands beside the group of this message.
    bool alone(std::size_t index) const {
        for (auto const& m : after_) {
            if (m.role == role::system || m.name.empty()) continue;
            auto const at = static_cast<std::size_t>(std::stoul(m.name.substr(1)));
            if (model_.group[at] != model_.group[index]) return false;
        }
        return true;
    }

    void locate() {
        std::map<std::string, std::size_t> by_name;
        for (std::size_t index = 0; index < before_.size(); ++index) by_name[before_[index].name] = index;
        std::size_t next = 0;
        for (auto const& m : after_) {
            auto const at = m.name.empty() ? by_name.end() : by_name.find(m.name);
            if (at == by_name.end() && m.parts.size() == 1 && m.parts[0].kind == part_kind::tool_result) {
                check_answer(m, next);
                continue;
            }
            if (at == by_name.end()) {
                ++summaries_;
                if (m.role != role::user || m.parts.size() != 1)
                    broken_.insert("a message that is no summary was made up");
                continue;
            }
            if (at->second < next) broken_.insert("L2 order");
            next = at->second + 1;
            found_[at->second] = &m;
        }
        if (summaries_ > 1) broken_.insert("more than one summary");
    }

    /// It stands behind the message with the call, and is the only one for it.
    void check_answer(chat_message const& m, std::size_t next) {
        auto const& part = m.parts[0];
        auto const of = std::find_if(model_.dead_calls.begin(), model_.dead_calls.end(), [&](auto const& call) {
            return call.message + 1 == next && call.id == part.call && (part.tool.empty() || call.tool == part.tool);
        });
        if (of == model_.dead_calls.end()) broken_.insert("an answer that no dead call waits for");
        else model_.dead_calls.erase(of);
        ++answers_;
    }

    bool bound(std::size_t index) const {
        return before_[index].role == role::system || before_[index].pinned || model_.open[index] ||
               index == model_.latest_user || index == model_.latest_answer;
    }

    void check_protected() {
        for (std::size_t index = 0; index < before_.size(); ++index) {
            auto const* const now = found_[index];
            bool const kept_whole =
                before_[index].role == role::system || before_[index].pinned || index == model_.latest_user;
            if (kept_whole && (now == nullptr || !same_but_mark(before_[index], *now)))
                broken_.insert(before_[index].role == role::system ? "L2 system message"
                               : before_[index].pinned             ? "L2 pin"
                                                                   : "L2 latest user message");
            if (index == model_.latest_answer && now == nullptr) broken_.insert("L16 latest answer");
            bool const may_be_of_released = index >= released_at_ && is_orphan(index);
            if (model_.open[index] && now == nullptr && !model_.repeats[index] && !may_be_of_released)
                broken_.insert("L3 open group");
            if (index == model_.task && now != nullptr && !same_but_mark(before_[index], *now))
                broken_.insert("L2 task shortened");
        }
    }

    void check_groups() {
        for (std::size_t index = 0; index < before_.size(); ++index)
            if ((found_[index] == nullptr) != (found_[model_.group[index]] == nullptr) &&
                !(found_[index] == nullptr && model_.repeats[index]))  // repair takes out a second result
                broken_.insert("L1 half a group");
    }

    chat_message const* head() const {
        for (auto const& m : after_)
            if (m.role != role::system) return &m;
        return nullptr;
    }

    bool begins_well(std::vector<chat_message> const& all) const {
        model const read{all};
        for (std::size_t index = 0; index < all.size(); ++index)
            if (all[index].role != role::system)
                return read.plain_user[index] || all[index].name.empty() || all[index].mark == "summary";
        return true;
    }
    void check_left() {
        auto const speaks = [](chat_message const& m) { return m.role != role::system; };
        if (std::any_of(before_.begin(), before_.end(), speaks) && std::none_of(after_.begin(), after_.end(), speaks))
            broken_.insert("L8 only system messages are left");
    }
    void check_head() {
        if (begins_well(before_) && !begins_well(after_)) broken_.insert("L2 does not begin with a user message");
    }

    void check_message(std::size_t index, chat_message const& now) {
        auto const& was = before_[index];
        if (same_but_mark(was, now)) return;
        if (was.role != now.role || was.name != now.name || now.parts.size() > was.parts.size())
            broken_.insert("an edited message is not the same message");
        std::size_t at = 0;
        for (auto const& part : now.parts) {
            while (at < was.parts.size() && !same_place(was.parts[at], part)) check_removed(index, at++);
            if (at == was.parts.size()) {
                broken_.insert("a part was made up");
                return;
            }
            check_part(was.parts[at++], part);
        }
        for (; at < was.parts.size(); ++at) check_removed(index, at);
    }

    static bool same_place(condense::chat_part const& was, condense::chat_part const& now) {
        // A note in place of media; by its words, as another part of the same answer may follow media that are gone.
        auto const noted = was.kind == part_kind::media && !now.sealed &&
                           (now.kind == part_kind::text || now.kind == part_kind::tool_result) &&
                           now.text.find(", omitted; ") != std::string::npos;
        if (!noted && (was.kind != now.kind || was.sealed != now.sealed)) return false;
        return was.tool == now.tool && was.call == now.call && was.status == now.status;
    }
    /// Repair takes out results without a call, and all but the first result of a call.
    bool is_superfluous(std::size_t index, std::size_t place) const {
        auto const among = [&](auto const& all) {
            return std::find(all.begin(), all.end(), std::pair{index, place}) != all.end();
        };
        return among(model_.orphan_parts) || among(model_.repeated_parts);
    }
    void check_removed(std::size_t index, std::size_t place) {
        if (is_superfluous(index, place)) return;
        auto const& was = before_[index].parts[place];
        if (was.kind == part_kind::tool_call || was.kind == part_kind::tool_result) broken_.insert("L1 half a pair");
    }
    void check_part(condense::chat_part const& was, condense::chat_part const& now) {
        if (was.text == now.text) return;
        if (was.kind == part_kind::media) return;  // what they cost is not in their text
        if (was.sealed) broken_.insert("a sealed part was edited");
        if (!condense::detail::utf8::valid(now.text)) broken_.insert("T1 ill-formed text");
        auto const replaced = [](std::string const& text) { return text.find("\xEF\xBF\xBD") != std::string::npos; };
        if (condense::detail::utf8::valid(was.text) && !replaced(was.text) && replaced(now.text))
            broken_.insert("T1 a cut amid a code point");
        namespace utf8 = condense::detail::utf8;  // what replaces ill-formed bytes is longer than they
        if (now.text.size() >= was.text.size() && utf8::count(now.text) >= utf8::count(was.text))
            broken_.insert("an edited text is not shorter");
        if (was.kind == part_kind::tool_call && !condense::detail::json::valid(now.text))
            broken_.insert("T2 arguments");
    }

    std::vector<chat_message> const& before_;
    std::vector<chat_message> const& after_;
    model model_;
    std::vector<chat_message const*> found_;
    std::size_t released_at_;
    std::size_t summaries_ = 0;
    std::size_t answers_ = 0;
    broken broken_;
};

}  // namespace laws
