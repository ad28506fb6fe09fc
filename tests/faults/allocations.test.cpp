// SPDX-License-Identifier: BSL-1.0
#include "support/allocations.hpp"
#include "faults/points.hpp"
#include "support/catch.hpp"

// Every allocation of this program is a point that may fail.

bool allocations::next_fails() noexcept { return faults::allocation_fails_here(); }

TEST_CASE("faults: an allocation can be made to fail, and only that one") {
    for (std::uint64_t failing = 1; failing <= 3; ++failing) {
        std::uint64_t made = 0;
        bool failed = false;
        {
            faults::watch const on{failing};
            try {
                for (; made < 3; ++made) ::operator delete(::operator new(1));
            } catch (std::bad_alloc const&) { failed = true; }
        }
        CHECK(failed);
        CHECK(made == failing - 1);
    }
}
