// SPDX-License-Identifier: BSL-1.0
#include "laws/message_types.hpp"
#include "support/messages/ai_sdk.hpp"
#include "support/messages/litert_lm.hpp"
#include "support/messages/llama_cpp.hpp"

TEMPLATE_TEST_CASE("the tiers of message types of other libraries", "[laws]", forms::llama_message, forms::ai_message,
                   forms::litert_message) {
    laws::check_tiers<TestType>(false);  // the name is the tests' member, which the adapters do not store
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
