// SPDX-License-Identifier: BSL-1.0
#include <condense/core/estimator.hpp>

#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::cost;
using condense::request_count;

struct counts {
    constexpr cost operator()(std::string_view text) const { return cost::of({text.size()}); }
};
struct halves : counts {
    constexpr cost corrected(request_count const& sum) const noexcept {
        return {sum.counted.steps / 2 + sum.overhead.steps};
    }
    constexpr void observe(request_count const&, condense::tokens) noexcept {}
};
struct may_throw : counts {
    constexpr cost corrected(request_count const& sum) const { return sum.counted; }
    constexpr void observe(request_count const&, condense::tokens) {}
};
static_assert(condense::learning_estimator<halves> && !condense::learning_estimator<counts> &&
              !condense::learning_estimator<may_throw>);

constexpr bool only_who_learns_corrects() {
    request_count const sum{.counted = cost::of({100}), .overhead = cost::of({7})};
    return condense::detail::corrected(counts{}, sum) == cost::of({107}) &&
           condense::detail::corrected(halves{}, sum) == cost::of({57}) &&
           request_count{.counted = {~std::uint64_t{0}}, .overhead = {5}}.total().steps == ~std::uint64_t{0};
}
static_assert(only_who_learns_corrects());

}  // namespace

TEST_CASE("request_count: corrected where the estimator learns") { CHECK(only_who_learns_corrects()); }
