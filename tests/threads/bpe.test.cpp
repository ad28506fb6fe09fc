// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <string>
#include <thread>
#include <vector>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"

TEST_CASE("threads: one vocabulary counts for several at once") {
    condense::bpe const count{toy_bpe::vocabulary(toy_bpe::trained(120), condense::split_scheme::o200k)};
    toy_bpe::numbers any{91};
    std::vector<std::string> texts;
    for (int each = 0; each < 60; ++each) texts.push_back(toy_bpe::text(any, 300));
    std::vector<condense::cost> wanted;
    for (auto const& text : texts) wanted.push_back(count(text));
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (auto& mine : wrong)
        threads.emplace_back([&] {
            auto const own = count;
            for (std::size_t each = 0; each < texts.size(); ++each)
                if (own(texts[each]) != wanted[each]) ++mine;
        });
    for (auto& each : threads) each.join();
    CHECK(wrong == std::vector<int>(4));
}
