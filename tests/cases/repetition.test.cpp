// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: texts that say the same over and over.

#include <optional>
#include <string>
#include <string_view>

#include <condense/shorteners.hpp>

#include "cases/runs.hpp"
#include "support/catch.hpp"

namespace {

using namespace cases;

std::string collapsed(std::string_view text) {
    auto const shorter = condense::collapse_repeats{}({.kind = condense::part_kind::text, .text = text}, {});
    return shorter.value_or(std::string{text});
}

TEST_CASE("a sentence that is repeated is left once", "[case-168]") {
    std::string const sentence = "I have looked at all of the files you asked for.";
    conversation before{U()};
    for (int answer = 0; answer < 5; ++answer) before += {A("Answer " + std::to_string(answer)), U()};
    std::string loop = sentence;
    for (int again = 1; again < 100; ++again) loop += " " + sentence;
    before.push_back(A(loop));
    auto const left = after(
        before, condense::pipeline{condense::compress{.when = condense::always, .with = condense::collapse_repeats{}}});
    REQUIRE(left.size() == before.size());
    for (std::size_t index = 0; index + 1 < before.size(); ++index) CHECK(left[index] == before[index]);
    CHECK(text_of(left.back()).size() < 100u);
    CHECK(contains(text_of(left.back()), sentence));
    CHECK(contains(text_of(left.back()), "99 more times"));

    CHECK(collapsed("A B A B") == "A B");
    CHECK(collapsed("hello world hello world tail") == "hello world hello world tail");
    CHECK(collapsed("foo bar foo bar foo bar") == "foo bar");
    CHECK(collapsed("привет мир привет мир привет мир") == "привет мир");
    CHECK(collapsed("привет мир привет мир хвост") == "привет мир привет мир хвост");
}

}  // namespace
