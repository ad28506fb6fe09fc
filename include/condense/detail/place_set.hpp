// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/detail/grow.hpp>

// A set of small numbers that finds the next and the previous member without a look at what lies between: the places of
// a conversation where something is sent.

namespace condense {
inline namespace v1 {
namespace detail {

/// A bit for each number from `base` up to size(), and above it levels of one bit for each word of 64 that is not
/// empty, so that each verb costs a few words whatever the size: one level for 64 numbers, two for 4,096, four for 16
/// million. Memory: a bit and a 63rd for each number. Below the base only listed numbers, which should be few, can be
/// members. A template, so that a program that only includes it instantiates nothing of it.
template <class = void>
class basic_place_set {
public:
    using word = std::uint64_t;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    constexpr basic_place_set() = default;
    /// An empty set in which no numbers below the base but these, which ascend, can be members.
    constexpr basic_place_set(std::uint32_t base, std::vector<std::uint32_t> early)
        : early_(std::move(early)), is_member_(early_.size()), base_{base} {}

    constexpr std::uint32_t size() const noexcept { return size_; }
    constexpr bool contains(std::uint32_t number) const noexcept {
        auto const bit = number - base_;  // far above all for a number below the base
        return bit < count_ ? (levels_[0][bit / bits] >> bit % bits & 1u) != 0 : is_early_member(number);
    }

    /// Makes room for `more` numbers, so that `extend_to` cannot fail.
    constexpr void reserve_more(std::size_t more) {
        auto words = words_for(size_ + more > base_ ? size_ + more - base_ : 0);
        for (auto& level : levels_) {
            grow(level, words > level.size() ? words - level.size() : 0);
            if (words <= 1) return;
            words = words_for(words);
        }
    }
    /// Adds the numbers up to `size`, none of them a member. Allocates nothing where room is reserved.
    constexpr void extend_to(std::uint32_t size) noexcept {
        size_ = size;
        if (size <= base_) return;
        count_ = size - base_;
        auto words = words_for(count_);
        for (std::size_t depth = 0; levels_[depth].size() < words; ++depth) {
            if (depth != 0 && levels_[depth].empty()) levels_[depth].push_back(levels_[depth - 1][0] != 0 ? 1u : 0u);
            levels_[depth].resize(words, word{0});
            if (words == 1) return;
            words = words_for(words);
        }
    }

    constexpr void insert(std::uint32_t number) noexcept {
        auto bit = number - base_;
        if (bit >= count_) return set_early(number, true);
        for (auto& level : levels_) {
            if (level.empty()) return;
            bool const was_empty = level[bit / bits] == 0;
            level[bit / bits] |= word{1} << bit % bits;
            if (!was_empty) return;
            bit /= bits;
        }
    }
    constexpr void erase(std::uint32_t number) noexcept {
        auto const bit = number - base_;
        if (bit >= count_) return set_early(number, false);
        auto& rest = levels_[0][bit / bits];
        rest &= ~(word{1} << bit % bits);
        if (rest == 0) erase_word(bit / bits);
    }

    /// The least member that is at least `number`; size() where there is none.
    constexpr std::uint32_t next(std::uint32_t number) const noexcept {
        auto const bit = number - base_;
        if (bit < count_) {
            auto const rest = levels_[0][bit / bits] >> bit % bits;  // where most are near one another
            if (rest != 0) return number + static_cast<std::uint32_t>(std::countr_zero(rest));
        }
        return next_far(number);
    }
    /// Calls f(number) for each member, ascending. Those above that f inserts or erases count as they are then.
    template <class Function>
    constexpr void each(Function&& f) const {
        for (auto number = next(0); number < size_; number = next(number + 1)) f(number);
    }
    /// The greatest member below `number`, which is at most size(); none where there is none.
    constexpr std::uint32_t previous(std::uint32_t number) const noexcept {
        if (number > base_)
            if (auto const bit = previous_bit(number - base_); bit != none) return base_ + bit;
        return previous_early(number);
    }

private:
    static constexpr std::uint32_t bits = 64;
    static constexpr std::size_t words_for(std::size_t count) noexcept { return (count + bits - 1) / bits; }

    /// Notes above that a word of the lowest level is empty.
    constexpr void erase_word(std::uint32_t number) noexcept {
        for (std::size_t depth = 1; depth < levels_.size() && !levels_[depth].empty(); ++depth, number /= bits)
            if ((levels_[depth][number / bits] &= ~(word{1} << number % bits)) != 0) return;
    }

    /// As next, by the list and by the words above.
    [[gnu::noinline]] constexpr std::uint32_t next_far(std::uint32_t number) const noexcept {
        if (number < base_) {
            auto index = early_at(number);
            while (index < early_.size() && is_member_[index] == 0) ++index;
            if (index < early_.size()) return early_[index];
            number = base_;
        }
        if (number >= size_) return size_;
        number -= base_;
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
        return base_ + number;
    }
    constexpr std::uint32_t previous_bit(std::uint32_t number) const noexcept {
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

    /// The place in the list of the first number that is not below this one.
    constexpr std::size_t early_at(std::uint32_t number) const noexcept {
        std::size_t begin = 0;
        for (auto end = early_.size(); begin < end;) {
            auto const middle = begin + (end - begin) / 2;
            if (early_[middle] < number) begin = middle + 1;
            else end = middle;
        }
        return begin;
    }
    [[gnu::noinline]] constexpr bool is_early_member(std::uint32_t number) const noexcept {
        auto const index = early_at(number);
        return index < early_.size() && early_[index] == number && is_member_[index] != 0;
    }
    [[gnu::noinline]] constexpr std::uint32_t previous_early(std::uint32_t number) const noexcept {
        auto index = early_at(number);
        while (index != 0 && is_member_[index - 1] == 0) --index;
        return index == 0 ? none : early_[index - 1];
    }
    [[gnu::noinline]] constexpr void set_early(std::uint32_t number, bool member) noexcept {
        auto const index = early_at(number);
        if (index < early_.size() && early_[index] == number) is_member_[index] = member ? 1 : 0;
    }

    std::array<std::vector<word>, 6> levels_;  ///< 64^6 are all numbers; a level above one word is empty
    std::vector<std::uint32_t> early_;  ///< numbers below the base, ascending
    std::vector<unsigned char> is_member_;  ///< by place in that list
    std::uint32_t size_ = 0;
    std::uint32_t base_ = 0;
    std::uint32_t count_ = 0;  ///< numbers from the base on
};
using place_set = basic_place_set<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
