// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/detail/ascii.hpp>
#include <condense/detail/saturate.hpp>

// A wording with places for numbers, found in text of any case: "prompt is too long: # tokens > % maximum".
// Each step looks a fixed number of bytes ahead and none is undone, so that the cost has a bound.

namespace condense {
inline namespace v1 {
namespace detail {

/// What the numbers of a wording said; 0 where it has none.
struct phrase_numbers {
    std::uint64_t first = 0;  ///< the sum of all `#`
    std::uint64_t second = 0;  ///< `%`

    friend constexpr bool operator==(phrase_numbers, phrase_numbers) = default;
};

constexpr bool blank(char byte) noexcept { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

/// Reads one phrase at the beginning of a text. In a phrase, which is in lower case, `#` and `%` are
/// numbers, `*` skips to the next place of what follows it, `~` skips up to 12 bytes that are no letters
/// or digits, and a space is any white space, because terminals and logs break lines.
class phrase_reader {
public:
    static constexpr std::size_t skip_limit = 200;  ///< of `*`: answers need 110, and escaped ones some more
    static constexpr std::size_t sign_limit = 12;
    static constexpr std::size_t blank_limit = 64;

    constexpr explicit phrase_reader(std::string_view text) noexcept : text_{text} {}

    constexpr std::optional<phrase_numbers> read(std::string_view phrase) noexcept {
        phrase_numbers found;
        while (!phrase.empty()) {
            char const sign = phrase.front();
            bool fits = true;
            if (sign == '#') fits = number(found.first);
            else if (sign == '%') fits = number(found.second);
            else if (sign == '~') skip_signs();
            else if (sign != '*') fits = literal(phrase.substr(0, 1));
            else {
                auto const words = phrase.substr(1, phrase.find_first_of("#%~*", 1) - 1);
                fits = skip_to(words);
                phrase.remove_prefix(words.size());
            }
            if (!fits) return std::nullopt;
            phrase.remove_prefix(1);
        }
        return found;
    }

private:
    constexpr bool literal(std::string_view words) noexcept {
        auto at = at_;
        for (char const wanted : words) {
            if (at == text_.size()) return false;
            if (wanted == ' ') {
                auto const begin = at;
                for (std::size_t step = 1; step != 0 && at < begin + blank_limit; at += step) step = blank_at(at);
                if (at == begin) return false;
            } else if (lowered(text_[at++]) != wanted) return false;
        }
        at_ = at;
        return true;
    }

    /// The size of one white space, which strings within strings write as \n or \\n; 0 for anything else.
    constexpr std::size_t blank_at(std::size_t at) const noexcept {
        auto const rest = text_.substr(at, sign_limit);
        if (!rest.empty() && blank(rest.front())) return 1;
        auto const letter = rest.find_first_not_of('\\');
        if (letter == 0 || letter == std::string_view::npos) return 0;
        return rest[letter] == 'n' || rest[letter] == 'r' || rest[letter] == 't' ? letter + 1 : 0;
    }

    constexpr bool skip_to(std::string_view words) noexcept {
        for (auto const end = at_ + skip_limit; at_ < text_.size() && at_ < end; ++at_)
            if (literal(words)) return true;
        return false;
    }

    constexpr void skip_signs() noexcept {
        auto const other = [](char byte) {
            return !is_digit(byte) && (lowered(byte) < 'a' || lowered(byte) > 'z');
        };
        for (auto const end = at_ + sign_limit; at_ < text_.size() && at_ < end && other(text_[at_]);) ++at_;
    }

    /// 128000, 128,000 or 128_000; a separator counts only between groups of three.
    constexpr bool number(std::uint64_t& sum) noexcept {
        auto const begin = at_;
        std::uint64_t value = 0;
        while (at_ < text_.size()) {
            char const byte = text_[at_];
            if (is_digit(byte)) value = add_capped(mul_capped(value, 10), static_cast<std::uint64_t>(byte - '0'));
            else if (at_ == begin || !separator()) break;
            ++at_;
        }
        sum = add_capped(sum, value);
        return at_ != begin;
    }

    constexpr bool separator() const noexcept {
        if ((text_[at_] != ',' && text_[at_] != '_') || text_.size() - at_ < 4) return false;
        for (std::size_t next = 1; next <= 3; ++next)
            if (!is_digit(text_[at_ + next])) return false;
        return text_.size() - at_ == 4 || !is_digit(text_[at_ + 4]);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// The first four bytes of phrases, which must be literal: most places of a text are passed by at once.
class phrase_starts {
public:
    constexpr void add(std::string_view phrase) noexcept {
        std::uint32_t four = 0;
        for (char const byte : phrase.substr(0, 4)) four = next(four, byte);
        bits_[slot(four) / 64] |= std::uint64_t{1} << slot(four) % 64;
    }
    /// The last four bytes of a text with one more.
    static constexpr std::uint32_t next(std::uint32_t four, char byte) noexcept {
        return four << 8 | static_cast<unsigned char>(lowered(byte));
    }
    /// Never false for an added start, seldom true for other bytes.
    constexpr bool may_be(std::uint32_t four) const noexcept {
        return (bits_[slot(four) / 64] >> slot(four) % 64 & 1u) != 0;
    }

private:
    static constexpr std::uint32_t slot(std::uint32_t four) noexcept { return (four * 0x9E37'79B1u) >> 20; }

    std::uint64_t bits_[64] = {};
};

/// Whether `text` begins with the phrase, and its numbers.
constexpr std::optional<phrase_numbers> phrase_at(std::string_view text, std::string_view phrase) noexcept {
    return phrase_reader{text}.read(phrase);
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
