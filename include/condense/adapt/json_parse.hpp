// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/detail/json_scan.hpp>

// Text to a JSON tree without exceptions and without stack overflow:
// `if (auto const read = condense::parse_json(body)) use(read.value); else log(read.error);`

namespace condense {
inline namespace v1 {

/// nlohmann::json, nlohmann::ordered_json, or another basic_json over std::string.
template <class Json>
concept json_type = nlohmann::detail::is_basic_json<Json>::value && std::same_as<typename Json::string_t, std::string>;

/// A tree, or why there is none. The error holds nothing of the text, so it may go to a terminal.
template <json_type Json>
struct json_parsed {
    Json value = nullptr;
    std::string error = {};  ///< empty when good, else "condense: parse_json: byte 17, line 2: ..."

    explicit operator bool() const noexcept { return error.empty(); }
};

namespace detail::json {

/// Where JSON text opens one level more than depth_limit; npos when it never does.
constexpr std::size_t first_too_deep(std::string_view text) noexcept {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto const byte = text[at];
        if (byte == '"') quoted = !quoted;
        else if (quoted) at += byte == '\\' ? 1u : 0u;
        else if (byte == '[' || byte == '{') {
            if (depth == depth_limit) return at;
            ++depth;
        } else if ((byte == ']' || byte == '}') && depth != 0) --depth;
    }
    return std::string_view::npos;
}

/// `position` counts from 1, as nlohmann's does.
inline std::string where(std::string_view text, std::size_t position) {
    auto const read = text.substr(0, position - (position != 0 ? 1 : 0));
    auto const line = 1 + std::count(read.begin(), read.end(), '\n');
    return "condense: parse_json: byte " + std::to_string(position) + ", line " + std::to_string(line) + ": ";
}

/// Walks a text that does not parse and keeps the reason; builds nothing.
struct reason_reader {
    std::size_t position = 0;
    std::string reason = "not JSON";

    bool null() { return true; }
    bool boolean(bool) { return true; }
    bool number_integer(auto) { return true; }
    bool number_unsigned(auto) { return true; }
    bool number_float(auto, auto const&) { return true; }
    bool string(auto&) { return true; }
    bool binary(auto&) { return true; }
    bool start_object(std::size_t) { return true; }
    bool key(auto&) { return true; }
    bool end_object() { return true; }
    bool start_array(std::size_t) { return true; }
    bool end_array() { return true; }
    bool parse_error(std::size_t at, std::string const&, auto const& failure) {
        position = at;
        std::string_view what{failure.what()};
        // "[json.exception.parse_error.101] parse error at line 1, column 2: reason; last read: '...'",
        // or "[...] number overflow parsing '...'".
        auto const skip_past = [&what](std::string_view mark) {
            if (auto const found = what.find(mark); found != what.npos) what.remove_prefix(found + mark.size());
        };
        skip_past("] ");
        if (what.starts_with("parse error")) skip_past(": ");
        // What follows quotes the text, which may be hostile or long.
        reason = what.substr(0, (std::min)(what.find(';'), what.find(" parsing '")));
        return false;
    }
};

/// Whether the bytes are one item of CBOR as this library writes it: of known lengths, without tags, and
/// nested no deeper than depth_limit. What the parser does with anything else costs stack.
constexpr bool is_plain_cbor(std::string_view bytes) noexcept {
    std::array<std::uint64_t, depth_limit + 1> left{1};  // items to come, by level
    std::size_t depth = 0;
    for (std::size_t at = 0;;) {
        for (; left[depth] == 0; --depth)
            if (depth == 0) return at == bytes.size();
        --left[depth];
        if (at == bytes.size()) return false;
        auto const head = static_cast<unsigned char>(bytes[at++]);
        auto const type = head / 32u;
        std::uint64_t count = head % 32u;
        if (count > 27 || type == 6) return false;
        if (count >= 24) {
            auto const size = std::size_t{1} << (count - 24);
            if (bytes.size() - at < size) return false;
            count = 0;
            for (auto const end = at + size; at != end; ++at)
                count = count * 256 + static_cast<unsigned char>(bytes[at]);
        }
        if (type < 2 || type == 7) continue;
        if (count > bytes.size() - at) return false;  // an element takes a byte at least
        if (type < 4) at = at + count;
        else if (++depth > depth_limit) return false;
        else left[depth] = type == 5 ? count * 2 : count;
    }
}

}  // namespace detail::json

namespace detail {

/// CBOR of hostile origin to a tree, under the same limit as text.
template <json_type Json>
json_parsed<Json> parse_cbor(std::string_view bytes) {
    json_parsed<Json> read;
    if (json::is_plain_cbor(bytes)) read.value = Json::from_cbor(bytes.begin(), bytes.end(), true, false);
    else read.value = typename Json::value_t{Json::value_t::discarded};
    if (!read.value.is_discarded()) return read;
    read.value = nullptr;
    read.error = "condense: parse_cbor: not CBOR as it is written here, or nested too deep";
    return read;
}

}  // namespace detail

/// Reads all of `text`. Nesting above 128 is refused before a tree is built, as copying and dumping
/// one recurse; everything else is as Json::parse has it (of duplicate keys one stays, numbers lose
/// their spelling). Throws only when memory is out.
template <json_type Json = nlohmann::ordered_json>
json_parsed<Json> parse_json(std::string_view text) {
    json_parsed<Json> read;
    if (auto const deep = detail::json::first_too_deep(text); deep != text.npos) {
        read.error =
            detail::json::where(text, deep + 1) + "nested deeper than " + std::to_string(detail::json::depth_limit);
        return read;
    }
    read.value = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!read.value.is_discarded()) return read;
    read.value = nullptr;
    detail::json::reason_reader why;
    Json::sax_parse(text.begin(), text.end(), &why);
    read.error = detail::json::where(text, why.position) + why.reason;
    return read;
}

}  // namespace v1
}  // namespace condense
