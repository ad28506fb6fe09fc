// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/netstring.hpp>

// The source of an artifact as bytes, for stores without columns.

namespace condense {
inline namespace v1 {
namespace detail {

/// The longest field of a source that is kept; names of tools and calls come from models.
inline constexpr std::size_t most_source_bytes = 65'536;

/// Five netstrings: conversation, tool, call, type, time. Tool and call are cut to 64 KiB.
inline std::string write_source(artifact_source const& source) {
    std::string text;
    put_field(text, source.conversation);
    for (auto const* const field : {&source.tool, &source.call, &source.type})
        put_field(text, std::string_view{*field}.substr(0, most_source_bytes));
    put_field(text, source.time != 0 ? source.time : calendar_seconds());
    return text;
}

/// Nothing for text that write_source has not written.
inline std::optional<artifact_source> read_source(std::string_view text) {
    field_reader reader{text};
    artifact_source source;
    for (auto* const field : {&source.conversation, &source.tool, &source.call, &source.type}) *field = reader.text();
    source.time = reader.number(~std::uint64_t{0});
    if (reader.broken() || !reader.done()) return std::nullopt;
    return source;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
