// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <condense/core/store.hpp>
#include <condense/detail/xxhash.hpp>

// The name of stored content: the first 96 bits of XXH3-128 under a key. Stores compare bytes as well, so a collision
// never returns the wrong content.

namespace condense {
inline namespace v1 {

/// The default hash of stores and journals. Not cryptographic; with a secret key, who does not know it cannot foresee
/// names.
struct content_hash {
    std::uint64_t key = 0;  ///< other keys give other names: readers need the writer's

    /// The name of this content. `attempt`: how many of its names were tried and belong to other contents. Costs one
    /// pass over the content.
    reference operator()(std::string_view content, std::uint64_t attempt) const noexcept {
        auto const hash = XXH3_128bits_withSeed(content.data(), content.size(), key + attempt);
        reference name;
        for (unsigned byte = 0; byte < name.digest.size(); ++byte) {
            auto const half = byte < 8 ? hash.high64 : hash.low64;
            name.digest[byte] = static_cast<std::uint8_t>(half >> (8 * (7 - byte % 8)));
        }
        if (!name) name.digest.back() = 1;  // all zero is the empty reference
        return name;
    }
};

}  // namespace v1
}  // namespace condense
