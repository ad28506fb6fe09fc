// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/json_scan.hpp>

// Reads the members of a JSON object in place, and decodes its strings.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// Calls f(name, value) for each member, both as spelt, the name without its quotes. False, without any call, if `text`
/// is no JSON object. Views into `text`; reads it twice, so that f never sees members of a broken text.
template <class Function>
constexpr bool each_member(std::string_view text, Function&& f) {
    scanner scan{text};
    if (scan.next() != token::object || !valid(text)) return false;
    while (scan.next() == token::key) {
        auto const name = scan.text().substr(1, scan.text().size() - 2);
        bool const container = opens(scan.next());
        f(name, container ? scan.skip() : scan.text());
    }
    return true;
}

/// The value of hexadecimal digits, which the scanner has checked.
constexpr std::uint32_t read_hex(std::string_view digits) noexcept {
    std::uint32_t value = 0;
    for (char const digit : digits)
        value = value * 16 + static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    return value;
}

/// Appends the UTF-8 of a code point, which is no surrogate.
constexpr void append_code_point(std::string& out, std::uint32_t point) {
    auto const push = [&out](std::uint32_t byte) {
        out.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
    };
    if (point < 0x80) return push(point);
    if (point < 0x800) push(0xC0 | point >> 6);
    else if (point < 0x10000) {
        push(0xE0 | point >> 12);
        push(0x80 | (point >> 6 & 0x3F));
    } else {
        push(0xF0 | point >> 18);
        push(0x80 | (point >> 12 & 0x3F));
        push(0x80 | (point >> 6 & 0x3F));
    }
    push(0x80 | (point & 0x3F));
}

/// Decodes a valid JSON string, given with its quotes; half of a surrogate pair becomes U+FFFD.
constexpr std::string string_value(std::string_view quoted) {
    std::string out;
    auto const text = quoted.substr(1, quoted.size() - 2);
    for (std::size_t position = 0; position < text.size(); ++position) {
        auto const plain = text.substr(position, text.find('\\', position) - position);
        out.append(plain);
        position += plain.size();
        if (position == text.size()) break;
        switch (text[++position]) {
            case 'b': out.push_back('\b'); break;
            case 'f': out.push_back('\f'); break;
            case 'n': out.push_back('\n'); break;
            case 'r': out.push_back('\r'); break;
            case 't': out.push_back('\t'); break;
            case 'u': {
                auto point = read_hex(text.substr(position + 1, 4));
                position += 4;
                if (point >= 0xD800 && point < 0xE000) {
                    // A high surrogate and the low one after it are one code point.
                    bool const pair = point < 0xDC00 && text.substr(position + 1, 2) == "\\u";
                    auto const low = pair ? read_hex(text.substr(position + 3, 4)) : 0u;
                    bool const paired = low >= 0xDC00 && low < 0xE000;
                    point = paired ? 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
                    if (paired) position += 6;
                }
                append_code_point(out, point);
                break;
            }
            default: out.push_back(text[position]);
        }
    }
    return out;
}

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
