// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstdlib>

// How much of its work a test with random rounds does: CONDENSE_EFFORT, in percent of what the test names, 3 where it
// is not set. tests/README.md says which run sets what.

inline std::uint64_t effort() {
    static std::uint64_t const percent = [] {
        auto const* const given = std::getenv("CONDENSE_EFFORT");
        auto const value = given == nullptr ? 0 : std::strtoull(given, nullptr, 10);
        return value == 0 ? std::uint64_t{3} : std::uint64_t{value};
    }();
    return percent;
}

/// How many random rounds a test does of `usual`; at least one.
inline std::uint64_t rounds(std::uint64_t usual) { return usual * effort() / 100 + 1; }

/// Of cases that can all be enumerated, every how many-th is tried: all from 100 % on, else an odd number, so that no
/// period of two, four or eight hides a case for ever.
inline std::uint64_t stride() { return effort() >= 100 ? 1 : 100 / effort() | 1; }
