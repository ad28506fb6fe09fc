// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/running.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

namespace {

using condense::bpe_counter;
using condense::bpe_running_count;
using condense::split_scheme;

}  // namespace

TEST_CASE("running: after every append the count is that of the whole") {
    for (auto const scheme : {split_scheme::cl100k, split_scheme::o200k, split_scheme::llama3, split_scheme::qwen, split_scheme::deepseek}) {
        auto const made = toy_bpe::vocabulary(toy_bpe::trained(400), scheme);
        bpe_counter counter{made}, other{made};
        toy_bpe::numbers any{51};
        for (int round = 0; round < 150; ++round) {
            auto const text = toy_bpe::text(any, 400);
            bpe_running_count running;
            CHECK(running.count() == 0);
            for (std::size_t at = 0; at < text.size();) {
                auto const step = std::min(text.size() - at, any.below(round % 2 == 0 ? 3 : 60));
                running.append(counter, std::string_view{text}.substr(at, step));
                at += step;
                INFO(text.substr(0, at));
                REQUIRE(running.count() == other.count(std::string_view{text}.substr(0, at)));
            }
        }
    }
}

TEST_CASE("running: a copy is a snapshot, and the tail is short") {
    bpe_counter counter{toy_bpe::vocabulary(toy_bpe::trained(400), split_scheme::cl100k)};
    std::string text;
    bpe_running_count running;
    for (int each = 0; each < 2'000; ++each) {
        running.append(counter, "The word of the day\n");
        text += "The word of the day\n";
        REQUIRE(running.tail().size() < 20);
    }
    auto const snapshot = running;
    running.append(counter, "and more");
    CHECK(snapshot.count() == counter.count(text));
    CHECK(running.count() == counter.count(text + "and more"));
}

TEST_CASE("running: appending may lower the count") {
    bpe_counter counter{toy_bpe::vocabulary(toy_bpe::trained(400), split_scheme::cl100k)};
    bpe_running_count running;
    bool fell = false;
    std::uint64_t last = 0;
    for (char const byte : std::string_view{"The the aaaa word Word ABC 2026 'LL"}) {
        running.append(counter, {&byte, 1});
        fell |= running.count() < last;
        last = running.count();
    }
    CHECK(fell);
}
