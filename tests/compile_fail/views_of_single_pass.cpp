// expect: condense: views: the history must be a range that can be walked again and again (see message)
// SPDX-License-Identifier: BSL-1.0
#include <istream>
#include <ranges>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

auto run(std::istream& input) {
    auto const lines = std::views::istream<char>(input);
    return (lines | condense::views::groups).size();
}
