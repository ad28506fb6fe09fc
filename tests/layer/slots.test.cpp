// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/slots.hpp>

#include "core/constant.hpp"

namespace {

using namespace condense::literals;
using condense::always, condense::text_limit, condense::used, condense::detail::check_target;
using condense::detail::halvings_of, condense::detail::may_exceed;

constexpr bool targets_below_their_trigger_pass() {
    check_target(used >= 80_pct, condense::target{});
    check_target(used >= 80_pct, used <= 70_pct);
    check_target(used >= 80_pct, used <= 1_messages);
    check_target(always, used <= 70_pct);
    return true;
}

struct squeezed {
    unsigned amount;
    bool last;
    constexpr unsigned pressure() const { return amount; }
    constexpr bool top() const { return last; }
};

constexpr bool pressure_halves() {
    return halvings_of(squeezed{0, false}) == 0 && halvings_of(squeezed{1, false}) == 1 &&
           halvings_of(squeezed{3, false}) == 3 && halvings_of(squeezed{2, true}) == 6;
}

/// No code point is longer than its bytes; lines can only be counted in the text.
constexpr bool sizes_alone_show_what_cannot_exceed() {
    for (auto const figure : figures_of_any_size) {
        if (may_exceed(condense::chars{figure}, {figure}) || may_exceed(condense::bytes{figure}, {figure}))
            return false;
        if (!may_exceed(condense::lines{figure}, {figure}) && figure != ~std::uint64_t{0}) return false;
    }
    return may_exceed(10_chars, {11}) && may_exceed(10_bytes, {11}) && may_exceed(20_chars && 10_bytes, {15}) &&
           may_exceed(1_lines, {0}) && !may_exceed(text_limit{}, {1'000'000});
}

}  // namespace

TEST_CASE("slots: targets, pressure and sizes") {
    CHECK_CONSTANT(targets_below_their_trigger_pass());
    CHECK_CONSTANT(pressure_halves());
    CHECK_CONSTANT(sizes_alone_show_what_cannot_exceed());
    CHECK_THROWS_AS(check_target(used >= 80_pct, used <= 80_pct), condense::invalid_configuration);
    CHECK_THROWS_AS(check_target(used >= 80_pct || used > 5_messages, used <= 6_messages),
                    condense::invalid_configuration);
}
