// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/usage.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>

// Usage in one line, for display: usage_line(session.used(), 117'000_tokens, tracker.turns_left(session.used())).

namespace condense {
inline namespace v1 {

namespace detail {

/// floor(value * share / whole) for any figures; low, and no further, where the exact figure needs more than 64 bits.
constexpr std::uint64_t share_of(std::uint64_t value, std::uint64_t share, std::uint64_t whole) noexcept {
    return add_capped(mul_capped(value / whole, share), mul_capped(value % whole, share) / whole);
}

/// Tenths as they are printed: 6.8, rounded down.
inline std::string tenths(std::uint64_t count) { return grouped(count / 10) + "." + std::to_string(count % 10); }

}  // namespace detail

/// `12,345 of 180,000 tokens (6.8 %), reduces at 117,000, about 40 turns left`. Without a threshold, or
/// where the turns are not known, without these words; with why a reduction that is due waits, where it does. Row D5.
inline std::string usage_line(usage const& now, tokens threshold = {}, std::optional<std::uint64_t> turns_left = {}, std::string_view waits = {}) {
    bool const known = now.source != usage_source::none;
    auto out = (known ? detail::grouped(now.tokens.count) : std::string{name(now.source)}) + " of " + detail::grouped(now.input.count) + " tokens";
    if (known && now.input != tokens{})
        out += " (" + detail::tenths(detail::share_of(now.tokens.count, 1'000, now.input.count)) + " %)";
    if (threshold != tokens{}) out += ", reduces at " + detail::grouped(threshold.count);
    if (turns_left) {
        if (*turns_left == 0) out += ", less than a turn left";
        else out += ", about " + detail::grouped(*turns_left) + (*turns_left == 1 ? " turn left" : " turns left");
    }
    if (!waits.empty()) out.append("; a reduction is due and waits: ").append(waits);
    return out;
}

}  // namespace v1
}  // namespace condense
