// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <condense/adapt/json.hpp>
#include <condense/adapt/json_text.hpp>
#include <condense/adapt/variant_parts.hpp>
#include <condense/core/message.hpp>
#include <condense/detail/netstring.hpp>

// ai-sdk-cpp's `ai::Message` as a message, with or without its header: include this beside `ai/types/message.h`, then
// `condense::reduce(messages, mix, budget)`.

namespace condense {
inline namespace v1 {

/// Has the members of ai-sdk-cpp's `ai::Message`, and its parts.
template <class Message>
concept ai_sdk_message = requires(Message& m) {
    requires std::is_enum_v<std::remove_reference_t<decltype(m.role)>>;
    { m.roleToString() } -> std::convertible_to<std::string>;
    { std::get<0>(m.content[0]).text } -> std::same_as<std::string&>;
    { std::get<1>(m.content[0]).id } -> std::same_as<std::string&>;
    { std::get<1>(m.content[0]).tool_name } -> std::same_as<std::string&>;
    requires json_type<std::remove_reference_t<decltype(std::get<1>(m.content[0]).arguments)>>;
    { std::get<2>(m.content[0]).tool_call_id } -> std::same_as<std::string&>;
    requires json_type<std::remove_reference_t<decltype(std::get<2>(m.content[0]).result)>>;
    { std::get<2>(m.content[0]).is_error } -> std::same_as<bool&>;
};

/// Each element of `content` is one part, in their order: text, tool call, or tool result, whose error is its status.
/// JSON is shown as its dump, a string in it as the string. An edit of arguments must be JSON; a result takes any text.
/// Results are in messages of role user. There is no field for a mark.
template <ai_sdk_message Message>
struct message_traits<Message> : variant_parts<message_traits<Message>> {
    using part = typename std::remove_cvref_t<decltype(std::declval<Message&>().content)>::value_type;
    using text_part = std::variant_alternative_t<0, part>;
    using call_part = std::variant_alternative_t<1, part>;
    using result_part = std::variant_alternative_t<2, part>;

    static role role_of(Message const& m) { return role_named(m.roleToString()); }
    static auto& parts_of(auto& m) { return m.content; }

    static part_view show(text_part const& shown) { return {.text = shown.text}; }
    static void write(text_part& written, std::string text) { written.text = std::move(text); }

    static detail::json_text_part show(call_part const& shown) {
        return {{.kind = part_kind::tool_call, .tool = shown.tool_name, .call = shown.id}, shown.arguments};
    }
    static void write(call_part& written, std::string text) {
        detail::write_json(written.arguments, std::move(text), false);
    }

    static detail::json_text_part show(result_part const& shown) {
        return {{.kind = part_kind::tool_result,
                 .call = shown.tool_call_id,
                 .status = shown.is_error ? part_status::error : part_status::ok},
                shown.result};
    }
    static void write(result_part& written, std::string text) {
        detail::write_json(written.result, std::move(text), true);
    }

    /// Of role system, assistant, or else user: there are no others.
    static Message make(role speaker, std::string text) {
        if (speaker == role::system) return Message::system(std::move(text));
        if (speaker == role::assistant) return Message::assistant(std::move(text));
        return Message::user(std::move(text));
    }

    /// A message of role user, with a result that is an error.
    static Message make_result(Message const&, part_view const& call, std::string text) {
        auto result = Message::user({});
        result.content.clear();
        result.content.emplace_back(result_part{std::string{call.call}, std::move(text), true});
        return result;
    }

    /// Fields as `size:bytes,`, JSON as messages in JSON are stored.
    static std::string to_bytes(Message const& m) {
        std::string out;
        detail::put_field(out, format);
        detail::put_field(out, std::string_view{m.roleToString()});
        detail::put_field(out, std::uint64_t{m.content.size()});
        for (auto const& stored : m.content) {
            detail::put_field(out, std::uint64_t{stored.index()});
            if (auto const* const text = std::get_if<0>(&stored)) detail::put_field(out, std::string_view{text->text});
            else if (auto const* const call = std::get_if<1>(&stored)) {
                detail::put_field(out, std::string_view{call->id});
                detail::put_field(out, std::string_view{call->tool_name});
                detail::put_field(out, std::string_view{v1::to_bytes(call->arguments)});
            } else if (auto const* const result = std::get_if<2>(&stored)) {
                detail::put_field(out, std::string_view{result->tool_call_id});
                detail::put_field(out, std::string_view{v1::to_bytes(result->result)});
                detail::put_field(out, result->is_error ? 1u : 0u);
            }
        }
        return out;
    }
    /// Reads what to_bytes wrote, and nothing else.
    static std::optional<Message> from_bytes(std::string_view serialized) {
        detail::field_reader fields{serialized};
        if (fields.text() != format) return std::nullopt;
        auto const speaker = fields.text();
        auto m = make(role_named(speaker), {});
        if (m.roleToString() != speaker) return std::nullopt;
        m.content.clear();
        for (auto remaining = fields.number(~std::uint64_t{0}); remaining != 0 && !fields.broken(); --remaining) {
            switch (fields.number(2)) {
                case 0: m.content.emplace_back(text_part{std::string{fields.text()}}); break;
                case 1: {
                    std::string id{fields.text()};
                    std::string tool{fields.text()};
                    auto arguments = v1::from_bytes<decltype(call_part::arguments)>(fields.text());
                    if (!arguments) return std::nullopt;
                    m.content.emplace_back(call_part{std::move(id), std::move(tool), *std::move(arguments)});
                    break;
                }
                default: {
                    std::string id{fields.text()};
                    auto result = v1::from_bytes<decltype(result_part::result)>(fields.text());
                    if (!result) return std::nullopt;
                    bool const is_error = fields.number(1) != 0;
                    m.content.emplace_back(result_part{std::move(id), *std::move(result), is_error});
                }
            }
        }
        if (fields.broken() || !fields.done()) return std::nullopt;
        return m;
    }

private:
    static constexpr std::string_view format = "ai_sdk_message/1";
};

}  // namespace v1
}  // namespace condense
