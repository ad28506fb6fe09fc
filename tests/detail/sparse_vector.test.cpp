// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/sparse_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace {

using condense::detail::sparse_vector;

template <class Value>
constexpr std::vector<std::size_t> backward(sparse_vector<Value> const& values) {
    std::vector<std::size_t> indices;
    values.each_backward([&](std::size_t index) { indices.push_back(index); });
    return indices;
}

constexpr bool forgets() {
    sparse_vector<int> values;
    for (int number = 0; number < 10; ++number) values.push_back(100 + number);
    bool right = values.size() == 10 && values.count() == 10 && values[0] == 100 && values.has(0, 10);

    auto some = values.with_only({1, 4}, 7, -1);
    values = some.with_only({4, 7}, 9, -2);
    for (auto* const each : {&some, &values}) {
        each->push_back(110);
        (*each)[4] = 44;
        right = right && each->size() == 11 && (*each)[4] == 44 && (*each)[7] == 107 && (*each)[10] == 110;
    }
    right = right && some.count() == 6 && values.count() == 4;
    right = right && some[0] == -1 && some[1] == 101 && some[5] == -1 && some[6] == -1 && some[8] == 108;
    right = right && values[0] == -2 && values[1] == -2 && values[6] == -2 && values[8] == -2 && values[9] == 109;
    right = right && some.has(7, 11) && !some.has(1, 4) && some.has(4, 5) && values.has(9, 11) && !values.has(7, 9);
    right = right && backward(some) == std::vector<std::size_t>{10, 9, 8, 7, 4, 1};
    return right && backward(values) == std::vector<std::size_t>{10, 9, 7, 4};
}

}  // namespace

TEST_CASE("values that stay keep their indices, others read as gone") { CHECK(forgets()); }
