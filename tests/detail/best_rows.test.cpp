// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/best_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using condense::detail::best_rows;

constexpr std::string_view names = "abcdefghijklmnopqrstuvwxyz";

/// Whether the rows of these names are left, where rows are offered in the order of the weights.
template <std::size_t Count>
constexpr bool leaves(std::string_view wanted, std::uint64_t most, std::uint32_t const (&weights)[Count],
                      std::size_t enough = Count) {
    best_rows best{most};
    for (std::size_t row = 0; row < Count; ++row) best.offer({weights[row], row, names.substr(row, 1)});
    best.trim(enough);
    if (best.size() != wanted.size()) return false;
    bool same = true;
    best.in_order([&](std::string_view text) {
        same = same && wanted.starts_with(text);
        wanted.remove_prefix(1);
    });
    return same && wanted.empty();
}

constexpr bool the_greatest_stay_in_the_order_of_rows() {
    return leaves("bdf", 3, {1, 9, 2, 8, 3, 7}) && leaves("abc", 3, {9, 8, 7, 3, 2, 1}) &&
           leaves("abc", 9, {1, 2, 1}) && leaves("c", 1, {5, 4, 6, 6}) && leaves("", 0, {1, 2, 3});
}
static_assert(the_greatest_stay_in_the_order_of_rows());

constexpr bool of_equals_the_earlier_stay() {
    return leaves("ab", 2, {4, 4, 4, 4}) && leaves("ac", 2, {4, 4, 5, 4}) && leaves("abc", 3, {0, 1, 0, 0});
}
static_assert(of_equals_the_earlier_stay());

constexpr bool those_far_below_the_greatest_go_if_there_are_more_than_enough() {
    // Three quarters of 100 are 75.
    return leaves("abd", 9, {100, 80, 74, 75, 10}, 2) && leaves("abcd", 9, {100, 80, 74, 75, 10}, 4) &&
           leaves("abcde", 9, {100, 80, 74, 75, 10}, 5) && leaves("d", 9, {10, 20, 30, 100}, 0) &&
           leaves("abc", 9, {0, 0, 0}, 0);
}
static_assert(those_far_below_the_greatest_go_if_there_are_more_than_enough());

}  // namespace

TEST_CASE("best_rows: the greatest weights, in the order of rows") {
    CHECK(the_greatest_stay_in_the_order_of_rows());
    CHECK(of_equals_the_earlier_stay());
    CHECK(those_far_below_the_greatest_go_if_there_are_more_than_enough());
}

TEST_CASE("best_rows: no more rows are held than asked for, and they are what sorting gives") {
    std::uint64_t state = 1;
    for (std::size_t most : {1u, 2u, 7u, 32u}) {
        std::vector<std::uint32_t> weights;
        best_rows best{most};
        std::string const text(4'000, 'x');
        for (std::uint64_t row = 0; row < text.size(); ++row) {
            state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
            weights.push_back(static_cast<std::uint32_t>(state >> 54));
            best.offer({weights.back(), row, std::string_view{text}.substr(static_cast<std::size_t>(row), 1)});
            REQUIRE(best.size() <= most);
        }
        // A row is among the best where fewer than `most` come before it.
        std::vector<std::size_t> wanted;
        for (std::size_t row = 0; row < weights.size(); ++row) {
            std::size_t before = 0;
            for (std::size_t other = 0; other < weights.size(); ++other)
                before += weights[other] > weights[row] || (weights[other] == weights[row] && other < row) ? 1u : 0u;
            if (before < most) wanted.push_back(row);
        }
        std::vector<std::size_t> found;
        best.in_order(
            [&](std::string_view shown) { found.push_back(static_cast<std::size_t>(shown.data() - text.data())); });
        CHECK(found == wanted);
    }
}
