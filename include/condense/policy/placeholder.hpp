// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/edit.hpp>
#include <condense/detail/text.hpp>

// The words that stand where content was. They say how much is missing and how to have it back;
// nothing in the library ever decides anything by reading them.

namespace condense {
inline namespace v1 {

/// How left-out content can be had again; false where it was not stored.
struct recovery {
    reference stored = {};
    constexpr explicit operator bool() const noexcept { return static_cast<bool>(stored); }
};

namespace detail {

/// The longest that `omission` and the line breaks around it can be, in bytes.
inline constexpr std::size_t omission_limit = 192;

constexpr std::string way_back(recovery how) {
    if (how) return "the whole is stored as " + how.stored.text();
    return "run the tool again to see them";
}

/// "[... 44 of 300 lines omitted; run the tool again to see them ...]"
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what, recovery how) {
    auto text = "[... " + grouped(missing) + " of " + grouped(total) + " ";
    text.append(what).append(" omitted; ").append(way_back(how));
    return text + " ...]";
}

/// The longest that an `excerpt` marker is, of less than a terabyte.
inline constexpr std::size_t excerpt_limit = 144;

/// Without a way back, which is said once for the whole: "[... 150 of 250 characters omitted ...]"
constexpr std::string excerpt(std::uint64_t missing, std::uint64_t total, std::string_view what) {
    auto text = "[... " + grouped(missing) + " of " + grouped(total) + " ";
    return text.append(what).append(" omitted ...]");
}

/// "[... 7 of 10 keys omitted from 2,740 bytes; run the tool again to see them ...]", and where all are
/// there but not whole "[... values shortened, 3 keys from 2,740 bytes; run the tool again to see them ...]"
constexpr std::string excerpt(std::uint64_t missing, std::uint64_t total, std::string_view what, std::uint64_t size,
                              recovery how) {
    std::string text = "[... ";
    if (missing == 0) text.append("values shortened, ").append(grouped(total)).append(" ").append(what);
    else text.append(grouped(missing)).append(" of ").append(grouped(total)).append(" ").append(what).append(" omitted");
    text.append(" from ").append(grouped(size)).append(" bytes; ").append(way_back(how));
    return text + " ...]";
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
