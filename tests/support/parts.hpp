// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>
#include <vector>

/// Views of what stands between separators, at least one: parts_of("a|bc|\n") has three.
inline std::vector<std::string_view> parts_of(std::string_view all, char separator = '|') {
    std::vector<std::string_view> parts;
    for (;;) {
        auto const end = all.find(separator);
        parts.push_back(all.substr(0, end));
        if (end == std::string_view::npos) return parts;
        all.remove_prefix(end + 1);
    }
}
