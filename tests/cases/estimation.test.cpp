// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_aware.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::script_aware;

template <class Family>
void counts_every_script() {
    script_aware<Family> const count;
    // 24 characters: "I go to the library and borrow three new books."
    constexpr std::string_view japanese =
        "\u79C1\u306F\u6628\u65E5\u56F3\u66F8\u9928\u3078\u884C\u3063\u3066\u65B0\u3057\u3044\u672C\u3092\u4E09\u518A\u501F\u308A"
        "\u307E\u3057\u305F\u3002";
    REQUIRE(count(japanese) >= cost::of({12}));
    REQUIRE(count("\U0001F600") >= cost::of({1}));
    REQUIRE(count("\u2764\uFE0F") >= cost::of({1}));
    for (std::string_view const unit : {"\uD55C\uAD6D\uC5B4", "\u8FD9\u662F\u6587", "\u6F22\u5B57\u8A9E"}) {
        std::string text;
        for (int each = 0; each < 333; ++each) text += unit;
        INFO(text.substr(0, 9) << ' ' << count(text).tokens().count);
        REQUIRE(count(text) >= cost::of({500}));
        REQUIRE(count(text) <= cost::of({1600}));
    }
}

}  // namespace

TEST_CASE("scripts without spaces and emoji are counted", "[case-161]") {
    counts_every_script<condense::family::gpt>();
    counts_every_script<condense::family::claude>();
    counts_every_script<condense::family::claude_4_7>();
    counts_every_script<condense::family::gemini>();
    counts_every_script<condense::family::kimi>();
    counts_every_script<condense::family::other>();
}

TEST_CASE("a thousand characters of Hangul or Han cost by default what they do", "[case-T100]") {
    condense::default_estimator<> const count;
    for (std::string_view const unit : {"\uD55C", "\u6587", "\uD55C\uAD6D\uC5B4\uB85C\uC4F4", "\u8FD9\u662F\u4E2D\u6587",
                                        "\u9019\u662F\u4E00\u500B\u7E41\u9AD4\u4E2D\u6587"}) {
        std::string text;
        while (text.size() < 3'000) text += unit;
        text.resize(3'000);
        INFO(unit);
        CHECK(count(text) >= cost::of({600}));
        CHECK(count(text) <= cost::of({1'000}));
    }
}
