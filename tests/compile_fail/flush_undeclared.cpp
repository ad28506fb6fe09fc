// expect: condense: pass.flush: the layer must declare condense::keeps in its effects (see effect)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_journal {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const {
        return {};
    }
    condense::store_error flush(std::string_view) const { return {}; }
    condense::store_error read(std::string_view, auto&&) const { return {}; }
};

struct my_layer {
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto& pass) const {
        if (auto const problem = pass.flush(my_journal{})) pass.note(problem.reason);
        static_cast<void>(draft);
    }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{my_layer{}}, {.window = {1'000}}));
}
