// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/netstring.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using condense::detail::field_reader;
using condense::detail::put_field;
using condense::detail::read_number;
constexpr auto most = ~std::uint64_t{0};

constexpr bool numbers_are_digits() {
    std::uint64_t value = 7;
    bool ok = read_number("0", value) && value == 0 && read_number("9", value) && value == 9;
    ok = ok && read_number("18446744073709551615", value) && value == most;
    for (std::string_view const bad :
         {"", "-1", "+1", " 1", "1 ", "01", "00", "1.0", "1e3", "0x1", "a", "18446744073709551616",
          "99999999999999999999", "184467440737095516150", "100000000000000000000"})
        ok = ok && !read_number(bad, value);
    return ok;
}
static_assert(numbers_are_digits());

constexpr bool fields_are_read_in_order() {
    field_reader fields{"3:abc,0:,2:,:,1:7,"};
    bool ok = !fields.done() && fields.text() == "abc" && fields.text().empty() && fields.text() == ",:" &&
              fields.number(7) == 7;
    return ok && fields.done() && !fields.broken();
}
static_assert(fields_are_read_in_order());

constexpr bool what_is_no_field_breaks() {
    for (std::string_view const bad : {":", "1", "1:", "1:a", "1:a;", "2:a,", "0:a,", "a:b,", "-1:a,", "01:a,", "1 :a,",
                                       "18446744073709551615:a,", "18446744073709551616:a,", "9223372036854775808:a,",
                                       "99999999999999999999999:a,", "4294967296:a,", ",", "abc"}) {
        field_reader fields{bad};
        if (!fields.text().empty() || !fields.broken() || !fields.done()) return false;
        if (!fields.text().empty() || fields.number(9) != 0 || !fields.broken()) return false;  // and stays broken
    }
    field_reader none{""};
    return none.done() && !none.broken() && none.text().empty() && none.broken();
}
static_assert(what_is_no_field_breaks());

constexpr bool numbers_are_bounded() {
    field_reader at{"1:9,"};
    field_reader above{"1:9,"};
    field_reader empty{"0:,"};
    field_reader largest{"20:18446744073709551615,"};
    return at.number(9) == 9 && !at.broken() && above.number(8) == 0 && above.broken() && empty.number(9) == 0 &&
           empty.broken() && largest.number(most) == most && !largest.broken();
}
static_assert(numbers_are_bounded());

}  // namespace

TEST_CASE("netstring: at run time as in constant expressions") {
    CHECK(numbers_are_digits());
    CHECK(fields_are_read_in_order());
    CHECK(what_is_no_field_breaks());
    CHECK(numbers_are_bounded());
}

TEST_CASE("netstring: any bytes come back exactly") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
    std::vector<std::string> const fields{"", "a", ",", ":", "3:abc,", all, std::string(70'000, '1'), "\xFF\xC3"};
    std::string out;
    for (auto const& field : fields) put_field(out, field);
    put_field(out, std::uint64_t{0});
    put_field(out, most);
    field_reader reader{out};
    for (auto const& field : fields) CHECK(reader.text() == field);
    CHECK(reader.number(0) == 0);
    CHECK(reader.number(most) == most);
    CHECK(reader.done());
    CHECK_FALSE(reader.broken());
    CHECK(out.substr(0, 7) == "0:,1:a,");
}

TEST_CASE("netstring: cut anywhere, it is broken or short, never something else") {
    std::string out;
    for (auto const* const field : {"one", "", "three,3:"}) put_field(out, std::string_view{field});
    for (std::size_t size = 0; size < out.size(); ++size) {
        std::string const cut = out.substr(0, size);  // a copy, so that reading past the end is seen
        field_reader reader{cut};
        std::size_t read = 0;
        while (!reader.done() && !reader.broken()) {
            auto const field = reader.text();
            if (!reader.broken()) CHECK(field == std::vector<std::string_view>{"one", "", "three,3:"}[read++]);
        }
        CHECK(read < 3);
    }
}
