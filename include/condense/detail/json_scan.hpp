// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <condense/detail/utf8.hpp>

// Reads JSON in place: no tree, no allocation, no recursion, a limit on depth. `json::valid(text)` accepts what RFC
// 8259 accepts, in valid UTF-8; a `json::scanner` reads the same text token by token.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// The deepest nesting that is read; deeper text is refused.
inline constexpr std::size_t depth_limit = 128;

/// What the scanner reads. `yes` and `no` are true and false; `done` and `bad` end a text.
enum class token : std::uint8_t { object, array, close, key, string, number, yes, no, null, done, bad };

/// True for the tokens that begin a container.
constexpr bool opens(token kind) noexcept { return kind <= token::array; }

/// How many of the eight bytes of a word, from its first on, need no look in a string: printable ASCII that needs no
/// escape. Never too many.
constexpr std::size_t plain_bytes(std::uint64_t word) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    constexpr std::uint64_t highs = 0x8080808080808080u;
    auto const quote = word ^ (ones * '"');
    auto const slash = word ^ (ones * '\\');
    // A high bit for each byte below 0x20, equal to one of the two, or outside ASCII.
    auto const stops = ((word - ones * 0x20) | (quote - ones) | (slash - ones) | word) & highs;
    if constexpr (std::endian::native == std::endian::little)
        return static_cast<std::size_t>(std::countr_zero(stops)) / 8;
    else return stops == 0 ? 8 : 0;
}

/// Call `next()` until it returns `done`, or `bad` where the text stops being JSON, and nothing after that. The text
/// must outlive the scanner and all views from it.
class scanner {
public:
    explicit constexpr scanner(std::string_view text) noexcept : text_{text} {}

    /// Reads one token. Separators are checked and skipped; linear over the whole text.
    constexpr token next() noexcept {
        skip_space();
        if (state_ != state::value) {
            bool const first = state_ == state::opened;
            if (depth_ == 0) return position_ == text_.size() ? token::done : token::bad;
            bool const in_object = in_object_[depth_ - 1];
            begin_ = position_;
            if (take(in_object ? '}' : ']')) {
                state_ = state::after;
                end_ = position_;
                --depth_;
                return token::close;
            }
            if (!first && !take(',')) return token::bad;
            if (in_object) return key();
            if (!first) skip_space();
        }
        return value();
    }

    /// After `object` or `array`: skips the container and returns its text; empty if it is not JSON.
    constexpr std::string_view skip() noexcept {
        auto const begin = begin_;
        for (auto const outer_depth = depth_ - 1; depth_ != outer_depth;)
            if (next() == token::bad) return {};
        return text_.substr(begin, position_ - begin);
    }

    /// The same for text that is known to be JSON, several times as fast: looks for brackets and quotes only. Text that
    /// stops within the container is skipped to its end.
    constexpr std::string_view skip_known() noexcept {
        auto const begin = begin_;
        for (std::size_t open = 1; open != 0 && position_ < text_.size();) {
            auto const byte = text_[position_++];
            if (byte == '{' || byte == '[') ++open;
            else if (byte == '}' || byte == ']') --open;
            else if (byte == '"') skip_known_string();
        }
        end_ = position_;
        state_ = state::after;
        --depth_;
        return text_.substr(begin, position_ - begin);
    }

    /// The spelling of the latest token; of a key or string with its quotes.
    constexpr std::string_view text() const noexcept { return text_.substr(begin_, end_ - begin_); }
    /// How many containers are open.
    constexpr std::size_t depth() const noexcept { return depth_; }

private:
    /// Consumes one byte if it is this one.
    constexpr bool take(char byte) noexcept {
        if (position_ == text_.size() || text_[position_] != byte) return false;
        ++position_;
        return true;
    }

    constexpr void skip_space() noexcept {
        while (position_ != text_.size() && (text_[position_] == ' ' || text_[position_] == '\n' ||
                                             text_[position_] == '\r' || text_[position_] == '\t'))
            ++position_;
    }

    /// A key and its colon.
    constexpr token key() noexcept {
        skip_space();
        begin_ = position_;
        if (!string()) return token::bad;
        end_ = position_;
        skip_space();
        state_ = state::value;
        return take(':') ? token::key : token::bad;
    }

