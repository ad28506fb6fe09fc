// SPDX-License-Identifier: BSL-1.0
// Shorteners, and the limits of texts.

#include "compile_fail/common.hpp"

// shortener_returns_string: `std::optional<std::string> operator` -> `std::string operator`
// shortener_not_const: `cut) const` -> `cut)`
//   condense: shortener: it must have a const operator()(part_view, cut) that returns std::optional<std::string> (see
//   shortener)
struct compressing {
    std::optional<std::string> operator()(part_view const& part, cut) const { return std::string{part.text}; }
};
auto const compressed = compress{.with = compressing{}};

// by_content_of_string: `std::optional<std::string>` -> `std::string`
//   condense: shortener: it must have a const operator()(part_view, cut) that returns std::optional<std::string> (see
//   shortener)
struct for_logs {
    std::optional<std::string> operator()(part_view const& part, cut) const { return std::string{part.text}; }
};
auto const chosen = by_content{.log = for_logs{}};

// first_of_string: `std::optional<std::string>` -> `std::string`
//   condense: shortener: it must have a const operator()(part_view, cut) that returns std::optional<std::string> (see
//   shortener)
struct tried_first {
    std::optional<std::string> operator()(part_view const& part, cut) const { return std::string{part.text}; }
};
auto const tried = first_of(tried_first{}, head_tail{});

// preview_returns_string: `std::optional<std::string>` -> `std::string`
//   condense: shortener: it must have a const operator()(part_view, cut) that returns std::optional<std::string> (see
//   shortener)
struct for_preview {
    std::optional<std::string> operator()(part_view const& part, cut) const { return std::string{part.text}; }
};
auto const previewed = offload{.preview = for_preview{}, .into = some_store{}};

// shortener_over_a_number: `text_limit over = chars{300}` -> `int over = 300`
//   condense: shortener: its own limit `over` must be a size such as 2'000_chars (see shortener)
struct with_own_limit {
    text_limit over = chars{300};
    std::optional<std::string> operator()(part_view const& part, cut) const { return std::string{part.text}; }
};
int const ran_with_limit = run(compress{.with = with_own_limit{}});

// lines_without_limit: `5_lines` -> `text_limit{}`
//   condense: salient_lines: at_most must be given (see text_limit)
constexpr pipeline salient{compress{.with = salient_lines{.at_most = 5_lines}}};

// log_without_limit: `5_lines` -> `text_limit{}`
//   condense: compact_log: at_most must be given (see text_limit)
constexpr pipeline compacted{compress{.with = compact_log{.at_most = 5_lines}}};

// room_without_marker: `384_bytes` -> `383_bytes`
//   condense: at_most: the limit must leave room for a marker: 384 bytes, 384 characters, 5 lines (see head_tail)
constexpr pipeline with_marker{compress{.with = head_tail{.at_most = 384_bytes}}};

// share_above_whole: `100_pct` -> `101_pct`
//   condense: text_limit: a share must be above 0 and at most 100 % of the input (see text_limit)
constexpr pipeline shares{compress{.over = 100_pct}};

// slot_of_const: `.tools = writers` -> ``
//   condense: slot: its type must be without const, which decltype of a constant has (see slots)
constexpr auto writers = tools("save", "patch");
constexpr point_to_file<decltype(writers)> pointed{.tools = writers};
