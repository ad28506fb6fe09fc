// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <iterator>

#include "support/violations.hpp"

/// What an implementation with this one fault must be told: these laws, and this text among the violations.
struct fault_row {
    std::string_view fault;
    std::string_view laws;
    std::string_view text;
};

/// A row of the table, by its name: one that is not there does not compile.
template <auto const& Rows>
struct fault_of {
    std::size_t row = 0;

    explicit constexpr fault_of(std::size_t which) : row{which} {}
    consteval fault_of(char const* name) {
        while (Rows[row].fault != name) ++row;
    }
    friend constexpr bool operator==(fault_of, fault_of) = default;
};

/// violations_of(fault) returns the violations.
template <auto const& Rows>
void check_faults(auto const& violations_of) {
    for (std::size_t row = 0; row < std::size(Rows); ++row) {
        auto const all = violations_of(fault_of<Rows>{row});
        INFO(Rows[row].fault << "\n" << text_of(all).substr(0, 2'000));
        CHECK(laws_of(all) == Rows[row].laws);
        CHECK(text_of(all).find(Rows[row].text) != std::string::npos);
    }
}
