// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/figures.hpp>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::fidelity;
using condense::item_kind;

constexpr bool adds_up() {
    fidelity sum{.visible = 2, .recoverable = 2, .lost = 3, .labelled = 1, .in_line = 2};
    sum += {.visible = 10, .lost = 5, .labelled = 7, .in_line = 6};
    return sum == fidelity{12, 2, 8, 8, 8} && sum.total() == 22;
}
static_assert(adds_up());

TEST_CASE("fidelity adds up by place and over kinds") {
    CHECK(adds_up());
    condense::replay_figures figures;
    figures.items[static_cast<std::size_t>(item_kind::word)] = {1, 2, 3};
    figures.items[static_cast<std::size_t>(item_kind::quoted)] = {4, 0, 1};
    CHECK(figures.all_items() == fidelity{5, 2, 4});
}

TEST_CASE("kinds of items have names of their own") {
    std::vector<std::string_view> names;
    for (std::size_t kind = 0; kind < condense::item_kinds; ++kind) names.push_back(name(static_cast<item_kind>(kind)));
    CHECK(names == std::vector<std::string_view>{"word", "id", "path", "number", "quoted"});
}

TEST_CASE("figures fit when no request was too large") {
    condense::replay_figures figures;
    CHECK(figures.fits());
    figures.over = 1;
    CHECK_FALSE(figures.fits());
    figures.over = 0;
    figures.exhausted = 1;
    CHECK_FALSE(figures.fits());
}

}  // namespace
