// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/detail/utf8.hpp>

// Reads JSON in place: no tree, no recursion, a limit on depth. `json::valid(text)` accepts what
// RFC 8259 accepts, in valid UTF-8.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// The deepest nesting that is read; deeper text is refused, never followed.
inline constexpr std::size_t depth_limit = 128;

class scanner {
public:
    explicit constexpr scanner(std::string_view text) noexcept : text_{text} {}

    constexpr bool whole() noexcept {
        bool in_object[depth_limit] = {};
        std::size_t depth = 0;
        bool wants_value = true;
        for (;;) {
            skip_space();
            if (wants_value) {
                if (take('{') || take('[')) {
                    bool const object = text_[at_ - 1] == '{';
                    if (depth == depth_limit) return false;
                    in_object[depth++] = object;
                    skip_space();
                    if (!take(object ? '}' : ']')) {
                        if (object && !key()) return false;
                        continue;
                    }
                    --depth;
                } else if (!scalar()) return false;
                wants_value = false;
            }
            skip_space();
            if (depth == 0) return at_ == text_.size();
            bool const object = in_object[depth - 1];
            if (take(',')) {
                if (object && !key()) return false;
                wants_value = true;
            } else if (take(object ? '}' : ']')) --depth;
            else return false;
        }
    }

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

    constexpr bool key() noexcept {
        skip_space();
        if (!string()) return false;
        skip_space();
        return take(':');
    }

    constexpr bool scalar() noexcept {
        if (at_ == text_.size()) return false;
        switch (text_[at_]) {
            case '"': return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
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

    constexpr bool string() noexcept {
        if (!take('"')) return false;
        while (at_ != text_.size()) {
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

    std::string_view text_;
    std::size_t at_ = 0;
};

constexpr bool valid(std::string_view text) noexcept { return scanner{text}.whole(); }

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
