// SPDX-License-Identifier: BSL-1.0
#include <condense/core/cache_prefix.hpp>

#include <cstdint>
#include <optional>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::detail::first_changed;
using condense::detail::unchanged_prefix;
using toy::assistant;
using toy::desk;
using toy::user;

constexpr bool the_prefix_ends_before_the_first_change() {
    desk on{toy::system("sys"), user("task"), assistant("12345"), user("more"), assistant("67890"), user("v")};
    auto draft = on.draft();
    auto const mark = draft.mark();
    if (first_changed(on.facts, on.edits, mark) || unchanged_prefix(draft, mark).count != 22) return false;
    if (draft.drop({4})) return false;
    if (first_changed(on.facts, on.edits, mark) != 4u || unchanged_prefix(draft, mark).count != 16) return false;
    if (draft.drop({2})) return false;
    return first_changed(on.facts, on.edits, mark) == 2u && unchanged_prefix(draft, mark).count == 7;
}
static_assert(toy::run_time_only || the_prefix_ends_before_the_first_change());

constexpr bool what_was_taken_back_has_not_changed() {
    desk on{user("task"), assistant("12345"), user("more"), assistant("67890"), user("v")};
    auto draft = on.draft();
    auto const mark = draft.mark();
    if (draft.drop({1}) || draft.restore({1})) return false;
    return !first_changed(on.facts, on.edits, mark) && unchanged_prefix(draft, mark).count == 19;
}
static_assert(toy::run_time_only || what_was_taken_back_has_not_changed());

/// What no request has held is in no cache.
constexpr bool messages_never_sent_are_no_prefix() {
    desk on{user("task"), assistant("12345"), user("more")};
    on.edits.note_sent(2);
    auto draft = on.draft();
    return unchanged_prefix(draft, draft.mark()).count == 9;
}
static_assert(toy::run_time_only || messages_never_sent_are_no_prefix());

/// Whether it is summed from the front or from the end.
constexpr bool every_prefix_is_the_sum_of_what_stands_before() {
    desk on{user("task"), assistant("12345"), user("more"), toy::call("a"), user("67890"), assistant("on"), user("v")};
    auto draft = on.draft();
    if (draft.drop({1})) return false;
    std::uint64_t sum = 0;
    for (std::uint64_t end = 0; end <= on.facts.size(); ++end) {
        if (condense::detail::prefix_before(draft, end).count != sum) return false;
        if (end < on.facts.size() && draft.present(condense::sequence{end}))
            sum += draft.message_cost(static_cast<std::uint32_t>(end)).tokens().count;
    }
    return sum == draft.used().tokens.count;
}
static_assert(toy::run_time_only || every_prefix_is_the_sum_of_what_stands_before());

}  // namespace

TEST_CASE("cache_prefix: where a run first changes what is sent") {
    CHECK(the_prefix_ends_before_the_first_change());
    CHECK(what_was_taken_back_has_not_changed());
    CHECK(messages_never_sent_are_no_prefix());
    CHECK(every_prefix_is_the_sum_of_what_stands_before());
}
