// SPDX-License-Identifier: BSL-1.0
#include <deque>
#include <list>

#include "faults/harness.hpp"
#include "support/messages/chat.hpp"
#include "support/messages/handle.hpp"
#include "support/messages/line.hpp"
#include "support/messages/unnumbered.hpp"

using faults::run_all;
using faults::touchy;

TEST_CASE("faults: chat_message in a vector", "[law-7]") {
    run_all<std::vector<touchy<condense::chat_message>>, true>();
}
TEST_CASE("faults: lines in a deque", "[law-7]") { run_all<std::deque<touchy<forms::line>>>(); }
TEST_CASE("faults: handles in a list", "[law-7]") { run_all<std::list<touchy<forms::handle>>>(); }
TEST_CASE("faults: messages without ids in a vector", "[law-7]") { run_all<std::vector<touchy<forms::unnumbered>>>(); }
