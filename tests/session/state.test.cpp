// SPDX-License-Identifier: BSL-1.0
#include <condense/session/state.hpp>

#include "laws/restart.hpp"
#include "support/messages/chat.hpp"

namespace {

auto const as_it_is = [](auto& from, auto& to) {
    auto taken = from.state();
    return taken ? to.adopt(std::move(taken.state)) : taken.error;
};

}  // namespace

TEST_CASE("a session that is restored does what one does that never stopped: chat_message", "[law-7]") {
    laws::check_restarts<condense::chat_message>(2'000, as_it_is);
}
