// SPDX-License-Identifier: BSL-1.0
#include <condense/core/edit_log.hpp>

#include <cstdint>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::tokens;
using condense::detail::token_scale;

constexpr cost of(std::uint64_t count) { return cost::of({count}); }

constexpr bool sums_are_in_proportion() {
    auto const half_more = token_scale::of({1'000}, {1'500});
    bool good =
        half_more(of(1'000)) == tokens{1'500} && half_more(of(500)) == tokens{750} && half_more(of(501)) == tokens{752};
    good = good && half_more.of_messages(of(10)) == of(15) && half_more.within({15}) == of(10);
    token_scale const none;
    return good && none(of(7)) == tokens{7} && none.of_messages(of(7)) == of(7) && none.within({7}) == of(7);
}
static_assert(sums_are_in_proportion());

constexpr bool what_is_known_apart_counts_one_for_one() {
    auto const doubled = token_scale::of({1'000}, {1'900}, {100});
    bool good =
        doubled(of(1'000)) == tokens{1'900} && doubled(of(550)) == tokens{1'000} && doubled(of(100)) == tokens{100};
    good = good && doubled.of_messages(of(10)) == of(20) && doubled.within({20}) == of(10);
    // A report that is below it says nothing of it.
    return good && token_scale::of({1'000}, {500}, {600})(of(600)) == tokens{300};
}
static_assert(what_is_known_apart_counts_one_for_one());

/// A sum is within what `most` gives for a limit exactly where it scales to no more than the limit.
/// Not constexpr: g++ would try to fold each call, in gigabytes.
bool most_is_the_inverse(token_scale const& scale) {
    bool good = true;
    for (std::uint64_t limit = 0; limit < 70; ++limit)
        for (std::uint64_t steps = 0; steps < 80 * cost::per_token; steps += 37) {
            auto const most = scale.most({limit});
            good = good && (scale(cost{steps}) <= tokens{limit}) == (most && cost{steps} <= *most);
        }
    return good;
}

constexpr bool any_figures_are_harmless() {
    constexpr auto limit = ~std::uint64_t{0};
    auto const sum = [](std::uint64_t counted, std::uint64_t real, std::uint64_t apart = 0) {
        return token_scale::of({counted}, {real}, {apart})(of(1'000)).count;
    };
    return sum(0, 500) == 1'000 && sum(500, 0) == 1'000 && sum(limit, limit / 2) == 500 && sum(1, limit) == 1'000 &&
           sum(limit, 1) == 1'000 && sum(limit, limit, limit) == 1'000 && sum(500, 600, limit) == 1'200;
}
static_assert(any_figures_are_harmless());

}  // namespace

TEST_CASE("token_scale: sums and parts in proportion") { CHECK(sums_are_in_proportion()); }

TEST_CASE("token_scale: what is known apart counts one for one") { CHECK(what_is_known_apart_counts_one_for_one()); }

TEST_CASE("token_scale: the most that scales to a limit") {
    CHECK(most_is_the_inverse({}));
    CHECK(most_is_the_inverse(token_scale::of({1'000}, {1'500})));
    CHECK(most_is_the_inverse(token_scale::of({1'500}, {1'000})));
    CHECK(most_is_the_inverse(token_scale::of({1'007}, {1'900}, {20})));
    CHECK(most_is_the_inverse(token_scale::of({1'900}, {613}, {40})));
}

TEST_CASE("token_scale: any figures are harmless", "[law-t4]") { CHECK(any_figures_are_harmless()); }
