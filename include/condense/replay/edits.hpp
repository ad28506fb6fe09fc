// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/llm/edits_of_call.hpp>
#include <condense/replay/arguments.hpp>
#include <condense/replay/script.hpp>

// The edits of files among the calls of a conversation: an agent that replaces lines, or writes a file anew, needs the
// very lines, not their names. Computed once for all mixes.

namespace condense {
inline namespace v1 {
namespace detail {

/// An old text that stood exactly in an earlier message.
struct needed_edit {
    std::string old = {};
    std::vector<std::uint32_t> holders = {};  ///< the messages before the answer with a part that holds it, ascending
};

/// Edits by answer. Building searches each earlier text for each old text.
class edit_index {
public:
    edit_index() = default;  ///< of no conversation
    template <class Script>
    explicit edit_index(Script const& script) {
        std::vector<std::vector<std::string>> texts;  // of the messages, read once
        for (std::size_t index = 0; index < script.size(); ++index)
            each_text(script.at(index), [&, &of_message = texts.emplace_back()](std::string_view text) {
                of_message.emplace_back(text);
            });
        auto const holds = [&](std::size_t index, std::string const& wanted) {
            return std::any_of(texts[index].begin(), texts[index].end(),
                               [&](std::string const& text) { return text.find(wanted) != std::string::npos; });
        };
        std::unordered_map<std::string, std::string> files;  // texts that calls have written whole
        for (auto const& span : script.answers()) {
            auto& of_answer = by_answer_.emplace_back();
            auto const add = [&](file_edit const& edit) {
                needed_edit needed{.old = std::string{edit.old.value_or("")}};
                if (!edit.old && edit.text) {
                    needed.old = std::exchange(files[std::string{edit.file}], std::string{*edit.text});
                    if (!edit.writes) return;  // the file is removed
                }
                while (needed.old.ends_with('\n')) needed.old.pop_back();
                if (needed.old.empty()) return;
                for (std::uint32_t earlier = 0; earlier < span.first; ++earlier)
                    if (holds(earlier, needed.old)) needed.holders.push_back(earlier);
                if (!needed.holders.empty()) of_answer.push_back(std::move(needed));
            };
            for (auto index = span.first; index < span.past; ++index)
                each_part(script.at(index), [&](part_view const& part) {
                    if (part.kind == part_kind::tool_call) each_edit(part, usual_edit_members, add);
                });
        }
    }

    /// The edits that an answer makes in text of messages before it.
    std::vector<needed_edit> const& needed(std::size_t answer) const noexcept { return by_answer_[answer]; }

private:
    std::vector<std::vector<needed_edit>> by_answer_;
};

/// True if one part of the request holds the old text. `sent` are the messages of `request`, one by one.
template <class Requests, class Request>
bool shows_edit(needed_edit const& edit, Requests const& sent, Request const& request) {
    auto each = sent.current().begin();
    for (auto const& m : request) {
        auto const index = (each++)->index;
        if (index != none32 ? std::binary_search(edit.holders.begin(), edit.holders.end(), index)
                            : holds_text(m, edit.old))
            return true;
    }
    return false;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
