// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/recent_events.hpp>

condense::recent_events<1> seen;
