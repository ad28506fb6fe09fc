// expect: condense: reduce: the elements of the history must be messages: give message_traits role_of and each_part
// (see message) SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>

struct my_message {
    condense::role role = condense::role::user;
    std::string text;
};

template <>
struct condense::message_traits<my_message> {
    static condense::role role_of(my_message const& m) { return m.role; }
};

void run(std::vector<my_message>& history) {
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}}));
}
