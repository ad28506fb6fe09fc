// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <condense/detail/ascii.hpp>
#include <condense/estimate/model_name.hpp>

// Families of models that share a tokenizer, as compile-time tags, and the conversion of a model's name at run time to
// such a tag.

namespace condense {
inline namespace v1 {

namespace family {

struct claude {};      ///< up to Opus 4.6, Sonnet 4.6 and Haiku 4.5
struct claude_4_7 {};  ///< from Opus 4.7 on, where the same text has 1.0 to 1.47 times as many tokens
struct gpt {};  ///< GPT-4o and later, which share o200k_base; older ones need more tokens outside of Latin script
struct kimi {};
struct gemini {};  ///< and Gemma, by whose vocabulary both are estimated
struct other {};  ///< every model not named above

}  // namespace family

/// The families as values, for names known only at run time.
enum class model_family : std::uint8_t { other, claude, claude_4_7, gpt, kimi, gemini };

/// The name of the tag, such as "claude_4_7".
constexpr std::string_view name(model_family which) noexcept {
    switch (which) {
        case model_family::claude: return "claude";
        case model_family::claude_4_7: return "claude_4_7";
        case model_family::gpt: return "gpt";
        case model_family::kimi: return "kimi";
        case model_family::gemini: return "gemini";
        case model_family::other: break;
    }
    return "other";
}

namespace detail {

/// True if `name` is `prefix`, in letters of either case, or continues it with anything but a letter: "gpt-4o" is of
/// "gpt", "gptx" is not.
constexpr bool of_family(std::string_view name, std::string_view prefix) noexcept {
    if (name.size() < prefix.size()) return false;
    for (std::size_t index = 0; index < prefix.size(); ++index)
        if (lowered(name[index]) != prefix[index]) return false;
    return name.size() == prefix.size() || !is_letter(name[prefix.size()]);
}

/// OpenAI's names without "gpt": "o1", "o3-mini".
constexpr bool is_openai_reasoner(std::string_view name) noexcept {
    return name.size() >= 2 && lowered(name[0]) == 'o' && name[1] >= '1' && name[1] <= '9' &&
           (name.size() == 2 || name[2] == '-');
}

/// The version in a name: 47 of "claude-opus-4-7", 30 of "claude-3-opus", 0 for none. Numbers of more than two digits
/// are dates.
constexpr std::uint32_t version_of(std::string_view name) noexcept {
    std::uint32_t version = 0;
    bool has_first = false;
    for (std::size_t position = 0; position < name.size();) {
        auto const digits = count_digits(name.substr(position));
        if (digits == 0) {
            if (has_first && name[position] != '-' && name[position] != '.' && name[position] != '_') break;
            ++position;
            continue;
        }
        if (digits > 2) break;  // a date such as 20251101, or a size such as 405b
        std::uint32_t number = 0;
        for (auto const digit : name.substr(position, digits))
            number = number * 10 + static_cast<std::uint32_t>(digit - '0');
        if (has_first) return version + (number < 9 ? number : 9);
        version = number * 10;
        has_first = true;
        position += digits;
    }
    return version;
}

}  // namespace detail

/// The family of a model by its name: "claude-sonnet-4-5", "gpt-4o", "kimi-k2", "gemini-2.5-flash", also after a
/// provider's ("anthropic/claude-…", "us.anthropic.claude-…-v1:0"). Unknown and empty names are other.
constexpr model_family family_of(std::string_view model) noexcept {
    auto const name = detail::bare(model).name;
    if (detail::of_family(name, "claude"))
        return detail::version_of(name) >= 47 ? model_family::claude_4_7 : model_family::claude;
    if (detail::of_family(name, "gpt") || detail::of_family(name, "chatgpt") || detail::is_openai_reasoner(name))
        return model_family::gpt;
    if (detail::of_family(name, "kimi") || detail::of_family(name, "moonshot")) return model_family::kimi;
    if (detail::of_family(name, "gemini") || detail::of_family(name, "gemma")) return model_family::gemini;
    return model_family::other;
}

/// Calls `visit` with the tag of the family and returns its result, of one type for all tags. Choose once, at the
/// edge of a program: code inside `visit` is compiled for each family, without a branch per text.
template <class Visitor>
constexpr decltype(auto) with_family(model_family which, Visitor&& visit) {
    switch (which) {
        case model_family::claude: return visit(family::claude{});
        case model_family::claude_4_7: return visit(family::claude_4_7{});
        case model_family::gpt: return visit(family::gpt{});
        case model_family::kimi: return visit(family::kimi{});
        case model_family::gemini: return visit(family::gemini{});
        case model_family::other: break;
    }
    return visit(family::other{});
}
/// As above, for the family that `family_of` finds for a model's name.
template <class Visitor>
constexpr decltype(auto) with_family(std::string_view model, Visitor&& visit) {
    return with_family(family_of(model), std::forward<Visitor>(visit));
}

}  // namespace v1
}  // namespace condense
