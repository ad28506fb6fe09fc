// SPDX-License-Identifier: BSL-1.0
#include <condense/client/event_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace {

using condense::event_reader;

/// The events of a stream that comes in packets of this size.
std::vector<std::string> events_of(std::string_view stream, std::size_t size) {
    std::vector<std::string> all;
    auto const take = [&](std::string_view data) { all.emplace_back(data); };
    event_reader reader;
    for (; !stream.empty(); stream.remove_prefix(std::min(size, stream.size())))
        CHECK(reader.feed(stream.substr(0, size), take));
    reader.finish(take);
    return all;
}

}  // namespace

TEST_CASE("events are the same however they are cut", "[client]") {
    std::string const stream =
        "\xEF\xBB\xBF"
        "data: one\r\n\r\n: a comment\n\nevent: x\ndata:two\nid: 7\ndata:  lines\n\ndata\n\ndata: \r\rdata: a\r\ndata: "
        "b\r\n\r\ndata: last";
    for (std::size_t size = 1; size <= stream.size(); ++size)
        CHECK(events_of(stream, size) == std::vector<std::string>{"one", "two\n lines", "a\nb", "last"});
}

TEST_CASE("an event is bounded, a stream is not", "[client]") {
    event_reader reader;
    std::size_t count = 0;
    auto const take = [&](std::string_view) { ++count; };
    std::string const line = "data: " + std::string(1'000, 'x') + "\n";
    for (int round = 0; round < 3'000; ++round) REQUIRE(reader.feed(line + "\n", take));
    CHECK(count == 3'000);
    std::size_t size = 0;
    while (reader.feed(line, take) && size < 2 * event_reader::most) size += line.size();
    CHECK(size < event_reader::most + event_reader::most / 50);  // the names of fields are not counted
    event_reader one_line;
    CHECK_FALSE(one_line.feed(std::string(event_reader::most + 1, 'x'), take));
    CHECK(count == 3'000);
}
