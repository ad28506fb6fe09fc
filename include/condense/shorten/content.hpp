// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/json_scan.hpp>
#include <condense/detail/log_line.hpp>
#include <condense/detail/utf8.hpp>

// Guesses the type of a text by its first lines, to choose how to shorten it: content_of(text) == content::diff. A
// wrong guess costs quality, never correctness.

namespace condense {
inline namespace v1 {

/// What a text looks like. `prose` also stands for everything that no other type was recognised in.
enum class content : std::uint8_t { json, log, diff, search_hits, code, prose, binary };

/// "search hits", for reports and markers.
constexpr std::string_view name(content kind) noexcept {
    switch (kind) {
        case content::json: return "json";
        case content::log: return "log";
        case content::diff: return "diff";
        case content::search_hits: return "search hits";
        case content::code: return "code";
        case content::prose: return "prose";
        case content::binary: break;
    }
    return "binary";
}

namespace detail {

/// Bytes that are examined, except to check whether the text is JSON.
inline constexpr std::size_t detection_limit = 4'096;

/// True for a NUL, or if more than one byte in sixteen does not occur in text.
constexpr bool is_binary(std::string_view sample) noexcept {
    std::size_t odd = 0;
    for (std::size_t offset = 0; offset < sample.size();) {
        auto const byte = static_cast<unsigned char>(sample[offset]);
        if (byte >= 0x20 && byte < 0x80) {
            ++offset;
            continue;
        }
        if (byte == 0) return true;
        auto const decoded = utf8::decode(sample, offset);
        bool const control = byte < 0x20 && byte != 0x1B && (byte < '\t' || byte > '\r');
        // A code point cut at the end of the sample is not ill-formed.
        if (control || (!decoded.valid && offset + 4 <= sample.size())) odd += decoded.size;
        offset += decoded.size;
    }
    return odd * 16 > sample.size();
}

constexpr std::string_view without_indent(std::string_view line) noexcept {
    while (!line.empty() && class_of(line.front()) == byte_class::space) line.remove_prefix(1);
    return line;
}

/// How many digits stand at this offset.
constexpr std::size_t digits_at(std::string_view line, std::size_t offset) noexcept {
    auto const begin = offset;
    while (offset < line.size() && class_of(line[offset]) == byte_class::digit) ++offset;
    return offset - begin;
}

constexpr bool begins_with_any(std::string_view line, auto const& words) noexcept {
    for (std::string_view const word : words)
        if (line.starts_with(word)) return true;
    return false;
}

constexpr bool has_any(std::string_view line, auto const& words) noexcept {
    for (std::string_view const word : words)
        if (line.find(word) != std::string_view::npos) return true;
    return false;
}

/// True for "src/main.c:12:  text" or "src/main.c-12-text", false for a compiler's diagnostic.
constexpr bool is_search_hit(std::string_view line) noexcept {
    constexpr std::array<std::string_view, 4> diagnoses = {" error", " warning:", " note:", " fatal"};
    bool path = false;
    for (std::size_t offset = 0; offset < line.size() && class_of(line[offset]) != byte_class::space; ++offset) {
        path = path || class_of(line[offset]) == byte_class::letter;
        if (offset == 0 || !path || (line[offset] != ':' && line[offset] != '-')) continue;
        auto const digits = digits_at(line, offset + 1);
        if (digits == 0 || offset + 1 + digits >= line.size() || line[offset + 1 + digits] != line[offset]) continue;
        auto const file = line.substr(0, offset);
        return has_any(file, std::array<std::string_view, 3>{".", "/", "\\"}) &&
               !has_any(line.substr(offset + 1 + digits, 24), diagnoses);
    }
    return false;
}

/// True for a line with a time or a level near its beginning, a JSON record, or a step of a build or a test.
constexpr bool is_log_line(std::string_view line) noexcept {
    constexpr std::array<std::string_view, 16> levels = {"INFO",   "WARN",   "ERROR",  "DEBUG",   "TRACE", "FATAL",
                                                         "PASS",   "FAIL",   "level=", "error:",  "[info", "[warn",
                                                         "[error", "[debug", "error[", "warning:"};
    line = without_indent(line);
    if (line.starts_with("{\"") && line.ends_with('}')) return true;
    auto const front = line.substr(0, 72);
    if (has_any(front, levels)) return true;
    auto const stamp = line.substr(0, 32);
    std::size_t groups = 0;  // of digits with ':' or '-' between: 12:30:45, 2024-05-01
    for (std::size_t offset = 0; offset < stamp.size();) {
        auto const digits = digits_at(stamp, offset);
        if (digits == 0) {
            ++offset;
            continue;
        }
        offset += digits;
        bool const joined =
            offset < stamp.size() && (stamp[offset] == ':' || stamp[offset] == '-' || stamp[offset] == '/');
        if (joined && digits_at(stamp, offset + 1) >= 2 && ++groups == 2) return true;
    }
    // [ 12%], [3/40]
    return line.starts_with('[') &&
           (line.substr(0, 8).find("%]") != std::string_view::npos ||
            (digits_at(line, 1) != 0 && line.substr(0, 12).find('/') != std::string_view::npos));
}

/// True for a line that begins or ends as lines of common languages do, with or without a line number before it.
constexpr bool is_code_line(std::string_view line) noexcept {
    constexpr std::array<std::string_view, 30> beginnings = {
        "#include", "#define", "#if",        "#endif",   "import ", "from ",  "def ",   "class ",
        "struct ",  "enum ",   "fn ",        "func ",    "pub ",    "return", "const ", "let ",
        "var ",     "if (",    "for (",      "while (",  "} else",  "elif ",  "using ", "public ",
        "private ", "static ", "namespace ", "template", "//",      "/*"};
    constexpr std::array<std::string_view, 7> endings = {"{", "}", ";", ")", "),", ":", "*/"};
    line = without_indent(line);
    if (auto const number = digits_at(line, 0); number != 0) line = without_indent(line.substr(number));  // cat -n
    while (!line.empty() && class_of(line.back()) == byte_class::space) line.remove_suffix(1);
    if (begins_with_any(line, beginnings) || line.find(" = ") != std::string_view::npos) return true;
    for (auto const ending : endings)
        if (line.ends_with(ending)) return true;
    return false;
}

/// How many lines of a sample look like which type; a line may count for several.
struct line_votes {
    std::size_t lines = 0;  ///< without blank ones
    std::size_t hunks = 0;
    std::size_t hits = 0;
    std::size_t logs = 0;
    std::size_t code = 0;
    std::size_t repeated = 0;  ///< of the same shape as one of the sixteen lines before
};

/// Counts the votes of a sample; `complete` if it is the whole text.
constexpr line_votes count_votes(std::string_view sample, bool complete) noexcept {
    line_votes votes;
    std::array<std::uint32_t, 16> shapes{};
    for (std::size_t offset = 0; offset < sample.size();) {
        auto const stop = sample.find('\n', offset);
        // A line cut at the end of the sample counts only if it is the only one.
        if (stop == std::string_view::npos && !complete && votes.lines != 0) break;
        auto line = sample.substr(offset, stop == std::string_view::npos ? stop : stop - offset);
        offset = stop == std::string_view::npos ? sample.size() : stop + 1;
        if (line.ends_with('\r')) line.remove_suffix(1);
        auto const line_info = facts_of_line(line);
        if (without_indent(line).empty()) continue;
        if (line.starts_with("@@ -") || line.starts_with("diff --git ")) ++votes.hunks;
        if (is_search_hit(line)) ++votes.hits;
        if (is_log_line(line)) ++votes.logs;
        if (is_code_line(line)) ++votes.code;
        bool is_repeated = false;
        for (auto const shape : shapes) is_repeated = is_repeated || (shape == line_info.shape && !line_info.blank);
        if (is_repeated) ++votes.repeated;
        else shapes[votes.lines % shapes.size()] = line_info.shape;
        ++votes.lines;
    }
    return votes;
}

}  // namespace detail

/// The type of a text. Examines its first 4 KiB, and all of it if it begins like JSON. The shares of lines that decide
/// are guesses: a hunk makes a diff; half of the lines hits or log lines; two fifths code; half of at least eight lines
/// of few shapes a log, too.
constexpr content content_of(std::string_view text) noexcept {
    auto const sample = text.substr(0, detail::detection_limit);
    if (detail::is_binary(sample)) return content::binary;
    auto const first = sample.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return content::prose;
    if ((sample[first] == '{' || sample[first] == '[') && detail::json::valid(text)) return content::json;
    auto const votes = detail::count_votes(sample, sample.size() == text.size());
    if (votes.hunks != 0) return content::diff;
    if (votes.hits * 2 >= votes.lines) return content::search_hits;
    if (votes.logs * 2 >= votes.lines) return content::log;
    if (votes.code * 5 >= votes.lines * 2) return content::code;
    if (votes.lines >= 8 && votes.repeated * 2 >= votes.lines) return content::log;
    if (votes.logs * 4 >= votes.lines) return content::log;
    return content::prose;
}

/// A callable from a text to its type. It must not fail, and must return the same for the same text.
template <class Detector>
concept content_detector = requires(Detector const& detector, std::string_view text) {
    { detector(text) } -> std::same_as<content>;
};

/// content_of as a default member.
struct default_detector {
    constexpr content operator()(std::string_view text) const noexcept { return content_of(text); }
    friend constexpr bool operator==(default_detector, default_detector) = default;
};

}  // namespace v1
}  // namespace condense
