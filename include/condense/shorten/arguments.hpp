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

// What shorteners of tool calls share: for which tools they are, and how one string of the arguments
// is cut.

namespace condense {
inline namespace v1 {

/// Every tool; in place of tools("write_file", "edit_*").
struct any_tool_t {
    constexpr bool holds(part_view const&) const noexcept { return true; }
    friend constexpr bool operator==(any_tool_t, any_tool_t) = default;
};
inline constexpr any_tool_t any_tool{};

namespace detail {

/// Says of a part whether it is of one of the tools that are meant.
template <class Tools>
concept tool_choice = requires(Tools const& chosen, part_view const& part) { static_cast<bool>(chosen.holds(part)); };

/// Keeps the beginning of a string that is over a limit, and says how much is gone.
class string_cutter {
public:
    /// `otherwise` says how the rest can be had where it is not stored; it has to live as long.
    constexpr string_cutter(std::uint64_t keep, std::uint64_t limit, recovery how, std::string_view otherwise)
        : keep_{keep}, how_{how}, otherwise_{otherwise} {
        // What a marker takes with the largest figures: what was cut is then never cut again.
        auto const most =
            add_capped(keep, utf8::count(marker({999'999'999'999'999, 999'999'999'999'999, how.shortened})) + 1);
        limit_ = limit < most ? most : limit;
    }

    /// A string of a JSON text, as it is spelt and without its quotes.
    constexpr std::optional<std::string> operator()(std::string_view spelt) const {
        if (spelt.size() <= limit_) return std::nullopt;
        auto const total = json::count_spelt(spelt);
        if (total <= limit_) return std::nullopt;
        std::string out{spelt.substr(0, json::prefix_spelt(spelt, keep_))};
        json::append_escaped(out, marker(left_of(spelt, total)));
        return out;
    }
    /// A text by itself, of any bytes; its marker stands on a line of its own.
    constexpr std::optional<std::string> plain(std::string_view text) const {
        if (text.size() <= limit_) return std::nullopt;
        std::string clean;
        utf8::append_scrubbed(clean, text);
        auto const total = utf8::count(clean);
        if (total <= limit_) return std::nullopt;
        auto const count = left_of(clean, total);
        clean.resize(utf8::prefix(clean, keep_));
        if (!clean.empty() && clean.back() != '\n') clean.push_back('\n');
        clean.append(marker(count));
        if (clean.size() >= text.size()) return std::nullopt;
        return clean;
    }
    /// The longest that is left alone, in characters.
    constexpr std::uint64_t limit() const noexcept { return limit_; }

private:
    constexpr std::string marker(omitted const& count) const {
        std::string text;
        append_omission(text, count, "characters", way_back(how_, otherwise_));
        return text;
    }
    /// With the figures of an earlier cut, whose marker is the end of the text.
    constexpr omitted left_of(std::string_view text, std::uint64_t total) const {
        auto const earlier = find_cut(text, "characters", total);
        if (!earlier || earlier->end != text.size())
            return {total - keep_, total, earlier || (how_.shortened && text.find(opening) != std::string_view::npos)};
        return {earlier->count.total - keep_, earlier->count.total, earlier->count.of_rest};
    }

    std::uint64_t keep_;
    std::uint64_t limit_ = 0;
    recovery how_;
    std::string_view otherwise_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
