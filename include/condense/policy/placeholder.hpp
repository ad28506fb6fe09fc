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

/// "[... 44 of 300 lines omitted; run the tool again to see them ...]"
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what, recovery how) {
    auto text = "[... " + grouped(missing) + " of " + grouped(total) + " ";
    text.append(what).append(" omitted; ");
    if (how) text += "the whole is stored as " + how.stored.text();
    else text += "run the tool again to see them";
    return text + " ...]";
}

/// One gap of several: "[... 37 lines omitted ...]", where `alike` of them, the first ones, resemble the
/// line above.
constexpr std::string gap(std::uint64_t missing, std::uint64_t alike) {
    auto const lines = [](std::uint64_t count) { return count == 1 ? " line" : " lines"; };
    if (alike == 0) return "[... " + grouped(missing) + lines(missing) + " omitted ...]";
    auto text = "[... " + grouped(alike) + " more" + lines(alike) + " like this";
    if (alike != missing) text += " and " + grouped(missing - alike) + " others";
    return text + " omitted ...]";
}

/// The first gap of several: "[... 37 lines omitted, 980 of 1,200 in all; run the tool again to see them ...]"
constexpr std::string gap(std::uint64_t missing, std::uint64_t alike, std::uint64_t in_all, std::uint64_t total, recovery how) {
    auto text = gap(missing, alike);
    text.resize(text.size() - std::string_view{" ...]"}.size());
    text += ", " + grouped(in_all) + " of " + grouped(total) + " in all; ";
    if (how) text += "the whole is stored as " + how.stored.text();
    else text += "run the tool again to see them";
    return text + " ...]";
}

/// What stands above occurs again so often, which is all there is to know.
constexpr std::string repetition(std::uint64_t more) {
    return "[... " + grouped(more) + (more == 1 ? " more time ...]" : " more times ...]");
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
