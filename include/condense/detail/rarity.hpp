// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/saturate.hpp>

// How surprising a value is among others of its kind, in eighths of a bit, from counts in tables of fixed size: the
// fewer values are as rare as it is, the more. Where most values are rare, as ids are, rarity is no surprise.

namespace condense {
inline namespace v1 {
namespace detail {

/// A hash of two hashes.
constexpr std::uint64_t mix(std::uint64_t left, std::uint64_t right) noexcept {
    auto const product = (left ^ right * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return product ^ product >> 32;
}

/// The binary logarithm in eighths, and 0 for 0. Linear between powers of two, which errs by less than an eighth.
constexpr std::uint32_t log2_eighths(std::uint64_t value) noexcept {
    if (value == 0) return 0;
    auto const exponent = static_cast<std::uint32_t>(std::bit_width(value)) - 1;
    return exponent * 8 + static_cast<std::uint32_t>((value << (63 - exponent)) >> 60 & 7u);
}

/// The surprise of belonging to `few` values of `all`: log2(all / few). 0 for all of them, and for none.
constexpr std::uint32_t surprise(std::uint64_t few, std::uint64_t all) noexcept {
    return few == 0 || few >= all ? 0 : log2_eighths(all) - log2_eighths(few);
}

/// How many values are as rare as one that occurred `count` times, or rarer. Add the count of each different value,
/// then settle. Counts from 16 on share buckets by power of two.
class rank {
public:
    constexpr void add(std::uint64_t count) noexcept { counts_[bucket_of(count)] += count; }
    /// Makes the buckets cumulative. `unknown` values are as rare as can be.
    constexpr void settle(std::uint64_t unknown) noexcept {
        for (auto& count : counts_) count = unknown += count;
    }
    /// The surprise of a value that occurred `count` times, among `all`; settle first.
    constexpr std::uint32_t surprise(std::uint64_t count, std::uint64_t all) const noexcept {
        auto const as_rare = counts_[bucket_of(count)];
        return detail::surprise(as_rare < count ? count : as_rare, all);
    }

private:
    /// Below 16 a bucket for each count.
    static constexpr std::size_t bucket_of(std::uint64_t count) noexcept {
        return count < 16 ? as_size(count) : 76u - static_cast<std::size_t>(std::countl_zero(count));
    }
    std::uint64_t counts_[77] = {};
};

/// Counts up to three quarters of `Slots` different values; of further ones only how many came. Add all values, then
/// settle, then ask for surprises. A hash table without allocation, full to three quarters so that probing ends.
template <std::size_t Slots>
class tally {
public:
    /// Counts a value, given by its hash; true if it is new. `accompanied`: it came with another new value, and is no
    /// event of its own.
    constexpr bool add(std::uint64_t value, bool accompanied = false) noexcept {
        ++total_;
        for (auto index = value % Slots;; index = (index + 1) % Slots) {
            auto& entry = slots_[index];
            if (entry.count == 0) {
                if (used_ >= Slots / 4 * 3) uncounted_ += accompanied ? 0u : 1u;
                else {
                    entry = {value, 1, accompanied, 0};
                    ++used_;
                }
                return true;
            }
            if (entry.value != value) continue;
            if (entry.count != ~std::uint32_t{0}) ++entry.count;
            return false;
        }
    }
    /// True if nearly every value is new, so that a new one is no surprise.
    constexpr bool given_up() const noexcept { return uncounted_ >= Slots && uncounted_ > total_ / 8; }
    constexpr std::uint64_t total() const noexcept { return total_; }
    /// The greatest surprise of any value, once settled.
    constexpr std::uint32_t most() const noexcept { return most_; }

    /// Computes the surprise of each value among `all`, values counted elsewhere included.
    constexpr void settle(std::uint64_t all) noexcept {
        if (used_ < 2 || given_up()) return;
        rank ranks;
        for (auto const& entry : slots_)
            if (entry.count != 0 && !entry.accompanied) ranks.add(entry.count);
        ranks.settle(uncounted_);
        for (auto& entry : slots_) {
            if (entry.count == 0) continue;
            entry.surprise = static_cast<std::uint16_t>(ranks.surprise(entry.count, all));
            most_ = entry.surprise > most_ ? entry.surprise : most_;
        }
    }
    /// The surprise of a value; 0 for one that was not counted.
    constexpr std::uint32_t surprise(std::uint64_t value) const noexcept {
        for (auto index = value % Slots; slots_[index].count != 0; index = (index + 1) % Slots)
            if (slots_[index].value == value) return slots_[index].surprise;
        return 0;
    }

private:
    struct slot {
        std::uint64_t value = 0;
        std::uint32_t count = 0;
        bool accompanied = false;
        std::uint16_t surprise = 0;
    };
    slot slots_[Slots] = {};
    std::uint64_t total_ = 0;
    std::uint64_t uncounted_ = 0;  ///< values that came when the table was full
    std::uint32_t used_ = 0;
    std::uint32_t most_ = 0;
};

/// Buckets of quarter_octaves.
inline constexpr std::size_t magnitude_count = 256;

/// The bucket of value * 10^exponent: four for each doubling, from 2^-16 to 2^48. Bucket 0 is for 0 and what is
/// smaller, the last for what is larger.
constexpr std::size_t quarter_octaves(std::uint64_t value, std::int64_t exponent) noexcept {
    if (value == 0) return 0;
    exponent = exponent < -400 ? -400 : exponent > 400 ? 400 : exponent;
    // 3402 / 1024 is log2(10).
    auto const eighths = static_cast<std::int64_t>(log2_eighths(value)) + exponent * 3402 * 8 / 1024;
    auto const bucket = (eighths + 16 * 8) / 2;
    return bucket < 0 ? 0 : bucket > 255 ? 255 : static_cast<std::size_t>(bucket);
}

/// The bucket of a JSON number, whatever its sign. Digits after the eighteenth change the exponent only.
constexpr std::size_t magnitude_of(std::string_view text) noexcept {
    std::uint64_t digits = 0;
    std::int64_t exponent = 0;
    std::int64_t scale = 0;
    bool fraction = false;
    for (std::size_t index = text.starts_with('-') ? 1 : 0; index < text.size(); ++index) {
        if (text[index] == '.') fraction = true;
        else if (text[index] == 'e' || text[index] == 'E') {
            bool const negative = text.find('-', index) != std::string_view::npos;
            for (++index; index < text.size(); ++index)
                if (text[index] >= '0' && text[index] <= '9' && scale < 1'000) scale = scale * 10 + (text[index] - '0');
            if (negative) scale = -scale;
        } else if (digits < 100'000'000'000'000'000u) {
            digits = digits * 10 + static_cast<std::uint64_t>(text[index] - '0');
            exponent -= fraction ? 1 : 0;
        } else exponent += fraction ? 0 : 1;
    }
    return quarter_octaves(digits, exponent + scale);
}

/// Finds sizes that lie apart from all others. Add the bucket of each, then settle, then ask for surprises.
class magnitudes {
public:
    constexpr void add(std::size_t bucket) noexcept {
        first_ = bucket < first_ ? bucket : first_;
        end_ = bucket < end_ ? end_ : bucket + 1;
        counts_[bucket] += counts_[bucket] != ~std::uint32_t{0} ? 1u : 0u;
    }

    /// Sweeps up and down once each, over the buckets in use. A size is as surprising as few values lie from it on, in
    /// proportion to the gap before it, up to a gap that is far: a factor of two above the rest, of four below, where
    /// gaps under two do not count.
    constexpr void settle() noexcept {
        std::uint64_t all = 0;
        for (auto bucket = first_; bucket < end_; ++bucket) all += counts_[bucket];
        std::uint32_t surprises[magnitude_count] = {};
        auto const sweep = [&, this](bool upward, std::size_t far_gap, std::size_t least_gap) {
            std::uint64_t passed = 0;
            std::uint32_t greatest = 0;
            for (std::size_t step = 0, previous_step = 0; first_ + step < end_; ++step) {
                auto const bucket = upward ? first_ + step : end_ - 1 - step;
                if (counts_[bucket] == 0) continue;
                auto const gap = passed == 0 ? 0 : step - previous_step;
                auto const candidate = detail::surprise(all - passed, all) *
                                       static_cast<std::uint32_t>(gap < far_gap ? gap : far_gap) /
                                       static_cast<std::uint32_t>(far_gap);
                if (gap >= least_gap && candidate > greatest) greatest = candidate;
                if (greatest > surprises[bucket]) surprises[bucket] = greatest;
                passed += counts_[bucket];
                previous_step = step;
            }
        };
        sweep(true, 4, 0);
        sweep(false, 8, 4);
        for (auto bucket = first_; bucket < end_; ++bucket) {
            counts_[bucket] = surprises[bucket];
            most_ = surprises[bucket] > most_ ? surprises[bucket] : most_;
        }
        settled_ = true;
    }
    constexpr std::uint32_t most() const noexcept { return most_; }
    /// The surprise of a size in this bucket; 7/8 of it, because sizes are spread more than other values are.
    constexpr std::uint32_t surprise(std::size_t bucket) const noexcept {
        return settled_ ? counts_[bucket] * 7 / 8 : 0;
    }

private:
    std::uint32_t counts_[magnitude_count] = {};
    std::size_t first_ = magnitude_count;  ///< buckets in use are [first_, end_)
    std::size_t end_ = 0;
    std::uint32_t most_ = 0;
    bool settled_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
