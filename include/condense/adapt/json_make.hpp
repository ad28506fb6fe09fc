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
enum class text_home : std::uint8_t { content, content_block, keyed_content, parts, ui_parts };

/// Where `neighbour`, a message of the same conversation, has its text.
template <class Json>
text_home text_home_of(Json const& neighbour) {
    auto const* list = member_of(neighbour, "parts");
    bool const has_parts = list != nullptr && list->is_array();
    if (!has_parts) list = member_of(neighbour, "content");
    if (list == nullptr) return text_home::content;
    if (list->is_object() && !text_member(*list, "type").empty()) return text_home::content_block;
    bool const is_keyed =
        list->is_array() && !list->empty() && (*list)[0].is_object() && member_of((*list)[0], "type") == nullptr;
    if (has_parts) return is_keyed || list->empty() ? text_home::parts : text_home::ui_parts;
    return is_keyed ? text_home::keyed_content : text_home::content;
}

/// Begins the id of a message of ours.
inline constexpr std::string_view summary_id = "summary-";

/// A message of a text, in the shape of a neighbour. UI messages get an id that depends on the text alone.
template <class Json>
Json text_message(text_home home, role speaker, std::string text) {
    auto result = Json::object();
    if (home == text_home::ui_parts) result["id"] = std::string{summary_id} + std::to_string(fnv1a(text));
    result["role"] = std::string{home == text_home::parts && speaker == role::assistant ? "model" : name(speaker)};
    switch (home) {
        case text_home::content: result["content"] = std::move(text); break;
        case text_home::content_block: result["content"] = text_block<Json>(std::move(text), true); break;
        case text_home::keyed_content:
            result["content"] = Json::array({text_block<Json>(std::move(text), false)});
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

/// A message with the result of a call that is part of `m`: an error text that no tool has written. `block`: the block
/// with the call, null where it is none. Null for a call that the provider runs itself, which takes no result of ours,
/// and for one whose result has its place in the same block.
template <class Json>
Json result_message(Json const& m, Json const* block, part_view const& call, std::string text) {
    std::string const id{call.call};
    std::string const tool{call.tool};
    if (auto const type = text_member(m, "type"); text_member(m, "role").empty() && !type.empty()) {
        if (type != "function_call" && type != "custom_tool_call") return Json::object();
        return Json::object({{"type", std::string{type} + "_output"}, {"call_id", id}, {"output", std::move(text)}});
    }
    if (block == nullptr) {
        if (!id.empty()) return Json::object({{"role", "tool"}, {"tool_call_id", id}, {"content", std::move(text)}});
        bool const legacy = member_of(m, "function_call") != nullptr;
        return Json::object({{"role", legacy ? "function" : "tool"},
                             {legacy ? "name" : "tool_name", tool},
                             {"content", std::move(text)}});
    }
    auto const type = text_member(*block, "type");
    bool const is_alone = block == member_of(m, "content");  // MCP
    if (type == "tool_use" && is_alone)
        return Json::object(
            {{"role", "user"},
             {"content", Json::object({{"type", "tool_result"},
                                       {"toolUseId", id},
                                       {"content", Json::array({text_block<Json>(std::move(text), true)})},
                                       {"isError", true}})}});
    if (type == "tool_use")
        return Json::object({{"role", "user"},
                             {"content", Json::array({Json::object({{"type", "tool_result"},
                                                                    {"tool_use_id", id},
                                                                    {"is_error", true},
                                                                    {"content", std::move(text)}})})}});
    if (type == "tool-call")
        return Json::object(
            {{"role", "tool"},
             {"content", Json::array({Json::object(
                             {{"type", "tool-result"},
                              {"toolCallId", id},
                              {"toolName", tool},
                              {"output", Json::object({{"type", "error-text"}, {"value", std::move(text)}})}})})}});
    if (type == "toolCall")
        return Json::object({{"role", "toolResult"},
                             {"toolCallId", id},
                             {"toolName", tool},
                             {"content", Json::array({text_block<Json>(std::move(text), true)})},
                             {"isError", true}});
    if (member_of(*block, "toolUse") != nullptr)
        return Json::object(
            {{"role", "user"},
             {"content",
              Json::array({Json::object(
                  {{"toolResult", Json::object({{"toolUseId", id},
                                                {"content", Json::array({text_block<Json>(std::move(text), false)})},
                                                {"status", "error"}})}})})}});
    for (auto const* const key : {"functionCall", "function_call"})
        if (member_of(*block, key) != nullptr) {
            auto response = Json::object({{"name", tool}, {"response", Json::object({{"error", std::move(text)}})}});
            if (!id.empty()) response["id"] = id;
            auto result = Json::object();
            result[key[8] == '_' ? "function_response" : "functionResponse"] = std::move(response);
            return Json::object({{"role", "user"}, {"parts", Json::array({std::move(result)})}});
        }
    return Json::object();
}

/// Appends what `next` holds to `m`: their texts where both have one, else their blocks. False, and nothing is changed,
/// where they differ in role or hold anything else. The id is that of the one that is no summary.
template <class Json>
bool append_message(Json& m, Json const& next) {
    auto const speaker = text_member(m, "role");
    if (speaker.empty() || speaker != text_member(next, "role")) return false;
    char const* const key = member_of(m, "parts") != nullptr ? "parts" : "content";
    for (auto const* const each : {&std::as_const(m), &next})
        for (auto const& [member, value] : each->items())
            if (member != "role" && member != key && member != "id" && member != "type" && member != "condense")
                return false;
    auto* const to = member_of(m, key);
    auto const* const from = member_of(next, key);
    auto const type = text_member(next, "type");
    if (to == nullptr || from == nullptr) return false;
    // One block alone, as in MCP, stays one where it can.
    auto const fits = [](Json const& value, Json const& other) {
        return value.is_string() || value.is_array() || (value.is_object() && other.is_array());
    };
    if (!fits(*to, *from) || !fits(*from, *to)) return false;
    auto const blocks = [](Json const& value, Json const& other) {
        if (value.is_array()) return value;
        if (value.is_object()) return Json::array({value});
        auto const& text = value.template get_ref<std::string const&>();
        if (text.empty()) return Json::array();
        auto block = text_block<Json>(text, true);
        for (auto const& each : other)  // of OpenAI Responses
            if (auto const word = text_member(each, "type"); word == "input_text" || word == "output_text")
                block["type"] = std::string{word};
        return Json::array({std::move(block)});
    };
    if (to->is_string() && from->is_string()) {
        auto& text = to->template get_ref<std::string&>();
        auto const& more = from->template get_ref<std::string const&>();
        text.append(text.empty() || more.empty() ? "" : "\n\n").append(more);
    } else {
        auto joined = blocks(*to, *from);
        for (auto const& block : blocks(*from, *to)) joined.push_back(block);
        *to = std::move(joined);
    }
    if (text_member(m, "id").starts_with(summary_id)) m["id"] = next.value("id", m["id"]);
    if (!type.empty()) m["type"] = std::string{type};  // last, as it may move the members
    return true;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
