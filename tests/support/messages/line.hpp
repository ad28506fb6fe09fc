// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/messages/form.hpp"

// The least there is: a role, spelt out, and one text. Calls are words, results have no id.

namespace forms {

struct line {
    std::string role;
    std::string text;
    std::string label = {};  ///< no part of the message for the library
    friend bool operator==(line const&, line const&) = default;
};

template <>
struct form<line> {
    static std::string_view label(line const& m) { return m.label; }

    static line from_chat(chat_message const& m) {
        line made{.role = std::string{name(m.role)}, .text = {}, .label = m.name};
        for (auto const& part : m.parts) made.text += part.text;
        return made;
    }
    static std::vector<chat_message> arrange(std::vector<chat_message> all) {
        for (auto& m : all)
            if (only_results(m)) m.role = role::tool;
        return all;
    }
};

}  // namespace forms

template <>
struct condense::message_traits<forms::line> : condense::role_and_text<&forms::line::role, &forms::line::text>,
                                               forms::stored_traits<forms::line> {};
