// expect: condense: session: the container must have random access, such as std::vector (see session)
// SPDX-License-Identifier: BSL-1.0
#include <deque>
#include <list>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

condense::session session{std::list<condense::chat_message>{}, condense::pipeline{condense::sliding_window{}},
                          condense::budget{.window = {1'000}}};
