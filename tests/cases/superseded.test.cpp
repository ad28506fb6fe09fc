// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: what a newer message has made old.

#include "cases/runs.hpp"

namespace {

using namespace cases;
using condense::drop_superseded, condense::markers;

constexpr drop_superseded marks{.key = markers("set_active_task"), .transient = tools("snapshot")};

TEST_CASE("of several markers the newest stays, of passing snapshots none", "[case-170]") {
    auto const before = numbered({S(), U(),                                       // 0, 1
                                  C("1", "set_active_task", "{\"task\":\"a\"}"), R("1"),  // 2, 3
                                  C("2", "snapshot"), R("2"),                     // 4, 5
                                  C("3", "read"), R("3"),                         // 6, 7
                                  C("4", "set_active_task", "{\"task\":\"b\"}"), R("4"),  // 8, 9
                                  U(), C("5", "snapshot"), R("5"),                // 10 to 12
                                  C("6", "set_active_task", "{\"task\":\"c\"}"), R("6"),  // 13, 14
                                  C("7", "snapshot"), R("7"), A(), U()});         // 15 to 18
    auto const left = cases::after(before, marks);
    CHECK(indices(left) == list{0, 1, 6, 7, 10, 13, 14, 17, 18});
    CHECK(broken(left) == "");
    CHECK(cases::after(left, marks) == left);
}

TEST_CASE("a call and all results of it go together", "[case-170]") {
    auto shared = C("1", "set_active_task").and_call("2", "snapshot", "{}");
    auto const before = numbered({U(), shared, R("2"), R("1"), C("3", "set_active_task"), R("3"), A(), U()});
    CHECK(indices(cases::after(before, marks)) == list{0, 4, 5, 6, 7});
    // Another call in the same message has a result that is still wanted.
    shared = std::move(shared).and_call("4", "read", "{}");
    auto const mixed = numbered({U(), shared, R("2"), R("1"), R("4"), C("3", "set_active_task"), R("3"), A(), U()});
    CHECK(cases::after(mixed, marks) == mixed);
}

}  // namespace
