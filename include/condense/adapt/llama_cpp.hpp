// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/message.hpp>
#include <condense/detail/netstring.hpp>

// llama.cpp's `common_chat_msg` as a message, with or without its header: include this beside `chat.h`, then
// `condense::reduce(inputs.messages, mix, budget)`.

namespace condense {
inline namespace v1 {

/// Has the members of llama.cpp's `common_chat_msg`.
template <class Message>
concept llama_cpp_message = requires(Message& m) {
    { m.role } -> std::same_as<std::string&>;
    { m.content } -> std::same_as<std::string&>;
    { m.content_parts[0].type } -> std::same_as<std::string&>;
    { m.content_parts[0].text } -> std::same_as<std::string&>;
    { m.tool_calls[0].name } -> std::same_as<std::string&>;
    { m.tool_calls[0].arguments } -> std::same_as<std::string&>;
    { m.tool_calls[0].id } -> std::same_as<std::string&>;
    { m.reasoning_content } -> std::same_as<std::string&>;
    { m.tool_name } -> std::same_as<std::string&>;
    { m.tool_call_id } -> std::same_as<std::string&>;
};

/// Parts, in this order; an empty string is none:
///
/// | where | part |
/// |---|---|
/// | `reasoning_content` | reasoning |
/// | `content`, and `content_parts` of type `text` | text; in a message of role tool, results of `tool_call_id` |
/// | `content_parts` of type `media_marker` | media, sealed, 1,600 tokens each |
/// | other `content_parts` | other, sealed |
/// | `tool_calls` | tool call |
///
/// In a message of role tool, without a `tool_call_id` the first text alone is the result; without a text an empty
/// result stands after the other content. A text in place of media has type `text`; their data, which is no part of
/// the message, is then to be left out by the program. Media of role tool take a text only beside a result with an id.
/// There is no field for a mark, nor for the status of a result.
template <llama_cpp_message Message>
struct message_traits<Message> {
    static role role_of(Message const& m) { return role_named(m.role); }

    static void each_part(Message const& m, auto&& sink) {
        layout const places{m};
        bool answered = false;  // by a text before
        for (std::size_t index = 0; index < places.size(); ++index) {
            auto const place = places.at(index);
            sink(show(m, place, answered));
            answered = answered || place.where == field::content || is_text_part(m, place);
        }
    }

    static void with_part(Message& m, std::size_t index, std::string text) {
        auto const place = layout{m}.at(index);
        switch (place.where) {
            case field::reasoning: m.reasoning_content = std::move(text); break;
            case field::content: m.content = std::move(text); break;
            case field::content_part: {
                auto& part = m.content_parts[place.index];
                if (part.type == media_type && !answers_unnamed(m) && !lacks_result(m)) part.type = text_type;
                if (part.type == text_type) part.text = std::move(text);
                break;
            }
            case field::empty_result: {
                if (m.content_parts.empty()) m.content = std::move(text);
                else {  // content beside content_parts is refused
                    auto& part = m.content_parts.emplace_back();
                    part.type = text_type;
                    part.text = std::move(text);
                }
                break;
            }
            case field::call: m.tool_calls[place.index].arguments = std::move(text); break;
            case field::none: break;
        }
    }

    /// Removes the element, or empties the string. The empty result stays.
    static void without_part(Message& m, std::size_t index) {
        auto const place = layout{m}.at(index);
        auto const erase_from = [&place](auto& list) {
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(place.index));
        };
        switch (place.where) {
            case field::reasoning: m.reasoning_content.clear(); break;
            case field::content: m.content.clear(); break;
            case field::content_part: erase_from(m.content_parts); break;
            case field::call: erase_from(m.tool_calls); break;
            case field::empty_result:
            case field::none: break;
        }
    }

    static Message make(role speaker, std::string text) {
        Message result{};
        result.role = v1::name(speaker);
        result.content = std::move(text);
        return result;
    }

    /// A message of role tool.
    static Message make_result(Message const&, part_view const& call, std::string text) {
        auto result = make(role::tool, std::move(text));
        result.tool_name = call.tool;
        result.tool_call_id = call.call;
        return result;
    }

    /// Who speaks; in a message of role tool `tool_name` is the tool's.
    static std::string_view name_of(Message const& m) {
        return role_of(m) == role::tool ? std::string_view{} : std::string_view{m.tool_name};
    }

    /// Fields as `size:bytes,`, so that any bytes come back.
    static std::string to_bytes(Message const& m) {
        std::string out;
        for (auto const* const text : {&m.role, &m.content, &m.reasoning_content, &m.tool_name, &m.tool_call_id}) {
            if (out.empty()) detail::put_field(out, format);
            detail::put_field(out, std::string_view{*text});
        }
        detail::put_field(out, std::uint64_t{m.content_parts.size()});
        for (auto const& part : m.content_parts)
            for (auto const* const text : {&part.type, &part.text}) detail::put_field(out, std::string_view{*text});
        detail::put_field(out, std::uint64_t{m.tool_calls.size()});
        for (auto const& call : m.tool_calls)
            for (auto const* const text : {&call.name, &call.arguments, &call.id})
                detail::put_field(out, std::string_view{*text});
        return out;
    }
    /// Reads what to_bytes wrote, and nothing else.
    static std::optional<Message> from_bytes(std::string_view serialized) {
        constexpr auto any = ~std::uint64_t{0};
        detail::field_reader fields{serialized};
        if (fields.text() != format) return std::nullopt;
        Message m{};
        for (auto* const text : {&m.role, &m.content, &m.reasoning_content, &m.tool_name, &m.tool_call_id})
            *text = fields.text();
        for (auto remaining = fields.number(any); remaining != 0 && !fields.broken(); --remaining) {
            auto& part = m.content_parts.emplace_back();
            for (auto* const text : {&part.type, &part.text}) *text = fields.text();
        }
        for (auto remaining = fields.number(any); remaining != 0 && !fields.broken(); --remaining) {
            auto& call = m.tool_calls.emplace_back();
            for (auto* const text : {&call.name, &call.arguments, &call.id}) *text = fields.text();
        }
        if (fields.broken() || !fields.done()) return std::nullopt;
        return m;
    }

private:
    static constexpr std::string_view format = "common_chat_msg/1";
    static constexpr std::string_view text_type = "text";
    static constexpr std::string_view media_type = "media_marker";
    static constexpr cost media_cost = cost::of(tokens{1'600});

    static constexpr auto is_text = [](auto const& part) { return part.type == text_type; };

    enum class field : std::uint8_t { reasoning, content, content_part, empty_result, call, none };
    struct place {
        field where = field::none;
        std::size_t index = 0;  ///< in its list
    };

    /// Where the parts are: how many of each field, in the order of the fields.
    class layout {
    public:
        explicit layout(Message const& m)
            : reasoning_{m.reasoning_content.empty() ? 0u : 1u}, content_{m.content.empty() ? 0u : 1u},
              parts_{m.content_parts.size()}, empty_result_{lacks_result(m) ? 1u : 0u}, calls_{m.tool_calls.size()} {}

        std::size_t size() const { return reasoning_ + content_ + parts_ + empty_result_ + calls_; }

        place at(std::size_t index) const {
            if (index < reasoning_) return {field::reasoning};
            index -= reasoning_;
            if (index < content_) return {field::content};
            index -= content_;
            if (index < parts_) return {field::content_part, index};
            index -= parts_;
            if (index < empty_result_) return {field::empty_result};
            index -= empty_result_;
            return index < calls_ ? place{field::call, index} : place{};
        }

    private:
        std::size_t reasoning_;
        std::size_t content_;
        std::size_t parts_;
        std::size_t empty_result_;
        std::size_t calls_;
    };

    /// An answered call must not look unanswered: an empty result is shown.
    static bool lacks_result(Message const& m) {
        return role_of(m) == role::tool && m.content.empty() &&
               std::none_of(m.content_parts.begin(), m.content_parts.end(), is_text);
    }

    /// A result without an id: another one in its message would be taken for that of the next call.
    static bool answers_unnamed(Message const& m) { return m.tool_call_id.empty() && role_of(m) == role::tool; }

    static bool is_text_part(Message const& m, place const& shown) {
        return shown.where == field::content_part && is_text(m.content_parts[shown.index]);
    }

    static part_view show(Message const& m, place const& shown, bool answered) {
        part_view part;
        if (role_of(m) == role::tool)
            part = {.kind = part_kind::tool_result, .tool = m.tool_name, .call = m.tool_call_id};
        switch (shown.where) {
            case field::reasoning: return {.kind = part_kind::reasoning, .text = m.reasoning_content};
            case field::content: part.text = m.content; break;
            case field::content_part: {
                auto const& content = m.content_parts[shown.index];
                part.text = content.text;
                if (content.type == text_type) {
                    if (answers_unnamed(m) && answered) part.kind = part_kind::text;
                    break;
                }
                part.sealed = true;
                part.kind = content.type == media_type ? part_kind::media : part_kind::other;
                if (content.type == media_type) part.cost = media_cost;
                break;
            }
            case field::call: {
                auto const& call = m.tool_calls[shown.index];
                return {.kind = part_kind::tool_call, .text = call.arguments, .tool = call.name, .call = call.id};
            }
            case field::empty_result:
            case field::none: break;
        }
        return part;
    }
};

}  // namespace v1
}  // namespace condense
