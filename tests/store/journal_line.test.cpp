// SPDX-License-Identifier: BSL-1.0
#include <condense/store/journal_line.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "store/contents.hpp"
#include "support/catch.hpp"

namespace {

using condense::detail::journal_line;

condense::journal_entry entry_of(std::uint64_t number, std::string_view content) {
    return {condense::content_hash{}(content, 0), number, false};
}

std::string_view without_break(std::string_view line) { return line.substr(0, line.size() - 1); }

}  // namespace

TEST_CASE("journal_line: the layout is what earlier lines have") {
    journal_line const format{"c"};
    CHECK(format.write(entry_of(12, "{\"a\":1.00}"), "{\"a\":1.00}") ==
          "{\"number\":12,\"name\":\"1d01ab9bcd12a393cad94741\",\"check\":\"49cbe33f01ca4c42\",\"message\":{\"a\":1.00}"
          "}\n");
    CHECK(format.write(entry_of(13, "a\n\"b\\\x01"), "a\n\"b\\\x01") ==
          "{\"number\":13,\"name\":\"75d9d981d8d89af0466dfe17\",\"check\":\"1fdc6771e17d1d85\",\"text\":"
          "\"a\\n\\\"b\\\\\\u0001\"}\n");
    CHECK(format.write(entry_of(14, "\xFF"), "\xFF") ==
          "{\"number\":14,\"name\":\"7e5dc90380f0640bd6bcec3c\",\"check\":\"1d08bb733bd5fb24\",\"base64\":\"/w==\"}\n");
    CHECK(format.write({entry_of(14, "q").name, 14, true}, {}) ==
          "{\"number\":14,\"name\":\"775a9e78fdf5aad7f2386670\",\"check\":\"fd8d460252fccfc7\",\"made\":true}\n");
}

TEST_CASE("journal_line: any content comes back") {
    journal_line const format{"c"};
    std::string room = "left over";
    for (auto const& content : store_tests::contents())
        for (std::uint64_t const number : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
            auto const line = format.write(entry_of(number, content), content);
            CHECK(line.find('\n') == line.size() - 1);
            auto const found = format.read(without_break(line), room);
            REQUIRE(found.has_value());
            CHECK(found->entry == entry_of(number, content));
            CHECK((found->content == content));
        }
    condense::journal_entry const made{{}, 3, true};
    auto const line = format.write(made, {});
    auto const found = format.read(without_break(line), room);
    REQUIRE(found.has_value());
    CHECK(found->entry == made);
    CHECK(found->content.empty());
}

TEST_CASE("journal_line: what is cut, changed or another conversation's is not read") {
    std::string room;
    journal_line const format{"c"};
    for (std::string_view const content : {"{\"a\":[1,2]}", "text\n", "\xFF\xFE", ""}) {
        auto const line =
            format.write(content.empty() ? condense::journal_entry{{}, 307, true} : entry_of(307, content), content);
        auto const head = line.find("\",\"", line.find("\"check\""));
        REQUIRE(head != std::string::npos);
        for (std::size_t cut = 0; cut + 1 < line.size(); ++cut) {
            auto const found = format.read(std::string_view{line}.substr(0, cut), room);
            CHECK((!found || found->entry.name != condense::content_hash{}(found->content, 0)));
        }
        for (std::size_t at = 0; at < head; ++at)
            for (int const change : {1, 4, 0x20, 0x80}) {
                auto changed = std::string{without_break(line)};
                changed[at] = static_cast<char>(changed[at] ^ change);
                CHECK_FALSE(format.read(changed, room).has_value());
            }
        CHECK_FALSE(format.read(line, room).has_value());
        CHECK_FALSE(format.read(' ' + line, room).has_value());
        CHECK_FALSE(journal_line{"d"}.read(without_break(line), room).has_value());
    }
    auto const line = format.write(entry_of(1, "a"), "a");
    for (std::string_view const number : {"01", "+1", "-1", "18446744073709551616", "1.0", "", " 1"})
        CHECK_FALSE(format.read(std::string{without_break(line)}.replace(10, 1, number), room).has_value());
}
