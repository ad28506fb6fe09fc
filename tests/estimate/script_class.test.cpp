// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_class.hpp>

#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::script_class;

constexpr script_class of(std::string_view text) {
    return condense::detail::script_of<condense::detail::script_tables<>>(static_cast<unsigned char>(text[0]),
                                                                          static_cast<unsigned char>(text[1]));
}

constexpr bool a_script_is_known_by_two_bytes() {
    return of("\u00E9") == script_class::latin_one && of("\u0142") == script_class::latin_more &&
           of("\u01B0") == script_class::latin_rare && of("\u1EBF") == script_class::latin_marked &&
           of("\u03B1") == script_class::greek && of("\u044F") == script_class::cyrillic &&
           of("\u0457") == script_class::cyrillic_more && of("\u0561") == script_class::armenian &&
           of("\u05D0") == script_class::hebrew && of("\u0628") == script_class::arabic &&
           of("\u067E") == script_class::arabic_more && of("\u0915") == script_class::devanagari &&
           of("\u0E01") == script_class::thai && of("\u10D0") == script_class::georgian &&
           of("\u1780") == script_class::khmer && of("\u2014") == script_class::quotes &&
           of("\u2500") == script_class::boxes && of("\u3042") == script_class::hiragana &&
           of("\u30AB") == script_class::kana && of("\u30E9") == script_class::katakana &&
           of("\u4E2D") == script_class::han && of("\u8A9E") == script_class::full_han &&
           of("\uAC00") == script_class::hangul && of("\uD55C") == script_class::hangul &&
           of("\U0001F600") == script_class::emoji && of("\U00020000") == script_class::rare_han &&
           of("\U0001D400") == script_class::rare_four;
}
static_assert(a_script_is_known_by_two_bytes());

constexpr bool what_begins_no_code_point_is_stray() {
    return of("\xC0\x80") == script_class::stray && of("\xC1\xBF") == script_class::stray &&
           of("\xE0\x80") == script_class::stray && of("\xE0\x9F") == script_class::stray &&
           of("\xED\xA0") == script_class::stray && of("\xF5\x80") == script_class::stray &&
           of("\xFF\xBF") == script_class::stray && of("\xC3(") == script_class::stray &&
           of("\xE4\xC3") == script_class::stray;
}
static_assert(what_begins_no_code_point_is_stray());

constexpr bool ranges_ascend() {
    std::uint32_t last = 0;
    for (auto const& each : condense::detail::script_ranges) {
        if (each.first < last || each.first % (each.first < 0x800 ? 16 : 64) != 0) return false;
        last = each.first;
    }
    return true;
}
static_assert(ranges_ascend());

constexpr bool heads_are_heads_of_themselves() {
    for (std::size_t at = 0; at < condense::detail::script_classes; ++at) {
        auto const head = condense::detail::script_head(static_cast<script_class>(at));
        if (condense::detail::script_head(head) != head) return false;
    }
    return true;
}
static_assert(heads_are_heads_of_themselves());

}  // namespace

TEST_CASE("a class for each script", "[estimate]") {
    REQUIRE(a_script_is_known_by_two_bytes());
    REQUIRE(what_begins_no_code_point_is_stray());
}
