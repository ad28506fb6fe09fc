// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <condense/core/estimator.hpp>
#include <condense/core/message.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/detail/xxhash.hpp>

// Reads a message by message_traits alone, so that the checker shares no code with what it checks. A reading has hashes
// in place of texts: it stays valid when the message is gone.

namespace condense {
inline namespace v1 {
namespace detail {

/// A hash of 64 bits, equal for equal text; different texts collide only if someone wants them to, which would spoil a
/// measurement and nothing else.
inline std::uint64_t print_of(std::string_view text, std::uint64_t state = 0) noexcept {
    return XXH3_64bits_withSeed(text.data(), text.size(), state);
}
/// Adds a number to a hash.
constexpr std::uint64_t print_of(std::uint64_t value, std::uint64_t state) noexcept {
    auto mixed = (state ^ value) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
    return mixed ^ (mixed >> 32);
}

/// What the checker knows of a part.
struct part_reading {
    part_kind kind = part_kind::text;
    part_status status = part_status::ok;
    bool sealed = false;
    std::uint64_t text = 0;  ///< hash of the text
    std::uint64_t tool = 0;  ///< hash of the tool's name
    std::uint64_t call = 0;  ///< hash of the call's id, never 0; 0 if the part has no id
    std::uint64_t size = 0;  ///< of the text, in bytes
    std::uint64_t points = 0;  ///< code points of the text
};

/// What the checker knows of a message.
struct message_reading {
    role speaker = role::other;
    std::uint64_t print = 0;  ///< hash of all that the traits show
    std::vector<part_reading> parts = {};

    /// True for role user with a part that belongs to no call: such a message begins a turn.
    bool plain_user() const noexcept {
        if (speaker != role::user) return false;
        for (auto const& part : parts)
            if (part.kind != part_kind::tool_result && part.call == 0) return true;
        return false;
    }
};

/// Costs one pass over the texts of the message.
template <message Message>
message_reading read_message(Message const& m) {
    message_reading reading{.speaker = role_of(m)};
    reading.print = print_of(static_cast<std::uint64_t>(reading.speaker), 1);
    each_part(m, [&](part_view const& part) {
        part_reading facts{.kind = part.kind, .status = part.status, .sealed = part.sealed};
        facts.text = print_of(part.text);
        facts.tool = print_of(part.tool);
        facts.call = part.call.empty() ? 0 : print_of(part.call) | 1;
        facts.size = part.text.size();
        facts.points = utf8::count(part.text);
        auto const marks = static_cast<std::uint64_t>(part.kind) << 16 | static_cast<std::uint64_t>(part.status) << 8 |
                           (part.sealed ? 1u : 0u);
        for (auto const value : {marks, facts.text, facts.tool, facts.call, part.cost ? (*part.cost).steps + 1 : 0})
            reading.print = print_of(value, reading.print);
        reading.parts.push_back(facts);
    });
    return reading;
}

/// The cost of a message in a request: of its frame and of each part.
template <message Message, token_estimator Estimator>
cost cost_of_message(Message const& m, Estimator const& estimator) {
    auto sum = frame_cost(estimator, role_of(m), [&] { return v1::name_of(m); });
    each_part(m, [&](part_view const& part) { sum += part_cost(estimator, part); });
    return sum;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
