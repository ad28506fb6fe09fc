// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

// Keeps both ends of a text, by hand: whole code points, a marker between them that says what is missing.

namespace by_hand {

/// Bytes of the code point at `at`, 0 where it is ill-formed.
inline std::size_t well_formed(std::string_view text, std::size_t at) {
    auto const byte = [&](std::size_t ahead) { return static_cast<unsigned char>(text[at + ahead]); };
    auto const left = text.size() - at;
    if (byte(0) < 0x80) return 1;
    std::size_t const size = byte(0) < 0xC2 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : byte(0) < 0xF5 ? 4 : 0;
    if (size == 0 || left < size) return 0;
    for (std::size_t ahead = 1; ahead < size; ++ahead)
        if ((byte(ahead) & 0xC0u) != 0x80u) return 0;
    if (byte(0) == 0xE0 && byte(1) < 0xA0) return 0;
    if (byte(0) == 0xED && byte(1) > 0x9F) return 0;
    if (byte(0) == 0xF0 && byte(1) < 0x90) return 0;
    if (byte(0) == 0xF4 && byte(1) > 0x8F) return 0;
    return size;
}

/// Code points of a text; nothing where it is not UTF-8.
inline std::optional<std::uint64_t> points_of(std::string_view text) {
    std::uint64_t points = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::uint64_t eight = 0;
        if (text.size() - at >= sizeof eight) {
            std::memcpy(&eight, text.data() + at, sizeof eight);
            if ((eight & 0x8080'8080'8080'8080u) == 0) {
                at += sizeof eight;
                points += sizeof eight;
                continue;
            }
        }
        auto const size = well_formed(text, at);
        if (size == 0) return std::nullopt;
        at += size;
        ++points;
    }
    return points;
}

/// Where `points` code points of well-formed text end, from the front or from the back.
inline std::size_t front_of(std::string_view text, std::uint64_t points) {
    std::size_t at = 0;
    for (; points != 0 && at < text.size(); --points) do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u);
    return at;
}
inline std::size_t back_of(std::string_view text, std::uint64_t points) {
    auto at = text.size();
    for (; points != 0 && at != 0; --points) do
            --at;
        while (at != 0 && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u);
    return at;
}

inline void append_grouped(std::string& out, std::uint64_t value) {
    auto const digits = std::to_string(value);
    for (std::size_t at = 0; at < digits.size(); ++at) {
        if (at != 0 && (digits.size() - at) % 3 == 0) out.push_back(',');
        out.push_back(digits[at]);
    }
}

/// So many characters of either end of well-formed text; nothing where that would not be shorter.
inline std::optional<std::string> both_ends(std::string_view text, std::uint64_t points, std::uint64_t each,
                                            std::string_view way_back) {
    if (points <= 2 * each) return std::nullopt;
    bool const ascii = points == text.size();
    auto const head = ascii ? static_cast<std::size_t>(each) : front_of(text, each);
    auto const tail = ascii ? text.size() - static_cast<std::size_t>(each) : back_of(text, each);
    if (tail - head <= 192) return std::nullopt;
    std::uint64_t missing = points - 2 * each;
    std::uint64_t total = points;
    std::string_view what = "characters";
    if (text[head - 1] == '\n' && text[tail - 1] == '\n') {
        auto const lines = [](std::string_view part) {
            std::uint64_t ends = part.empty() || part.back() == '\n' ? 0 : 1;
            for (char const byte : part) ends += byte == '\n' ? 1u : 0u;
            return ends;
        };
        missing = lines(text.substr(head, tail - head));
        total = lines(text);
        what = "lines";
    }
    std::string out;
    out.reserve(head + (text.size() - tail) + 192);
    out.append(text.substr(0, head));
    if (out.back() != '\n') out.push_back('\n');
    out.append("[... ");
    append_grouped(out, missing);
    out.append(" of ");
    append_grouped(out, total);
    out.append(" ").append(what).append(" omitted");
    if (!way_back.empty()) out.append("; ").append(way_back);
    out.append(" ...]\n");
    out.append(text.substr(tail));
    if (out.size() >= text.size()) return std::nullopt;
    return out;
}

/// The text with U+FFFD for what is ill-formed; each of its maximal parts counts once.
inline std::string mended(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        auto size = well_formed(text, at);
        if (size != 0) out.append(text.substr(at, size));
        else {
            out.append("\xEF\xBF\xBD");
            size = 1;
            auto const lead = static_cast<unsigned char>(text[at]);
            std::size_t const wanted = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
            std::string probe{text.substr(at, 1)};
            for (; size < wanted && at + size < text.size(); ++size) {  // the longest that could still become one
                probe.push_back(text[at + size]);
                auto whole = probe;
                while (whole.size() < wanted) whole.push_back('\xBF');
                auto other = probe;
                while (other.size() < wanted) other.push_back('\x80');
                if (well_formed(whole, 0) == 0 && well_formed(other, 0) == 0) break;
            }
        }
        at += size;
    }
    return out;
}

/// Both ends of any bytes over `most` characters.
inline std::optional<std::string> shorter(std::string_view text, std::uint64_t most, std::uint64_t each,
                                          std::string_view way_back) {
    if (text.size() <= most) return std::nullopt;
    if (auto const points = points_of(text))
        return *points <= most ? std::nullopt : both_ends(text, *points, each, way_back);
    auto const clean = mended(text);
    auto const points = *points_of(clean);
    auto made = points <= most ? std::nullopt : both_ends(clean, points, each, way_back);
    if (made && made->size() >= text.size()) made.reset();
    return made;
}

}  // namespace by_hand
