// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <condense/condense.hpp>

// A store for the cases: in memory, deterministic, and able to fail or to throw.

namespace cases {

struct shelf {
    struct content {
        std::map<condense::reference, std::string> kept;
        std::size_t puts = 0;
        bool fails = false;
        bool throws = false;
    };
    std::shared_ptr<content> held = std::make_shared<content>();

    condense::reference name(std::string_view bytes) const {
        condense::reference out;
        std::uint64_t state = 0xCBF29CE484222325u;  // FNV-1a, 64 bits
        for (char const each : bytes) state = (state ^ static_cast<unsigned char>(each)) * 0x100000001B3u;
        for (auto& byte : out.digest) {
            state = (state ^ 1u) * 0x100000001B3u;
            byte = static_cast<std::uint8_t>(state >> 40);
        }
        return out;
    }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const& name, std::string_view bytes) const {
        ++held->puts;
        if (held->throws) throw std::runtime_error("no such place");
        if (held->fails) return {"disk full"};
        held->kept.emplace(name, bytes);
        return {};
    }
};

}  // namespace cases
