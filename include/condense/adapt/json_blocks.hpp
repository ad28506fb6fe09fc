// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// The shapes of JSON messages as tables: which words name a block of text, a call, a result, and where its id, its name
// and its text are. To support another block type, add a row.

namespace condense {
inline namespace v1 {

/// The message shapes that are read. Messages are recognised one by one; some are the same in several shapes.
enum class json_shape : std::uint8_t {
    openai,  ///< chat completions, and servers that speak it
    responses,  ///< OpenAI Responses: `input` items
    anthropic,  ///< messages
    gemini,  ///< `contents` of `parts`
    bedrock,  ///< Converse
    ai_sdk,  ///< model messages of the Vercel AI SDK
    ai_sdk_ui,  ///< its UI messages
    mcp,  ///< sampling messages of the Model Context Protocol; its tool results are read in every shape
    ollama,
    pi,  ///< the transcripts of the coding agent pi
};
inline constexpr std::size_t json_shape_count = 10;

/// Its spelling on a command line.
constexpr std::string_view name(json_shape shape) noexcept {
    constexpr std::array<std::string_view, json_shape_count> names{
        "openai", "responses", "anthropic", "gemini", "bedrock", "ai_sdk", "ai_sdk_ui", "mcp", "ollama", "pi"};
    auto const index = static_cast<std::size_t>(shape);
    return index < names.size() ? names[index] : "unknown";
}

/// The shape of this name; nothing for other names.
constexpr std::optional<json_shape> json_shape_named(std::string_view spelling) noexcept {
    for (std::size_t index = 0; index < json_shape_count; ++index)
        if (auto const shape = static_cast<json_shape>(index); name(shape) == spelling) return shape;
    return std::nullopt;
}

namespace detail {

/// A set of shapes.
class shape_set {
public:
    constexpr shape_set() = default;
    /// All shapes.
    static constexpr shape_set all() noexcept { return shape_set{(1u << json_shape_count) - 1}; }
    template <class... Shapes>
    static constexpr shape_set of(Shapes... shapes) noexcept {
        return shape_set{((1u << static_cast<unsigned>(shapes)) | ... | 0u)};
    }

    constexpr bool contains(json_shape shape) const noexcept {
        return (bits_ >> static_cast<unsigned>(shape) & 1u) != 0;
    }
    constexpr std::size_t size() const noexcept { return static_cast<std::size_t>(std::popcount(bits_)); }
    friend constexpr shape_set operator&(shape_set a, shape_set b) noexcept { return shape_set{a.bits_ & b.bits_}; }
    friend constexpr shape_set operator|(shape_set a, shape_set b) noexcept { return shape_set{a.bits_ | b.bits_}; }
    friend constexpr bool operator==(shape_set, shape_set) = default;

private:
    constexpr explicit shape_set(unsigned bits) noexcept : bits_{bits} {}
    unsigned bits_ = 0;
};

/// How a block becomes parts.
enum class block_use : std::uint8_t {
    text,
    reasoning,
    hidden_reasoning,  ///< encrypted, by its seal, and costs the size of that; else its text, sealed
    call,
    opaque_call,  ///< a call whose arguments are not to be edited
    result,  ///< a result with text or blocks
    opaque_result,
    call_and_result,  ///< both in one block
    media,
    other,  ///< known, and shown as a sealed part
    compaction,  ///< what the provider has folded: its text, or a seal that holds it
    none,  ///< not content: shown as no part
};

/// One type of block. A member name may be null where the block has no such member; of two, the first present counts.
struct block_row {
    using members = std::array<char const*, 2>;

    std::string_view word;  ///< value of the member `type`; of a block without one, the member that holds it
    block_use use;
    shape_set shapes;
    members text = {};  ///< the text, arguments or output
    members id = {};  ///< of the call
    char const* tool = nullptr;
    members seal = {};  ///< a signature: the part is sealed where it is there
    bool bound = false;  ///< one that holds for what stands before the block, too: see part_view::bound
};

using enum json_shape;

/// Shapes whose messages may have a string as content.
inline constexpr auto string_shapes = shape_set::of(openai, responses, anthropic, ai_sdk, ollama, pi);
/// Shapes whose messages have a member `content`.
inline constexpr auto content_shapes = string_shapes | shape_set::of(bedrock, mcp);
/// Shapes whose messages have a member `parts`.
inline constexpr auto parts_shapes = shape_set::of(gemini, ai_sdk_ui);
/// Shapes whose blocks name their type.
inline constexpr auto typed_shapes = shape_set::of(openai, responses, anthropic, ai_sdk, ai_sdk_ui, mcp, pi);

/// Blocks with a member `type`, in the content of a message.
inline constexpr auto typed_rows = std::to_array<block_row>({
    {"text", block_use::text, typed_shapes, {"text"}},
    {"input_text", block_use::text, shape_set::of(responses), {"text"}},
    {"output_text", block_use::text, shape_set::of(responses), {"text"}},
    {"refusal", block_use::text, shape_set::of(openai, responses), {"refusal"}},
    {"thinking",
     block_use::reasoning,
     shape_set::of(anthropic, pi),
     {"thinking"},
     {},
     nullptr,
     {"signature", "thinkingSignature"},
     true},
    {"redacted_thinking", block_use::hidden_reasoning, shape_set::of(anthropic), {}, {}, nullptr, {"data"}, true},
    {"reasoning",
     block_use::reasoning,
     shape_set::of(ai_sdk, ai_sdk_ui),
     {"text"},
     {},
     nullptr,
     {"providerOptions", "providerMetadata"},
     true},
    {"redacted-reasoning", block_use::hidden_reasoning, shape_set::of(ai_sdk), {}, {}, nullptr, {"data"}, true},
    {"tool_use", block_use::call, shape_set::of(anthropic, mcp), {"input"}, {"id"}, "name"},
    {"server_tool_use", block_use::call, shape_set::of(anthropic), {"input"}, {"id"}, "name"},
    {"mcp_tool_use", block_use::call, shape_set::of(anthropic), {"input"}, {"id"}, "name"},
    {"tool_result", block_use::result, shape_set::of(anthropic, mcp), {"content"}, {"tool_use_id", "toolUseId"}},
    {"tool-call",
     block_use::call,
     shape_set::of(ai_sdk),
     {"input", "args"},
     {"toolCallId"},
     "toolName",
     {"providerOptions"}},
    {"tool-result", block_use::result, shape_set::of(ai_sdk), {"output", "result"}, {"toolCallId"}, "toolName"},
    {"tool-approval-request", block_use::opaque_call, shape_set::of(ai_sdk), {}, {"approvalId"}},
    {"tool-approval-response", block_use::opaque_result, shape_set::of(ai_sdk), {}, {"approvalId"}},
    {"dynamic-tool",
     block_use::call_and_result,
     shape_set::of(ai_sdk_ui),
     {"input"},
     {"toolCallId"},
     "toolName",
     {"callProviderMetadata"}},
    {"toolCall", block_use::call, shape_set::of(pi), {"arguments"}, {"id"}, "name"},
    {"image", block_use::media, shape_set::of(openai, anthropic, ai_sdk, mcp, pi)},
    {"image_url", block_use::media, shape_set::of(openai)},
    {"input_image", block_use::media, shape_set::of(responses)},
    {"input_audio", block_use::media, shape_set::of(openai, responses)},
    {"audio", block_use::media, shape_set::of(openai, mcp)},
    {"document", block_use::media, shape_set::of(anthropic)},
    {"file", block_use::media, shape_set::of(openai, ai_sdk, ai_sdk_ui)},
    {"input_file", block_use::media, shape_set::of(responses)},
    {"video", block_use::media, shape_set::of(openai, anthropic)},
    {"video_url", block_use::media, shape_set::of(openai)},
    {"media", block_use::media, shape_set::of(ai_sdk)},
    {"image-data", block_use::media, shape_set::of(ai_sdk)},
    {"image-url", block_use::media, shape_set::of(ai_sdk)},
    {"file-data", block_use::media, shape_set::of(ai_sdk)},
    {"file-url", block_use::media, shape_set::of(ai_sdk)},
    {"file-id", block_use::media, shape_set::of(ai_sdk)},
    {"file-reference", block_use::media, shape_set::of(ai_sdk)},
    {"image-file-id", block_use::media, shape_set::of(ai_sdk)},
    {"image-file-reference", block_use::media, shape_set::of(ai_sdk)},
    {"reasoning-file", block_use::media, shape_set::of(ai_sdk, ai_sdk_ui)},
    {"custom", block_use::other, shape_set::of(ai_sdk, ai_sdk_ui)},
    {"resource", block_use::media, shape_set::of(mcp)},
    {"resource_link", block_use::other, shape_set::of(mcp)},
    {"container_upload", block_use::other, shape_set::of(anthropic)},
    {"search_result", block_use::other, shape_set::of(anthropic)},
    {"fallback", block_use::other, shape_set::of(anthropic)},
    {"browser_state", block_use::other, shape_set::of(anthropic)},
    {"mcp_tool_listing", block_use::other, shape_set::of(anthropic)},
    {"tool_addition", block_use::other, shape_set::of(anthropic)},
    {"tool_removal", block_use::other, shape_set::of(anthropic)},
    {"step-start", block_use::other, shape_set::of(ai_sdk_ui)},
    {"source-url", block_use::other, shape_set::of(ai_sdk_ui)},
    {"source-document", block_use::other, shape_set::of(ai_sdk_ui)},
    {"steering-message", block_use::other, shape_set::of(ai_sdk_ui)},
});

/// Blocks without a member `type`: one member, by its name, holds the block.
inline constexpr auto keyed_rows = std::to_array<block_row>({
    {"functionCall", block_use::call, shape_set::of(gemini), {"args"}, {"id"}, "name"},
    {"function_call", block_use::call, shape_set::of(gemini), {"args"}, {"id"}, "name"},
    {"functionResponse", block_use::result, shape_set::of(gemini), {"response"}, {"id"}, "name"},
    {"function_response", block_use::result, shape_set::of(gemini), {"response"}, {"id"}, "name"},
    {"toolCall", block_use::opaque_call, shape_set::of(gemini), {}, {"id"}},
    {"toolResponse", block_use::opaque_result, shape_set::of(gemini), {}, {"id"}},
    {"toolUse", block_use::call, shape_set::of(bedrock), {"input"}, {"toolUseId"}, "name"},
    {"toolResult", block_use::result, shape_set::of(bedrock), {"content"}, {"toolUseId"}},
    {"inlineData", block_use::media, shape_set::of(gemini)},
    {"inline_data", block_use::media, shape_set::of(gemini)},
    {"fileData", block_use::media, shape_set::of(gemini)},
    {"file_data", block_use::media, shape_set::of(gemini)},
    {"image", block_use::media, shape_set::of(bedrock)},
    {"document", block_use::media, shape_set::of(bedrock)},
    {"video", block_use::media, shape_set::of(bedrock)},
    {"audio", block_use::media, shape_set::of(bedrock)},
    {"executableCode", block_use::other, shape_set::of(gemini)},
    {"executable_code", block_use::other, shape_set::of(gemini)},
    {"codeExecutionResult", block_use::other, shape_set::of(gemini)},
    {"code_execution_result", block_use::other, shape_set::of(gemini)},
    {"thoughtSignature", block_use::other, shape_set::of(gemini)},
    {"audioTranscription", block_use::other, shape_set::of(gemini)},
    {"toolAddition", block_use::other, shape_set::of(bedrock)},
    {"toolRemoval", block_use::other, shape_set::of(bedrock)},
    {"cachePoint", block_use::none, shape_set::of(bedrock)},
    {"guardContent", block_use::other, shape_set::of(bedrock)},
    {"citationsContent", block_use::other, shape_set::of(bedrock)},
    {"searchResult", block_use::other, shape_set::of(bedrock)},
});

/// OpenAI Responses: messages without a role, which are one block themselves.
inline constexpr auto item_rows = std::to_array<block_row>({
    {"reasoning",
     block_use::hidden_reasoning,
     shape_set::of(responses),
     {"content", "summary"},
     {},
     nullptr,
     {"encrypted_content"}},
    {"function_call", block_use::call, shape_set::of(responses), {"arguments"}, {"call_id"}, "name"},
    {"function_call_output", block_use::result, shape_set::of(responses), {"output"}, {"call_id"}},
    {"custom_tool_call", block_use::call, shape_set::of(responses), {"input"}, {"call_id"}, "name"},
    {"custom_tool_call_output", block_use::result, shape_set::of(responses), {"output"}, {"call_id"}},
    {"local_shell_call", block_use::opaque_call, shape_set::of(responses), {"action"}, {"call_id"}},
    {"local_shell_call_output", block_use::result, shape_set::of(responses), {"output"}, {"call_id", "id"}},
    {"shell_call", block_use::opaque_call, shape_set::of(responses), {"action"}, {"call_id"}},
    {"shell_call_output", block_use::opaque_result, shape_set::of(responses), {"output"}, {"call_id"}},
    {"apply_patch_call", block_use::opaque_call, shape_set::of(responses), {"operation"}, {"call_id"}},
    {"apply_patch_call_output", block_use::result, shape_set::of(responses), {"output"}, {"call_id"}},
    {"computer_call", block_use::opaque_call, shape_set::of(responses), {"action"}, {"call_id"}},
    {"computer_call_output", block_use::opaque_result, shape_set::of(responses), {}, {"call_id"}},
    {"mcp_approval_request", block_use::opaque_call, shape_set::of(responses), {"arguments"}, {"id"}, "name"},
    {"mcp_approval_response", block_use::opaque_result, shape_set::of(responses), {}, {"approval_request_id"}},
    {"mcp_call", block_use::call_and_result, shape_set::of(responses), {"arguments"}, {"id"}, "name"},
    {"mcp_list_tools", block_use::other, shape_set::of(responses)},
    {"web_search_call", block_use::other, shape_set::of(responses)},
    {"file_search_call", block_use::other, shape_set::of(responses)},
    {"code_interpreter_call", block_use::other, shape_set::of(responses)},
    {"image_generation_call", block_use::media, shape_set::of(responses)},
    {"item_reference", block_use::other, shape_set::of(responses)},
    {"tool_search_call", block_use::opaque_call, shape_set::of(responses), {"arguments"}, {"call_id"}},
    {"tool_search_output", block_use::opaque_result, shape_set::of(responses), {"tools"}, {"call_id"}},
    {"program", block_use::opaque_call, shape_set::of(responses), {"code"}, {"call_id"}},
    {"program_output", block_use::opaque_result, shape_set::of(responses), {"result"}, {"call_id"}},
    {"additional_tools", block_use::other, shape_set::of(responses)},
    {"configuration_update", block_use::other, shape_set::of(responses)},
    {"compaction_trigger", block_use::other, shape_set::of(responses)},
});

/// A block or an item with "compaction" in its name, apart from compaction_trigger.
inline constexpr block_row compaction_row{"compaction",
                                          block_use::compaction,
                                          shape_set::of(anthropic, responses, ai_sdk, ai_sdk_ui),
                                          {"content", "summary"},
                                          {},
                                          nullptr,
                                          {"encrypted_content", "signature"}};

/// A block of type "tool-<name>" in a UI message.
inline constexpr block_row ui_tool_row{
    "tool-", block_use::call_and_result, shape_set::of(ai_sdk_ui), {"input"}, {"toolCallId"},
    nullptr, {"callProviderMetadata"}};

/// A block of type "data-<name>" in a UI message, which no model sees.
inline constexpr block_row ui_data_row{"data-", block_use::other, shape_set::of(ai_sdk_ui)};

/// A block of type "<tool>_tool_result": what a tool of the provider gave.
inline constexpr block_row server_result_row{
    "_tool_result", block_use::opaque_result, shape_set::of(anthropic), {"content"}, {"tool_use_id"}};

/// The row of this word; null if there is none.
template <std::size_t Size>
constexpr block_row const* row_of(std::array<block_row, Size> const& rows, std::string_view word) noexcept {
    for (auto const& row : rows)
        if (row.word == word) return &row;
    return nullptr;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
