// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/place_set.hpp>

#include <cstdint>
#include <iterator>
#include <set>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using condense::detail::place_set;

constexpr bool finds_its_members() {
    place_set places;
    places.reserve_more(200);
    places.extend(200);
    bool good = places.next(0) == 200 && places.previous(200) == place_set::none;
    for (auto const number : {0u, 3u, 63u, 64u, 199u}) places.insert(number);
    good = good && places.next(0) == 0 && places.next(1) == 3 && places.next(4) == 63 && places.next(64) == 64 &&
           places.next(65) == 199 && places.next(200) == 200;
    good = good && places.previous(200) == 199 && places.previous(199) == 64 && places.previous(64) == 63 &&
           places.previous(3) == 0 && places.previous(0) == place_set::none;
    places.erase(63);
    return good && !places.contains(63) && places.contains(64) && places.next(4) == 64;
}

TEST_CASE("place_set: finds its members, forward and backward") {
    static_assert(finds_its_members());
    CHECK(finds_its_members());
}

TEST_CASE("place_set: levels come as it grows, with what is there") {
    place_set places;
    for (std::uint32_t number = 0; number < 300'000; ++number) {
        places.reserve_more(1);
        places.extend(1);
        if (number % 50'000 == 7) places.insert(number);
    }
    std::uint32_t count = 0;
    for (auto number = places.next(0); number < places.size(); number = places.next(number + 1)) {
        CHECK(number == count * 50'000 + 7);
        ++count;
    }
    CHECK(count == 6);
}

TEST_CASE("place_set: does what an ordered set does") {
    for (std::uint64_t seed = 1; seed <= rounds(200); ++seed) {
        laws::random_source random{seed};
        place_set places;
        std::set<std::uint32_t> model;
        for (int step = 0; step < 400; ++step) {
            if (random.chance(20) || places.size() == 0) {
                auto const more = static_cast<std::uint32_t>(1 + random.below(random.chance(10) ? 9'000 : 70));
                places.reserve_more(more);
                places.extend(more);
            }
            auto const number = static_cast<std::uint32_t>(random.below(places.size()));
            if (random.chance(40)) places.insert(number), model.insert(number);
            else places.erase(number), model.erase(number);
            auto const at = static_cast<std::uint32_t>(random.below(places.size() + 1));
            auto const next = model.lower_bound(at);
            CAPTURE(seed, step, at);
            REQUIRE(places.contains(number) == (model.count(number) != 0));
            REQUIRE(places.next(at) == (next == model.end() ? places.size() : *next));
            REQUIRE(places.previous(at) == (next == model.begin() ? place_set::none : *std::prev(next)));
        }
    }
}

TEST_CASE("place_set: a walk over all follows what it changes ahead") {
    for (std::uint64_t seed = 1; seed <= rounds(200); ++seed) {
        laws::random_source random{seed};
        auto const size = static_cast<std::uint32_t>(random.below(random.chance(20) ? 9'000 : 300));
        place_set places;
        places.reserve_more(size);
        places.extend(size);
        for (std::uint32_t number = 0; number < size; ++number)
            if (random.chance(30)) places.insert(number);
        std::uint32_t from = 0;  // the least that the walk may meet next
        auto const meet = [&](std::uint32_t number) {
            CAPTURE(seed, from);
            REQUIRE(number == places.next(from));
            from = number + 1;
            places.erase(number);
            auto const ahead = static_cast<std::uint32_t>(number + 1 + random.below(100));
            if (ahead >= size) return;
            if (random.chance(50)) places.insert(ahead);
            else places.erase(ahead);
        };
        places.each(meet);
        CHECK(places.next(from) == size);
    }
}

}  // namespace
