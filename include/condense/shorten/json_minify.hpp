// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/shorten/shortener.hpp>

// Takes the white space out of JSON: first_of(json_minify{}, json_sample{}, head_tail{}).

namespace condense {
inline namespace v1 {

namespace detail::json {

/// Between two tokens: the comma that must stand there. The colon comes with its key.
constexpr bool wants_comma(token before, token now) noexcept {
    return before != token::done && before != token::key && !opens(before) && now != token::close;
}

/// Appends the JSON text without the white space between its tokens; false where it is not JSON or
/// more than `most` bytes would be appended, after having appended a part of it.
constexpr bool append_minified(std::string& out, std::string_view text, std::size_t most = std::string_view::npos) {
    auto const limit = most > std::string_view::npos - out.size() ? std::string_view::npos : out.size() + most;
    scanner scan{text};
    auto before = token::done;
    for (;;) {
        auto const now = scan.next();
        if (now >= token::done) return now == token::done;
        if (wants_comma(before, now)) out.push_back(',');
        out.append(scan.text());
        if (now == token::key) out.push_back(':');
        if (out.size() > limit) return false;
        before = now;
    }
}

}  // namespace detail::json

/// Keeps every token as it is spelled, in its order; loses nothing, so that no marker says so. Text that is
/// not JSON is left alone. Costs one pass over the text.
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
