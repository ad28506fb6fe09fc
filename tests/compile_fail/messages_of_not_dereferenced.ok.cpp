// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

void run(nlohmann::json& document) {
    static_cast<void>(
        condense::reduce(*condense::messages_of(document), condense::sliding_window{}, {.window = {1'000}}));
}
