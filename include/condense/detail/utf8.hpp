// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <condense/detail/saturate.hpp>

// UTF-8 for any bytes: an ill-formed sequence counts as one code point for each of its maximal
// parts (Unicode 15, section 3.9), so counts never fall when bytes are appended.

namespace condense {
inline namespace v1 {
namespace detail::utf8 {

/// One code point of a text, or one ill-formed part that counts as one.
struct step {
    std::size_t size = 1;  ///< in bytes, at least 1
    bool valid = false;
};

/// True for a byte within a code point, not its first.
constexpr bool continues(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

/// The code point that starts at `offset`, which is below `text.size()`. Refuses overlong forms, surrogates and values
/// above U+10FFFF by the range of the second byte.
constexpr step decode(std::string_view text, std::size_t offset) noexcept {
    auto const lead = static_cast<unsigned char>(text[offset]);
    if (lead < 0x80) return {1, true};
    // C0 and C1 would be overlong, F5 and more above U+10FFFF.
    std::size_t const size = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
    if (size == 1 || offset + 1 >= text.size()) return {1, false};
    auto const second = static_cast<unsigned char>(text[offset + 1]);
    // After E0 and F0 low values would be overlong; after ED high ones surrogates, after F4 above U+10FFFF.
    unsigned const low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned const high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (second < low || second > high) return {1, false};
    for (std::size_t index = 2; index < size; ++index)
        if (offset + index >= text.size() || !continues(text[offset + index])) return {index, false};
    return {size, true};
}

/// Where the ASCII that begins at `offset` ends. Reads 32 bytes at a time, then eight.
constexpr std::size_t ascii_end(std::string_view text, std::size_t offset) noexcept {
    if (!std::is_constant_evaluated()) {
        for (std::uint64_t four[4] = {}; text.size() - offset >= sizeof four; offset += sizeof four) {
            std::memcpy(four, text.data() + offset, sizeof four);
            if (((four[0] | four[1] | four[2] | four[3]) & 0x8080'8080'8080'8080u) != 0) break;
        }
        for (std::uint64_t eight = 0; text.size() - offset >= sizeof eight; offset += sizeof eight) {
            std::memcpy(&eight, text.data() + offset, sizeof eight);
            if ((eight & 0x8080'8080'8080'8080u) != 0) break;
        }
    }
    while (offset < text.size() && static_cast<unsigned char>(text[offset]) < 0x80) ++offset;
    return offset;
}

/// The number of code points in `text`. Linear.
constexpr std::uint64_t count(std::string_view text) noexcept {
    std::uint64_t total = 0;
    for (std::size_t offset = 0; offset < text.size();) {
        if (static_cast<unsigned char>(text[offset]) < 0x80) {
            auto const end = ascii_end(text, offset);
            total += end - offset;
            offset = end;
        } else {
            offset += decode(text, offset).size;
            ++total;
        }
    }
    return total;
}

/// The size in bytes of the first `points` code points, at most all of them.
constexpr std::size_t prefix(std::string_view text, std::uint64_t points) noexcept {
    std::size_t offset = 0;
    while (points != 0 && offset < text.size()) {
        if (static_cast<unsigned char>(text[offset]) < 0x80) {
            // Reads no further into a run of ASCII than needed.
            auto const enough = points < text.size() - offset;
            auto const end = ascii_end(enough ? text.substr(0, offset + as_size(points)) : text, offset);
            points -= end - offset;
            offset = end;
        } else {
            offset += decode(text, offset).size;
            --points;
        }
    }
    return offset;
}

/// The offset at which the last `points` code points begin. Reads the text twice.
constexpr std::size_t suffix(std::string_view text, std::uint64_t points) noexcept {
    auto const total = count(text);
    return points >= total ? 0 : prefix(text, total - points);
}

/// The last boundary of code points at or before `offset`. Constant time.
constexpr std::size_t floor(std::string_view text, std::size_t offset) noexcept {
    if (offset >= text.size()) return text.size();
    for (std::size_t back = 0; back < 4 && back <= offset; ++back) {
        auto const start = offset - back;
        if (continues(text[start])) continue;
        auto const point = decode(text, start);
        return start + point.size > offset ? start : offset;
    }
    return offset;
}

/// The first boundary of code points at or after `offset`. Constant time.
constexpr std::size_t ceil(std::string_view text, std::size_t offset) noexcept {
    auto const below = floor(text, offset);
    return below == offset || offset >= text.size() ? below : below + decode(text, below).size;
}

/// True for well-formed UTF-8. `ascii_size`: bytes at the front that are known to be ASCII.
constexpr bool valid(std::string_view text, std::size_t ascii_size = 0) noexcept {
    for (auto offset = ascii_end(text, ascii_size); offset < text.size();) {
        auto const point = decode(text, offset);
        if (!point.valid) return false;
        offset += point.size;
        if (offset < text.size() && static_cast<unsigned char>(text[offset]) < 0x80) offset = ascii_end(text, offset);
    }
    return true;
}

/// Calls sink(piece) for the pieces of `text` with U+FFFD for every ill-formed part.
constexpr void each_scrubbed(std::string_view text, auto const& sink) {
    std::size_t begin = 0;
    for (auto offset = ascii_end(text, 0); offset < text.size();) {
        auto const point = decode(text, offset);
        if (!point.valid) {
            if (begin != offset) sink(text.substr(begin, offset - begin));
            sink(std::string_view{"\xEF\xBF\xBD"});
            begin = offset + point.size;
        }
        offset += point.size;
        if (offset < text.size() && static_cast<unsigned char>(text[offset]) < 0x80) offset = ascii_end(text, offset);
    }
    if (begin != text.size()) sink(text.substr(begin));
}

/// Appends `text`, with U+FFFD for every ill-formed part.
constexpr void append_scrubbed(std::string& out, std::string_view text) {
    each_scrubbed(text, [&out](std::string_view piece) { out.append(piece); });
}

/// The same as a text of its own, allocated once.
constexpr std::string scrubbed_copy(std::string_view text) {
    std::size_t size = 0;
    each_scrubbed(text, [&size](std::string_view piece) { size += piece.size(); });
    std::string out;
    out.reserve(size);
    append_scrubbed(out, text);
    return out;
}

/// `text` itself if it is valid, else a copy with U+FFFD for every ill-formed part.
constexpr std::string scrubbed(std::string text) {
    if (valid(text)) return text;
    return scrubbed_copy(text);
}

}  // namespace detail::utf8

/// Well-formed text: utf8::valid, count, floor, ceil, scrubbed, decode.
namespace utf8 = detail::utf8;

}  // namespace v1
}  // namespace condense
