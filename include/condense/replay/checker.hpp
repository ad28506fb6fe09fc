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

// Checks requests against the messages pushed so far, reading them by message_traits alone: it shares no code with the
// library that renders requests, so an error of one is not hidden by the other. checker.push(m) for each message, then
// checker.judge(request) returns a text for each law that the request breaks.

namespace condense {
inline namespace v1 {

/// Judges requests of one conversation. A message that is neither an original nor a shortened one counts as a summary
/// if it is a single text of role user (a shortened first user message cannot be told from a summary of it), and as a
/// supplied answer if it is the result of a call that has none. Each request costs time linear in request and history.
class request_checker {
public:
    /// Adds the next message of the conversation, as it was before any reduction.
    template <message Message>
    void push(Message const& m) {
        push(detail::read_message(m), is_pinned(m));
    }
    /// The same for a message that was read before. `fixed`: requests must have it unchanged.
    void push(detail::message_reading reading, bool fixed) {
        auto const index = static_cast<std::uint32_t>(history_.size());
        pairs_.push(reading);
        if (reading.plain_user()) latest_user_ = index, latest_answer_ = detail::none32;
        else if (reading.speaker == role::assistant && latest_user_ != detail::none32) latest_answer_ = index;
        if (reading.speaker == role::system || fixed) fixed_.push_back(index);
        if (first_ == detail::none32 && reading.speaker != role::system) first_ = index;
        by_print_.try_emplace(reading.print).first->second.push_back(index);
        history_.push_back(std::move(reading));
        stamps_.push_back(0);
        unchanged_.push_back(false);
    }

    /// A message of a request: an original by its index, or else its reading, which must outlive the call.
    struct entry {
        std::uint32_t index = detail::none32;
        detail::message_reading const* reading = nullptr;  ///< null for an original
    };

    /// Judges a request of which only the messages are known: originals are recognised by their content.
    template <class Request>
    std::vector<std::string> judge(Request const& request) {
        std::vector<detail::message_reading> readings;
        for (auto const& m : request) readings.push_back(detail::read_message(m));
        std::vector<entry> entries(readings.size());
        std::unordered_map<std::uint64_t, std::size_t> uses;
        auto next_index = history_.size();
        // From the end: of equal originals, the newest that keeps the order is meant, if there is one.
        for (auto position = entries.size(); position-- > 0;) {
            auto const same = by_print_.find(readings[position].print);
            if (same == by_print_.end()) {
                entries[position].reading = &readings[position];
                continue;
            }
            auto const& indices = same->second;
            auto& count = uses[readings[position].print];
            while (count < indices.size() && indices[indices.size() - 1 - count] >= next_index) ++count;
            if (count == indices.size()) count = 0;
            entries[position].index = indices[indices.size() - 1 - count++];
            next_index = entries[position].index;
        }
        return judge(entries);
    }

    /// Judges a request whose originals are known. Empty if it breaks no law.
    std::vector<std::string> judge(std::vector<entry> const& request) {
        violations_.clear();
        ++stamp_;
        classify(request);
        check_fixed();
        check_pairs();
        check_head(request);
        return std::move(violations_);
    }

private:
    /// `what` is said of the message with this index in the history.
    void add_violation(std::string_view law, std::string_view what, std::size_t index) {
        violations_.push_back(std::string{law} + ": message " + std::to_string(index) + " " + std::string{what});
    }
    // Of the current request. Stamps save clearing a flag of each message before each request.
    bool is_present(std::size_t index) const noexcept { return stamps_[index] == stamp_; }
    bool is_unchanged(std::size_t index) const noexcept { return is_present(index) && unchanged_[index]; }

    void mark_present(std::uint32_t index, bool unchanged) {
        stamps_[index] = stamp_;
        unchanged_[index] = unchanged;
    }

    /// Assigns each message of the request to an original, or to a run of changed messages between two originals.
    void classify(std::vector<entry> const& request) {
        std::size_t next = 0;
        // Bounds the search for shortened originals, which is quadratic for a request that has nothing to do with them.
        remaining_comparisons_ = 4 * (request.size() + history_.size()) + 64;
        summaries_ = 0;
        std::size_t position = 0;
        while (position < request.size()) {
            if (request[position].index != detail::none32) {
                classify_original(request[position].index, next);
                ++position;
                continue;
            }
            auto run_end = position;
            while (run_end < request.size() && request[run_end].index == detail::none32) ++run_end;
            auto const end = run_end < request.size() ? request[run_end].index : history_.size();
            classify_derived(request, position, run_end, next, end);
            position = run_end;
        }
        if (remaining_comparisons_ == 0)
            violations_.push_back("not judged: too many messages of the request are no originals");
        if (summaries_ > most_summaries) violations_.push_back("L4: " + std::to_string(summaries_) + " summaries");
    }

    /// An original must have been pushed, occur once, and come after the originals before it. Raises `next`, the first
    /// index that may follow.
    void classify_original(std::uint32_t index, std::size_t& next) {
        if (index >= history_.size()) return add_violation("L2 order", "was not pushed", index);
        if (is_present(index)) return add_violation("L2 order", "is there twice", index);
        mark_present(index, true);
        if (index < next) return add_violation("L2 order", "stands behind a later one", index);
        next = index + 1;
    }

    /// Classifies the messages [position, run_end) of the request, which are no originals. Each may be a shortened one
    /// of the originals [next, end) of the history, in order; summaries stand for those that are left out among them.
    void classify_derived(std::vector<entry> const& request, std::size_t position, std::size_t run_end,
                          std::size_t& next, std::size_t end) {
        auto left_out = end > next ? end - next : 0;
        std::size_t summaries = 0;
        for (; position < run_end; ++position) {
            auto const& sent = *request[position].reading;
            if (is_empty(sent))
                violations_.push_back("L2: message " + std::to_string(position) + " of the request is empty");
            // A supplied answer belongs to the message before it: it never stands for a later original.
            if (sent.parts.size() == 1 && sent.parts[0].call != 0 && is_answer(sent, next)) continue;
            auto index = next;
            while (index < end && remaining_comparisons_ != 0 && !may_shorten_to(index, sent))
                ++index, --remaining_comparisons_;
            if (index < end && remaining_comparisons_ != 0) {
                mark_present(static_cast<std::uint32_t>(index), history_[index].print == sent.print);
                next = index + 1;
                --left_out;
            } else if (is_answer(sent, next)) continue;
            else if (looks_like_summary(sent)) summaries += known_summaries_.insert(sent.print).second ? 1u : 0u;
            else if (remaining_comparisons_ != 0)
                violations_.push_back("L2: message " + std::to_string(position) +
                                      " of the request was never pushed, or is changed beyond shortening");
        }
        if (summaries > left_out)
            violations_.push_back("L4: a message of the request is no summary: nothing was left out there");
        summaries_ += summaries;
    }

    /// True for a single text of role user, as summaries are; the text is not checked.
    static bool looks_like_summary(detail::message_reading const& sent) noexcept {
        return sent.speaker == role::user && sent.parts.size() == 1 && sent.parts[0].kind == part_kind::text;
    }
    /// True if it has neither text nor a call nor media: providers refuse such messages.
    static bool is_empty(detail::message_reading const& sent) noexcept {
        for (auto const& part : sent.parts)
            if (part.size != 0 || part.kind == part_kind::tool_call || part.kind == part_kind::media) return false;
        return true;
    }

    /// True if `sent` may be original `index` with some parts shortened or removed. Its parts keep their order.
    bool may_shorten_to(std::size_t index, detail::message_reading const& sent) const noexcept {
        auto const& original = history_[index];
        if (original.speaker != sent.speaker || sent.parts.size() > original.parts.size()) return false;
        std::size_t position = 0;
        for (auto const& sent_part : sent.parts) {
            while (position < original.parts.size() && !same_part(original.parts[position], sent_part))
                if (!may_be_removed(index, original.parts[position++])) return false;
            if (position++ == original.parts.size()) return false;
        }
        for (; position < original.parts.size(); ++position)
            if (!may_be_removed(index, original.parts[position])) return false;
        return true;
    }
    /// Calls must stay with their message, and results too, unless their call is missing anyway.
    bool may_be_removed(std::size_t index, detail::part_reading const& part) const noexcept {
        return part.kind != part_kind::tool_call && (part.kind != part_kind::tool_result || pairs_.has_orphan(index));
    }
    /// True if `sent` may be the part as it was or shortened. Media may have become a text that names them; a sealed
    /// part, which only its provider can read, is never shortened.
    static bool same_part(detail::part_reading const& original, detail::part_reading const& sent) noexcept {
        if (original.call != sent.call || original.tool != sent.tool || original.status != sent.status) return false;
        if (original.kind == part_kind::media && !sent.sealed &&
            (sent.kind == part_kind::text || sent.kind == part_kind::tool_result))
            return true;
        if (original.kind != sent.kind || original.sealed != sent.sealed) return false;
        return original.text == sent.text ||
               (!original.sealed && (sent.size < original.size || sent.points < original.points));
    }

    /// True if `sent` is the result of a call in the original before it, and that call has no result in the history:
    /// the adapter supplies one, because providers refuse a call without a result.
    bool is_answer(detail::message_reading const& sent, std::size_t next) const noexcept {
        if (next == 0 || sent.parts.size() != 1 || sent.parts[0].kind != part_kind::tool_result ||
            !is_present(next - 1))
            return false;
        auto const id = sent.parts[0].call;
        for (auto const other : pairs_.linked(next - 1))
            for (auto const& result : history_[other].parts)
                if (id != 0 && result.kind == part_kind::tool_result && result.call == id) return false;
        for (auto const& call : history_[next - 1].parts)
            if (call.kind == part_kind::tool_call && call.call == id) return true;
        return false;
    }

    /// System messages, pinned ones and the latest user message stay unchanged; the newest answer to it stays.
    void check_fixed() {
        for (auto const index : fixed_)
            if (!is_unchanged(index))
                add_violation("L2",
                              history_[index].speaker == role::system ? "of the system is gone or changed"
                                                                      : "is pinned, and gone or changed",
                              index);
        if (latest_user_ != detail::none32 && !is_unchanged(latest_user_))
            add_violation("L2", "is the user's latest, and gone or changed", latest_user_);
        if (latest_answer_ != detail::none32 && !is_present(latest_answer_))
            add_violation("L16", "is the newest answer to the user's latest, and gone", latest_answer_);
    }

    /// Calls and their results stay or go together; the newest calls stay until they are answered.
    void check_pairs() {
        for (std::size_t index = 0; index < history_.size(); ++index) {
            if (!is_present(index)) continue;
            for (auto const other : pairs_.linked(index))
                if (!is_present(other))
                    add_violation("L1 pairs",
                                  (other < index ? "holds a result of the call in message "
                                                 : "holds the call of the result in message ") +
                                      std::to_string(other) + ", which is gone",
                                  index);
        }
        auto const open = pairs_.open();
        if (open != detail::none32 && !is_present(open))
            add_violation("L3", "holds the newest calls, not answered yet, and is gone", open);
    }

    /// After system messages a user message or a summary comes first, unless the conversation itself begins otherwise.
    void check_head(std::vector<entry> const& request) {
        if (first_ == detail::none32) return;
        bool speaks = false;
        for (auto const& sent : request) {
            if (sent.index != detail::none32 && sent.index >= history_.size()) continue;
            auto const& m = sent.index != detail::none32 ? history_[sent.index] : *sent.reading;
            if (m.speaker == role::system) continue;
            speaks = true;
            if (history_[first_].plain_user() && !m.plain_user())
                violations_.push_back("L2: the request does not begin with a user message or a summary");
            break;
        }
        if (!speaks) violations_.push_back("L8: only system messages are left");
    }

    /// A summary too long for one answer of a model has several parts.
    static constexpr std::size_t most_summaries = 8;

    std::vector<detail::message_reading> history_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_print_;  ///< originals of equal content, ascending
    std::vector<std::uint32_t> fixed_;  ///< system messages and pinned ones
    detail::replay_pairing pairs_;
    std::uint32_t latest_user_ = detail::none32;
    std::uint32_t latest_answer_ = detail::none32;  ///< the newest assistant message after it
    std::uint32_t first_ = detail::none32;  ///< the first that is no system message
    std::vector<std::uint64_t> stamps_;  ///< by message: the latest request that has it
    std::vector<bool> unchanged_;  ///< by message: whether that request has it as it was
    std::uint64_t stamp_ = 0;
    std::size_t remaining_comparisons_ = 0;
    std::size_t summaries_ = 0;
    /// Summaries of earlier requests, which may stay beside a group that was restored.
    std::unordered_set<std::uint64_t> known_summaries_;
    std::vector<std::string> violations_;
};

}  // namespace v1
}  // namespace condense
