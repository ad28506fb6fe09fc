// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>

// Keys of parts, such as the path of the file that a call reads: a callable from a part_view to a text or an optional
// text. An empty text is no key.

namespace condense {
inline namespace v1 {
namespace detail {

/// The key as a string of its own, empty if there is none.
template <class Key>
constexpr std::string key_of(Key const& key, part_view const& part) {
    auto text = key(part);
    if constexpr (std::convertible_to<decltype(text), std::string_view>) return std::string{std::string_view{text}};
    else return text ? std::string{std::string_view{*text}} : std::string{};
}

/// A text, or an optional one.
template <class Text>
concept key_text = std::convertible_to<Text, std::string_view> || requires(Text const& text) {
    static_cast<bool>(text);
    { *text } -> std::convertible_to<std::string_view>;
};

}  // namespace detail

/// A callable on part_view that returns a type that converts to std::string_view, or an optional of one. It must return
/// equal keys for equal parts; what it returns need live only until it is copied.
template <class Key>
concept part_key = requires(Key const& key, part_view const& part) {
    { key(part) } -> detail::key_text;
};

}  // namespace v1
}  // namespace condense
