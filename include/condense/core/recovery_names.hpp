// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <condense/core/quantity.hpp>

// The tools by which an agent gets back what has left the conversation. Layers know their results by these names, so
// that what was read back is not stored again.

namespace condense {
inline namespace v1 {

/// The names that recovery_tools gives its tools.
inline constexpr std::array<std::string_view, 7> recovery_tool_names{
    "read_artifact",  "list_artifacts", "search_artifacts", "read_message",
    "recent_history", "search_history", "list_sessions"};

/// Whether an agent has them: presets then name them in markers and summaries.
enum class agent_tools : bool { none, recovery };

/// The longest result of such a tool; a longer one is as large as any other.
inline constexpr chars most_recovered{8'000};

/// True for these names, also behind the prefix that a client puts before them: "mcp__recall__read_artifact".
constexpr bool is_recovery_tool(std::string_view tool) noexcept {
    for (auto const name : recovery_tool_names)
        if (tool.ends_with(name) && (tool.size() == name.size() || tool[tool.size() - name.size() - 1] == '_' ||
                                     tool[tool.size() - name.size() - 1] == '.'))
            return true;
    return false;
}

/// True if a text names one of them, as calls of these tools and their results do.
constexpr bool names_recovery_tool(std::string_view text) noexcept {
    for (auto const name : recovery_tool_names)
        if (text.find(name) != std::string_view::npos) return true;
    return false;
}

}  // namespace v1
}  // namespace condense
