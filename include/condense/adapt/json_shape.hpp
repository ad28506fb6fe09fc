// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <condense/adapt/json_media.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>

// Enumerates the parts of a JSON message. Reading, shortening and removing share this one enumeration, so that an index
// means the same to all three. To support another block type, add a branch to own_block.

namespace condense {
inline namespace v1 {
namespace detail {

/// A flat figure: Anthropic's documented width * height / 750 for the largest image that is not scaled down
/// (1.15 megapixels), above OpenAI's 85 + 170 for each of at most six high-detail tiles. Models that
/// take larger images, long documents and videos cost more. Never counted as base64 text.
inline constexpr cost media_cost = cost::of(tokens{1'600});

/// One part and its places in the message, into which it has views and pointers.
template <class Json>
struct json_piece {
    part_view part = {};  ///< without text if that is a dump, or of media
    json_place<Json> text = {};  ///< of the value that is the text, or could become it
    json_place<Json> removable = {};  ///< of the value to erase with the part
    bool is_dump = false;  ///< the text is the dump of the value
};

/// Calls visit(json_piece) for each part of one message, in the order of the parts.
///
/// Every field may have any type; a value that does not match the shape is `other` or missing. Blocks inside a
/// tool_result are read as text, media or other only, so nesting ends there.
///
/// A tool's answer (a message of role tool, an Anthropic tool_result) always shows a tool_result
/// part, if need be an empty one after its media, so that no answered call looks unanswered.
template <class Json, class Visit>
class json_walk {
public:
    using place = json_place<Json>;

    /// `message` and `visit` must outlive this.
    json_walk(Json& message, Visit& visit) : message_{message}, visit_{visit} {}

    /// Visits all parts; call once.
    void run() {
        part_view plain{};
        if (role_named(text_member(message_, "role")) == role::tool)
            plain = {.kind = part_kind::tool_result, .tool = text_member(message_, "name"), .call = answered_call()};
        content(message_, plain, {&message_, "content"}, true);
        member_text("reasoning_content", part_kind::reasoning);
        member_text("refusal", part_kind::text);
        calls();
    }

private:
    /// The id of the call that a message of role tool answers; some agents write a list of one id.
    std::string_view answered_call() const {
        if (auto const call = text_member(message_, "tool_call_id"); !call.empty()) return call;
        if (auto const* const list = member_of(std::as_const(message_), "tool_call_ids"); list && list->is_array())
            for (auto const& id : *list)
                if (auto const* const call = string_of(&id)) return *call;
        return {};
    }

    /// The content of the message or of a tool_result, which have the same forms. `base` is the part that its text is;
    /// its other blocks carry the same ids, because they are removed with the call.
    void content(Json& holder, part_view const& base, place removable, bool outermost) {
        place text_place{&holder, "content"};
        auto const results_before = results_;
        auto* const value = text_place.find();
        if (value != nullptr && value->is_array()) {
            // The only text of a tool_result is removed with its block, also if the array is empty.
            auto const alone = !outermost && value->size() < 2;
            for (std::size_t index = 0; index < value->size(); ++index) {
                place const element_place{value, nullptr, index};
                block(element_place, base, outermost, alone ? removable : element_place);
            }
            text_place = {value, nullptr, value->size()};
            if (!alone || !value->empty()) removable = text_place;
        } else if (auto const* const text = string_of(value)) {
            if (!text->empty()) visit_part(base, text_place, removable);
        } else if (value != nullptr && !value->is_null()) {
            auto const kind = base.kind == part_kind::tool_result ? base.kind : part_kind::other;
            visit_part(sealed(base, kind), text_place, removable, true);
        }
        // Missing, null, empty, or media alone.
        if (base.kind == part_kind::tool_result && results_ == results_before) visit_part(base, text_place, removable);
    }

    /// A block of content. `removable`: the place to erase if it is a text; other blocks are erased themselves.
    void block(place block_place, part_view const& base, bool outermost, place removable) {
        auto& value = *block_place.find();
        auto const type = text_member(value, "type");
        if (value.is_string()) visit_part(base, block_place, removable);
        else if (type == "text" && string_of(member_of(value, "text"))) visit_part(base, {&value, "text"}, removable);
        else if (auto* const source = text_source(value, type))
            visit_part(unsealed(base), {source, "data"}, block_place);
        else if (is_media(type)) visit_part(sealed(base, part_kind::media, media_cost), {}, block_place);
        else if (!outermost || !own_block(value, type, block_place))
            visit_part(sealed(base, part_kind::other), block_place, block_place, true);
    }

    /// Visits blocks that occur only directly in the content of a message. False for other types.
    bool own_block(Json& value, std::string_view type, place block_place) {
        if (type == "thinking" && string_of(member_of(value, "thinking"))) {
            auto const* const signature = member_of(value, "signature");
            visit_part({.kind = part_kind::reasoning, .sealed = signature != nullptr && !signature->is_null()},
                       {&value, "thinking"}, block_place);
        } else if (type == "redacted_thinking") {
            auto const size = text_member(value, "data").size();
            // Four bytes a token; the text behind the encryption is somewhat shorter.
            visit_part(
                {.kind = part_kind::reasoning, .sealed = true, .cost = cost::of({size / 4 + (size % 4 != 0 ? 1 : 0)})},
                {}, block_place);
        } else if (type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use") {
            visit_part(
                {.kind = part_kind::tool_call, .tool = text_member(value, "name"), .call = text_member(value, "id")},
                {&value, "input"}, block_place, true);
        } else if (type == "tool_result" || type.ends_with("_tool_result")) {
            auto const* const error = member_of(value, "is_error");
            auto const failed = error != nullptr && error->is_boolean() && error->template get<bool>();
            part_view const result{.kind = part_kind::tool_result,
                                   .call = text_member(value, "tool_use_id"),
                                   .status = failed ? part_status::error : part_status::ok};
            if (type == "tool_result") content(value, result, block_place, false);
            else visit_part(sealed(result, result.kind), {&value, "content"}, block_place, true);
        } else return false;
        return true;
    }

    // Beside the content, in OpenAI's shape.

    /// A member that is a text, absent if it is empty.
    void member_text(char const* key, part_kind kind) {
        if (!text_member(message_, key).empty()) visit_part({.kind = kind}, {&message_, key}, {&message_, key});
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
        if (!value.is_object()) visit_part({.kind = part_kind::other, .sealed = true}, call_place, call_place, true);
        else if (auto* const function = object_member(value, "function"))
            named_call(*function, "arguments", id, call_place);
        else if (auto* const custom = object_member(value, "custom")) named_call(*custom, "input", id, call_place);
        else visit_part({.kind = part_kind::tool_call, .call = id, .sealed = true}, call_place, call_place, true);
    }

    /// `function` has the name; arguments are a string of JSON, of some providers the value itself.
    void named_call(Json& function, char const* arguments, std::string_view id, place removable) {
        auto const* const arguments_value = member_of(function, arguments);
        visit_part({.kind = part_kind::tool_call, .tool = text_member(function, "name"), .call = id},
                   {&function, arguments}, removable, arguments_value != nullptr && !arguments_value->is_string());
    }

    /// The source of a document of plain text, which holds the text where others hold bytes; null for other blocks.
    static Json* text_source(Json& value, std::string_view type) {
        auto* const source = type == "document" ? object_member(value, "source") : nullptr;
        return source != nullptr && text_member(*source, "type") == "text" && string_of(member_of(*source, "data"))
                   ? source
                   : nullptr;
    }

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

    /// Adds the text of the part, if it is a string, and calls the visitor.
    void visit_part(part_view part, place text, place removable, bool is_dump = false) {
        if (!is_dump)
            if (auto const* const string = string_of(text.find())) part.text = *string;
        if (part.kind == part_kind::tool_result) ++results_;
        visit_(json_piece<Json>{part, text, removable, is_dump});
    }

    Json& message_;
    Visit& visit_;
    std::size_t results_ = 0;  ///< parts of kind tool_result so far
};

/// Calls visit(json_piece) for each part of a message.
template <class Json, class Visit>
void each_piece(Json& message, Visit visit) {
    json_walk<Json, Visit>{message, visit}.run();
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
