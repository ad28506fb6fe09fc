// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_layer {
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, my_layer{}, {.window = {1'000}}));
}
