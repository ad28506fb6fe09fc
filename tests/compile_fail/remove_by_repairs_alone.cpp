// expect: condense: draft.remove: the layer must declare condense::shortens in its effects (see effect)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_layer {
    static constexpr auto effects = condense::repairs;
    void reduce(auto& draft, auto& pass) const {
        for (auto const which : draft.groups())
            draft.each_part_of(which, [&](condense::part_ref part) { pass.note(draft.remove(part)); });
    }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{my_layer{}}, {.window = {1'000}}));
}
