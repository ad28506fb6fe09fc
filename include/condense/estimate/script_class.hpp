// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// The script of a code point that is not ASCII, by the first two bytes of its UTF-8: one look-up, and as fine as the
// weights of scripts need.

namespace condense {
inline namespace v1 {
namespace detail {

/// Scripts whose characters cost about the same. Those of one writing system stand together, in the order of the
/// weights.
enum class script_class : std::uint8_t {
    // Bytes that are no UTF-8.
    stray,
    // Latin letters from U+00C0, U+0100, U+0180 and U+1E00 on.
    latin_one,
    latin_more,
    latin_rare,
    latin_marked,
    // The letters of IPA, the marks U+0300 to U+036F, and the signs U+0080 to U+00BF.
    phonetic,
    combining,
    signs,
    // Scripts of two bytes a character; `more` are their less frequent letters, `rare` all other scripts.
    greek,
    cyrillic,
    cyrillic_more,
    armenian,
    hebrew,
    arabic,
    arabic_more,
    rare_two,
    // Scripts of three bytes a character.
    devanagari,
    bengali,
    gurmukhi,
    gujarati,
    oriya,
    tamil,
    telugu,
    kannada,
    malayalam,
    sinhala,
    thai,
    lao,
    tibetan,
    myanmar,
    georgian,
    ethiopic,
    khmer,
    rare_three,
    // Punctuation and symbols from U+2000 on.
    quotes,
    symbols,
    boxes,
    dingbats,
    cjk_signs,
    // Chinese, Japanese and Korean. hiragana, kana: the first and second half of hiragana, the latter with some
    // katakana.
    // full_han: ranges where most characters are of traditional writing, which cost more.
    hiragana,
    kana,
    katakana,
    han,
    full_han,
    rare_han,
    hangul,
    // Four bytes a character.
    emoji,
    rare_four
};
inline constexpr std::size_t script_classes = static_cast<std::size_t>(script_class::rare_four) + 1;

/// True for Latin letters, which continue words of ASCII letters.
constexpr bool is_latin(script_class which) noexcept {
    return which >= script_class::latin_one && which <= script_class::latin_marked;
}

/// The class that stands for a writing system. Neighbours with the same head are one run, such as a Kazakh word of
/// cyrillic and cyrillic_more or a Japanese word in kana; a run has a weight of its own.
constexpr script_class script_head(script_class which) noexcept {
    switch (which) {
        case script_class::cyrillic_more: return script_class::cyrillic;
        case script_class::arabic_more: return script_class::arabic;
        case script_class::kana:
        case script_class::katakana: return script_class::hiragana;
        case script_class::full_han:
        case script_class::rare_han: return script_class::han;
        default: return which;
    }
}

/// A range of code points of one class, up to the first code point of the next range.
struct script_range {
    std::uint16_t first = 0;  ///< a multiple of 16 below U+0800, and of 64 from there on, as the tables have it
    script_class which = script_class::stray;
};

/// Blocks of Unicode 15 in ascending order; each ends where the next begins.
inline constexpr script_range script_ranges[] = {
    {0x0000, script_class::stray},        {0x0080, script_class::signs},         {0x00C0, script_class::latin_one},
    {0x0100, script_class::latin_more},   {0x0180, script_class::latin_rare},    {0x0250, script_class::phonetic},
    {0x0300, script_class::combining},    {0x0370, script_class::greek},         {0x0400, script_class::cyrillic_more},
    {0x0410, script_class::cyrillic},     {0x0450, script_class::cyrillic_more}, {0x0530, script_class::armenian},
    {0x0590, script_class::hebrew},       {0x0600, script_class::arabic},        {0x0670, script_class::arabic_more},
    {0x0700, script_class::rare_two},     {0x0750, script_class::arabic_more},   {0x0780, script_class::rare_two},
    {0x0800, script_class::rare_three},   {0x0900, script_class::devanagari},    {0x0980, script_class::bengali},
    {0x0A00, script_class::gurmukhi},     {0x0A80, script_class::gujarati},      {0x0B00, script_class::oriya},
    {0x0B80, script_class::tamil},        {0x0C00, script_class::telugu},        {0x0C80, script_class::kannada},
    {0x0D00, script_class::malayalam},    {0x0D80, script_class::sinhala},       {0x0E00, script_class::thai},
    {0x0E80, script_class::lao},          {0x0F00, script_class::tibetan},       {0x1000, script_class::myanmar},
    {0x1080, script_class::georgian},     {0x1100, script_class::rare_three},    {0x1200, script_class::ethiopic},
    {0x1380, script_class::rare_three},   {0x1780, script_class::khmer},         {0x1800, script_class::rare_three},
    {0x1E00, script_class::latin_marked}, {0x1F00, script_class::greek},         {0x2000, script_class::quotes},
    {0x2080, script_class::symbols},      {0x2400, script_class::boxes},         {0x2600, script_class::dingbats},
    {0x2C00, script_class::rare_three},   {0x3000, script_class::cjk_signs},     {0x3040, script_class::hiragana},
    {0x3080, script_class::kana},         {0x30C0, script_class::katakana},      {0x3100, script_class::rare_three},
    {0x3200, script_class::cjk_signs},    {0x3400, script_class::rare_han},      {0x4E00, script_class::han},
    {0x7D00, script_class::full_han},     {0x7E80, script_class::han},           {0x8A00, script_class::full_han},
    {0x8B80, script_class::han},          {0x8C80, script_class::full_han},      {0x8D00, script_class::han},
    {0x8EC0, script_class::full_han},     {0x8F40, script_class::han},           {0x9240, script_class::full_han},
    {0x9480, script_class::han},          {0x9580, script_class::full_han},      {0x95C0, script_class::han},
    {0x9800, script_class::full_han},     {0x9840, script_class::han},           {0x98C0, script_class::full_han},
    {0x9940, script_class::han},          {0x9980, script_class::full_han},      {0x9A40, script_class::han},
    {0x9B40, script_class::full_han},     {0x9C80, script_class::han},           {0x9CC0, script_class::full_han},
    {0x9E00, script_class::han},          {0xA000, script_class::rare_three},    {0xAC00, script_class::hangul},
    {0xD7C0, script_class::stray},        {0xE000, script_class::rare_three},    {0xF900, script_class::rare_han},
    {0xFB00, script_class::rare_three},   {0xFB40, script_class::arabic_more},   {0xFE00, script_class::dingbats},
    {0xFE40, script_class::arabic_more},  {0xFF00, script_class::cjk_signs}};

/// The class of each of `Count` blocks of `size` code points, from U+0000 on. `Dependent` makes a call in a template
/// dependent, so that it is computed only where that template is instantiated.
template <std::size_t Count, class Dependent>
constexpr std::array<script_class, Count> script_table(std::uint32_t size) noexcept {
    std::array<script_class, Count> classes{};
    std::size_t range = 0;
    for (std::size_t index = 0; index < Count; ++index) {
        while (range + 1 < sizeof script_ranges / sizeof script_ranges[0] &&
               script_ranges[range + 1].first <= index * size)
            ++range;
        classes[index] = script_ranges[range].which;
    }
    return classes;
}

/// The tables of script_of: 128 bytes and 1 KiB, and the heads. Members of a template, so that a program that only
/// includes this header computes none.
template <class Dependent = void>
struct script_tables {
    /// By the first two bytes of a code point of two bytes, which tell 16 code points apart.
    static constexpr auto of_two = script_table<0x800 / 16, Dependent>(16);
    /// By the first two bytes of a code point of three bytes, which tell 64 code points apart.
    static constexpr auto of_three = script_table<0x10000 / 64, Dependent>(64);
    static constexpr auto heads = [] {
        std::array<script_class, script_classes> classes{};
        for (std::size_t index = 0; index < script_classes; ++index)
            classes[index] = script_head(static_cast<script_class>(index));
        return classes;
    }();
};

/// The class of the code point that begins with these two bytes, `lead` from 0xC0 on; stray if no UTF-8 begins so.
template <class Tables>
constexpr script_class script_of(unsigned char lead, unsigned char next) noexcept {
    if ((next & 0xC0u) != 0x80u || lead < 0xC2) return script_class::stray;
    if (lead < 0xE0) return Tables::of_two[(lead & 0x1Fu) << 2 | (next >> 4 & 3u)];
    if (lead < 0xF0) {
        auto const block = (lead & 0x0Fu) << 6 | (next & 0x3Fu);
        return block < 0x20 ? script_class::stray : Tables::of_three[block];
    }
    if (lead == 0xF0 && next == 0x9F) return script_class::emoji;
    if (lead == 0xF0 && next >= 0xA0) return script_class::rare_han;
    return lead < 0xF5 ? script_class::rare_four : script_class::stray;
}

/// The bytes of a code point with this lead byte, 2 to 4.
constexpr unsigned script_length(unsigned char lead) noexcept { return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

}  // namespace detail
}  // namespace v1
}  // namespace condense
