// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// The script of a code point that is not ASCII, by the first two bytes of its UTF-8: as fine as weights
// per script need, and one look-up.

namespace condense {
inline namespace v1 {
namespace detail {

/// Scripts whose characters cost about the same. Those of one writing system stand together.
enum class script_class : std::uint8_t {
    stray,  ///< bytes that are no UTF-8
    latin_one,
    latin_more,
    latin_rare,
    latin_marked,  ///< from U+00C0, U+0100, U+0180 and U+1E00 on
    phonetic,
    combining,
    signs,           ///< IPA, U+0300 to U+036F, U+0080 to U+00BF
    greek,
    cyrillic,
    cyrillic_more,
    armenian,
    hebrew,
    arabic,
    arabic_more,
    rare_two,
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
    quotes,
    symbols,
    boxes,
    dingbats,
    cjk_signs,
    hiragana,
    kana,
    katakana,
    han,
    full_han,
    rare_han,
    hangul,  ///< full_han: where most are of traditional writing
    emoji,
    rare_four
};
inline constexpr std::size_t script_classes = static_cast<std::size_t>(script_class::rare_four) + 1;

/// Latin letters continue words of ASCII letters.
constexpr bool is_latin(script_class which) noexcept {
    return which >= script_class::latin_one && which <= script_class::latin_marked;
}

/// Classes with one head are one run when they follow each other: a word of Kazakh, a word in kana.
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

struct script_range {
    std::uint16_t first = 0;  ///< the first code point, by 16 below U+0800 and by 64 above
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

/// The class of each range of `size` code points. `Dependent`: so that a template that has one computes none by itself.
template <std::size_t Count, class Dependent>
constexpr std::array<script_class, Count> script_table(std::uint32_t size) noexcept {
    std::array<script_class, Count> out{};
    std::size_t range = 0;
    for (std::size_t at = 0; at < Count; ++at) {
        while (range + 1 < sizeof script_ranges / sizeof script_ranges[0] &&
               script_ranges[range + 1].first <= at * size)
            ++range;
        out[at] = script_ranges[range].which;
    }
    return out;
}

/// Members of a template, so that a program that only includes it computes none.
template <class Dependent = void>
struct script_tables {
    static constexpr auto of_two = script_table<0x800 / 16, Dependent>(16);
    static constexpr auto of_three = script_table<0x10000 / 64, Dependent>(64);
    static constexpr auto heads = [] {
        std::array<script_class, script_classes> out{};
        for (std::size_t at = 0; at < script_classes; ++at) out[at] = script_head(static_cast<script_class>(at));
        return out;
    }();
};

/// The class of what begins with these two bytes, `lead` of 0xC0 or more; stray where UTF-8 has no such beginning.
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

/// Bytes that `lead` announces, 2 to 4.
constexpr unsigned script_length(unsigned char lead) noexcept { return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

}  // namespace detail
}  // namespace v1
}  // namespace condense
