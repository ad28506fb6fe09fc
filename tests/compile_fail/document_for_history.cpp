// expect: condense: reduce: a document must be given as the array of its messages (see messages_of)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

void run(nlohmann::json& document) {
    auto& history = document;
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}}));
}
