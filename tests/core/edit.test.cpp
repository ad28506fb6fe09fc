// SPDX-License-Identifier: BSL-1.0
#include <condense/core/edit.hpp>

#include "core/constant.hpp"

namespace {

using condense::name, condense::refusal;

constexpr bool only_none_is_no_refusal() {
    if (refusal{refusal::none}) return false;
    for (int why = refusal::system; why <= refusal::no_room; ++why)
        if (!refusal{static_cast<refusal::reason>(why)}) return false;
    return true;
}

constexpr bool every_reason_has_a_name_of_its_own() {
    for (int one = refusal::none; one <= refusal::no_room; ++one)
        for (int other = refusal::none; other <= refusal::no_room; ++other) {
            auto const first = name(refusal{static_cast<refusal::reason>(one)});
            auto const second = name(refusal{static_cast<refusal::reason>(other)});
            if (first.empty() || (first == second) != (one == other)) return false;
        }
    return name(refusal{refusal::open}) == "open group";
}

}  // namespace

TEST_CASE("edit: refusals say why") {
    CHECK_CONSTANT(only_none_is_no_refusal());
    CHECK_CONSTANT(every_reason_has_a_name_of_its_own());
}
