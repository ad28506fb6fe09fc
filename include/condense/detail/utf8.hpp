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

struct step {
    std::size_t size = 1;  ///< bytes taken, at least 1
    bool valid = false;
};

constexpr bool continues(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

/// The code point that starts at `at`, which is below `text.size()`.
constexpr step decode(std::string_view text, std::size_t at) noexcept {
    auto const lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) return {1, true};
    std::size_t const size = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
    if (size == 1 || at + 1 >= text.size()) return {1, false};
    auto const second = static_cast<unsigned char>(text[at + 1]);
    unsigned const low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned const high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (second < low || second > high) return {1, false};
    for (std::size_t taken = 2; taken < size; ++taken)
        if (at + taken >= text.size() || !continues(text[at + taken])) return {taken, false};
    return {size, true};
}

/// Where the ASCII that begins at `at` ends, 32 bytes at a time, then eight.
constexpr std::size_t ascii_end(std::string_view text, std::size_t at) noexcept {
    if (!std::is_constant_evaluated()) {
        for (std::uint64_t four[4] = {}; text.size() - at >= sizeof four; at += sizeof four) {
            std::memcpy(four, text.data() + at, sizeof four);
            if (((four[0] | four[1] | four[2] | four[3]) & 0x8080'8080'8080'8080u) != 0) break;
        }
        for (std::uint64_t eight = 0; text.size() - at >= sizeof eight; at += sizeof eight) {
            std::memcpy(&eight, text.data() + at, sizeof eight);
            if ((eight & 0x8080'8080'8080'8080u) != 0) break;
        }
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}

/// Code points in `text`.
constexpr std::uint64_t count(std::string_view text) noexcept {
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            auto const end = ascii_end(text, at);
            total += end - at;
            at = end;
        } else {
            at += decode(text, at).size;
            ++total;
        }
    }
    return total;
}

/// Bytes of the first `points` code points.
constexpr std::size_t prefix(std::string_view text, std::uint64_t points) noexcept {
    std::size_t at = 0;
    while (points != 0 && at < text.size()) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            auto const enough = points < text.size() - at;
            auto const end = ascii_end(enough ? text.substr(0, at + as_size(points)) : text, at);
            points -= end - at;
            at = end;
        } else {
            at += decode(text, at).size;
            --points;
        }
    }
    return at;
}

/// Where the last `points` code points begin.
constexpr std::size_t suffix(std::string_view text, std::uint64_t points) noexcept {
    auto const total = count(text);
    return points >= total ? 0 : prefix(text, total - points);
}

/// The largest boundary that is not above `at`.
constexpr std::size_t floor(std::string_view text, std::size_t at) noexcept {
    if (at >= text.size()) return text.size();
    for (std::size_t back = 0; back < 4 && back <= at; ++back) {
        auto const start = at - back;
        if (continues(text[start])) continue;
        auto const found = decode(text, start);
        return start + found.size > at ? start : at;
    }
    return at;
}

/// The smallest boundary that is not below `at`.
constexpr std::size_t ceil(std::string_view text, std::size_t at) noexcept {
    auto const below = floor(text, at);
    return below == at || at >= text.size() ? below : below + decode(text, below).size;
}

/// `plain`: where the ASCII at its front ends, if that is known.
constexpr bool valid(std::string_view text, std::size_t plain = 0) noexcept {
    for (auto at = ascii_end(text, plain); at < text.size();) {
        auto const found = decode(text, at);
        if (!found.valid) return false;
        at += found.size;
        if (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) at = ascii_end(text, at);
    }
    return true;
}

/// Appends `text`, with U+FFFD for every ill-formed part.
constexpr void append_scrubbed(std::string& out, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        auto const found = decode(text, at);
        if (found.valid) out.append(text.substr(at, found.size));
        else out.append("\xEF\xBF\xBD");
        at += found.size;
    }
}

/// `text` itself where it is valid, else a copy with U+FFFD for every ill-formed part.
constexpr std::string scrubbed(std::string text) {
    if (valid(text)) return text;
    std::string out;
    out.reserve(text.size());
    append_scrubbed(out, text);
    return out;
}

}  // namespace detail::utf8

/// Well-formed text: utf8::valid, count, floor, ceil, scrubbed, decode.
namespace utf8 = detail::utf8;

}  // namespace v1
}  // namespace condense
