// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_edits.hpp>
#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/json_shape.hpp>
#include <condense/adapt/json_understood.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/message.hpp>
#include <condense/core/reduce.hpp>

// nlohmann::json and ordered_json as messages, in OpenAI chat or Anthropic messages shape:
// `condense::reduce(*condense::messages_of(document), mix, budget)`.

namespace condense {
inline namespace v1 {

namespace detail {

/// The member that holds the library's mark.
inline constexpr char const* mark_member = "condense";

template <json_type Json>
inline constexpr bool is_document<Json> = true;

/// Does nothing to a value that is no object.
template <json_type Json>
void erase_mark(Json& message) {
    if (message.is_object()) message.erase(mark_member);
}

}  // namespace detail

/// Messages are read one by one, so a conversation may mix the shapes. A field of an unexpected type counts as missing,
/// an unknown block among known ones is `other`. Reading a message of an unknown shape throws unknown_shape, because
/// its calls and results would be lost; see shape_error_of. Parts, in this order:
///
/// | where | part |
/// |---|---|
/// | `content` string, or block `text` or plain string | text; in a message of role tool, a result |
/// | `thinking`, `redacted_thinking`; `reasoning_content` | reasoning, sealed where signed or redacted |
/// | `tool_use`, `server_tool_use`, `mcp_tool_use`; `tool_calls`, `function_call` | tool call |
/// | `tool_result` and its inner text blocks; `..._tool_result`, sealed | tool result |
/// | images, audio, video, files, also inside results | media, sealed, 1,600 tokens each; their type, size or link |
/// | `document` of plain text | text |
/// | `refusal` string | text |
/// | anything else in `content` or `tool_calls` | other, sealed: its dump |
///
/// Strings are shown without copying; an object (`input`) is shown as its dump, so an edit of it must be JSON. Edits
/// leave everything else in the message unchanged, unknown fields included.
template <json_type Json>
struct message_traits<Json> {
    static role role_of(Json const& m) { return role_named(detail::text_member(m, "role")); }

    static void each_part(Json const& m, auto&& sink) {
        if (auto wrong = shape_error_of(m)) detail::reject_shape(std::move(wrong));
        detail::each_piece(m, [&sink](detail::json_piece<Json const> const& piece) {
            bool const media = piece.part.kind == part_kind::media;
            if (!piece.is_dump && !media) return static_cast<void>(sink(piece.part));
            auto const* const value = media ? piece.removable.find() : piece.text.find();
            auto const text = value == nullptr ? std::string{}
                              : media          ? detail::media_text(*value)
                                               : detail::dump_of(*value);
            auto part = piece.part;
            part.text = text;
            sink(std::as_const(part));
        });
    }

    /// Changes nothing if the part is sealed, or if it holds JSON and `text` does not parse. Media are replaced by a
    /// block of text, if no other part would change; see detail::json_editor.
    static void with_part(Json& m, std::size_t index, std::string text) {
        detail::json_editor<Json>{m}.write(index, std::move(text));
    }

    /// Removes the block or the member; `content` itself becomes "", an empty array stays. Changes nothing if no known
    /// part would be left.
    static void without_part(Json& m, std::size_t index) {
        detail::json_piece<Json> removed;
        bool others = false;  // a part that is known whatever else the message has
        std::size_t position = 0;
        detail::each_piece(m, [&](detail::json_piece<Json> const& piece) {
            if (position++ == index) removed = piece;
            else others = others || (piece.part.kind != part_kind::other && piece.removable.parent != &m);
        });
        if (others) return removed.removable.erase();
        auto copy = m;
        detail::piece_at(copy, index).removable.erase();
        if (!shape_error_of(copy)) m = std::move(copy);
    }

    static void with_edits(Json& m, std::vector<part_edit> const& edits) {
        detail::json_editor<Json> editor{m};
        for (auto const& edit : edits)
            if (!edit.removed) editor.write(edit.index, std::string{edit.text});
        if (detail::json_editor<Json>{m}.remove(edits)) return;
        std::vector<bool> is_result;
        detail::each_piece(m, [&](detail::json_piece<Json> const& piece) {
            is_result.push_back(piece.part.kind == part_kind::tool_result);
        });
        std::vector<std::size_t> last;  // without the removed parts before, which are no is_result
        std::size_t others = 0;
        for (auto const& edit : edits) {
            if (!edit.removed || edit.index >= is_result.size()) continue;
            if (is_result[edit.index]) last.push_back(edit.index - others);
            else ++others;
        }
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
            if (edit->removed && edit->index < is_result.size() && !is_result[edit->index])
                without_part(m, edit->index);
        for (auto index = last.rbegin(); index != last.rend(); ++index) without_part(m, *index);
    }

    /// A message with string content, which both shapes have.
    static Json make(role speaker, std::string text) {
        auto result = Json::object();
        result["role"] = std::string{v1::name(speaker)};
        result["content"] = std::move(text);
        return result;
    }

    /// A message with a `tool_result` block if the call is a block `tool_use` of `content`, else one of role tool, or
    /// function. A call that the provider runs itself takes no result of ours: null.
    /// Blocks are searched from the one with the call's `index` backward, as few have more parts than one.
    static Json make_result(Json const& m, part_view const& call, std::string text, std::size_t index = 0) {
        auto result = Json::object();
        auto const* const content = detail::member_of(m, "content");
        bool in_content = false;
        auto const count = content != nullptr && content->is_array() ? content->size() : 0;
        auto const first = index < count ? index : count - 1;
        for (std::size_t step = 0; step < count; ++step) {
            auto const& block = (*content)[step <= first ? first - step : step];
            auto const type = detail::text_member(block, "type");
            if (!type.ends_with("tool_use") || detail::text_member(block, "id") != call.call) continue;
            if (type != "tool_use") return result;
            in_content = true;
            break;
        }
        if (!in_content) {
            bool const legacy = call.call.empty() && detail::member_of(m, "function_call") != nullptr;
            result["role"] = legacy ? "function" : "tool";
            if (legacy) result["name"] = std::string{call.tool};
            else result["tool_call_id"] = std::string{call.call};
            result["content"] = std::move(text);
            return result;
        }
        auto block = Json::object();
        block["type"] = "tool_result";
        block["tool_use_id"] = std::string{call.call};
        block["is_error"] = true;
        block["content"] = std::move(text);
        result["role"] = "user";
        result["content"] = Json::array();
        result["content"].push_back(std::move(block));
        return result;
    }

    /// JSON on one line; where that would lose something (ill-formed UTF-8), self-described CBOR.
    static std::string to_bytes(Json const& m) {
        std::string text;
        if (detail::append_text(text, m)) return text;
        std::string binary{"\xD9\xD9\xF7"};
        Json::to_cbor(m, binary);
        return binary;
    }
    /// Reads what to_bytes wrote, of any origin: nesting above 128 is refused.
    static std::optional<Json> from_bytes(std::string_view serialized) {
        bool const binary = serialized.substr(0, 3) == "\xD9\xD9\xF7";
        auto parsed = binary ? detail::parse_cbor<Json>(serialized.substr(3)) : parse_json<Json>(serialized);
        if (!parsed) return std::nullopt;
        return std::move(parsed.value);
    }

    /// Who speaks; in a message of role tool `name` is the tool's.
    static std::string_view name_of(Json const& m) {
        return role_of(m) == role::tool ? std::string_view{} : detail::text_member(m, "name");
    }

    /// The mark is the string member "condense". Providers refuse unknown members: see without_marks.
    static std::string_view mark_of(Json const& m) { return detail::text_member(m, detail::mark_member); }
    static void set_mark(Json& m, std::string_view mark) {
        if (mark.empty()) detail::erase_mark(m);
        else if (m.is_object()) m[detail::mark_member] = std::string{mark};
    }
};

/// Erases the library's marks from one message or many. Call it on a copy that is sent, because providers refuse
/// unknown members, and not on the history: by the marks a later run recognises its earlier edits.
template <json_type Json>
void without_marks(Json& sent) {
    detail::erase_mark(sent);
    if (sent.is_array())
        for (auto& m : sent) detail::erase_mark(m);
}
template <std::ranges::input_range Messages>
    requires(json_type<std::ranges::range_value_t<Messages>> && !json_type<Messages>)
void without_marks(Messages& sent) {
    for (auto& m : sent) detail::erase_mark(m);
}

/// The messages of a document, or why they cannot be read. Tested and dereferenced like a pointer; with an error
/// dereferencing throws unknown_shape. Refers to the document.
template <json_type Json>
struct json_messages {
    using array = typename Json::array_t;

    array* list = nullptr;  ///< null if the document has no messages
    shape_error error = {};  ///< of the first message that is not understood

    explicit operator bool() const noexcept { return list != nullptr && !error; }
    array& operator*() const {
        if (error) detail::reject_shape(error);
        return *list;
    }
    array* operator->() const { return &**this; }
};

namespace detail {
template <class Json>
inline constexpr bool holds_history<json_messages<Json>> = true;
}  // namespace detail

/// The messages of a document, as a range that `reduce` can write to: the document itself if it is an array, else its
/// member `messages` (a request body). False if there are none, or if one has a shape that is not understood; see
/// shape_error_of. Reads every message once.
template <json_type Json>
json_messages<Json> messages_of(Json& document) {
    auto* const list = document.is_array() ? &document : detail::member_of(document, "messages");
    json_messages<Json> result{list == nullptr ? nullptr : list->template get_ptr<typename Json::array_t*>()};
    for (std::size_t index = 0; result.list != nullptr && index < result.list->size() && !result.error; ++index)
        result.error = shape_error_of((*result.list)[index], index);
    return result;
}

/// The cost of the member `system` of a document, a system prompt outside of the messages; 0 without such a member.
template <json_type Json, token_estimator Estimator>
tokens overhead_of(Json const& document, Estimator const& estimator) {
    if (!document.is_object()) return {};
    auto const system = document.find("system");
    if (system == document.end()) return {};
    cost sum;
    v1::each_part(Json{{"role", "system"}, {"content", *system}},
                  [&](part_view const& part) { sum += detail::part_cost(estimator, part); });
    return sum.tokens();
}

}  // namespace v1
}  // namespace condense
