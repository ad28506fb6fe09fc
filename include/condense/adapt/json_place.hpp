// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>

// Access to members and elements of arbitrary JSON values: a missing or unexpected one is a null pointer or an empty
// string, never an exception. Json may be const throughout. Pointers and views are valid as long as the value stays.

namespace condense {
inline namespace v1 {
namespace detail {

/// Appends a text as a JSON string, spelled as `dump` of the library spells it. False if it is not valid UTF-8, and
/// then `out` may have got a part of it.
inline bool append_string(std::string& out, std::string_view text) {
    char block[256];  // collects what is appended, eight bytes at once
    std::size_t size = 0;
    auto const put = [&](char byte) { block[size++] = byte; };
    put('"');
    for (std::size_t position = 0; position < text.size();) {
        if (size > sizeof block - 16) {
            out.append(block, size);
            size = 0;
        }
        if (text.size() - position >= 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + position, 8);
            std::memcpy(block + size, &word, 8);
            auto const plain = json::plain_bytes(word);
            size += plain;
            position += plain;
            if (plain == 8) continue;
        }
        auto const byte = text[position];
        auto const value = static_cast<unsigned char>(byte);
        if (value >= 0x20 && byte != '"' && byte != '\\') {
            auto const point = utf8::decode(text, position);
            if (!point.valid) return false;
            for (auto const end = position + point.size; position < end;) put(text[position++]);
            continue;
        }
        ++position;
        put('\\');
        if (value >= 0x20) put(byte);
        else if (value >= '\b' && value <= '\r' && value != '\v') put(std::string_view{"btn fr"}[value - '\b']);
        else
            for (char const digit : {'u', '0', '0', json::hex_digits[value >> 4], json::hex_digits[value & 15u]})
                put(digit);
    }
    put('"');
    out.append(block, size);
    return true;
}

/// Appends the value on one line, as `dump` does, in a fraction of its time. False if parsing that would not give the
/// value back, and then `out` may have got a part of it: text has no binary values and no infinity, a dump replaces
/// ill-formed UTF-8, and parsing stops at depth_limit.
template <class Json>
bool append_text(std::string& out, Json const& value, std::size_t levels = json::depth_limit) {
    switch (value.type()) {
        case Json::value_t::string: return append_string(out, value.template get_ref<std::string const&>());
        case Json::value_t::null: out.append("null"); return true;
        case Json::value_t::boolean: out.append(value.template get<bool>() ? "true" : "false"); return true;
        case Json::value_t::number_integer:
            out.append(std::to_string(value.template get<typename Json::number_integer_t>()));
            return true;
        case Json::value_t::number_unsigned:
            out.append(std::to_string(value.template get<typename Json::number_unsigned_t>()));
            return true;
        case Json::value_t::number_float: {
            auto const number = value.template get<typename Json::number_float_t>();
            out.append(value.dump());
            return number - number == 0;  // false of infinity and NaN
        }
        case Json::value_t::object:
        case Json::value_t::array: break;
        case Json::value_t::binary:
        case Json::value_t::discarded: return false;
    }
    if (levels == 0) return false;
    bool const object = value.is_object();
    out.push_back(object ? '{' : '[');
    for (auto it = value.begin(); it != value.end(); ++it) {
        if (it != value.begin()) out.push_back(',');
        if (object && !append_string(out, it.key())) return false;
        if (object) out.push_back(':');
        if (!append_text(out, *it, levels - 1)) return false;
    }
    out.push_back(object ? '}' : ']');
    return true;
}

/// A value of any type, on one line; ill-formed UTF-8 in it becomes U+FFFD.
template <json_type Json>
std::string dump_of(Json const& value) {
    std::string text;
    return append_text(text, value) ? text : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Null if there is no such member, or if the value is no object.
template <class Json>
Json* member_of(Json& value, std::string_view key) {
    using object_type =
        std::conditional_t<std::is_const_v<Json>, typename Json::object_t const, typename Json::object_t>;
    auto* const object = value.template get_ptr<object_type*>();
    if (object == nullptr) return nullptr;
    if constexpr (requires { object->data(); }) {  // in their order: comparing sizes first costs a fraction of find
        for (auto& member : *object)
            if (member.first == key) return &member.second;
        return nullptr;
    } else {
        auto const member = object->find(key);
        return member == object->end() ? nullptr : &member->second;
    }
}

/// Null for no value, and for one that is no string.
template <class Json>
std::string const* string_of(Json const* value) {
    return value == nullptr ? nullptr : value->template get_ptr<std::string const*>();
}

/// Null if there is no such member, or if it is no object.
template <class Json>
Json* object_member(Json& value, std::string_view key) {
    auto* const member = member_of(value, key);
    return member != nullptr && member->is_object() ? member : nullptr;
}

/// A string member; empty if there is none.
template <class Json>
std::string_view text_member(Json const& value, std::string_view key) {
    auto const* const text = string_of(member_of(value, key));
    return text == nullptr ? std::string_view{} : std::string_view{*text};
}

/// The speaker that LangChain's `type` of a message means; empty for another.
constexpr std::string_view speaker_of_type(std::string_view type) noexcept {
    constexpr std::string_view chunk = "MessageChunk";
    if (type.ends_with(chunk)) type.remove_suffix(chunk.size());
    constexpr std::string_view known[][2] = {{"human", "Human"}, {"ai", "AI"}, {"system", "System"}, {"tool", "Tool"}};
    for (auto const& words : known)
        if (type == words[0] || type == words[1]) return words[0];
    return type == "function" ? "tool" : "";
}

/// Who speaks: `role`, or, in LangChain's own form, which has none, `type`.
template <class Json>
std::string_view speaker_of(Json const& message) {
    auto const speaker = text_member(message, "role");
    if (!speaker.empty() || member_of(message, "content") == nullptr) return speaker;
    return speaker_of_type(text_member(message, "type"));
}

/// True for a message of LangChain's own form.
template <class Json>
bool names_speaker_by_type(Json const& message) {
    return text_member(message, "role").empty() && !speaker_of(message).empty();
}

/// {"text": ...}, or {"type": "text", "text": ...}.
template <class Json>
Json text_block(std::string text, bool is_typed) {
    auto block = Json::object();
    if (is_typed) block["type"] = "text";
    block["text"] = std::move(text);
    return block;
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

    /// Writes the value; past the end of an array it is appended.
    void write(Json value) const {
        if (auto* const current = find()) *current = std::move(value);
        else if (key != nullptr) (*parent)[key] = std::move(value);
        else parent->push_back(std::move(value));
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
