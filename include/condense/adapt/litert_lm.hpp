// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/adapt/json_text.hpp>
#include <condense/adapt/variant_parts.hpp>
#include <condense/core/message.hpp>
#include <condense/detail/netstring.hpp>

// LiteRT-LM's `litert::lm::Message` as a message, with or without its header: include this beside
// `runtime/conversation/io_types.h`, then `condense::reduce(messages, mix, budget)`.

namespace condense {
inline namespace v1 {

/// Has the members of LiteRT-LM's `Message`, and its parts. Of releases whose `Message` is an `ordered_json`,
/// `<condense/adapt/json.hpp>` reads the messages.
template <class Message>
concept litert_lm_message = std::default_initializable<Message> && requires(Message& m, std::string name) {
    { m.role } -> std::same_as<std::string&>;
    { m.channels[name] } -> std::same_as<std::string&>;
    { m.content_is_string } -> std::same_as<bool&>;
    { m.content_is_object } -> std::same_as<bool&>;
    { std::get<0>(m.parts[0]).text } -> std::same_as<std::string&>;
    { std::get<0>(m.parts[0]).error } -> std::same_as<std::string&>;
    std::get<1>(m.parts[0]).data;
    std::get<2>(m.parts[0]).data;
    requires json_type<std::remove_reference_t<decltype(std::get<3>(m.parts[0]).arguments)>>;
    { std::get<4>(m.parts[0]).response } -> std::same_as<std::string&>;
    requires json_type<std::remove_reference_t<decltype(std::get<5>(m.parts[0]).json_data)>>;
};

/// Parts, in this order:
///
/// - `channels`, by name: reasoning
/// - `TextPart`: text; the first in a message of role tool without other results is the result, its status the `error`
/// - `ImagePart`, `AudioPart`: media, sealed, 1,600 tokens each; their path, or size
/// - `FunctionCallPart`: tool call; its arguments take JSON alone
/// - `FunctionResponsePart`: tool result
/// - `JsonPart` with a `tool_response`, or in a message of role tool: tool result, sealed without `response` or `value`
/// - other `JsonPart`: other, sealed: its dump
///
/// A message of role tool without a result shows an empty one at its end. Media become a `TextPart` when a text takes
/// their place, but not where that would be the result. There is no field for a mark.
template <litert_lm_message Message>
struct message_traits<Message> : variant_parts<message_traits<Message>> {
    using part = typename std::remove_cvref_t<decltype(std::declval<Message&>().parts)>::value_type;
    using text_part = std::variant_alternative_t<0, part>;
    using image_part = std::variant_alternative_t<1, part>;
    using audio_part = std::variant_alternative_t<2, part>;
    using call_part = std::variant_alternative_t<3, part>;
    using response_part = std::variant_alternative_t<4, part>;
    using json_part = std::variant_alternative_t<5, part>;
    using json = decltype(json_part::json_data);
    using parts_alone = variant_parts<message_traits>;

    static role role_of(Message const& m) { return role_named(m.role); }
    static auto& parts_of(auto& m) { return m.parts; }

    static void each_part(Message const& m, auto&& sink) {
        for (auto const& name : channel_names(m))
            sink(part_view{.kind = part_kind::reasoning, .text = m.channels.find(name)->second});
        bool const is_tool = role_of(m) == role::tool;
        bool by_text = answers_by_text(m);  // until the text was shown
        for (auto const& content : m.parts)
            std::visit(
                [&]<class Part>(Part const& shown) {
                    show(shown, std::same_as<Part, text_part> ? by_text : is_tool, sink);
                    if (std::same_as<Part, text_part>) by_text = false;
                },
                content);
        if (lacks_result(m)) sink(part_view{.kind = part_kind::tool_result});
    }

    static void with_part(Message& m, std::size_t index, std::string text) {
        auto const names = channel_names(m);
        if (index < names.size()) m.channels[names[index]] = std::move(text);
        else if (index - names.size() == m.parts.size() && lacks_result(m))
            m.parts.emplace_back(as_text_part(std::move(text)));
        else if (takes_text(m, index - names.size())) parts_alone::with_part(m, index - names.size(), std::move(text));
    }

    static void without_part(Message& m, std::size_t index) {
        auto const names = channel_names(m);
        if (index < names.size()) m.channels.erase(names[index]);
        else parts_alone::without_part(m, index - names.size());
    }

    static void with_edits(Message& m, std::vector<part_edit> const& edits) {
        auto const names = channel_names(m);
        std::vector<part_edit> of_parts;
        for (auto edit : edits) {
            edit.index -= names.size();
            if (edit.index < m.parts.size() && (edit.removed || takes_text(m, edit.index))) of_parts.push_back(edit);
        }
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
            if (edit->index < names.size() || edit->index - names.size() == m.parts.size()) {
                if (edit->removed) without_part(m, edit->index);
                else with_part(m, edit->index, std::string{edit->text});
            }
        parts_alone::with_edits(m, of_parts);
    }

    static void write(text_part& written, std::string text) { written.text = std::move(text); }
    static text_part write(image_part const&, std::string text) { return as_text_part(std::move(text)); }
    static text_part write(audio_part const&, std::string text) { return as_text_part(std::move(text)); }
    static void write(call_part& written, std::string text) {
        detail::write_json(written.arguments, std::move(text), false);
    }
    static void write(response_part& written, std::string text) { written.response = std::move(text); }
    static void write(json_part& written, std::string text) {
        if (auto* const value = response_of(written.json_data).value) detail::write_json(*value, std::move(text), true);
    }

    /// With its content as a string.
    static Message make(role speaker, std::string text) {
        Message result{};
        result.role = v1::name(speaker);
        result.parts.emplace_back(as_text_part(std::move(text)));
        result.content_is_string = true;
        return result;
    }

    /// A message of role tool, with a `FunctionResponsePart`.
    static Message make_result(Message const&, part_view const& call, std::string text) {
        Message result{};
        result.role = v1::name(role::tool);
        response_part answer{};
        answer.name = call.tool;
        answer.response = std::move(text);
        answer.id = call.call;
        result.parts.emplace_back(std::move(answer));
        return result;
    }

    /// Fields as `size:bytes,`, JSON as messages in JSON are stored, sound and images whole.
    static std::string to_bytes(Message const& m) {
        std::string out;
        put(out, format, m.role, m.content_is_string, m.content_is_object);
        auto const names = channel_names(m);
        put(out, names.size());
        for (auto const& name : names) put(out, name, m.channels.find(name)->second);
        put(out, m.parts.size());
        for (auto const& content : m.parts) {
            put(out, content.index());
            std::visit([&out](auto const& stored) { put_part(out, stored); }, content);
        }
        return out;
    }
    /// Reads what to_bytes wrote, and nothing else.
    static std::optional<Message> from_bytes(std::string_view serialized) {
        constexpr auto any = ~std::uint64_t{0};
        detail::field_reader fields{serialized};
        if (fields.text() != format) return std::nullopt;
        Message m{};
        m.role = fields.text();
        m.content_is_string = fields.number(1) != 0;
        m.content_is_object = fields.number(1) != 0;
        for (auto remaining = fields.number(any); remaining != 0 && !fields.broken(); --remaining) {
            std::string const name{fields.text()};
            m.channels[name] = fields.text();
        }
        for (auto remaining = fields.number(any); remaining != 0 && !fields.broken(); --remaining) {
            auto& content = m.parts.emplace_back();
            if (!hold(content, fields.number(any))) return std::nullopt;
            if (!std::visit([&fields](auto& read) { return read_part(fields, read); }, content)) return std::nullopt;
        }
        if (fields.broken() || !fields.done()) return std::nullopt;
        return m;
    }

private:
    static constexpr std::string_view format = "litert_lm_message/1";
    static constexpr cost media_cost = cost::of(tokens{1'600});

    /// In an order that is the same in each process, as that of a hash map is not.
    static std::vector<std::string> channel_names(Message const& m) {
        std::vector<std::string> names;
        for (auto const& [name, text] : m.channels) names.push_back(name);
        std::sort(names.begin(), names.end());
        return names;
    }

    template <class... Parts>
    static constexpr auto is_one_of =
        [](part const& content) { return (std::holds_alternative<Parts>(content) || ...); };

    /// True if no part of a message of role tool but its text can be the result.
    static bool answers_by_text(Message const& m) {
        return role_of(m) == role::tool &&
               std::none_of(m.parts.begin(), m.parts.end(), is_one_of<response_part, json_part>);
    }

    /// An answered call must not look unanswered: an empty result is shown.
    static bool lacks_result(Message const& m) {
        return answers_by_text(m) && std::none_of(m.parts.begin(), m.parts.end(), is_one_of<text_part>);
    }

    /// False for media whose note would be the result, or be taken for one.
    static bool takes_text(Message const& m, std::size_t index) {
        return index < m.parts.size() && !(answers_by_text(m) && is_one_of<image_part, audio_part>(m.parts[index]));
    }

    static text_part as_text_part(std::string text) {
        text_part result{};
        result.text = std::move(text);
        return result;
    }

    // How each alternative is shown.

    static void show(text_part const& shown, bool is_result, auto&& sink) {
        if (!is_result) return sink(part_view{.text = shown.text});
        sink(part_view{.kind = part_kind::tool_result,
                       .text = shown.text,
                       .status = shown.error.empty() ? part_status::ok : part_status::error});
    }
    static void show(image_part const& shown, bool, auto&& sink) { show_media("image", shown.data, sink); }
    static void show(audio_part const& shown, bool, auto&& sink) { show_media("audio", shown.data, sink); }
    static void show(call_part const& shown, bool, auto&& sink) {
        sink(detail::json_text_part{{.kind = part_kind::tool_call, .tool = shown.name, .call = shown.id},
                                    shown.arguments});
    }
    static void show(response_part const& shown, bool, auto&& sink) {
        sink(part_view{.kind = part_kind::tool_result, .text = shown.response, .tool = shown.name, .call = shown.id});
    }
    static void show(json_part const& shown, bool is_tool, auto&& sink) {
        auto const response = response_of(shown.json_data);
        bool const is_result = is_tool || response.is_wrapped || response.value != nullptr;
        sink(detail::json_text_part{{.kind = is_result ? part_kind::tool_result : part_kind::other,
                                     .tool = response.tool,
                                     .call = response.id,
                                     .sealed = response.value == nullptr},
                                    response.value == nullptr ? shown.json_data : *response.value});
    }

    template <class Data>
    static void show_media(std::string_view type, Data const& data, auto& sink) {
        std::string text{type};
        std::visit(
            [&text](auto const& content) {
                if constexpr (requires { content.path; }) text = content.path;
                else if constexpr (requires { content.bytes; })
                    text += ", " + std::to_string(content.bytes.size()) + " bytes";
                else text += ", " + std::to_string(content.frames.size()) + " samples";
            },
            data);
        sink(part_view{.kind = part_kind::media, .text = text, .sealed = true, .cost = media_cost});
    }

    /// What a JsonPart says of a tool's answer, as the data processors read it.
    template <class Json>
    struct response_view {
        Json* value = nullptr;  ///< null if it has no member that is the answer alone
        std::string_view tool = {};
        std::string_view id = {};
        bool is_wrapped = false;
    };

    template <class Json>
    static response_view<Json> response_of(Json& data) {
        response_view<Json> response;
        auto* object = member(data, "tool_response");
        response.is_wrapped = object != nullptr && object->is_object();
        if (!response.is_wrapped) object = &data;
        auto const text = [object](char const* key) {
            auto* const value = member(*object, key);
            auto const* const string = value == nullptr ? nullptr : value->template get_ptr<std::string const*>();
            return string == nullptr ? std::string_view{} : std::string_view{*string};
        };
        response.tool = text("name");
        if (response.tool.empty()) response.tool = text("tool_name");
        response.id = text("id");
        if (response.is_wrapped || !response.tool.empty())
            for (auto const* const key : {"value", "response"})
                if (auto* const value = member(*object, key)) response.value = value;
        return response;
    }

    /// Null if the value is no object, or has no such member.
    template <class Json>
    static Json* member(Json& value, char const* key) {
        if (!value.is_object()) return nullptr;
        auto const at = value.find(key);
        return at == value.end() ? nullptr : &*at;
    }

    // How each alternative is stored.

    template <class... Fields>
    static void put(std::string& out, Fields const&... fields) {
        (put_one(out, fields), ...);
    }
    template <class Field>
    static void put_one(std::string& out, Field const& field) {
        if constexpr (json_type<Field>) detail::put_field(out, std::string_view{v1::to_bytes(field)});
        else if constexpr (std::integral<Field>) detail::put_field(out, std::uint64_t{field});
        else detail::put_field(out, std::string_view{field});
    }

    static void put_part(std::string& out, text_part const& stored) {
        put(out, stored.text, stored.error, stored.extra_fields);
    }
    static void put_part(std::string& out, call_part const& stored) {
        put(out, stored.name, stored.arguments, stored.id);
    }
    static void put_part(std::string& out, response_part const& stored) {
        put(out, stored.name, stored.response, stored.id);
    }
    static void put_part(std::string& out, json_part const& stored) { put(out, stored.json_data); }
    /// Of media.
    static void put_part(std::string& out, auto const& stored) {
        put(out, stored.data.index());
        std::visit(
            [&out](auto const& content) {
                if constexpr (requires { content.path; }) put(out, content.path);
                else if constexpr (requires { content.bytes; })
                    put(out, std::string{content.bytes.begin(), content.bytes.end()}, content.mime_type);
                else {
                    put(out, content.frames.size());
                    for (float const frame : content.frames) put(out, std::bit_cast<std::uint32_t>(frame));
                }
            },
            stored.data);
    }

    static bool read_one(detail::field_reader& fields, std::string& field) {
        field = fields.text();
        return !fields.broken();
    }
    static bool read_one(detail::field_reader& fields, json& field) {
        auto value = v1::from_bytes<json>(fields.text());
        if (value) field = *std::move(value);
        return value.has_value();
    }
    static bool read_part(detail::field_reader& fields, text_part& read) {
        return read_one(fields, read.text) && read_one(fields, read.error) && read_one(fields, read.extra_fields);
    }
    static bool read_part(detail::field_reader& fields, call_part& read) {
        return read_one(fields, read.name) && read_one(fields, read.arguments) && read_one(fields, read.id);
    }
    static bool read_part(detail::field_reader& fields, response_part& read) {
        return read_one(fields, read.name) && read_one(fields, read.response) && read_one(fields, read.id);
    }
    static bool read_part(detail::field_reader& fields, json_part& read) { return read_one(fields, read.json_data); }
    /// Of media.
    static bool read_part(detail::field_reader& fields, auto& read) {
        constexpr auto any = ~std::uint64_t{0};
        return hold(read.data, fields.number(any)) &&
               std::visit(
                   [&fields](auto& content) {
                       if constexpr (requires { content.path; }) return read_one(fields, content.path);
                       else if constexpr (requires { content.bytes; }) {
                           auto const data = fields.text();
                           content.bytes.assign(data.begin(), data.end());
                           return read_one(fields, content.mime_type);
                       } else {
                           for (auto left = fields.number(any); left != 0 && !fields.broken(); --left)
                               content.frames.push_back(
                                   std::bit_cast<float>(static_cast<std::uint32_t>(fields.number(0xFFFFFFFFu))));
                           return !fields.broken();
                       }
                   },
                   read.data);
    }

    /// Makes the variant hold its alternative `index`; false if there is none.
    template <class... Alternatives>
    static bool hold(std::variant<Alternatives...>& content, std::uint64_t index) {
        return [&]<std::size_t... Indices>(std::index_sequence<Indices...>) {
            return ((index == Indices && (content.template emplace<Indices>(), true)) || ...);
        }(std::index_sequence_for<Alternatives...>{});
    }
};

}  // namespace v1
}  // namespace condense
