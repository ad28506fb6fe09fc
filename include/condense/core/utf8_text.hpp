// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// Texts of message types, whatever their string class: `as_utf8(m.text)` reads a std::string, std::u8string or
// std::pmr::string without copying, `assign_utf8(m.text, text)` writes it.

namespace condense {
inline namespace v1 {

/// Text in UTF-8 that can be read as a std::string_view: what converts to std::string_view or std::u8string_view.
template <class Text>
concept utf8_text =
    std::convertible_to<Text const&, std::string_view> || std::convertible_to<Text const&, std::u8string_view>;

namespace detail {

/// Takes a range of char, as every std::basic_string does; views do not.
template <class Text>
concept assigns_range = requires(Text& text, std::string const& from) { text.assign(from.begin(), from.end()); };

/// A view would refer to a string that is gone.
template <class Text>
concept takes_string = std::assignable_from<Text&, std::string> && !std::same_as<Text, std::string_view>;

}  // namespace detail

/// Text that can also be written.
template <class Text>
concept assignable_utf8_text = utf8_text<Text> && (detail::takes_string<Text> || detail::assigns_range<Text>);

namespace detail {

struct as_utf8_fn {
    template <utf8_text Text>
    constexpr std::string_view operator()(Text const& text) const {
        if constexpr (std::convertible_to<Text const&, std::string_view>) return text;
        else {
            std::u8string_view const view = text;
            return {reinterpret_cast<char const*>(view.data()), view.size()};  // char may alias any type
        }
    }
};

struct assign_utf8_fn {
    template <assignable_utf8_text Text>
    constexpr void operator()(Text& text, std::string value) const {
        if constexpr (takes_string<Text>) text = std::move(value);
        else text.assign(value.begin(), value.end());
    }
};

}  // namespace detail

/// `as_utf8(text)`: the bytes of a text, which it refers to. Of a std::u8string not in constant expressions.
inline constexpr detail::as_utf8_fn as_utf8{};
/// `assign_utf8(text, value)`: writes a text; a std::pmr::string keeps its allocator.
inline constexpr detail::assign_utf8_fn assign_utf8{};

}  // namespace v1
}  // namespace condense
