// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

// Every allocation of a program passes one function, which may have it fail, and is counted while it lasts. A
// replacement of operator new can not be inline: exactly one file of a program includes this, and defines the
// function. Over-aligned types keep the library's operators.

namespace allocations {

/// Whether the allocation that is about to be made fails.
bool next_fails() noexcept;

inline std::atomic<std::size_t> live = 0;  ///< bytes
inline std::atomic<std::size_t> peak = 0;  ///< the most bytes that were live at once since it was set

/// Before each block stands its size.
inline constexpr std::size_t header_size = alignof(std::max_align_t);

inline void* made(std::size_t size) noexcept {
    void* const block = next_fails() ? nullptr : std::malloc(header_size + size);
    if (block == nullptr) return nullptr;
    std::memcpy(block, &size, sizeof size);
    auto const now = live += size;
    if (now > peak) peak = now;
    return static_cast<char*>(block) + header_size;
}

inline void release(void* place) noexcept {
    if (place == nullptr) return;
    void* const block = static_cast<char*>(place) - header_size;
    std::size_t size = 0;
    std::memcpy(&size, block, sizeof size);
    live -= size;
    std::free(block);
}

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
[[gnu::noinline]] void operator delete(void* place) noexcept { allocations::release(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { allocations::release(place); }
[[gnu::noinline]] void operator delete(void* place, std::nothrow_t const&) noexcept { allocations::release(place); }
[[gnu::noinline]] void operator delete[](void* place) noexcept { allocations::release(place); }
[[gnu::noinline]] void operator delete[](void* place, std::size_t) noexcept { allocations::release(place); }
[[gnu::noinline]] void operator delete[](void* place, std::nothrow_t const&) noexcept { allocations::release(place); }
