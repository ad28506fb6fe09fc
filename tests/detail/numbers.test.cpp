// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include <condense/detail/ascii.hpp>
#include <condense/detail/base64.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/date_text.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/fixed_log.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sha256.hpp>
#include <condense/detail/xxhash.hpp>

#include "core/constant.hpp"
#include "support/wide.hpp"

namespace {

using namespace condense::detail;

constexpr std::uint64_t figures[] = {
    0, 1, 2, 9'999, 10'000, 1ull << 31, (1ull << 32) - 1, 1ull << 32, 1ull << 63, u64_limit - 1, u64_limit};

constexpr bool sums_and_products_stop_at_their_limits() {
    for (auto const left : figures)
        for (auto const right : figures) {
            if (add_capped(left, right) != (wide{left} + right).capped()) return false;
            if (mul_capped(left, right) != wide::product(left, right).capped()) return false;
            if (sub_capped(left, right) != (left < right ? 0 : left - right)) return false;
        }
    return true;
}

constexpr bool shares_of_any_figure_are_exact() {
    for (auto const value : figures)
        for (auto const share : figures)
            for (auto const whole : figures) {
                if (share >> 32 != 0 || whole >> 32 != 0 || whole == 0) continue;
                auto const exact = wide::product(value, share);
                auto const divisor = static_cast<std::uint32_t>(whole);
                if (scale_down(value, share, whole) != (exact / divisor).capped()) return false;
                if (scale_up(value, share, whole) != ((exact + (whole - 1)) / divisor).capped()) return false;
            }
    return true;
}

TEST_CASE("saturate: sums, products and shares") {
    CHECK_CONSTANT(sums_and_products_stop_at_their_limits());
    CHECK_CONSTANT(shares_of_any_figure_are_exact());
}

constexpr bool knows_each_byte() {
    for (int value = -128; value < 128; ++value) {
        auto const byte = static_cast<char>(value);
        if (is_digit(byte) != (value >= 48 && value <= 57)) return false;
        if (lowered(byte) != static_cast<char>(value >= 65 && value <= 90 ? value + 32 : value)) return false;
    }
    return true;
}

TEST_CASE("ascii: digits and capital letters, and no other byte") { CHECK_CONSTANT(knows_each_byte()); }

constexpr figure malformed{0, figure_fault::malformed};
constexpr figure too_large{0, figure_fault::too_large};
constexpr figure too_fine{0, figure_fault::too_fine};

/// Whether `read` says so of every text.
constexpr bool all_are(figure said, auto read, std::initializer_list<std::string_view> texts) {
    for (auto const text : texts)
        if (read(text) != said) return false;
    return true;
}

constexpr bool lists_have_one_space_between_two() {
    std::string_view list = "1 22 x  3 ";
    auto const next = [&] { return take_count(list); };
    bool const good = next() == figure{1} && next() == figure{22} && next() == malformed && next() == malformed &&
                      next() == malformed && list.empty();
    list = "7";
    return good && next() == figure{7} && list.empty() && next() == malformed;
}

TEST_CASE("figures: counts are digits, lists of them have one space between two") {
    using std::string_view_literals::operator""sv;
    CHECK_CONSTANT(
        all_are(malformed, read_count,
                {"", " ", "-1", "+1", "1 ", " 1", "1.0", "1e3", "1,000", "1'000", "0x10", "\xC2\xB2", "1\0"sv}));
    CHECK_CONSTANT(all_are(too_large, read_count, {"18446744073709551616", "99999999999999999999999999"}));
    CHECK_CONSTANT(read_count("0") == figure{0} && read_count("007") == figure{7} &&
                   read_count("18446744073709551615") == figure{~std::uint64_t{0}} &&
                   read_count("0000000000000000000000000005") == figure{5});
    CHECK_CONSTANT(lists_have_one_space_between_two());
}

TEST_CASE("figures: shares are exact, switches are words, and megabytes of digits are read in one pass") {
    CHECK_CONSTANT(all_are(malformed, read_share, {"",      "%",    " %",    ".",        ".5",   "5.",   "-0.5",
                                                   "+0.5",  "0,5",  "0.5.1", "1e-1",     "0.5 ", "65%%", "65  %",
                                                   "65\t%", "% 65", "0.5x",  "0.00001x", "NaN",  "inf",  "6 5%"}));
    CHECK_CONSTANT(all_are(figure{6'500}, read_share, {"0.65", "65%", "65 %", "0.6500000000000"}));
    CHECK_CONSTANT(all_are(figure{10'000}, read_share, {"1", "1.0"}) &&
                   all_are(figure{1}, read_share, {"0.0001", "0.01%"}));
    CHECK_CONSTANT(all_are(too_fine, read_share, {"0.00001", "0.001%", "0.30000000000000004"}));
    CHECK_CONSTANT(all_are(too_large, read_share, {"1844674407370955.1616", "18446744073709551616%"}));
    CHECK_CONSTANT(read_share("1%") == figure{100} && read_share("0") == figure{0} &&
                   read_share("62.5%") == figure{6'250} && read_share("62.55 %") == figure{6'255} &&
                   read_share("65") == figure{650'000} &&
                   read_share("1844674407370955.1615") == figure{~std::uint64_t{0}});
    CHECK_CONSTANT(all_are(figure{1}, read_switch, {"on", "ON", "On", "true", "TRUE", "yes", "1"}));
    CHECK_CONSTANT(all_are(figure{0}, read_switch, {"off", "OFF", "false", "False", "no", "0"}));
    CHECK_CONSTANT(all_are(malformed, read_switch, {"", "2", "o", "onn", "enabled", "on ", "10", "t"}));
    std::string const zeros(2'000'000, '0');
    CHECK((read_count(zeros + "7") == figure{7} && read_count(std::string(2'000'000, '9')) == too_large));
    CHECK((read_share("0.5" + zeros) == figure{5'000} && read_share("0.5" + zeros + "1") == too_fine));
    CHECK(read_share(std::string(2'000'000, '9')) == too_large);
}

constexpr bool whole_powers_are_exact() {
    for (int power = -16; power <= 16; ++power) {
        auto const ratio = std::uint64_t{1} << (16 + power);
        if (log2_of_ratio(ratio) != power * fixed_one || ratio_of_log2(power * fixed_one) != ratio) return false;
    }
    return log2_of_ratio(0) == -16 * fixed_one && ratio_of_log2(u64_limit >> 1) == std::uint64_t{1} << 32 &&
           ratio_of_log2(-(std::int64_t{1} << 62)) == 1;
}

TEST_CASE("fixed_log: exact where that is possible, and harmless for any figures") {
    CHECK_CONSTANT(whole_powers_are_exact());
    // Roots are rounded down.
    CHECK_CONSTANT(square_root(0) == 0 && square_root(1) == 1 && square_root(3) == 1 && square_root(4) == 2 &&
                   square_root(u64_limit) == 0xFFFF'FFFF && square_root(1ull << 62) == 1ull << 31);
    CHECK_CONSTANT(ratio_of(3, 2) == 98'304 && ratio_of(u64_limit, u64_limit) == 65'536 &&
                   ratio_of(1, u64_limit) == 0 && ratio_of(u64_limit, 1) == std::uint64_t{1} << 32 &&
                   ratio_of(5, 0) == 0 && ratio_of(0, 5) == 0 && ratio_of(u64_limit, 0) == 0);
}

TEST_CASE("fixed_log: close to the true value elsewhere, and monotone") {
    std::int64_t before = -17 * fixed_one;
    std::uint64_t last = 0;
    for (std::uint64_t ratio = 1'000; ratio < 1'000'000; ratio += 137) {
        auto const log = log2_of_ratio(ratio);
        CHECK(std::abs(static_cast<double>(log) / 65'536 - std::log2(static_cast<double>(ratio) / 65'536)) <
              2.0 / 65'536);
        CHECK(log >= before);
        auto const back = ratio_of_log2(log);
        CHECK(std::abs(static_cast<double>(back) / static_cast<double>(ratio) - 1) < 6e-4);
        CHECK(back >= last);
        before = log;
        last = back;
    }
    for (std::uint64_t const ratio : {u64_limit, u64_limit / 3, std::uint64_t{1} << 63})
        CHECK(log2_of_ratio(ratio) >= 46 * fixed_one);
}

TEST_CASE("dates: year, month, day, hour and minute as date -u prints them, and now in seconds") {
    auto const date_of = [](std::uint64_t seconds) {
        std::string text;
        append_date(text, seconds);
        return text;
    };
    CHECK((date_of(0) == "1970-01-01 00:00" && date_of(951'782'399) == "2000-02-28 23:59"));
    CHECK((date_of(951'782'400) == "2000-02-29 00:00" && date_of(1'709'251'199) == "2024-02-29 23:59"));
    CHECK((date_of(1'790'000'000) == "2026-09-21 14:13" && date_of(u64_limit).starts_with("9999-12-31 ")));
    auto const now = calendar_seconds();
    CHECK((now > 1'700'000'000 && now < 100'000'000'000));
    CHECK(calendar_seconds() >= now);
}

constexpr bool is(sha256 const& hash, std::string_view digits) {
    std::size_t place = 0;
    for (auto const byte : hash.digest())
        for (auto const half : {byte >> 4, byte & 15})
            if ("0123456789abcdef"[half] != digits[place++]) return false;
    return place == digits.size();
}

std::string encoded(std::string_view bytes) {
    std::string text;
    base64::append(text, bytes);
    return text;
}

TEST_CASE("fnv and xxhash: the vectors of their authors, and a text in two pieces is one text") {
    CHECK_CONSTANT(fnv1a("") == 0xCBF29CE484222325u && fnv1a("a") == 0xAF63DC4C8601EC8Cu &&
                   fnv1a("foobar") == 0x85944171F73967E8u);
    CHECK_CONSTANT(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar") && fnv1a("\xFF") != fnv1a("\x7F"));
    // Figures of the program xxhsum (-H3, -H128) for an empty file and for one of 300 bytes, hashed in stripes.
    CHECK(XXH3_64bits("", 0) == 0x2D06800538D394C2u);
    auto const empty = XXH3_128bits("", 0);
    CHECK((empty.high64 == 0x99AA06D3014798D8u && empty.low64 == 0x6001C324468D497Fu));
    std::string const text(300, 'x');
    auto const striped = XXH3_128bits(text.data(), text.size());
    CHECK((striped.high64 == 0x125237EA2AD7BC7Au && striped.low64 == 0xA5D1B4607DC83554u));
}

TEST_CASE("sha256: the published examples, and texts of every size about a block") {
    constexpr std::string_view abc{"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
    CHECK_CONSTANT(is(sha256{}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    CHECK_CONSTANT(is(sha256{}.add("abc"), abc) && is(sha256{}.add("ab").add("").add("c"), abc));
    CHECK_CONSTANT(is(sha256{}.add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    // From another implementation: the sizes around which the padding needs another block.
    struct example {
        std::size_t size;
        std::string_view digits;
    };
    for (auto const& [size, digits] :
         {example{55, "aadaed00a3c5fbb8072ae7f1984ba8199fbe5272de427d11eaf31583af37db51"},
          example{56, "528ff50ab05e77bbbd224a9ec86165dbb6824a9a9efb544be0a1d57d5b416457"},
          example{63, "d12449c8124182545ae91924286cc6af13528bcf62a5ddbd5e00b891fffc1b48"},
          example{64, "8667e718294e9e0df1d30600ba3eeb201f764aad2dad72748643e4a285e1d1f7"},
          example{65, "855c9a28fff2bbbd71327165554a00c6fdd44d5d58c1f12b8fdff29b5d67f001"},
          example{119, "b863f94597d433ef2280e3b4656f13ea265a79bb8047287321c218905b03c99b"},
          example{120, "9088fee917e5a748c2f0b4f5458c1cbdabbd696291c69be6e605bae0ef779e8f"},
          example{1'000'000, "bfa872a3021d48c84643f831ee5f9358bceccf3ad6a5f8b3a7a00e0b3f22bdbc"}})
        CHECK(is(sha256{}.add(std::string(size, '\xFF')), digits));
}

TEST_CASE("base64: the vectors of RFC 4648, section 10, and any bytes come back; anything else is refused") {
    using row = std::pair<std::string_view, std::string_view>;
    for (auto const& [bytes, text] :
         {row{"", ""}, row{"f", "Zg=="}, row{"fo", "Zm8="}, row{"foo", "Zm9v"}, row{"foob", "Zm9vYg=="},
          row{"fooba", "Zm9vYmE="}, row{"foobar", "Zm9vYmFy"}, row{"\xFB\xFF\xFE", "+//+"}}) {
        CHECK(encoded(bytes) == text);
        std::string out;
        CHECK((base64::append_decoded(out, text) && out == bytes));
    }
    for (std::string_view const text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zg=a", "Zm9v\n",
                                        "Zm 9", "Zm-_", "Zm9vYmF", "\xFFm9v"}) {
        CAPTURE(text);
        std::string out;
        CHECK_FALSE(base64::append_decoded(out, text));
    }
    std::string bytes;
    for (int value = 0; value < 600; ++value) {
        auto const text = encoded(bytes);
        CHECK(text.size() == (bytes.size() + 2) / 3 * 4);
        std::string back;
        CHECK((base64::append_decoded(back, text) && back == bytes));
        bytes.push_back(static_cast<char>(value * 7));
    }
    int accepted = 0;
    for (std::size_t place = 0; place < 4; ++place)
        for (int value = 0; value < 256; ++value) {
            std::string changed{"Zg=="};
            changed[place] = static_cast<char>(value);
            std::string back;
            if (!base64::append_decoded(back, changed)) continue;
            CHECK(encoded(back) == changed);
            ++accepted;
        }
    CHECK(accepted == 64 + 4 + 17 + 1);
}

}  // namespace
