// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/json_outliers.hpp>

#include <condense/detail/best_rows.hpp>
#include <condense/detail/rarity.hpp>

#include "core/constant.hpp"
#include "shorten/texts.hpp"

namespace {

using condense::detail::json::column_record, condense::detail::json::outliers, condense::detail::json::scanner;

static_assert(sizeof(column_record) * outliers::path_limit <= 600'000, "memory is bounded");

bool note(outliers& rows, std::string_view row) {
    scanner scan{row};
    return rows.add_row(scan, scan.next());
}
std::uint32_t weigh(outliers& rows, std::string_view row) {
    scanner scan{row};
    return rows.weigh(scan, scan.next());
}

/// Which of the rows stand out, by number.
std::vector<std::size_t> found_in(std::vector<std::string> const& texts) {
    outliers rows;
    for (auto const& text : texts)
        if (!note(rows, text)) return {999'999};
    rows.settle();
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < texts.size(); ++row)
        if (outliers::stands_out(weigh(rows, texts[row]))) found.push_back(row);
    return found;
}

/// An id that is always new, a number that varies, one of two names, and words.
std::string usual_row(std::size_t row) {
    return R"({"id":)" + std::to_string(100'000 + row) + R"(,"size":)" + std::to_string(200 + row * 37 % 100) +
           R"(,"state":")" + (row % 2 == 0 ? "open" : "held") + R"(","text":"served the request to )" +
           std::to_string(row) + R"(","tags":[1,2]})";
}
std::vector<std::string> usual_rows(std::size_t count) {
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < count; ++row) rows.push_back(usual_row(row));
    return rows;
}

/// Row 20 of 48, in place of the usual one.
bool stands_out(std::string_view odd) {
    auto rows = usual_rows(48);
    rows[20] = odd;
    auto const found = found_in(rows);
    return found.size() == 1 && found[0] == 20;
}

TEST_CASE("json_outliers: rows that are alike do not stand out, and one that is no JSON is said to be none") {
    CHECK((found_in(usual_rows(48)).empty() && found_in(usual_rows(1)).empty()));
    CHECK((found_in(std::vector<std::string>(100, "7")).empty() && found_in({}).empty()));
    // Where each has a key and a name of its own none is rarer than another.
    std::vector<std::string> different;
    for (std::size_t row = 0; row < 60; ++row)
        different.push_back("{\"k" + std::to_string(row) + "\":\"" + std::string(3, static_cast<char>('a' + row % 26)) +
                            std::to_string(row) + "\"}");
    CHECK(found_in(different).empty());
    for (std::string_view const row :
         {R"({"a":1)", R"({"a" 1})", "[1,", "[1 2]", R"([{"a":"\x"}])", R"(["a)", "[[[[[[1,}]]]]]]"}) {
        CAPTURE(row);
        outliers rows;
        CHECK_FALSE(note(rows, row));
    }
    outliers rows;
    CHECK(note(rows, R"({"a":[[[[[[[[1]]]]]]]]})"));
}

TEST_CASE("json_outliers: a row stands out by whatever few others have") {
    CHECK(stands_out(
        R"({"id":100020,"size":250,"state":"open","text":"served the request to 7","tags":[1,2],"error":1})"));
    CHECK(stands_out(R"({"id":100020,"size":250,"state":"open","text":"served the request to 7"})"));
    CHECK(stands_out(R"({"id":100020,"size":null,"state":"open","text":"served the request to 7","tags":[1,2]})"));
    CHECK(stands_out(R"({"id":100020,"size":"250","state":"open","text":"served the request to 7","tags":[1,2]})"));
    CHECK(stands_out(R"({"id":100020,"size":250,"state":"lost","text":"served the request to 7","tags":[1,2]})"));
    CHECK(stands_out(R"({"id":100020,"size":250,"state":"open","text":"refused the request to 7","tags":[1,2]})"));
    CHECK(stands_out(R"({"id":100020,"size":9000000,"state":"open","text":"served the request to 7","tags":[1,2]})"));
    CHECK(stands_out(R"({"id":100020,"size":-250,"state":"open","text":"served the request to 7","tags":[1,2]})"));
    CHECK(stands_out(R"({"id":100020,"size":0,"state":"open","text":"served the request to 7","tags":[1,2]})"));
    CHECK(stands_out(R"({"id":100020,"size":250,"state":"open","text":"","tags":[1,2]})"));
    CHECK(stands_out(
        R"({"id":100020,"size":250,"state":"open","text":"served the request to 7","tags":[1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2]})"));
    CHECK((stands_out(R"("a text")") && stands_out("{}")));
}

