// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/words.hpp>

// Finds what an answer may have taken from earlier messages: names, ids, paths, numbers, quoted strings.
// each_item(text, [](item_kind kind, std::string_view item) { … }).

namespace condense {
inline namespace v1 {

/// Kinds of items that a message may take from earlier ones. Of an item found as several kinds the first listed counts.
enum class item_kind : std::uint8_t {
    word,  ///< a name with a case hump, an underscore or a dot: `parse_json`, `retryCount`
    id,  ///< letters and digits mixed, such as a hash or an order number
    path,  ///< of a file, or a URL
    number,  ///< of three digits or more
    quoted,  ///< a string in quotes or backticks
};
inline constexpr std::size_t item_kinds = 5;

/// The enumerator's name, as tables show it.
constexpr std::string_view name(item_kind kind) noexcept {
    switch (kind) {
        case item_kind::word: return "word";
        case item_kind::id: return "id";
        case item_kind::path: return "path";
        case item_kind::number: return "number";
        case item_kind::quoted: break;
    }
    return "quoted";
}

namespace detail {

/// The longest item, in bytes: longer runs are data rather than names.
inline constexpr std::size_t item_most = 200;
/// Sizes of quoted items, in bytes: shorter strings occur by chance, longer ones are prose.
inline constexpr std::size_t quoted_least = 4;
inline constexpr std::size_t quoted_most = 80;

/// `text` from its first to its last byte that belongs to a word; empty if there is none.
constexpr std::string_view within_words(std::string_view text) noexcept {
    while (!text.empty() && !is_word_byte(text.front())) text.remove_prefix(1);
    while (!text.empty() && !is_word_byte(text.back())) text.remove_suffix(1);
    return text;
}

/// Counts of a piece's bytes by kind, which tell names, ids and numbers apart.
struct word_shape {
    std::size_t letters = 0;
    std::size_t digits = 0;
    std::size_t others = 0;  ///< bytes of characters outside ASCII
    std::size_t longest = 0;  ///< the longest run of letters
    std::size_t changes = 0;  ///< from a letter to a digit or back
    bool hump = false;  ///< an upper letter after a lower one
    bool underscore = false;
    bool dot = false;
    bool dash = false;

    constexpr explicit word_shape(std::string_view text) noexcept {
        std::size_t run = 0;
        unsigned char previous = 0;
        for (char const byte : text) {
            auto const kind = kind_of(byte);
            bool const letter = (kind & (lower_letter | upper_letter)) != 0;
            run = letter ? run + 1 : 0;
            longest = run > longest ? run : longest;
            letters += letter ? 1u : 0u;
            digits += kind == digit_byte ? 1u : 0u;
            others += kind == wide_byte ? 1u : 0u;
            changes += (letter && previous == digit_byte) ||
                               (kind == digit_byte && (previous & (lower_letter | upper_letter)) != 0)
                           ? 1u
                           : 0u;
            hump = hump || (kind == upper_letter && previous == lower_letter);
            underscore = underscore || kind == underscore_byte;
            dot = dot || byte == '.';
            dash = dash || byte == '-';
            previous = kind;
        }
    }
};

/// Calls f for a piece of word bytes, dots and dashes if it is a number, an id or a name; else, if `split`, for those
/// among the pieces between its dashes. Plain words are no items: any answer may have them by chance.
template <class Function>
constexpr void classify_name(std::string_view piece, Function& f, bool split = true) {
    piece = within_words(piece);
    if (piece.size() < 3 || piece.size() > item_most) return;
    word_shape const shape{piece};
    if (shape.letters == 0 && shape.others == 0 && !shape.underscore) {
        if (shape.digits >= 3) f(item_kind::number, piece);
        return;
    }
    // Ids mix letters and digits; those with a hump are names of code, unless they change often, as hashes do.
    bool const mixed = shape.letters != 0 && shape.digits != 0 && shape.letters + shape.digits >= 6;
    // Names of code have a hump, an underscore or a dot, and somewhere two letters in a row.
    bool const named = (shape.hump || shape.underscore || (shape.dot && piece.size() > 3)) && shape.longest > 1;
    if (mixed && !shape.dot && !shape.underscore && (shape.changes >= 3 || !shape.hump)) return f(item_kind::id, piece);
    if (named && !shape.dash) return f(item_kind::word, piece);
    if (!shape.dash || !split) return;
    for (std::size_t begin = 0; begin <= piece.size();) {
        auto const dash = piece.find('-', begin);
        auto const end = dash == std::string_view::npos ? piece.size() : dash;
        classify_name(piece.substr(begin, end - begin), f, false);
        begin = end + 1;
    }
}

/// The same for a piece with slashes: a path if it looks like one (it is rooted, has two slashes, or a dot in its last
/// part), else the pieces between the slashes, as in `and/or`.
template <class Function>
constexpr void classify_path(std::string_view piece, Function& f) {
    std::size_t slashes = 0;
    auto last = std::string_view::npos;
    for (std::size_t index = 0; index < piece.size(); ++index)
        if (piece[index] == '/') ++slashes, last = index;
    if (slashes == 0) return classify_name(piece, f);
    auto const inner = within_words(piece);
    bool const rooted = piece.front() == '/' || piece.front() == '.' || piece.front() == '~';
    bool const is_path = rooted || slashes > 1 || piece.find('.', last) != std::string_view::npos;
    if (is_path && inner.find('/') != std::string_view::npos) {
        if (inner.size() <= item_most && word_shape{inner}.letters != 0) f(item_kind::path, inner);
        return;
    }
    for (std::size_t begin = 0; begin <= piece.size();) {
        auto const slash = piece.find('/', begin);
        auto const end = slash == std::string_view::npos ? piece.size() : slash;
        classify_name(piece.substr(begin, end - begin), f);
        begin = end + 1;
    }
}

/// Calls f for the items of a run of chunk bytes: a URL to its end, and the pieces before it between the separators.
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
        auto end = begin;
        for (; end < front.size(); ++end) {
            auto const byte = front[end];
            if (kind_of(byte) != separating_byte) continue;
            bool const between_digits =
                end != 0 && end + 1 < front.size() && is_digit(front[end - 1]) && is_digit(front[end + 1]);
            if (!between_digits || (byte != ',' && byte != ':')) break;  // 1,234 and 12:30 are one piece
        }
        if (end > begin) classify_path(front.substr(begin, end - begin), f);
        begin = end + 1;
    }
}

/// The content of the quoted string that opens at `begin`, of at most 80 bytes on one line. Empty if there is none, if
/// the quote is an apostrophe within a word, or if the string is the key of a JSON member, which a colon follows.
constexpr std::string_view quoted_at(std::string_view text, std::size_t begin) noexcept {
    if (begin != 0 && is_word_byte(text[begin - 1])) return {};
    bool const escaped = begin != 0 && text[begin - 1] == '\\';  // quotes of a string within a string
    for (auto end = begin + 1; end < text.size() && end - begin <= quoted_most + 1; ++end) {
        if (text[end] == '\n') return {};
        auto after = end;
        if (text[end] == '\\') {
            ++after;
            if (!escaped || after == text.size() || text[after] != text[begin]) return {};
        } else if (text[end] != text[begin]) continue;
        ++after;
        if (after < text.size() && is_word_byte(text[after])) return {};
        for (auto const limit = after + 3; after < text.size() && after < limit && text[after] == ' ';) ++after;
        if (text[begin] == '"' && after < text.size() && text[after] == ':') return {};
        return text.substr(begin + 1, end - begin - 1);
    }
    return {};
}

}  // namespace detail

