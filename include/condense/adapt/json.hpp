// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_edits.hpp>
#include <condense/adapt/json_make.hpp>
#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/json_shape.hpp>
#include <condense/adapt/json_understood.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/message.hpp>
#include <condense/core/reduce.hpp>

// nlohmann::json and ordered_json as messages, in the shapes of json_blocks.hpp:
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

/// The role of an item, which has none of its own: what the model writes is the assistant's.
template <class Json>
role role_of_item(Json const& m) {
    auto const* const row = row_of(item_rows, text_member(m, "type"));
    if (row == nullptr && is_compaction(m)) return role::assistant;
    if (row == nullptr) return member_of(m, "parts") != nullptr ? role::user : role::other;  // Gemini's default
    return row->use == block_use::result || row->use == block_use::opaque_result ? role::tool : role::assistant;
}

/// True for the answer of a search for tools, and for a result with references to tools.
template <class Json>
bool loads_tools(Json const& block) {
    auto const type = text_member(block, "type");
    if (type.starts_with("tool_search_") && (type.ends_with("_output") || type.ends_with("_result"))) return true;
    if (type == "configuration_update") return true;
    auto const* const inner = type == "tool_result" ? member_of(block, "content") : nullptr;
    if (inner != nullptr && inner->is_array())
        for (auto const& each : *inner)
            if (text_member(each, "type") == "tool_reference") return true;
    return false;
}

/// Calls sink(part_view) for each part, whether the shape is understood or not.
template <class Json>
void show_parts(Json const& m, auto&& sink) {
    each_piece(m, [&](json_piece<Json> const& piece) {
        bool const media = piece.part.kind == part_kind::media;
        if (!piece.is_dump && !media) return static_cast<void>(sink(piece.part));
        auto const& shown = media ? piece.removable : piece.text;
        auto const* const value = shown.parent == nullptr ? &m : shown.find();  // an item is its own block
        if (media && value != nullptr) return show_media(piece.part, *value, piece.shapes, sink);
        auto const text = value == nullptr ? std::string{} : dump_of(*value);
        auto part = piece.part;
        part.text = text;
        sink(std::as_const(part));
    });
}

}  // namespace detail

/// Messages are read one by one, so a conversation may mix the shapes. A field of an unexpected type counts as missing,
/// an unknown block among known ones is `other`. Reading a message of an unknown shape throws unknown_shape, because
/// its calls and results would be lost; see shape_error_of. Parts, in this order:
///
/// | where | part |
/// |---|---|
/// | `parts`; `content`, as a string or as blocks | see below; in a message of role tool, a result |
/// | `reasoning_content`, `thinking` | reasoning |
/// | `refusal` string | text |
/// | `images` | media |
/// | `tool_calls`, `function_call` | tool call |
///
/// Blocks, and OpenAI Responses items, which are messages of one block:
///
/// | block | part |
/// |---|---|
/// | text, or a plain string | text |
/// | thinking, reasoning | reasoning, sealed where signed or encrypted |
/// | a call, also one that the provider runs | tool call; sealed where signed, or where it has no JSON arguments |
/// | a result, and its inner text blocks | tool result; sealed where the provider wrote it |
/// | a tool part of a UI message, `mcp_call` | tool call, and its result once there is one |
/// | images, audio, video, files, also inside results | media, sealed, 1,600 tokens each; their type, size or link |
/// | a document of plain text, a text resource | text |
/// | anything else | other, sealed: its dump |
///
/// Strings are shown without copying. An object is shown as its dump: an edit of arguments must be JSON, an edit of a
/// result becomes a text in the form of the shape. Edits leave everything else in the message unchanged, unknown fields
/// included.
template <json_type Json>
struct message_traits<Json> {
    static role role_of(Json const& m) {
        auto const speaker = detail::speaker_of(m);
        if (!speaker.empty() && detail::is_result(m)) return role::tool;
        return speaker.empty() ? detail::role_of_item(m) : role_named(speaker);
    }

