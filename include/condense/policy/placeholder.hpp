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

/// `otherwise` is said where nothing is stored.
constexpr std::string way_back(recovery how, std::string_view otherwise = "run the tool again to see them") {
    if (how) return "the whole is stored as " + how.stored.text();
    return std::string{otherwise};
}

/// "[... 44 of 300 lines omitted; run the tool again to see them ...]"
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what, std::string_view way) {
    auto text = "[... " + grouped(missing) + " of " + grouped(total) + " ";
    return text.append(what).append(" omitted; ").append(way).append(" ...]");
}
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what, recovery how) {
    return omission(missing, total, what, way_back(how));
}

/// "[image/png, 90,123 bytes, omitted; ask for it again if it is needed]"
constexpr std::string omission(std::string_view what, recovery how) {
    std::string text{"["};
    return text.append(what).append(", omitted; ").append(way_back(how, "ask for it again if it is needed")).append("]");
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
