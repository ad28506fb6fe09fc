// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/saturate.hpp>

// Fields of arbitrary bytes in sequence, each as `size:bytes,` (a netstring), read back exactly or not at all. For
// layers' memories and chat_message: the core has no JSON tree, text may not be UTF-8, and existing files have this
// format.

namespace condense {
inline namespace v1 {
namespace detail {

/// Appends a field.
inline void put_field(std::string& out, std::string_view field) {
    out.append(std::to_string(field.size())).append(1, ':').append(field).append(1, ',');
}
inline void put_field(std::string& out, std::uint64_t number) {
    put_field(out, std::string_view{std::to_string(number)});
}

/// Reads decimal digits without a sign or leading zeros; false for anything else, or more than 64 bits.
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

/// Reads fields in order. After the first error all fields are empty or 0, so that callers check broken() once, at the
/// end. Views into the bytes that it was given.
class field_reader {
public:
    explicit constexpr field_reader(std::string_view bytes) noexcept : rest_{bytes} {}

    /// True after the last field, or an error.
    constexpr bool done() const noexcept { return rest_.empty(); }
    /// True if some bytes were no field, or if more fields were read than there are.
    constexpr bool broken() const noexcept { return broken_; }
    /// The bytes of which no field has been read.
    constexpr std::string_view rest() const noexcept { return rest_; }

    /// The bytes of the next field.
    constexpr std::string_view text() noexcept {
        auto const colon = rest_.find(':');
        std::uint64_t stated = 0;
        if (broken_ || colon == std::string_view::npos || !read_number(rest_.substr(0, colon), stated)) return fail();
        auto const field = rest_.substr(colon + 1);
        if (field.size() <= stated) return fail();
        auto const size = as_size(stated);
        if (field[size] != ',') return fail();
        rest_ = field.substr(size + 1);
        return field.substr(0, size);
    }
    /// The next field as a number of at most `most`; a greater one is an error.
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
