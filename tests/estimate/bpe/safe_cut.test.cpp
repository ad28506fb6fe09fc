// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/safe_cut.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using namespace std::string_view_literals;
using namespace condense::detail::bpe;
using condense::split_scheme;

static_assert(last_cut("a word and"sv) == 6 && last_cut("abc"sv) == 0 && last_cut(""sv) == 0 && last_cut(" "sv) == 0);
static_assert(last_cut("a word and"sv, 7) == 0);
static_assert(may_cut("a1"sv, 1) && may_cut("x\ny"sv, 1) && may_cut("x\ny"sv, 2) &&
              may_cut("\xE4\xB8\xAD\xEF\xBC\x8C"sv, 3) && may_cut("\xE4\xB8\xAD\xE3\x80\x82"sv, 3) &&
              may_cut(";\n  "sv, 2));
static_assert(!may_cut("x's"sv, 1) && !may_cut("!\n"sv, 1) && !may_cut("\n/"sv, 1) && !may_cut(" 1"sv, 1) &&
              !may_cut("  "sv, 1) && !may_cut("a\xE4\xB8"sv, 1) && !may_cut("\xE4\xB8\xAD\xE3\x83\xBB"sv, 3) &&
              !may_cut(";\n\n"sv, 2) && !may_cut("\x01\n "sv, 2) && !may_cut("a\n "sv, 2));

template <split_scheme Scheme>
std::vector<std::string_view> pieces(std::string_view text) {
    splitter<condense::rules_of(Scheme)> const split{text};
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < text.size(); at += out.back().size())
        out.push_back(text.substr(at, split.next(at).end - at));
    return out;
}

template <split_scheme Scheme>
void both_parts_have_the_pieces_of_the_whole() {
    toy_bpe::numbers any{41};
    std::size_t cuts = 0;
    for (std::uint64_t round = 0; round < rounds(6'000); ++round) {
        auto const text = toy_bpe::text(any, 2 + any.below(40));
        auto const whole = pieces<Scheme>(text);
        for (std::size_t at = 1; at < text.size(); ++at) {
            if (!may_cut(text, at)) continue;
            ++cuts;
            auto parts = pieces<Scheme>(std::string_view{text}.substr(0, at));
            for (auto const part : pieces<Scheme>(std::string_view{text}.substr(at))) parts.push_back(part);
            INFO(text);
            REQUIRE(parts == whole);
        }
    }
    CHECK(cuts > rounds(6'000) * 5 / 3);
}

}  // namespace

TEST_CASE("safe_cut: both parts have the pieces of the whole") {
    both_parts_have_the_pieces_of_the_whole<split_scheme::cl100k>();
    both_parts_have_the_pieces_of_the_whole<split_scheme::o200k>();
    both_parts_have_the_pieces_of_the_whole<split_scheme::llama3>();
    both_parts_have_the_pieces_of_the_whole<split_scheme::qwen>();
    both_parts_have_the_pieces_of_the_whole<split_scheme::deepseek>();
}
