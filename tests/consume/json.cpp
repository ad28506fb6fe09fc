// SPDX-License-Identifier: BSL-1.0

// The JSON edge brings its package with it.

#include <condense/adapt/json.hpp>

int main() {
    nlohmann::json const asked = {{"role", "user"}, {"content", "Rename the flag."}};
    return condense::role_of(asked) == condense::role::user ? 0 : 1;
}
