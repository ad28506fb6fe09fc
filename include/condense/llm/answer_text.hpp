// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <condense/detail/ascii.hpp>

// A model's answer as its words are looked at: in lower case, with plain quotes, and phrases with which it may
// begin.

namespace condense {
inline namespace v1 {
namespace detail::wording {

/// An answer in lower case, with plain quotes, and without the adverbs of its first words; of a long one the beginning.
class answer_text {
public:
    static constexpr std::size_t look = 16'384;  ///< bytes of a longer answer

    explicit answer_text(std::string_view text) {
        text = text.substr(0, look);
        for (std::size_t at = 0; at < text.size(); ++at) {
            auto const three = text.substr(at, 3);
            if (three == "\xE2\x80\x99" || three == "\xE2\x80\x98") lowered_.push_back('\''), at += 2;
            else if (three == "\xE2\x80\x9C" || three == "\xE2\x80\x9D") lowered_.push_back('"'), at += 2;
            else if (three == "\xEF\xBB\xBF" && at == 0) at += 2;
            else if (three.substr(0, 2) == "\xC2\xA0") lowered_.push_back(' '), ++at;
            else if (text[at] != '\r') lowered_.push_back(lowered(text[at]));
        }
        for (std::string_view const filler :
             {" really ", " very ", " truly ", " so ", " deeply ", " terribly ", " respectfully ", " therefore ",
              " also ", " simply ", " currently ", " just ", " kindly ", " politely "})
            for (auto at = lowered_.find(filler); at < 240; at = lowered_.find(filler, at))
                lowered_.erase(at, filler.size() - 1);
    }
    std::string_view all() const noexcept { return lowered_; }

private:
    std::string lowered_;
};

/// Nothing but spaces and control characters.
inline bool says_nothing(std::string_view text) noexcept {
    for (char const byte : text)
        if (static_cast<unsigned char>(byte) > 0x20 && byte != 0x7F) return false;
    return true;
}
inline std::string_view without(std::string_view text, std::string_view ends) noexcept {
    auto const begin = text.find_first_not_of(ends);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(ends) + 1 - begin);
}
inline std::string_view trimmed(std::string_view text) noexcept { return without(text, " \t\r\n"); }
inline std::string_view first_line(std::string_view text) noexcept { return text.substr(0, text.find('\n')); }
inline bool is_word_byte(char byte) noexcept {
    return is_letter(byte) || is_digit(byte) || byte == '_' || static_cast<unsigned char>(byte) >= 0x80;
}

template <std::size_t Size>
bool contains_any(std::string_view text, char const* const (&phrases)[Size]) noexcept {
    for (std::string_view const phrase : phrases)
        if (text.find(phrase) != std::string_view::npos) return true;
    return false;
}
/// Begins with one of the phrases as whole words; gives its length, else 0.
template <std::size_t Size>
std::size_t begins_with_any(std::string_view text, char const* const (&phrases)[Size]) noexcept {
    for (std::string_view const phrase : phrases)
        if (text.starts_with(phrase) &&
            (text.size() == phrase.size() || !is_word_byte(phrase.back()) || !is_word_byte(text[phrase.size()]) ||
             static_cast<unsigned char>(phrase.back()) >= 0x80))
            return phrase.size();
    return 0;
}

/// Begins with one of them, which need not be a whole word.
template <std::size_t Size>
bool begins_with_part_of(std::string_view text, char const* const (&phrases)[Size]) noexcept {
    for (std::string_view const phrase : phrases)
        if (text.starts_with(phrase)) return true;
    return false;
}

}  // namespace detail::wording
}  // namespace v1
}  // namespace condense
