// SPDX-License-Identifier: BSL-1.0
#include <condense/session/recent_events.hpp>

condense::recent_events<1> seen;
