// SPDX-License-Identifier: BSL-1.0
#include <deque>

#include "laws/message_types.hpp"
#include "support/messages/json.hpp"
#include "support/messages/post.hpp"

TEST_CASE("the laws hold for messages of variants, results from the user", "[laws]") {
    laws::check_type<std::deque<forms::post>>(laws::byte_estimator{});
}

TEST_CASE("the laws hold for messages in JSON", "[laws]") {
    laws::check_type<forms::json::array_t>(condense::char_ratio<condense::family::claude>{});
}
