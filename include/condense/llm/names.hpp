// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <condense/core/part.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/items.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/fence.hpp>

// The names in a part of a message, each with what stands beside it: each_name(part, [](item_kind kind,
// std::string_view name, name_context const& beside) { … }).

namespace condense {
inline namespace v1 {
namespace detail {

/// The longest label of a name, in bytes.
inline constexpr std::size_t label_most = 40;
/// The longest line that is quoted, in bytes.
inline constexpr std::size_t quoted_line_most = 160;

/// True for a word of ASCII letters and underscores, or for nothing: what has digits is a name itself.
constexpr bool is_name_label(std::string_view text) noexcept {
    bool has_letter = text.empty();
    for (char const byte : text) {
        auto const kind = kind_of(byte);
        if ((kind & (lower_letter | upper_letter | underscore_byte)) == 0) return false;
        has_letter = has_letter || kind != underscore_byte;
    }
    if (!has_letter || text.size() > label_most) return false;
    // No name of a speaker, and none of the words that begin lines of a summary.
    for (std::string_view const word :
         {"user", "assistant", "system", "human", "tool", "developer", "failed", "open", "others"})
        if (text.size() == word.size() && begins_with_word(text, word)) return false;
    return true;
}

/// True for text without control characters and without marks that turn its direction or are not seen, which a reader
/// could not tell from what stands around it: U+0000 to 001F, 007F to 009F, 200B to 200F, 2028 to 202E, 2060 to 206F,
/// FEFF, 061C, and the tags from E0000 on. A tab is let through.
constexpr bool is_plain(std::string_view text) noexcept {
    bool ascii = true;
    for (std::size_t index = 0; index < text.size(); ++index) {
        auto const byte = static_cast<unsigned char>(text[index]);
        if (byte >= 0x20 && byte < 0x7F) continue;
        if (byte < 0x80) {
            if (byte != '\t') return false;
            continue;
        }
        ascii = false;
        auto const at = [&](std::size_t place) {
            return place < text.size() ? static_cast<unsigned char>(text[place]) : 0u;
        };
        auto const next = at(index + 1);
        auto const third = at(index + 2);
        if (byte == 0xC2 && next < 0xA0) return false;
        if (byte == 0xE2 && next == 0x80 && ((third >= 0x8B && third <= 0x8F) || (third >= 0xA8 && third <= 0xAE)))
            return false;
        if (byte == 0xE2 && next == 0x81 && third >= 0xA0 && third <= 0xAF) return false;
        if (byte == 0xEF && next == 0xBB && third == 0xBF) return false;
        if ((byte == 0xD8 && next == 0x9C) || (byte == 0xF3 && next == 0xA0)) return false;
    }
    return ascii || utf8::valid(text);
}

/// A line without the space around it.
constexpr std::string_view without_space(std::string_view line) noexcept {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
    return line;
}

/// Where a name stands. Looks no further than some hundred bytes around it, and only when asked.
class name_context {
public:
    /// `key` is that of the JSON value that `text` is; such a value's first line is no line of a text. `size_in_prose`:
    /// of the name, where sentences stand for lines that are too long.
    constexpr name_context(std::string_view text, std::string_view key, bool value, std::size_t begin,
                           std::size_t size_in_prose = 0) noexcept
        : text_{text}, key_{key}, value_{value}, begin_{begin}, size_in_prose_{size_in_prose} {}

    /// The key of the JSON value that holds the name, or else the nearest word of letters within 40 bytes before it on
    /// its line, or the key of the text; empty if there is none.
    constexpr std::string_view label() const noexcept {
        if (auto const key = key_before(); !key.empty()) return key;
        if (auto const word = word_before(); !word.empty()) return word;
        return is_name_label(key_) ? key_ : std::string_view{};
    }
    /// The line with the name, without the space around it; its sentence with the name if it is longer than 160 bytes,
    /// and empty if that is, too.
    constexpr std::string_view line() const noexcept {
        auto const begin = line_begin(quoted_line_most);
        if (value_ && begin == 0) return {};
        auto line = text_.substr(begin, quoted_line_most + 64);
        auto const end = line.find('\n');
        if (end != std::string_view::npos) line = line.substr(0, end);
        bool const is_cut =
            begin_ - begin > quoted_line_most || (end == std::string_view::npos && begin + line.size() < text_.size());
        line = without_space(line);
        return !is_cut && line.size() <= quoted_line_most ? line : sentence();
    }

    /// The offset of the name in its text.
    constexpr std::size_t place() const noexcept { return begin_; }

private:
    /// From a capital behind a full stop, or the beginning of the line, to the next full stop.
    constexpr std::string_view sentence() const noexcept {
        auto const ends_at = [&](std::size_t at) {
            return (text_[at] == '.' || text_[at] == '!' || text_[at] == '?') &&
                   (at + 1 == text_.size() || std::string_view{" \r\n"}.find(text_[at + 1]) != text_.npos);
        };
        auto begin = begin_;
        while (begin > 0 && begin_ - begin <= quoted_line_most && text_[begin - 1] != '\n' &&
               !(begin > 1 && text_[begin - 1] == ' ' && ends_at(begin - 2)))
            --begin;
        if (size_in_prose_ == 0 || begin == begin_ || kind_of(text_[begin]) != upper_letter) return {};
        for (auto end = begin_ + size_in_prose_;
             end < text_.size() && end - begin < quoted_line_most && text_[end] != '\n'; ++end)
            if (ends_at(end)) return text_.substr(begin, end + 1 - begin);
        return {};
    }
    /// Where the line begins, or further back than `reach` if it does not begin within that.
    constexpr std::size_t line_begin(std::size_t reach) const noexcept {
        auto begin = begin_;
        while (begin != 0 && begin_ - begin <= reach && text_[begin - 1] != '\n') --begin;
        return begin;
    }
    constexpr std::string_view key_before() const noexcept {
        auto const begin = line_begin(256);
        for (auto colon = begin_; colon > begin; --colon) {
            if (text_[colon - 1] != ':') continue;
            auto quote = colon - 1;
            while (quote > begin && text_[quote - 1] == ' ') --quote;
            if (quote == begin || text_[--quote] != '"') continue;
            if (quote > begin && text_[quote - 1] == '\\') --quote;
            auto first = quote;
            while (first > begin && is_word_byte(text_[first - 1])) --first;
            auto const word = text_.substr(first, quote - first);
            return is_name_label(word) ? word : std::string_view{};
        }
        return {};
    }
    constexpr std::string_view word_before() const noexcept {
        auto const begin = line_begin(label_most);
        for (auto end = begin_; end > begin;) {
            auto first = end;
            while (first > begin && is_word_byte(text_[first - 1])) --first;
            auto const word = text_.substr(first, end - first);
            bool const is_cut = first == begin && begin != 0 && is_word_byte(text_[begin - 1]);
            if (!word.empty() && !is_cut && is_name_label(word)) return word;
            end = first == end ? end - 1 : first;
        }
        return {};
    }

    std::string_view text_;
    std::string_view key_;
    bool value_;
    std::size_t begin_;
    std::size_t size_in_prose_;
};

/// Calls f(kind, item) for the items of a text; one function for all callers.
inline void each_item_of(std::string_view text, callable_ref<void(item_kind, std::string_view)> f) {
    each_item(text, f);
}

/// Calls f(name) for each run of one to four capitalised words within a sentence: people, places, brands. None of a
/// text in which more than a fourth of the words begin one: headings, and languages that write nouns so.
inline void each_prose_name(std::string_view text, callable_ref<void(std::string_view)> f) {
    // Of what is wide, the letters of Latin: U+00C0 to U+027F.
    auto const byte_at = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    auto const is_latin = [&](std::size_t at) { return byte_at(at) >= 0xC3 && byte_at(at) <= 0xC9; };
    auto const is_lower = [&](std::size_t at) {
        if (at >= text.size()) return false;
        if (kind_of(text[at]) != wide_byte) return kind_of(text[at]) == lower_letter;
        return is_latin(at) || (utf8::continues(text[at]) && at != 0 && is_latin(at - 1));
    };
    auto const begins = [&](std::size_t at) {
        return at < text.size() && kind_of(text[at]) == upper_letter && is_lower(at + 1) && is_lower(at + 2);
    };
    std::size_t words = 0;
    std::size_t names = 0;
    for (bool const counts : {true, false}) {
        for (std::size_t at = 1; at < text.size(); ++at) {
            if (text[at - 1] != ' ' || !is_letter(text[at])) continue;
            words += counts ? 1u : 0u;
            if (at < 2 || !begins(at) || !(is_lower(at - 2) || text[at - 2] == ',')) continue;
            auto const first = at;
            std::size_t run = 0;
            for (bool more = true; more; ++run) {
                ++at;
                while (is_lower(at)) ++at;
                more = at < text.size() && text[at] == ' ' && begins(at + 1);
                if (more) ++at;
            }
            bool const is_word = at == text.size() || !is_word_byte(text[at]) || byte_at(at) >= 0xE2;
            names += counts ? 1u : 0u;
            if (!counts && is_word && run <= 4 && at - first <= quoted_most) f(text.substr(first, at - first));
        }
        if (4 * names > words + 3) return;
    }
}

/// Calls f(kind, name, name_context) for the items of a part, without keys of JSON. Those of arguments are taken from
/// their decoded values, so that no escape becomes part of a name.
template <class Function>
void each_name(part_view const& part, Function&& f) {
    if (part.kind == part_kind::media) return;
    auto const each_in = [&](std::string_view text, std::string_view key, bool value) {
        each_item_of(text, [&](item_kind kind, std::string_view item) {
            auto const begin = static_cast<std::size_t>(item.data() - text.data());
            if (!text.substr(begin + item.size()).starts_with("\":"))
                f(kind, item, name_context{text, key, value, begin, part.kind == part_kind::text ? item.size() : 0});
        });
    };
    if (part.kind != part_kind::tool_call || !json::valid(part.text)) {
        each_in(part.text, {}, false);
        if (part.kind == part_kind::text)
            each_prose_name(part.text, [&](std::string_view name) {
                f(item_kind::quoted, name,
                  name_context{
                      part.text, {}, false, static_cast<std::size_t>(name.data() - part.text.data()), name.size()});
            });
        return;
    }
    json::scanner scan{part.text};
    std::string_view key;
    for (auto token = scan.next(); token != json::token::done; token = scan.next()) {
        auto const text = scan.text();
        if (token == json::token::key) key = text.substr(1, text.size() - 2);
        else if (token == json::token::string) {
            auto const inner = text.substr(1, text.size() - 2);
            bool const escaped = inner.find('\\') != std::string_view::npos;
            if (escaped) each_in(json::string_value(text), key, true);
            else each_in(inner, key, true);
            // A value that is one short string is an item as a whole, as it is in the text of the arguments.
            auto const name = within_words(inner);
            if (!escaped && name.size() >= quoted_least && name.size() <= quoted_most)
                f(item_kind::quoted, name, name_context{name, key, true, 0});
        } else if (token != json::token::object && token != json::token::array && token != json::token::close)
            each_in(text, key, true);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
