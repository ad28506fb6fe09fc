// SPDX-License-Identifier: BSL-1.0
#include <condense/store/redis_journal.hpp>

#include <thread>

#include "store/redis_server.hpp"
#include "store/scenario.hpp"

namespace {

using namespace store_tests;
using condense::redis_journal;
using redis_tests::server;

struct server_place {
    server real;
    auto open() const { return redis_journal{real.options()}; }
};
std::string list_of(std::string_view conversation) {
    return "condense:j:" + condense::content_hash{}(conversation, 0).text();
}

}  // namespace

TEST_CASE("redis_journal: is a durable journal", "[law-6]") { check_durable_journal<server_place, false>(); }

TEST_CASE("redis_journal: a journal on a server", "[law-6]") {
    server_place place;
    auto const to = place.open();
    CHECK(add(to, "c", 0, "first").empty());
    CHECK_FALSE(to.flush("c"));
    SECTION("a server that is killed loses nothing that was flushed") {
        place.real.kill();
        auto impatient = place.real.options();
        impatient.patience = std::chrono::milliseconds{1};
        CHECK(redis_journal{impatient}.read("c", [](auto&&...) {}));
        CHECK(add(to, "c", 1, "second").empty());
        place.real.start();
        CHECK_FALSE(to.flush("c"));
        CHECK(lines_of(place.open(), "c").size() == 2);
    }
    SECTION("a conversation that the server has lost is told so once") {
        CHECK(add(to, "c", 1, "second").empty());
        place.real.ask({"FLUSHALL"});
        CHECK(lines_of(to, "c").empty());  // a reader is told nothing
        CHECK(to.append("c", {to.name("x"), 2}, "x").gone);
        CHECK(add(to, "c", 2, "third").empty());
        CHECK_FALSE(to.flush("c"));
        CHECK(lines_of(to, "c").size() == 1);
        place.real.ask({"DEL", list_of("c")});
        CHECK(conversations_in(place.open()).empty());
        place.real.ask({"FLUSHALL"});
        CHECK(add(to, "c", 3, "fourth").empty());
        CHECK(to.flush("c").gone);
        CHECK_FALSE(to.flush("c"));
        CHECK(conversations_in(to).empty());
    }
    SECTION("what is sent again because its reply was lost is there once") {
        auto hasty = place.real.options();
        hasty.reply_timeout = std::chrono::milliseconds{100};
        redis_journal const again{hasty};
        CHECK(add(again, "c", 1, "second").empty());
        CHECK_FALSE(again.flush("c"));
        CHECK(add(again, "c", 2, "third").empty());
        std::jthread const busy{[&] {
            place.real.ask({"EVAL",
                            "local t = redis.call('TIME') local e = t[1] * 1000 + t[2] / 1000 + 400 while true do t = "
                            "redis.call('TIME') if t[1] * 1000 + t[2] / 1000 > e then return 1 end end",
                            "0"});
        }};
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        CHECK_FALSE(again.flush("c"));
        CHECK(lines_of(to, "c").size() == 3);
    }
    SECTION("large contents and ids are in pieces; what is damaged is left out") {
        std::string const large(300'000, 'x'), id(100'000, 'i');
        for (std::uint64_t number = 0; number < 3; ++number) CHECK(add(to, id, number, large).empty());
        CHECK_FALSE(to.flush(id));
        CHECK(lines_of(place.open(), id).size() == 3);
        CHECK(conversations_in(to) == listing{{id, 3}, {"c", 1}});
        CHECK(place.real.ask({"LSET", list_of(id), "1", "+damage"}) == "OK");
        CHECK(lines_of(to, id).size() == 2);
        place.real.ask({"SET", list_of("d"), "of another program"});
        CHECK(add(to, "d", 0, "x").empty());
        CHECK(reason(to.flush("d")).starts_with("Redis: WRONGTYPE"));
        CHECK(reason(to.read("d", [](auto&&...) {})).starts_with("Redis: WRONGTYPE"));
    }
}
