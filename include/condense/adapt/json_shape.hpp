// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <condense/adapt/json_media.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>

// Where the parts of a JSON message are: the one enumeration that reading, shortening and removing
// share, so that an index means the same to all. A new block type is a branch of own_block.

namespace condense {
inline namespace v1 {
namespace detail {

/// Flat: Anthropic's documented width * height / 750 for the largest image that is not scaled down
/// (1.15 megapixels), above OpenAI's 85 + 170 for each of at most six high-detail tiles. Models that
/// take larger images, long documents and videos cost more. Never counted as base64 text.
inline constexpr cost media_cost = cost::of(tokens{1'600});

/// One part and where it is.
template <class Json>
struct json_piece {
    part_view part = {};           ///< without the text when that is a dump, or of media
    json_place<Json> text = {};    ///< the value that is the text, or could become it
    json_place<Json> whole = {};   ///< what goes when the part goes
    bool dumped = false;           ///< the text is the dump of the value
};

/// Calls visit(json_piece) for each part of one message, in the order of the parts.
///
/// Every field may have any type; what is not as the shape says is `other` or missing. Blocks inside
/// a tool_result are read as text, media or other only, so nesting ends there.
///
/// A tool's answer (a message of role tool, an Anthropic tool_result) always shows a tool_result
/// part, if need be an empty one after its media, so that no answered call looks unanswered.
template <class Json, class Visit>
class json_walk {
public:
    using place = json_place<Json>;

    json_walk(Json& message, Visit& visit) : message_{message}, visit_{visit} {}

    void run() {
        part_view plain{};
        if (role_named(text_member(message_, "role")) == role::tool)
            plain = {.kind = part_kind::tool_result, .tool = text_member(message_, "name"), .call = answered()};
        content(message_, plain, {&message_, "content"}, true);
        member_text("reasoning_content", part_kind::reasoning);
        member_text("refusal", part_kind::text);
        calls();
    }

private:
    /// The call that a message of role tool answers; some agents write a list of one.
    std::string_view answered() const {
        if (auto const call = text_member(message_, "tool_call_id"); !call.empty()) return call;
        if (auto const* const list = member_of(std::as_const(message_), "tool_call_ids"); list && list->is_array())
            for (auto const& one : *list)
                if (auto const* const call = string_of(&one)) return *call;
        return {};
    }

    /// The content of the message or of a tool_result, which have the same forms. `base` is what its
    /// text is, with the ids that its other blocks carry as well: they go with the call.
    void content(Json& holder, part_view const& base, place whole, bool outermost) {
        place open{&holder, "content"};
        auto const results = results_;
        auto* const held = open.find();
        if (held != nullptr && held->is_array()) {
            // With the last text of a tool_result goes the whole block, also where it is empty.
            auto const alone = !outermost && held->size() < 2;
            for (std::size_t at = 0; at < held->size(); ++at) {
                place const here{held, nullptr, at};
                block(here, base, outermost, alone ? whole : here);
            }
            open = {held, nullptr, held->size()};
            if (!alone || !held->empty()) whole = open;
        } else if (auto const* const text = string_of(held)) {
            if (!text->empty()) give(base, open, whole);
        } else if (held != nullptr && !held->is_null()) {
            auto const kind = base.kind == part_kind::tool_result ? base.kind : part_kind::other;
            give(sealed(base, kind), open, whole, true);
        }
        // Missing, null, empty, or media alone.
        if (base.kind == part_kind::tool_result && results_ == results) give(base, open, whole);
    }

    /// `gone`: what goes with a text.
    void block(place here, part_view const& base, bool outermost, place gone) {
        auto& found = *here.find();
        auto const type = text_member(found, "type");
        if (found.is_string()) give(base, here, gone);
        else if (type == "text" && string_of(member_of(found, "text"))) give(base, {&found, "text"}, gone);
        else if (auto* const written = written_document(found, type)) give(unsealed(base), {written, "data"}, here);
        else if (is_media(type)) give(sealed(base, part_kind::media, media_cost), {}, here);
        else if (!outermost || !own_block(found, type, here)) give(sealed(base, part_kind::other), here, here, true);
    }

    /// Blocks that stand in a message's own content only.
    bool own_block(Json& found, std::string_view type, place here) {
        if (type == "thinking" && string_of(member_of(found, "thinking"))) {
            auto const* const signature = member_of(found, "signature");
            give({.kind = part_kind::reasoning, .sealed = signature != nullptr && !signature->is_null()},
                 {&found, "thinking"}, here);
        } else if (type == "redacted_thinking") {
            auto const size = text_member(found, "data").size();
            // Four bytes a token; the text behind the encryption is somewhat shorter.
            give({.kind = part_kind::reasoning, .sealed = true, .cost = cost::of({size / 4 + (size % 4 != 0 ? 1 : 0)})},
                 {}, here);
        } else if (type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use") {
            give({.kind = part_kind::tool_call, .tool = text_member(found, "name"), .call = text_member(found, "id")},
                 {&found, "input"}, here, true);
        } else if (type == "tool_result" || type.ends_with("_tool_result")) {
            auto const* const error = member_of(found, "is_error");
            auto const failed = error != nullptr && error->is_boolean() && error->template get<bool>();
            part_view const result{.kind = part_kind::tool_result,
                                   .call = text_member(found, "tool_use_id"),
                                   .status = failed ? part_status::error : part_status::ok};
            if (type == "tool_result") content(found, result, here, false);
            else give(sealed(result, result.kind), {&found, "content"}, here, true);
        } else return false;
        return true;
    }

    // Beside the content, in OpenAI's shape.

    void member_text(char const* key, part_kind kind) {
        if (!text_member(message_, key).empty()) give({.kind = kind}, {&message_, key}, {&message_, key});
    }

    void calls() {
        if (auto* const list = member_of(message_, "tool_calls"); list != nullptr && list->is_array())
            for (std::size_t at = 0; at < list->size(); ++at) call((*list)[at], {list, nullptr, at});
        if (auto* const legacy = object_member(message_, "function_call"))
            named_call(*legacy, "arguments", {}, {&message_, "function_call"});
    }

    void call(Json& found, place here) {
        auto const id = text_member(found, "id");
        if (!found.is_object()) give({.kind = part_kind::other, .sealed = true}, here, here, true);
        else if (auto* const function = object_member(found, "function")) named_call(*function, "arguments", id, here);
        else if (auto* const custom = object_member(found, "custom")) named_call(*custom, "input", id, here);
        else give({.kind = part_kind::tool_call, .call = id, .sealed = true}, here, here, true);
    }

    /// `found` has the name; arguments are a string of JSON, with some providers the value itself.
    void named_call(Json& found, char const* arguments, std::string_view id, place whole) {
        auto const* const held = member_of(found, arguments);
        give({.kind = part_kind::tool_call, .tool = text_member(found, "name"), .call = id}, {&found, arguments}, whole,
             held != nullptr && !held->is_string());
    }

    /// A document that is plain text holds it where others hold their bytes.
    static Json* written_document(Json& found, std::string_view type) {
        auto* const source = type == "document" ? object_member(found, "source") : nullptr;
        return source != nullptr && text_member(*source, "type") == "text" && string_of(member_of(*source, "data"))
                   ? source
                   : nullptr;
    }

    static part_view unsealed(part_view part) {
        part.kind = part_kind::text;
        return part;
    }
    static part_view sealed(part_view part, part_kind kind, own_cost known = {}) {
        part.kind = kind;
        part.sealed = true;
        part.cost = known;
        return part;
    }

    void give(part_view part, place text, place whole, bool dumped = false) {
        if (!dumped)
            if (auto const* const held = string_of(text.find())) part.text = *held;
        if (part.kind == part_kind::tool_result) ++results_;
        visit_(json_piece<Json>{part, text, whole, dumped});
    }

    Json& message_;
    Visit& visit_;
    std::size_t results_ = 0;
};

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

/// The piece with this index; empty when there is none.
template <json_type Json>
json_piece<Json> piece_at(Json& message, std::size_t index) {
    json_piece<Json> found;
    std::size_t next = 0;
    each_piece(message, [&](json_piece<Json> const& piece) {
        if (next++ == index) found = piece;
    });
    return found;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
