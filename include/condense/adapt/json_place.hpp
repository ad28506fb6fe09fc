// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>

// Access to members and elements of arbitrary JSON values: a missing or unexpected one is a null
// pointer or an empty string, never an exception. Json may be const throughout.

namespace condense {
inline namespace v1 {
namespace detail {

/// A value of any type, on one line; ill-formed UTF-8 in it becomes U+FFFD.
template <json_type Json>
std::string dump_of(Json const& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Null if there is no such member, or if the value is no object.
template <class Json>
Json* member_of(Json& value, char const* key) {
    auto const member = value.find(key);
    return member == value.end() ? nullptr : &*member;
}

template <class Json>
std::string const* string_of(Json const* value) {
    return value == nullptr ? nullptr : value->template get_ptr<std::string const*>();
}

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

/// A member of an object or, without key, an element of an array; it need not exist yet.
template <class Json>
struct json_place {
    Json* in = nullptr;
    char const* key = nullptr;
    std::size_t at = 0;

    Json* find() const {
        if (in == nullptr) return nullptr;
        if (key != nullptr) return member_of(*in, key);
        return at < in->size() ? &(*in)[at] : nullptr;
    }

    /// Writes the value; past the end of an array of blocks it becomes a new text block.
    void put(Json value) const {
        if (auto* const current = find()) *current = std::move(value);
        else if (key != nullptr) (*in)[key] = std::move(value);
        else {
            auto block = Json::object();
            block["type"] = "text";
            block["text"] = std::move(value);
            in->push_back(std::move(block));
        }
    }

    /// Erases the value. `content` becomes empty instead, because providers refuse messages without it.
    void erase() const {
        if (find() == nullptr) return;
        if (key == nullptr) in->erase(at);
        else if (std::string_view{key} == "content") (*in)[key] = "";
        else in->erase(key);
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
