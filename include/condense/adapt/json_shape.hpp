// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/adapt/json_blocks.hpp>
#include <condense/adapt/json_media.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/detail/callable_ref.hpp>

// Enumerates the parts of a JSON message. Reading, shortening and removing share this one enumeration, so that an index
// means the same to all three. The types of blocks are rows of json_blocks.hpp.

namespace condense {
inline namespace v1 {
namespace detail {

/// A flat figure for media whose size is not known: Anthropic's documented width * height / 750 for the largest image
/// that is not scaled down (1.15 megapixels), above OpenAI's 85 + 170 for each of at most six high-detail tiles. Never
/// counted as base64 text.
inline constexpr cost media_cost = cost::of(tokens{1'600});

/// How a text is written to the place of a part.
enum class text_form : std::uint8_t {
    string,
    json,  ///< the text is parsed
    text_block,  ///< {"type": "text", "text": ...}
    input_block,  ///< {"type": "input_text", "text": ...}
    keyed_block,  ///< {"text": ...}
    output_member,  ///< {"output": ...}, the response of a function
    typed_value,  ///< {"type": "text", "value": ...}, of a failed result "error-text"
};

/// One part and its places in the message, into which it has views and pointers.
template <class Json>
struct json_piece {
    part_view part = {};  ///< without text if that is a dump, or of media
    json_place<Json> text = {};  ///< of the value that is the text, or could become it
    json_place<Json> removable = {};  ///< of the value to erase with the part
    bool is_dump = false;  ///< the text is the dump of the value
    text_form form = text_form::string;
    json_place<Json> written = {};  ///< where a text goes in its form; `text` if it has no parent
    json_place<Json> block = {};  ///< the outermost block that holds the part; without parent if none does
    shape_set shapes = shape_set::all();  ///< in which such a part occurs
    bool known = true;  ///< false of a block that no table has
};

/// True for a message that is the result of a call: by its role, or as it names the call.
template <class Json>
bool is_result(Json const& message) {
    return role_named(speaker_of(message)) == role::tool || !text_member(message, "tool_call_id").empty();
}

/// True for an item or a block that names itself so, as AI SDK's do by their `kind`.
template <class Json>
bool is_compaction(Json const& value) {
    for (auto const* const key : {"type", "kind"})
        if (auto const name = text_member(value, key); name.find("compaction") != name.npos)
            return name != "compaction_trigger";
    return false;
}

/// Calls visit(json_piece) for each part of one message, in the order of the parts.
///
/// Every field may have any type; a value that does not match the shape is `other` or missing. Blocks inside a result
/// are read as text, media or other only, so nesting ends there.
///
/// A tool's answer (a message of role tool, a block with a result) always shows a tool_result part, if need be an empty
/// one after its media, so that no answered call looks unanswered.
template <class Json>
class json_walk {
public:
    using place = json_place<Json>;
    using visitor = callable_ref<void(json_piece<Json> const&)>;

    /// `message` and what `visit` refers to must outlive this.
    json_walk(Json& message, visitor visit) : message_{message}, visit_{visit} {}

    /// Visits all parts; call once.
    void run() {
        auto const speaker = speaker_of(message_);
        if (auto const* const row = item_row(speaker)) {
            use_block({}, message_, *row);
            return unknown_members(row);
        }
        if (auto* const blocks = member_of(message_, "parts"); blocks != nullptr && blocks->is_array()) {
            shapes_ = parts_shapes;
            for (std::size_t index = 0; index < blocks->size(); ++index) {
                place const element{blocks, nullptr, index};
                block(element, {{}, true, element}, element);
            }
            shapes_ = shape_set::all();
        }
        content();
        member_text("reasoning_content", part_kind::reasoning, shape_set::of(openai));
        member_text("thinking", part_kind::reasoning, shape_set::of(ollama));
        member_text("refusal", part_kind::text, shape_set::of(openai));
        other_reasoning();
        images();
        calls();
        if (speaker == "bashExecution") ran_command();
        // Of pi, for messages that have left: a compaction, or a branch.
        if (speaker.ends_with("Summary") && !text_member(message_, "summary").empty())
            visit_part(
                {.compaction = speaker.starts_with("compaction") ? compaction_place::any : compaction_place::none},
                {&message_, "summary"}, {&message_, "summary"}, {.shapes = shape_set::of(pi)});
        unknown_members(nullptr);
    }

private:
    /// What the content of a message or a result is read with.
    struct context {
        part_view base = {};  ///< the part that its text is; other blocks carry its ids, and are removed with the call
        bool outermost = true;  ///< directly in a message
        place removable = {};  ///< what to erase with all of it
    };

    /// The row of a message that is an item; null for others. Its type may be missing in a reference.
    block_row const* item_row(std::string_view speaker) const {
        auto const type = text_member(message_, "type");
        if (!speaker.empty() && type != "additional_tools") return nullptr;
        bool const refers = type.empty() && message_.size() == 1 && !text_member(message_, "id").empty();
        auto const* const row = row_of(item_rows, refers ? "item_reference" : type);
        return row == nullptr && is_compaction(message_) ? &compaction_row : row;
    }

    void content() {
        auto const before = shapes_;
        shapes_ = shapes_ & content_shapes;
        part_view plain{};
        if (is_result(message_)) plain = answer();
        auto* const value = member_of(message_, "content");
        if (value == nullptr && (plain.kind != part_kind::tool_result || member_of(message_, "parts") != nullptr))
            return;
        place const outer{&message_, "content"};
        if (string_of(value) != nullptr) shapes_ = shapes_ & string_shapes;
        if (value != nullptr && value->is_object() && row_of(typed_rows, text_member(*value, "type")) != nullptr) {
            shapes_ = shapes_ & shape_set::of(mcp);
            block(outer, {plain, plain.kind != part_kind::tool_result, outer}, outer);
            if (plain.kind == part_kind::tool_result && results_ == 0) visit_part(plain, outer, outer);
        } else output(message_, "content", {plain, true, outer});
        shapes_ = before;
    }

    /// The result that a message of role tool is.
    part_view answer() {
        part_view result{.kind = part_kind::tool_result, .tool = text_member(message_, "name")};
        for (auto const* const key : {"tool_name", "toolName"})
            if (auto const tool = text_member(message_, key); result.tool.empty()) result.tool = tool;
        for (auto const* const key : {"tool_call_id", "toolCallId"})
            if (auto const call = text_member(message_, key); result.call.empty()) result.call = call;
        if (result.call.empty())  // some agents write a list of one id
            if (auto const* const list = member_of(std::as_const(message_), "tool_call_ids"); list && list->is_array())
                for (auto const& id : *list)
                    if (auto const* const call = string_of(&id)) {
                        result.call = *call;
                        break;
                    }
        if (is_true(message_, "isError") || text_member(message_, "status") == "error")
            result.status = part_status::error;
        if (member_of(message_, "toolCallId") != nullptr) shapes_ = shapes_ & shape_set::of(pi);
        else if (member_of(message_, "tool_name") != nullptr) shapes_ = shapes_ & shape_set::of(ollama);
        else if (member_of(message_, "tool_call_id") != nullptr) shapes_ = shapes_ & shape_set::of(openai, ollama);
        return result;
    }

    /// The value of a member as text, as blocks, or dumped; for a result also where there is nothing.
    void output(Json& holder, char const* key, context const& how) {
        place text_place{&holder, key};
        auto removable = how.removable;
        auto form = text_form::string;
        auto const results_before = results_;
        auto* const value = text_place.find();
        if (value != nullptr && value->is_array()) {
            // The only text of a result is removed with its block, also if the array is empty.
            auto const alone = !how.outermost && value->size() < 2;
            for (std::size_t index = 0; index < value->size(); ++index) {
                place const element{value, nullptr, index};
                block(element, {how.base, how.outermost, alone ? removable : element}, element);
            }
            text_place = {value, nullptr, value->size()};
            form = block_form(how.outermost);
            if (!alone || !value->empty()) removable = text_place;
        } else if (auto const* const text = string_of(value)) {
            if (!text->empty()) visit_part(how.base, text_place, removable);
        } else if (value != nullptr && !value->is_null()) {
            auto const kind = how.base.kind == part_kind::tool_result ? how.base.kind : part_kind::other;
            visit_part(sealed(how.base, kind), text_place, removable, {.is_dump = true, .known = false});
        }
        // Missing, null, empty, or media alone.
        if (how.base.kind == part_kind::tool_result && results_ == results_before)
            visit_part(how.base, text_place, removable, {.form = form});
    }

    /// A block of content. `how.removable`: the place to erase if it is a text; other blocks are erased themselves.
    void block(place where, context const& how, place own) {
        auto& value = *where.find();
        if (how.outermost) block_ = where;
        last_block_ = &value;
        words_ += last_words_ = unread_words(value);
        if (value.is_string()) visit_part(how.base, where, how.removable, {.shapes = string_shapes});
        else if (member_of(value, "type") != nullptr) typed_block(value, how, own);
        else keyed_block(value, how, own);
        if (how.outermost) block_ = {};
    }

    /// A call of Anthropic's in LangChain's form stands in `tool_calls` as well, from where LangChain takes it.
    bool is_twin(Json const& block) const {
        if (text_member(block, "type") != "tool_use" || !names_speaker_by_type(std::as_const(message_))) return false;
        auto const* const calls = member_of(std::as_const(message_), "tool_calls");
        if (calls == nullptr || !calls->is_array()) return false;
        auto const id = text_member(block, "id");
        for (auto const& each : *calls)
            if (!id.empty() && text_member(each, "id") == id) return true;
        return false;
    }

    void typed_block(Json& value, context const& how, place own) {
        if (how.outermost && is_twin(value)) return;
        auto const type = text_member(value, "type");
        bool const in_parts = how.outermost && own.parent == member_of(message_, "parts");  // of a UI message
        if (in_parts && type.starts_with(ui_tool_row.word) && !text_member(value, "toolCallId").empty())
            return both(own, value, ui_tool_row, type.substr(ui_tool_row.word.size()));
        if (in_parts && type.starts_with(ui_data_row.word)) return use_block(own, value, ui_data_row);
        auto const* row = row_of(typed_rows, type);
        if (how.outermost && (row == nullptr || row->use == block_use::other) && is_compaction(value))
            row = &compaction_row;
        auto const shapes = row != nullptr ? row->shapes : shape_set::all();
        if (row != nullptr && row->use == block_use::text && string_of(member_of(value, row->text[0])))
            return visit_part(how.base, {&value, row->text[0]}, how.removable, {.shapes = shapes});
        if (text_in_media(own, value, type, shapes, how)) return;
        if (row != nullptr && (row->use == block_use::media || row->use == block_use::other))
            return use_block(own, value, *row, how.base);
        if (how.outermost) {
            if (row != nullptr && use_outer(own, value, *row)) return;
            if (row == nullptr && type.ends_with(server_result_row.word))
                return use_block(own, value, server_result_row);
        }
        visit_part(sealed(how.base, part_kind::other), own, own, {.is_dump = true, .known = false});
    }

    void keyed_block(Json& value, context const& how, place own) {
        if (value.is_object()) {
            if (string_of(member_of(value, "text"))) {
                auto part = how.base;
                if (is_true(value, "thought")) part.kind = part_kind::reasoning;
                part.sealed = is_signed(value);
                return visit_part(part, {&value, "text"}, how.removable, {.shapes = shape_set::of(gemini, bedrock)});
            }
            if (!how.outermost && member_of(value, "json") != nullptr)  // a result of Bedrock
                return visit_part(how.base, {&value, "json"}, how.removable,
                                  {.is_dump = true,
                                   .form = text_form::keyed_block,
                                   .written = own,
                                   .shapes = shape_set::of(bedrock)});
            if (how.outermost)
                if (auto* const reasoning = object_member(value, "reasoningContent")) return thought(own, *reasoning);
            for (auto const& row : keyed_rows) {
                auto* const inner = member_of(value, row.word);
                if (inner == nullptr || (row.word == "thoughtSignature" && value.size() != 1)) continue;
                if (text_in_media(own, *inner, row.word, row.shapes, how)) return;
                if (row.use == block_use::media || row.use == block_use::other || row.use == block_use::none)
                    return use_block(own, value, row, how.base);
                if (!how.outermost || !inner->is_object()) break;
                return use_block(own, *inner, row, {}, is_signed(value));
            }
        }
        visit_part(sealed(how.base, part_kind::other), own, own, {.is_dump = true, .known = false});
    }

    /// A block that holds text where others of its type hold bytes; false for others. A list of texts is not edited.
    bool text_in_media(place own, Json& value, std::string_view type, shape_set shapes, context const& how) {
        auto const text = embedded_text(value, type);
        auto const* const embedded = text.find();
        if (embedded == nullptr) return false;
        if (embedded->is_array())
            visit_part(sealed(how.base, part_kind::other), text, own, {.is_dump = true, .shapes = shapes});
        else
            visit_part(type == "document" ? unsealed(how.base) : how.base, text, how.outermost ? own : how.removable,
                       {.shapes = shapes});
        return true;
    }

    /// The reasoning of Bedrock.
    void thought(place own, Json& reasoning) {
        auto const shapes = shape_set::of(bedrock);
        if (auto* const text = object_member(reasoning, "reasoningText"))
            visit_part({.kind = part_kind::reasoning,
                        .sealed = has(*text, {"signature"}),
                        .bound = is_bound(*text, {"signature"})},
                       {text, "text"}, own, {.shapes = shapes});
        else visit_part(hidden(text_member(reasoning, "redactedContent"), true), {}, own, {.shapes = shapes});
    }

    /// A block that occurs only directly in a message. False if it lacks its text.
    bool use_outer(place own, Json& value, block_row const& row) {
        if (row.use == block_use::text ||
            (row.use == block_use::reasoning && !string_of(member_of(value, row.text[0]))))
            return false;
        if (row.use == block_use::call_and_result) both(own, value, row, text_member(value, row.tool));
        else use_block(own, value, row);
        return true;
    }

    /// Shows a block, or a message that is one, as its row says. `own` is the place of the block.
    void use_block(place own, Json& value, block_row const& row, part_view const& base = {}, bool is_sealed = false) {
        auto const* const key = first_of(value, row.text);
        auto const text = key == nullptr ? place{} : place{&value, key};
        auto const in_shape = [&](json_piece<Json> how) {
            how.shapes = row.shapes;
            return how;
        };
        part_view part{.tool = row.tool == nullptr ? std::string_view{} : text_member(value, row.tool),
                       .call = text_of(value, row.id),
                       .sealed = is_sealed || has(value, row.seal)};
        switch (row.use) {
            case block_use::text: break;  // shown by typed_block
            case block_use::reasoning:
                part.kind = part_kind::reasoning;
                part.bound = row.bound && is_bound(value, row.seal);
                return visit_part(part, text, own, in_shape({}));
            case block_use::hidden_reasoning: {
                auto const encrypted = text_of(value, row.seal);
                if (!encrypted.empty() || row.text[0] == nullptr)
                    return visit_part(hidden(encrypted, row.bound), {}, own, in_shape({}));
                auto const* const words = member_of(value, row.text[0]);
                bool const is_empty = words == nullptr || words->empty();
                return visit_part(sealed({}, part_kind::reasoning), {&value, row.text[is_empty ? 1 : 0]}, own,
                                  in_shape({.is_dump = true}));
            }
            case block_use::call: {
                part.kind = part_kind::tool_call;
                bool const is_json = &value != &message_ || (text.find() != nullptr && !text.find()->is_string());
                return visit_part(
                    part, text, own,
                    in_shape({.is_dump = is_json, .form = is_json ? text_form::json : text_form::string}));
            }
            case block_use::opaque_call:
            case block_use::opaque_result: {
                bool const is_result = row.use == block_use::opaque_result;
                part.status = is_true(value, "is_error") ? part_status::error : part_status::ok;
                bool const is_screen = is_result && key == nullptr && object_member(value, "output") != nullptr;
                part = sealed(part, is_result ? part_kind::tool_result : part_kind::tool_call,
                              is_screen ? own_cost{media_cost} : own_cost{});
                return visit_part(part, key == nullptr ? own : text, own, in_shape({.is_dump = true}));
            }
            case block_use::result: return result(own, value, row, part);
            case block_use::call_and_result: return both(own, value, row, part.tool);
            case block_use::media: return visit_part(sealed(base, part_kind::media, media_cost), {}, own, in_shape({}));
            case block_use::other:
                return visit_part(sealed(base, part_kind::other), own, own, in_shape({.is_dump = true}));
            case block_use::compaction: return compaction(own, value, row, text);
            case block_use::none: break;
        }
    }

    /// One without content is one that failed, and stands for nothing.
    void compaction(place own, Json& value, block_row const& row, place text) {
        auto const seal = text_of(value, row.seal);
        auto const* const words = string_of(text.find());
        bool const has_words = words != nullptr && !words->empty();
        auto part = has_words || seal.empty() ? sealed({}, part_kind::other) : hidden(seal);
        part.kind = part_kind::other;
        // Not in what a tool or the user says, who could have everything before it dropped.
        auto const speaker = speaker_of(message_);
        bool const is_own = (speaker.empty() || role_named(speaker) == role::assistant) && !is_result(message_);
        if (is_own && (has_words || !seal.empty() || member_of(value, "kind") != nullptr))
            part.compaction = text_member(value, "signature").empty() ? compaction_place::any : compaction_place::first;
        visit_part(part, has_words ? text : own, own, {.is_dump = !has_words && seal.empty(), .shapes = row.shapes});
    }

    void result(place own, Json& value, block_row const& row, part_view part) {
        part.kind = part_kind::tool_result;
        bool const failed =
            is_true(value, "is_error") || is_true(value, "isError") || text_member(value, "status") == "error";
        part.status = failed ? part_status::error : part_status::ok;
        auto const shapes = row.word != "tool_result"       ? row.shapes
                            : member_of(value, "toolUseId") ? shape_set::of(mcp)
                                                            : shape_set::of(anthropic);
        auto const before = std::exchange(shapes_, shapes_ & shapes);
        auto const* const key = first_of(value, row.text);
        auto* const value_member = member_of(value, key);
        bool const is_object = value_member != nullptr && value_member->is_object();
        if (row.shapes == shape_set::of(gemini)) response(own, value, key, part);
        else if (is_object && row.shapes == shape_set::of(ai_sdk)) typed_output(own, value, key, part);
        else output(value, key, {part, false, own});
        if (!part.call.empty() && object_member(value, "structuredContent") != nullptr)  // MCP: the same for programs
            visit_part(sealed(part, part_kind::other), {&value, "structuredContent"}, {&value, "structuredContent"},
                       {.is_dump = true, .shapes = shape_set::of(mcp)});
        // Media beside the response are not the user's own: without an id the name of the function stands for it.
        auto const call = part.call.empty() ? part.tool : part.call;
        if (row.shapes == shape_set::of(gemini) && !call.empty())
            if (auto* const media = member_of(value, "parts"); media != nullptr && media->is_array())
                for (std::size_t index = 0; index < media->size(); ++index) {
                    place const element{media, nullptr, index};
                    part_view const beside{.kind = part_kind::text, .call = call, .status = part.status};
                    block(element, {beside, false, element}, element);
                }
        shapes_ = before;
    }

    /// Gemini: the text is the only member `output`, `result` or `error` if that is a string, else the whole response.
    void response(place own, Json& value, char const* key, part_view part) {
        auto* const object = object_member(value, key);
        if (object == nullptr) return output(value, key, {part, false, own});
        for (auto const* const member : {"output", "result", "error"}) {
            auto* const text = member_of(*object, member);
            if (text == nullptr) continue;
            if (std::string_view{member} == "error") part.status = part_status::error;
            if (object->size() == 1 && string_of(text) != nullptr)
                return visit_part(part, {object, member}, own, {.shapes = shape_set::of(gemini)});
        }
        visit_part(part, {&value, key}, own,
                   {.is_dump = true, .form = text_form::output_member, .shapes = shape_set::of(gemini)});
    }

    /// AI SDK: `output` says whether its value is a text, JSON or blocks.
    void typed_output(place own, Json& value, char const* key, part_view part) {
        auto& object = *member_of(value, key);
        auto const type = text_member(object, "type");
        if (type.starts_with("error") || type == "execution-denied") part.status = part_status::error;
        auto* const value_member = member_of(object, "value");
        if (value_member != nullptr &&
            (value_member->is_array() ? type == "content" : value_member->is_string() && type.ends_with("text")))
            return output(object, "value", {part, false, own});
        place const outer{&value, key};
        visit_part(
            part, value_member != nullptr && type.ends_with("json") ? place{&object, "value"} : outer, own,
            {.is_dump = true, .form = text_form::typed_value, .written = outer, .shapes = shape_set::of(ai_sdk)});
    }

    /// A block with a call, and with its result once there is one.
    void both(place own, Json& value, block_row const& row, std::string_view tool) {
        auto const state = text_member(value, "state");
        auto const* const error = state == "output-error" ? "errorText" : "error";
        bool const failed = has(value, {error}) || state == "output-denied";
        auto* const output_value = member_of(value, "output");
        part_view part{
            .kind = part_kind::tool_call, .tool = tool, .call = text_of(value, row.id), .sealed = has(value, row.seal)};
        place const arguments{&value, row.text[0]};
        bool const is_json = string_of(arguments.find()) == nullptr || !state.empty();
        visit_part(part, arguments, own,
                   {.is_dump = is_json, .form = is_json ? text_form::json : text_form::string, .shapes = row.shapes});
        if (!failed && (output_value == nullptr || output_value->is_null()) && state != "output-available") return;
        part.kind = part_kind::tool_result;
        part.status = failed ? part_status::error : part_status::ok;
        part.sealed = false;
        place const text{&value, failed ? error : "output"};
        bool const is_dump = text.find() != nullptr && !text.find()->is_string();
        visit_part(part, text, own, {.is_dump = is_dump, .shapes = row.shapes});
    }

    // Beside the content.

    /// A member that is a text, absent if it is empty.
    void member_text(char const* key, part_kind kind, shape_set shapes) {
        if (!text_member(message_, key).empty())
            visit_part({.kind = kind}, {&message_, key}, {&message_, key}, {.shapes = shapes});
    }

    /// Reasoning beside the content, under the names that servers and gateways have for it: a text, or details of which
    /// some are signed or encrypted.
    static constexpr std::array reasoning_members{"reasoning", "reasoning_details", "reasoning_text", "thinking_blocks",
                                                  "thoughts"};
    void other_reasoning() {
        auto const* const object = message_.template get_ptr<typename Json::object_t const*>();
        if (object == nullptr) return;
        for (auto const& [key, value] : *object) {
            if (key.size() < 8 || (key[0] != 'r' && key[0] != 't')) continue;  // most are none of them
            for (auto const* const name : reasoning_members)
                if (key == name) reasoning(name);
        }
    }
    void reasoning(char const* key) {
        place const where{&message_, key};
        auto* const value = where.find();
        if (value == nullptr || !value->is_array())
            return member_text(key, part_kind::reasoning, shape_set::of(openai));
        if (value->empty()) return;
        bool bound = false;
        for (auto const& each : *value)
            bound = bound || (is_bound(each, {"signature"}) && names_claude(text_member(each, "format")));
        auto part = sealed({}, part_kind::reasoning, word_cost(*value));
        part.bound = bound;
        visit_part(part, where, where, {.is_dump = true, .shapes = shape_set::of(openai)});
    }
    /// OpenRouter says whose the details are; LiteLLM has them of Anthropic alone.
    static bool names_claude(std::string_view format) noexcept {
        return format.empty() || format.find("anthropic") != format.npos || format.find("claude") != format.npos;
    }

    /// pi: a command that the user ran, and its output.
    void ran_command() {
        part_view part{.kind = part_kind::tool_call, .tool = "bash"};
        visit_part(part, {&message_, "command"}, {}, {.shapes = shape_set::of(pi)});
        part.kind = part_kind::tool_result;
        visit_part(part, {&message_, "output"}, {}, {.shapes = shape_set::of(pi)});
    }

    /// Members that no shape has: their words count, and go with the message, whatever they are called. `row` is that
    /// of an item. Beside a result they belong to its call.
    void unknown_members(block_row const* row) {
        using object_type =
            std::conditional_t<std::is_const_v<Json>, typename Json::object_t const, typename Json::object_t>;
        auto* const object = message_.template get_ptr<object_type*>();
        if (object == nullptr || is_dumped_) return;
        // Without any content the message may be of a shape that is not known, and is refused.
        bool known = row != nullptr;
        for (auto const* const content : {"content", "parts", "tool_calls", "function_call"})
            known = known || member_of(message_, content) != nullptr;
        constexpr std::size_t most = 32;  // more of them cost what they say, as one part
        std::size_t count = 0;
        std::size_t rest = 0;
        for (auto& [key, value] : *object) {
            auto const* const text = string_of(&value);
            if (text != nullptr ? text->size() < 32 : !value.is_structured()) continue;
            if (is_read(key, value, row)) continue;
            auto const size = words_in(value);
            if (size < 32) continue;
            if (++count > most) {
                rest += size;
                continue;
            }
            bool const is_text = text != nullptr && !is_opaque(*text);
            place const where{&message_, key.c_str()};
            visit_part(beside(is_text ? own_cost{} : word_cost(value)), where, where,
                       {.is_dump = !is_text, .known = known});
        }
        if (rest != 0) visit_part(beside(cost::of({rest / 4 + 1})), {}, {}, {.known = known});
    }
    part_view beside(own_cost own) const {
        auto part = sealed({}, part_kind::other, own);
        if (results_ != 0) part.call = result_call_;
        return part;
    }
    /// True for members that the walk reads, and for those that are no part of what is sent.
    bool is_read(std::string_view key, Json const& value, block_row const* row) const {
        auto const speaker = speaker_of(message_);
        auto const is = [key](std::initializer_list<std::string_view> names) {
            for (auto const name : names)
                if (key == name) return true;
            return false;
        };
        if (is({"content", "usage", "condense"})) return true;
        // LangChain: copies of what it has received, and what it keeps from the model.
        if (is({"additional_kwargs", "response_metadata", "usage_metadata", "invalid_tool_calls", "tool_call_chunks",
                "artifact"}) &&
            names_speaker_by_type(message_))
            return true;
        if (is({"parts", "tool_calls", "images"})) return value.is_array();
        if (is({"reasoning_content", "thinking", "refusal"})) return value.is_string();
        for (auto const* const name : reasoning_members)
            if (key == name) return value.is_string() || value.is_array();
        if (key == "function_call") return value.is_object();
        if (key == "details") return speaker == "toolResult";  // pi shows them to the user
        if (key == "summary" && speaker.ends_with("Summary")) return true;
        if (is({"command", "output"}) && speaker == "bashExecution") return true;
        if (row == nullptr) return false;
        for (auto const& members : {row->text, row->id, row->seal})
            for (auto const* const known : members)
                if (known != nullptr && key == known) return true;
        bool const is_pair = row->use != block_use::hidden_reasoning && row->use != block_use::compaction;
        return is_pair &&
               is({"arguments", "output", "error", "action", "tools", "results", "result", "outputs", "queries"});
    }

    /// Members of blocks that are read, stand for something else, or are no part of what a model sees; in lower case.
    static constexpr char known_members[] =
        "text content input arguments output thinking signature thinkingsignature source image_url input_audio file "
        "data result results args response parts json image audio video document resource structuredcontent refusal "
        "tooluse toolresult functioncall function_call functionresponse function_response inlinedata inline_data "
        "filedata file_data reasoningcontent thoughtsignature thought_signature encrypted_content cache_control "
        "cachepoint citations annotations logprobs provideroptions providermetadata callprovidermetadata metadata "
        "_meta "
        "type id name call_id tool_use_id tooluseid toolcallid toolname tool_name input_image url uri file_url "
        "video_url fileuri file_uri blob bytes error errortext rawinput approval action caller value custom "
        "partialjson textsignature";

    /// Bytes of words in members of a block, or of what its one member holds, that no part shows.
    static std::size_t unread_words(Json const& value, bool has_inner = true) {
        std::size_t sum = 0;
        if (!value.is_object()) return sum;
        for (auto member = value.begin(); member != value.end(); ++member) {
            auto const* const text = string_of(&*member);
            if (text != nullptr ? text->size() < 32 : !member->is_structured()) continue;
            if (!is_one_of(std::string_view{member.key()}, known_members)) {
                auto const size = words_in(*member);
                sum += size < 32 ? 0 : size;
            } else if (has_inner && member->is_object() &&
                       (row_of(keyed_rows, member.key()) != nullptr || member.key() == "reasoningContent"))
                sum += unread_words(*member, false);
        }
        return sum;
    }

    /// A text that is data: long, and without white space.
    static bool is_opaque(std::string_view text) noexcept {
        return text.size() >= 256 && text.find_first_of(" \n\t") == text.npos;
    }
    /// Bytes of the texts in a value that are no ids, names or times: those with a space, and long ones.
    static std::size_t words_in(Json const& value, std::size_t levels = json::depth_limit) {
        if (auto const* const text = string_of(&value))
            return text->size() >= 100 || text->find(' ') != text->npos ? text->size() : 0;
        std::size_t sum = 0;
        if (value.is_structured() && levels != 0)
            for (auto const& each : value) sum += words_in(each, levels - 1);
        return sum;
    }
    /// The cost of a structure in which some is data; nothing for one of words, whose text is counted.
    static own_cost word_cost(Json const& value) {
        std::size_t data = 0;
        bool media = false;
        auto const look = [&](auto const& self, Json const& each, std::size_t levels) -> void {
            if (auto const* const text = string_of(&each)) {
                if (!is_opaque(*text)) return;
                media = media || text->starts_with("data:");
                data += text->size();
            } else if (each.is_structured() && levels != 0)
                for (auto const& inner : each) self(self, inner, levels - 1);
        };
        look(look, value, json::depth_limit);
        if (data == 0) return {};
        return media ? media_cost : cost::of({(words_in(value) + 3) / 4});
    }

    /// Ollama: images as base64.
    void images() {
        auto* const list = member_of(message_, "images");
        if (list == nullptr || !list->is_array()) return;
        for (std::size_t index = 0; index < list->size(); ++index)
            visit_part(sealed({}, part_kind::media, media_cost), {}, {list, nullptr, index},
                       {.shapes = shape_set::of(ollama)});
    }

    /// The calls of an assistant message: `tool_calls`, and the older `function_call`.
    void calls() {
        if (auto* const list = member_of(message_, "tool_calls"); list != nullptr && list->is_array())
            for (std::size_t index = 0; index < list->size(); ++index) call((*list)[index], {list, nullptr, index});
        if (auto* const legacy = object_member(message_, "function_call"))
            named_call(*legacy, "arguments", {}, {&message_, "function_call"});
    }

    /// One element of `tool_calls`. A call of an unknown type stays a call, sealed, so that it is never sent without
    /// its result.
    void call(Json& value, place call_place) {
        auto const id = text_member(value, "id");
        if (!value.is_object())
            visit_part(sealed({}, part_kind::other), call_place, call_place, {.is_dump = true, .known = false});
        else if (auto* const function = object_member(value, "function"))
            named_call(*function, "arguments", id, call_place);
        else if (auto* const custom = object_member(value, "custom")) named_call(*custom, "input", id, call_place);
        else if (object_member(value, "args") != nullptr) named_call(value, "args", id, call_place);
        else
            visit_part({.kind = part_kind::tool_call, .call = id, .sealed = true}, call_place, call_place,
                       {.is_dump = true, .shapes = shape_set::of(openai, ollama)});
    }

    /// `function` has the name; arguments are a string of JSON, of some providers the value itself.
    void named_call(Json& function, char const* arguments, std::string_view id, place removable) {
        auto const* const value = member_of(function, arguments);
        bool const is_json = value != nullptr && !value->is_string();
        visit_part({.kind = part_kind::tool_call, .tool = text_member(function, "name"), .call = id},
                   {&function, arguments}, removable,
                   {.is_dump = is_json,
                    .form = is_json ? text_form::json : text_form::string,
                    .shapes = shape_set::of(openai, ollama)});
    }

    /// The text in a document, whose source holds it where others hold bytes, in a file or in a resource; an array
    /// where it is a list of texts.
    static place embedded_text(Json& value, std::string_view type) {
        auto const text_in = [](Json* holder, char const* key) {
            return holder != nullptr && string_of(member_of(*holder, key)) ? place{holder, key} : place{};
        };
        if (type == "resource") return text_in(object_member(value, "resource"), "text");
        if (type == "file") return text_in(object_member(value, "data"), "text");
        auto* const source = type == "document" ? object_member(value, "source") : nullptr;
        if (source == nullptr) return {};
        if (auto const* const list = member_of(*source, "content"); list != nullptr && list->is_array())
            return {source, "content"};
        auto const kind = text_member(*source, "type");  // Bedrock has none
        return text_in(source, kind.empty() ? "text" : kind == "text" ? "data" : "content");
    }

    /// The form of a text behind the last block of a list.
    text_form block_form(bool outermost) const noexcept {
        if (outermost) return text_form::text_block;
        if (shapes_ == shape_set::of(responses)) return text_form::input_block;
        return shapes_ == shape_set::of(bedrock) ? text_form::keyed_block : text_form::text_block;
    }

    static char const* first_of(Json const& value, block_row::members const& keys) {
        for (auto const* const key : keys)
            if (key != nullptr && member_of(value, key) != nullptr) return key;
        return keys[0];
    }
    static std::string_view text_of(Json const& value, block_row::members const& keys) {
        auto const* const key = first_of(value, keys);
        return key == nullptr ? std::string_view{} : text_member(value, key);
    }
    static bool has(Json const& value, block_row::members const& keys) {
        for (auto const* const key : keys)
            if (key != nullptr)
                if (auto const* const member = member_of(value, key); member != nullptr && !member->is_null())
                    return true;
        return false;
    }
    /// The block has a signature: a text under one of the keys, or an object there, by provider, in which one is.
    static bool is_bound(Json const& value, block_row::members const& keys) {
        for (auto const* const key : keys) {
            auto const* const member = key == nullptr ? nullptr : member_of(value, key);
            if (member != nullptr && member->is_string()) return true;
            if (member == nullptr || !member->is_object()) continue;
            for (auto const& provider : *member)
                if (provider.is_object() && has(provider, {"signature", "redactedData"})) return true;
        }
        return false;
    }
    static bool is_true(Json const& value, char const* key) {
        auto const* const member = member_of(value, key);
        return member != nullptr && member->is_boolean() && member->template get<bool>();
    }
    static bool is_signed(Json const& part) { return has(part, {"thoughtSignature", "thought_signature"}); }

    /// A text beside the text of its message, such as a document: of kind text even in a result.
    static part_view unsealed(part_view part) {
        part.kind = part_kind::text;
        return part;
    }
    /// A part without text to edit.
    static part_view sealed(part_view part, part_kind kind, own_cost own = {}) {
        part.kind = kind;
        part.sealed = true;
        part.cost = own;
        return part;
    }
    /// Encrypted reasoning. Four bytes a token; the text behind the encryption is somewhat shorter.
    static part_view hidden(std::string_view data, bool is_bound = false) {
        return {.kind = part_kind::reasoning,
                .sealed = true,
                .cost = cost::of({data.size() / 4 + (data.size() % 4 != 0 ? 1u : 0u)}),
                .bound = is_bound};
    }

    /// Adds the text of the part, if it is a string, and calls the visitor.
    void visit_part(part_view part, place text, place removable, json_piece<Json> piece = {}) {
        if (!piece.is_dump)
            if (auto const* const string = string_of(text.find())) part.text = *string;
        if (part.kind == part_kind::tool_result) {
            ++results_;
            result_call_ = part.call.empty() ? part.tool : part.call;
        }
        is_dumped_ = is_dumped_ || (piece.is_dump && text.parent == nullptr);
        if (words_ != 0) {  // of blocks since the last part; a dump has its own
            bool const has_own = piece.is_dump && text.find() == last_block_;
            auto const rest = words_ - (has_own ? last_words_ : 0);
            if (rest != 0) part.beside = cost::of({rest / 4 + 1});
            words_ = 0;
        }
        piece.part = part;
        piece.text = text;
        piece.removable = removable;
        piece.block = block_;
        piece.shapes = piece.shapes & shapes_;
        visit_(piece);
    }

    Json& message_;
    visitor visit_;
    std::size_t results_ = 0;  ///< parts of kind tool_result so far
    std::string_view result_call_ = {};  ///< the call of the last of them, or its tool
    bool is_dumped_ = false;  ///< an item is shown as it is
    std::size_t words_ = 0;  ///< bytes in members of blocks that no part has shown yet
    std::size_t last_words_ = 0;  ///< of these, in the newest block
    Json const* last_block_ = nullptr;
    shape_set shapes_ = shape_set::all();  ///< of what is being read
    place block_ = {};
};

/// Calls visit(json_piece) for each part of a message.
template <class Json>
void each_piece(Json& message, typename json_walk<Json>::visitor visit) {
    json_walk<Json>{message, visit}.run();
}
/// Readers share the walk of editors, so that it is compiled once; they may not change what the places refer to.
template <class Json>
void each_piece(Json const& message, typename json_walk<Json>::visitor visit) {
    json_walk<Json>{const_cast<Json&>(message), visit}.run();
}

template <json_type Json>
std::size_t count_pieces(Json& message) {
    std::size_t total = 0;
    each_piece(message, [&](json_piece<Json> const&) { ++total; });
    return total;
}

/// The piece with this index; empty if there is none.
template <json_type Json>
json_piece<Json> piece_at(Json& message, std::size_t index) {
    json_piece<Json> result;
    std::size_t position = 0;
    each_piece(message, [&](json_piece<Json> const& piece) {
        if (position++ == index) result = piece;
    });
    return result;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
