// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_blocks.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/core/part.hpp>
#include <condense/detail/fnv.hpp>

// New JSON messages in the shape of a conversation: of a text, of the result of a call, of two neighbours.

namespace condense {
inline namespace v1 {
namespace detail {

/// Where the messages of a conversation have their texts.
enum class text_home : std::uint8_t { content, by_type, content_block, typed_content, keyed_content, parts, ui_parts };

/// Where `neighbour`, a message of the same conversation, has its text.
template <class Json>
text_home text_home_of(Json const& neighbour) {
    if (names_speaker_by_type(neighbour)) return text_home::by_type;
    auto const* list = member_of(neighbour, "parts");
    bool const has_parts = list != nullptr && list->is_array();
    if (!has_parts) list = member_of(neighbour, "content");
    if (list == nullptr) return text_home::content;
    if (list->is_object() && !text_member(*list, "type").empty()) return text_home::content_block;
    bool const is_keyed =
        list->is_array() && !list->empty() && (*list)[0].is_object() && member_of((*list)[0], "type") == nullptr;
    if (has_parts) return is_keyed || list->empty() ? text_home::parts : text_home::ui_parts;
    if (is_keyed) return text_home::keyed_content;
    // Other shapes take a string as well, but blocks of OpenAI Responses have other names.
    bool is_typed = list->is_array() && !list->empty();
    if (is_typed)
        for (auto const& block : *list) {
            auto const type = text_member(block, "type");
            is_typed = is_typed && !type.empty() && !type.starts_with("input_") && !type.starts_with("output_");
        }
    return is_typed ? text_home::typed_content : text_home::content;
}

/// Begins the id of a message of ours.
inline constexpr std::string_view summary_id = "summary-";

/// A message of a text, in the shape of a neighbour. UI messages get an id that depends on the text alone.
template <class Json>
Json text_message(text_home home, role speaker, std::string text) {
    auto result = Json::object();
    if (home == text_home::ui_parts) result["id"] = std::string{summary_id} + std::to_string(fnv1a(text));
    if (home == text_home::by_type)
        result["type"] = std::string{speaker == role::user        ? "human"
                                     : speaker == role::assistant ? "ai"
                                                                  : name(speaker)};
    else result["role"] = std::string{home == text_home::parts && speaker == role::assistant ? "model" : name(speaker)};
    switch (home) {
        case text_home::by_type:
        case text_home::content: result["content"] = std::move(text); break;
        case text_home::content_block: result["content"] = text_block<Json>(std::move(text), true); break;
        case text_home::typed_content:
        case text_home::keyed_content:
            result["content"] = Json::array({text_block<Json>(std::move(text), home == text_home::typed_content)});
            break;
        case text_home::parts:
        case text_home::ui_parts:
            result["parts"] = Json::array({text_block<Json>(std::move(text), home == text_home::ui_parts)});
            break;
    }
    return result;
}

/// True for a block of content that holds this call.
template <class Json>
bool holds_call(Json const& block, part_view const& call) {
    auto const* row = row_of(typed_rows, text_member(block, "type"));
    auto const* holder = &block;
    if (row == nullptr && block.is_object() && member_of(block, "type") == nullptr)
        for (auto const& keyed : keyed_rows)
            if (auto const* const inner = member_of(block, keyed.word); inner != nullptr && row == nullptr)
                row = &keyed, holder = inner;
    if (row == nullptr || row->use != block_use::call) return false;
    return text_member(*holder, row->id[0]) == call.call &&
           (!call.call.empty() || text_member(*holder, row->tool) == call.tool);
}

/// The message that answers a call, as JSON in which "=id", "=tool" and "=text" stand for what the call says; an empty
/// object for a call that takes no result of ours. See result_message.
template <class Json>
std::string_view result_form(Json const& m, Json const* block, bool has_id) {
    if (names_speaker_by_type(m))
        return R"({"type":"tool","tool_call_id":"=id","name":"=tool","content":"=text","status":"error"})";
    auto const item = text_member(m, "type");
    if (text_member(m, "role").empty() && !item.empty()) {
        if (item == "function_call") return R"({"type":"function_call_output","call_id":"=id","output":"=text"})";
        if (item == "custom_tool_call") return R"({"type":"custom_tool_call_output","call_id":"=id","output":"=text"})";
        return "{}";
    }
    if (block == nullptr) {
        bool const legacy = member_of(m, "function_call") != nullptr;
        if (!legacy && member_of(m, "tool_calls") == nullptr) return "{}";
        if (has_id) return R"({"role":"tool","tool_call_id":"=id","content":"=text"})";
        return legacy ? R"({"role":"function","name":"=tool","content":"=text"})"
                      : R"({"role":"tool","tool_name":"=tool","content":"=text"})";
    }
    auto const type = text_member(*block, "type");
    if (!type.empty() && member_of(m, "parts") != nullptr) return "{}";  // of a UI message
    if (type == "tool_use")
        return block == member_of(m, "content")  // alone, as in MCP
                   ? R"({"role":"user","content":{"type":"tool_result","toolUseId":"=id",
                         "content":[{"type":"text","text":"=text"}],"isError":true}})"
                   : R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"=id",
                         "is_error":true,"content":"=text"}]})";
    if (type == "tool-call")
        return R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"=id","toolName":"=tool",
                   "output":{"type":"error-text","value":"=text"}}]})";
    if (type == "toolCall")
        return R"({"role":"toolResult","toolCallId":"=id","toolName":"=tool",
                   "content":[{"type":"text","text":"=text"}],"isError":true})";
    if (member_of(*block, "toolUse") != nullptr)
        return R"({"role":"user","content":[{"toolResult":{"toolUseId":"=id",
                   "content":[{"text":"=text"}],"status":"error"}}]})";
    if (member_of(*block, "functionCall") != nullptr)
        return R"({"role":"user","parts":[{"functionResponse":
                   {"name":"=tool","response":{"error":"=text"},"id":"=id"}}]})";
    if (member_of(*block, "function_call") != nullptr)
        return R"({"role":"user","parts":[{"function_response":
                   {"name":"=tool","response":{"error":"=text"},"id":"=id"}}]})";
    return "{}";
}

