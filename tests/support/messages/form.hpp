// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "support/notation.hpp"

// What the message types of the tests have in common: each stands for a chat_message and can be read
// back as one, so that one checker judges them all.

namespace forms {

using condense::chat_message;
using condense::chat_part;
using condense::part_kind;
using condense::part_status;
using condense::part_view;
using condense::role;
using notation::conversation;
using notation::numbered;

/// Specialised for each type: `from_chat(chat_message const&) -> Message`, `label(Message const&)`, the
/// name by which a message is found again, and optionally `arrange`, which brings a conversation into
/// the order in which a program with such messages holds it.
template <class Message>
struct form;

/// As the library sees it, with the name that the test knows it by.
template <class Message>
chat_message to_chat(Message const& m) {
    chat_message shown{.role = condense::role_of(m)};
    condense::each_part(m, [&](part_view const& part) {
        shown.parts.push_back({part.kind, std::string{part.text}, std::string{part.tool}, std::string{part.call},
                               part.status, part.sealed, part.cost, part.bound, part.compaction, part.data,
                               part.beside});
    });
    shown.name = std::string{form<Message>::label(m)};
    shown.pinned = condense::is_pinned(m);
    shown.mark = condense::mark_of(m);
    return shown;
}

template <class Message>
Message from_chat(chat_message const& m) {
    return form<Message>::from_chat(m);
}

/// Traits that do with the form as a chat_message what the library does with its own messages: storing,
template <class Message>
struct stored_traits {
    static std::string to_bytes(Message const& m) { return condense::to_bytes(to_chat(m)); }
    static std::optional<Message> from_bytes(std::string_view written) {
        auto const read = condense::from_bytes<chat_message>(written);
        if (!read) return std::nullopt;
        return from_chat<Message>(*read);
    }
};
/// editing and making,
template <class Message>
struct edited_traits : stored_traits<Message> {
    static Message with_part(Message const& m, std::size_t index, std::string text) {
        return from_chat<Message>(condense::with_part(to_chat(m), index, std::move(text)));
    }
    static Message without_part(Message const& m, std::size_t index) {
        return from_chat<Message>(condense::without_part(to_chat(m), index));
    }
    static Message make(role speaker, std::string text) {
        return from_chat<Message>(chat_message::text(speaker, std::move(text)));
    }
};
/// and answering calls.
template <class Message>
struct answered_traits : edited_traits<Message> {
    static Message make_result(Message const& m, part_view const& call, std::string text) {
        return from_chat<Message>(condense::make_result(to_chat(m), call, std::move(text)));
    }
};

// Conversations.

template <class Message>
conversation arranged(conversation all) {
    if constexpr (requires { form<Message>::arrange(all); }) all = form<Message>::arrange(std::move(all));
    return numbered(std::move(all));
}

template <class History>
conversation all_to_chat(History&& history) {
    conversation all;
    for (auto const& m : history) all.push_back(to_chat(m));
    return all;
}
/// What a session would send.
template <class Session>
conversation request_of(Session const& session) {
    return all_to_chat(session.request());
}

/// A history of any container with push_back, from a conversation that is arranged already.
template <class History>
History all_from_chat(conversation const& all) {
    using message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;
    History made;
    for (auto const& m : all) made.push_back(from_chat<message_type>(m));
    return made;
}

/// What is left of a conversation when messages of this type have held it. A second time changes nothing.
template <class Message>
conversation projected(conversation const& all) {
    return all_to_chat(all_from_chat<std::vector<Message>>(arranged<Message>(all)));
}

// For `arrange`.

inline bool asks(chat_message const& m) {
    return std::any_of(m.parts.begin(), m.parts.end(),
                       [](auto const& part) { return part.kind == part_kind::tool_call; });
}

/// Results and what came with them, and no word beside.
inline bool only_results(chat_message const& m) {
    auto const is_result = [](auto const& part) { return part.kind == part_kind::tool_result; };
    return (m.role == role::tool || m.role == role::user) && std::any_of(m.parts.begin(), m.parts.end(), is_result) &&
           std::all_of(m.parts.begin(), m.parts.end(),
                       [&](auto const& part) { return is_result(part) || !part.call.empty(); });
}

}  // namespace forms
