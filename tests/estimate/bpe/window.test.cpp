// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/window.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::detail::bpe;
using condense::split_scheme;

template <split_scheme Scheme>
void windows_agree_with_the_reference() {
    constexpr auto rules = condense::rules_of(Scheme);
    toy_bpe::numbers any{17};
    std::size_t cut = 0;
    for (std::uint64_t round = 0; round < rounds(4'000); ++round) {
        auto const text = toy_bpe::text(any, 64 + any.below(300));
        splitter<rules> const split{text};
        for (std::size_t at = 0; at + 64 < text.size();) {
            auto const window = text.data() + at;
            for (auto left = cuts<rules>(masks_of(window), window); left != 0; left &= left - 1) {
                auto const begin = at;
                std::size_t next = begin;
                // The pieces of the reference, as far as this cut.
                auto const here = begin + static_cast<std::size_t>(std::countr_zero(left));
                while (next < here) next = split.next(next).end;
                INFO(text.substr(begin, 70));
                REQUIRE(next == here);
                ++cut;
            }
            at = split.next(at).end;
        }
    }
    CHECK(cut > rounds(4'000) * 25);
}

}  // namespace

TEST_CASE("window: a cut is where the reference cuts") {
    windows_agree_with_the_reference<split_scheme::cl100k>();
    windows_agree_with_the_reference<split_scheme::o200k>();
    windows_agree_with_the_reference<split_scheme::llama3>();
    windows_agree_with_the_reference<split_scheme::qwen>();
}

TEST_CASE("window: runs from some of their first bits") {
    CHECK(runs_from(0b1110'1100u, 0b0000'0100u) == 0b0000'1100u);
    CHECK(runs_from(0b1110'1100u, 0u) == 0u);
    CHECK(runs_from(~std::uint64_t{0}, 1u) == ~std::uint64_t{0});
}
