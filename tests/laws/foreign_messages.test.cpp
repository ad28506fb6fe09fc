// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laws/message.hpp"
#include "laws/message_types.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/messages/ai_sdk.hpp"
#include "support/messages/litert_lm.hpp"
#include "support/messages/llama_cpp.hpp"

TEMPLATE_TEST_CASE("the tiers of message types of other libraries", "[laws]", forms::llama_message, forms::ai_message,
                   forms::litert_message) {
    std::size_t failures = 0;
    for (std::uint64_t seed = 1; seed <= rounds(200) && failures < 5; ++seed) {
        auto const seen = forms::projected<TestType>(laws::conversation_generator{seed}.make());
        laws::broken broken;
        if (forms::projected<TestType>(seen) != seen) broken.insert("not the same when held a second time");
        for (auto m : seen) {
            m.name.clear();  // the tests' member, which the adapters do not store
            broken.merge(laws::broken{laws::tier_checker{forms::from_chat<TestType>(m)}.violations()});
        }
        std::string all;
        for (auto const& one : broken) all += one + "; ";
        CAPTURE(seed);
        CHECK(all == std::string{});
        failures += broken.empty() ? 0u : 1u;
    }
}

TEST_CASE("the laws hold for messages of llama.cpp's shape", "[laws]") {
    laws::check_type<std::vector<forms::llama_message>>(laws::byte_estimator{});
}

TEST_CASE("the laws hold for messages of ai-sdk-cpp's shape", "[laws]") {
    laws::check_type<std::vector<forms::ai_message>>(laws::byte_estimator{});
}

TEST_CASE("the laws hold for messages of LiteRT-LM's shape", "[laws]") {
    laws::check_type<std::vector<forms::litert_message>>(laws::byte_estimator{});
}
