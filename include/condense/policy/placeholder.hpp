// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/edit.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

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
constexpr void append_omission(std::string& out, std::uint64_t missing, std::uint64_t total, std::string_view what, std::string_view way) {
    out.append("[... ").append(grouped(missing)).append(" of ").append(grouped(total)).append(" ");
    out.append(what).append(" omitted; ").append(way).append(" ...]");
}
constexpr void append_omission(std::string& out, std::uint64_t missing, std::uint64_t total, std::string_view what, recovery how) {
    append_omission(out, missing, total, what, way_back(how));
}
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what, std::string_view way) {
    std::string text;
    append_omission(text, missing, total, what, way);
    return text;
}
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what, recovery how) {
    return omission(missing, total, what, way_back(how));
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
    return text + ", " + grouped(in_all) + " of " + grouped(total) + " in all; " + way_back(how) + " ...]";
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

/// What stands above occurs again so often, which is all there is to know.
constexpr std::string repetition(std::uint64_t more) {
    return "[... " + grouped(more) + (more == 1 ? " more time ...]" : " more times ...]");
}

/// What is said of the whole of `text`, at most omission_limit bytes on one line: "[... 5,000 of 5,000
/// characters omitted; src/a.cpp was read again further on ...]". `name` comes from outside: its end is
/// kept as far as there is room, without what does not print.
constexpr std::string omission_of_all(std::string_view text, std::string_view name, std::string_view what_of_it,
                                      recovery how) {
    auto const total = grouped(utf8::count(text));
    auto const front = "[... " + total + " of " + total + " characters omitted; ";
    auto back = std::string{what_of_it};
    if (how) back += "; the whole is stored as " + how.stored.text();
    back += " ...]";
    auto const room = omission_limit - 2 - front.size() - back.size();
    name = name.substr(name.size() > room ? utf8::ceil(name, name.size() - room) : 0);
    std::string shown;
    append_printable(shown, name);
    if (shown.size() > room) shown.erase(0, utf8::ceil(shown, shown.size() - room));
    return front + shown + back;
}

/// "[image/png, 90,123 bytes, omitted; ask for it again if it is needed]"
constexpr std::string omission(std::string_view what, recovery how) {
    std::string text{"["};
    return text.append(what).append(", omitted; ").append(way_back(how, "ask for it again if it is needed")).append("]");
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
