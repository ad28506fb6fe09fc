// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/detail/saturate.hpp>

// The mark, a small string in a user's message by which a later run recognises its own work: "summary", or
// "short.2,stored.0" for the parts with these indices. Anything else is ignored.

namespace condense {
inline namespace v1 {
namespace detail {

/// What an earlier run did to a part.
enum class earlier_edit : std::uint8_t { none, shortened, externalized };

/// Reads one mark. An empty or unknown one stands for no edit.
class mark_reader {
public:
    constexpr mark_reader() = default;
    explicit constexpr mark_reader(std::string mark) : mark_{std::move(mark)} {}

    /// True if the whole message is a summary.
    constexpr bool summary() const noexcept { return mark_ == "summary"; }

    /// The edit of the part with this index. Linear in the mark.
    constexpr earlier_edit edit_of(std::size_t part) const noexcept {
        return mark_.empty() ? earlier_edit::none : find(mark_, part);
    }

private:
    /// Ignores entries that it does not understand, so that later versions may add some.
    static constexpr earlier_edit find(std::string_view entries, std::size_t part) noexcept {
        while (!entries.empty()) {
            auto const entry = entries.substr(0, entries.find(','));
            entries.remove_prefix(entry.size() == entries.size() ? entries.size() : entry.size() + 1);
            auto const dot = entry.find('.');
            if (dot == std::string_view::npos || number(entry.substr(dot + 1)) != part) continue;
            if (entry.substr(0, dot) == "short") return earlier_edit::shortened;
            if (entry.substr(0, dot) == "stored") return earlier_edit::externalized;
        }
        return earlier_edit::none;
    }

    /// Decimal digits, nine at most; else the greatest value, which is the index of no part.
    static constexpr std::size_t number(std::string_view digits) noexcept {
        std::size_t value = 0;
        if (digits.empty() || digits.size() > 9) return ~std::size_t{0};
        for (char const digit : digits) {
            if (digit < '0' || digit > '9') return ~std::size_t{0};
            value = value * 10 + static_cast<std::size_t>(digit - '0');
        }
        return value;
    }

    std::string mark_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
