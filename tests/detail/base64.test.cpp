// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/base64.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "support/catch.hpp"

namespace {

namespace base64 = condense::detail::base64;

/// The test vectors of RFC 4648, section 10.
constexpr bool is_as_published() {
    for (auto const& [bytes, text] : {std::pair<std::string_view, std::string_view>{"", ""},
                                      {"f", "Zg=="},
                                      {"fo", "Zm8="},
                                      {"foo", "Zm9v"},
                                      {"foob", "Zm9vYg=="},
                                      {"fooba", "Zm9vYmE="},
                                      {"foobar", "Zm9vYmFy"},
                                      {"\xFB\xFF\xFE", "+//+"}}) {
        std::string out;
        base64::append(out, bytes);
        if (out != text) return false;
        out.clear();
        if (!base64::append_decoded(out, text) || out != bytes) return false;
    }
    return true;
}

constexpr bool anything_else_is_refused() {
    for (std::string_view const text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zg=a", "Zm9v\n",
                                        "Zm 9", "Zm-_", "Zm9vYmF", "\xFFm9v"}) {
        std::string out;
        if (base64::append_decoded(out, text)) return false;
    }
    return true;
}

#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS)  // libstdc++ 12 has no strings there with either
static_assert(is_as_published());
static_assert(anything_else_is_refused());
#endif

}  // namespace

TEST_CASE("base64: published vectors") {
    CHECK(is_as_published());
    CHECK(anything_else_is_refused());
}

TEST_CASE("base64: any bytes come back, and no text stands for the same bytes twice") {
    std::string bytes;
    for (int value = 0; value < 600; ++value) {
        std::string text;
        base64::append(text, bytes);
        CHECK(text.size() == (bytes.size() + 2) / 3 * 4);
        std::string back;
        CHECK(base64::append_decoded(back, text));
        CHECK(back == bytes);
        bytes.push_back(static_cast<char>(value * 7));
    }
    std::string const text{"Zg=="};
    int accepted = 0;
    for (std::size_t place = 0; place < text.size(); ++place)
        for (int value = 0; value < 256; ++value) {
            auto changed = text;
            changed[place] = static_cast<char>(value);
            std::string back;
            if (!base64::append_decoded(back, changed)) continue;
            std::string again;
            base64::append(again, back);
            CHECK(again == changed);
            ++accepted;
        }
    CHECK(accepted == 64 + 4 + 17 + 1);
}
