// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_store {
    condense::reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};
static_assert(condense::artifact_store<my_store>);

struct my_layer {
    static constexpr auto effects = condense::externalizes | condense::keeps;
    void reduce(auto&, auto& pass) const {
        static constexpr my_store store{};
        pass.keep(store, "content");
    }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{my_layer{}}, {.window = {1'000}}));
}
