// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/counter.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using condense::bpe_counter;
using condense::split_scheme;

template <split_scheme Scheme>
void counts_and_ids_are_those_of_the_definition(std::vector<std::string> const& tokens) {
    auto const made = toy_bpe::vocabulary(tokens, Scheme);
    toy_bpe::naive const naive{tokens};
    std::vector<bpe_counter> counters;
    for (auto const unit : condense::detail::bpe::vector_units)
        if (condense::detail::bpe::has(unit)) counters.emplace_back(made, unit);
    toy_bpe::numbers any{31};
    for (std::uint64_t round = 0; round < rounds(250); ++round) {
        auto text = toy_bpe::text(any, any.below(round < 200 ? 120 : 900));
        text.shrink_to_fit();
        auto const wanted = naive.all<condense::rules_of(Scheme)>(text);
        for (auto& each : counters) {
            INFO(text);
            REQUIRE(each.count(text) == wanted.size());
            REQUIRE(each.encode(text) == wanted);
            REQUIRE(each.count(text) == wanted.size());
        }
    }
}

}  // namespace

TEST_CASE("counter: counts and ids are those of the definition, on every unit") {
    counts_and_ids_are_those_of_the_definition<split_scheme::cl100k>(toy_bpe::trained(400));
    counts_and_ids_are_those_of_the_definition<split_scheme::o200k>(toy_bpe::trained(400));
    counts_and_ids_are_those_of_the_definition<split_scheme::llama3>(toy_bpe::wild(40));
    counts_and_ids_are_those_of_the_definition<split_scheme::qwen>(toy_bpe::wild(41));
    counts_and_ids_are_those_of_the_definition<split_scheme::deepseek>(toy_bpe::trained(400));
}

TEST_CASE("counter: empty and ill-formed texts") {
    auto const tokens = toy_bpe::trained(0);
    bpe_counter count{toy_bpe::vocabulary(tokens, split_scheme::cl100k)};
    CHECK(count.count("") == 0);
    CHECK(count.encode("").empty());
    CHECK(count.count("\xFF") == 3);  // U+FFFD has three bytes
    CHECK(count.count("\xE4\xB8") == 3);
    CHECK(count.count("\xE4\xB8\xFF") == 6);
    CHECK(count.encode("\xC3") == count.encode("\xEF\xBF\xBD"));
    CHECK(count.count(std::string(100'000, '\0')) == 100'000);
}

TEST_CASE("counter: one long piece takes time in line with its size") {
    auto const tokens = toy_bpe::trained(400);
    bpe_counter count{toy_bpe::vocabulary(tokens, split_scheme::o200k)};
    std::size_t const size = effort() < 100 ? 500'000 : 3'000'000;
    for (std::string_view const unit : {"a", "ab", " ", "\xE4\xB8\xAD", "-", "\n "}) {
        std::string text;
        while (text.size() < size) text += unit;
        auto const begin = std::chrono::steady_clock::now();
        CHECK(count.count(text) > 100);
        // Some 0.1 s, under a sanitizer seconds; hours where it is quadratic.
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{60});
    }
}
