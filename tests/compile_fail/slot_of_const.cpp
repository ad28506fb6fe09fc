// expect: condense: slot: its type must be without const, which decltype of a constant has (see slots)
// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/point_to_file.hpp>

constexpr auto writers = condense::tools("save", "patch");

constexpr condense::point_to_file<decltype(writers)> shorten{};
