// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <condense/detail/grow.hpp>

// A set of small numbers that finds the next and the previous member without a look at what lies between: the places of
// a conversation where something is sent.

namespace condense {
inline namespace v1 {
namespace detail {

/// A bit for each number below size(), and above it levels of one bit for each word of 64 that is not empty, so that
/// each verb costs a few words whatever the size: one level for 64 numbers, two for 4,096, four for 16 million. Memory:
/// a bit and a 63rd for each number. A template, so that a program that only includes it instantiates nothing of it.
template <class = void>
class basic_place_set {
public:
    using word = std::uint64_t;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    constexpr std::uint32_t size() const noexcept { return size_; }
    constexpr bool contains(std::uint32_t number) const noexcept {
        return (levels_[0][number / bits] >> number % bits & 1u) != 0;
    }

    /// Makes room for `more` numbers, so that `extend` cannot fail.
    constexpr void reserve_more(std::size_t more) {
        auto words = words_for(size_ + more);
        for (auto& level : levels_) {
            grow(level, words > level.size() ? words - level.size() : 0);
            if (words <= 1) return;
            words = words_for(words);
        }
    }
    /// Adds `more` numbers at the end, none of them a member. Allocates nothing where room is reserved.
    constexpr void extend(std::uint32_t more) noexcept {
        size_ += more;
        auto words = words_for(size_);
        for (std::size_t depth = 0; levels_[depth].size() < words; ++depth) {
            if (depth != 0 && levels_[depth].empty()) levels_[depth].push_back(levels_[depth - 1][0] != 0 ? 1u : 0u);
            levels_[depth].resize(words, word{0});
            if (words == 1) return;
            words = words_for(words);
        }
    }

    constexpr void insert(std::uint32_t number) noexcept {
        for (auto& level : levels_) {
            if (level.empty()) return;
            bool const was_empty = level[number / bits] == 0;
            level[number / bits] |= word{1} << number % bits;
            if (!was_empty) return;
            number /= bits;
        }
    }
    constexpr void erase(std::uint32_t number) noexcept {
        auto& rest = levels_[0][number / bits];
        rest &= ~(word{1} << number % bits);
        if (rest == 0) erase_word(number / bits);
    }

    /// The least member that is at least `number`; size() where there is none.
    constexpr std::uint32_t next(std::uint32_t number) const noexcept {
        if (number >= size_) return size_;
        auto const rest = levels_[0][number / bits] >> number % bits;  // where most are near one another
        return rest != 0 ? number + static_cast<std::uint32_t>(std::countr_zero(rest)) : next_far(number);
    }
    /// Calls f(number) for each member, ascending. Those above that f inserts or erases count as they are then.
    template <class Function>
    constexpr void each(Function&& f) const {
        for (auto number = next(0); number < size_;) {
            f(number);
            auto const rest = levels_[0][number / bits] >> number % bits >> 1;
            number = rest != 0 ? number + 1 + static_cast<std::uint32_t>(std::countr_zero(rest))
                               : next((number | (bits - 1)) + 1);
        }
    }
    /// The greatest member below `number`, which is at most size(); none where there is none.
    constexpr std::uint32_t previous(std::uint32_t number) const noexcept {
        std::size_t depth = 0;
        for (;; ++depth, number /= bits) {
            if (number == 0 || depth == levels_.size() || levels_[depth].empty()) return none;
            --number;
            auto const rest = levels_[depth][number / bits] << (bits - 1 - number % bits);
            if (rest == 0) continue;
            number -= static_cast<std::uint32_t>(std::countl_zero(rest));
            break;
        }
        while (depth-- > 0)
            number = number * bits + (bits - 1 - static_cast<std::uint32_t>(std::countl_zero(levels_[depth][number])));
        return number;
    }

private:
    static constexpr std::uint32_t bits = 64;
    static constexpr std::size_t words_for(std::size_t count) noexcept { return (count + bits - 1) / bits; }

    /// Notes above that a word of the lowest level is empty.
    constexpr void erase_word(std::uint32_t number) noexcept {
        for (std::size_t depth = 1; depth < levels_.size() && !levels_[depth].empty(); ++depth, number /= bits)
            if ((levels_[depth][number / bits] &= ~(word{1} << number % bits)) != 0) return;
    }

    /// The same as next, by the words above.
    constexpr std::uint32_t next_far(std::uint32_t number) const noexcept {
        std::size_t depth = 0;
        for (;; ++depth, number = number / bits + 1) {  // upward, to a word that holds one
            if (depth == levels_.size() || number / bits >= levels_[depth].size()) return size_;
            auto const rest = levels_[depth][number / bits] >> number % bits;
            if (rest == 0) continue;
            number += static_cast<std::uint32_t>(std::countr_zero(rest));
            break;
        }
        while (depth-- > 0)
            number = number * bits + static_cast<std::uint32_t>(std::countr_zero(levels_[depth][number]));
        return number;
    }

    std::array<std::vector<word>, 6> levels_;  ///< 64^6 are all numbers; a level above one word is empty
    std::uint32_t size_ = 0;
};
using place_set = basic_place_set<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
