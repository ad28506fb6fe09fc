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

}  // namespace v1
}  // namespace condense
