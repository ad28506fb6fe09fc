// SPDX-License-Identifier: BSL-1.0
#include <condense/core/message.hpp>

struct my_message {
    condense::role who;
    std::string text;
};
template <>
struct condense::message_traits<my_message> : condense::role_and_text<&my_message::who, &my_message::text> {};

auto speaker(my_message const& m) { return condense::role_of(m); }
