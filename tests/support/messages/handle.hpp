// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <iterator>
#include <memory>

#include "support/messages/form.hpp"

// A handle that can be moved and not copied, to one turn of the assistant with its calls and, beside
// them, their results: text, call, result, call, result. There is no message for a result alone.

namespace forms {

class handle {
public:
    struct turn {
        condense::role speaker = condense::role::user;
        std::vector<chat_part> parts = {};
        std::string label = {};
        bool pinned = false;
        std::string mark = {};
    };

    explicit handle(turn made) : held_{std::make_unique<turn>(std::move(made))} {}

    turn& operator*() noexcept { return *held_; }
    turn const& operator*() const noexcept { return *held_; }
    turn const* operator->() const noexcept { return held_.get(); }
    /// The same for as long as the message is the same.
    turn const* identity() const noexcept { return held_.get(); }

private:
    std::unique_ptr<turn> held_;
};

template <>
struct form<handle> {
    static std::string_view label(handle const& m) { return m->label; }

    static handle from_chat(chat_message const& m) { return handle{{m.role, m.parts, m.name, m.pinned, m.mark}}; }

    static std::vector<chat_message> arrange(std::vector<chat_message> all) {
        std::vector<chat_message> turns;
        for (auto& m : all) {
            if (turns.empty() || !only_results(m) || !asks(turns.back())) {
                turns.push_back(std::move(m));
                continue;
            }
            auto& into = turns.back();
            for (auto& part : m.parts) into.parts.insert(beside(into, part), std::move(part));
            into.pinned = into.pinned || m.pinned;
        }
        return turns;
    }

private:
    /// Behind the call with its id, and what has already been put there.
    static std::vector<chat_part>::const_iterator beside(chat_message const& m, chat_part const& part) {
        for (auto at = m.parts.size(); at-- > 0 && !part.call.empty();)
            if (m.parts[at].call == part.call) return m.parts.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        return m.parts.end();
    }
};

}  // namespace forms

template <>
struct condense::message_traits<forms::handle> : forms::edited_traits<forms::handle> {
    using handle = forms::handle;

    static role role_of(handle const& m) { return m->speaker; }
    static void each_part(handle const& m, auto&& sink) {
        for (auto const& part : m->parts)
            sink(part_view{part.kind, part.text, part.tool, part.call, part.status, part.sealed, part.cost});
    }
    static bool pinned(handle const& m) { return m->pinned; }
    static std::string_view mark_of(handle const& m) { return m->mark; }
    static void set_mark(handle& m, std::string_view mark) { (*m).mark = mark; }
};
