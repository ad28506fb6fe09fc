// SPDX-License-Identifier: BSL-1.0
#include <list>

#include "laws/message_types.hpp"
#include "support/messages/handle.hpp"
#include "support/messages/note.hpp"
#include "support/messages/shelf.hpp"

TEST_CASE("the laws hold for messages that can only be moved, calls and results in one", "[laws]") {
    laws::check_type<std::list<forms::handle>>(laws::byte_estimator{});
}

TEST_CASE("the laws hold for messages that cannot be assigned, in wide characters", "[laws]") {
    using shelf = forms::shelf<forms::note>;
    laws::check_type<shelf, forms::lookout<shelf>>(condense::char_ratio<condense::family::claude>{});
}
