// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/shorten/placeholder.hpp>

// Shared by shorteners of tool calls: the choice of tools, and the cutting of one string of the arguments.

namespace condense {
inline namespace v1 {

/// Every tool: the default where a shortener takes a choice such as tools("write_file", "edit_*").
struct any_tool_t {
    constexpr bool holds(part_view const&) const noexcept { return true; }
    friend constexpr bool operator==(any_tool_t, any_tool_t) = default;
};
inline constexpr any_tool_t any_tool{};

namespace detail {

/// A predicate: true for parts of the chosen tools.
template <class Tools>
concept tool_choice = requires(Tools const& tools, part_view const& part) { static_cast<bool>(tools.holds(part)); };

/// Keeps the beginning of a string that is over a limit, with a marker that says how much is missing and how to get the
/// rest back. A string that it has cut is within its limit, so cutting again changes nothing.
class string_cutter {
public:
    /// `fallback`: how to get the rest back if it is not stored; must outlive the cutter.
    constexpr string_cutter(std::uint64_t keep, std::uint64_t limit, recovery origin, std::string_view fallback)
        : keep_{keep}, origin_{origin}, fallback_{fallback} {
        // The size of a cut string with the largest figures in its marker, so that a cut string is never cut again.
        auto const marker_end =
            add_capped(keep, utf8::count(marker({999'999'999'999'999, 999'999'999'999'999, origin.shortened})) + 1);
        limit_ = limit < marker_end ? marker_end : limit;
    }

    /// Cuts a string of a JSON text, given as spelt there, without its quotes; an escape counts as one character and is
    /// never cut through. Nothing if the string is within the limit.
    constexpr std::optional<std::string> operator()(std::string_view json_text) const {
        if (json_text.size() <= limit_) return std::nullopt;
        auto const total = json::count_spelt(json_text);
        if (total <= limit_) return std::nullopt;
        std::string result{json_text.substr(0, json::prefix_spelt(json_text, keep_))};
        json::append_escaped(result, marker(remainder(json_text, total)));
        return result;
    }
    /// Cuts a text of any bytes; ill-formed ones are replaced, and the marker gets a line of its own. Nothing if that
    /// would not make it shorter.
    constexpr std::optional<std::string> plain(std::string_view text) const {
        if (text.size() <= limit_) return std::nullopt;
        std::string clean;
        if (!utf8::valid(text)) clean = utf8::scrubbed_copy(text);
        auto const source = clean.empty() ? text : std::string_view{clean};
        auto const total = utf8::count(source);
        if (total <= limit_) return std::nullopt;
        std::string result{source.substr(0, utf8::prefix(source, keep_))};
        if (!result.empty() && result.back() != '\n') result.push_back('\n');
        result.append(marker(remainder(source, total)));
        if (result.size() >= text.size()) return std::nullopt;
        return result;
    }
    /// The longest string that is left alone, in characters.
    constexpr std::uint64_t limit() const noexcept { return limit_; }

private:
    /// The fallback stands only where neither a store nor a journal has the original.
    constexpr std::string marker(omitted const& count) const {
        std::string text;
        append_omission(text, count, "characters", way_back(origin_, fallback_));
        return text;
    }
    /// The figures for a marker. Includes those of an earlier cut whose marker ends the text.
    constexpr omitted remainder(std::string_view text, std::uint64_t total) const {
        auto const earlier = find_cut(text, "characters", total);
        if (!earlier || earlier->end != text.size())
            return {total - keep_, total,
                    earlier || (origin_.shortened && text.find(opening) != std::string_view::npos)};
        return {earlier->count.total - keep_, earlier->count.total, earlier->count.of_rest};
    }

    std::uint64_t keep_;
    std::uint64_t limit_ = 0;
    recovery origin_;
    std::string_view fallback_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
