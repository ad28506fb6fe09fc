// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/answer.hpp>

#include <string>

#include "llm/answers.hpp"
#include "support/catch.hpp"

namespace {

using condense::detail::wording::no_summary;

}  // namespace

TEST_CASE("answer: a summary passes, and a refusal, an error text or an error document does not") {
    std::string const set = GENERATE("", "later_", "latest_");
    for (std::string const kind : {"summaries", "no_summaries"})
        for (auto const& text : answers_in(set + kind)) {
            CAPTURE(set, kind, text);
            CHECK((no_summary(text) == "") == (kind == "summaries"));
        }
}

TEST_CASE("answer: twelve shapes are refused wherever an answer can begin, and a summary may quote each of them") {
    for (auto const& shape : answers_in("shapes")) {
        for (auto const& position : answers_in("positions")) {
            CAPTURE(position, shape);
            CHECK(no_summary(position + shape) != "");
        }
        for (auto text : answers_in("quotations")) {
            text.replace(text.find('@'), 1, shape);
            CAPTURE(text);
            CHECK(no_summary(text) == "");
        }
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
