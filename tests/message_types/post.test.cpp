// SPDX-License-Identifier: BSL-1.0
#include "support/messages/post.hpp"
#include <condense/adapt/json_state.hpp>
#include "laws/restart.hpp"

TEST_CASE("a session that is restored from text does what one does that never stopped: messages of variants",
          "[law-7]") {
    laws::check_restarts<forms::post>(400, [](auto& from, auto& to) {
        auto const saved = condense::save(from);
        auto problem = condense::restore(to, saved);
        if (!problem && condense::save(to).text != saved.text) problem.fault = condense::state_fault::damaged;
        return problem;
    });
}
