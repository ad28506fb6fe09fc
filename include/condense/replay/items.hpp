// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/words.hpp>

// What an answer may have from earlier messages: names, ids, paths, numbers, quoted strings.
// each_item(text, [](item_kind kind, std::string_view item) { … }).

namespace condense {
inline namespace v1 {
namespace detail {

/// The longest item, in bytes.
inline constexpr std::size_t item_most = 200;
inline constexpr std::size_t quoted_least = 4;
inline constexpr std::size_t quoted_most = 80;

/// From its first to its last byte that belongs to a word.
constexpr std::string_view within_words(std::string_view text) noexcept {
    while (!text.empty() && !is_word_byte(text.front())) text.remove_prefix(1);
    while (!text.empty() && !is_word_byte(text.back())) text.remove_suffix(1);
    return text;
}

/// What a name, an id or a number is made of.
struct word_shape {
    std::size_t letters = 0;
    std::size_t digits = 0;
    std::size_t others = 0;
    std::size_t longest = 0;   ///< run of letters
    std::size_t changes = 0;   ///< between letters and digits
    bool hump = false;         ///< an upper letter after a lower one
    bool underscore = false;
    bool dot = false;
    bool dash = false;

    constexpr explicit word_shape(std::string_view text) noexcept {
        std::size_t run = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            auto const byte = text[at];
            auto const before = at == 0 ? '\0' : text[at - 1];
            run = is_letter(byte) ? run + 1 : 0;
            longest = run > longest ? run : longest;
            letters += is_letter(byte) ? 1u : 0u;
            digits += is_digit(byte) ? 1u : 0u;
            others += static_cast<unsigned char>(byte) >= 0x80 ? 1u : 0u;
            changes += (is_letter(byte) && is_digit(before)) || (is_digit(byte) && is_letter(before)) ? 1u : 0u;
            hump = hump || (is_upper(byte) && is_letter(before) && !is_upper(before));
            underscore = underscore || byte == '_';
            dot = dot || byte == '.';
            dash = dash || byte == '-';
        }
    }
};

/// Gives to f a piece of word bytes, dots and dashes as what it is, or what is between its dashes.
template <class Function>
constexpr void classify_name(std::string_view piece, Function& f, bool whole = true) {
    piece = within_words(piece);
    if (piece.size() < 3 || piece.size() > item_most) return;
    word_shape const shape{piece};
    if (shape.letters == 0 && shape.others == 0 && !shape.underscore) {
        if (shape.digits >= 3) f(item_kind::number, piece);
        return;
    }
    bool const mixed = shape.letters != 0 && shape.digits != 0 && shape.letters + shape.digits >= 6;
    bool const named = (shape.hump || shape.underscore || (shape.dot && piece.size() > 3)) && shape.longest > 1;
    if (mixed && !shape.dot && !shape.underscore && (shape.changes >= 3 || !shape.hump)) return f(item_kind::id, piece);
    if (named && !shape.dash) return f(item_kind::word, piece);
    if (!shape.dash || !whole) return;
    for (std::size_t at = 0; at <= piece.size();) {
        auto const past = piece.find('-', at);
        auto const end = past == std::string_view::npos ? piece.size() : past;
        classify_name(piece.substr(at, end - at), f, false);
        at = end + 1;
    }
}

/// The same for one with slashes: a path when it looks like one, else what is between them.
template <class Function>
constexpr void classify_path(std::string_view piece, Function& f) {
    std::size_t slashes = 0;
    auto last = std::string_view::npos;
    for (std::size_t at = 0; at < piece.size(); ++at)
        if (piece[at] == '/') ++slashes, last = at;
    if (slashes == 0) return classify_name(piece, f);
    auto const inner = within_words(piece);
    bool const rooted = piece.front() == '/' || piece.front() == '.' || piece.front() == '~';
    bool const looks_so = rooted || slashes > 1 || piece.find('.', last) != std::string_view::npos;
    if (looks_so && inner.find('/') != std::string_view::npos) {
        if (inner.size() <= item_most && word_shape{inner}.letters != 0) f(item_kind::path, inner);
        return;
    }
    for (std::size_t at = 0; at <= piece.size();) {
        auto const past = piece.find('/', at);
        auto const end = past == std::string_view::npos ? piece.size() : past;
        classify_name(piece.substr(at, end - at), f);
        at = end + 1;
    }
}

constexpr bool is_chunk_byte(char byte) noexcept {
    return is_word_byte(byte) || std::string_view{".-/:@~+%=?&#,"}.find(byte) != std::string_view::npos;
}

/// A run of bytes such as those of URLs: a URL, or pieces between what joins them.
template <class Function>
constexpr void classify_chunk(std::string_view chunk, Function& f) {
    auto const scheme = chunk.find("://");
    auto front = chunk;
    if (scheme != std::string_view::npos) {
        auto begin = scheme;
        while (begin != 0 && is_letter(chunk[begin - 1])) --begin;
        auto const url = within_words(chunk.substr(begin));
        if (begin != scheme && url.size() > scheme - begin + 3 && url.size() <= item_most) f(item_kind::path, url);
        front = chunk.substr(0, begin);
    }
    for (std::size_t begin = 0; begin < front.size();) {
        auto at = begin;
        for (; at < front.size(); ++at) {
            auto const byte = front[at];
            if (std::string_view{":@+%=?&#,"}.find(byte) == std::string_view::npos) continue;
            bool const amid = at != 0 && at + 1 < front.size() && is_digit(front[at - 1]) && is_digit(front[at + 1]);
            if (!amid || (byte != ',' && byte != ':')) break;  // 1,234 and 12:30
        }
        if (at > begin) classify_path(front.substr(begin, at - begin), f);
        begin = at + 1;
    }
}

/// The string in quotes that begin at `at`, without them; nothing where there is none, or it names a JSON member.
constexpr std::string_view quoted_at(std::string_view text, std::size_t at) noexcept {
    if (at != 0 && is_word_byte(text[at - 1])) return {};
    bool const escaped = at != 0 && text[at - 1] == '\\';  // a string in a string
    for (auto past = at + 1; past < text.size() && past - at <= quoted_most + 1; ++past) {
        if (text[past] == '\n') return {};
        auto after = past;
        if (text[past] == '\\') {
            ++after;
            if (!escaped || after == text.size() || text[after] != text[at]) return {};
        } else if (text[past] != text[at]) continue;
        ++after;
        if (after < text.size() && is_word_byte(text[after])) return {};
        for (auto const most = after + 3; after < text.size() && after < most && text[after] == ' ';) ++after;
        if (text[at] == '"' && after < text.size() && text[after] == ':') return {};
        return text.substr(at + 1, past - at - 1);
    }
    return {};
}

}  // namespace detail

/// Calls f(kind, item) for each, of which some may be the same or part of others. An item begins and ends
/// amid what belongs to words. Linear in the text, whatever it is.
template <class Function>
constexpr void each_item(std::string_view text, Function&& f) {
    std::size_t unquoted = 0;
    for (std::size_t at = 0; at < text.size();) {
        auto const byte = text[at];
        if ((byte == '"' || byte == '\'' || byte == '`') && at >= unquoted) {
            auto const found = detail::quoted_at(text, at);
            if (!found.empty()) unquoted = at + found.size() + 2;
            auto const inner = detail::within_words(found);
            if (inner.size() >= detail::quoted_least) f(item_kind::quoted, inner);
        }
        if (byte == '\\') at += detail::escape_size(text, at);
        else if (!detail::is_chunk_byte(byte)) ++at;
        else {
            auto const begin = at;
            while (at < text.size() && detail::is_chunk_byte(text[at])) ++at;
            detail::classify_chunk(text.substr(begin, at - begin), f);
        }
    }
}

}  // namespace v1
}  // namespace condense
