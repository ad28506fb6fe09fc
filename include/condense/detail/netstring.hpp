// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Fields of arbitrary bytes in sequence, each as `size:bytes,`, read back exactly or not at all. For layers' memories
// and chat_message: the core has no JSON tree, text may be no UTF-8, and files and states written so far have this
// format.

namespace condense {
inline namespace v1 {
namespace detail {

inline void put_field(std::string& out, std::string_view field) {
    out.append(std::to_string(field.size())).append(1, ':').append(field).append(1, ',');
}
inline void put_field(std::string& out, std::uint64_t number) {
    put_field(out, std::string_view{std::to_string(number)});
}

/// Decimal digits without a sign; false for anything else, or more than 64 bits.
constexpr bool read_number(std::string_view digits, std::uint64_t& value) noexcept {
    if (digits.empty() || digits.size() > 20 || (digits.size() > 1 && digits[0] == '0')) return false;
    value = 0;
    for (char const digit : digits) {
        if (digit < '0' || digit > '9') return false;
        auto const more = static_cast<std::uint64_t>(digit - '0');
        if (value > (~std::uint64_t{0} - more) / 10) return false;
        value = value * 10 + more;
    }
    return true;
}

class field_reader {
public:
    explicit constexpr field_reader(std::string_view bytes) noexcept : rest_{bytes} {}

    constexpr bool done() const noexcept { return rest_.empty(); }
    /// True if some bytes were no field, or if there were too few fields.
    constexpr bool broken() const noexcept { return broken_; }

    constexpr std::string_view text() noexcept {
        auto const colon = rest_.find(':');
        std::uint64_t stated = 0;
        if (broken_ || colon == std::string_view::npos || !read_number(rest_.substr(0, colon), stated)) return fail();
        auto const after = rest_.substr(colon + 1);
        auto const wanted = stated;
        if (after.size() <= wanted) return fail();
        auto const size = static_cast<std::size_t>(wanted);
        if (after[size] != ',') return fail();
        rest_ = after.substr(size + 1);
        return after.substr(0, size);
    }
    /// A number of at most `most`.
    constexpr std::uint64_t number(std::uint64_t most) noexcept {
        std::uint64_t value = 0;
        if (!read_number(text(), value) || value > most) fail();
        return broken_ ? 0 : value;
    }

private:
    constexpr std::string_view fail() noexcept {
        broken_ = true;
        rest_ = {};
        return {};
    }

    std::string_view rest_;
    bool broken_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
