// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;

condense::pipeline const mix{condense::compress{.worth = condense::at_least(10_pct)}};
