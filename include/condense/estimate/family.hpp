// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>
#include <utility>

#include <condense/detail/ascii.hpp>

// Families of models that share a tokenizer, as compile-time tags, and the one place where a model
// name that is only known at run time becomes one.

namespace condense {
inline namespace v1 {

namespace family {

struct claude {};
struct gpt {};
struct kimi {};
struct gemini {};
struct other {};

}  // namespace family

namespace detail {

/// `name` is `prefix` or begins with it and then something that is not a letter.
constexpr bool of_family(std::string_view name, std::string_view prefix) noexcept {
    if (name.substr(0, prefix.size()) != prefix) return false;
    if (name.size() == prefix.size()) return true;
    return !is_letter(name[prefix.size()]);
}

constexpr bool is_openai_reasoner(std::string_view name) noexcept {
    return name.size() >= 2 && name[0] == 'o' && name[1] >= '1' && name[1] <= '9' &&
           (name.size() == 2 || name[2] == '-');
}

}  // namespace detail

/// Calls `visit` with the tag of the family that a model's name shows: "claude-sonnet-4-5", "gpt-4o",
/// "kimi-k2", "gemini-2.5-flash", also behind a provider ("anthropic/claude-…"). Unknown and empty
/// names are family::other. Give the estimator a type once, here, and not in every call.
template <class Visitor>
constexpr decltype(auto) with_family(std::string_view model, Visitor&& visit) {
    if (auto const slash = model.rfind('/'); slash != std::string_view::npos) model.remove_prefix(slash + 1);
    if (detail::of_family(model, "claude")) return visit(family::claude{});
    if (detail::of_family(model, "gpt") || detail::of_family(model, "chatgpt") || detail::is_openai_reasoner(model))
        return visit(family::gpt{});
    if (detail::of_family(model, "kimi") || detail::of_family(model, "moonshot")) return visit(family::kimi{});
    if (detail::of_family(model, "gemini")) return visit(family::gemini{});
    return visit(family::other{});
}

}  // namespace v1
}  // namespace condense
