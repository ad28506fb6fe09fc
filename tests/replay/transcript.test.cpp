// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/transcript.hpp>

#include <list>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using namespace condense::detail;

TEST_CASE("a transcript has its own name, a container its place") {
    condense::transcript const told{"ticket 12", std::vector{U("a")}};
    static_assert(std::same_as<decltype(told), condense::transcript<chat_message> const>);
    CHECK(name_of_transcript(told, 3) == "ticket 12");
    CHECK(messages_of_transcript(told).size() == 1);
    std::list<talk::line> const plain(2);
    CHECK(name_of_transcript(plain, 3) == "3");
    CHECK(&messages_of_transcript(plain) == &plain);
    static_assert(std::same_as<message_in<std::list<talk::line>>, talk::line>);
}

}  // namespace
