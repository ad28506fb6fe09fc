// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include <condense/detail/ascii.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/detail/words.hpp>

// The terms of a question, and where they occur in a text: words by their stem, identifiers, paths and numbers as they
// stand and by their parts, pairs of characters in scripts without spaces.

namespace condense {
inline namespace v1 {
namespace detail {

/// Words that occur in every text, those by which questions are asked, and what an apostrophe leaves of "it's".
// clang-format off
inline constexpr std::string_view common_words[] = {
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "d", "did", "do", "does", "each", "find", "for", "from", "get", "give", "had", "has", "have", "he",
    "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "know", "ll", "m", "me", "my", "no", "not",
    "of", "on", "or", "our", "out", "over", "please", "re", "s", "say", "says", "she", "should", "show", "so",
    "some", "t", "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "under", "up", "us", "use", "ve", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your"};

/// English words whose forms share no stem, and the form that stands for all.
struct irregular_form {
    std::string_view form;
    std::string_view base;
};
inline constexpr irregular_form irregular_forms[] = {
    {"ate", "eat"}, {"became", "become"}, {"began", "begin"}, {"begun", "begin"}, {"bought", "buy"},
    {"broke", "break"}, {"broken", "break"}, {"brought", "bring"}, {"built", "build"}, {"came", "come"},
    {"caught", "catch"}, {"children", "child"}, {"chose", "choose"}, {"chosen", "choose"}, {"dealt", "deal"},
    {"drank", "drink"}, {"drawn", "draw"}, {"drew", "draw"}, {"driven", "drive"}, {"drove", "drive"},
    {"eaten", "eat"}, {"fallen", "fall"}, {"fed", "feed"}, {"feet", "foot"}, {"fell", "fall"}, {"felt", "feel"},
    {"flew", "fly"}, {"flown", "fly"}, {"forgot", "forget"}, {"forgotten", "forget"}, {"fought", "fight"},
    {"froze", "freeze"}, {"frozen", "freeze"}, {"goes", "go"}, {"going", "go"}, {"gone", "go"}, {"grew", "grow"},
    {"grown", "grow"}, {"heard", "hear"}, {"held", "hold"}, {"hid", "hide"}, {"hidden", "hide"}, {"hung", "hang"},
    {"kept", "keep"}, {"led", "lead"}, {"lent", "lend"}, {"lost", "lose"}, {"made", "make"},
    {"meant", "mean"}, {"men", "man"}, {"met", "meet"}, {"mice", "mouse"}, {"paid", "pay"}, {"ran", "run"},
    {"rang", "ring"}, {"ridden", "ride"}, {"risen", "rise"}, {"rode", "ride"}, {"sang", "sing"},
    {"sat", "sit"}, {"saw", "see"}, {"seen", "see"}, {"sent", "send"}, {"shook", "shake"}, {"shot", "shoot"},
    {"slept", "sleep"}, {"sold", "sell"}, {"spent", "spend"}, {"spoke", "speak"}, {"spoken", "speak"},
    {"stole", "steal"}, {"stolen", "steal"}, {"stood", "stand"}, {"sung", "sing"}, {"swam", "swim"}, {"swum", "swim"},
    {"taken", "take"}, {"taught", "teach"}, {"teeth", "tooth"}, {"thought", "think"}, {"threw", "throw"},
    {"thrown", "throw"}, {"took", "take"}, {"understood", "understand"}, {"went", "go"}, {"wives", "wife"},
    {"woke", "wake"}, {"women", "woman"}, {"won", "win"}, {"wore", "wear"}, {"worn", "wear"}, {"written", "write"},
    {"wrote", "write"}};
// clang-format on

/// Characters from `first` to `last`. Of capitals: how far behind them their small letters are; 1 where each capital
/// stands before its own.
struct point_row {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t distance = 0;
};

/// Capitals of Latin, Greek, Cyrillic and Armenian outside ASCII, and the Greek sigma that ends words. Unicode 15.
inline constexpr point_row capitals[] = {
    {0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},   {0x100, 0x12F, 1},   {0x132, 0x137, 1},  {0x139, 0x148, 1},
    {0x14A, 0x177, 1},  {0x179, 0x17E, 1},  {0x1A0, 0x1A5, 1},   {0x1AF, 0x1B0, 1},  {0x1CD, 0x1DC, 1},
    {0x1DE, 0x1EF, 1},  {0x1F8, 0x21F, 1},  {0x222, 0x233, 1},   {0x386, 0x386, 38}, {0x388, 0x38A, 37},
    {0x38C, 0x38C, 64}, {0x38E, 0x38F, 63}, {0x391, 0x3A1, 32},  {0x3A3, 0x3AB, 32}, {0x3C2, 0x3C2, 1},
    {0x400, 0x40F, 80}, {0x410, 0x42F, 32}, {0x460, 0x481, 1},   {0x48A, 0x4BF, 1},  {0x4C1, 0x4CE, 1},
    {0x4D0, 0x52F, 1},  {0x531, 0x556, 48}, {0x1E00, 0x1E95, 1}, {0x1EA0, 0x1EFF, 1}};

/// Characters outside ASCII between words: blanks, punctuation, signs, what is no character. Unicode 15, without what
/// is rare.
inline constexpr point_row separators[] = {
    {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},       {0xF7, 0xF7},
    {0x37E, 0x37E},   {0x387, 0x387},   {0x55A, 0x55F},   {0x589, 0x58F},   {0x5BE, 0x5BE},     {0x5C0, 0x5C0},
    {0x5C3, 0x5C3},   {0x600, 0x60F},   {0x61B, 0x61F},   {0x66A, 0x66D},   {0x6D4, 0x6D4},     {0x964, 0x965},
    {0x104A, 0x104F}, {0x1360, 0x1368}, {0x17D4, 0x17DB}, {0x2000, 0x200B}, {0x200E, 0x206F},   {0x20A0, 0x20CF},
    {0x2100, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004}, {0x3008, 0x3020}, {0x3030, 0x3030},   {0x303D, 0x303F},
    {0x30A0, 0x30A0}, {0x30FB, 0x30FB}, {0xD800, 0xF8FF}, {0xFE00, 0xFE1F}, {0xFE30, 0xFE6F},   {0xFEFF, 0xFF0F},
    {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FBFF}, {0xE0000, 0x10FFFF}};

/// Scripts that put no spaces between words, and Hangul, whose words carry endings.
inline constexpr point_row unspaced_scripts[] = {
    {0xE00, 0xEFF},   {0x1000, 0x109F}, {0x1780, 0x17FF}, {0x2E80, 0x9FFF},  // Thai, Lao, Burmese, Khmer, Han, kana
    {0xAC00, 0xD7AF}, {0xF900, 0xFAFF}, {0xFF66, 0xFF9D}, {0x20000, 0x3FFFF}};

/// The row of the point in a sorted table; null if it has none.
template <std::size_t Size>
constexpr point_row const* row_of(point_row const (&table)[Size], std::uint32_t point) noexcept {
    auto const* const next =
        std::upper_bound(std::begin(table), std::end(table), point,
                         [](std::uint32_t left, point_row const& row) { return left < row.first; });
    return next != std::begin(table) && point <= std::prev(next)->last ? std::prev(next) : nullptr;
}

/// A letter in lower case; any other character unchanged.
constexpr std::uint32_t lower_point(std::uint32_t point) noexcept {
    if (point >= 'A' && point <= 'Z') return point + 0x20;
    auto const* const row = row_of(capitals, point);
    if (row == nullptr) return point;
    if (row->distance == 1) return point + 1 - (point - row->first) % 2;
    return point + row->distance;
}

/// How a character outside ASCII is read.
enum class point_kind : std::uint8_t { separator, letter, unspaced };

constexpr point_kind kind_of_point(std::uint32_t point) noexcept {
    if (row_of(separators, point) != nullptr) return point_kind::separator;
    return row_of(unspaced_scripts, point) != nullptr ? point_kind::unspaced : point_kind::letter;
}

/// The code point that begins at `offset`, which it moves behind it; U+FFFD for bytes that are none.
constexpr std::uint32_t read_point(std::string_view text, std::size_t& offset) noexcept {
    auto const at = offset;
    auto const step = utf8::decode(text, at);
    offset += step.size;
    if (!step.valid) return 0xFFFD;
    if (step.size == 1) return static_cast<unsigned char>(text[at]);
    std::uint32_t point = static_cast<unsigned char>(text[at]) & (0xFFu >> (step.size + 1));
    for (std::size_t index = 1; index < step.size; ++index)
        point = point << 6 | (static_cast<unsigned char>(text[at + index]) & 0x3Fu);
    return point;
}

/// The hash of a word of ASCII letters by its stem: without the endings of plural, past and progress, without a last e,
/// and with i for a last y, so that "listens", "listening" and "listen" are one term, as are "retries" and "retry", and
/// "went" and "go".
constexpr std::uint64_t stem_hash(std::string_view word) noexcept {
    constexpr std::size_t longest = 32;
    if (word.size() > longest) word = word.substr(0, longest);
    char letters[longest] = {};
    for (std::size_t index = 0; index < word.size(); ++index) letters[index] = lowered(word[index]);
    auto size = word.size();
    auto const* const known =
        std::lower_bound(std::begin(irregular_forms), std::end(irregular_forms), std::string_view{letters, size},
                         [](irregular_form const& left, std::string_view right) { return left.form < right; });
    if (known != std::end(irregular_forms) && known->form == std::string_view{letters, size}) {
        size = known->base.size();
        std::copy(known->base.begin(), known->base.end(), letters);
    }
    auto const ends = [&](std::string_view ending) { return std::string_view{letters, size}.ends_with(ending); };
    if (size > 2 && ends("s") && !ends("ss") && !ends("us") && !ends("is")) --size;
    auto const before = size;
    if (size > 5 && ends("ing")) size -= 3;
    else if (size > 4 && ends("ed")) size -= 2;
    if (size != before && letters[size - 1] == letters[size - 2] && letters[size - 1] != 'l' &&
        letters[size - 1] != 's' && letters[size - 1] != 'z' && letters[size - 1] != 'd')
        --size;
    if (size > 3 && letters[size - 1] == 'e') --size;
    if (size > 2 && letters[size - 1] == 'y') letters[size - 1] = 'i';
    return fnv1a(std::string_view{letters, size});
}

/// What a text is read for.
enum class wide_terms : std::uint8_t {
    none,  ///< words with characters outside ASCII are no terms
    pairs,  ///< of scripts without spaces, pairs of neighbours, and a character that stands alone
    all,  ///< of these, each character as well
};

/// Calls f(hash, begin, end) for each term of a text, where the first two bytes of what is ASCII pass `wanted`. An
/// identifier gives itself and its parts, and so does what stands between slashes, dots, dashes, colons and at signs.
template <class Wanted, class Function>
constexpr void each_term(std::string_view text, wide_terms wide, Wanted const& wanted, Function&& f) {
    constexpr std::size_t longest = 200;  // longer runs are data rather than names
    auto const hash_of = [&](std::size_t begin, std::size_t end) {
        auto hash = fnv_basis;
        for (auto index = begin; index < end; ++index)
            hash = fnv1a(hash, static_cast<unsigned char>(lowered(text[index])));
        return hash;
    };
    auto const passes = [&](std::size_t begin, std::size_t end) {
        return wanted(lowered(text[begin]), end - begin > 1 ? lowered(text[begin + 1]) : '\0');
    };
    auto const plain = [&](std::size_t begin, std::size_t end, bool letters) {
        if (passes(begin, end))
            f(letters ? stem_hash(text.substr(begin, end - begin)) : hash_of(begin, end), begin, end);
    };
    auto const is_lower = [&](std::size_t at) { return at < text.size() && kind_of(text[at]) == lower_letter; };
    // True for a capital that begins a word behind another letter: "serverPort", "HTTPServer", but not "URLs".
    auto const is_hump = [&](std::size_t at, unsigned previous) {
        return previous == lower_letter ||
               (previous == upper_letter && is_lower(at + 1) && (text[at + 1] != 's' || is_lower(at + 2)));
    };
    // The parts of an identifier: at underscores, humps, and between letters and digits.
    auto const parts = [&](std::size_t begin, std::size_t end) {
        for (auto from = begin; from < end;) {
            auto previous = kind_of(text[from]);
            auto to = from + 1;
            if (previous == underscore_byte) {
                from = to;
                continue;
            }
            bool const letters = previous != digit_byte;
            for (; to < end; ++to) {
                auto const next = kind_of(text[to]);
                if (next == underscore_byte || letters != (next != digit_byte)) break;
                if (next == upper_letter && is_hump(to, previous)) break;
                previous = next;
            }
            if (to - from > 1) plain(from, to, letters);
            from = to;
        }
    };
    auto const spelt_wide = [&](std::size_t begin, std::size_t end) {
        auto hash = fnv_basis;
        for (auto at = begin; at < end;) hash = fnv1a(hash, lower_point(read_point(text, at)));
        f(hash, begin, end);
    };
    auto const begins_word = [&](std::size_t at) {
        if (at >= text.size() || !is_word_byte(text[at])) return false;
        return kind_of(text[at]) != wide_byte || kind_of_point(read_point(text, at)) == point_kind::letter;
    };
    // Reads characters of scripts without spaces; returns where they end, one character further at least.
    auto const pairs = [&](std::size_t at) {
        std::size_t count = 0;
        std::uint32_t previous = 0;
        auto from = at;  // of the latest pair
        auto end = at;
        for (auto next = at; next < text.size() && kind_of(text[next]) == wide_byte; ++count) {
            auto const point = read_point(text, next);
            if (kind_of_point(point) != point_kind::unspaced) break;
            if (wide != wide_terms::none && count != 0) f(fnv1a(fnv1a(fnv_basis, previous), point), from, next);
            if (wide == wide_terms::all) f(fnv1a(fnv_basis, point), end, next);
            previous = point;
            from = end;
            end = next;
        }
        if (wide == wide_terms::pairs && count == 1) f(fnv1a(fnv_basis, previous), at, end);
        return count == 0 ? at + utf8::decode(text, at).size : end;
    };
    for (std::size_t at = 0; at < text.size();) {
        if (!begins_word(at)) {
            if (kind_of(text[at]) == wide_byte) at = pairs(at);
            else at += text[at] == '\\' ? escape_size(text, at) : 1;
            continue;
        }
        auto const chunk = at;
        for (bool more = false;; more = true) {
            auto const begin = at;
            unsigned kinds = 0;
            bool hump = false;
            for (unsigned previous = 0; at < text.size();) {
                auto const kind = kind_of(text[at]);
                if (kind == wide_byte ? !begins_word(at) : (kind & word_byte) == 0) break;
                hump = hump || (kind == upper_letter && is_hump(at, previous));
                previous = kind;
                kinds |= kind;
                at += kind == wide_byte ? utf8::decode(text, at).size : 1;
            }
            if ((kinds & wide_byte) != 0) {
                if (wide != wide_terms::none && at - begin <= 4 * longest) spelt_wide(begin, at);
            } else if (at - begin <= longest) {
                bool const letters = (kinds & (digit_byte | underscore_byte)) == 0;
                plain(begin, at, letters && !hump);
                if (hump || (!letters && kinds != digit_byte)) parts(begin, at);
            }
            bool joined = false;
            if (begins_word(at + 1)) {
                auto const joint = text[at];
                joined = joint == '.' || joint == '-' || joint == '/' || joint == ':' || joint == '@' ||
                         (joint == ',' && is_digit(text[at - 1]) && is_digit(text[at + 1]));
            }
            if (!joined) {
                if (more && at - chunk <= longest && passes(chunk, at)) f(hash_of(chunk, at), chunk, at);
                break;
            }
            ++at;
        }
    }
}

/// The terms of a question, to be looked for in texts. Common words are no terms, unless the question has no others.
class query_terms {
public:
    static constexpr std::size_t most = 64;  ///< further terms are left out

    query_terms() = default;
    explicit query_terms(std::string_view question) { add(question, 1); }

    /// Adds the terms of a further text, which weigh `1 / part` of those of the question.
    void add(std::string_view text, std::uint32_t part) {
        auto const every = [](char, char) { return true; };
        for (bool const common : {false, true}) {
            if (common && !empty()) return;
            each_term(text, wide_terms::pairs, every, [&](std::uint64_t hash, std::size_t begin, std::size_t end) {
                auto const word = text.substr(begin, end - begin);
                if (!common && is_common(word)) return;
                auto const known =
                    std::find_if(terms_.begin(), terms_.end(), [&](term const& one) { return one.hash == hash; });
                if (known != terms_.end() || terms_.size() == most) return;
                terms_.push_back({hash, part});
                beginnings_.set(place(lowered(word[0]), word.size() > 1 ? lowered(word[1]) : '\0'));
                for (auto const& [form, base] : irregular_forms)
                    if (stem_hash(base) == hash) {
                        beginnings_.set(place(form[0], form[1]));
                        beginnings_.set(place(base[0], base[1]));
                    }
                hashes_.set(hash % hashes_.size());
                auto const is_wide = [](char byte) { return kind_of(byte) == wide_byte; };
                if (std::none_of(word.begin(), word.end(), is_wide)) return;
                std::size_t first = 0;
                bool const alone =
                    kind_of_point(read_point(word, first)) == point_kind::unspaced && first == word.size();
                wide_ = (std::max)(wide_, alone ? wide_terms::all : wide_terms::pairs);
            });
        }
    }

    bool empty() const noexcept { return terms_.empty(); }
    std::size_t size() const noexcept { return terms_.size(); }
    /// How little the term weighs: 1 for those of the question.
    std::uint32_t part(std::size_t index) const noexcept { return terms_[index].part; }

    /// Calls f(index, offset) for each occurrence of a term. One pass over the text, whatever it is.
    template <class Function>
    void each(std::string_view text, Function&& f) const {
        auto const wanted = [this](char first, char second) { return beginnings_.test(place(first, second)); };
        each_term(text, wide_, wanted, [&](std::uint64_t hash, std::size_t begin, std::size_t) {
            if (!hashes_.test(hash % hashes_.size())) return;
            for (std::size_t index = 0; index < terms_.size(); ++index)
                if (terms_[index].hash == hash) return f(index, begin);
        });
    }

private:
    struct term {
        std::uint64_t hash = 0;
        std::uint32_t part = 1;
    };

    static bool is_common(std::string_view word) noexcept {
        if (word.size() > 6) return false;
        char lower[6] = {};
        for (std::size_t index = 0; index < word.size(); ++index) lower[index] = lowered(word[index]);
        return std::binary_search(std::begin(common_words), std::end(common_words),
                                  std::string_view{lower, word.size()});
    }
    static std::size_t place(char first, char second) noexcept {
        return static_cast<std::size_t>(static_cast<unsigned char>(first)) * 256 + static_cast<unsigned char>(second);
    }

    std::vector<term> terms_;
    std::bitset<65'536> beginnings_;  ///< the first two bytes of terms
    std::bitset<1'024> hashes_;
    wide_terms wide_ = wide_terms::none;  ///< what texts are read for
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
