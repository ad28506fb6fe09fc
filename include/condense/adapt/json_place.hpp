// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/detail/utf8.hpp>

// Access to members and elements of arbitrary JSON values: a missing or unexpected one is a null pointer or an empty
// string, never an exception. Json may be const throughout. Pointers and views are valid as long as the value stays.

namespace condense {
inline namespace v1 {
namespace detail {

/// A value of any type, on one line; ill-formed UTF-8 in it becomes U+FFFD.
template <json_type Json>
std::string dump_of(Json const& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// True if text holds all of the value: parsing its dump gives it back. Text has no binary values and no infinity, a
/// dump replaces ill-formed UTF-8, and parsing stops at depth_limit.
template <class Json>
bool fits_text(Json const& value, std::size_t levels = json::depth_limit) {
    using text_type = typename Json::string_t;
    if (value.is_string()) return utf8::valid(value.template get_ref<text_type const&>());
    if (value.is_number_float()) {
        auto const number = value.template get<typename Json::number_float_t>();
        return number - number == 0;  // false of infinity and NaN
    }
    if (!value.is_structured()) return !value.is_binary() && !value.is_discarded();
    if (levels == 0) return false;
    for (auto it = value.begin(); it != value.end(); ++it)
        if ((value.is_object() && !utf8::valid(it.key())) || !fits_text(*it, levels - 1)) return false;
    return true;
}

/// Null if there is no such member, or if the value is no object.
template <class Json>
Json* member_of(Json& value, char const* key) {
    auto const member = value.find(key);
    return member == value.end() ? nullptr : &*member;
}

/// Null for no value, and for one that is no string.
template <class Json>
std::string const* string_of(Json const* value) {
    return value == nullptr ? nullptr : value->template get_ptr<std::string const*>();
}

/// Null if there is no such member, or if it is no object.
template <class Json>
Json* object_member(Json& value, char const* key) {
    auto* const member = member_of(value, key);
    return member != nullptr && member->is_object() ? member : nullptr;
}

/// A string member; empty if there is none.
template <class Json>
std::string_view text_member(Json const& value, char const* key) {
    auto const* const text = string_of(member_of(value, key));
    return text == nullptr ? std::string_view{} : std::string_view{*text};
}

/// The place of a member of an object or, without key, of an element of an array; the value need not exist yet.
template <class Json>
struct json_place {
    Json* parent = nullptr;
    char const* key = nullptr;
    std::size_t index = 0;

    /// The value; null if it does not exist.
    Json* find() const {
        if (parent == nullptr) return nullptr;
        if (key != nullptr) return member_of(*parent, key);
        return index < parent->size() ? &(*parent)[index] : nullptr;
    }

    /// Writes the value; past the end of an array of blocks it becomes a new text block.
    void write(Json value) const {
        if (auto* const current = find()) *current = std::move(value);
        else if (key != nullptr) (*parent)[key] = std::move(value);
        else {
            auto block = Json::object();
            block["type"] = "text";
            block["text"] = std::move(value);
            parent->push_back(std::move(block));
        }
    }

    /// Erases the value. `content` becomes empty instead, because providers refuse messages without it.
    void erase() const {
        if (find() == nullptr) return;
        if (key == nullptr) parent->erase(index);
        else if (std::string_view{key} == "content") (*parent)[key] = "";
        else parent->erase(key);
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
