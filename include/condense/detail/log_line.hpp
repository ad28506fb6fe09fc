// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Properties of a line of a log of unknown format: its shape, in which all numbers and identifiers are equal, and
// whether it has a word of alarm.

namespace condense {
inline namespace v1 {
namespace detail {

/// Beginnings of words, in lower case and at least four bytes long. Alarms in other languages are detected by the
/// rarity of their shape.
inline constexpr std::array<std::string_view, 18> alarm_stems = {
    "error",  "warn",    "fail",    "fatal",     "exception", "panic",  "traceback", "critical", "abort",
    "denied", "refused", "timeout", "timed out", "segfault",  "assert", "crash",     "killed",   "cannot"};

enum class byte_class : std::uint8_t { other, space, digit, letter };

inline constexpr auto byte_classes = [] {
    std::array<byte_class, 256> out{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        bool const letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte >= 0x80;
        bool const space = byte == ' ' || byte == '\t' || byte == '\r';
        bool const digit = byte >= '0' && byte <= '9';
        out[byte] = letter  ? byte_class::letter
                    : digit ? byte_class::digit
                    : space ? byte_class::space
                            : byte_class::other;
    }
    return out;
}();

constexpr byte_class class_of(char byte) noexcept { return byte_classes[static_cast<unsigned char>(byte)]; }

/// Four bytes as one number, upper and lower case alike, to a slot of 4,096.
constexpr std::uint32_t alarm_slot(std::uint32_t four) noexcept { return (four * 0x9E37'79B1u) >> 20; }

inline constexpr auto alarm_filter = [] {
    std::array<std::uint64_t, 64> bits{};
    for (auto const stem : alarm_stems) {
        std::uint32_t four = 0;
        for (char const byte : stem.substr(0, 4)) four = four << 8 | static_cast<unsigned char>(byte | 0x20);
        bits[alarm_slot(four) / 64] |= std::uint64_t{1} << alarm_slot(four) % 64;
    }
    return bits;
}();

constexpr bool alarm_at(std::string_view text) noexcept {
    for (auto const stem : alarm_stems) {
        std::size_t same = 0;
        while (same < stem.size() && same < text.size() && (text[same] | 0x20) == stem[same]) ++same;
        if (same == stem.size()) return true;
    }
    return false;
}

struct log_line_facts {
    std::uint32_t shape = 0;  ///< equal for lines that differ in words with digits and in white space only
    bool alarming = false;
    bool blank = true;
};

/// Bytes of a line that are examined.
inline constexpr std::size_t log_line_look = 1'024;

/// One pass over a line without its end.
constexpr log_line_facts facts_of_line(std::string_view line) noexcept {
    line = line.substr(0, log_line_look);
    constexpr std::uint64_t prime = 0x100'0000'01B3;  // FNV-1a
    auto const mixed = [](std::uint64_t hash, char byte) { return (hash ^ static_cast<unsigned char>(byte)) * prime; };
    log_line_facts facts;
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    std::uint64_t before_word = hash;
    std::uint32_t four = 0;
    bool in_word = false;
    bool numeric = false;  // the word has a digit
    bool after_word = false;  // with white space between
    for (std::size_t at = 0; at < line.size(); ++at) {
        char const byte = line[at];
        auto const kind = class_of(byte);
        if (kind == byte_class::letter || kind == byte_class::digit) {
            four = four << 8 | static_cast<unsigned char>(byte | 0x20);
            if (auto const slot = alarm_slot(four); (alarm_filter[slot / 64] >> slot % 64 & 1u) != 0)
                facts.alarming = facts.alarming || (at >= 3 && alarm_at(line.substr(at - 3)));
            if (!in_word) {
                if (after_word) hash = mixed(hash, ' ');
                before_word = hash;
                numeric = false;
            }
            in_word = true;
            numeric = numeric || kind == byte_class::digit;
            hash = mixed(hash, byte);
            facts.blank = false;
            continue;
        }
        // 12:30:45.678, 1,234 and 10.0.0.1 are one number each.
        if (in_word && numeric && at + 1 < line.size() && class_of(line[at + 1]) == byte_class::digit &&
            (byte == '.' || byte == ',' || byte == ':' || byte == '-'))
            continue;
        if (in_word && numeric) hash = mixed(before_word, '#');
        after_word = in_word || (after_word && kind == byte_class::space);
        in_word = false;
        if (kind == byte_class::space) continue;
        hash = mixed(hash, byte);
        after_word = facts.blank = false;
    }
    if (in_word && numeric) hash = mixed(before_word, '#');
    facts.shape = static_cast<std::uint32_t>(hash ^ hash >> 32);
    return facts;
}

/// A line without what stands before its first word: figures, brackets, and a T or Z among them.
constexpr std::string_view without_stamp(std::string_view line) noexcept {
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (class_of(line[at]) != byte_class::letter) continue;
        // The T and the Z of 2024-05-01T10:00:00Z, no word that a figure runs into.
        bool const after_digit = at != 0 && class_of(line[at - 1]) == byte_class::digit &&
                                 (at + 1 == line.size() || class_of(line[at + 1]) != byte_class::letter);
        if (!after_digit || (line[at] != 'T' && line[at] != 'Z')) return line.substr(at);
    }
    return line;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
