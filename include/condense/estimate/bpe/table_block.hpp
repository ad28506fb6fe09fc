// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Memory for the tables, on large pages where the system has them, because tables are read at random.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Deletes with the alignment of the allocation.
struct block_release {
    std::size_t alignment = 64;
    void operator()(char* data) const noexcept { ::operator delete(data, std::align_val_t{alignment}); }
};

/// Zeroed bytes at a multiple of 64; from 2 MiB on at a multiple of a large page. Moves, does not copy.
class table_block {
public:
    table_block() = default;
    explicit table_block(std::size_t size) : size_{size}, alignment_{size < large_page ? 64 : large_page} {
        data_.reset(static_cast<char*>(::operator new(size, std::align_val_t{alignment_})));
        data_.get_deleter().alignment = alignment_;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        // Only advice: without it all works, slower. It comes before the first write, which would allocate small pages.
        if (alignment_ == large_page) ::madvise(data_.get(), size / large_page * large_page, MADV_HUGEPAGE);
#endif
        std::memset(data_.get(), 0, size);
    }

    char* data() noexcept { return data_.get(); }
    char const* data() const noexcept { return data_.get(); }
    std::size_t size() const noexcept { return size_; }

private:
    static constexpr std::size_t large_page = std::size_t{1} << 21;
    std::size_t size_ = 0;
    std::size_t alignment_ = 64;
    std::unique_ptr<char, block_release> data_;
};

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
