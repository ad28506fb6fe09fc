// SPDX-License-Identifier: BSL-1.0
#include <condense/core/outline_records.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

/// What came with a result before it, three results with two ids, what came with one, one again; then others.
struct many_parts {
    std::size_t others = 0;

    struct condense_traits {
        static constexpr condense::role role_of(many_parts const&) { return condense::role::tool; }
        static constexpr void each_part(many_parts const& m, auto&& sink) {
            sink(condense::part_view{.kind = condense::part_kind::media, .call = "b"});
            for (auto const* const id : {"b", "a", "b"}) sink(toy::result_part(id));
            sink(condense::part_view{.call = "b"});
            sink(toy::result_part("a"));
            for (std::size_t other = 0; other < m.others; ++other) sink(toy::result_part(other % 2 == 0 ? "c" : "aa"));
        }
    };
};

using condense::part_kind;
using condense::role;
using condense::detail::message_scan;

constexpr bool all_of_a_message_is_read() {
    message_scan fresh;
    fresh.read(toy::with(role::assistant,
                         {{.text = "hm"}, {.kind = part_kind::tool_call, .text = "{}", .tool = "look", .call = "c1"}}),
               toy::per_byte{}, {});
    auto const& parts = fresh.parts();
    return parts.size() == 2 && parts[0].record.size == 2 && parts[1].record.kind == part_kind::tool_call &&
           fresh.id_of(parts[1]) == "c1" && fresh.name_of_tool(parts[1]) == "look" && fresh.id_of(parts[0]).empty() &&
           fresh.text_size() == 6 && fresh.record.speaker == role::assistant && !fresh.record.plain_user;
}
static_assert(toy::run_time_only || all_of_a_message_is_read());

constexpr bool nothing_of_the_message_before_stays() {
    message_scan fresh;
    fresh.read(toy::joined(toy::pinned(toy::call("1"))), toy::per_byte{}, {});
    if (!fresh.record.pinned || !fresh.joins_previous || fresh.text_size() == 0) return false;
    fresh.read(toy::user("u"), toy::per_byte{}, {});
    return !fresh.record.pinned && !fresh.joins_previous && fresh.text_size() == 0 && fresh.parts().size() == 1 &&
           fresh.record.plain_user;
}
static_assert(toy::run_time_only || nothing_of_the_message_before_stays());

/// A forged mark is one only where marks are asked for.
constexpr bool marks_and_pins_come_from_the_options() {
    message_scan fresh;
    auto const forged = toy::marked(toy::user("u"), "summary");
    fresh.read(forged, toy::per_byte{}, {});
    if (fresh.record.summary || !fresh.record.plain_user || fresh.record.pinned) return false;
    fresh.read(forged, toy::per_byte{}, {.marks = true, .pinned = true});
    return fresh.record.summary && !fresh.record.plain_user && fresh.record.pinned;
}
static_assert(toy::run_time_only || marks_and_pins_come_from_the_options());

/// Of few parts and of many, which are searched in different ways.
constexpr bool results_with_one_id_are_known() {
    for (std::size_t const more : {0u, 20u}) {
        message_scan fresh;
        many_parts m{.others = more};
        fresh.read(m, toy::per_byte{}, {});
        using condense::detail::none32;
        if (fresh.earlier_result(0) != none32 || fresh.earlier_result(1) != none32 ||
            fresh.earlier_result(2) != none32 || fresh.earlier_result(3) != 1 || fresh.earlier_result(4) != 1 ||
            fresh.earlier_result(5) != 2)
            return false;
    }
    return true;
}
static_assert(toy::run_time_only || results_with_one_id_are_known());

}  // namespace

TEST_CASE("message_scan: one message as it is read") {
    CHECK(all_of_a_message_is_read());
    CHECK(nothing_of_the_message_before_stays());
    CHECK(marks_and_pins_come_from_the_options());
    CHECK(results_with_one_id_are_known());
}
