// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/window_simd.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::detail::bpe;
using condense::split_scheme;
using condense::vector_unit;

template <split_scheme Scheme>
void units_agree_with_the_reference() {
    constexpr auto rules = condense::rules_of(Scheme);
    toy_bpe::numbers any{23};
    for (int round = 0; round < 3'000; ++round) {
        auto text = toy_bpe::text(any, any.below(500));
        text.shrink_to_fit();
        splitter<rules> const split{text};
        std::vector<std::size_t> wanted;
        for (std::size_t at = 0; at < text.size();) wanted.push_back(at = split.next(at).end);
        for (auto const unit : vector_units) {
            auto const cut = has(unit) ? cutter<rules>(unit) : nullptr;
            if (cut == nullptr) continue;
            std::vector<std::size_t> found;
            for (std::size_t at = 0; at < text.size();) {
                std::size_t ends[64];
                auto const count = cut(text.data(), text.size(), at, ends, 64);
                REQUIRE(count <= 64);
                found.insert(found.end(), ends, ends + count);
                if (count == 0) found.push_back(split.next(at).end);
                at = found.back();
            }
            INFO(text);
            REQUIRE(found == wanted);
        }
    }
}

}  // namespace

TEST_CASE("window_simd: every unit of this machine cuts as the reference does") {
    units_agree_with_the_reference<split_scheme::cl100k>();
    units_agree_with_the_reference<split_scheme::o200k>();
    units_agree_with_the_reference<split_scheme::llama3>();
    units_agree_with_the_reference<split_scheme::qwen>();
}

TEST_CASE("window_simd: the best unit is one that this machine has") {
    CHECK(has(condense::best_vector_unit()));
    CHECK(has(vector_unit::scalar));
    CHECK(has(vector_unit::neon) == bool{CONDENSE_DETAIL_BPE_NEON});
    CHECK(cutter<condense::rules_of(split_scheme::o200k)>(vector_unit::scalar) == nullptr);
}

#if CONDENSE_DETAIL_BPE_X86 || CONDENSE_DETAIL_BPE_NEON
TEST_CASE("window_simd: masks of every byte are those of the reference") {
    for (int first = 0; first < 256; ++first) {
        std::string text;
        for (int each = 0; each < 64; ++each)
            text.push_back(static_cast<char>(static_cast<unsigned char>(first + each * 67)));
        auto const wanted = masks_of(text.data());
        auto const known = ~wanted.non_ascii;
        auto const same = [&](window_masks found) {
            CHECK(found.non_ascii == wanted.non_ascii);
            for (auto const mask :
                 {&window_masks::letters, &window_masks::capitals, &window_masks::digits, &window_masks::spaces,
                  &window_masks::line_ends, &window_masks::blanks, &window_masks::quotes, &window_masks::slashes})
                CHECK((found.*mask & known) == wanted.*mask);
        };
#if CONDENSE_DETAIL_BPE_NEON
        same(masks_by_neon(text.data()));
#else
        same(masks_by_sse2(text.data()));
        if (has(vector_unit::avx2)) same(masks_by_avx2(text.data()));
        if (has(vector_unit::avx512)) same(masks_by_avx512(text.data()));
#endif
    }
}
#endif
