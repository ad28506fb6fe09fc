// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/saturate.hpp>

// How surprising a value is among others of its kind, in eighths of a bit, from counts in tables of fixed size. Where
// most values are rare, as ids are, rarity is no surprise.

namespace condense {
inline namespace v1 {
namespace detail {

constexpr std::uint64_t mix(std::uint64_t left, std::uint64_t right) noexcept {
    auto const product = (left ^ right * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return product ^ product >> 32;
}

constexpr std::uint32_t log2_eighths(std::uint64_t value) noexcept {
    if (value == 0) return 0;
    auto const whole = static_cast<std::uint32_t>(std::bit_width(value)) - 1;
    return whole * 8 + static_cast<std::uint32_t>((value << (63 - whole)) >> 60 & 7u);
}

/// The surprise of belonging to the `few` of `all`.
constexpr std::uint32_t surprise(std::uint64_t few, std::uint64_t all) noexcept {
    return few == 0 || few >= all ? 0 : log2_eighths(all) - log2_eighths(few);
}

/// How many of all values are as rare as one that occurred `count` times.
class rank {
public:
    constexpr void add(std::uint64_t count) noexcept { seen_[place(count)] += count; }
    constexpr void settle(std::uint64_t unknown) noexcept {
        for (auto& each : seen_) each = unknown += each;
    }
    constexpr std::uint32_t surprise(std::uint64_t count, std::uint64_t all) const noexcept {
        auto const few = seen_[place(count)];
        return detail::surprise(few < count ? count : few, all);
    }

private:
    static constexpr std::size_t place(std::uint64_t count) noexcept {
        return count < 16 ? as_size(count) : 76u - static_cast<std::size_t>(std::countl_zero(count));
    }
    std::uint64_t seen_[77] = {};
};

/// Counts of up to three quarters of `Slots` different values; of further ones only their number.
template <std::size_t Slots>
class tally {
public:
    /// True for a new value. `along`: it came with another new value, and is no event of its own.
    constexpr bool add(std::uint64_t what, bool along = false) noexcept {
        ++total_;
        for (auto slot = what % Slots;; slot = (slot + 1) % Slots) {
            auto& each = slots_[slot];
            if (each.count == 0) {
                if (used_ >= Slots / 4 * 3) lost_ += along ? 0u : 1u;
                else {
                    each = {what, 1, along, 0};
                    ++used_;
                }
                return true;
            }
            if (each.what != what) continue;
            if (each.count != ~std::uint32_t{0}) ++each.count;
            return false;
        }
    }
    /// Nearly every value is new, so that a new one is no surprise.
    constexpr bool given_up() const noexcept { return lost_ >= Slots && lost_ > total_ / 8; }
    constexpr std::uint64_t total() const noexcept { return total_; }
    constexpr std::uint32_t most() const noexcept { return most_; }

    constexpr void settle(std::uint64_t all) noexcept {
        if (used_ < 2 || given_up()) return;
        rank seen;
        for (auto const& each : slots_)
            if (each.count != 0 && !each.along) seen.add(each.count);
        seen.settle(lost_);
        for (auto& each : slots_) {
            if (each.count == 0) continue;
            each.surprise = static_cast<std::uint16_t>(seen.surprise(each.count, all));
            most_ = each.surprise > most_ ? each.surprise : most_;
        }
    }
    constexpr std::uint32_t surprise(std::uint64_t what) const noexcept {
        for (auto slot = what % Slots; slots_[slot].count != 0; slot = (slot + 1) % Slots)
            if (slots_[slot].what == what) return slots_[slot].surprise;
        return 0;
    }

private:
    struct entry {
        std::uint64_t what = 0;
        std::uint32_t count = 0;
        bool along = false;
        std::uint16_t surprise = 0;
    };
    entry slots_[Slots] = {};
    std::uint64_t total_ = 0;
    std::uint64_t lost_ = 0;
    std::uint32_t used_ = 0;
    std::uint32_t most_ = 0;
};

inline constexpr std::size_t magnitude_count = 256;

/// Four buckets for each doubling of value * 10^exponent, from 2^-16 to 2^48.
constexpr std::size_t quarter_octaves(std::uint64_t value, std::int64_t exponent) noexcept {
    if (value == 0) return 0;
    exponent = exponent < -400 ? -400 : exponent > 400 ? 400 : exponent;
    // 3402 / 1024 is log2(10).
    auto const eighths = static_cast<std::int64_t>(log2_eighths(value)) + exponent * 3402 * 8 / 1024;
    auto const place = (eighths + 16 * 8) / 2;
    return place < 0 ? 0 : place > 255 ? 255 : static_cast<std::size_t>(place);
}

/// The bucket of a JSON number, whatever its sign.
constexpr std::size_t magnitude_of(std::string_view text) noexcept {
    std::uint64_t digits = 0;
    std::int64_t exponent = 0;
    std::int64_t scale = 0;
    bool fraction = false;
    for (std::size_t at = text.starts_with('-') ? 1 : 0; at < text.size(); ++at) {
        if (text[at] == '.') fraction = true;
        else if (text[at] == 'e' || text[at] == 'E') {
            bool const less = text.find('-', at) != std::string_view::npos;
            for (++at; at < text.size(); ++at)
                if (text[at] >= '0' && text[at] <= '9' && scale < 1'000) scale = scale * 10 + (text[at] - '0');
            if (less) scale = -scale;
        } else if (digits < 100'000'000'000'000'000u) {
            digits = digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
            exponent -= fraction ? 1 : 0;
        } else exponent += fraction ? 0 : 1;
    }
    return quarter_octaves(digits, exponent + scale);
}

/// Finds sizes that lie apart from all others.
class magnitudes {
public:
    constexpr void add(std::size_t bucket) noexcept {
        counts_[bucket] += counts_[bucket] != ~std::uint32_t{0} ? 1u : 0u;
    }

    /// Above the rest a factor of two is far, below it four.
    constexpr void settle() noexcept {
        std::uint64_t all = 0;
        for (auto const each : counts_) all += each;
        std::uint32_t surprises[magnitude_count] = {};
        auto const pass = [&, this](bool up, std::size_t farthest, std::size_t least_gap) {
            std::uint64_t behind = 0;
            std::uint32_t carried = 0;
            for (std::size_t step = 0, latest = 0; step < magnitude_count; ++step) {
                auto const at = up ? step : magnitude_count - 1 - step;
                if (counts_[at] == 0) continue;
                auto const gap = behind == 0 ? 0 : step - latest;
                auto const found = detail::surprise(all - behind, all) *
                                   static_cast<std::uint32_t>(gap < farthest ? gap : farthest) /
                                   static_cast<std::uint32_t>(farthest);
                if (gap >= least_gap && found > carried) carried = found;
                if (carried > surprises[at]) surprises[at] = carried;
                behind += counts_[at];
                latest = step;
            }
        };
        pass(true, 4, 0);
        pass(false, 8, 4);
        for (std::size_t at = 0; at < magnitude_count; ++at) {
            counts_[at] = surprises[at];
            most_ = surprises[at] > most_ ? surprises[at] : most_;
        }
        settled_ = true;
    }
    constexpr std::uint32_t most() const noexcept { return most_; }
    /// 7/8, because sizes are spread more than other things are.
    constexpr std::uint32_t surprise(std::size_t bucket) const noexcept {
        return settled_ ? counts_[bucket] * 7 / 8 : 0;
    }

private:
    std::uint32_t counts_[magnitude_count] = {};
    std::uint32_t most_ = 0;
    bool settled_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
