// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/answer.hpp>

#include <array>
#include <string>
#include <string_view>

#include "llm/answers.hpp"
#include "support/catch.hpp"

namespace {

using condense::detail::wording::no_summary;

}  // namespace

TEST_CASE("answer: what can be a summary passes") {
    for (auto const text : answers::summaries) {
        CAPTURE(text);
        CHECK(no_summary(text) == "");
    }
}

TEST_CASE("answer: a refusal, an error text or an error document is no summary") {
    for (auto const text : answers::no_summaries) {
        CAPTURE(text);
        CHECK(no_summary(text) != "");
    }
}

TEST_CASE("answer: held out, what can be a summary passes") {
    for (auto const text : answers::later_summaries) {
        CAPTURE(text);
        CHECK(no_summary(text) == "");
    }
}

TEST_CASE("answer: held out, what is none does not") {
    for (auto const text : answers::later_no_summaries) {
        CAPTURE(text);
        CHECK(no_summary(text) != "");
    }
}

TEST_CASE("answer: held out again, what can be a summary passes") {
    for (auto const text : answers::latest_summaries) {
        CAPTURE(text);
        CHECK(no_summary(text) == "");
    }
}

TEST_CASE("answer: held out again, what is none does not") {
    for (auto const text : answers::latest_no_summaries) {
        CAPTURE(text);
        CHECK(no_summary(text) != "");
    }
}

TEST_CASE("answer: twelve shapes are refused wherever an answer can begin") {
    for (auto const shape : answers::shapes)
        for (auto const position : answers::positions) {
            auto const text = std::string{position} + std::string{shape};
            CAPTURE(text);
            CHECK(no_summary(text) != "");
        }
}

TEST_CASE("answer: what is one quotation is read without its quotes") {
    for (std::string const quote : {"\"", "'", "`"}) {
        CHECK(no_summary(quote + "I am sorry, but I cannot help with that." + quote) != "");
        CHECK(no_summary(quote + "The user asked for a parser; it is done." + quote) == "");
    }
    CHECK(no_summary("I can't help but notice that the tests pass: the parser is done, and the user is content.") ==
          "");
}

TEST_CASE("answer: a summary may quote each of them") {
    for (auto const shape : answers::shapes)
        for (auto const quotation : answers::quotations) {
            std::string text{quotation};
            text.replace(text.find('@'), 1, shape);
            CAPTURE(text);
            CHECK(no_summary(text) == "");
        }
}
