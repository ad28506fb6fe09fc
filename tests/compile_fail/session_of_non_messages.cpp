// expect: condense: session: the elements of the container must be messages: give message_traits role_of and each_part
// (see message) SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/session/session.hpp>

condense::session session{std::vector<int>{}, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}}};
