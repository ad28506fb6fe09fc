// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <condense/detail/callable_ref.hpp>
#include <condense/detail/posix_file.hpp>

// The lines of a file of any size, in memory for the longest of them.

namespace condense {
inline namespace v1 {
namespace detail::posix {

/// Calls f(line, offset, bytes) for each line of the first `size` bytes, without its line break, which the last line
/// may lack. A line longer than `limit` bytes is not read into memory: f gets an empty one, with its length in `bytes`.
/// Returns an errno, 0 at the end. A line lives until f returns.
inline int each_line(descriptor const& file, std::size_t size, std::size_t limit,
                     callable_ref<void(std::string_view line, std::size_t offset, std::size_t bytes)> f) {
    std::string buffer;
    std::string line_start;  // of a line that spans two reads
    bool too_long = false;
    std::size_t begin = 0;  // of the line
    std::size_t offset = 0;
    while (offset < size) {
        buffer.resize(std::min<std::size_t>(size - offset, 65'536));
        auto const [bytes, error] = read_at(file, buffer, offset);
        if (error != 0) return error;
        if (bytes.empty()) break;
        for (auto rest = bytes;;) {
            auto const end = rest.find('\n');
            auto const piece = rest.substr(0, end);
            // A line that is too long is skipped up to its end; what was read of it is forgotten.
            too_long = too_long || piece.size() > limit - line_start.size();
            if (too_long) line_start.clear();
            else if (end == std::string_view::npos || !line_start.empty()) line_start.append(piece);
            offset += piece.size();
            if (end == std::string_view::npos) break;
            f(too_long ? std::string_view{} : line_start.empty() ? piece : line_start, begin, offset - begin);
            line_start.clear();
            too_long = false;
            begin = ++offset;
            rest.remove_prefix(end + 1);
        }
    }
    if (begin < offset) f(std::string_view{line_start}, begin, offset - begin);
    return 0;
}

}  // namespace detail::posix
}  // namespace v1
}  // namespace condense
