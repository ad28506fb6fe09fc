// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>

// What tells one thing from another in a conversation: a callable on a part_view that gives a text, or an
// optional one. An empty text is none.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Key>
constexpr std::string key_of(Key const& key, part_view const& part) {
    auto made = key(part);
    if constexpr (std::convertible_to<decltype(made), std::string_view>) return std::string{std::string_view{made}};
    else return made ? std::string{std::string_view{*made}} : std::string{};
}

template <class Text>
concept key_text = std::convertible_to<Text, std::string_view> || requires(Text const& text) {
    static_cast<bool>(text);
    { *text } -> std::convertible_to<std::string_view>;
};

}  // namespace detail

/// `key(part_view)` gives something that reads as std::string_view, or an optional of that.
template <class Key>
concept part_key = requires(Key const& key, part_view const& part) {
    { key(part) } -> detail::key_text;
};

}  // namespace v1
}  // namespace condense
