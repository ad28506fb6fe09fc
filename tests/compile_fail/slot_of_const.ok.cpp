// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/point_to_file.hpp>

constexpr auto writers = condense::tools("save", "patch");

constexpr condense::point_to_file<decltype(writers)> shorten{.tools = writers};
