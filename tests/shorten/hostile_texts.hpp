// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The texts that a shortener meets once in its life.

namespace laws {

struct hostile_text {
    std::string_view name;
    std::string text;
};

/// Texts of `size` bytes, a megabyte say, each of which is the worst for some way to read it.
inline std::vector<hostile_text> hostile_texts(std::size_t size) {
    auto const times = [size](std::string_view piece, std::string front = {}, std::string_view back = {}) {
        while (front.size() < size) front += piece;
        return front += back;
    };
    auto const half = [size](char byte) { return std::string(size / 2, byte); };
    std::string keys{"{"};
    for (std::size_t key = 0; keys.size() < size; ++key)
        keys += "\"k" + std::to_string(key) + "\":" + std::to_string(key * 7) + ",";
    std::string rows{"["};
    for (std::size_t row = 0; rows.size() < size; ++row)
        rows += R"({"id":)" + std::to_string(row) + R"(,"k)" + std::to_string(row % 5'000) + R"(":"v)" +
                std::to_string(row * row) + "\"},\n";
    std::string different;
    for (std::size_t line = 0; different.size() < size; ++line) {
        for (auto left = line; left != 0; left /= 26) different += static_cast<char>('a' + left % 26);
        different += line % 3 == 0 ? " error\n" : " = 12\n";
    }
    std::string fibonacci{"a"};  // words of it have the most borders
    for (std::string before{"b"}; fibonacci.size() < size;) before = std::exchange(fibonacci, fibonacci + before);
    return {{"one line", std::string(size, 'x')},
            {"line ends", std::string(size, '\n')},
            {"short lines", times("a\n")},
            {"lines all different", different},
            {"carriage returns", std::string(size, '\r')},
            {"NUL", std::string(size, '\0')},
            {"ill-formed", std::string(size, '\xFF')},
            {"continuations", std::string(size, '\x80')},
            {"unfinished", times("\xF0\x9F\x98")},
            {"Han", times("\xE6\xBC\xA2")},
            {"combining marks", times("\xCC\x81", "e")},
            {"joined emoji", times("\xF0\x9F\x91\xA9\xE2\x80\x8D")},
            {"open brackets", std::string(size, '[')},
            {"nested arrays", half('[') + half(']')},
            {"nested objects", times(R"({"a":)")},
            {"quotes", std::string(size, '"')},
            {"backslashes", "\"" + std::string(size, '\\')},
            {"one JSON string", "[\"" + std::string(size, 'x') + "\"]"},
            {"escapes", times("\\ud83d\\ude00", "{\"path\":\"a\",\"content\":\"", "\"}")},
            {"numbers", times("1,", "[", "1]")},
            {"one number", "[" + std::string(size, '1') + "]"},
            {"empty objects", times("{},", "[", "{}]")},
            {"arrays of one", times("[1],", "[", "[1]]")},
            {"keys", keys + "\"end\":0}"},
            {"the same key", times("\"k\":1,", "{", "\"k\":1}")},
            {"rows", rows + "{}]"},
            {"white space in JSON", "[" + std::string(size, ' ') + "1]"},
            {"errors", times("error: x\n")},
            {"markers", times("[... 3 of 9 lines omitted ...]\n")},
            {"no period", fibonacci.substr(0, size)},
            {"almost repeated", half('a') + "b" + half('a')},
            {"search hits", times("a.c:1:x\n")},
            {"hunks", times("@@ -1 +1 @@\n+a\n-b\n")}};
}

}  // namespace laws
