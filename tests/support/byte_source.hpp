// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Choices that are read from bytes, so that whoever changes the bytes changes the choices. Behind the end of the bytes
// every choice is the first one.

class byte_source {
public:
    explicit byte_source(std::string_view bytes) noexcept : rest_{bytes} {}

    bool empty() const noexcept { return rest_.empty(); }
    /// Eight bytes, the lowest first.
    std::uint64_t next() noexcept { return number(8); }
    /// Takes as few bytes as the limit needs; 0 for a limit of 0.
    std::size_t below(std::size_t limit) noexcept {
        if (limit <= 1) return 0;
        return static_cast<std::size_t>(number(limit <= 256 ? 1 : limit <= 65'536 ? 2 : 8) % limit);
    }
    bool chance(unsigned percent) noexcept { return below(100) < percent; }
    /// Up to so many bytes.
    std::string_view take(std::size_t most) noexcept {
        auto const taken = rest_.substr(0, most);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    std::string_view rest() noexcept { return take(rest_.size()); }
    /// Of all texts the last one may be the longest.
    std::string_view text(std::size_t most) noexcept { return take((std::min)(below(most + 1), rest_.size())); }

private:
    std::uint64_t number(int bytes) noexcept {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 8 * bytes && !rest_.empty(); shift += 8, rest_.remove_prefix(1))
            value |= std::uint64_t{static_cast<unsigned char>(rest_.front())} << shift;
        return value;
    }

    std::string_view rest_;
};
