// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <condense/detail/utf8.hpp>

// Reads JSON in place: no tree, no allocation, no recursion, a limit on depth. `json::valid(text)` accepts
// what RFC 8259 accepts, in valid UTF-8; a `json::scanner` hands out the same text token by token.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// The deepest nesting that is read; deeper text is refused.
inline constexpr std::size_t depth_limit = 128;

enum class token : std::uint8_t { object, array, close, key, string, number, yes, no, null, done, bad };

constexpr bool opens(token kind) noexcept { return kind <= token::array; }

/// Call `next()` until it returns `done`, or `bad` where the text stops being JSON, and nothing after that.
class scanner {
public:
    explicit constexpr scanner(std::string_view text) noexcept : text_{text} {}

    constexpr token next() noexcept {
        skip_space();
        if (state_ != state::value) {
            bool const first = state_ == state::opened;
            if (depth_ == 0) return at_ == text_.size() ? token::done : token::bad;
            bool const object = in_object_[depth_ - 1];
            begin_ = at_;
            if (take(object ? '}' : ']')) {
                state_ = state::after;
                end_ = at_;
                --depth_;
                return token::close;
            }
            if (!first && !take(',')) return token::bad;
            if (object) return key();
            if (!first) skip_space();
        }
        return value();
    }

    /// After `object` or `array`: skips the container and returns its text; empty if it is not JSON.
    constexpr std::string_view skip() noexcept {
        auto const from = begin_;
        for (auto const outside = depth_ - 1; depth_ != outside;)
            if (next() == token::bad) return {};
        return text_.substr(from, at_ - from);
    }

    /// The spelling of the latest token; of a key or string with its quotes.
    constexpr std::string_view text() const noexcept { return text_.substr(begin_, end_ - begin_); }
    /// How many containers are open.
    constexpr std::size_t depth() const noexcept { return depth_; }

private:
    constexpr bool take(char wanted) noexcept {
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    constexpr void skip_space() noexcept {
        while (at_ != text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }

    constexpr token key() noexcept {
        skip_space();
        begin_ = at_;
        if (!string()) return token::bad;
        end_ = at_;
        skip_space();
        state_ = state::value;
        return take(':') ? token::key : token::bad;
    }

    constexpr token value() noexcept {
        begin_ = at_;
        if (at_ == text_.size()) return token::bad;
        state_ = state::after;
        switch (text_[at_]) {
            case '{': return open(token::object);
            case '[': return open(token::array);
            case '"': return scalar(string(), token::string);
            case 't': return scalar(word("true"), token::yes);
            case 'f': return scalar(word("false"), token::no);
            case 'n': return scalar(word("null"), token::null);
            default: return scalar(number(), token::number);
        }
    }

    constexpr token open(token kind) noexcept {
        if (depth_ == depth_limit) return token::bad;
        in_object_[depth_++] = kind == token::object;
        state_ = state::opened;
        end_ = ++at_;
        return kind;
    }

    constexpr token scalar(bool read, token kind) noexcept {
        end_ = at_;
        return read ? kind : token::bad;
    }

    constexpr bool word(std::string_view wanted) noexcept {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }

    constexpr std::size_t digits() noexcept {
        auto const begin = at_;
        while (at_ != text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ - begin;
    }

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

    constexpr bool escape() noexcept {
        if (at_ == text_.size()) return false;
        auto const kind = text_[at_++];
        if (kind != 'u') return std::string_view{"\"\\/bfnrt"}.find(kind) != std::string_view::npos;
        for (int digit = 0; digit < 4; ++digit, ++at_)
            if (at_ == text_.size() || !is_hex(text_[at_])) return false;
        return true;
    }

    /// Skips plain bytes of a string, eight at once.
    constexpr void skip_plain() noexcept {
        if (std::is_constant_evaluated()) return;
        constexpr std::uint64_t ones = 0x0101010101010101u;
        constexpr std::uint64_t highs = 0x8080808080808080u;
        for (; text_.size() - at_ >= 8; at_ += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, text_.data() + at_, 8);
            auto const quote = word ^ (ones * '"');
            auto const slash = word ^ (ones * '\\');
            // A high bit for each byte below 0x20, equal to one of the two, or outside ASCII.
            auto const stops = ((word - ones * 0x20) | (quote - ones) | (slash - ones) | word) & highs;
            if (stops == 0) continue;
            if constexpr (std::endian::native == std::endian::little)
                at_ += static_cast<std::size_t>(std::countr_zero(stops)) / 8;
            return;
        }
    }

    constexpr bool string() noexcept {
        if (!take('"')) return false;
        while (at_ != text_.size()) {
            skip_plain();
            if (at_ == text_.size()) return false;
            auto const byte = static_cast<unsigned char>(text_[at_]);
            if (byte == '"') return take('"');
            if (byte < 0x20) return false;
            if (byte == '\\') {
                ++at_;
                if (!escape()) return false;
                continue;
            }
            auto const found = utf8::decode(text_, at_);
            if (!found.valid) return false;
            at_ += found.size;
        }
        return false;
    }

    enum class state : std::uint8_t { value, opened, after };

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t depth_ = 0;
    state state_ = state::value;
    bool in_object_[depth_limit] = {};
};

constexpr bool valid(std::string_view text) noexcept {
    scanner scan{text};
    for (;;) {
        auto const kind = scan.next();
        if (kind >= token::done) return kind == token::done;
    }
}

}  // namespace detail::json

/// True for one JSON value, nested no deeper than 128, which is required of new arguments of a call.
constexpr bool is_json(std::string_view text) noexcept { return detail::json::valid(text); }

}  // namespace v1
}  // namespace condense