    /// A scalar, or the beginning of a container, whose end is a token of its own.
    constexpr token value() noexcept {
        begin_ = position_;
        if (position_ == text_.size()) return token::bad;
        state_ = state::after;
        switch (text_[position_]) {
            case '{': return open(token::object);
            case '[': return open(token::array);
            case '"': return scalar(string(), token::string);
            case 't': return scalar(literal("true"), token::yes);
            case 'f': return scalar(literal("false"), token::no);
            case 'n': return scalar(literal("null"), token::null);
            default: return scalar(number(), token::number);
        }
    }

    /// Containers above the limit are no JSON.
    constexpr token open(token kind) noexcept {
        if (depth_ == depth_limit) return token::bad;
        in_object_[depth_++] = kind == token::object;
        state_ = state::opened;
        end_ = ++position_;
        return kind;
    }

    constexpr token scalar(bool is_valid, token kind) noexcept {
        end_ = position_;
        return is_valid ? kind : token::bad;
    }

    /// Consumes true, false or null.
    constexpr bool literal(std::string_view text) noexcept {
        if (text_.substr(position_, text.size()) != text) return false;
        position_ += text.size();
        return true;
    }

    /// Consumes decimal digits and returns how many.
    constexpr std::size_t digits() noexcept {
        auto const begin = position_;
        while (position_ != text_.size() && text_[position_] >= '0' && text_[position_] <= '9') ++position_;
        return position_ - begin;
    }

    /// Consumes a number by RFC 8259: no plus sign, no leading zeros, digits on both sides of a point.
    constexpr bool number() noexcept {
        take('-');
        if (!take('0') && digits() == 0) return false;
        if (take('.') && digits() == 0) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            if (digits() == 0) return false;
        }
        return true;
    }

    static constexpr bool is_hex(char digit) noexcept {
        return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F');
    }

    /// Consumes an escape after its backslash.
    constexpr bool escape() noexcept {
        if (position_ == text_.size()) return false;
        auto const kind = text_[position_++];
        if (kind != 'u')
            return kind == 'n' || kind == '"' || kind == '\\' || kind == '/' || kind == 'b' || kind == 'f' ||
                   kind == 'r' || kind == 't';
        for (int digit = 0; digit < 4; ++digit, ++position_)
            if (position_ == text_.size() || !is_hex(text_[position_])) return false;
        return true;
    }

    /// Skips bytes of a string that need no look, eight at once; may stop early.
    constexpr void skip_plain() noexcept {
        if (std::is_constant_evaluated()) return;
        std::size_t plain = 8;
        for (std::uint64_t word = 0; plain == 8 && text_.size() - position_ >= 8; position_ += plain) {
            std::memcpy(&word, text_.data() + position_, 8);
            plain = plain_bytes(word);
        }
    }

    /// Consumes the rest of a string, after its first quote, that is known to be well-formed.
    constexpr void skip_known_string() noexcept {
        for (skip_plain(); position_ < text_.size(); skip_plain()) {
            auto const byte = text_[position_++];
            if (byte == '"') return;
            position_ += byte == '\\' && position_ < text_.size() ? 1u : 0u;
        }
    }

    /// Consumes a string with its quotes. False for control bytes, bad escapes and ill-formed UTF-8.
    constexpr bool string() noexcept {
        if (!take('"')) return false;
        while (position_ != text_.size()) {
            skip_plain();
            if (position_ == text_.size()) return false;
            auto const byte = static_cast<unsigned char>(text_[position_]);
            if (byte == '"') return take('"');
            if (byte < 0x20) return false;
            if (byte == '\\') {
                ++position_;
                if (!escape()) return false;
                continue;
            }
            auto const point = utf8::decode(text_, position_);
            if (!point.valid) return false;
            position_ += point.size;
        }
        return false;
    }

    /// What comes next: a value; the first member or element of a container; or a comma or the end of one.
    enum class state : std::uint8_t { value, opened, after };

    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t begin_ = 0;  ///< of the latest token
    std::size_t end_ = 0;
    std::size_t depth_ = 0;
    state state_ = state::value;
    bool in_object_[depth_limit] = {};  ///< by level: an object, or else an array
};

/// True for one JSON value. Linear.
constexpr bool valid(std::string_view text) noexcept {
    scanner scan{text};
    for (;;) {
        auto const kind = scan.next();
        if (kind >= token::done) return kind == token::done;
    }
}

}  // namespace detail::json

/// True for one JSON value, nested no deeper than 128, as the arguments of a call must be.
constexpr bool is_json(std::string_view text) noexcept { return detail::json::valid(text); }

}  // namespace v1
}  // namespace condense
