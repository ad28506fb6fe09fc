// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>

#include "support/messages/form.hpp"

// A value that never changes, as toolkits with wide strings have them: shared data, no assignment. Its
// text in bytes lives no longer than the call of the sink. There is no room for a mark.

namespace forms {

/// One unit a byte.
inline std::u16string widened(std::string_view text) {
    std::u16string out;
    for (char const byte : text) out.push_back(static_cast<unsigned char>(byte));
    return out;
}
inline std::string narrowed(std::u16string_view text) {
    std::string out;
    for (char16_t const unit : text) out.push_back(static_cast<char>(unit));
    return out;
}

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
    static std::string label(note const& m) { return narrowed(m->label); }

    static note from_chat(chat_message const& m) {
        note::content made{.speaker = m.role, .label = widened(m.name), .pinned = m.pinned};
        for (auto const& part : m.parts)
            made.pieces.push_back({part.kind, widened(part.text), widened(part.tool), widened(part.call), part.status,
                                   part.sealed, part.cost});
        return note{std::move(made)};
    }
};

}  // namespace forms

template <>
struct condense::message_traits<forms::note> : forms::answered_traits<forms::note> {
    using note = forms::note;

    static role role_of(note const& m) { return m->speaker; }
    static void each_part(note const& m, auto&& sink) {
        for (auto const& piece : m->pieces) {
            auto const text = forms::narrowed(piece.text);
            auto const tool = forms::narrowed(piece.tool);
            auto const call = forms::narrowed(piece.call);
            sink(part_view{piece.kind, text, tool, call, piece.status, piece.sealed, piece.cost});
        }
    }
    static bool pinned(note const& m) { return m->pinned; }
};