/// Calls f(kind, item) for each item of a text. The same item may come again, and an item may
/// be part of another (a name within a quoted string). Items begin and end with a byte of a word and are views into
/// `text`. Linear in the text, whatever it is.
template <class Function>
constexpr void each_item(std::string_view text, Function&& f) {
    std::size_t unquoted = 0;  // where the latest quoted string ends: its closing quote opens no other
    for (std::size_t position = 0; position < text.size();) {
        auto const byte = text[position];
        if ((byte == '"' || byte == '\'' || byte == '`') && position >= unquoted) {
            auto const content = detail::quoted_at(text, position);
            if (!content.empty()) unquoted = position + content.size() + 2;
            auto const inner = detail::within_words(content);
            if (inner.size() >= detail::quoted_least) f(item_kind::quoted, inner);
        }
        if (byte == '\\') {
            position += detail::escape_size(text, position);
            continue;
        }
        // A run of bytes that may occur in an item without quotes. Most are plain words, with signs behind them, and
        // hold no item: they are passed over without a second look.
        auto const begin = position;
        unsigned kinds = 0;
        unsigned signs = 0;  // behind the latest byte of a word
        for (; position < text.size(); ++position) {
            auto const kind = detail::kind_of(text[position]);
            if (kind == 0) break;
            if ((kind & detail::word_byte) == 0) signs |= kind;
            else {
                kinds |=
                    signs | (position == begin && kind == detail::upper_letter ? unsigned{detail::lower_letter} : kind);
                signs = 0;
            }
        }
        if (position == begin) ++position;
        else if ((kinds & ~unsigned{detail::lower_letter}) != 0)
            detail::classify_chunk(text.substr(begin, position - begin), f);
    }
}

}  // namespace v1
}  // namespace condense
