// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/json_quote.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace {

namespace json = condense::detail::json;

constexpr bool comes_back() {
    for (auto const& [text, escaped] : {std::pair<std::string_view, std::string_view>{"", ""},
                                        {"plain / text", "plain / text"},
                                        {"\"\\", "\\\"\\\\"},
                                        {"\n\r\t\b", "\\n\\r\\t\\u0008"},
                                        {{"\0\x1F\x7F", 3}, "\\u0000\\u001f\\u007f"},
                                        {"\xE2\x82\xAC\xF0\x9F\x98\x80", "\xE2\x82\xAC\xF0\x9F\x98\x80"}}) {
        std::string out;
        json::append_escaped(out, text);
        if (out != escaped) return false;
        out.clear();
        if (!json::append_unescaped(out, escaped) || out != text) return false;
    }
    return true;
}

constexpr bool other_escapes_are_refused() {
    for (std::string_view const escaped :
         {"\"", "a\"b", "\\", "\\x", "\\/", "\\b", "\\u", "\\u00", "\\u000", "\\u00g0", "\\u000g", "\\u0080", "\\u0100",
          "\\u1000", "\\U0000", "\\u00A0", "\\u000A"}) {
        std::string out;
        if (json::append_unescaped(out, escaped)) return false;
    }
    return true;
}

#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS)  // libstdc++ 12 has no strings there with either
static_assert(comes_back());
static_assert(other_escapes_are_refused());
#endif

}  // namespace

TEST_CASE("json_quote: text comes back") {
    CHECK(comes_back());
    CHECK(other_escapes_are_refused());
}

TEST_CASE("json_quote: a parser reads what is written") {
    std::string text;
    for (int byte = 0; byte < 128; ++byte) text.push_back(static_cast<char>(byte));
    text.append("\xC2\x85\xE2\x80\xA8\xED\x9F\xBF");
    std::string escaped;
    json::append_escaped(escaped, text);
    CHECK(nlohmann::json::parse('"' + escaped + '"') == text);
    std::string back;
    CHECK(json::append_unescaped(back, escaped));
    CHECK(back == text);
    for (char const byte : escaped) CHECK((static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F));
}
