// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/messages/form.hpp"

// The library's own message type, which is what the others are compared with.

template <>
struct forms::form<condense::chat_message> {
    static std::string_view label(chat_message const& m) { return m.name; }
    static chat_message from_chat(chat_message const& m) { return m; }
};
