// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <condense/detail/ascii.hpp>

// Removes what providers add to a model's name: "anthropic/claude-…" by gateways, "us.anthropic.claude-…-v1:0"
// by Bedrock, "claude-…@20251101" by Vertex, and finds the date that makers put behind it. Views into the name given.

namespace condense {
inline namespace v1 {
namespace detail {

/// The names that may precede a slash: makers, and the clouds and gateways that serve models under their makers' names.
inline constexpr char known_providers[] =
    "accounts alibaba anthropic azure azure_ai bedrock converse dashscope deepseek deepseek-ai fireworks fireworks_ai "
    "gemini google "
    "litellm_proxy meta meta-llama mistral mistralai models moonshot moonshotai openai openrouter publishers qwen "
    "vercel_ai_gateway "
    "vertex_ai";
/// The regions and the makers that Bedrock puts before a name, each with a dot behind it.
inline constexpr char known_regions[] = "apac au ca eu global in jp sa uk us us-gov";
inline constexpr char known_makers[] = "anthropic deepseek google meta mistral moonshot moonshotai openai qwen";

/// A name without what providers add to it.
struct bare_name {
    std::string_view name = {};
    bool listed = true;  ///< every provider before it is one of known_providers
};

/// How many digits `text` begins with.
constexpr std::size_t count_digits(std::string_view text) noexcept {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    return count;
}

/// Removes "-v1:0", "-v2" or "-1:0" at the end, as Bedrock has it. A name with more behind it, such as ":200k", stays
/// as it is, because that is a model with another window.
constexpr std::string_view without_version(std::string_view name) noexcept {
    auto const dash = name.rfind('-');
    if (dash == name.npos) return name;
    auto rest = name.substr(dash + 1);
    bool const marked = !rest.empty() && rest[0] == 'v';
    if (marked) rest.remove_prefix(1);
    auto const first = count_digits(rest);
    rest.remove_prefix(first);
    bool const numbered =
        !rest.empty() && rest[0] == ':' && count_digits(rest.substr(1)) == rest.size() - 1 && rest.size() > 1;
    return first != 0 && (numbered || (marked && rest.empty())) ? name.substr(0, dash) : name;
}

/// Removes providers before slashes, Bedrock's region, maker and version, and Vertex's "@…" with a date, "default" or
/// "latest". A date behind a hyphen stays: see date_behind.
constexpr bare_name bare(std::string_view name) noexcept {
    bare_name result;
    for (auto slash = name.find('/'); slash != name.npos; slash = name.find('/')) {
        result.listed = result.listed && is_one_of(name.substr(0, slash), known_providers);
        name.remove_prefix(slash + 1);
    }
    auto rest = name;
    if (auto const dot = rest.find('.'); dot != rest.npos && is_one_of(rest.substr(0, dot), known_regions))
        rest.remove_prefix(dot + 1);
    if (auto const dot = rest.find('.'); dot != rest.npos && is_one_of(rest.substr(0, dot), known_makers))
        name = without_version(rest.substr(dot + 1));
    if (auto const sign = name.find('@'); sign != name.npos) {
        auto const version = name.substr(sign + 1);
        if (is_one_of(version, "default latest") || (version.size() == 8 && count_digits(version) == 8))
            name = name.substr(0, sign);
    }
    result.name = name;
    return result;
}

/// True if the names differ at most in the case of letters and in a dot for a hyphen between digits: gateways
/// write "claude-opus-4.5" and "llama-3-1-8b" for what makers call "claude-opus-4-5" and "llama-3.1-8b".
constexpr bool same_name(std::string_view left, std::string_view right) noexcept {
    if (left.size() != right.size()) return false;
    auto const normal = [](std::string_view text, std::size_t index) {
        bool const between_digits =
            index != 0 && index + 1 < text.size() && is_digit(text[index - 1]) && is_digit(text[index + 1]);
        return text[index] == '.' && between_digits ? '-' : lowered(text[index]);
    };
    for (std::size_t index = 0; index < left.size(); ++index)
        if (normal(left, index) != normal(right, index)) return false;
    return true;
}

/// The date at the end with its hyphen, "-20251101" or "-2025-11-01"; empty without one. Years 2000 to 2099, so that
/// other numbers of eight digits are not taken for dates.
constexpr std::string_view date_behind(std::string_view name) noexcept {
    auto const is_date = [](std::string_view text) {
        std::uint32_t figures[8] = {};
        std::size_t count = 0;
        for (char const byte : text)
            if (is_digit(byte) && count < 8) figures[count++] = static_cast<std::uint32_t>(byte - '0');
        auto const month = figures[4] * 10 + figures[5];
        auto const day = figures[6] * 10 + figures[7];
        return count == 8 && figures[0] == 2 && figures[1] == 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
    };
    if (name.size() > 9) {
        auto const tail = name.substr(name.size() - 9);
        if (tail[0] == '-' && count_digits(tail.substr(1)) == 8 && is_date(tail)) return tail;
    }
    if (name.size() > 11) {
        auto const tail = name.substr(name.size() - 11);
        if (tail[0] == '-' && tail[5] == '-' && tail[8] == '-' && count_digits(tail.substr(1)) == 4 &&
            count_digits(tail.substr(6)) == 2 && count_digits(tail.substr(9)) == 2 && is_date(tail))
            return tail;
    }
    return {};
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
