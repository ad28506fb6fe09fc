// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

struct my_message {
    condense::role role = condense::role::user;
    std::string text;
};

template <>
struct condense::message_traits<my_message> : condense::role_and_text<&my_message::role, &my_message::text> {
    static bool joins_previous(my_message const& m) { return m.text.empty(); }
};

void run(std::vector<my_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}}));
}
