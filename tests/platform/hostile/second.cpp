// SPDX-License-Identifier: BSL-1.0

// Every header of the library, twice and without macros before it, linked with what first.cpp made of them.

#include "every_header.hpp"

#include "every_header_again.hpp"

#include "program.hpp"

program::findings program::run_in_second() { return run(); }

int main() {
    auto const first = program::run_in_first();
    auto const second = program::run_in_second();
    if (!(first == second)) return 1;
    if (first.puts == 0 || first.messages == 0 || first.text.find("applied") == std::string::npos) return 2;
    return 0;
}