TEST_CASE("json_outliers: of one row the members can be weighed alone") {
    outliers rows;
    auto texts = usual_rows(48);
    texts[20] = R"({"id":100020,"size":250,"state":"lost","text":"served the request to 7","tags":[1,2]})";
    for (auto const& text : texts) REQUIRE(note(rows, text));
    rows.settle();
    auto const weight_of = [&](std::string_view key, std::string_view value) {
        scanner scan{value};
        return rows.weigh(scan, scan.next(), false, outliers::path_of(key));
    };
    CHECK(outliers::stands_out(weight_of("\"state\"", "\"lost\"")));
    CHECK((weight_of("\"state\"", "\"open\"") == 0 && weight_of("\"id\"", "100020") == 0));
    CHECK(weight_of("\"unknown\"", "1") == 0);
}

TEST_CASE("json_outliers: four levels are looked at, and so many paths") {
    auto const weight_of_odd = [](std::string const& front, std::string const& back) {
        outliers rows;
        for (int row = 0; row < 48; ++row) REQUIRE(note(rows, front + (row == 20 ? "\"odd\"" : "\"usual\"") + back));
        rows.settle();
        return weigh(rows, front + "\"odd\"" + back);
    };
    static_assert(outliers::level_limit == 4);
    CHECK(outliers::stands_out(weight_of_odd(R"([{"a":{"b":[)", "]}}]")));
    CHECK(weight_of_odd(R"([{"a":{"b":[[)", "]]}}]") == 0);

    // One path is that of the row itself.
    auto const members = [](std::size_t count) {
        std::string out{"{"};
        for (std::size_t key = 0; key < count; ++key) out += "\"k" + std::to_string(key) + "\":1,";
        return out + "\"last\":";
    };
    CHECK(outliers::stands_out(weight_of_odd(members(outliers::path_limit - 2), "}")));
    CHECK(weight_of_odd(members(outliers::path_limit - 1), "}") == 0);
}

