// expect: condense: until: it must be a target such as used <= 50_pct (see trigger)
// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;
using condense::used;

condense::pipeline const mix{condense::compress{.when = used >= 80_pct, .until = 50_pct}};
