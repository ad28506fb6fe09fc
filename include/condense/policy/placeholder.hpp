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

/// "[... 44 of 300 lines omitted; run the tool again to see them ...]". `otherwise` is said where nothing
/// is stored.
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what, recovery how,
                               std::string_view otherwise = "run the tool again to see them") {
    auto text = "[... " + grouped(missing) + " of " + grouped(total) + " ";
    text.append(what).append(" omitted; ");
    if (how) text += "the whole is stored as " + how.stored.text();
    else text += otherwise;
    return text + " ...]";
}

/// "[image/png, 90,123 bytes, omitted; ask for it again if it is needed]"
constexpr std::string omission(std::string_view what, recovery how) {
    std::string text{"["};
    text.append(what).append(", omitted; ");
    if (how) text += "the whole is stored as " + how.stored.text();
    else text += "ask for it again if it is needed";
    return text + "]";
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
