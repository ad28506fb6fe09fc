// SPDX-License-Identifier: BSL-1.0
#include <deque>

#include "laws/message_types.hpp"
#include "support/messages/line.hpp"
#include "support/messages/unnumbered.hpp"

TEST_CASE("the laws hold for messages of a role and a text", "[laws]") {
    laws::check_type<std::deque<forms::line>>(condense::char_ratio<condense::family::gpt>{});
}

TEST_CASE("the laws hold for messages without ids", "[laws]") {
    laws::check_type<std::vector<forms::unnumbered>>(laws::byte_estimator{});
}
