// expect: condense: draft.repair: the layer must declare condense::repairs in its effects (see effect)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_layer {
    static constexpr auto effects = condense::restores;
    void reduce(auto& draft, auto& pass) const {
        for (auto const column : draft.outline().dead_calls()) pass.note(draft.repair(draft.part_at(column), "none"));
    }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{my_layer{}}, {.window = {1'000}}));
}
