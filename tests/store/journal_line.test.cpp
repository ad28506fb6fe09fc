// SPDX-License-Identifier: BSL-1.0
#include <condense/store/journal_line.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <condense/testing/journal_laws.hpp>
#include <condense/testing/store_laws.hpp>

#include "support/catch.hpp"

namespace {

using condense::detail::journal_line;

condense::journal_entry entry_of(std::uint64_t number, std::string_view content, std::uint64_t time = 0) {
    return {condense::content_hash{}(content, 0), number, false, time};
}

std::string_view without_break(std::string_view line) { return line.substr(0, line.size() - 1); }

}  // namespace

TEST_CASE("journal_line: the layout is what earlier lines have") {
    journal_line const format{"c"};
    CHECK(format.write(entry_of(12, "{\"a\":1.00}", 1'790'000'000), "{\"a\":1.00}") ==
          "{\"number\":12,\"time\":1790000000,\"conversation\":\"c\",\"name\":\"1d01ab9bcd12a393cad94741\",\"check\":"
          "\"bb0f0d35221d808f\",\"message\":{\"a\":1.00}}\n");
    CHECK(format.write(entry_of(13, "a\n\"b\\\x01", 5), "a\n\"b\\\x01") ==
          "{\"number\":13,\"time\":5,\"conversation\":\"c\",\"name\":\"75d9d981d8d89af0466dfe17\",\"check\":"
          "\"75f5424c41d3537f\",\"text\":\"a\\n\\\"b\\\\\\u0001\"}\n");
    CHECK(journal_line{"a\nb"}.write(entry_of(14, "\xFF", 5), "\xFF") ==
          "{\"number\":14,\"time\":5,\"conversation\":\"a\\nb\",\"name\":\"7e5dc90380f0640bd6bcec3c\",\"check\":"
          "\"3f7ef37d362abda7\",\"base64\":\"/w==\"}\n");
    CHECK(journal_line{"\xFF"}.write({entry_of(14, "q").name, 14, true}, {}) ==
          "{\"number\":14,\"time\":0,\"conversation64\":\"/w==\",\"name\":\"775a9e78fdf5aad7f2386670\",\"check\":"
          "\"0278aaaf24a19bff\",\"made\":true}\n");
}

TEST_CASE("journal_line: lines of the earlier format, without time and conversation, are read") {
    journal_line const format{"c"};
    std::string room;
    auto const reads = [&](std::string_view line, std::uint64_t number, std::string_view content) {
        auto const found = format.read(line, room);
        REQUIRE(found.has_value());
        CHECK(found->entry.number == number);
        CHECK(found->entry.time == 0);
        CHECK((found->entry.is_derived || found->entry == entry_of(number, content)));
        CHECK((found->content == content));
        CHECK_FALSE(journal_line::conversation_of(line).has_value());
        CHECK_FALSE(journal_line{"d"}.read(line, room).has_value());
    };
    reads(
        "{\"number\":12,\"name\":\"1d01ab9bcd12a393cad94741\",\"check\":\"49cbe33f01ca4c42\",\"message\":{\"a\":1.00}}",
        12, "{\"a\":1.00}");
    reads(
        "{\"number\":13,\"name\":\"75d9d981d8d89af0466dfe17\",\"check\":\"1fdc6771e17d1d85\",\"text\":"
        "\"a\\n\\\"b\\\\\\u0001\"}",
        13, "a\n\"b\\\x01");
    reads("{\"number\":14,\"name\":\"7e5dc90380f0640bd6bcec3c\",\"check\":\"1d08bb733bd5fb24\",\"base64\":\"/w==\"}",
          14, "\xFF");
    reads("{\"number\":14,\"name\":\"775a9e78fdf5aad7f2386670\",\"check\":\"fd8d460252fccfc7\",\"made\":true}", 14, "");
}

TEST_CASE("journal_line: a line names its conversation, whose id may be any bytes") {
    std::string room;
    for (auto const& id : condense::testing::hostile_conversations()) {
        auto const line = journal_line{id}.write(entry_of(1, "a", 7), "a");
        CHECK(line.find('\n') == line.size() - 1);
        auto const name = journal_line::conversation_of(without_break(line));
        REQUIRE(name.has_value());
        CHECK((*name == id));
        auto const found = journal_line{*name}.read(without_break(line), room);
        REQUIRE(found.has_value());
        CHECK(found->entry.time == 7);
    }
    std::string const begin = "{\"number\":1,\"time\":7,\"conversation";
    for (std::string_view const end :
         {"\":\"", "\":\"\\", "\":\"a\\x\"", "\":7", "64\":\"", "64\":\"a\"", "64\":\"/x==\"", "", "65\":\"\""})
        CHECK_FALSE(journal_line::conversation_of(begin + std::string{end}).has_value());
}

TEST_CASE("journal_line: any content comes back") {
    journal_line const format{"c"};
    std::string room = "left over";
    for (auto const& content : condense::testing::hostile_contents())
        for (std::uint64_t const number : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
            auto const line = format.write(entry_of(number, content, number), content);
            CHECK(line.find('\n') == line.size() - 1);
            auto const found = format.read(without_break(line), room);
            REQUIRE(found.has_value());
            CHECK(found->entry == entry_of(number, content));
            CHECK(found->entry.time == number);
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
