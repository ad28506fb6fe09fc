// SPDX-License-Identifier: BSL-1.0
#include <condense/session/log_observer.hpp>

condense::log_observer const log_of_mine{.to = [lines = 0](std::string_view) { return lines; }};
