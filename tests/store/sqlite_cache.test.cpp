// SPDX-License-Identifier: BSL-1.0
#include <condense/store/sqlite_cache.hpp>

#include <condense/llm/cached.hpp>
#include <condense/store/sqlite_store.hpp>

#include "store/cache_laws.hpp"
#include "store/scratch.hpp"

namespace fs = std::filesystem;
using cache_tests::key_of, cache_tests::test_clock;
using condense::basic_sqlite_cache, condense::sqlite_cache;
static_assert(condense::text_cache<sqlite_cache>);

TEST_CASE("sqlite_cache: the laws of caches") {
    scratch::folder const folder{scratch::memory()};
    int count = 0;
    cache_tests::check_laws([&](condense::cache_limits limits, test_clock clock) {
        return basic_sqlite_cache{folder / ("cache" + std::to_string(count++)), limits, clock};
    });
}

TEST_CASE("sqlite_cache: texts in a file") {
    scratch::folder const folder{scratch::memory()};
    auto const path = folder / "summaries.db";
    SECTION("a later process finds what was put, readable by the owner alone") {
        CHECK_FALSE(sqlite_cache{path}.get(key_of(0)));
        CHECK(scratch::names_in(folder / "").empty());  // reading makes no file
        CHECK_FALSE(sqlite_cache{path}.put(key_of(0), "text", 0));
        CHECK(sqlite_cache{path}.get(key_of(0)) == "text");
        CHECK(scratch::mode_of(path) == 0600u);
    }
    SECTION("texts whose time is over leave the file with the next put") {
        test_clock const clock;
        basic_sqlite_cache const cache{path, {.entries = 2}, clock};
        CHECK_FALSE(cache.put(key_of(0), "for ever", 0));
        CHECK_FALSE(cache.put(key_of(1), "short", 1));
        *clock.now += 1;
        CHECK_FALSE(cache.put(key_of(2), "more", 0));
        CHECK(cache.get(key_of(0)) == "for ever");  // the other one counts no more
        *clock.now -= 1;
        CHECK_FALSE(cache.get(key_of(1)));
    }
    SECTION("a file that is none is a miss, and stays as it is") {
        auto const with =
            condense::cached{.model = [](std::string_view) { return "They read."; }, .cache = sqlite_cache{path}};
        auto const answers = [&] { return with({"Summarise.", "A long conversation."}, {}).message == "They read."; };
        scratch::write(path, std::string(10'000, 'x'));
        CHECK(answers());
        CHECK(with.misses() == 1);
        CHECK(scratch::bytes_of(path) == std::string(10'000, 'x'));

        fs::remove(path);
        condense::sqlite_store const store{path};  // of another kind
        CHECK_FALSE(store.put(store.name("artifact"), "artifact"));
        CHECK(answers());
        CHECK(store.get(store.name("artifact")) == "artifact");
        CHECK(with.misses() == 2);

        fs::remove(path);
        fs::create_directory(path);
        CHECK(answers());
        CHECK(with.misses() == 3);
    }
    SECTION("every damaged page is a miss or the text") {
        auto const with_text = [&] {
            return condense::cached{.model = [](std::string_view) { return std::string(300, 'a'); },
                                    .cache = sqlite_cache{path}};
        };
        condense::model_prompt const prompt{"Summarise.", std::string(1'000, 'b')};
        with_text()(prompt, {});
        auto const whole = scratch::bytes_of(path);
        REQUIRE(whole.size() > 4'096);
        for (std::size_t index = 0; index < whole.size(); index += 97) {
            auto bytes = whole;
            bytes[index] = static_cast<char>(bytes[index] ^ 0x55);
            scratch::write(path, bytes);
            CHECK(with_text()(prompt, {}).message == std::string(300, 'a'));
        }
    }
    SECTION("threads share it") { cache_tests::threads_share(sqlite_cache{path, {.entries = 8}}, 50, 0); }
}
