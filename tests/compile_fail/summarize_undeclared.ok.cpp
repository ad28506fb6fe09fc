// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_layer {
    static constexpr auto effects = condense::summarizes;
    void reduce(auto& draft, auto& pass) const { pass.note(draft.summarize(draft.groups(), "They talked.")); }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{my_layer{}}, {.window = {1'000}}));
}
