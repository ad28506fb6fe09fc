// SPDX-License-Identifier: BSL-1.0
#include <condense/core/model_prompt.hpp>

#include "support/catch.hpp"

using condense::model_prompt;

TEST_CASE("model_prompt: is one text for a client that takes one") {
    CHECK(model_prompt{.instructions = "Sum up.", .data = "[user] Hi."}.text() == "Sum up.\n[user] Hi.");
    CHECK(model_prompt{.instructions = "Sum up."}.text() == "Sum up.");
    CHECK((model_prompt{.data = "[user] Hi."}.text() == "[user] Hi." && model_prompt{}.empty()));
    CHECK_FALSE(model_prompt{.data = "[user] Hi."}.empty());
}