TEST_CASE("json_outliers: hostile rows end, and are bounded in memory") {
    for (auto const& [name, text] : laws::hostile_texts(200'000)) {
        CAPTURE(name);
        auto rows = usual_rows(40);
        outliers seen;
        for (auto const& row : rows) REQUIRE(note(seen, row));
        scanner scan{text};
        auto const first = scan.next();
        if (first >= condense::detail::json::token::done || first == condense::detail::json::token::close) continue;
        bool const read = seen.add_row(scan, first);
        seen.settle();
        CHECK(weigh(seen, rows[3]) < 64 * 8);
        if (read) CHECK(outliers::stands_out(weigh(seen, text)));
    }
}

using namespace condense::detail;

constexpr bool logarithms_are_in_eighths() {
    if (log2_eighths(0) != 0 || log2_eighths(~std::uint64_t{0}) != 64 * 8 - 1) return false;
    for (unsigned bits = 0; bits < 64; ++bits)
        if (log2_eighths(std::uint64_t{1} << bits) != bits * 8) return false;
    for (std::uint64_t value = 1; value < 3'000; ++value) {
        if (log2_eighths(value) > log2_eighths(value + 1)) return false;
        if (log2_eighths(value * 2) != log2_eighths(value) + 8) return false;
    }
    return log2_eighths(12) == 28 && log2_eighths(15) == 31;
}

/// Two of 64 things differ from the rest: `odd` is one of them, and one that was never seen is no surprise.
constexpr bool a_rare_thing_surprises_a_tally() {
    tally<16> counted;
    for (int round = 0; round < 62; ++round)
        if (counted.add(5) != (round == 0)) return false;
    if (!counted.add(5 + 16) || counted.add(5 + 16)) return false;  // in the same place of the table
    counted.settle(counted.total());
    return counted.total() == 64 && counted.surprise(5) == 0 && counted.surprise(21) == 5 * 8 &&
           counted.most() == 5 * 8 && counted.surprise(37) == 0 && !counted.given_up();
}

/// Of 64 things that are all different, or of one thing only, none is rare.
constexpr bool nothing_surprises_among_equals() {
    tally<128> different;
    tally<128> same;
    for (std::uint64_t what = 0; what < 64; ++what) {
        different.add(what);
        same.add(1);
    }
    different.settle(64);
    same.settle(64);
    return different.most() == 0 && different.surprise(9) == 0 && same.most() == 0;
}

/// A table takes no more than three quarters of its places; what is new after that is only counted.
constexpr bool a_full_tally_knows_that_it_is() {
    tally<16> counted;
    for (std::uint64_t what = 0; what < 27; ++what) counted.add(what);
    if (counted.given_up()) return false;
    counted.add(27);
    if (!counted.given_up()) return false;
    counted.settle(counted.total());
    if (counted.most() != 0) return false;
    for (int round = 0; round < 200; ++round) counted.add(3);
    return counted.total() == 228 && !counted.given_up();
}

/// Rare things that come together are one event.
constexpr bool what_comes_along_is_no_further_event() {
    tally<16> apart;
    tally<16> together;
    for (int round = 0; round < 60; ++round) {
        apart.add(1);
        together.add(1);
    }
    for (std::uint64_t what = 2; what < 6; ++what) {
        apart.add(what);
        together.add(what, what != 2);
    }
    apart.settle(64);
    together.settle(64);
    return apart.surprise(2) == 4 * 8 && together.surprise(2) == 6 * 8 && together.surprise(5) == 6 * 8;
}

constexpr bool near(std::size_t left, std::size_t right) { return left <= right + 1 && right <= left + 1; }

/// However it is spelt.
constexpr bool a_number_has_one_magnitude() {
    for (std::string_view const spelt :
         {"1e3", "1E+3", "1000.0", "-1000", "0.001e6", "10000000e-4", "1000.00000000000000000000000000000"})
        if (!near(magnitude_of("1000"), magnitude_of(spelt))) return false;
    return magnitude_of("0") == 0 && magnitude_of("-0.00e9") == 0 && magnitude_of("2000") == magnitude_of("1000") + 4 &&
           magnitude_of("0.5") < magnitude_of("1") &&
           magnitude_of("123456789012345678901234567890") < magnitude_count &&
           near(magnitude_of("1000000000000000000000000e-15"), magnitude_of("1e9"));
}

/// 31 sizes around 100 and one that is `size`.
constexpr std::uint32_t surprise_of(std::string_view size) {
    magnitudes counted;
    for (int round = 0; round < 31; ++round) counted.add(magnitude_of(round % 2 == 0 ? "100" : "110"));
    counted.add(magnitude_of(size));
    if (counted.most() != 0 || counted.surprise(magnitude_of(size)) != 0) return 999;  // nothing is known before
    counted.settle();
    if (counted.surprise(magnitude_of("100")) != 0) return 999;
    return counted.surprise(magnitude_of(size));
}

TEST_CASE("rarity: few of many surprise, and sizes of other orders") {
    CHECK_CONSTANT(logarithms_are_in_eighths());
    CHECK_CONSTANT(surprise(1, 16) == 32 && surprise(2, 16) == 24 && surprise(1, 1'024) == 80 && surprise(0, 16) == 0 &&
                   surprise(16, 16) == 0 && surprise(17, 16) == 0 && surprise(1, 1) == 0);
    CHECK_CONSTANT(a_rare_thing_surprises_a_tally());
    CHECK_CONSTANT(nothing_surprises_among_equals());
    CHECK_CONSTANT(a_full_tally_knows_that_it_is());
    CHECK_CONSTANT(what_comes_along_is_no_further_event());
    CHECK_CONSTANT(a_number_has_one_magnitude());
    constexpr auto most = static_cast<std::int64_t>(~std::uint64_t{0} >> 1);
    CHECK_CONSTANT(magnitude_of("1e999999999999999999999999") == 255 &&
                   magnitude_of("1e-999999999999999999999999") == 0 &&
                   quarter_octaves(~std::uint64_t{0}, most) == 255 && quarter_octaves(1, -most) == 0 &&
                   quarter_octaves(1, 0) == 64);
    // A size apart surprises.
    CHECK_CONSTANT(surprise_of("1000000") == 5 * 8 * 7 / 8 && surprise_of("0") == 5 * 8 * 7 / 8 &&
                   surprise_of("105") == 0 && surprise_of("120") < 24 && surprise_of("-1e30") == 5 * 8 * 7 / 8);
    CHECK(magnitude_of(std::string(1'000'000, '9')) == 255);
    CHECK(magnitude_of("0." + std::string(1'000'000, '0') + "1") == 0);
    CHECK(magnitude_of("1e" + std::string(1'000'000, '9')) == 255);
}

using condense::detail::best_rows;

constexpr std::string_view names = "abcdefghijklmnopqrstuvwxyz";

/// Whether the rows of these names are left, where rows are offered in the order of the weights.
template <std::size_t Count>
constexpr bool leaves(std::string_view wanted, std::uint64_t most, std::uint32_t const (&weights)[Count],
                      std::size_t enough = Count) {
    best_rows best{most};
    for (std::size_t row = 0; row < Count; ++row) best.offer({weights[row], row, names.substr(row, 1)});
    best.trim(enough);
    if (best.size() != wanted.size()) return false;
    bool same = true;
    best.in_order([&](std::string_view text) {
        same = same && wanted.starts_with(text);
        wanted.remove_prefix(1);
    });
    return same && wanted.empty();
}

TEST_CASE("best_rows: the greatest weights, in the order of rows") {
    // The greatest stay in the order of rows.
    CHECK_CONSTANT(leaves("bdf", 3, {1, 9, 2, 8, 3, 7}) && leaves("abc", 3, {9, 8, 7, 3, 2, 1}) &&
                   leaves("abc", 9, {1, 2, 1}) && leaves("c", 1, {5, 4, 6, 6}) && leaves("", 0, {1, 2, 3}));
    // Of equals the earlier stay.
    CHECK_CONSTANT(leaves("ab", 2, {4, 4, 4, 4}) && leaves("ac", 2, {4, 4, 5, 4}) && leaves("abc", 3, {0, 1, 0, 0}));
    // If there are more than enough, those below three quarters of the greatest go.
    CHECK_CONSTANT(leaves("abd", 9, {100, 80, 74, 75, 10}, 2) && leaves("abcd", 9, {100, 80, 74, 75, 10}, 4) &&
                   leaves("abcde", 9, {100, 80, 74, 75, 10}, 5) && leaves("d", 9, {10, 20, 30, 100}, 0) &&
                   leaves("abc", 9, {0, 0, 0}, 0));
}

TEST_CASE("best_rows: no more rows are held than asked for, and they are what sorting gives") {
    std::uint64_t state = 1;
    for (std::size_t most : {1u, 2u, 7u, 32u}) {
        std::vector<std::uint32_t> weights;
        best_rows best{most};
        std::string const text(4'000, 'x');
        for (std::uint64_t row = 0; row < text.size(); ++row) {
            state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
            weights.push_back(static_cast<std::uint32_t>(state >> 54));
            best.offer({weights.back(), row, std::string_view{text}.substr(static_cast<std::size_t>(row), 1)});
            REQUIRE(best.size() <= most);
        }
        // A row is among the best where fewer than `most` come before it.
        std::vector<std::size_t> wanted;
        for (std::size_t row = 0; row < weights.size(); ++row) {
            std::size_t before = 0;
            for (std::size_t other = 0; other < weights.size(); ++other)
                before += weights[other] > weights[row] || (weights[other] == weights[row] && other < row) ? 1u : 0u;
            if (before < most) wanted.push_back(row);
        }
        std::vector<std::size_t> found;
        best.in_order(
            [&](std::string_view shown) { found.push_back(static_cast<std::size_t>(shown.data() - text.data())); });
        CHECK(found == wanted);
    }
}

}  // namespace
