// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_blocks.hpp>
#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/core/quantity.hpp>

// Asks a provider, in a request body, to reduce the conversation by its own means:
// `if (auto const beta = condense::ask_provider(body, condense::json_shape::anthropic, 120'000_tokens)) header(*beta);`

namespace condense {
inline namespace v1 {

/// Which means of a provider are asked for, where it has them.
struct provider_means {
    bool compact = true;  ///< Anthropic, OpenAI: it writes a summary, which comes back in its answer
    bool clear_results = true;  ///< Anthropic: the model no longer reads old results of tools
    std::uint32_t keep_results = 3;  ///< how many of the newest results are never cleared
    bool truncate = false;  ///< OpenAI: it drops the oldest where a request does not fit, be it the task
};

/// Adds the members that ask a provider to reduce from so many tokens of a request on, and returns the value of the
/// header `anthropic-beta` that the request needs, which may be empty. Nothing for a shape whose provider has no such
/// means, and for a body that asks by itself; the body stays as it is. Every further request has to carry the same.
///
/// Anthropic compacts from 50,000 tokens on, at the least, and keeps its thinking here, as clearing that costs the
/// cache. Names and limits are those of "Context editing" and "Compaction" at https://platform.claude.com/docs and of
/// the compaction guide at https://developers.openai.com (2026-11).
template <json_type Json>
std::optional<std::string_view> ask_provider(Json& body, json_shape shape, tokens at,
                                             provider_means const& means = {}) {
    auto const is = [&](json_shape one) { return shape == one; };
    if (!body.is_object() || !(is(json_shape::anthropic) || is(json_shape::responses)) ||
        detail::member_of(body, "context_management") != nullptr)
        return std::nullopt;
    std::string edits;
    auto const add = [&](std::string_view edit, std::optional<std::uint64_t> count = {}) {
        edits.append(edits.empty() ? "" : ",").append(edit);
        if (count) edits.append(std::to_string(*count));
    };
    if (is(json_shape::responses)) {
        if (means.truncate && detail::member_of(body, "truncation") == nullptr) body["truncation"] = "auto";
        if (!means.compact) return means.truncate ? std::optional{std::string_view{}} : std::nullopt;
        add(R"({"type":"compaction","compact_threshold":)", at.count);
        body["context_management"] = parse_json<Json>("[" + edits + "}]").value;
        return std::string_view{};
    }
    auto const* const thinking = detail::object_member(std::as_const(body), "thinking");
    if (means.clear_results && thinking != nullptr && detail::text_member(*thinking, "type") != "disabled")
        add(R"({"type":"clear_thinking_20251015","keep":"all"})");
    if (means.clear_results) {
        add(R"({"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":)", at.count);
        edits += R"(},"keep":{"type":"tool_uses","value":)" + std::to_string(means.keep_results) + "}}";
    }
    constexpr std::uint64_t least = 50'000;
    if (means.compact) {
        add(R"({"type":"compact_20260112","trigger":{"type":"input_tokens","value":)",
            at.count < least ? least : at.count);
        edits += "}}";
    }
    if (edits.empty()) return std::nullopt;
    body["context_management"] = parse_json<Json>(R"({"edits":[)" + edits + "]}").value;
    if (!means.compact) return "context-management-2025-06-27";
    return means.clear_results ? "context-management-2025-06-27,compact-2026-01-12" : "compact-2026-01-12";
}

/// Asks for a compaction in the answer to this one request, whatever its size, and returns the value of the header
/// `anthropic-beta` that it needs, and with it each later request that holds the compaction. The answer's message,
/// pushed into a session, stands for all before it: see leave_to_provider. Nothing for other shapes, for a body that
/// asks by itself, and for one that ends with an open call; Anthropic wants no forced tool, stop sequence or format
/// beside it.
///
/// "Compaction on demand" at https://platform.claude.com/docs, and `compaction_trigger`, the last item of OpenAI's
/// input (2026-11).
template <json_type Json>
std::optional<std::string_view> ask_for_compaction(Json& body, json_shape shape) {
    auto* const list = !body.is_object()                ? nullptr
                       : shape == json_shape::anthropic ? detail::member_of(body, "messages")
                       : shape == json_shape::responses ? detail::member_of(body, "input")
                                                        : nullptr;
    if (list == nullptr || !list->is_array() || list->empty()) return std::nullopt;
    for (auto const* const asked : {"context_management", "compaction"})
        if (detail::member_of(body, asked) != nullptr) return std::nullopt;
    auto const& last = (*list)[list->size() - 1];
    auto const type = detail::text_member(last, "type");
    bool is_open = type.ends_with("_call") || type == "compaction_trigger";
    if (auto const* const blocks = detail::member_of(last, "content"); blocks != nullptr && blocks->is_array())
        for (auto const& block : *blocks) is_open = is_open || detail::text_member(block, "type") == "tool_use";
    if (is_open) return std::nullopt;
    if (shape == json_shape::responses) {
        list->push_back(parse_json<Json>(R"({"type":"compaction_trigger"})").value);
        return std::string_view{};
    }
    body["compaction"] = parse_json<Json>(R"({"type":"summarize"})").value;
    return "compact-2026-09-04";
}

}  // namespace v1
}  // namespace condense
