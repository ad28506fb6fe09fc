// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/detail/netstring.hpp>

// A message type for programs that have none: chat_message::user("Rename the flag.").

namespace condense {
inline namespace v1 {

/// One piece of a chat_message; the members mean what part_view's mean.
struct chat_part {
    part_kind kind = part_kind::text;
    std::string text = {};
    std::string tool = {};  ///< name of the tool
    std::string call = {};  ///< id that joins a call and its result; empty for other parts
    part_status status = part_status::ok;
    bool sealed = false;
    own_cost cost = {};  ///< instead of an estimate, for what has no text
    bool bound = false;
    compaction_place compaction = compaction_place::none;
    std::uint64_t data = 0;  ///< bytes of content that is not in `text`, such as of media
    v1::cost beside = {};    ///< added to the cost of the text, or to `cost`

    friend bool operator==(chat_part const&, chat_part const&) = default;
};

/// A role and parts, with a name, a pin and a mark. Copies cost their texts; an edit copies the message without the
/// text that it replaces.
struct chat_message {
    v1::role role = v1::role::user;
    std::vector<chat_part> parts = {};
    std::string name = {};
    bool pinned = false;
    std::string mark = {};  ///< written by the library; empty on new messages

    /// A message with one text part; without parts if the text is empty.
    static chat_message text(v1::role speaker, std::string text) {
        chat_message result{.role = speaker};
        if (!text.empty()) result.parts.push_back({.text = std::move(text)});
        return result;
    }
    /// Messages of one text, by role.
    static chat_message system(std::string content) { return text(v1::role::system, std::move(content)); }
    static chat_message user(std::string content) { return text(v1::role::user, std::move(content)); }
    static chat_message assistant(std::string content) { return text(v1::role::assistant, std::move(content)); }

    /// An assistant message with one tool call; `and_call` adds parallel ones.
    static chat_message call(std::string id, std::string tool, std::string arguments) {
        return chat_message{.role = v1::role::assistant}.and_call(std::move(id), std::move(tool), std::move(arguments));
    }
    /// Adds a parallel call: chat_message::call(...).and_call(...).
    chat_message and_call(std::string id, std::string tool, std::string arguments) && {
        parts.push_back({.kind = part_kind::tool_call,
                         .text = std::move(arguments),
                         .tool = std::move(tool),
                         .call = std::move(id)});
        return std::move(*this);
    }
    /// The result of a call, as a message of role tool.
    static chat_message result(std::string id, std::string output, part_status status = part_status::ok) {
        chat_message result{.role = v1::role::tool};
        result.parts.push_back(
            {.kind = part_kind::tool_result, .text = std::move(output), .call = std::move(id), .status = status});
        return result;
    }

    friend bool operator==(chat_message const&, chat_message const&) = default;
};

/// chat_message as a message: parts are views into it.
template <>
struct message_traits<chat_message> {
    static role role_of(chat_message const& m) { return m.role; }

    static void each_part(chat_message const& m, auto&& sink) {
        for (auto const& part : m.parts)
            sink(part_view{part.kind, part.text, part.tool, part.call, part.status, part.sealed, part.cost, part.bound,
                           part.compaction, part.data, part.beside});
    }
    /// Media become a text part; all other properties of the part stay.
    static void with_part(chat_message& m, std::size_t index, std::string text) {
        if (index >= m.parts.size()) return;
        auto& part = m.parts[index];
        if (part.kind == part_kind::media) {
            part.kind = part_kind::text;
            part.sealed = false;
            part.data = 0;
        }
        part.text = std::move(text);
        part.cost.reset();
    }
    /// The same in a copy, without copying the text that is replaced.
    static chat_message with_part(chat_message const& m, std::size_t index, std::string text) {
        chat_message copy{.role = m.role, .name = m.name, .pinned = m.pinned, .mark = m.mark};
        copy.parts.reserve(m.parts.size());
        for (std::size_t number = 0; number < m.parts.size(); ++number) {
            auto const& part = m.parts[number];
            if (number != index) copy.parts.push_back(part);
            else
                copy.parts.push_back({part.kind,
                                      {},
                                      part.tool,
                                      part.call,
                                      part.status,
                                      part.sealed,
                                      part.cost,
                                      part.bound,
                                      part.compaction,
                                      part.data,
                                      part.beside});
        }
        with_part(copy, index, std::move(text));
        return copy;
    }
    static void without_part(chat_message& m, std::size_t index) {
        m.parts.erase(m.parts.begin() + static_cast<std::ptrdiff_t>(index));
    }
    static void with_edits(chat_message& m, std::vector<part_edit> const& edits) {
        for (auto const& edit : edits)
            if (!edit.removed) with_part(m, edit.index, std::string{edit.text});
        auto edit = edits.begin();
        std::size_t to = 0;
        for (std::size_t from = 0; from < m.parts.size(); ++from) {
            while (edit != edits.end() && edit->index < from) ++edit;
            if (edit != edits.end() && edit->index == from && edit->removed) continue;
            if (to != from) m.parts[to] = std::move(m.parts[from]);
            ++to;
        }
        m.parts.resize(to);
    }
    /// A message of role tool, with status cancelled.
    static chat_message make_result(chat_message const&, part_view const& call, std::string text) {
        auto message = chat_message::result(std::string{call.call}, std::move(text), part_status::cancelled);
        message.parts[0].tool = call.tool;
        return message;
    }
    /// Fields as `size:bytes,`, the number of parts before the parts: equal messages have equal bytes on every
    /// platform.
    static std::string to_bytes(chat_message const& m) {
        std::string out;
        detail::put_field(out, format);
        detail::put_field(out, v1::name(m.role));
        detail::put_field(out, m.name);
        detail::put_field(out, m.mark);
        detail::put_field(out, m.pinned ? 1u : 0u);
        detail::put_field(out, std::uint64_t{m.parts.size()});
        for (auto const& part : m.parts) {
            detail::put_field(out, static_cast<std::uint64_t>(part.kind));
            detail::put_field(out, part.text);
            detail::put_field(out, part.tool);
            detail::put_field(out, part.call);
            detail::put_field(out, static_cast<std::uint64_t>(part.status));
            bool const has_more = part.data != 0 || part.beside != v1::cost{};
            detail::put_field(out, (part.sealed ? 1u : 0u) + (part.bound ? 2u : 0u) +
                                       4u * static_cast<std::uint64_t>(part.compaction) + (has_more ? 16u : 0u));
            detail::put_field(out, part.cost ? std::to_string((*part.cost).steps) : std::string{});
            if (!has_more) continue;
            detail::put_field(out, part.data);
            detail::put_field(out, part.beside.steps);
        }
        return out;
    }
    /// Reads what to_bytes wrote, and nothing else.
    static std::optional<chat_message> from_bytes(std::string_view serialized) {
        detail::field_reader fields{serialized};
        if (fields.text() != format) return std::nullopt;
        chat_message m;
        auto const speaker = fields.text();
        m.role = role_named(speaker);
        if (v1::name(m.role) != speaker) return std::nullopt;
        m.name = fields.text();
        m.mark = fields.text();
        m.pinned = fields.number(1) != 0;
        for (auto remaining = fields.number(~std::uint64_t{0}); remaining != 0 && !fields.broken(); --remaining) {
            auto& part = m.parts.emplace_back();
            part.kind = static_cast<part_kind>(fields.number(static_cast<std::uint64_t>(part_kind::other)));
            part.text = fields.text();
            part.tool = fields.text();
            part.call = fields.text();
            part.status = static_cast<part_status>(fields.number(static_cast<std::uint64_t>(part_status::pending)));
            auto const flags = fields.number(27);
            if (flags % 16 > 11) return std::nullopt;
            part.sealed = (flags & 1) != 0;
            part.bound = (flags & 2) != 0;
            part.compaction = static_cast<compaction_place>(flags % 16 / 4);
            v1::cost cost;
            auto const digits = fields.text();
            if (detail::read_number(digits, cost.steps)) part.cost = cost;
            else if (!digits.empty()) return std::nullopt;
            if (flags < 16) continue;
            part.data = fields.number(~std::uint64_t{0});
            part.beside.steps = fields.number(~std::uint64_t{0});
            if (part.data == 0 && part.beside == v1::cost{}) return std::nullopt;
        }
        if (fields.broken() || !fields.done()) return std::nullopt;
        return m;
    }
    /// A message of the library itself, such as a summary.
    static chat_message make(role speaker, std::string text) { return chat_message::text(speaker, std::move(text)); }
    static std::string_view name_of(chat_message const& m) { return m.name; }
    static bool pinned(chat_message const& m) { return m.pinned; }
    static std::string_view mark_of(chat_message const& m) { return m.mark; }
    static void set_mark(chat_message& m, std::string_view mark) { m.mark = mark; }

private:
    /// The first field; another version of the format would have another name.
    static constexpr std::string_view format = "chat_message/1";
};

}  // namespace v1
}  // namespace condense
