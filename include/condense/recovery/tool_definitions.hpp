// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/recovery_names.hpp>
#include <condense/detail/json_quote.hpp>

// The definitions of the tools by which an agent gets its past back, as providers and MCP clients want them.

namespace condense {
inline namespace v1 {

/// How a list of tools is spelt: OpenAI's `tools` of chat completions or of Responses, Anthropic's `tools`, or MCP's
/// `tools/list`.
enum class tool_format { openai, responses, anthropic, mcp };

/// A tool as a model is told of it.
struct tool_definition {
    std::string_view name = {};
    std::string_view description = {};
    std::string_view schema = {};  ///< of its arguments, as JSON Schema
};

namespace detail {

/// In the order of recovery_tool_names.
inline constexpr std::array<tool_definition, 7> recovery_definitions{{
    {recovery_tool_names[0],
     "Reads a tool result that was too long for the conversation, from its reference (24 hexadecimal digits, as its "
     "preview names it). Returns one page; go on with the offset that the page ends with.",
     R"({"type":"object","properties":{"reference":{"type":"string","description":"24 hexadecimal digits"},)"
     R"("offset":{"type":"integer","minimum":0,"description":"first byte, 0 by default"},)"
     R"("limit":{"type":"integer","minimum":1,"description":"characters at most"}},"required":["reference"]})"},
    {recovery_tool_names[1],
     "Lists the tool results that were too long for the conversation: reference, size, tool, time; the latest first.",
     R"({"type":"object","properties":{"offset":{"type":"integer","minimum":0,"description":"how many to skip"}}})"},
    {recovery_tool_names[2],
     "Searches in the tool results that were too long for the conversation. Ask in the words that may stand there, and "
     "again in others if need be. Returns the best passages, each with its reference and offset for read_artifact.",
     R"({"type":"object","properties":{"query":{"type":"string","description":"words that may stand there"},)"
     R"("offset":{"type":"integer","minimum":0,"description":"how many passages to skip"}},"required":["query"]})"},
    {recovery_tool_names[3],
     "Reads an earlier message of the conversation in full, from its number. Returns one page; go on with the offset "
     "that the page ends with.",
     R"({"type":"object","properties":{"number":{"type":"integer","minimum":0},)"
     R"("offset":{"type":"integer","minimum":0,"description":"first byte, 0 by default"},)"
     R"("limit":{"type":"integer","minimum":1,"description":"characters at most"},)"
     R"("conversation":{"type":"string","description":"another conversation, as list_sessions names it"}},)"
     R"("required":["number"]})"},
    {recovery_tool_names[4],
     "Shows the latest messages of the conversation as they were, each cut to a line or two, with their numbers for "
     "read_message.",
     R"({"type":"object","properties":{"count":{"type":"integer","minimum":1,"description":"20 by default"},)"
     R"("before":{"type":"integer","minimum":0,"description":"only messages before this number"},)"
     R"("conversation":{"type":"string","description":"another conversation, as list_sessions names it"}}})"},
    {recovery_tool_names[5],
     "Searches in all messages of the conversation, also those that are no longer shown, tool results in full. Ask in "
     "the words that may stand there, and again in others if need be. Returns the best passages, each with its "
     "message's number and offset for read_message.",
     R"({"type":"object","properties":{"query":{"type":"string","description":"words that may stand there"},)"
     R"("offset":{"type":"integer","minimum":0,"description":"how many passages to skip"},)"
     R"("conversation":{"type":"string","description":"another conversation, as list_sessions names it"}},)"
     R"("required":["query"]})"},
    {recovery_tool_names[6], "Lists the recorded conversations, the latest first, with their numbers of messages.",
     R"({"type":"object","properties":{"offset":{"type":"integer","minimum":0,"description":"how many to skip"}}})"},
}};

/// A JSON array, or for MCP an object with the member `tools`.
inline std::string write_definitions(std::vector<tool_definition> const& tools, tool_format format) {
    auto const quoted = [](std::string_view text) {
        std::string out{"\""};
        json::append_escaped(out, text);
        return out.append("\"");
    };
    std::string out = format == tool_format::mcp ? R"({"tools":[)" : "[";
    for (auto const& each : tools) {
        if (out.back() == '}') out.push_back(',');
        auto const front = R"({"name":)" + quoted(each.name) + R"(,"description":)" + quoted(each.description);
        switch (format) {
            case tool_format::openai:
                out.append(R"({"type":"function","function":)").append(front).append(R"(,"parameters":)");
                out.append(each.schema).append("}}");
                break;
            case tool_format::responses:  // strict unless told so, which wants every argument
                out.append(R"({"type":"function",)").append(front.substr(1)).append(R"(,"strict":false,"parameters":)");
                out.append(each.schema).append("}");
                break;
            case tool_format::anthropic:
                out.append(front).append(R"(,"input_schema":)").append(each.schema).append("}");
                break;
            case tool_format::mcp:
                out.append(front).append(R"(,"inputSchema":)").append(each.schema);
                out.append(R"(,"annotations":{"readOnlyHint":true}})");
        }
    }
    return out.append(format == tool_format::mcp ? "]}" : "]");
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
