// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Escapes text for JSON strings, and reads it back byte for byte.

namespace condense {
inline namespace v1 {
namespace detail::json {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

/// Appends valid UTF-8 with quotes, backslashes and control bytes escaped. At most six times as long as `text`, which
/// is not checked.
constexpr void append_escaped(std::string& out, std::string_view text) {
    for (char const byte : text) {
        auto const value = static_cast<unsigned char>(byte);
        if (byte == '"' || byte == '\\') out.append({'\\', byte});
        else if (byte == '\n') out.append("\\n");
        else if (byte == '\r') out.append("\\r");
        else if (byte == '\t') out.append("\\t");
        else if (value < 0x20 || value == 0x7F)
            out.append("\\u00").append({hex_digits[value >> 4], hex_digits[value & 15u]});
        else out.push_back(byte);
    }
}

/// Appends the decoded text. False if `escaped` uses other escapes than append_escaped writes: a text has one spelling,
/// so that a rewritten line is detected. After false, `out` may have got a part of it.
constexpr bool append_unescaped(std::string& out, std::string_view escaped) {
    for (std::size_t index = 0; index < escaped.size(); ++index) {
        if (escaped[index] == '"') return false;
        if (escaped[index] != '\\') {
            out.push_back(escaped[index]);
            continue;
        }
        if (++index == escaped.size()) return false;
        switch (escaped[index]) {
            case '"':
            case '\\': out.push_back(escaped[index]); break;
            case 'n': out.push_back('\n'); break;
            case 'r': out.push_back('\r'); break;
            case 't': out.push_back('\t'); break;
            case 'u': {
                if (escaped.substr(index, 3) != "u00" || index + 4 >= escaped.size()) return false;
                auto const high = hex_digits.find(escaped[index + 3]);
                auto const low = hex_digits.find(escaped[index + 4]);
                // Stands for one byte of ASCII; larger code points are never escaped.
                if (high > 7 || low > 15) return false;
                out.push_back(static_cast<char>(high * 16 + low));
                index += 4;
                break;
            }
            default: return false;
        }
    }
    return true;
}

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
