// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

// Every allocation of a program passes one function, which may count it or have it fail. A replacement
// of operator new can not be inline: exactly one file of a program includes this, and defines the
// function. Over-aligned types keep the library's operators.

namespace allocations {

/// Whether the allocation that is about to be made fails.
bool next_fails() noexcept;

inline void* made(std::size_t size) noexcept { return next_fails() ? nullptr : std::malloc(size == 0 ? 1 : size); }

}  // namespace allocations

// Not inlined, else g++ sees malloc paired with delete, and the reverse.
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (void* const got = allocations::made(size)) return got;
    throw std::bad_alloc{};
}
// Every other form is replaced too, else a sanitizer sees its own new paired with this delete.
[[gnu::noinline]] void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    return allocations::made(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void* operator new[](std::size_t size, std::nothrow_t const&) noexcept {
    return allocations::made(size);
}
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::nothrow_t const&) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place, std::nothrow_t const&) noexcept { std::free(place); }
