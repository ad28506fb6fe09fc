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

/// Sets the time of a source that has none.
inline void stamp(artifact_source& source) noexcept {
    if (source.time != 0) return;
    constexpr std::uint64_t second = 1'000'000'000;
    auto const now = calendar_nanoseconds();
    source.time = now / second;
    source.nanoseconds = now % second;
}

/// Six netstrings: conversation, tool, call, type, time, nanoseconds. Tool and call are cut to 64 KiB.
inline std::string write_source(artifact_source source) {
    stamp(source);
    std::string text;
    put_field(text, source.conversation);
    for (auto const* const field : {&source.tool, &source.call, &source.type})
        put_field(text, std::string_view{*field}.substr(0, most_source_bytes));
    put_field(text, source.time);
    put_field(text, source.nanoseconds);
    return text;
}

/// Nothing for text that write_source has not written; earlier versions wrote no nanoseconds.
inline std::optional<artifact_source> read_source(std::string_view text) {
    field_reader reader{text};
    artifact_source source;
    for (auto* const field : {&source.conversation, &source.tool, &source.call, &source.type}) *field = reader.text();
    source.time = reader.number(~std::uint64_t{0});
    if (!reader.done()) source.nanoseconds = reader.number(999'999'999);
    if (reader.broken() || !reader.done()) return std::nullopt;
    return source;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
