// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/record_line.hpp>
#include <condense/llm/text_log.hpp>

// The user's messages that have left, word for word, the newest as far as they fit: summarize{.leaves = user_words{}}.

namespace condense {
inline namespace v1 {

/// Quotes the user's messages in all that has left a session, in their order: the newest whole, and of the one that
/// fits only in part both ends. A short one stands with the question that it answers. The task is not repeated
/// where it stays. Costs a look at each message when it leaves; remembers 200,000 bytes. In a run on its own (`reduce`)
/// the earlier ones are taken from the summary's text.
struct user_words {
    percent share = {1'000};  ///< of the input; halved with each step of pressure
    tokens most = {20'000};  ///< for the quotations

    /// How a message of the user begins that is the output of a tool, in lower case, as text protocols write it.
    std::array<std::string_view, 8> outputs = {"observation:", "<tool_response>", "<tool_result", "<function_result",
                                               "tool result",  "[tool result",    "tool output:", ""};

    using memory = detail::text_log;

    constexpr void validate() const {
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= 5'000,
                              "condense: user_words: the share must be above 0 and at most 50 % (see user_words)");
        detail::reject_unless(most.count > 0, "condense: user_words: `most` must be above 0 (see user_words)");
    }

    /// Notes the words of the user.
    void see(memory& log, leaving_part const& seen) const {
        if (seen.why == departure::summary && !seen.is_known) return read(log, seen.part.text);
        if (seen.why != departure::left || !seen.is_words || seen.part.kind != part_kind::text || seen.part.cost)
            return;
        if (is_output(seen.part.text)) return;
        std::string text;
        detail::append_neutral(text, detail::utf8::scrubbed(std::string{seen.part.text}));
        auto const earlier = seen.size == tokens{} ? entry_of(log, seen.message) : log.entries.size();
        if (earlier != log.entries.size()) {  // a further part of the message
            text.insert(0, log.entries[earlier].text + "\n");
            log.remove(earlier);
        } else if (text.size() <= short_answer) {
            std::string question;
            seen.before([&](part_view const& part) {
                if (part.kind == part_kind::text) question = detail::question_of(part.text);
            });
            if (!question.empty()) text.append(" (asked: ").append(question).append(")");
            else if (!seen.is_task && text.starts_with('/') && detail::asks_nothing(text)) return;
        }
        if (text.size() > text_most) text = both_ends(text, text_most / 4);
        log.add({seen.is_task ? std::string{task_label} : std::string{}, std::move(text), seen.message});
    }
    /// The quotations, of at most `room.limit`.
    std::string write(memory const& log, index_room const& room) const {
        std::vector<std::string> quotations;
        auto rest = detail::sub_capped(room.limit.count, room.tokens_of(detail::words_head));
        if (most.count < rest) rest = most.count;
        // The task first, where it has left; a long one leaves half of what is left to the others.
        auto const count = log.entries.size();
        std::size_t task_at = 0;
        while (task_at != count && log.entries[task_at].label != task_label) ++task_at;
        std::string task_text;
        if (task_at != count && !room.has_task) task_text = fitted(log.entries[task_at].text, rest, count == 1, room);
        for (auto at = count; at-- != 0;) {
            if (at == task_at) continue;
            auto text = fitted(log.entries[at].text, rest, at == 0, room);
            if (text.empty()) break;
            quotations.push_back(std::move(text));
        }
        if (!task_text.empty()) quotations.push_back(std::move(task_text));
        if (quotations.empty()) return {};
        std::string out{detail::words_head};
        out.push_back('\n');
        for (auto one = quotations.rbegin(); one != quotations.rend(); ++one) out.append(*one);
        return out;
    }

    /// True for a text that is the output of a tool.
    bool is_output(std::string_view text) const noexcept {
        text.remove_prefix((std::min)(text.find_first_not_of(" \t\r\n"), text.size()));
        for (auto const each : outputs)
            if (!each.empty() && detail::begins_with_word(text, each)) return true;
        return false;
    }

    friend constexpr bool operator==(user_words const&, user_words const&) = default;

private:
    static constexpr std::string_view mark = "> ";
    static constexpr std::string_view task_label = "task";
    static constexpr std::string_view end_mark = "-\n";  ///< behind each message
    static constexpr std::string_view marker = " [a part is left out] ";
    static constexpr std::uint64_t least_points = 40;  ///< characters of one that does not fit
    static constexpr std::uint64_t whole_most = 32;  ///< tokens of one that is quoted whole while it fits
    static constexpr std::size_t text_most = 50'000;  ///< bytes that are remembered of one
    static constexpr std::size_t short_answer = 60;  ///< bytes of one that stands with its question

    /// The place of the entry of a message; the number of entries for none.
    static std::size_t entry_of(memory const& log, std::uint64_t message) noexcept {
        for (auto at = log.entries.size(); at-- != 0;)
            if (log.entries[at].message == message) return at;
        return log.entries.size();
    }
    /// The text as far as it fits half of `rest`, or all of it if it `is_last` or short, less the room that it takes;
    /// empty if there is none.
    static std::string fitted(std::string_view whole, std::uint64_t& rest, bool is_last, index_room const& room) {
        auto const most_here = is_last ? rest : rest / 2;
        bool const is_small = room.tokens_of(whole) <= whole_most;
        auto points = detail::utf8::count(whole);
        // In proportion to its tokens, and less where that is not enough.
        for (bool is_whole = true; points != 0; is_whole = false) {
            auto text = quoted(whole, points, is_whole);
            if (text.empty()) break;
            auto const size = room.tokens_of(text);
            if (size <= most_here || (is_small && size <= rest)) {
                rest -= size;
                return text;
            }
            points = detail::scale_down(points, most_here, size + 1);
        }
        return {};
    }
    /// So many characters of a text, half of them of its end.
    static std::string both_ends(std::string_view text, std::uint64_t points) {
        return detail::joined({text.substr(0, detail::utf8::prefix(text, points - points / 2)), marker,
                               text.substr(detail::utf8::suffix(text, points / 2))});
    }
    /// So many characters of a text as `both_ends` cuts it, each line behind a mark, so that no line is taken for one
    /// of the summary. Empty if too few would be left to say anything.
    static std::string quoted(std::string_view text, std::uint64_t points, bool is_whole) {
        std::string out, cut;
        if (!is_whole) {
            if (points < least_points) return {};
            text = cut = both_ends(text, points);
        }
        while (!text.empty()) out.append(mark).append(detail::take_line(text)).push_back('\n');
        return out.append(end_mark);
    }
    /// Takes the messages from an earlier summary.
    static void read(memory& log, std::string_view text) {
        text = detail::behind_head(text, detail::words_head);
        std::string words;
        while (!text.empty()) {
            auto const line = detail::take_line(text);
            if (line.starts_with(mark)) words.append(words.empty() ? "" : "\n").append(line.substr(mark.size()));
            else if (line == end_mark.substr(0, 1)) {
                log.add({{}, std::move(words), 0});
                words.clear();
            } else return;
        }
    }
};

}  // namespace v1
}  // namespace condense
