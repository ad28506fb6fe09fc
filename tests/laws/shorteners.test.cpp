// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/head_tail.hpp>

#include "policy/shortener_laws.hpp"

// Every shortener under the laws for all of them, a line each.

using namespace condense::literals;
using namespace laws;

TEST_CASE("laws of shorteners: head_tail") {
    promises const ends{.ill_formed_grow = true, .figures = figures_of_ends};
    auto const within = [&](condense::extent at_most, std::uint64_t beside = 0) {
        auto more = ends;
        more.at_most = at_most;
        more.beside = beside;
        return more;
    };
    shortener_laws(condense::head_tail{}, within(8'000_chars, 192));
    shortener_laws(condense::head_tail{.head = 128_lines, .tail = 128_lines, .at_most = 10'240_bytes}, within(10'240_bytes));
    shortener_laws(condense::head_tail{.at_most = 40_lines && 4'000_chars}, within(40_lines && 4'000_chars));
    shortener_laws(condense::head{}, within(8'000_chars, 192));
    shortener_laws(condense::tail{.keep = 2'000_bytes}, within(2'000_bytes, 192));
}
