// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <condense/detail/text.hpp>
#include <condense/replay/pairing.hpp>

// Checks requests against the messages pushed so far, using message_traits alone: shares no code with the library that
// renders them. checker.push(m) for each message, then checker.judge(request) returns the laws that it breaks, as
// texts.

namespace condense {
inline namespace v1 {

/// Linear in request and history. A message that is no original and can be no shortened one is taken for a
/// summary where it is one text of role user (so a first message of the user's that was shortened is not told from a
/// summary of it), for an answer where it is the result of a call without one.
class request_checker {
public:
    template <message Message>
    void push(Message const& m) {
        push(detail::read_message(m), is_pinned(m));
    }
    void push(detail::message_reading reading, bool stays) {
        auto const index = static_cast<std::uint32_t>(history_.size());
        pairs_.push(reading);
        if (reading.plain_user()) latest_user_ = index, latest_answer_ = detail::none32;
        else if (reading.speaker == role::assistant && latest_user_ != detail::none32) latest_answer_ = index;
        if (reading.speaker == role::system || stays) bound_.push_back(index);
        if (first_ == detail::none32 && reading.speaker != role::system) first_ = index;
        same_.try_emplace(reading.print).first->second.push_back(index);
        history_.push_back(std::move(reading));
        stamps_.push_back(0);
        whole_.push_back(false);
    }

    /// A message of a request: an original by its number, or else what can be read of it.
    struct given {
        std::uint32_t index = detail::none32;
        detail::message_reading const* reading = nullptr;
    };

    /// The request as copies of messages, whatever they are.
    template <class Request>
    std::vector<std::string> judge(Request const& request) {
        std::vector<detail::message_reading> readings;
        for (auto const& m : request) readings.push_back(detail::read_message(m));
        std::vector<given> all(readings.size());
        std::unordered_map<std::uint64_t, std::size_t> taken;
        auto before = history_.size();
        for (auto at = all.size(); at-- > 0;) {  // of equal messages the newest that keeps the order, where one does
            auto const found = same_.find(readings[at].print);
            if (found == same_.end()) {
                all[at].reading = &readings[at];
                continue;
            }
            auto const& places = found->second;
            auto& count = taken[readings[at].print];
            while (count < places.size() && places[places.size() - 1 - count] >= before) ++count;
            if (count == places.size()) count = 0;
            all[at].index = places[places.size() - 1 - count++];
            before = all[at].index;
        }
        return judge(all);
    }

    std::vector<std::string> judge(std::vector<given> const& request) {
        broken_.clear();
        ++stamp_;
        place(request);
        check_bound();
        check_pairs();
        check_head(request);
        return std::move(broken_);
    }

private:
    void say(std::string_view law, std::string_view what, std::size_t index) {
        broken_.push_back(std::string{law} + ": message " + std::to_string(index) + " " + std::string{what});
    }
    bool there(std::size_t index) const noexcept { return stamps_[index] == stamp_; }
    bool left_whole(std::size_t index) const noexcept { return there(index) && whole_[index]; }

    void take(std::uint32_t index, bool whole) {
        stamps_[index] = stamp_;
        whole_[index] = whole;
    }

    /// Classifies each message of the request.
    void place(std::vector<given> const& request) {
        std::size_t next = 0;
        left_to_compare_ = 4 * (request.size() + history_.size()) + 64;
        summaries_ = 0;
        std::size_t at = 0;
        while (at < request.size()) {
            if (request[at].index != detail::none32) {
                place_original(request[at].index, next);
                ++at;
                continue;
            }
            auto past = at;
            while (past < request.size() && request[past].index == detail::none32) ++past;
            auto const end = past < request.size() ? request[past].index : history_.size();
            place_made(request, at, past, next, end);
            at = past;
        }
        if (left_to_compare_ == 0) broken_.push_back("not judged: too many messages of the request are no originals");
        if (summaries_ > most_summaries) broken_.push_back("L4: " + std::to_string(summaries_) + " summaries");
    }

    void place_original(std::uint32_t index, std::size_t& next) {
        if (index >= history_.size()) return say("L2 order", "was not pushed", index);
        if (there(index)) return say("L2 order", "is there twice", index);
        take(index, true);
        if (index < next) return say("L2 order", "stands behind a later one", index);
        next = index + 1;
    }

    /// Messages between two originals: candidates are [next, end) of the history.
    void place_made(std::vector<given> const& request, std::size_t at, std::size_t past, std::size_t& next,
                    std::size_t end) {
        auto left_out = end > next ? end - next : 0;
        std::size_t summaries = 0;
        for (; at < past; ++at) {
            auto const& now = *request[at].reading;
            if (says_nothing(now)) broken_.push_back("L2: message " + std::to_string(at) + " of the request is empty");
            if (now.parts.size() == 1 && now.parts[0].call != 0 && is_answer(now, next)) continue;
            auto index = next;
            while (index < end && left_to_compare_ != 0 && !may_become(index, now)) ++index, --left_to_compare_;
            if (index < end && left_to_compare_ != 0) {
                take(static_cast<std::uint32_t>(index), history_[index].print == now.print);
                next = index + 1;
                --left_out;
            } else if (is_answer(now, next)) continue;
            else if (sums_up(now)) summaries += known_.insert(now.print).second ? 1u : 0u;
            else if (left_to_compare_ != 0)
                broken_.push_back("L2: message " + std::to_string(at) +
                                  " of the request was never pushed, or is changed beyond shortening");
        }
        if (summaries > left_out)
            broken_.push_back("L4: a message of the request is no summary: nothing was left out there");
        summaries_ += summaries;
    }

    /// True for a message that looks like a summary; its text is not checked.
    static bool sums_up(detail::message_reading const& now) noexcept {
        return now.speaker == role::user && now.parts.size() == 1 && now.parts[0].kind == part_kind::text;
    }
    static bool says_nothing(detail::message_reading const& now) noexcept {
        for (auto const& part : now.parts)
            if (part.size != 0 || part.kind == part_kind::tool_call || part.kind == part_kind::media) return false;
        return true;
    }

    /// True for an original with parts shortened or removed, except calls and results.
    bool may_become(std::size_t index, detail::message_reading const& now) const noexcept {
        auto const& was = history_[index];
        if (was.speaker != now.speaker || now.parts.size() > was.parts.size()) return false;
        std::size_t at = 0;
        for (auto const& part : now.parts) {
            while (at < was.parts.size() && !same_part(was.parts[at], part))
                if (!may_go(index, was.parts[at++])) return false;
            if (at++ == was.parts.size()) return false;
        }
        for (; at < was.parts.size(); ++at)
            if (!may_go(index, was.parts[at])) return false;
        return true;
    }
    bool may_go(std::size_t index, detail::part_reading const& part) const noexcept {
        return part.kind != part_kind::tool_call && (part.kind != part_kind::tool_result || pairs_.orphaned(index));
    }
    static bool same_part(detail::part_reading const& was, detail::part_reading const& now) noexcept {
        if (was.call != now.call || was.tool != now.tool || was.status != now.status) return false;
        if (was.kind == part_kind::media && !now.sealed &&
            (now.kind == part_kind::text || now.kind == part_kind::tool_result))
            return true;
        if (was.kind != now.kind || was.sealed != now.sealed) return false;
        return was.text == now.text || (!was.sealed && (now.size < was.size || now.points < was.points));
    }

    /// The result of a call in the message before, where none has come.
    bool is_answer(detail::message_reading const& now, std::size_t next) const noexcept {
        if (next == 0 || now.parts.size() != 1 || now.parts[0].kind != part_kind::tool_result || !there(next - 1))
            return false;
        auto const id = now.parts[0].call;
        for (auto const other : pairs_.links(next - 1))
            for (auto const& result : history_[other].parts)
                if (id != 0 && result.kind == part_kind::tool_result && result.call == id) return false;
        for (auto const& call : history_[next - 1].parts)
            if (call.kind == part_kind::tool_call && call.call == id) return true;
        return false;
    }

    void check_bound() {
        for (auto const index : bound_)
            if (!left_whole(index))
                say("L2",
                    history_[index].speaker == role::system ? "of the system is gone or changed"
                                                            : "is pinned, and gone or changed",
                    index);
        if (latest_user_ != detail::none32 && !left_whole(latest_user_))
            say("L2", "is the user's latest, and gone or changed", latest_user_);
        if (latest_answer_ != detail::none32 && !there(latest_answer_))
            say("L16", "is the newest answer to the user's latest, and gone", latest_answer_);
    }

    void check_pairs() {
        for (std::size_t index = 0; index < history_.size(); ++index) {
            if (!there(index)) continue;
            for (auto const other : pairs_.links(index))
                if (!there(other))
                    say("L1 pairs",
                        (other < index ? "holds a result of the call in message "
                                       : "holds the call of the result in message ") +
                            std::to_string(other) + ", which is gone",
                        index);
        }
        auto const open = pairs_.open();
        if (open != detail::none32 && !there(open))
            say("L3", "holds the newest calls, not answered yet, and is gone", open);
    }

    /// True if a user message or a summary comes first, or if the conversation begins otherwise.
    void check_head(std::vector<given> const& request) {
        if (first_ == detail::none32) return;
        bool speaks = false;
        for (auto const& one : request) {
            if (one.index != detail::none32 && one.index >= history_.size()) continue;
            auto const& m = one.index != detail::none32 ? history_[one.index] : *one.reading;
            if (m.speaker == role::system) continue;
            speaks = true;
            if (history_[first_].plain_user() && !m.plain_user())
                broken_.push_back("L2: the request does not begin with a user message or a summary");
            break;
        }
        if (!speaks) broken_.push_back("L8: only system messages are left");
    }

    static constexpr std::size_t most_summaries = 8;  ///< parts of one that a model could not write at once

    std::vector<detail::message_reading> history_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> same_;
    std::vector<std::uint32_t> bound_;
    detail::replay_pairing pairs_;
    std::uint32_t latest_user_ = detail::none32;
    std::uint32_t latest_answer_ = detail::none32;  ///< the newest message of the assistant's behind it
    std::uint32_t first_ = detail::none32;
    std::vector<std::uint64_t> stamps_;  ///< of the request in which a message was last found
    std::vector<bool> whole_;
    std::uint64_t stamp_ = 0;
    std::size_t left_to_compare_ = 0;
    std::size_t summaries_ = 0;
    std::unordered_set<std::uint64_t> known_;  ///< summaries of earlier requests: groups may come back beside them
    std::vector<std::string> broken_;
};

}  // namespace v1
}  // namespace condense
