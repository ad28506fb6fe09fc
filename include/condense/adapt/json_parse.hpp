// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/detail/json_scan.hpp>
#include <condense/detail/json_strings.hpp>

// Text to a JSON tree without exceptions and without stack overflow:
// `if (auto const read = condense::parse_json(body)) use(read.value); else log(read.error);`

namespace condense {
inline namespace v1 {

/// nlohmann::json, nlohmann::ordered_json, or another basic_json over std::string.
template <class Json>
concept json_type = nlohmann::detail::is_basic_json<Json>::value && std::same_as<typename Json::string_t, std::string>;

/// A tree, or an error, which quotes nothing of the text and so may be printed to a terminal.
template <json_type Json>
struct json_parsed {
    Json value = nullptr;
    std::string error = {};  ///< empty without error, else "condense: parse_json: byte 17, line 2: ..."

    explicit operator bool() const noexcept { return error.empty(); }
};

namespace detail::json {

/// The position at which JSON text opens one level more than depth_limit; npos if it never does. Text need not be
/// valid.
constexpr std::size_t find_excess_depth(std::string_view text) noexcept {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t position = 0; position < text.size(); ++position) {
        auto const byte = text[position];
        if (byte == '"') quoted = !quoted;
        else if (quoted) position += byte == '\\' ? 1u : 0u;
        else if (byte == '[' || byte == '{') {
            if (depth == depth_limit) return position;
            ++depth;
        } else if ((byte == ']' || byte == '}') && depth != 0) --depth;
    }
    return std::string_view::npos;
}

/// The beginning of an error text, with byte and line. `position` counts from 1, as nlohmann's does.
inline std::string location(std::string_view text, std::size_t position) {
    auto const before = text.substr(0, position - (position != 0 ? 1 : 0));
    auto const line = 1 + std::count(before.begin(), before.end(), '\n');
    return "condense: parse_json: byte " + std::to_string(position) + ", line " + std::to_string(line) + ": ";
}

/// A SAX handler that builds a tree, or keeps the reason why a text does not parse. Elements wait in one stack until
/// their container ends: an ordered object looks through all of its keys for each one that is added, and copies its
/// members whenever it grows.
template <class Json>
class tree_reader {
public:
    std::size_t position = 0;
    std::string reason = "not JSON";

    /// The tree, once the whole text was read.
    Json take() { return std::move(values_.front()); }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(typename Json::number_integer_t value) { return add(value); }
    bool number_unsigned(typename Json::number_unsigned_t value) { return add(value); }
    bool number_float(typename Json::number_float_t value, std::string const&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(typename Json::binary_t& value) { return add(std::move(value)); }
    bool start_array(std::size_t) { return open(); }
    bool end_array() {
        auto const first = close();
        typename Json::array_t elements(std::move_iterator{first}, std::move_iterator{values_.end()});
        values_.erase(first, values_.end());
        return add(std::move(elements));
    }
    bool start_object(std::size_t) { return open(); }
    bool key(std::string& name) {
        keys_.push_back(std::move(name));
        return true;
    }
    bool end_object() {
        auto const first = close();
        auto const count = static_cast<std::size_t>(values_.end() - first);
        auto const first_key = keys_.end() - (values_.end() - first);
        typename Json::object_t members;
        if constexpr (requires { members.emplace_back(std::string{}, Json{}); }) {
            members.reserve(count);
            fold_repeats(first, first_key, count);
            for (auto const place : order_) members.emplace_back(std::move(first_key[place]), std::move(first[place]));
        } else
            for (std::ptrdiff_t place = 0; place < values_.end() - first; ++place)
                members[std::move(first_key[place])] = std::move(first[place]);
        values_.erase(first, values_.end());
        keys_.erase(first_key, keys_.end());
        return add(std::move(members));
    }
    bool parse_error(std::size_t error_position, std::string const&, auto const& failure) {
        position = error_position;
        std::string_view message{failure.what()};
        // "[json.exception.parse_error.101] parse error at line 1, column 2: reason; last read: '...'",
        // or "[...] number overflow parsing '...'".
        auto const skip_past = [&message](std::string_view mark) {
            if (auto const begin = message.find(mark); begin != message.npos)
                message.remove_prefix(begin + mark.size());
        };
        skip_past("] ");
        if (message.starts_with("parse error")) skip_past(": ");
        // What follows quotes the text, which may be hostile or long.
        reason = message.substr(0, (std::min)(message.find(';'), message.find(" parsing '")));
        return false;
    }

private:
    bool add(auto&& value) {
        values_.emplace_back(std::forward<decltype(value)>(value));
        return true;
    }
    bool open() {
        begins_.push_back(static_cast<std::ptrdiff_t>(values_.size()));
        return true;
    }
    /// The first element of the innermost container, which ends.
    auto close() {
        auto const first = values_.begin() + begins_.back();
        begins_.pop_back();
        return first;
    }
    /// Writes to `order_` the places of the members to keep, in order: of equal keys the first, with the value of the
    /// last, as the parser of the library does.
    void fold_repeats(auto values, auto keys, std::size_t count) {
        order_.resize(count);
        std::iota(order_.begin(), order_.end(), std::ptrdiff_t{0});
        auto const before = [keys](std::ptrdiff_t a, std::ptrdiff_t b) {
            auto const sides = keys[a].compare(keys[b]);
            return sides != 0 ? sides < 0 : a < b;
        };
        std::sort(order_.begin(), order_.end(), before);
        auto end = order_.begin();
        for (auto const place : order_) {
            if (end != order_.begin() && keys[end[-1]] == keys[place]) values[end[-1]] = std::move(values[place]);
            else *end++ = place;
        }
        order_.erase(end, order_.end());
        std::sort(order_.begin(), order_.end());
    }

    std::vector<Json> values_;  ///< the elements of all containers that are open
    std::vector<std::string> keys_;
    std::vector<std::ptrdiff_t> begins_;  ///< where the elements of each open container begin
    std::vector<std::ptrdiff_t> order_;
};

/// True for one item of CBOR as this library writes it: definite lengths, no tags, nested no deeper than depth_limit.
/// The parser recurses, so anything else might overflow the stack.
constexpr bool is_plain_cbor(std::string_view bytes) noexcept {
    // Reads heads only: a container raises the level by the items that it announces, a string is skipped.
    std::array<std::uint64_t, depth_limit + 1> pending{1};  // items to come, by level
    std::size_t depth = 0;
    for (std::size_t position = 0;;) {
        for (; pending[depth] == 0; --depth)
            if (depth == 0) return position == bytes.size();
        --pending[depth];
        if (position == bytes.size()) return false;
        auto const head = static_cast<unsigned char>(bytes[position++]);
        auto const type = head / 32u;
        std::uint64_t count = head % 32u;
        if (count > 27 || type == 6) return false;
        if (count >= 24) {
            auto const size = std::size_t{1} << (count - 24);
            if (bytes.size() - position < size) return false;
            count = 0;
            for (auto const end = position + size; position != end; ++position)
                count = count * 256 + static_cast<unsigned char>(bytes[position]);
        }
        if (type < 2 || type == 7) continue;
        if (count > bytes.size() - position) return false;  // an element takes a byte at least
        if (type < 4) position = position + count;
        else if (++depth > depth_limit) return false;
        else pending[depth] = type == 5 ? count * 2 : count;
    }
}

/// Text in which each escape of half a surrogate pair, as JavaScript writes it, is one of U+FFFD: no other byte moves.
inline std::string without_halves(std::string_view text) {
    std::string out{text};
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') continue;
        bool const high = is_surrogate(text, at, false);
        bool const pair = high && at + 6 < text.size() && is_surrogate(text, at + 6, true);
        if (!pair && (high || is_surrogate(text, at, true))) out.replace(at, 6, "\\ufffd");
        at += pair ? 11 : 1;
    }
    return out;
}

/// Reads text as a tree, or says why it is none. Has the only call of the parser, which is compiled into it.
template <class Json>
[[gnu::noinline]] bool read_tree(std::string_view text, Json& value, std::string& error) {
    tree_reader<Json> reader;
    bool const read = Json::sax_parse(text.begin(), text.end(), &reader);
    if (read) value = reader.take();
    else error = location(text, reader.position) + reader.reason;
    return read;
}

}  // namespace detail::json

namespace detail {

/// Parses CBOR of hostile origin, under the same limit of depth as text.
template <json_type Json>
json_parsed<Json> parse_cbor(std::string_view bytes) {
    json_parsed<Json> result;
    if (json::is_plain_cbor(bytes)) result.value = Json::from_cbor(bytes.begin(), bytes.end(), true, false);
    else result.value = typename Json::value_t{Json::value_t::discarded};
    if (!result.value.is_discarded()) return result;
    result.value = nullptr;
    result.error = "condense: parse_cbor: not CBOR as it is written here, or nested too deep";
    return result;
}

}  // namespace detail

/// Parses all of `text`. Refuses nesting above 128 before it builds a tree, because copying and dumping a tree recurse;
/// otherwise as Json::parse (one of duplicate keys stays, numbers lose their spelling), but reads half a surrogate
/// pair, which JavaScript writes, as U+FFFD. Throws only if memory runs out.
template <json_type Json = nlohmann::ordered_json>
json_parsed<Json> parse_json(std::string_view text) {
    json_parsed<Json> result;
    if (auto const position = detail::json::find_excess_depth(text); position != text.npos) {
        result.error = detail::json::location(text, position + 1) + "nested deeper than " +
                       std::to_string(detail::json::depth_limit);
        return result;
    }
    if (detail::json::read_tree(text, result.value, result.error)) return result;
    if (auto const whole = detail::json::without_halves(text); whole != text) {
        result.error.clear();
        detail::json::read_tree(std::string_view{whole}, result.value, result.error);
    }
    return result;
}

}  // namespace v1
}  // namespace condense
