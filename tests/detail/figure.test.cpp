// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/figure.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::figure;
using condense::detail::figure_fault;
using condense::detail::read_count;
using condense::detail::read_share;
using condense::detail::read_switch;

constexpr figure malformed{0, figure_fault::malformed};
constexpr figure too_large{0, figure_fault::too_large};
constexpr figure too_fine{0, figure_fault::too_fine};

constexpr bool counts_are_digits() {
    for (std::string_view const text :
         {"", " ", "-1", "+1", "1 ", " 1", "1.0", "1e3", "1,000", "1'000", "0x10", "\xC2\xB2"})
        if (read_count(text) != malformed) return false;
    using std::string_view_literals::operator""sv;
    return read_count("0") == figure{0} && read_count("007") == figure{7} && read_count("1\0"sv) == malformed &&
           read_count("18446744073709551615") == figure{~std::uint64_t{0}} &&
           read_count("18446744073709551616") == too_large && read_count("99999999999999999999999999") == too_large &&
           read_count("0000000000000000000000000005") == figure{5};
}
static_assert(counts_are_digits());

constexpr bool lists_have_one_space_between_two() {
    std::string_view list = "1 22 x  3 ";
    auto const next = [&] { return condense::detail::take_count(list); };
    bool const good = next() == figure{1} && next() == figure{22} && next() == malformed && next() == malformed &&
                      next() == malformed && list.empty();
    list = "7";
    return good && next() == figure{7} && list.empty() && next() == malformed;
}
static_assert(lists_have_one_space_between_two());

constexpr bool shares_are_exact() {
    for (std::string_view const text :
         {"",     "%",    " %",    ".",     ".5",   "5.",   "-0.5",     "+0.5", "0,5", "0.5.1", "1e-1",
          "0.5 ", "65%%", "65  %", "65\t%", "% 65", "0.5x", "0.00001x", "NaN",  "inf", "6 5%"})
        if (read_share(text) != malformed) return false;
    return read_share("0.65") == figure{6'500} && read_share("65%") == figure{6'500} &&
           read_share("65 %") == figure{6'500} && read_share("1") == figure{10'000} &&
           read_share("1.0") == figure{10'000} && read_share("1%") == figure{100} && read_share("0") == figure{0} &&
           read_share("0.0001") == figure{1} && read_share("0.01%") == figure{1} &&
           read_share("62.5%") == figure{6'250} && read_share("62.55 %") == figure{6'255} &&
           read_share("0.6500000000000") == figure{6'500} && read_share("0.00001") == too_fine &&
           read_share("0.001%") == too_fine && read_share("0.30000000000000004") == too_fine &&
           read_share("65") == figure{650'000} && read_share("1844674407370955.1615") == figure{~std::uint64_t{0}} &&
           read_share("1844674407370955.1616") == too_large && read_share("18446744073709551616%") == too_large;
}
static_assert(shares_are_exact());

constexpr bool switches_are_words() {
    for (std::string_view const text : {"on", "ON", "On", "true", "TRUE", "yes", "1"})
        if (read_switch(text) != figure{1}) return false;
    for (std::string_view const text : {"off", "OFF", "false", "False", "no", "0"})
        if (read_switch(text) != figure{0}) return false;
    for (std::string_view const text : {"", "2", "o", "onn", "enabled", "on ", "10", "t"})
        if (read_switch(text) != malformed) return false;
    return true;
}
static_assert(switches_are_words());

}  // namespace

TEST_CASE("figures: are read by hand") {
    CHECK(counts_are_digits());
    CHECK(lists_have_one_space_between_two());
    CHECK(shares_are_exact());
    CHECK(switches_are_words());
}

TEST_CASE("figures: megabytes of digits are read in one pass") {
    std::string const zeros(2'000'000, '0');
    CHECK(read_count(zeros + "7") == figure{7});
    CHECK(read_count(std::string(2'000'000, '9')) == too_large);
    CHECK(read_share("0.5" + zeros) == figure{5'000});
    CHECK(read_share("0.5" + zeros + "1") == too_fine);
    CHECK(read_share(std::string(2'000'000, '9')) == too_large);
}
