// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// Windows of 64 bytes, in which many cuts are found at once: as the splitter finds them, on every unit.

namespace {

using namespace condense::detail::bpe;
using condense::rules_of;
using condense::split_scheme;
using condense::vector_unit;

template <split_scheme Scheme>
void windows_agree_with_the_reference() {
    constexpr auto rules = rules_of(Scheme);
    toy_bpe::numbers any{17};
    std::size_t cut = 0;
    for (std::uint64_t round = 0; round < rounds(4'000); ++round) {
        auto const text = toy_bpe::text(any, 64 + any.below(300));
        splitter<rules> const split{text};
        for (std::size_t at = 0; at + 64 < text.size(); at = split.next(at).end) {
            auto const window = text.data() + at;
            for (auto left = cuts<rules>(masks_of(window), window); left != 0; left &= left - 1) {
                // The pieces of the reference, as far as this cut.
                auto const here = at + static_cast<std::size_t>(std::countr_zero(left));
                auto next = at;
                while (next < here) next = split.next(next).end;
                INFO(text.substr(at, 70));
                REQUIRE(next == here);
                ++cut;
            }
        }
    }
    CHECK(cut > rounds(4'000) * 25);
}

template <split_scheme Scheme>
void units_agree_with_the_reference() {
    constexpr auto rules = rules_of(Scheme);
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

TEST_CASE("window: a cut is where the reference cuts") {
    windows_agree_with_the_reference<split_scheme::cl100k>();
    windows_agree_with_the_reference<split_scheme::o200k>();
    windows_agree_with_the_reference<split_scheme::llama3>();
    windows_agree_with_the_reference<split_scheme::qwen>();
}

TEST_CASE("window: every unit of this machine cuts as the reference does") {
    units_agree_with_the_reference<split_scheme::cl100k>();
    units_agree_with_the_reference<split_scheme::o200k>();
    units_agree_with_the_reference<split_scheme::llama3>();
    units_agree_with_the_reference<split_scheme::qwen>();
}

TEST_CASE("window: runs from some of their first bits") {
    CHECK(runs_from(0b1110'1100u, 0b0000'0100u) == 0b0000'1100u);
    CHECK(runs_from(0b1110'1100u, 0u) == 0u);
    CHECK(runs_from(~std::uint64_t{0}, 1u) == ~std::uint64_t{0});
}

TEST_CASE("window: the best unit is one that this machine has") {
    CHECK(has(condense::best_vector_unit()));
    CHECK(has(vector_unit::scalar));
    CHECK(has(vector_unit::neon) == bool{CONDENSE_DETAIL_BPE_NEON});
    CHECK(cutter<rules_of(split_scheme::o200k)>(vector_unit::scalar) == nullptr);
}

#if CONDENSE_DETAIL_BPE_X86 || CONDENSE_DETAIL_BPE_NEON
TEST_CASE("window: masks of every byte are those of the reference") {
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
