// expect: condense: views.of: the elements of the history must be there to be referred to, not made when read (see
// message) SPDX-License-Identifier: BSL-1.0
#include <ranges>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>

auto run(std::vector<std::string> const& texts) {
    auto const history =
        texts | std::views::transform([](std::string const& text) { return condense::chat_message::user(text); });
    return condense::views::of(condense::dry_run(history, condense::pipeline{condense::sliding_window{}}, {})).size();
}
