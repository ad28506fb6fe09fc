// SPDX-License-Identifier: BSL-1.0
#include <condense/core/handles.hpp>

#include <initializer_list>

#include "core/constant.hpp"

namespace {

using condense::group;

constexpr bool a_summary_stands_in_the_slot_of_a_group() {
    for (auto const slot : {std::uint32_t{0}, std::uint32_t{7}, group::summary_bit - 1}) {
        group const plain{slot};
        auto const summary = plain.summary();
        if (plain.is_summary() || plain.id() != slot) return false;
        if (!summary.is_summary() || summary.id() != slot || summary == plain) return false;
        if (summary.summary() != summary) return false;
    }
    return true;
}

constexpr bool sequences_are_ordered() {
    using condense::sequence;
    return sequence{1} < sequence{2} && sequence{2} == sequence{2} && sequence{std::uint64_t{1} << 40} > sequence{3};
}

}  // namespace

TEST_CASE("group: summaries have slots") {
    CHECK_CONSTANT(a_summary_stands_in_the_slot_of_a_group());
    CHECK_CONSTANT(sequences_are_ordered());
}
