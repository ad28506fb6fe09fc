// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/script.hpp>

#include <list>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::detail::replay_script;
using talk::line;
using talk::role;

TEST_CASE("each assistant message is an answer, joined ones are one together") {
    std::list<line> const told{{role::assistant, "hello"},   {role::user, "a"},      {role::assistant, "b"},
                               {role::assistant, "c", true}, {role::assistant, "d"}, {role::user, "e", true},
                               {role::assistant, "f", true}};
    replay_script<line, per_byte> const script{told, {}};
    CHECK(script.size() == 7);
    REQUIRE(script.answers().size() == 4);
    auto const spans = [&](std::size_t at) { return std::pair{script.answers()[at].first, script.answers()[at].past}; };
    CHECK(spans(0) == std::pair<std::size_t, std::size_t>{0, 1});
    CHECK(spans(1) == std::pair<std::size_t, std::size_t>{2, 4});
    CHECK(spans(2) == std::pair<std::size_t, std::size_t>{4, 5});
    CHECK(spans(3) == std::pair<std::size_t, std::size_t>{6, 7});  // joined to a user message is joined to nothing
    CHECK(&script.at(0) == &told.front());
    CHECK(script.cost(0).tokens().count == 5);
    CHECK(script.reading(2).speaker == role::assistant);
}

}  // namespace
