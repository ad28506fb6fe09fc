// SPDX-License-Identifier: BSL-1.0
#include "support/messages/handle.hpp"
#include <condense/session/state.hpp>
#include "laws/restart.hpp"

TEST_CASE("a session that is restored does what one does that never stopped: handles", "[law-7]") {
    laws::check_restarts<forms::handle>(1'000, [](auto& from, auto& to) {
        auto saved = from.state();
        return saved ? to.adopt(std::move(saved.state)) : saved.error;
    });
}
