// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/mark.hpp>

#include <cstddef>
#include <string>

#include "support/catch.hpp"

using condense::detail::earlier_edit;
using condense::detail::mark_reader;

namespace {

/// What a mark says of the first four parts: "s" for shortened, "x" for externalized, "-" for neither.
std::string said(std::string const& mark) {
    mark_reader const reader{mark};
    std::string out;
    for (std::size_t part = 0; part < 4; ++part) {
        auto const found = reader.edit_of(part);
        out.push_back(found == earlier_edit::none ? '-' : found == earlier_edit::shortened ? 's' : 'x');
    }
    return out;
}

}  // namespace

TEST_CASE("mark: says which parts were edited") {
    CHECK(said("short.0") == "s---");
    CHECK(said("stored.3") == "---x");
    CHECK(said("short.2,stored.0") == "x-s-");
    CHECK(said("stored.1,short.1") == "-x--");
    CHECK(said("short.10") == "----");
}

TEST_CASE("mark: a summary is one") {
    CHECK(mark_reader{std::string{"summary"}}.summary());
    CHECK_FALSE(mark_reader{std::string{}}.summary());
    CHECK_FALSE(mark_reader{std::string{"summary,short.0"}}.summary());
    CHECK_FALSE(mark_reader{std::string{"short.0"}}.summary());
    CHECK(said("summary") == "----");
}

TEST_CASE("mark: anything else is ignored") {
    for (auto const* const mark :
         {"", ",", ",,,", "short", "short.", ".0", "short.x", "short.-1", "short.0x", "short. 0", "SHORT.0",
          "shorten.0", "short.0.1", "short.4294967296", "short.18446744073709551615", "short.18446744073709551616",
          "short.99999999999999999999999", "dropped.0", "short,0"})
        CHECK(said(mark) == "----");
    CHECK(said(",short.1,,junk,stored.2,") == "-sx-");
}
