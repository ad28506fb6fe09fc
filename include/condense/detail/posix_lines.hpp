// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <condense/detail/posix_file.hpp>

// The lines of a file of any size, in memory for the longest of them.

namespace condense {
inline namespace v1 {
namespace detail::posix {

/// Calls f(line) for each line of the first `size` bytes, without its line break, which the last line may lack. Skips
/// lines longer than `most` without reading them into memory. Returns an errno, 0 at the end.
template <class Function>
int each_line(descriptor const& file, std::size_t size, std::size_t most, Function&& f) {
    std::string room;
    std::string begun;
    bool too_long = false;
    for (std::size_t at = 0; at < size;) {
        room.resize(std::min<std::size_t>(size - at, 65'536));
        auto const [bytes, error] = read_at(file, room, at);
        if (error != 0) return error;
        if (bytes.empty()) break;
        at += bytes.size();
        for (auto rest = bytes;;) {
            auto const end = rest.find('\n');
            auto const piece = rest.substr(0, end);
            too_long = too_long || piece.size() > most - begun.size();
            if (too_long) begun.clear();
            else if (end == std::string_view::npos || !begun.empty()) begun.append(piece);
            if (end == std::string_view::npos) break;
            if (!too_long) f(begun.empty() ? piece : std::string_view{begun});
            begun.clear();
            too_long = false;
            rest.remove_prefix(end + 1);
        }
    }
    if (!begun.empty()) f(std::string_view{begun});
    return 0;
}

}  // namespace detail::posix
}  // namespace v1
}  // namespace condense
