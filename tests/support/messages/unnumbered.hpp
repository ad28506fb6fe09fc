// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/messages/form.hpp"

// Calls and results name their tool and have no id: a result belongs to a call by name and order.

namespace forms {

struct unnumbered {
    struct piece {
        part_kind kind = part_kind::text;
        std::string text = {};
        std::string tool = {};
        part_status status = part_status::ok;
        bool sealed = false;
        condense::own_cost cost = {};
        friend bool operator==(piece const&, piece const&) = default;
    };
    condense::role speaker = condense::role::user;
    std::vector<piece> pieces = {};
    std::string label = {};
    bool pinned = false;
    std::string mark = {};
    friend bool operator==(unnumbered const&, unnumbered const&) = default;
};

template <>
struct form<unnumbered> {
    static std::string_view label(unnumbered const& m) { return m.label; }

    static unnumbered from_chat(chat_message const& m) {
        unnumbered made{.speaker = m.role, .label = m.name, .pinned = m.pinned, .mark = m.mark};
        for (auto const& part : m.parts)
            made.pieces.push_back({part.kind, part.text, part.tool, part.status, part.sealed, part.cost});
        return made;
    }

    /// Results take the name of their tool from the nearest earlier call with their id.
    static std::vector<chat_message> arrange(std::vector<chat_message> all) {
        std::vector<chat_part> calls;
        for (auto& m : all)
            for (auto& part : m.parts) {
                if (part.kind == part_kind::tool_call) calls.push_back(part);
                if (part.kind != part_kind::tool_result || part.call.empty()) continue;
                for (auto const& call : calls)
                    if (call.call == part.call) part.tool = call.tool;
            }
        return all;
    }
};

}  // namespace forms

template <>
struct condense::message_traits<forms::unnumbered> : forms::answered_traits<forms::unnumbered> {
    using unnumbered = forms::unnumbered;

    static role role_of(unnumbered const& m) { return m.speaker; }
    static void each_part(unnumbered const& m, auto&& sink) {
        for (auto const& piece : m.pieces)
            sink(part_view{piece.kind, piece.text, piece.tool, {}, piece.status, piece.sealed, piece.cost});
    }
    static bool pinned(unnumbered const& m) { return m.pinned; }
    static std::string_view mark_of(unnumbered const& m) { return m.mark; }
    static void set_mark(unnumbered& m, std::string_view mark) { m.mark = mark; }
};
