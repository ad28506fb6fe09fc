// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/fence.hpp>

// The user's messages that have left, word for word, the newest as far as they fit: summarize{.leaves = user_words{}}.

namespace condense {
inline namespace v1 {
namespace detail {

/// The newest messages of the user that have left, in order. Plain data: saved, restored and rewound with its session.
/// A template, so that a program that only includes this instantiates nothing.
template <class = void>
class basic_user_log {
public:
    struct entry {
        std::string text;
        std::uint64_t message = 0;
    };
    static constexpr std::size_t bytes_most = 400'000;  ///< what is older is forgotten

    departures gone;
    std::vector<entry> entries;

    void add(std::string text, std::uint64_t message) {
        bytes_ += text.size();
        entries.push_back({std::move(text), message});
        std::size_t first = 0;
        for (; first + 1 < entries.size() && bytes_ > bytes_most; ++first) bytes_ -= entries[first].text.size();
        entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(first));
    }
    std::string save() const {
        std::string out;
        gone.save(out);
        for (auto const& one : entries) {
            put_field(out, one.text);
            put_field(out, one.message);
        }
        return out;
    }
    /// False, and unchanged, unless `text` was saved for a conversation of `message_count` messages.
    bool load(std::string_view text, std::size_t message_count) {
        basic_user_log loaded;
        field_reader reader{text};
        if (text.empty()) return *this = {}, true;
        if (!loaded.gone.load(reader, message_count)) return false;
        while (!reader.done()) {
            std::string words{reader.text()};
            auto const message = reader.number(message_count);
            if (reader.broken() || !is_neutral(words)) return false;
            loaded.add(std::move(words), message);
        }
        *this = std::move(loaded);
        return true;
    }
    /// Forgets what is from messages from `first` on, which are others now.
    void rewind(std::uint64_t first) {
        gone.rewind(first);
        while (!entries.empty() && entries.back().message >= first) {
            bytes_ -= entries.back().text.size();
            entries.pop_back();
        }
    }
    /// True for a text that `append_neutral` leaves as it is.
    static bool is_neutral(std::string_view text) {
        std::string neutral;
        append_neutral(neutral, text);
        return !text.empty() && neutral == text && utf8::valid(text);
    }

private:
    std::size_t bytes_ = 0;
};
using user_log = basic_user_log<>;

}  // namespace detail

/// Quotes the user's messages in all that has left a session, in their order: the newest whole, and of the one that
/// fits only in part the beginning. The task is not repeated where it stays. Costs a look at each message when it
/// leaves; remembers 400,000 bytes. In a run on its own (`reduce`) the earlier ones are taken from the summary's text.
struct user_words {
    percent share = {1'000};  ///< of the input; halved with each step of pressure
    tokens most = {20'000};  ///< for the quotations

    using memory = detail::user_log;

    constexpr void validate() const {
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= 5'000,
                              "condense: user_words: the share must be above 0 and at most 50 % (see user_words)");
        detail::reject_unless(most.count > 0, "condense: user_words: `most` must be above 0 (see user_words)");
    }

    /// Notes what has left since the last time and what is about to leave, and returns the quotations, of at most
    /// `limit`.
    template <class Draft>
    std::string write(Draft const& draft, memory& log, std::vector<group> const& leaving, tokens limit,
                      std::string_view = {}) const {
        detail::leaving_groups const leaves{leaving};
        log.gone.visit(draft, leaves, noter<Draft>{draft, log});
        auto const cost_of = [&](std::string_view text) { return draft.measured(draft.estimator()(text)).count; };
        std::vector<std::string> quotations;
        auto rest = detail::sub_capped(limit.count, cost_of(head));
        if (most.count < rest) rest = most.count;
        for (auto one = log.entries.rbegin(); one != log.entries.rend(); ++one) {
            auto text = quoted(one->text);
            auto size = cost_of(text);
            bool const is_whole = size <= rest;
            // In proportion to its tokens, and less where that is not enough.
            for (auto points = detail::utf8::count(one->text); !is_whole && size > rest; size = cost_of(text)) {
                points = detail::scale_down(points, rest, size + 1);
                if (points == 0) break;
                text = quoted(one->text.substr(0, detail::utf8::prefix(one->text, points)) + std::string{marker});
            }
            if (size > rest) break;
            rest -= size;
            quotations.push_back(std::move(text));
            if (!is_whole) break;
        }
        if (quotations.empty()) return {};
        std::string out{head};
        for (auto one = quotations.rbegin(); one != quotations.rend(); ++one) out.append(*one);
        return out;
    }

    friend constexpr bool operator==(user_words const&, user_words const&) = default;

private:
    static constexpr std::string_view head = "The user's words in it:\n";
    static constexpr std::string_view mark = "> ";
    static constexpr std::string_view end_mark = "-\n";  ///< behind each message
    static constexpr std::string_view marker = " [the rest is left out]";

    template <class Draft>
    struct noter {
        Draft const& draft;
        memory& log;
        bool remembers = log.gone.begun();  ///< then the memory has what earlier summaries had

        void message(std::uint32_t index) const {
            if (!draft.outline().message_at(index).plain_user || draft.outline().message_at(index).summary) return;
            std::string text;
            draft.each_original(sequence{index}, [&](part_ref, part_view const& part) {
                if (part.kind != part_kind::text || part.cost) return;
                if (!text.empty()) text.push_back('\n');
                detail::append_neutral(text, detail::utf8::scrubbed(std::string{part.text}));
            });
            if (memory::is_neutral(text)) log.add(std::move(text), index);
        }
        void cut(part_ref, part_view const&) const noexcept {}
        void summary(group which) const {
            if (remembers) return;
            draft.each_part(which, [&](part_ref, part_view const& part) { read(log, part.text); });
        }
    };

    /// Each line behind a mark, so that no line is taken for one of the summary.
    static std::string quoted(std::string_view text) {
        std::string out;
        while (!text.empty()) {
            auto const line = text.substr(0, text.find('\n'));
            out.append(mark).append(line).push_back('\n');
            text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        }
        return out.append(end_mark);
    }
    /// Takes the messages from an earlier summary.
    static void read(memory& log, std::string_view text) {
        auto const begin = text.rfind("\n" + std::string{head});
        if (begin == std::string_view::npos) return;
        text.remove_prefix(begin + 1 + head.size());
        std::string words;
        while (!text.empty()) {
            auto const line = text.substr(0, text.find('\n'));
            text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
            if (line.starts_with(mark)) words.append(words.empty() ? "" : "\n").append(line.substr(mark.size()));
            else if (line == end_mark.substr(0, 1)) {
                if (memory::is_neutral(words)) log.add(std::move(words), 0);
                words.clear();
            } else return;
        }
    }
};

}  // namespace v1
}  // namespace condense
