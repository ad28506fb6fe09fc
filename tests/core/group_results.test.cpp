// SPDX-License-Identifier: BSL-1.0
#include <condense/core/group_results.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::part_status;
using condense::role;
using condense::detail::group_results;
using condense::detail::none32;
using ids = std::vector<std::uint32_t>;
using toy::call_part;
using toy::outline_of;
using toy::result_part;

ids of(group_results& results, condense::outline const& facts, std::uint32_t part_id) {
    auto const& part = facts.part_at(part_id);
    ids found;
    for (auto const id : results.of(facts, facts.group_of(part.message_index), part.call)) found.push_back(id);
    return found;
}

}  // namespace

TEST_CASE("group_results: the results of each call") {
    outline_of facts{{toy::with(role::assistant, {call_part("1"), call_part("2"), call_part("3")}),
                      toy::with(role::tool, {result_part("2"), result_part("1"), result_part("2")}),
                      toy::with(role::tool, {result_part("2"), result_part("nowhere")}), toy::call("4"),
                      toy::result("4")}};
    group_results results;
    CHECK(of(results, facts, 0) == ids{4});
    CHECK(of(results, facts, 1) == ids{3, 5, 6});
    CHECK(of(results, facts, 6) == ids{3, 5, 6});
    CHECK(of(results, facts, 2).empty());
    CHECK(of(results, facts, 8) == ids{9});
    CHECK(of(results, facts, 1) == ids{3, 5, 6});

    facts.append(toy::result("2"), toy::per_byte{});
    CHECK(of(results, facts, 1) == ids{3, 5, 6, 10});
}

TEST_CASE("group_results: results come in the order in which messages joined their group") {
    // The last message joins the older group before the newer one joins both.
    outline_of facts{{toy::call("1"), toy::call("2"), toy::result("2"), toy::result("1"),
                      toy::with(role::tool, {result_part("1"), result_part("2")})}};
    group_results results;
    CHECK(facts.group_of(4) == 0);
    CHECK(of(results, facts, 0) == ids{3, 4});
    CHECK(of(results, facts, 1) == ids{5, 2});
}

TEST_CASE("group_results: the first call that waits without an id") {
    outline_of facts{{toy::call("1"), toy::call("", {}, part_status::pending), toy::result("1")}};
    group_results results;
    CHECK(results.first_waiting_without_id(facts, 0) == none32);
    CHECK(results.first_waiting_without_id(facts, 1) == 1);
    facts.append(toy::result(""), toy::per_byte{});
    CHECK(results.first_waiting_without_id(facts, 1) == none32);
}
