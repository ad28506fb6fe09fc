// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>

#include <condense/core/part.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/shortener.hpp>

// Replaces images, audio and documents by a note: compress{.protect = last(2_messages), .with = media_note{}}.

namespace condense {
inline namespace v1 {

/// "[image/png, 90,123 bytes, omitted; ask for it again if it is needed]": keeps the adapter's description of the
/// media, up to 160 characters on one line. Loses the media; costs a copy of the message. The note costs fewer tokens
/// than the media; media stay if the adapter cannot write a text in their place.
struct media_note {
    static constexpr part_kinds applies_to = part_kind::media;
    static constexpr bool any_size = true;

    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        if (part.kind != part_kind::media) return std::nullopt;
        // The description comes from outside: only printable characters are shown.
        std::string description;
        detail::append_printable(description, part.text.substr(0, detail::utf8::prefix(part.text, 160)));
        return detail::omission(description.empty() ? "media" : description, context.how);
    }
    friend constexpr bool operator==(media_note, media_note) = default;
};

}  // namespace v1
}  // namespace condense
