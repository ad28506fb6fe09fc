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
/// is no JSON object.
template <class Function>
constexpr bool each_member(std::string_view text, Function&& f) {
    scanner read{text};
    if (read.next() != token::object || !valid(text)) return false;
    while (read.next() == token::key) {
        auto const name = read.text().substr(1, read.text().size() - 2);
        bool const container = opens(read.next());
        f(name, container ? read.skip() : read.text());
    }
    return true;
}

constexpr std::uint32_t read_hex(std::string_view digits) noexcept {
    std::uint32_t value = 0;
    for (char const digit : digits)
        value = value * 16 + static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    return value;
}

constexpr void append_code_point(std::string& out, std::uint32_t point) {
    auto const put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
    if (point < 0x80) return put(point);
    if (point < 0x800) put(0xC0 | point >> 6);
    else if (point < 0x10000) {
        put(0xE0 | point >> 12);
        put(0x80 | (point >> 6 & 0x3F));
    } else {
        put(0xF0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3F));
        put(0x80 | (point >> 6 & 0x3F));
    }
    put(0x80 | (point & 0x3F));
}

/// Decodes a JSON string given with its quotes; half of a surrogate pair becomes U+FFFD.
constexpr std::string string_value(std::string_view quoted) {
    std::string out;
    auto const text = quoted.substr(1, quoted.size() - 2);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') {
            out.push_back(text[at]);
            continue;
        }
        switch (text[++at]) {
            case 'b': out.push_back('\b'); break;
            case 'f': out.push_back('\f'); break;
            case 'n': out.push_back('\n'); break;
            case 'r': out.push_back('\r'); break;
            case 't': out.push_back('\t'); break;
            case 'u': {
                auto point = read_hex(text.substr(at + 1, 4));
                at += 4;
                if (point >= 0xD800 && point < 0xE000) {
                    bool const pair = point < 0xDC00 && text.substr(at + 1, 2) == "\\u";
                    auto const low = pair ? read_hex(text.substr(at + 3, 4)) : 0u;
                    bool const whole = low >= 0xDC00 && low < 0xE000;
                    point = whole ? 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
                    if (whole) at += 6;
                }
                append_code_point(out, point);
                break;
            }
            default: out.push_back(text[at]);
        }
    }
    return out;
}

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
