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

/// Kinds of bytes in a log. Letters are those of words: underscores and bytes outside ASCII too.
enum class byte_class : std::uint8_t { other, space, digit, letter };

/// The class of each byte.
inline constexpr auto byte_classes = [] {
    std::array<byte_class, 256> classes{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        bool const letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte >= 0x80;
        bool const space = byte == ' ' || byte == '\t' || byte == '\r';
        bool const digit = byte >= '0' && byte <= '9';
        classes[byte] = letter  ? byte_class::letter
                        : digit ? byte_class::digit
                        : space ? byte_class::space
                                : byte_class::other;
    }
    return classes;
}();

constexpr byte_class class_of(char byte) noexcept { return byte_classes[static_cast<unsigned char>(byte)]; }

/// The slot, of 4,096, of four lower-case bytes in one number.
constexpr std::uint32_t alarm_slot(std::uint32_t bytes) noexcept { return (bytes * 0x9E37'79B1u) >> 20; }

/// A bit for the slot of each stem's first four bytes: most positions of a line are dismissed by one look.
inline constexpr auto alarm_filter = [] {
    std::array<std::uint64_t, 64> bits{};
    for (auto const stem : alarm_stems) {
        std::uint32_t bytes = 0;
        for (char const byte : stem.substr(0, 4)) bytes = bytes << 8 | static_cast<unsigned char>(byte | 0x20);
        bits[alarm_slot(bytes) / 64] |= std::uint64_t{1} << alarm_slot(bytes) % 64;
    }
    return bits;
}();

/// True if the text begins with a stem, in any case.
constexpr bool alarm_at(std::string_view text) noexcept {
    for (auto const stem : alarm_stems) {
        std::size_t matched = 0;
        while (matched < stem.size() && matched < text.size() && (text[matched] | 0x20) == stem[matched]) ++matched;
        if (matched == stem.size()) return true;
    }
    return false;
}

/// What a log's excerpt needs to know of a line.
struct log_line_facts {
    std::uint32_t shape = 0;  ///< equal for lines that differ in words with digits and in white space only
    bool alarming = false;    ///< one of its words has an alarm stem, at any place
    bool blank = true;        ///< it has nothing but white space
};

/// Bytes of a line that are examined: of longer ones the rest does not matter, which bounds the cost.
inline constexpr std::size_t log_line_look = 1'024;

/// Reads a line, given without its line break, in one pass.
constexpr log_line_facts facts_of_line(std::string_view line) noexcept {
    line = line.substr(0, log_line_look);
    // FNV-1a over the line, in which a word with a digit counts as `#` and white space between words as one space.
    constexpr std::uint64_t prime = 0x100'0000'01B3;  // FNV-1a
    auto const mixed = [](std::uint64_t hash, char byte) { return (hash ^ static_cast<unsigned char>(byte)) * prime; };
    log_line_facts facts;
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    std::uint64_t before_word = hash;
    std::uint32_t latest_bytes = 0;  // the last four bytes of words, in lower case
    bool in_word = false;
    bool numeric = false;  // the word has a digit
    bool after_word = false;  // a word, then only white space
    for (std::size_t index = 0; index < line.size(); ++index) {
        char const byte = line[index];
        auto const kind = class_of(byte);
        if (kind == byte_class::letter || kind == byte_class::digit) {
            latest_bytes = latest_bytes << 8 | static_cast<unsigned char>(byte | 0x20);
            if (auto const slot = alarm_slot(latest_bytes); (alarm_filter[slot / 64] >> slot % 64 & 1u) != 0)
                facts.alarming = facts.alarming || (index >= 3 && alarm_at(line.substr(index - 3)));
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
        if (in_word && numeric && index + 1 < line.size() && class_of(line[index + 1]) == byte_class::digit &&
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

/// A line from its first word on, without the stamp before it: digits, brackets, and the T or Z of a time. A line
/// without words stays as it is.
constexpr std::string_view without_stamp(std::string_view line) noexcept {
    for (std::size_t index = 0; index < line.size(); ++index) {
        if (class_of(line[index]) != byte_class::letter) continue;
        // The T and the Z of 2024-05-01T10:00:00Z, no word that a figure runs into.
        bool const after_digit = index != 0 && class_of(line[index - 1]) == byte_class::digit &&
                                 (index + 1 == line.size() || class_of(line[index + 1]) != byte_class::letter);
        if (!after_digit || (line[index] != 'T' && line[index] != 'Z')) return line.substr(index);
    }
    return line;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
