// SPDX-License-Identifier: BSL-1.0
#include <string>
#include <vector>

#include <condense/condense.hpp>

struct line {
    condense::role role = condense::role::user;
    std::u8string text;
};
template <>
struct condense::message_traits<line> : condense::role_and_text<&line::role, &line::text> {};

using namespace condense::literals;

int main() {
    std::vector<line> lines(3);
    static_cast<void>(condense::reduce(
        lines, condense::pipeline{condense::sliding_window{.when = condense::used >= 90_pct}}, {.window = 100_tokens}));
}
