// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <condense/core/quantity.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

// Limits of text: one size, or several that hold at once, 128_lines && 10'240_bytes, or a share of the window, 5_pct;
// and the size above which a layer acts on a part, which may also be 20'000_tokens.

namespace condense {
inline namespace v1 {

/// Limits in the units of text: code points, bytes of UTF-8, and lines; and a share of what a request may hold, which a
/// text alone cannot tell: within() makes bytes of it, before that it does not bind. An unset limit does not bind;
/// converts from each unit, and from a share above 0 and up to 100 %.
struct text_limit {
    v1::chars chars = {detail::u64_limit};
    v1::bytes bytes = {detail::u64_limit};
    v1::lines lines = {detail::u64_limit};
    percent share = {detail::none32};

    constexpr text_limit() = default;
    constexpr text_limit(v1::chars limit) noexcept : chars{limit} {}
    constexpr text_limit(v1::bytes limit) noexcept : bytes{limit} {}
    constexpr text_limit(v1::lines limit) noexcept : lines{limit} {}
    constexpr text_limit(percent limit) : share{limit} {
        detail::reject_unless(limit.basis_points != 0 && limit.basis_points <= percent::one_hundred,
                              "condense: text_limit: a share must be above 0 and at most 100 % of the input (see "
                              "text_limit)");
    }

    /// True if any limit is set.
    constexpr bool bounded() const noexcept { return *this != text_limit{}; }
    constexpr bool by_lines() const noexcept { return lines.count != detail::u64_limit; }
    constexpr bool by_share() const noexcept { return share.basis_points != detail::none32; }

    /// Every limit that is set, halved `times` times.
    constexpr text_limit halved(unsigned times) const noexcept {
        text_limit reduced = *this;
        for (auto* const count : {&reduced.chars.count, &reduced.bytes.count, &reduced.lines.count})
            if (*count != detail::u64_limit) *count >>= times < 63 ? times : 63;
        if (by_share()) reduced.share.basis_points >>= times < 31 ? times : 31;
        return reduced;
    }

    /// The share in bytes, where the input would hold `window` bytes of such text.
    constexpr text_limit within(v1::bytes window) const noexcept {
        if (!by_share() || window.count == detail::u64_limit) return *this;
        text_limit sized = *this;
        sized.share = {detail::none32};
        if (auto const size = share.of(window); size < bytes) sized.bytes = size;
        return sized;
    }

    /// The length in bytes of the longest beginning of `text` within all limits; lines include their line break. With
    /// `ascii` limits in characters need no look at the text.
    constexpr std::size_t prefix_of(std::string_view text, bool ascii = false) const noexcept {
        auto end = text.size();
        if (bytes.count < end) end = detail::utf8::floor(text, static_cast<std::size_t>(bytes.count));
        if (chars.count < end)
            end =
                ascii ? static_cast<std::size_t>(chars.count) : detail::utf8::prefix(text.substr(0, end), chars.count);
        if (by_lines()) {
            std::size_t offset = 0;
            for (auto remaining = lines.count; remaining != 0 && offset < end; --remaining) {
                auto const stop = text.find('\n', offset);
                offset = stop == std::string_view::npos ? text.size() : stop + 1;
            }
            end = offset < end ? offset : end;
        }
        return end;
    }

    /// Where the longest end of `text` within all limits begins.
    constexpr std::size_t suffix_of(std::string_view text, bool ascii = false) const noexcept {
        std::size_t begin = 0;
        if (bytes.count < text.size())
            begin = detail::utf8::ceil(text, text.size() - static_cast<std::size_t>(bytes.count));
        if (chars.count < text.size() - begin)
            begin = ascii ? text.size() - static_cast<std::size_t>(chars.count)
                          : begin + detail::utf8::suffix(text.substr(begin), chars.count);
        if (by_lines()) {
            auto offset = text.size();
            for (auto remaining = lines.count; remaining != 0 && offset > begin; --remaining) {
                auto const stop = offset < 2 ? std::string_view::npos : text.rfind('\n', offset - 2);
                offset = stop == std::string_view::npos ? 0 : stop + 1;
            }
            begin = offset > begin ? offset : begin;
        }
        return begin;
    }

    /// True if the text is within all limits; equality is within. Reads no more than the limits let through.
    constexpr bool holds(std::string_view text, bool ascii = false) const noexcept {
        return prefix_of(text, ascii) == text.size();
    }

    friend constexpr bool operator==(text_limit const&, text_limit const&) = default;
    /// Both at once: the smaller limit in each unit.
    friend constexpr text_limit operator&&(text_limit left, text_limit right) noexcept {
        if (right.chars < left.chars) left.chars = right.chars;
        if (right.bytes < left.bytes) left.bytes = right.bytes;
        if (right.lines < left.lines) left.lines = right.lines;
        if (right.share < left.share) left.share = right.share;
        return left;
    }
};

/// The size above which a layer acts on a part: of its text, or in tokens or as a share of what a request may hold,
/// both measured as used() is, including what a part costs beside its text. Parts within all limits that are set are
/// left alone.
struct part_limit {
    text_limit text = {};
    v1::tokens tokens = {detail::u64_limit};

    constexpr part_limit() = default;
    constexpr part_limit(text_limit limit) noexcept : text{limit} {}
    constexpr part_limit(v1::tokens limit) noexcept : tokens{limit} {}
    template <class Size>
        requires std::convertible_to<Size, text_limit>
    constexpr part_limit(Size limit) : text{limit} {}

    constexpr bool bounded() const noexcept { return *this != part_limit{}; }
    /// As for a text_limit, tokens included.
    constexpr part_limit halved(unsigned times) const noexcept {
        part_limit reduced{text.halved(times)};
        reduced.tokens.count =
            tokens.count == detail::u64_limit ? tokens.count : tokens.count >> (times < 63 ? times : 63);
        return reduced;
    }
    /// The cost above which a part is over the limit in tokens, or over the share of a budget that leaves room for an
    /// input.
    template <class Reader>
    constexpr cost most_cost(Reader const& reader) const noexcept {
        auto most = tokens;
        if (text.by_share() && reader.limits().is_possible())
            if (auto const share = text.share.of(reader.limits().input()); share < most) most = share;
        return most.count == detail::u64_limit ? cost{most.count} : reader.within(most);
    }
    /// The limit of the text for a part of this cost: 0 characters if the part is over most_cost().
    template <class Reader>
    constexpr text_limit of_text(cost part_cost, Reader const& reader) const noexcept {
        return part_cost > most_cost(reader) ? text_limit{v1::chars{0}} : text;
    }

    friend constexpr bool operator==(part_limit const&, part_limit const&) = default;
    /// A part is over the limit if it exceeds one of them.
    friend constexpr part_limit operator&&(part_limit left, part_limit const& right) noexcept {
        left.text = left.text && right.text;
        if (right.tokens < left.tokens) left.tokens = right.tokens;
        return left;
    }
};

/// `10'000_chars && 5_pct`, `10'000_chars && 2'000_tokens`: a text_limit, or with tokens a part_limit.
template <std::convertible_to<part_limit> Left, std::convertible_to<part_limit> Right>
constexpr auto operator&&(Left left, Right right) {
    constexpr bool of_text = std::convertible_to<Left, text_limit> && std::convertible_to<Right, text_limit>;
    using limit = std::conditional_t<of_text, text_limit, part_limit>;
    return limit(left) && limit(right);
}

namespace detail {

/// Finds by size and cost alone which parts of an outline may be over a limit, so that no text of others is read.
struct large_parts {
    part_limit over = {};
    std::uint64_t least_size = 0;  ///< of a text, in bytes
    cost most_cost = {u64_limit};

    template <class Reader>
    static constexpr large_parts of(part_limit const& over, Reader const& reader) noexcept {
        auto const& text = over.text;
        auto const most = text.chars.count < text.bytes.count ? text.chars.count : text.bytes.count;
        return {
            .over = over, .least_size = text.by_lines() ? 0 : add_capped(most, 1), .most_cost = over.most_cost(reader)};
    }
    constexpr bool may_hold(auto const& part) const noexcept {
        return part.size >= least_size || (part.cost > most_cost && part.size != 0);
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
