// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

// What a layer asks of a model: instructions, and the conversation as data.

namespace condense {
inline namespace v1 {

/// Instructions and data are apart, so that a client sends them as two messages, the data with the lower authority:
/// {"system", instructions}, {"user", data}. Deterministic: the same conversation gives the same bytes.
struct model_prompt {
    std::string instructions = {};  ///< what to write, how long, and the focus
    std::string data = {};          ///< behind a fence that nothing inside can close

    bool empty() const noexcept { return instructions.empty() && data.empty(); }
    /// Both as one text, for a client that takes one.
    std::string text() const {
        return instructions.empty() || data.empty() ? instructions + data : instructions + "\n" + data;
    }

    friend bool operator==(model_prompt const&, model_prompt const&) = default;
};

}  // namespace v1
}  // namespace condense
