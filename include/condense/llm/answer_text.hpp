// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <condense/detail/ascii.hpp>

// A model's answer in the form in which its words are searched, and the searches for phrases.

namespace condense {
inline namespace v1 {
namespace detail::wording {

/// The beginning of an answer in lower case, with plain quotes, and without adverbs in its first 240 bytes.
class answer_text {
public:
    static constexpr std::size_t size_limit = 16'384;  ///< bytes; the rest of a longer answer is not searched

    /// Copies at most `size_limit` bytes.
    explicit answer_text(std::string_view text) {
        text = text.substr(0, size_limit);
        for (std::size_t index = 0; index < text.size(); ++index) {
            auto const sequence = text.substr(index, 3);
            if (sequence == "\xE2\x80\x99" || sequence == "\xE2\x80\x98") lowered_.push_back('\''), index += 2;
            else if (sequence == "\xE2\x80\x9C" || sequence == "\xE2\x80\x9D") lowered_.push_back('"'), index += 2;
            else if (sequence == "\xEF\xBB\xBF" && index == 0) index += 2;
            else if (sequence.substr(0, 2) == "\xC2\xA0") lowered_.push_back(' '), ++index;
            else if (text[index] != '\r') lowered_.push_back(lowered(text[index]));
        }
        // Adverbs would multiply the phrases: "i really cannot" is "i cannot".
        for (std::string_view const filler :
             {" really ", " very ", " truly ", " so ", " deeply ", " terribly ", " respectfully ", " therefore ",
              " also ", " simply ", " currently ", " just ", " kindly ", " politely "})
            for (auto position = lowered_.find(filler); position < 240; position = lowered_.find(filler, position))
                lowered_.erase(position, filler.size() - 1);
    }
    /// Valid while this object lives.
    std::string_view all() const noexcept { return lowered_; }

private:
    std::string lowered_;
};

/// True if there is nothing but spaces and control characters.
inline bool says_nothing(std::string_view text) noexcept {
    for (char const byte : text)
        if (static_cast<unsigned char>(byte) > 0x20 && byte != 0x7F) return false;
    return true;
}
/// The text without the characters of `ends` at both ends.
inline std::string_view without(std::string_view text, std::string_view ends) noexcept {
    auto const begin = text.find_first_not_of(ends);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(ends) + 1 - begin);
}
inline std::string_view trimmed(std::string_view text) noexcept { return without(text, " \t\r\n"); }
inline std::string_view first_line(std::string_view text) noexcept { return text.substr(0, text.find('\n')); }
/// True for letters, digits, `_`, and every byte of a letter beyond ASCII.
inline bool is_word_byte(char byte) noexcept {
    return is_letter(byte) || is_digit(byte) || byte == '_' || static_cast<unsigned char>(byte) >= 0x80;
}

/// True if the text contains one of the phrases, in the middle of a word, too.
template <std::size_t Size>
bool contains_any(std::string_view text, char const* const (&phrases)[Size]) noexcept {
    for (std::string_view const phrase : phrases)
        if (text.find(phrase) != std::string_view::npos) return true;
    return false;
}
/// The length of the first phrase with which the text begins as whole words; 0 for none.
template <std::size_t Size>
std::size_t begins_with_any(std::string_view text, char const* const (&phrases)[Size]) noexcept {
    for (std::string_view const phrase : phrases)
        if (text.starts_with(phrase) &&
            (text.size() == phrase.size() || !is_word_byte(phrase.back()) || !is_word_byte(text[phrase.size()]) ||
             static_cast<unsigned char>(phrase.back()) >= 0x80))
            return phrase.size();
    return 0;
}

/// True if the text begins with one of the phrases, which need not end at a word's end.
template <std::size_t Size>
bool begins_with_part_of(std::string_view text, char const* const (&phrases)[Size]) noexcept {
    for (std::string_view const phrase : phrases)
        if (text.starts_with(phrase)) return true;
    return false;
}

}  // namespace detail::wording
}  // namespace v1
}  // namespace condense
