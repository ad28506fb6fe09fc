// SPDX-License-Identifier: BSL-1.0
#pragma once

// Precompiled for all tests: what is not ours, so that a change of one of our headers builds only what includes it. A
// test still includes what it uses, by itself or by a header of the tests.

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "support/catch.hpp"

#include <boost/hana/basic_tuple.hpp>
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#endif
