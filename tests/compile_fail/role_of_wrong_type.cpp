// expect: condense: role_and_text: the role must be a condense::role or a string (see message)
// SPDX-License-Identifier: BSL-1.0
#include <condense/core/message.hpp>

struct my_message {
    int who;
    std::string text;
};
template <>
struct condense::message_traits<my_message> : condense::role_and_text<&my_message::who, &my_message::text> {};

auto speaker(my_message const& m) { return condense::role_of(m); }