/// Puts what a call says in the place of the names in a form. An id that the call does not have goes.
template <class Json>
void fill_form(Json& form, part_view const& call, std::string_view text) {
    if (call.call.empty() && form.is_object()) form.erase("id");
    for (auto& value : form)
        if (value.is_structured()) fill_form(value, call, text);
        else if (auto const* const word = string_of(&value); word == nullptr) continue;
        else if (*word == "=id") value = std::string{call.call};
        else if (*word == "=tool") value = std::string{call.tool};
        else if (*word == "=text") value = std::string{text};
}

/// A message with the result of a call that is part of `m`: an error text that no tool has written. `block`: the block
/// with the call, null where it is none. An empty object for a call that takes no result of ours: one that the provider
/// runs itself, or whose result has its place in the same block.
template <class Json>
Json result_message(Json const& m, Json const* block, part_view const& call, std::string_view text) {
    auto message = parse_json<Json>(result_form(m, block, !call.call.empty())).value;
    fill_form(message, call, text);
    return message;
}

/// Appends what `next` holds to `m`: their texts where both have one, else their blocks. Messages of the user may have
/// other members, each in one of them or the same in both; names have to be the same. False, and nothing is changed,
/// where that is not so. The id is that of the one that is no summary.
template <class Json>
bool append_message(Json& m, Json const& next) {
    auto const speaker = speaker_of(m);
    if (speaker.empty() || speaker != speaker_of(next)) return false;
    if (text_member(m, "name") != text_member(next, "name")) return false;
    char const* const key = member_of(m, "parts") != nullptr ? "parts" : "content";
    auto const is_usual = [key](std::string_view member) {
        return member == "role" || member == key || member == "id" || member == "type" || member == "condense";
    };
    for (auto const* const each : {&std::as_const(m), &next})
        for (auto const& [member, value] : each->items()) {
            if (is_usual(member)) continue;
            auto const* const same = member_of(std::as_const(m), member);
            if (role_named(speaker) != role::user || (same != nullptr && *same != value)) return false;
        }
    auto* const to = member_of(m, key);
    auto const* const from = member_of(next, key);
    if (to == nullptr || from == nullptr) return false;
    // One block alone, as in MCP, becomes one of an array.
    for (auto const* const each : {&std::as_const(*to), from})
        if (!each->is_string() && !each->is_array() && !each->is_object()) return false;
    if (to->is_string() && from->is_string()) {
        auto& text = to->template get_ref<std::string&>();
        auto const& more = from->template get_ref<std::string const&>();
        text.append(text.empty() || more.empty() ? "" : "\n\n").append(more);
    } else if (to->is_object() && from->is_object() && string_of(member_of(*to, "text")) != nullptr &&
               string_of(member_of(*from, "text")) != nullptr) {
        (*to)["text"].template get_ref<std::string&>().append("\n\n").append(text_member(*from, "text"));
    } else {
        auto const as_array = [](Json content, Json const& beside) {
            if (content.is_object()) return Json::array({std::move(content)});
            if (content.template get_ref<std::string const&>().empty()) return Json::array();
            auto block = text_block<Json>(content.template get<std::string>(), true);
            for (auto const& each : beside)  // of OpenAI Responses
                for (std::string_view const word : {"input_text", "output_text", "input_image", "input_file"})
                    if (text_member(each, "type") == word)
                        block["type"] = word == "output_text" ? "output_text" : "input_text";
            return Json::array({std::move(block)});
        };
        if (!to->is_array()) *to = as_array(std::move(*to), *from);
        if (from->is_array()) to->insert(to->end(), from->begin(), from->end());
        else
            for (auto& block : as_array(*from, *to)) to->push_back(std::move(block));
    }
    // Last, as new members may move the others.
    if (text_member(m, "id").starts_with(summary_id) && member_of(next, "id") != nullptr) m["id"] = next["id"];
    for (auto const& [member, value] : next.items())
        if (member_of(m, member) == nullptr) m[member] = value;
    return true;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
