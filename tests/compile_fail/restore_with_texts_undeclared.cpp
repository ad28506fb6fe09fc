// expect: condense: draft.restore: the layer must declare condense::restores, and condense::shortens or
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_layer {
    static constexpr auto effects = condense::restores;
    void reduce(auto& draft, auto& pass) const {
        pass.note(draft.restore(condense::group{0}, {{draft.part_at(0), "text", {}}}, {1'000}));
    }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{my_layer{}}, {.window = {1'000}}));
}
