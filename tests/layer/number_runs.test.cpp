// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/number_runs.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laws/generator.hpp"
#include "support/catch.hpp"

TEST_CASE("numbers come back as they were given, in few runs") {
    using condense::detail::number_runs;
    laws::random_source random{5};
    number_runs runs;
    std::vector<std::uint64_t> all;
    auto next = [&] { return all.empty() || all.back() == number_runs::none ? 0 : all.back() + 1; };
    for (int step = 0; step < 3'000; ++step) {
        auto const number = random.chance(90) ? next() : random.chance(50) ? number_runs::none : random.below(9'000);
        runs.reserve_one();
        runs.push_back(number);
        all.push_back(number);
        if (!random.chance(2)) continue;
        all.resize(all.size() - random.below(all.size()) / 4);
        runs.cut(all.size());
    }
    REQUIRE(runs.size() == all.size());
    for (std::size_t index = 0; index < all.size(); ++index) REQUIRE(runs[index] == all[index]);
    number_runs again;
    std::size_t count = 0;
    runs.each_run([&](std::uint64_t first, std::size_t size) { again.append(first, size), ++count; });
    REQUIRE(again.size() == all.size());
    for (std::size_t index = 0; index < all.size(); ++index) REQUIRE(again[index] == all[index]);
    CHECK(count < all.size() / 4);
}
