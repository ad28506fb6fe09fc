// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/char_class.hpp>

#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::bpe::char_class;
using condense::detail::bpe::class_of;
using condense::detail::bpe::glyph_at;

constexpr bool classes_are_those_of_the_categories() {
    return class_of('A') == char_class::upper && class_of('z') == char_class::lower &&
           class_of('0') == char_class::number && class_of(' ') == char_class::space &&
           class_of('_') == char_class::sign && class_of('+') == char_class::sign &&
           class_of(0x00) == char_class::other && class_of(0x1C) == char_class::other &&
           class_of(0x7F) == char_class::other && class_of(0x1C5) == char_class::upper &&
           class_of(0x2B0) == char_class::caseless && class_of(0x4E2D) == char_class::caseless &&
           class_of(0x301) == char_class::mark && class_of(0xB2) == char_class::number &&
           class_of(0x2160) == char_class::number && class_of(0x1F600) == char_class::sign &&
           class_of(0x10FFFF) == char_class::other;
}
static_assert(classes_are_those_of_the_categories());

constexpr bool white_space_is_that_of_unicode() {
    for (std::uint32_t const point :
         {0x9u, 0xDu, 0x85u, 0xA0u, 0x1680u, 0x2000u, 0x200Au, 0x2028u, 0x2029u, 0x202Fu, 0x205Fu, 0x3000u})
        if (class_of(point) != char_class::space) return false;
    for (std::uint32_t const point : {0x8u, 0xEu, 0x1Fu, 0x180Eu, 0x200Bu, 0x2060u, 0xFEFFu})
        if (class_of(point) != char_class::other) return false;
    return true;
}
static_assert(white_space_is_that_of_unicode());

constexpr bool glyphs_are_read_and_ill_formed_parts_told() {
    std::string_view const text = "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\xE4\xB8";
    auto const last = glyph_at(text, 10);
    return glyph_at(text, 0).kind == char_class::lower && glyph_at(text, 1).size == 2 &&
           glyph_at(text, 3).kind == char_class::caseless && glyph_at(text, 3).size == 3 &&
           glyph_at(text, 6).kind == char_class::sign && glyph_at(text, 6).size == 4 && glyph_at(text, 6).valid &&
           !last.valid && last.size == 2 && last.kind == char_class::other;
}
static_assert(glyphs_are_read_and_ill_formed_parts_told());

}  // namespace

TEST_CASE("char_class: categories, white space and ill-formed parts") {
    CHECK(classes_are_those_of_the_categories());
    CHECK(white_space_is_that_of_unicode());
    CHECK(glyphs_are_read_and_ill_formed_parts_told());
}
