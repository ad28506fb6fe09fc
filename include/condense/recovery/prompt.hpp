// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/pass.hpp>
#include <condense/recovery/tool_definitions.hpp>

// What an agent is told of the tools by which it gets its past back: recovery_prompt<decltype(mix)>(tools).

namespace condense {
inline namespace v1 {

/// A text for the system prompt that names the recoveries there are: those that the pipeline makes possible and
/// `tools`, a recovery_tools, offers. Empty if there is none. About 150 tokens for all.
template <class Mix, class Tools>
std::string recovery_prompt(Tools const& tools) {
    std::string out;
    auto const name = [&](std::size_t place) { return "`" + std::string{recovery_tool_names[place]} + "`"; };
    if ((Mix::effects & externalizes) && tools.has(recovery_tool_names[0]))
        out += "- A tool result that was too long is cut, and names a reference of 24 digits in its place: " + name(0) +
               " reads it page by page, " + name(2) + " finds words in all such results, " + name(1) + " lists them.\n";
    if (Mix::records && tools.has(recovery_tool_names[3]))
        out += "- Earlier messages may be missing, shortened, or replaced by a summary: " + name(5) +
               " finds words in all of them, " + name(3) + " reads one in full, " + name(4) +
               " shows the latest as they were.\n";
    if (out.empty()) return out;
    if (Mix::journals && tools.has(recovery_tool_names[6]))
        out += "- " + name(6) + " lists the conversations that were recorded.\n";
    return "Parts of this conversation may be taken out so that it fits. Nothing is lost:\n" + out +
           "Look there before you ask the user again or repeat a call. Words to search for are literal: names, paths "
           "and numbers find more than sentences.\n";
}

/// The same for a pipeline at hand.
template <class Mix, class Tools>
std::string recovery_prompt(Mix const&, Tools const& tools) {
    return recovery_prompt<Mix>(tools);
}

}  // namespace v1
}  // namespace condense
