// SPDX-License-Identifier: BSL-1.0
#pragma once

// Precompiled for all tests. A test still includes what it uses.

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

#if __has_include(<condense/condense.hpp>)
#include <condense/condense.hpp>
#endif
#if __has_include(<condense/adapt/json.hpp>) && __has_include(<nlohmann/json.hpp>)
#include <condense/adapt/json.hpp>
#endif
