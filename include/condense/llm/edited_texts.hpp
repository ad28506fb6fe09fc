// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/edits_of_call.hpp>
#include <condense/llm/record_line.hpp>
#include <condense/llm/text_log.hpp>

// An agent edits next what it has just written, and an edit names the old text exactly: the new texts of the latest
// edits, as they stand by now. summarize{.leaves = both{edited_texts{}, name_index{}}}.

namespace condense {
inline namespace v1 {
/// Quotes the new texts of the latest edits in all that has left a session, word for word, the newest as far as they
/// fit, and of the next one the first lines. A text that was edited again stands as it is by now; one of an edit that
/// failed is left out. Costs a look at each message when it leaves; remembers 200,000 bytes. In a run on its own
/// (`reduce`) the earlier ones are taken from the summary's text.
struct edited_texts {
    percent share = {1'000};  ///< of the input; halved with each step of pressure
    edit_members members = usual_edit_members;

    using memory = detail::text_log;

    constexpr void validate() const {
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= 5'000,
                              "condense: edited_texts: the share must be above 0 and at most 50 % (see edited_texts)");
    }

    /// Notes the texts that a call has written, when its result leaves and is no error.
    void see(memory& log, leaving_part const& seen) const {
        if (seen.why == departure::summary && !seen.is_known) return read(log, seen.part.text);
        if (seen.why != departure::left || seen.part.kind != part_kind::tool_result ||
            seen.part.status == part_status::error || detail::is_error_text(seen.part.text))
            return;
        seen.call([&](part_view const& call) { see(log, call, seen.message); });
    }
    /// The texts, of at most `room.limit`.
    std::string write(memory const& log, index_room const& room) const {
        auto const& cost_of = room.tokens_of;
        auto const limit = room.limit;
        auto rest = detail::sub_capped(limit.count, cost_of(detail::texts_head));
        std::vector<std::string> texts;
        bool fits = true;
        for (auto one = log.entries.rbegin(); fits && one != log.entries.rend(); ++one) {
            auto text = shown(*one, one->text.size());
            auto size = cost_of(text);
            fits = size <= rest;
            // No older one stands without a newer one, of which the first lines stand where it does not fit.
            for (auto length = one->text.size(); size > rest && length != 0;) {
                auto const end = one->text.rfind('\n', detail::as_size(detail::scale_down(length, rest, size + 1)));
                length = end == one->text.npos || end >= length ? 0 : end;
                text = length == 0 ? std::string{} : shown(*one, length);
                size = cost_of(text);
            }
            rest -= size;
            if (!text.empty()) texts.push_back(std::move(text));
        }
        if (texts.empty()) return {};
        std::string out{detail::texts_head};
        out.push_back('\n');
        for (auto one = texts.rbegin(); one != texts.rend(); ++one) out.append(*one);
        return out;
    }

    /// Notes what a call that succeeded has written.
    void see(memory& log, part_view const& call, std::uint64_t message) const {
        detail::each_edit(call, members, [&](file_edit const& edit) { note(log, edit, message); });
    }

    friend constexpr bool operator==(edited_texts const&, edited_texts const&) = default;

private:
    static constexpr std::string_view size_mark = " [";
    static constexpr std::string_view end_mark = " bytes]";
    static constexpr std::string_view cut_mark = " bytes, the beginning]";

    /// A longer text is not kept, in bytes.
    static constexpr std::size_t text_most = 8'000;

    /// So many bytes of a text behind the name of its file.
    static std::string shown(memory::entry const& one, std::size_t length) {
        bool const is_whole = length == one.text.size();
        auto const whole = std::to_string(one.text.size());
        return detail::joined({one.label, size_mark, is_whole ? whole : std::to_string(length) + " of " + whole,
                               is_whole ? end_mark : cut_mark, "\n", std::string_view{one.text}.substr(0, length),
                               "\n"});
    }
    /// Known texts are what they are by now; one that changed in a way that is not known is forgotten. The lines around
    /// an edit are the newest text, and all of the text that it was made in, where that is much longer.
    static void note(memory& log, file_edit const& edit, std::uint64_t message) {
        for (auto const& one : log.entries)  // what leaves late may be old
            if (one.label == edit.file && one.message > message) return;
        std::string newest{edit.text.value_or("")};
        std::vector<memory::entry> changed;
        log.remove_if([&](memory::entry const& one) {
            if (one.label != edit.file || (edit.old && edit.old->empty())) return false;
            if (!edit.old || edit.old->find(one.text) != edit.old->npos) return true;
            if (one.text.find(*edit.old) == one.text.npos) return false;
            if (edit.text) changed.push_back(one);
            return true;
        });
        for (auto& one : changed) {
            auto const before = one.text;
            auto const at = before.find(*edit.old);
            one.text.replace(at, edit.old->size(), *edit.text);
            // Lines of it that were a text of their own may have changed with it.
            log.remove_if([&](memory::entry const& other) {
                return other.label == one.label && before.find(other.text) != before.npos &&
                       one.text.find(other.text) == one.text.npos;
            });
            auto const around = lines_around(one.text, at, edit.text->size());
            bool const is_much_longer = one.text.size() > 2 * around.size();
            auto const candidate = is_much_longer ? around : std::string_view{one.text};
            if (newest.size() < candidate.size()) newest = candidate;
            one.message = message;
            if (is_much_longer && is_kept(one.text)) log.add(std::move(one));
        }
        if (is_kept(newest)) log.add({std::string{edit.file}, std::move(newest), message});
    }
    static bool is_kept(std::string_view text) {
        return !text.empty() && text.size() <= text_most && !detail::has_head(text);
    }
    /// The lines of `size` bytes of a text, and two before and behind them.
    static std::string_view lines_around(std::string_view text, std::size_t at, std::size_t size) noexcept {
        constexpr int most = 2;
        auto end = at + size;
        bool const begins_line = at == 0 || text[at - 1] == '\n';
        bool const ends_line = end != 0 && text[end - 1] == '\n';
        for (int count = begins_line ? 1 : 0; at != 0 && count <= most; ++count)
            at = at < 2 ? 0 : text.rfind('\n', at - 2) + 1;
        for (int count = ends_line ? 1 : 0; end != text.size() && count <= most; ++count)
            end = (std::min)(text.find('\n', end), text.size() - 1) + 1;
        return text.substr(at, end - at);
    }

    /// Takes the texts from an earlier summary.
    static void read(memory& log, std::string_view text) {
        text = detail::behind_head(text, detail::texts_head);
        while (!text.empty()) {
            auto const line = text.substr(0, text.find('\n'));
            auto const mark = line.rfind(size_mark);
            if (mark == std::string_view::npos || text.size() == line.size()) return;
            auto digits = line.substr(mark + size_mark.size());
            std::uint64_t size = 0;
            if (!digits.ends_with(end_mark) && !digits.ends_with(cut_mark)) return;
            bool const is_whole = digits.ends_with(end_mark);  // of one that was cut the rest is not known
            digits = digits.substr(0, digits.find(' '));
            if (!detail::read_number(digits, size) || size >= text.size() - line.size() - 1) return;
            auto const length = detail::as_size(size);
            if (is_whole)
                log.add({std::string{line.substr(0, mark)}, std::string{text.substr(line.size() + 1, length)}, 0});
            text.remove_prefix((std::min)(line.size() + 2 + length, text.size()));
        }
    }
};

}  // namespace v1
}  // namespace condense
