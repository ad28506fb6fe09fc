// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/answer_text.hpp>

#include <string>

#include "support/catch.hpp"

namespace {

using namespace condense::detail::wording;

}  // namespace

TEST_CASE("answer_text: lower case, plain quotes, and no adverbs among its first words") {
    CHECK(answer_text{"\xEF\xBB\xBFI\xE2\x80\x99M Very Sorry\r\n"}.all() == "i'm sorry\n");
    CHECK(answer_text{"I\xC2\xA0really really can\xE2\x80\x98t"}.all() == "i can't");
    CHECK(answer_text{"\xE2\x80\x9CNo\xE2\x80\x9D"}.all() == "\"no\"");
    CHECK(answer_text{std::string(300, 'a') + " very good"}.all().ends_with("very good"));
    CHECK(answer_text{std::string(100'000, 'a')}.all().size() == answer_text::size_limit);
    CHECK(answer_text{""}.all().empty());
}

TEST_CASE("answer_text: phrases are whole words") {
    constexpr char const* phrases[] = {"error", "rate limit"};
    CHECK(begins_with_any("error: 500", phrases) == 5);
    CHECK(begins_with_any("errors were found", phrases) == 0);
    CHECK(begins_with_any("rate limit", phrases) == 10);
    CHECK(begins_with_part_of("errors were found", phrases));
    CHECK(contains_any("an error", phrases));
    CHECK_FALSE(contains_any("", phrases));
    CHECK(trimmed(" \t\na b\r\n") == "a b");
    CHECK(trimmed(" \n").empty());
    CHECK(first_line("a\nb") == "a");
}
