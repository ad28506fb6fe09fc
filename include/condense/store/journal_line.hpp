// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <condense/core/store.hpp>
#include <condense/detail/base64.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/store/content_hash.hpp>

// One entry of a journal as a line of JSON that any tool reads:
// {"number":12,"time":1790000000,"conversation":"logs","name":"<24 digits>","check":"<16 digits>","message":{"a":1}}
// JSON is copied unchanged, other text is in "text", other bytes in "base64", and "made":true has no content. An id
// that is not UTF-8 is in "conversation64". Lines of the earlier format have neither time nor conversation.

namespace condense {
inline namespace v1 {
namespace detail {

/// Writes and reads the lines of one conversation. The name is the hash of the content, the check that of all else and
/// of the conversation, so that lines of another conversation are not read.
class journal_line {
public:
    /// The conversation id may be any bytes. Each line holds all of it, so that any line says whose it is.
    explicit journal_line(std::string_view conversation) {
        for (auto const byte : content_hash{1}(conversation, 0).digest) key_ = key_ << 8 | byte;
        bool const is_text = utf8::valid(conversation);
        id_.append(is_text ? before_id : before_id_bytes);
        if (is_text) json::append_escaped(id_, conversation);
        else base64::append(id_, conversation);
        id_.push_back('"');
    }

    /// With the line break at its end. Costs a copy of id and content, up to six times as long for text.
    std::string write(journal_entry const& entry, std::string_view content) const {
        auto line = std::string{before_number}.append(std::to_string(entry.number));
        line.append(before_time).append(std::to_string(entry.time)).append(id_);
        line.append(before_name).append(entry.name.text());
        auto const kind = entry.is_derived        ? derived
                          : stands_alone(content) ? message
                          : utf8::valid(content)  ? text
                                                  : bytes;
        auto const check = check_of(line, kind);
        line.append(before_check).append(check).append(kind);
        if (kind == message) line.append(content);
        else if (kind == text) json::append_escaped(line, content);
        else if (kind == bytes) base64::append(line, content);
        return line.append(end_of(kind)).append("\n");
    }

    /// A line as it was read.
    struct record {
        journal_entry entry;
        std::string_view content;  ///< in the line, or decoded in the buffer
    };

    /// Nothing if the line is damaged, torn or of another conversation. Does not compare the name with the content;
    /// the journal does. Decodes into `buffer` where the content is not JSON.
    std::optional<record> read(std::string_view line, std::string& buffer) const {
        auto rest = line;
        record result;
        if (!consume(rest, before_number) || !consume_number(rest, result.entry.number)) return std::nullopt;
        if (consume(rest, before_time) && (!consume_number(rest, result.entry.time) || !consume(rest, id_)))
            return std::nullopt;
        if (!consume(rest, before_name) || !consume_name(rest, result.entry.name)) return std::nullopt;
        auto const head = line.substr(0, line.size() - rest.size());
        if (!consume(rest, before_check)) return std::nullopt;
        auto const check = rest.substr(0, 16);
        rest.remove_prefix(check.size());
        for (auto const kind : {message, text, bytes, derived}) {
            if (!consume(rest, kind)) continue;
            if (check != check_of(head, kind) || !rest.ends_with(end_of(kind))) return std::nullopt;
            rest.remove_suffix(end_of(kind).size());
            result.entry.is_derived = kind == derived;
            result.content = rest;
            if (kind == message) return result;
            buffer.clear();
            if (kind == text && !json::append_unescaped(buffer, rest)) return std::nullopt;
            if (kind == bytes && !base64::append_decoded(buffer, rest)) return std::nullopt;
            if (kind == derived && !rest.empty()) return std::nullopt;
            result.content = buffer;
            return result;
        }
        return std::nullopt;
    }

    /// The conversation id that a line names, which only `read` checks; nothing if there is none.
    static std::optional<std::string> conversation_of(std::string_view line) {
        std::uint64_t number = 0;
        if (!consume(line, before_number) || !consume_number(line, number)) return std::nullopt;
        if (!consume(line, before_time) || !consume_number(line, number)) return std::nullopt;
        bool const is_text = consume(line, before_id);
        if (!is_text && !consume(line, before_id_bytes)) return std::nullopt;
        std::size_t end = 0;
        while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2u : 1u;
        if (end >= line.size()) return std::nullopt;
        auto const spelt = line.substr(0, end);
        std::string id;
        bool const is_valid = is_text ? json::append_unescaped(id, spelt) : base64::append_decoded(id, spelt);
        return is_valid ? std::optional{std::move(id)} : std::nullopt;
    }

private:
    // The pieces of a line in order; one of the last four says which kind of content follows.
    static constexpr std::string_view before_number = "{\"number\":";
    static constexpr std::string_view before_time = ",\"time\":";
    static constexpr std::string_view before_id = ",\"conversation\":\"";
    static constexpr std::string_view before_id_bytes = ",\"conversation64\":\"";
    static constexpr std::string_view before_name = ",\"name\":\"";
    static constexpr std::string_view before_check = "\",\"check\":\"";
    static constexpr std::string_view message = "\",\"message\":";
    static constexpr std::string_view text = "\",\"text\":\"";
    static constexpr std::string_view bytes = "\",\"base64\":\"";
    static constexpr std::string_view derived = "\",\"made\":true";

    static constexpr std::string_view end_of(std::string_view kind) noexcept {
        return kind.ends_with('"') ? "\"}" : "}";
    }

    /// True for JSON on one line, which is written unchanged.
    static constexpr bool stands_alone(std::string_view content) noexcept {
        return content.find_first_of("\r\n") == std::string_view::npos && json::valid(content);
    }

    /// 64 bits: enough against damage, and against an id chosen to share another conversation's file.
    std::string check_of(std::string_view head, std::string_view kind) const {
        return content_hash{key_}(std::string{head}.append(kind), 0).text().substr(0, 16);
    }

    /// Removes `wanted` from the beginning of `rest`; false if it does not begin so.
    static constexpr bool consume(std::string_view& rest, std::string_view wanted) noexcept {
        if (!rest.starts_with(wanted)) return false;
        rest.remove_prefix(wanted.size());
        return true;
    }

    /// Removes a decimal number; false if there is none or it is above 2^64 - 1.
    static bool consume_number(std::string_view& rest, std::uint64_t& number) noexcept {
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return error == std::errc{};
    }

    /// Lower-case digits only, so that a name has one spelling.
    static constexpr bool consume_name(std::string_view& rest, reference& name) noexcept {
        for (auto& byte : name.digest) {
            if (rest.size() < 2) return false;
            auto const high = json::hex_digits.find(rest[0]);
            auto const low = json::hex_digits.find(rest[1]);
            if (high > 15 || low > 15) return false;
            byte = static_cast<std::uint8_t>(high * 16 + low);
            rest.remove_prefix(2);
        }
        return true;
    }

    std::uint64_t key_ = 0;  ///< a hash of the conversation id
    std::string id_;  ///< the piece of a line that names it
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
