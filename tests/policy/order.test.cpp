// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/order.hpp>

#include <set>

#include "core/toy.hpp"
#include "laws/generator.hpp"
#include "support/catch.hpp"

namespace {

using namespace notation;
using condense::largest_first, condense::newest_first, condense::oldest_first, condense::part_ref, toy::call;
using toy::result, toy::user;

/// The columns of at most `most` parts, as the order gives them.
constexpr std::vector<std::uint32_t> columns(condense::candidate_order order, auto const& draft,
                                             std::size_t most = ~std::size_t{0}) {
    std::vector<std::uint32_t> out;
    for (auto const& next : condense::candidates(draft, order)) {
        if (out.size() == most) break;
        out.push_back(next.part.part_id);
    }
    return out;
}

using list = std::vector<std::uint32_t>;

/// Parts 0 to 6: "task" "{}" "{}" "out" "longer" "{}" "yy"; the second and third are calls of one message.
std::vector<toy::message> const six_messages = {
    user("task"),       toy::with(condense::role::assistant, {toy::call_part("1"), toy::call_part("2")}),
    result("2", "out"), result("1", "longer"),
    toy::call("3"),     result("3", "yy")};

TEST_CASE("order: by age from either end, or the largest first, the older of equals; walks stop when told") {
    toy::desk_of on{six_messages};
    auto draft = on.draft();
    CHECK((columns(oldest_first, draft) == list{0, 1, 2, 3, 4, 5, 6} &&
           columns(newest_first, draft) == list{6, 5, 4, 3, 2, 1, 0}));
    CHECK((columns(oldest_first, draft, 1) == list{0} && columns(oldest_first, draft, 3) == list{0, 1, 2} &&
           columns(newest_first, draft, 1) == list{6} && columns(newest_first, draft, 6) == list{6, 5, 4, 3, 2, 1}));
    toy::desk_of nothing{std::vector<toy::message>{}};
    for (auto const order : {oldest_first, largest_first, newest_first}) CHECK(columns(order, nothing.draft()).empty());
    CHECK(columns(largest_first, draft) == list{4, 0, 3, 1, 2, 5, 6});
    CHECK(columns(largest_first, draft, 2) == list{4, 0});
    REQUIRE_FALSE(draft.shorten(toy::part_of(on.facts, 3), "s"));
    CHECK(columns(largest_first, draft) == list{0, 3, 1, 2, 5, 6, 4});  // what is sent now counts
}

/// A random conversation with some of it dropped and some of it changed.
struct workplace : toy::desk_of<chat_message> {
    explicit workplace(std::uint64_t seed)
        : desk_of{laws::conversation_generator{seed}.make(), {.window = {1'000'000}}} {
        auto changed = draft();
        laws::random_source random{seed};
        std::vector<condense::group> groups;
        for (auto const which : changed.groups()) groups.push_back(which);
        for (auto const which : groups)
            if (random.chance(20)) static_cast<void>(changed.drop(which));
        for (std::uint32_t part_id = 0; part_id < facts.part_count(); ++part_id) {
            if (random.chance(20)) static_cast<void>(changed.shorten(changed.part_at(part_id), "short"));
            if (random.chance(20)) static_cast<void>(changed.remove(changed.part_at(part_id)));
        }
    }
};

TEST_CASE("order: each part that is there once, in order, and a prefix when stopped") {
    std::size_t parts = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        workplace at{seed};
        auto const draft = at.draft();
        CAPTURE(seed);
        std::set<std::uint32_t> there;
        for (auto const which : draft.groups())
            draft.each_part_of(which, [&](part_ref part) { there.insert(part.part_id); });
        parts += there.size();
        auto const check = [&](auto order, auto const& before) {
            auto const all = columns(order, draft);
            CHECK(all.size() == there.size());
            CHECK(std::set<std::uint32_t>(all.begin(), all.end()) == there);
            for (std::size_t next = 1; next < all.size(); ++next) {
                INFO(all[next - 1] << " and " << all[next]);
                CHECK(before(all[next - 1], all[next]));
            }
            if (all.empty()) return;
            auto const most = 1 + seed % all.size();
            auto some = all;
            some.resize(most);
            CHECK(columns(order, draft, most) == some);
        };
        auto const cost_of = [&](std::uint32_t part_id) { return draft.about(draft.part_at(part_id)).cost; };
        auto const message_of = [&](std::uint32_t part_id) { return at.facts.part_at(part_id).message_index; };
        // Within a group by message; groups by where they began.
        check(oldest_first, [&](std::uint32_t left, std::uint32_t right) {
            auto const one = at.facts.group_of(message_of(left));
            auto const two = at.facts.group_of(message_of(right));
            return one != two ? one < two : left < right;
        });
        check(newest_first, [](std::uint32_t left, std::uint32_t right) { return left > right; });
        check(largest_first, [&](std::uint32_t left, std::uint32_t right) {
            return cost_of(left) > cost_of(right) || (cost_of(left) == cost_of(right) && left < right);
        });
    }
    CHECK(parts > 1'000);
}

}  // namespace
