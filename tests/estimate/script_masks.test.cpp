// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_masks.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::scalar_script_masks;
using condense::detail::script_block;
using condense::detail::script_masks;

constexpr bool each_byte_has_its_classes() {
    constexpr std::string_view text = "aZ7 \n\t\x01\xC3\xA9--_k";
    auto const in = scalar_script_masks(text.data(), text.size(), 'a');
    return in.lower == 0b1'0000'0000'0001u && in.upper == 0b10u && in.digits == 0b100u && in.spaces == 0b1000u &&
           in.line_ends == 0b1'0000u && in.tabs == 0b10'0000u && in.controls == 0b100'0000u &&
           in.non_ascii == 0b1'1000'0000u && in.lead_bytes == 0b1000'0000u && in.repeats == 0b100'0000'0001u &&
           in.joiners == 0b1110'0000'0000u && in.hex_digits == 0b101u && in.vowels == 1u &&
           in.rare_letters == 0b1'0000'0000'0000u;
}
static_assert(each_byte_has_its_classes());

constexpr bool zeros_behind_the_text_are_nothing() {
    constexpr std::string_view text{"aaaa\0\0\0\0", 8};
    return scalar_script_masks(text.data(), text.size(), 'a').padded(0b1111u) ==
               scalar_script_masks(text.data(), 4, 'a') &&
           scalar_script_masks(text.data(), text.size(), 'a').padded(0b1'1111u).controls == 0b1'0000u;
}
static_assert(zeros_behind_the_text_are_nothing());

}  // namespace

TEST_CASE("masks by vectors are those of the reference", "[estimate]") {
    REQUIRE(each_byte_has_its_classes());
    std::string text(1 + 256, '\0');
    for (std::size_t at = 0; at < 256; ++at) text[1 + at] = static_cast<char>(at);
    std::mt19937 random{7};
    for (int each = 0; each < 4000; ++each)
        text += static_cast<char>(random() % 3 == 0 ? text.back() : static_cast<char>(random()));
    bool same = true;
#if CONDENSE_DETAIL_SCRIPT_X86
    for (std::size_t at = 1; at + script_block <= text.size(); ++at) {
        auto const wanted = scalar_script_masks(text.data() + at, script_block, text[at - 1]);
        same = same && condense::detail::script_masks_by_sse2<>(text.data() + at) == wanted;
        if (condense::detail::has_script_avx2())
            same = same && condense::detail::script_masks_by_avx2<>(text.data() + at) == wanted;
        if (condense::detail::has_script_avx512())
            same = same && condense::detail::script_masks_by_avx512<>(text.data() + at) == wanted;
    }
#endif
    REQUIRE(same);
}
