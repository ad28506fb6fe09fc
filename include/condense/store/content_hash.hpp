// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <condense/core/store.hpp>
#include <condense/detail/xxhash.hpp>

// The name of stored content: the first 96 bits of XXH3-128 under a key. Stores compare bytes as
// well, so a collision never gives back the wrong content.

namespace condense {
inline namespace v1 {

struct content_hash {
    std::uint64_t key = 0;

    /// `attempt` counts how many other contents already hold the names before.
    reference operator()(std::string_view content, std::uint64_t attempt) const noexcept {
        auto const found = XXH3_128bits_withSeed(content.data(), content.size(), key + attempt);
        reference name;
        for (unsigned place = 0; place < name.digest.size(); ++place) {
            auto const half = place < 8 ? found.high64 : found.low64;
            name.digest[place] = static_cast<std::uint8_t>(half >> (8 * (7 - place % 8)));
        }
        if (!name) name.digest.back() = 1;  // all zero means that there is none
        return name;
    }
};

}  // namespace v1
}  // namespace condense