    /// A message that has loaded tools stays, as the model could not call them without it.
    static bool pinned(Json const& m) {
        if (detail::is_result(m)) return false;  // a tool may write anything
        if (detail::loads_tools(m)) return true;
        auto const* const blocks = detail::member_of(m, "content");
        if (blocks == nullptr || !blocks->is_array()) return false;
        for (auto const& block : *blocks)
            if (detail::loads_tools(block)) return true;
        return false;
    }

    static void each_part(Json const& m, auto&& sink) {
        if (auto wrong = shape_error_of(m)) detail::reject_shape(std::move(wrong));
        detail::show_parts(m, sink);
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

    /// A message with string content, which most shapes have.
    static Json make(role speaker, std::string text) {
        return detail::text_message<Json>(detail::text_home::content, speaker, std::move(text));
    }
    /// A message in the shape of another message of the conversation.
    static Json make(role speaker, std::string text, Json const& neighbour) {
        return detail::text_message<Json>(detail::text_home_of(neighbour), speaker, std::move(text));
    }

    /// A message with the result of a call of `m`, in the shape of that call; see detail::result_message.
    /// Blocks are searched from the one with the call's `index` backward, as few have more parts than one.
    static Json make_result(Json const& m, part_view const& call, std::string text, std::size_t index = 0) {
        auto const* list = detail::member_of(m, "parts");
        if (list == nullptr) list = detail::member_of(m, "content");
        Json const* block = nullptr;
        auto const count = list != nullptr && list->is_structured() ? list->is_array() ? list->size() : 1 : 0;
        auto const first = index < count ? index : count - 1;
        for (std::size_t step = 0; step < count && block == nullptr; ++step) {
            auto const& each = list->is_array() ? (*list)[step <= first ? first - step : step] : *list;
            if (detail::holds_call(each, call)) block = &each;
        }
        return detail::result_message(m, block, call, text);
    }

    /// True for what the model wrote in one answer: items of OpenAI Responses behind its reasoning or other calls.
    static bool joins_previous(Json const& m, role previous) {
        if (previous != role::assistant) return false;
        auto const type = detail::text_member(m, "type");
        if (type.empty()) return false;
        if (!detail::speaker_of(m).empty()) return type == "message" && role_of(m) == role::assistant;
        auto const* const row = detail::row_of(detail::item_rows, type);
        return (row != nullptr || detail::is_compaction(m)) && type != "reasoning" && role_of(m) == role::assistant;
    }

    /// Joins what two neighbours hold, where they have nothing but texts or blocks.
    static bool append(Json& m, Json const& next) { return detail::append_message(m, next); }

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
        auto const speaker = detail::speaker_of(m);  // the name of an item is its tool's
        return speaker.empty() || role_named(speaker) == role::tool ? std::string_view{}
                                                                    : detail::text_member(m, "name");
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

/// The messages of a document, or why there are none. Tested and dereferenced like a pointer; with an error
/// dereferencing throws unknown_shape. Refers to the document.
template <json_type Json>
struct json_messages {
    using array = typename Json::array_t;

    array* list = nullptr;  ///< null if the document has no messages
    shape_error error = {};  ///< of the first message that is not understood, or of a document without messages

    explicit operator bool() const noexcept { return list != nullptr && !error; }
    array& operator*() const {
        if (!*this) detail::reject_shape(error);
        return *list;
    }
    array* operator->() const { return &**this; }
};

namespace detail {
template <class Json>
inline constexpr bool holds_history<json_messages<Json>> = true;
}  // namespace detail

/// The array of messages in a document, whatever they are: the document itself if it is an array, else the member of a
/// request body, `messages`, `input`, `contents` or `prompt`, or of its member `params` (JSON-RPC). Null if there is
/// none.
template <json_type Json>
auto* message_array(Json& document) {
    using array = std::conditional_t<std::is_const_v<Json>, typename Json::array_t const, typename Json::array_t>;
    auto* list = document.is_array() ? &document : nullptr;
    for (auto* const holder : {&document, detail::object_member(document, "params")})
        for (auto const* const key : {"messages", "input", "contents", "prompt"})
            if (list == nullptr && holder != nullptr)
                if (auto* const member = detail::member_of(*holder, key); member != nullptr && member->is_array())
                    list = member;
    return list == nullptr ? nullptr : list->template get_ptr<array*>();
}

/// The messages of a document, as a range that `reduce` can write to; see message_array. False if there are none, if
/// one has a shape that is not understood, or not `only` (see shape_error_of), or if the document names a history that
/// its provider keeps. Reads every message once.
template <json_type Json>
json_messages<Json> messages_of(Json& document, std::optional<json_shape> only = std::nullopt) {
    json_messages<Json> result{message_array(document)};
    auto const none = [&result](std::string reason, bool is_elsewhere) {
        result.list = nullptr;
        result.error = {.message = shape_error::none, .reason = std::move(reason), .is_elsewhere = is_elsewhere};
        return result;
    };
    for (auto const* const key : {"previous_response_id", "conversation", "previous_interaction_id"})
        if (auto const* const value =
                result.list != nullptr && result.list->empty() ? nullptr : detail::member_of(document, key))
            if (detail::has_value(*value) && !value->is_array() && detail::member_of(document, "input") != nullptr)
                return none("the history is kept by the provider (" + std::string{key} +
                                "); what is here is its newest turn, of which nothing may leave",
                            true);
    if (result.list == nullptr)
        return none(
            "an array of messages is wanted, or a request body that holds one as 'messages', 'input', 'contents' or "
            "'prompt'",
            false);
    for (std::size_t index = 0; index < result.list->size() && !result.error; ++index)
        result.error = shape_error_of((*result.list)[index], index, only);
    return result;
}

/// The cost of what a request body sends beside its messages: system texts (`system`, `instructions`,
/// `systemInstruction`, `systemPrompt`), and the schemas of tools (`tools`, `toolConfig`, `functions`) as JSON.
template <json_type Json, token_estimator Estimator>
tokens overhead_of(Json const& document, Estimator const& estimator) {
    cost sum;
    auto const add = [&](Json const& holder) {
        for (auto const* const key :
             {"system", "instructions", "systemInstruction", "system_instruction", "systemPrompt"})
            if (auto const* const text = detail::member_of(holder, key)) {
                auto m = Json::object();
                m["role"] = "system";
                if (auto const* const blocks = detail::member_of(*text, "parts")) m["parts"] = *blocks;
                else m["content"] = *text;
                detail::show_parts(m, [&](part_view const& part) { sum += detail::part_cost(estimator, part); });
            }
        for (auto const* const key : {"tools", "toolConfig", "functions"})
            if (auto const* const tools = detail::member_of(holder, key); tools && detail::has_value(*tools))
                sum += estimator(detail::dump_of(*tools));
    };
    add(document);
    if (auto const* const params = detail::object_member(document, "params")) add(*params);
    return sum.tokens();
}

/// The tokens that a request body allows for the answer: `max_completion_tokens`, `max_output_tokens`, `max_tokens`,
/// `maxOutputTokens`, `maxTokens` or `num_predict`, of the body or of its member `generationConfig`, `inferenceConfig`,
/// `options` or `params`. Nothing if it does not say.
template <json_type Json>
std::optional<tokens> output_of(Json const& document) {
    for (auto const* const holder :
         {&document, detail::object_member(document, "generationConfig"),
          detail::object_member(document, "inferenceConfig"), detail::object_member(document, "options"),
          detail::object_member(document, "params")})
        for (auto const* const key : {"max_completion_tokens", "max_output_tokens", "max_tokens", "maxOutputTokens",
                                      "maxTokens", "num_predict"})
            if (auto const* const most = holder == nullptr ? nullptr : detail::member_of(*holder, key);
                most != nullptr && most->is_number_unsigned())
                return tokens{most->template get<std::uint64_t>()};
    return std::nullopt;
}

}  // namespace v1
}  // namespace condense
