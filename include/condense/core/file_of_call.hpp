// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/detail/json_members.hpp>

// Which file a tool call reads or writes: file_of_call{}(part_view).

namespace condense {
inline namespace v1 {

/// The file of a call: the first of these members of its JSON arguments that is a string. Nothing if there is none.
struct file_of_call {
    std::array<std::string_view, 7> members = {"path", "file_path", "filepath",     "filename",
                                               "file", "uri",       "notebook_path"};

    constexpr std::optional<std::string> operator()(part_view const& call) const {
        auto best_rank = members.size();
        std::string_view value_text;
        detail::json::each_member(call.text, [&](std::string_view name, std::string_view value) {
            for (std::size_t rank = 0; rank <= best_rank && rank < members.size(); ++rank)
                if (name == members[rank] && value.front() == '"') {
                    best_rank = rank;
                    value_text = value;
                }
        });
        if (best_rank == members.size()) return std::nullopt;
        return detail::json::string_value(value_text);
    }
    friend constexpr bool operator==(file_of_call const&, file_of_call const&) = default;
};

}  // namespace v1
}  // namespace condense
