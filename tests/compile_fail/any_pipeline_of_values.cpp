// expect: condense: any_pipeline: the history must give messages by reference (see any_pipeline)
// SPDX-License-Identifier: BSL-1.0
#include <ranges>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>

condense::any_pipeline<condense::chat_message> const mix = condense::pipeline{condense::sliding_window{}};

void run(std::vector<condense::chat_message> const& history) {
    auto const seen = history | std::views::transform([](auto const& m) -> condense::chat_message { return m; });
    static_cast<void>(condense::reduce(seen, mix, {.window = {1'000}}));
}
