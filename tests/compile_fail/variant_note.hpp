// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <condense/adapt/variant_parts.hpp>
#include <condense/condense.hpp>

// What the messages of variants here have, so that each file says its traits alone.

struct words {
    std::string text;
};
struct image {
    std::string file;
};
using piece = std::variant<words, image>;

inline condense::part_view as_text(words const& part) { return {.text = part.text}; }
inline condense::part_view as_media(image const& part) {
    return {.kind = condense::part_kind::media, .text = part.file, .sealed = true};
}

template <class Note>
void reduce_notes() {
    using namespace condense::literals;
    std::vector<Note> notes(3);
    static_cast<void>(condense::reduce(
        notes, condense::pipeline{condense::sliding_window{.when = condense::used >= 90_pct}}, {.window = 100_tokens}));
}
