// SPDX-License-Identifier: BSL-1.0
#include "support/messages/json.hpp"
#include <condense/adapt/json_state.hpp>
#include "laws/restart.hpp"

TEST_CASE("a session that is restored from text does what one does that never stopped: JSON messages", "[law-7]") {
    laws::check_restarts<forms::json>(400, [](auto& from, auto& to) {
        auto const kept = condense::save(from);
        auto problem = condense::restore(to, kept);
        if (!problem && condense::save(to).text != kept.text) problem.fault = condense::state_fault::damaged;
        return problem;
    });
}
