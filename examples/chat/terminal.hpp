// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <unistd.h>

#include <condense/detail/utf8.hpp>

#if __has_include(<editline/readline.h>) && !defined(CHAT_WITHOUT_EDIT)
#include <editline/readline.h>
#define CHAT_HAS_EDIT 1
#else
#define CHAT_HAS_EDIT 0
#endif

// What comes from models, files and servers may hold anything; what reaches the terminal is text.

namespace repl {

/// The code point that a valid sequence of UTF-8 stands for.
inline std::uint32_t code_point(std::string_view sequence) noexcept {
    constexpr std::uint32_t lead_bits[] = {0x7F, 0x1F, 0x0F, 0x07};
    std::uint32_t value = static_cast<unsigned char>(sequence[0]) & lead_bits[sequence.size() - 1];
    for (auto const byte : sequence.substr(1)) value = value * 64 + (static_cast<unsigned char>(byte) & 0x3Fu);
    return value;
}

/// Controls of C0 and C1, and what changes the order in which a line is read (bidirectional controls).
inline bool is_control(std::uint32_t point) noexcept {
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x61C || point == 0x200E || point == 0x200F ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF;
}

/// The text with every control but the newline written as `\x1B`, and U+FFFD for what is no UTF-8.
inline std::string printable(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const step = condense::utf8::decode(text, at);
        auto const sequence = text.substr(at, step.size);
        at += step.size;
        if (!step.valid) {
            out.append("\xEF\xBF\xBD");
            continue;
        }
        auto const point = code_point(sequence);
        if (sequence == "\t") out.append("    ");
        else if (sequence == "\n" || !is_control(point)) out.append(sequence);
        else if (point < 0x100) out.append("\\x").append({digits[point / 16], digits[point % 16]});
        else {
            out.append("\\u");
            for (auto shift = 16; shift != 0;) out.push_back(digits[(point >> (shift -= 4)) % 16]);
        }
    }
    return out;
}

/// One line of at most `most` bytes, escaped: for notices that quote something.
inline std::string one_line(std::string_view text, std::size_t most = 200) {
    auto const whole = text.size() <= most;
    auto out = printable(text.substr(0, condense::utf8::floor(text, most)));
    for (std::size_t at = 0; (at = out.find('\n', at)) != out.npos;) out.replace(at, 1, "\\n");
    return whole ? out : out + "...";
}

/// Everything that this program prints goes through here.
inline void show(std::string_view text) { std::cout << printable(text) << std::flush; }

struct input_line {
    std::string text = {};
    bool ended = false;  ///< there is no line any more
    bool too_long = false;
};

/// The next line of the standard input; of one that is too long nothing is kept.
inline input_line read_line(std::size_t most = 1'000'000) {
    input_line line;
    for (auto& from = *std::cin.rdbuf();;) {
        auto const byte = from.sbumpc();
        if (byte == std::char_traits<char>::eof()) {
            line.ended = line.text.empty() && !line.too_long;
            return line;
        }
        if (byte == '\n') return line;
        if (line.text.size() == most) {
            line.too_long = true;
            line.text.clear();
        }
        if (!line.too_long) line.text.push_back(static_cast<char>(byte));
    }
}

/// Lines of the standard input; on a terminal with a prompt, editing and history, where there is libedit.
class line_reader {
public:
    input_line next(char const* prompt) {
        if (!terminal_) return read_line();
#if CHAT_HAS_EDIT
        auto* const held = ::readline(prompt);
        if (held == nullptr) return {.ended = true};
        input_line line{.text = held};
        std::free(held);
        if (!line.text.empty()) ::add_history(line.text.c_str());
        return line;
#else
        show(prompt);
        return read_line();
#endif
    }

private:
    bool terminal_ = ::isatty(STDIN_FILENO) != 0;
};

}  // namespace repl
