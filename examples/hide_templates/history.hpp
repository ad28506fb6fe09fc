// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// All that the rest of the program knows of it: the messages, and one function.

namespace chat {

enum class speaker { user, assistant, tool };

struct message {
    speaker from = speaker::user;
    std::string text = {};
    std::string tool = {};  ///< what an assistant's message calls, or a tool's answers
    std::string call = {};
};

using history = std::vector<message>;

struct outcome {
    bool fits = false;
    std::uint64_t tokens = 0;
};

/// Makes the history fit a window of so many tokens.
outcome fit(history& messages, std::uint64_t window);

}  // namespace chat
