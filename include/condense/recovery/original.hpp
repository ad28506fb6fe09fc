// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/edit.hpp>
#include <condense/core/message.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/date_text.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/recovery/text_of.hpp>

// The conversation as it was, whatever was taken out of it: restore_original(session, f), or from the journal alone,
// also after a restart; and a journal as Markdown, for people.

namespace condense {
inline namespace v1 {

/// Calls f(journal_entry const&, std::string_view content) for each message of a conversation that the journal holds,
/// in order, each once. Notes of what runs derived are left out.
template <journal Journal>
store_error each_original(Journal const& from, std::string_view conversation, detail::entry_sink f) {
    journal_entry last{.number = ~std::uint64_t{0}};
    return from.read(conversation, [&](journal_entry const& entry, std::string_view content) {
        if (entry.is_derived || std::exchange(last, entry) == entry)
            return;  // a failed append may have been written, too
        f(entry, content);
    });
}

/// Calls f(Message const&) for each message of the session's conversation as it was pushed, in order: from memory, and
/// those that were released from the journal of `record`. Costs a reading of the journal if some were. Errors: those of
/// the journal, a message that it does not hold, or holds in another form; `f` has then been called for those before.
/// `f` may not change the session. Only one session at a time may use a conversation's id.
template <class Session, class Function>
store_error restore_original(Session& session, Function&& f) {
    using message_type = typename Session::message_type;
    // A program that owns the messages may have changed them.
    if constexpr (requires { session.sync(sequence{}); }) session.sync(sequence{~std::uint64_t{0}});
    auto const size = session.outline().size();
    auto place = session.history().begin();
    std::size_t next = 0;
    auto const pass_present = [&] {
        for (; next < size && !session.outline().message_at(static_cast<std::uint32_t>(next)).released; ++next, ++place)
            f(static_cast<message_type const&>(*place));
    };
    pass_present();
    store_error problem;
    if (next == size) return problem;
    if constexpr (storable<message_type>)
        session.with_journal([&](auto const& journal, std::string_view conversation, auto const& numbers) {
            auto const read =
                each_original(journal, conversation, [&](journal_entry const& entry, std::string_view content) {
                    if (problem || next >= size || next >= numbers.size() || entry.number != numbers[next]) return;
                    std::optional<message_type> const m = v1::from_bytes<message_type>(content);
                    if (!m) return static_cast<void>(problem = {"the journal holds what is no message of this type"});
                    f(*m);
                    ++next;
                    pass_present();
                });
            if (!problem) problem = read;
        });
    if (!problem && next != size) problem = {"the journal does not hold message " + std::to_string(next)};
    return problem;
}

/// Puts the original of an artifact back in the place of its preview, also where that has been dropped or summarised:
/// see `session.restore`. Also `gone` if no preview of this session names the artifact.
template <class Session>
refusal expand(Session& session, reference const& name) {
    auto const& facts = session.outline();
    auto const& edits = session.edits();
    std::optional<sequence> sent;  // the first message that holds its preview
    std::optional<sequence> left;  // one that is not sent any more
    facts.parts().each([&](std::uint32_t part) {
        auto const* const edit = name && !sent ? edits.edit_of(part) : nullptr;
        if (edit == nullptr || edit->text == detail::none32 || edits.text_at(edit->text).stored != name) return;
        sequence const message{facts.part_at(part).message_index};
        auto& found = edits.present(group{facts.group_of(message.number)}) ? sent : left;
        if (!found) found = message;
    });
    if (sent) return session.restore(*sent);
    return left ? session.restore(*left) : refusal::gone;
}

/// Appends a conversation of a journal as Markdown: a heading for each message, its text cut to `most` characters.
/// Text: as for recovery_tools. Nothing in a message can end its block.
template <journal Journal, class Text = plain_text>
store_error append_markdown(std::string& out, Journal const& from, std::string_view conversation, Text const& text = {},
                            std::uint64_t most = 2'000) {
    return each_original(from, conversation, [&](journal_entry const& entry, std::string_view content) {
        out.append("## Message ").append(std::to_string(entry.number));
        if (entry.time != 0) detail::append_date(out.append(", "), entry.time);
        auto const original = detail::utf8::scrubbed(text(content));
        auto const shown = std::string_view{original}.substr(0, detail::utf8::prefix(original, most));
        std::size_t longest = 2;  // backticks in a row
        std::size_t row = 0;
        for (char const byte : shown) {
            row = byte == '`' ? row + 1 : 0;
            longest = row > longest ? row : longest;
        }
        std::string const fence(longest + 1, '`');
        out.append("\n\n").append(fence).append("text\n").append(shown);
        if (!shown.ends_with('\n')) out.push_back('\n');
        out.append(fence).append("\n");
        auto const total = detail::utf8::count(original);
        if (shown.size() != original.size())
            out.append("\n").append(detail::grouped(total - most)).append(" more characters.\n");
        out.push_back('\n');
    });
}

}  // namespace v1
}  // namespace condense
