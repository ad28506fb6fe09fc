// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/session/session.hpp>

condense::session session{
    std::vector<condense::chat_message>{}, condense::pipeline{condense::sliding_window{}}, {.window = {1'000}}};
