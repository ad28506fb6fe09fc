// SPDX-License-Identifier: BSL-1.0
#include <condense/store/redis_cache.hpp>

#include <condense/llm/cached.hpp>

#include "store/cache_laws.hpp"
#include "store/redis_server.hpp"

namespace {

using cache_tests::key_of;
using condense::redis_cache;
using redis_tests::server;
static_assert(condense::text_cache<redis_cache>);
std::string const first_name = "condense:c:0000000000000000000000000000000000000000000000000000000000000000";

auto with_cache(redis_cache const& cache) {
    return condense::cached{.model = [](std::string_view) { return "They read."; }, .cache = cache, .lifetime = 60};
}
condense::model_prompt const prompt{"Summarise.", "A long conversation of some words."};

}  // namespace

TEST_CASE("redis_cache: texts on a server") {
    server const real;
    redis_cache const cache{real.options()};
    SECTION("what was put is there, until its time is over") {
        cache_tests::check_texts(cache);
        CHECK(redis_cache{real.options()}.get(key_of(1)) == cache.get(key_of(1)));
        CHECK(real.ask({"DBSIZE"}) == "2");
        real.ask({"FLUSHALL"});
        CHECK_FALSE(cache.put(key_of(0), "first", 0));
        CHECK(real.ask({"TTL", first_name}) == "0");  // -1, which is no number here
        CHECK_FALSE(cache.put(key_of(0), "second", 60));
        CHECK(cache.get(key_of(0)) == "second");
        auto const left = real.ask({"TTL", first_name});
        CHECK((left == "60" || left == "59"));
        CHECK_FALSE(cache.put(key_of(0), "third", ~std::uint64_t{0}));
        CHECK(cache.get(key_of(0)) == "third");
        CHECK(real.ask({"KEYS", "*"}) == first_name);
        CHECK_FALSE(cache.put(key_of(2), "short", 2));
        CHECK(cache.get(key_of(2)) == "short");
        std::this_thread::sleep_for(std::chrono::milliseconds{2'100});
        CHECK_FALSE(cache.get(key_of(2)));
    }
    SECTION("what another program has put is no text of this one") {
        real.ask({"RPUSH", first_name, "a"});
        CHECK_FALSE(cache.get(key_of(0)));
        real.ask({"DEL", first_name});
        real.ask({"SETRANGE", first_name, "2000000", "a"});
        CHECK_FALSE(cache.get(key_of(0)));

        auto const with = with_cache(cache);
        with(prompt, {});
        with(prompt, {});
        CHECK(with.hits() == 1);
        for (auto const& key : {real.ask({"KEYS", "condense:c:[^0]*"})}) real.ask({"APPEND", key, "!"});
        CHECK(with(prompt, {}).message == "They read.");
        CHECK(with.hits() == 1);
        CHECK(with(prompt, {}).message == "They read.");
        CHECK(with.hits() == 2);
    }
    SECTION("threads share it") { cache_tests::threads_share(cache, 50, 0, true); }
}

TEST_CASE("redis_cache: a server that is gone is a miss, soon") {
    server real;
    redis_cache const cache{real.options()};
    auto const with = with_cache(cache);
    CHECK(with(prompt, {}).message == "They read.");
    real.kill();
    auto const start = std::chrono::steady_clock::now();
    CHECK(with(prompt, {}).message == "They read.");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{2});
    CHECK(cache.put(key_of(0), "text", 0));
    CHECK(with.misses() == 2);
    real.start();
    CHECK(with(prompt, {}).message == "They read.");
    CHECK(with.hits() == 1);  // the server has kept it
}

TEST_CASE("redis_cache: what is put while it is asked for is not an empty text") {
    redis_tests::peer const real{redis_tests::replies_to({{"GETRANGE", "$0\r\n\r\n"}, {"EXISTS", ":1\r\n"}})};
    redis_cache const cache{real.options()};
    CHECK_FALSE(cache.get(key_of(0)));
}
