// SPDX-License-Identifier: BSL-1.0
#include <condense/session/deferred_pushes.hpp>

#include <string>

#include "support/catch.hpp"

using condense::detail::deferred_pushes;

TEST_CASE("deferred_pushes: the oldest comes first, and stays in place while others are pushed") {
    deferred_pushes<std::string> pushes;
    CHECK(pushes.next() == nullptr);
    pushes.push("one");
    pushes.push("two");
    auto* const first = pushes.next();
    REQUIRE(first != nullptr);
    for (int more = 0; more < 100; ++more) pushes.push("more");
    CHECK(pushes.next() == first);
    CHECK(*first == "one");
    CHECK(pushes.size() == 102);
    pushes.pop();
    CHECK(*pushes.next() == "two");
    pushes.pop();
    CHECK(*pushes.next() == "more");
    CHECK(pushes.size() == 100);
    while (pushes.next() != nullptr) pushes.pop();
    CHECK(pushes.size() == 0);
}

TEST_CASE("deferred_pushes: the session is busy until the outermost guard is gone") {
    deferred_pushes<int> const pushes;
    {
        auto const outer = pushes.occupy();
        {
            auto const inner = pushes.occupy();
            CHECK(pushes.busy());
        }
        CHECK(pushes.busy());
    }
    CHECK_FALSE(pushes.busy());
}
