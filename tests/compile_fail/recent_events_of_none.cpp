// expect: condense: recent_events: the capacity must be 1 to 1,000 (see recent_events)
// SPDX-License-Identifier: BSL-1.0
#include <condense/session/recent_events.hpp>

condense::recent_events<0> seen;
