// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <condense/core/estimator.hpp>
#include <condense/core/message.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/detail/xxhash.hpp>

// Facts of a message, by message_traits alone, so that the checker shares no code with what it checks.

namespace condense {
inline namespace v1 {
namespace detail {

/// A hash of text that is equal for equal text and, but by intent, for no other.
inline std::uint64_t print_of(std::string_view text, std::uint64_t state = 0) noexcept {
    return XXH3_64bits_withSeed(text.data(), text.size(), state);
}
constexpr std::uint64_t print_of(std::uint64_t value, std::uint64_t state) noexcept {
    auto mixed = (state ^ value) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
    return mixed ^ (mixed >> 32);
}

struct part_reading {
    part_kind kind = part_kind::text;
    part_status status = part_status::ok;
    bool sealed = false;
    std::uint64_t text = 0;  ///< hashes, of call ids 0 where there is none
    std::uint64_t tool = 0;
    std::uint64_t call = 0;
    std::uint64_t size = 0;  ///< of the text, in bytes
    std::uint64_t points = 0;
};

struct message_reading {
    role speaker = role::other;
    std::uint64_t print = 0;  ///< of all that the traits show
    std::vector<part_reading> parts = {};

    /// User role and a part that belongs to no call.
    bool plain_user() const noexcept {
        if (speaker != role::user) return false;
        for (auto const& part : parts)
            if (part.kind != part_kind::tool_result && part.call == 0) return true;
        return false;
    }
};

template <message Message>
message_reading read_message(Message const& m) {
    message_reading found{.speaker = role_of(m)};
    found.print = print_of(static_cast<std::uint64_t>(found.speaker), 1);
    each_part(m, [&](part_view const& part) {
        part_reading one{.kind = part.kind, .status = part.status, .sealed = part.sealed};
        one.text = print_of(part.text);
        one.tool = print_of(part.tool);
        one.call = part.call.empty() ? 0 : print_of(part.call) | 1;
        one.size = part.text.size();
        one.points = utf8::count(part.text);
        auto const marks = static_cast<std::uint64_t>(part.kind) << 16 | static_cast<std::uint64_t>(part.status) << 8 |
                           (part.sealed ? 1u : 0u);
        for (auto const value : {marks, one.text, one.tool, one.call, part.cost ? (*part.cost).steps + 1 : 0})
            found.print = print_of(value, found.print);
        found.parts.push_back(one);
    });
    return found;
}

/// The cost of a message in a request.
template <message Message, token_estimator Estimator>
cost cost_of_message(Message const& m, Estimator const& count) {
    auto sum = frame_cost(count, role_of(m), [&] { return v1::name_of(m); });
    each_part(m, [&](part_view const& part) { sum += part_cost(count, part); });
    return sum;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
