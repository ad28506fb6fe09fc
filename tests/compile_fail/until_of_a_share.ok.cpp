// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

using namespace condense::literals;
using condense::used;

condense::pipeline const mix{condense::compress{.when = used >= 80_pct, .until = used <= 50_pct}};
