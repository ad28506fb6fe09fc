// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/sent.hpp>

#include <ranges>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using script_type = condense::detail::replay_script<chat_message, per_byte>;
using request = std::vector<std::reference_wrapper<chat_message const>>;

struct fixture {
    conversation told{U("12345"), A("123"), U("1234567")};
    script_type script{told, {}};
    condense::detail::sent_requests<script_type> sent{script};
    std::size_t made = 0;

    void take(request const& messages) {
        auto const range = std::views::transform(messages, [](auto const& m) -> chat_message const& { return m; });
        sent.set_current(range, told, [&](chat_message const&, std::uint64_t) { ++made; });
    }
};

TEST_CASE("a request shares with the one before what it begins with, by whole messages") {
    fixture all;
    auto const summary = U("short");
    auto const same = U("short");
    all.take({all.told[0]});
    CHECK(all.sent.first());
    CHECK(all.sent.sum().tokens().count == 5);
    CHECK(all.sent.prefix_size() == 0);
    all.take({all.told[0], all.told[1], all.told[2]});
    CHECK_FALSE(all.sent.first());
    CHECK(all.sent.prefix_size() == 1);
    CHECK(all.sent.prefix_cost().tokens().count == 5);
    CHECK(all.sent.sum().tokens().count == 15);
    all.take({summary, all.told[2]});
    CHECK(all.sent.prefix_size() == 0);
    CHECK(all.sent.sum().tokens().count == 12);
    CHECK(all.made == 1);
    CHECK(all.sent.current()[0].index == condense::detail::none32);
    CHECK(all.sent.current()[1].index == 2);
    all.take({same, all.told[2]});  // elsewhere, and the same bytes
    CHECK(all.sent.prefix_size() == 2);
    CHECK(all.sent.prefix_size() == all.sent.previous().size());
    auto const other = U("brief");
    all.take({other, all.told[2]});
    CHECK(all.sent.prefix_size() == 0);
    CHECK(all.sent.reading(all.sent.current()[0].derived).parts[0].size == 5);
}

}  // namespace
