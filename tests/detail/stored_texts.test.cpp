// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/stored_texts.hpp>

#include <condense/adapt/json.hpp>
#include <condense/detail/mark.hpp>
#include <condense/detail/netstring.hpp>

#include "core/constant.hpp"
#include "laws/generator.hpp"
#include "support/effort.hpp"

namespace {

using condense::detail::rewrite_texts;

/// Writes "(gone)" for each "KEY".
std::size_t take_keys(std::string& text) {
    std::size_t count = 0;
    for (auto begin = text.find("KEY"); begin != std::string::npos; begin = text.find("KEY", begin), ++count)
        text.replace(begin, 3, "(gone)");
    return count;
}
std::string rewritten(std::string bytes, std::size_t expected) {
    CHECK(rewrite_texts(bytes, take_keys) == expected);
    return bytes;
}

TEST_CASE("stored texts: any text is one text, and a chat_message is read back, whatever its texts are") {
    CHECK((rewritten("", 0) == "" && rewritten("a KEY, KEY", 2) == "a (gone), (gone)"));
    CHECK((rewritten("3:KEY,", 1) == "6:(gone)," && rewritten("3:KEY", 1) == "3:(gone)"));
    CHECK(rewritten("3:KEY,4:KEY,", 2) == "3:(gone),4:(gone),");
    CHECK(rewritten("1:a,2:KEY,KEY", 2) == "1:a,2:(gone),(gone)");
    auto const m = condense::chat_message::call("id KEY", "tool", "{\"a\":\"KEY\"}").and_call("2", "3:KEY,", "KEYKEY");
    auto const expected = condense::chat_message::call("id (gone)", "tool", "{\"a\":\"(gone)\"}")
                              .and_call("2", "3:(gone),", "(gone)(gone)");
    CHECK(condense::from_bytes<condense::chat_message>(rewritten(condense::to_bytes(m), 5)) == expected);
}

TEST_CASE("stored texts: JSON that is no UTF-8 is read back, with texts of any length") {
    using json = nlohmann::ordered_json;
    for (std::size_t const size : {0u, 5u, 20u, 21u, 23u, 24u, 250u, 252u, 255u, 256u, 65'530u, 65'535u, 65'536u}) {
        auto const text = [&](std::string_view key) { return std::string(size, 'x') + std::string{key} + "\xFF"; };
        json const m{{"role", "user"}, {"content", text("KEY")}, {"n", {1, -1, 1.5, true, nullptr, 70'000, "KEY"}}};
        json const expected{
            {"role", "user"}, {"content", text("(gone)")}, {"n", {1, -1, 1.5, true, nullptr, 70'000, "(gone)"}}};
        auto const bytes = condense::to_bytes(m);
        REQUIRE(bytes.starts_with(condense::detail::cbor_mark));
        CHECK(condense::from_bytes<json>(rewritten(bytes, 2)) == expected);
        // In a field of another format, as adapters with JSON inside write it.
        std::string field;
        condense::detail::put_field(field, bytes);
        std::string expected_field;
        condense::detail::put_field(expected_field, condense::to_bytes(expected));
        CHECK(rewritten(field, 2) == expected_field);
        // Torn, it is one text.
        auto torn = bytes.substr(0, bytes.size() - 1);
        CHECK(rewrite_texts(torn, take_keys) >= 1);
        CHECK(torn.find("KEY") == std::string::npos);
    }
}

TEST_CASE("stored texts: random bytes lose their keys and nothing else") {
    for (std::uint64_t seed = 0; seed < rounds(100'000); ++seed) {
        laws::random_source random{seed};
        std::string bytes{random.chance(50) ? condense::detail::cbor_mark : std::string_view{}};
        for (auto left = random.below(30); left != 0; --left) {
            if (random.chance(30)) bytes += "KEY";
            else if (random.chance(30)) bytes += random.chance(50) ? "3:KEY," : "\x63KEY";
            else bytes.push_back(static_cast<char>(random.next()));
        }
        auto const before = bytes;
        auto const count = rewrite_texts(bytes, take_keys);
        if (count == 0) REQUIRE(bytes == before);
        else REQUIRE(bytes != before);
    }
}

using condense::detail::field_reader, condense::detail::put_field, condense::detail::read_number;
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

constexpr bool fields_are_read_in_order() {
    field_reader fields{"3:abc,0:,2:,:,1:7,"};
    bool ok = !fields.done() && fields.text() == "abc" && fields.text().empty() && fields.text() == ",:" &&
              fields.number(7) == 7;
    return ok && fields.done() && !fields.broken();
}

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

constexpr bool numbers_are_bounded() {
    field_reader at{"1:9,"};
    field_reader above{"1:9,"};
    field_reader empty{"0:,"};
    field_reader largest{"20:18446744073709551615,"};
    return at.number(9) == 9 && !at.broken() && above.number(8) == 0 && above.broken() && empty.number(9) == 0 &&
           empty.broken() && largest.number(most) == most && !largest.broken();
}

TEST_CASE("netstring: any bytes come back exactly, at run time as in constant expressions") {
    CHECK_CONSTANT(numbers_are_digits());
    CHECK_CONSTANT(fields_are_read_in_order());
    CHECK_CONSTANT(what_is_no_field_breaks());
    CHECK_CONSTANT(numbers_are_bounded());
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
    std::vector<std::string> const fields{"", "a", ",", ":", "3:abc,", all, std::string(70'000, '1'), "\xFF\xC3"};
    std::string out;
    for (auto const& field : fields) put_field(out, field);
    put_field(out, std::uint64_t{0});
    put_field(out, most);
    field_reader reader{out};
    for (auto const& field : fields) CHECK(reader.text() == field);
    CHECK((reader.number(0) == 0 && reader.number(most) == most && reader.done() && !reader.broken()));
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

using condense::detail::earlier_edit, condense::detail::mark_reader;

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

TEST_CASE("mark: says which parts were edited, or that the message is a summary; all else is ignored") {
    CHECK((said("short.0") == "s---" && said("stored.3") == "---x" && said("short.2,stored.0") == "x-s-"));
    CHECK((said("stored.1,short.1") == "-x--" && said("short.10") == "----"));
    CHECK((mark_reader{std::string{"summary"}}.summary() && !mark_reader{std::string{}}.summary()));
    CHECK((!mark_reader{std::string{"summary,short.0"}}.summary() && !mark_reader{std::string{"short.0"}}.summary()));
    CHECK(said("summary") == "----");
    for (auto const* const mark :
         {"", ",", ",,,", "short", "short.", ".0", "short.x", "short.-1", "short.0x", "short. 0", "SHORT.0",
          "shorten.0", "short.0.1", "short.4294967296", "short.18446744073709551615", "short.18446744073709551616",
          "short.99999999999999999999999", "dropped.0", "short,0"})
        CHECK(said(mark) == "----");
    CHECK(said(",short.1,,junk,stored.2,") == "-sx-");
}

}  // namespace
