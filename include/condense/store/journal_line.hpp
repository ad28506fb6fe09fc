// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <condense/core/store.hpp>
#include <condense/detail/base64.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/store/content_hash.hpp>

// One entry of a journal as a line of JSON that any tool reads:
// {"number":12,"name":"<24 digits>","check":"<16 digits>","message":{"role":"user"}}
// JSON stands as it came, other text as "text", other bytes as "base64", and "made":true without content.

namespace condense {
inline namespace v1 {
namespace detail {

/// Writes and reads the lines of one conversation. The name holds for the content, the check for
/// everything else, the conversation included: what belongs to another one is not read.
class journal_line {
public:
    /// The conversation may be any bytes; none of them stands in a line.
    explicit journal_line(std::string_view conversation) noexcept {
        for (auto const byte : content_hash{1}(conversation, 0).digest) key_ = key_ << 8 | byte;
    }

    /// With the line break at its end. Costs a copy of the content, up to six times as long for text.
    std::string write(journal_entry const& entry, std::string_view content) const {
        auto out = std::string{before_number}.append(std::to_string(entry.number));
        out.append(before_name).append(entry.name.text());
        auto const kind = entry.made ? made : stands_alone(content) ? message : utf8::valid(content) ? text : bytes;
        auto const check = check_of(out, kind);
        out.append(before_check).append(check).append(kind);
        if (kind == message) out.append(content);
        else if (kind == text) json::append_escaped(out, content);
        else if (kind == bytes) base64::append(out, content);
        return out.append(end_of(kind)).append("\n");
    }

    struct found {
        journal_entry entry;
        std::string_view content;  ///< in the line or in the room it was given
    };

    /// Nothing where the line is damaged, torn or foreign. Whether the name is that of the content is
    /// the journal's to compare.
    std::optional<found> read(std::string_view line, std::string& room) const {
        auto rest = line;
        found out;
        if (!take(rest, before_number) || !take_number(rest, out.entry.number)) return std::nullopt;
        if (!take(rest, before_name) || !take_name(rest, out.entry.name)) return std::nullopt;
        auto const head = line.substr(0, line.size() - rest.size());
        if (!take(rest, before_check)) return std::nullopt;
        auto const check = rest.substr(0, 16);
        rest.remove_prefix(check.size());
        for (auto const kind : {message, text, bytes, made}) {
            if (!take(rest, kind)) continue;
            if (check != check_of(head, kind) || !rest.ends_with(end_of(kind))) return std::nullopt;
            rest.remove_suffix(end_of(kind).size());
            out.entry.made = kind == made;
            out.content = rest;
            if (kind == message) return out;
            room.clear();
            if (kind == text && !json::append_unescaped(room, rest)) return std::nullopt;
            if (kind == bytes && !base64::append_decoded(room, rest)) return std::nullopt;
            if (kind == made && !rest.empty()) return std::nullopt;
            out.content = room;
            return out;
        }
        return std::nullopt;
    }

private:
    // The pieces of a line in their order; one of the last four says what kind of content follows.
    static constexpr std::string_view before_number = "{\"number\":";
    static constexpr std::string_view before_name = ",\"name\":\"";
    static constexpr std::string_view before_check = "\",\"check\":\"";
    static constexpr std::string_view message = "\",\"message\":";
    static constexpr std::string_view text = "\",\"text\":\"";
    static constexpr std::string_view bytes = "\",\"base64\":\"";
    static constexpr std::string_view made = "\",\"made\":true";

    static constexpr std::string_view end_of(std::string_view kind) noexcept {
        return kind.ends_with('"') ? "\"}" : "}";
    }

    /// It can be written as it is: JSON on one line.
    static constexpr bool stands_alone(std::string_view content) noexcept {
        return content.find_first_of("\r\n") == std::string_view::npos && json::valid(content);
    }

    /// 64 bits: enough against damage, and against an id that was made to share another one's file.
    std::string check_of(std::string_view head, std::string_view kind) const {
        return content_hash{key_}(std::string{head}.append(kind), 0).text().substr(0, 16);
    }

    static constexpr bool take(std::string_view& rest, std::string_view wanted) noexcept {
        if (!rest.starts_with(wanted)) return false;
        rest.remove_prefix(wanted.size());
        return true;
    }

    static bool take_number(std::string_view& rest, std::uint64_t& number) noexcept {
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return error == std::errc{};
    }

    /// Lower-case digits only: a name has one spelling.
    static constexpr bool take_name(std::string_view& rest, reference& name) noexcept {
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

    std::uint64_t key_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
