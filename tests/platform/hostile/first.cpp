// SPDX-License-Identifier: BSL-1.0

// Every header of the library, twice, after macros that other headers define.

#include "foreign.hpp"

#include "macros.hpp"

#include "every_header.hpp"

#include "every_header_again.hpp"

#include "program.hpp"

program::findings program::run_in_first() { return run(); }
