// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/config/settings.hpp>
#include <condense/detail/json_members.hpp>

// Settings from JSON, by the same table as from the environment:
// `condense::settings_from_json(R"({"threshold": 0.7, "cache_hint": true})")`.

namespace condense {
inline namespace v1 {

namespace detail {

/// The value as an error shows it: a string as it is, a number as written, only the kind of anything nested.
template <json_type Json>
std::string setting_text(Json const& value) {
    if (value.is_string()) return value.template get_ref<std::string const&>();
    if (value.is_structured() || value.is_binary()) return value.is_object() ? "an object" : "an array";
    return value.dump();
}

/// Counts are whole numbers, shares are numbers or strings such as "65%", switches are true, false or strings such as
/// "on".
template <json_type Json>
bool is_of_kind(settings_kind kind, Json const& value) noexcept {
    if (kind == settings_kind::count) return value.is_number_integer();
    return value.is_string() || (kind == settings_kind::share ? value.is_number() : value.is_boolean());
}

/// The error of a document as a whole.
inline settings_error no_settings(std::string rule, std::string_view value = {}) {
    return {settings_fault::unreadable, "the document", printable(value, value_limit), std::move(rule)};
}

}  // namespace detail

/// The settings that the object names by their keys (`settings_fields`), defaults for the others; or an error for the
/// first unknown key, or else for the first bad setting in the order of the table. A share that the parser has made a
/// double is read from its shortest decimal form, so that 0.65 is exactly 65 %.
template <json_type Json>
settings_result settings_from_json(Json const& document) {
    if (!document.is_object()) return detail::no_settings("must be a JSON object", detail::setting_text(document));
    for (auto const& entry : document.items()) {
        // First the keys: a misspelt setting would be ignored, and its default used.
        bool is_known = false;
        for (auto const& field : settings_fields) is_known = is_known || field.key == entry.key();
        if (!is_known)
            return settings_error{settings_fault::unknown,
                                  detail::printable(entry.key(), detail::value_limit),
                                  {},
                                  "must be the name of a setting"};
    }
    settings result;
    for (auto const& field : settings_fields) {
        auto const entry = document.find(std::string{field.key});
        if (entry == document.end()) continue;
        auto const text = detail::setting_text(*entry);
        if (!detail::is_of_kind(field.kind, *entry))
            return settings_error{
                settings_fault::wrong_type, std::string{field.key}, detail::printable(text, detail::value_limit),
                field.kind == settings_kind::on_or_off ? "must be true or false, or a text: on or off" : field.rule()};
        auto figure = detail::read_figure(field.kind, text);
        // A negative number is a number, but out of range.
        if (figure.fault == detail::figure_fault::malformed && text.starts_with('-'))
            figure.fault = detail::figure_fault::too_large;
        if (auto error = detail::put_setting(result, field, field.key, figure, text)) return *std::move(error);
    }
    if (auto error = detail::conflict_in(result, [](std::string_view key) { return key; })) return *std::move(error);
    return result;
}

/// The same for a text. A key that occurs twice is an error too; a tree would keep only one of them. A byte
/// order mark is skipped.
inline settings_result settings_from_json(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    auto const parsed = parse_json(text);
    if (!parsed) {
        constexpr std::string_view prefix = "condense: parse_json: ";
        auto const reason = std::string_view{parsed.error}.substr(parsed.error.starts_with(prefix) ? prefix.size() : 0);
        return detail::no_settings("must be JSON: " + detail::printable(reason, 120));
    }
    // Keys are compared decoded, since one name has several spellings in JSON.
    std::set<std::string> keys;
    std::optional<std::string> duplicate;
    detail::json::each_member(text, [&](std::string_view name, std::string_view) {
        auto key = detail::json::string_value(std::string{'"'}.append(name).append("\""));
        if (!duplicate && !keys.insert(key).second) duplicate = std::move(key);
    });
    if (duplicate)
        return settings_error{settings_fault::duplicate,
                              detail::printable(*duplicate, detail::value_limit),
                              {},
                              "must be there only once"};
    return settings_from_json(parsed.value);
}

}  // namespace v1
}  // namespace condense
