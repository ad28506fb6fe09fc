// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/store/content_hash.hpp>

// What stores and journals must give back byte for byte, and ids that must not matter.

namespace store_tests {

inline std::vector<std::string> contents() {
    std::vector<std::string> all{
        "",
        "text",
        "{\"role\":\"user\",\"content\":\"hi\"}",
        "{\"b\":1.00,\"a\":1e5,\"a\":-0,\"big\":123456789012345678901234567890}",
        " {\t\"spaced\" : [ 1 , 2 ] } ",
        "{\n  \"pretty\": true\r\n}",
        "12",
        "\"a string\"",
        "null",
        "{\"check\":\"x\"}}",
        "not JSON: {\"a\":",
        "quotes \" and \\ and \\u0041 and \x7F",
        "\"}\n{\"number\":0,\"name\":\"000000000000000000000000\",\"made\":true}\n",
        "line\nbreaks\r\n\n",
        "\n",
        std::string("\0", 1),
        std::string("\0\xFF\x80 bytes \0", 11),
        "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
        "cut \xE2\x82",
        "\xED\xA0\x80",
        "\xFF",
        "\xFF\xFE",
        "\xFF\xFE\xFD",
        std::string(127, '[') + "1" + std::string(127, ']'),
        std::string(129, '[') + "1" + std::string(129, ']'),
        std::string(100'000, '['),
        "[\"" + std::string(1'000'000, 'x') + "\"]",
        std::string(1'000'000, '\xFE'),
    };
    std::string every;
    for (int byte = 0; byte < 256; ++byte) every.push_back(static_cast<char>(byte));
    all.push_back(every);
    all.push_back(every.substr(0, 128));
    std::string lines;
    while (lines.size() < 1'000'000) lines.append("a line of text\n");
    all.push_back(lines);
    return all;
}

inline std::vector<std::string> conversations() {
    return {"c",
            "",
            "../../x",
            "/etc/passwd",
            ".",
            std::string("\0a", 2),
            std::string("\0b", 2),
            "\xF0\x9F\x98\x80",
            "\xFF\xFE",
            "a\nb",
            "%s%n; rm -rf *",
            std::string(1'000'000, 'i')};
}

/// Gives every content the same name at the first attempts.
struct colliding_hash {
    condense::reference operator()(std::string_view content, std::uint64_t attempt) const {
        auto name = condense::content_hash{}(attempt < 2 ? "" : content, attempt);
        if (attempt < 2) name.digest[0] = static_cast<std::uint8_t>(attempt);
        return name;
    }
};

}  // namespace store_tests
