// SPDX-License-Identifier: BSL-1.0
#include "faults/harness.hpp"
#include "support/messages/json.hpp"
#include "support/messages/note.hpp"
#include "support/messages/post.hpp"
#include "support/messages/shelf.hpp"

// Destroying a nlohmann::json array or object allocates.
template <>
inline constexpr bool faults::allocations_may_fail<faults::touchy<nlohmann::json>> = false;

using faults::run_all;
using faults::touchy;

TEST_CASE("faults: JSON in a vector", "[law-7]") { run_all<std::vector<touchy<nlohmann::json>>>(); }
TEST_CASE("faults: notes on a shelf", "[law-7]") { run_all<forms::shelf<touchy<forms::note>>>(); }
TEST_CASE("faults: posts in a vector", "[law-7]") { run_all<std::vector<touchy<forms::post>>>(); }
