// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/shorten/shortener.hpp>

// Removes white space from JSON: first_of(json_minify{}, json_sample{}, head_tail{}).

namespace condense {
inline namespace v1 {

namespace detail::json {

/// True if there must be a comma between two tokens. The colon is written with its key.
constexpr bool needs_comma(token previous, token kind) noexcept {
    return previous != token::done && previous != token::key && !opens(previous) && kind != token::close;
}

/// Appends the JSON text without the white space between its tokens. False if it is not JSON or longer than
/// `size_limit` bytes; a part of it is appended then.
constexpr bool append_minified(std::string& out, std::string_view text,
                               std::size_t size_limit = std::string_view::npos) {
    auto const limit =
        size_limit > std::string_view::npos - out.size() ? std::string_view::npos : out.size() + size_limit;
    scanner scan{text};
    auto previous = token::done;
    for (;;) {
        auto const kind = scan.next();
        if (kind >= token::done) return kind == token::done;
        if (needs_comma(previous, kind)) out.push_back(',');
        out.append(scan.text());
        if (kind == token::key) out.push_back(':');
        if (out.size() > limit) return false;
        previous = kind;
    }
}

}  // namespace detail::json

/// Removes the white space between tokens, whose spelling and order stay. Loses nothing, so it writes no marker. Leaves
/// text alone that is not JSON. Costs one pass over the text and a copy of it.
struct json_minify {
    static constexpr part_kinds applies_to = part_kind::tool_result;

    constexpr std::optional<std::string> operator()(part_view const& part, cut) const {
        std::string out;
        out.reserve(part.text.size());
        if (!detail::json::append_minified(out, part.text) || out.size() >= part.text.size()) return std::nullopt;
        return out;
    }
    friend constexpr bool operator==(json_minify const&, json_minify const&) = default;
};

}  // namespace v1
}  // namespace condense
