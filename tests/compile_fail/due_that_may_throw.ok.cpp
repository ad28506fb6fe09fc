// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct now_and_then {
    static constexpr auto effects = condense::drops;
    bool due(condense::usage const&) const noexcept { return true; }
    void reduce(auto&, auto&) const {}
};

bool due(condense::usage const& now) { return condense::pipeline{now_and_then{}}.due(now); }
