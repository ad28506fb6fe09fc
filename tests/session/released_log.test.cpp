// SPDX-License-Identifier: BSL-1.0
#include <condense/session/released_log.hpp>

#include "laws/generator.hpp"
#include "support/catch.hpp"

namespace {

using condense::released_message;
using laws::random_source;

std::uint64_t number(random_source& from) { return from.below(1'000) << from.below(55); }

released_message some_message(random_source& from) {
    released_message m{.index = number(from),
                       .messages = number(from),
                       .speaker = static_cast<condense::role>(from.below(5)),
                       .plain_user = from.chance(50),
                       .joins_previous = from.chance(50),
                       .frame = {number(from)}};
    for (auto parts = from.below(4); parts-- > 0;)
        m.parts.push_back({.kind = static_cast<condense::part_kind>(from.below(6)),
                           .status = static_cast<condense::part_status>(from.below(4)),
                           .sealed = from.chance(50),
                           .size = number(from),
                           .cost = {number(from)},
                           .call = std::string(from.below(3) * from.below(200), 'a'),
                           .tool = std::string(from.below(3), 'b')});
    return m;
}

}  // namespace

TEST_CASE("records of released messages come back as they were") {
    random_source from{7};
    condense::detail::released_log log;
    CHECK(log.empty());
    auto const begins_group = [](std::uint64_t index) { return index % 3 == 0; };
    std::vector<released_message> all;
    for (int releases = 0; releases < 400; ++releases) {
        std::vector<released_message> records(from.below(20));
        for (auto& record : records) all.push_back(record = some_message(from));
        log.append(records, begins_group);
        if (releases % 100 != 99) continue;
        std::size_t count = 0;
        log.each([&](released_message&& m, bool begins) {
            REQUIRE(count < all.size());
            CHECK(m == all[count++]);
            CHECK(begins == begins_group(m.index));
        });
        CHECK(count == all.size());
    }
    CHECK_FALSE(log.empty());
}
