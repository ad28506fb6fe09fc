// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include <condense/adapt/json.hpp>
#include <condense/core/part.hpp>

// JSON values that are the text of a part, for adapters of types that hold some: what is a string is shown as it is,
// everything else as its dump.

namespace condense {
inline namespace v1 {
namespace detail {

/// A part, and the dump that is its text unless the value is a string. Refers to the value.
struct json_text_part {
    template <json_type Json>
    json_text_part(part_view shown, Json const& value) : part{shown} {
        if (auto const* const string = value.template get_ptr<std::string const*>()) part.text = *string;
        else dump = value.dump(-1, ' ', false, Json::error_handler_t::replace), is_dump = true;
    }

    operator part_view() const {
        auto shown = part;
        if (is_dump) shown.text = dump;
        return shown;
    }

    part_view part;
    std::string dump = {};
    bool is_dump = false;
};

/// A string stays one. Another value takes the text as JSON, or, if it is none, as a string where `any_text` says so;
/// else it stays as it is.
template <json_type Json>
void write_json(Json& value, std::string text, bool any_text) {
    if (value.is_string()) value = std::move(text);
    else if (auto parsed = parse_json<Json>(text)) value = std::move(parsed.value);
    else if (any_text) value = std::move(text);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
