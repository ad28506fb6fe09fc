// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/messages/form.hpp"
#include "support/messages/utf16.hpp"

// A value that never changes, as toolkits with UTF-16 strings have them: shared data, no assignment.
// Its text in UTF-8 lives no longer than the call of the sink. There is no room for a mark.

namespace forms {

class note {
public:
    struct piece {
        part_kind kind = part_kind::text;
        std::u16string text = {};
        std::u16string tool = {};
        std::u16string call = {};
        part_status status = part_status::ok;
        bool sealed = false;
        condense::own_cost cost = {};
    };
    struct content {
        condense::role speaker = condense::role::user;
        std::vector<piece> pieces = {};
        std::u16string label = {};
        bool pinned = false;
    };

    explicit note(content made) : held_{std::make_shared<content const>(std::move(made))} {}
    note(note const&) noexcept = default;
    note& operator=(note const&) = delete;

    content const* operator->() const noexcept { return held_.get(); }

private:
    std::shared_ptr<content const> held_;
};

template <>
struct form<note> {
    static std::string label(note const& m) { return to_utf8(m->label); }

    static note from_chat(chat_message const& m) {
        note::content made{.speaker = m.role, .label = to_utf16(m.name), .pinned = m.pinned};
        for (auto const& part : m.parts)
            made.pieces.push_back({part.kind, to_utf16(part.text), to_utf16(part.tool), to_utf16(part.call),
                                   part.status, part.sealed, part.cost});
        return note{std::move(made)};
    }
};

}  // namespace forms

template <>
struct condense::message_traits<forms::note> : forms::packed_traits<forms::note> {
    using note = forms::note;

    static role role_of(note const& m) { return m->speaker; }
    static void each_part(note const& m, auto&& sink) {
        for (auto const& piece : m->pieces) {
            auto const text = forms::to_utf8(piece.text);
            auto const tool = forms::to_utf8(piece.tool);
            auto const call = forms::to_utf8(piece.call);
            sink(part_view{piece.kind, text, tool, call, piece.status, piece.sealed, piece.cost});
        }
    }
    static note with_part(note const& m, std::size_t index, std::string text) {
        auto content = *m.operator->();
        content.pieces[index].text = forms::to_utf16(text);
        content.pieces[index].cost.reset();
        if (content.pieces[index].kind == part_kind::media)
            content.pieces[index].kind = part_kind::text, content.pieces[index].sealed = false;
        return note{std::move(content)};
    }
    static note without_part(note const& m, std::size_t index) {
        auto content = *m.operator->();
        content.pieces.erase(content.pieces.begin() + static_cast<std::ptrdiff_t>(index));
        return note{std::move(content)};
    }
    static note make(role speaker, std::string text) {
        note::content made{.speaker = speaker};
        made.pieces.push_back({.text = forms::to_utf16(text)});
        return note{std::move(made)};
    }
    static note make_result(note const&, part_view const& call, std::string text) {
        note::content made{.speaker = role::tool};
        made.pieces.push_back(
            {.kind = part_kind::tool_result, .text = forms::to_utf16(text), .call = forms::to_utf16(call.call)});
        return note{std::move(made)};
    }
    static bool pinned(note const& m) { return m->pinned; }
};
