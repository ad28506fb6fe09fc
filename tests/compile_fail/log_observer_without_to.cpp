// expect: condense: log_observer: `to` must be callable, while const, with a std::string_view (see log_observer)
// SPDX-License-Identifier: BSL-1.0
#include <condense/session/log_observer.hpp>

condense::log_observer const log_of_mine{};
