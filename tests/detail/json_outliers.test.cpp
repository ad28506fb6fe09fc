// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/json_outliers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shorten/hostile_texts.hpp"
#include "support/catch.hpp"

namespace {

using condense::detail::json::column_record;
using condense::detail::json::outliers;
using condense::detail::json::scanner;

static_assert(sizeof(column_record) * outliers::path_limit <= 600'000, "memory is bounded");

constexpr bool note(outliers& rows, std::string_view row) {
    scanner scan{row};
    return rows.add_row(scan, scan.next());
}
constexpr std::uint32_t weigh(outliers& rows, std::string_view row) {
    scanner scan{row};
    return rows.weigh(scan, scan.next());
}

/// Which of the rows stand out, by number.
constexpr std::vector<std::size_t> found_in(std::vector<std::string> const& texts) {
    outliers rows;
    for (auto const& text : texts)
        if (!note(rows, text)) return {999'999};
    rows.settle();
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < texts.size(); ++row)
        if (outliers::stands_out(weigh(rows, texts[row]))) found.push_back(row);
    return found;
}

constexpr std::string digits(std::size_t value) {
    std::string out;
    do out.insert(out.begin(), static_cast<char>('0' + value % 10));
    while ((value /= 10) != 0);
    return out;
}

/// An id that is always new, a number that varies, one of two names, and words.
constexpr std::string usual_row(std::size_t row) {
    return R"({"id":)" + digits(100'000 + row) + R"(,"size":)" + digits(200 + row * 37 % 100) + R"(,"state":")" +
           (row % 2 == 0 ? "open" : "held") + R"(","text":"served the request to )" + digits(row) +
           R"(","tags":[1,2]})";
}
constexpr std::vector<std::string> usual_rows(std::size_t count) {
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < count; ++row) rows.push_back(usual_row(row));
    return rows;
}

/// Row 20 of 48, in place of the usual one.
constexpr bool stands_out(std::string_view odd) {
    auto rows = usual_rows(48);
    rows[20] = odd;
    auto const found = found_in(rows);
    return found.size() == 1 && found[0] == 20;
}

}  // namespace

TEST_CASE("json_outliers: rows that are alike do not stand out") {
    CHECK(found_in(usual_rows(48)).empty());
    CHECK(found_in(usual_rows(1)).empty());
    CHECK(found_in(std::vector<std::string>(100, "7")).empty());
    CHECK(found_in({}).empty());
    // Where each has a key and a name of its own none is rarer than another.
    std::vector<std::string> different;
    for (std::size_t row = 0; row < 60; ++row)
        different.push_back("{\"k" + digits(row) + "\":\"" + std::string(3, static_cast<char>('a' + row % 26)) +
                            digits(row) + "\"}");
    CHECK(found_in(different).empty());
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
    CHECK(stands_out(R"("a text")"));
    CHECK(stands_out("{}"));
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
    CHECK(weight_of("\"state\"", "\"open\"") == 0);
    CHECK(weight_of("\"id\"", "100020") == 0);
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
        for (std::size_t key = 0; key < count; ++key) out += "\"k" + digits(key) + "\":1,";
        return out + "\"last\":";
    };
    CHECK(outliers::stands_out(weight_of_odd(members(outliers::path_limit - 2), "}")));
    CHECK(weight_of_odd(members(outliers::path_limit - 1), "}") == 0);
}

TEST_CASE("json_outliers: a row that is no JSON is said to be none") {
    for (std::string_view const row :
         {R"({"a":1)", R"({"a" 1})", "[1,", "[1 2]", R"([{"a":"\x"}])", R"(["a)", "[[[[[[1,}]]]]]]"}) {
        CAPTURE(row);
        outliers rows;
        CHECK_FALSE(note(rows, row));
    }
    outliers rows;
    CHECK(note(rows, R"({"a":[[[[[[[[1]]]]]]]]})"));
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
