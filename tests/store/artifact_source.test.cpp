// SPDX-License-Identifier: BSL-1.0
#include <condense/store/artifact_source.hpp>

#include "support/catch.hpp"

using condense::artifact_source;
using condense::detail::read_source, condense::detail::write_source;

TEST_CASE("artifact_source: is read back as it was written, whatever its bytes") {
    artifact_source const source{.conversation = std::string("a\0:,\xFF", 5),
                                 .tool = "../../etc/passwd",
                                 .call = "",
                                 .type = "json",
                                 .time = 1'700'000'000};
    CHECK(read_source(write_source(source)) == source);
    CHECK(read_source(write_source({}))->time > 1'700'000'000);
    CHECK(read_source(write_source({.time = 7, .nanoseconds = 999'999'999}))->nanoseconds == 999'999'999);
    CHECK(read_source(write_source({.tool = std::string(100'000, 'x')}))->tool.size() == 65'536);
}

TEST_CASE("artifact_source: nothing is read from other text") {
    auto const text = write_source({.conversation = "c", .tool = "t", .call = "1", .type = "text", .time = 5});
    auto const earlier = text.size() - std::string_view{"1:0,"}.size();  // without nanoseconds
    for (std::size_t size = 0; size < text.size(); ++size)
        CHECK(read_source(text.substr(0, size)).has_value() == (size == earlier));
    CHECK_FALSE(read_source(text + "1:x,"));
    CHECK_FALSE(read_source("1:c,1:t,1:1,4:text,2:05,"));
}
