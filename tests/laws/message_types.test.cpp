// SPDX-License-Identifier: BSL-1.0
#include <list>

#include "laws/message_types.hpp"
#include "support/catch.hpp"
#include "support/messages/handle.hpp"

TEST_CASE("the laws hold for messages that can only be moved, calls and results in one", "[laws]") {
    laws::check_type<std::list<forms::handle>>(laws::byte_estimator{}, true);
}
