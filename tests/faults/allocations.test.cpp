// SPDX-License-Identifier: BSL-1.0
#include <cstdlib>
#include <new>

#include "faults/points.hpp"
#include "support/catch.hpp"

// Every form of operator new is a point that may fail, in this program.

// Not inlined, else g++ sees malloc paired with delete, and the reverse.
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (faults::allocation_fails_here()) throw std::bad_alloc{};
    if (void* const got = std::malloc(size == 0 ? 1 : size)) return got;
    throw std::bad_alloc{};
}
[[gnu::noinline]] void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    return faults::allocation_fails_here() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void* operator new[](std::size_t size, std::nothrow_t const& tag) noexcept { return operator new(size, tag); }
[[gnu::noinline]] void operator delete(void* place, std::nothrow_t const&) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place, std::nothrow_t const&) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }

TEST_CASE("faults: an allocation can be made to fail, and only that one") {
    for (std::uint64_t failing = 1; failing <= 3; ++failing) {
        std::uint64_t made = 0;
        bool failed = false;
        {
            faults::watch const on{failing};
            try {
                for (; made < 3; ++made) ::operator delete(::operator new(1));
            } catch (std::bad_alloc const&) {
                failed = true;
            }
        }
        CHECK(failed);
        CHECK(made == failing - 1);
    }
}
