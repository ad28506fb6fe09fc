// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/settings.hpp>
#include <condense/detail/json_members.hpp>

// Settings from JSON, by the same table as those from the environment:
// `condense::settings_from_json(R"({"threshold": 0.7, "cache_hint": true})")`.

namespace condense {
inline namespace v1 {

namespace detail {

/// A value as its writer knows it; what is long or nested by its kind alone.
template <json_type Json>
std::string spelt_setting(Json const& value) {
    if (value.is_string()) return value.template get_ref<std::string const&>();
    if (value.is_structured() || value.is_binary())
        return std::string{"an "} + (value.is_object() ? "object" : "array");
    return value.dump();
}

/// Counts are whole numbers, shares are numbers or strings such as "65%", switches are true, false or texts such as "on".
template <json_type Json>
bool is_of_kind(settings_kind kind, Json const& value) noexcept {
    if (kind == settings_kind::on_or_off) return value.is_boolean() || value.is_string();
    if (kind == settings_kind::count) return value.is_number_integer();
    return value.is_number() || value.is_string();
}

inline settings_error no_settings(std::string rule, std::string value = {}) {
    return {settings_fault::unreadable, "the document", printable(value, shown_of_value), std::move(rule)};
}

inline settings_error bad_key(settings_fault fault, std::string_view key, std::string rule) {
    return {fault, printable(key, shown_of_value), {}, std::move(rule)};
}

}  // namespace detail

/// The settings that the object names by their keys (`settings_fields`), defaults for the others; or the
/// first key that is unknown, then the first setting, in the order of the table, that cannot be. A share that
/// the parser made a double of is read from its shortest spelling, so 0.65 is exactly 65 %.
template <json_type Json>
settings_result settings_from_json(Json const& given) {
    if (!given.is_object()) return detail::no_settings("must be a JSON object", detail::spelt_setting(given));
    for (auto const& entry : given.items()) {
        bool known = false;
        for (auto const& field : settings_fields) known = known || field.key == entry.key();
        if (!known) return detail::bad_key(settings_fault::unknown, entry.key(), "must be the name of a setting");
    }
    settings made;
    for (auto const& field : settings_fields) {
        auto const found = given.find(std::string{field.key});
        if (found == given.end()) continue;
        auto const text = detail::spelt_setting(*found);
        if (!detail::is_of_kind(field.kind, *found)) {
            auto bad = detail::bad_setting(field, field.key, detail::figure_fault::malformed, text);
            bad.fault = settings_fault::wrong_type;
            if (field.kind == settings_kind::on_or_off) bad.rule = "must be true or false, or a text: on or off";
            return bad;
        }
        auto read = detail::read_figure(field.kind, text);
        if (read.fault == detail::figure_fault::malformed && text.starts_with('-'))
            read.fault = detail::figure_fault::too_large;
        if (auto bad = detail::put_setting(made, field, field.key, read, text)) return *std::move(bad);
    }
    if (auto bad = detail::conflict_in(made, [](std::string_view key) { return key; })) return *std::move(bad);
    return made;
}

/// The same of a text, where a key that stands there twice is an error too: a tree keeps only one of them.
inline settings_result settings_from_json(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    auto const read = parse_json(text);
    if (!read) {
        constexpr std::string_view speaker = "condense: parse_json: ";
        std::string_view why = read.error;
        if (why.starts_with(speaker)) why.remove_prefix(speaker.size());
        return detail::no_settings("must be JSON: " + detail::printable(why, 120));
    }
    if (!read.value.is_object()) return settings_from_json(read.value);
    std::vector<std::string> seen;
    std::string twice;
    bool repeated = false;
    bool const walked = detail::json::each_member(text, [&](std::string_view name, std::string_view) {
        if (repeated || seen.size() > settings_fields.size()) return;  // then one of them is unknown
        auto key = detail::json::string_value(std::string{'"'}.append(name).append("\""));
        for (auto const& earlier : seen) repeated = repeated || earlier == key;
        if (repeated) twice = std::move(key);
        else seen.push_back(std::move(key));
    });
    if (!walked) return detail::no_settings("must be JSON");
    if (repeated) return detail::bad_key(settings_fault::duplicate, twice, "must be there only once");
    return settings_from_json(read.value);
}

}  // namespace v1
}  // namespace condense
