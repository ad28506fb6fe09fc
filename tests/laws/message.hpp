// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "laws/checker.hpp"
#include "support/messages/form.hpp"

// The laws of the tiers: what a message type promises by the traits that it has. Judged on the form
// as a chat_message, one message at a time.

namespace laws {

template <class Message>
class tier_checker {
public:
    explicit tier_checker(Message const& m) : m_{m}, was_{forms::to_chat(m)} {
        if constexpr (condense::shortenable<Message>) check_with_part();
        if constexpr (condense::detail::part_removable<Message>) check_without_part();
        if constexpr (condense::composable<Message>) check_make();
        if constexpr (condense::answerable<Message>) check_make_result();
        if constexpr (condense::storable<Message>) check_bytes();
        if constexpr (condense::detail::markable<Message>) check_mark();
        if (forms::to_chat(m_) != was_) broken_.insert("a message was changed in place");
    }

    broken const& violations() const { return broken_; }

private:
    void check_with_part() {
        for (std::size_t at = 0; at < was_.parts.size(); ++at) {
            if (was_.parts[at].kind == part_kind::media) {
                check_media(at);
                continue;
            }
            if (was_.parts[at].sealed) continue;  // no layer may edit it
            auto const now = forms::to_chat(condense::with_part(m_, at, "{\"a\":1}"));
            auto wanted = was_;
            wanted.parts[at].text = "{\"a\":1}";
            wanted.parts[at].cost.reset();
            if (now != wanted) broken_.insert("with_part: not this part, or not this alone");
        }
    }
    /// A text in the same place, alone or of the answer that the media came with; or nothing has changed.
    void check_media(std::size_t at) {
        auto const now = forms::to_chat(condense::with_part(m_, at, "[a note]"));
        if (now == was_) return;
        auto wanted = was_;
        wanted.parts[at].kind = part_kind::text;
        wanted.parts[at].text = "[a note]";
        wanted.parts[at].sealed = false;
        wanted.parts[at].cost.reset();
        wanted.parts[at].data = 0;
        if (now == wanted) return;
        wanted.parts[at].kind = part_kind::tool_result;
        if (wanted.parts[at].call.empty() || now != wanted)
            broken_.insert("with_part: media become no text, or not they alone");
    }
    void check_without_part() {
        for (std::size_t at = 0; at < was_.parts.size(); ++at) {
            if (was_.parts[at].kind == part_kind::tool_call || was_.parts[at].kind == part_kind::tool_result) continue;
            auto wanted = was_;
            wanted.parts.erase(wanted.parts.begin() + static_cast<std::ptrdiff_t>(at));
            if (forms::to_chat(condense::detail::without_part_fn{}(m_, at)) != wanted)
                broken_.insert("without_part: not this part, or not this alone");
        }
    }
    void check_make() {
        auto const made = forms::to_chat(condense::detail::make_fn::make<Message>(role::user, "so far \xC3\xA9"));
        if (made != chat_message::user("so far \xC3\xA9")) broken_.insert("make: not the role and the text");
    }
    void check_make_result() {
        condense::each_part(m_, [&](condense::part_view const& call) {
            if (call.kind != part_kind::tool_call) return;
            auto const made = forms::to_chat(condense::make_result(m_, call, "gone"));
            if (made.parts.size() != 1 || made.parts[0].kind != part_kind::tool_result || made.parts[0].text != "gone")
                return void(broken_.insert("make_result: no result of this text"));
            auto next = was_;  // the call and its answer alone
            next.parts.assign(1, {call.kind, "{}", std::string{call.tool}, std::string{call.call}});
            if (model{{next, made}}.group[1] != 0) broken_.insert("make_result: answers another call");
        });
    }
    void check_bytes() {
        auto const bytes = condense::to_bytes(m_);
        auto const back = condense::from_bytes<Message>(bytes);
        if (!back || forms::to_chat(*back) != was_) broken_.insert("from_bytes: not the message that was written");
        if (back && condense::to_bytes(*back) != bytes) broken_.insert("to_bytes: not the bytes that were read");
        for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 16)
            if (condense::from_bytes<Message>(bytes.substr(0, size)))
                broken_.insert("from_bytes: took what was cut short");
        if (condense::from_bytes<Message>(bytes + "0")) broken_.insert("from_bytes: took what is longer");
    }
    void check_mark() {
        auto marked = forms::from_chat<Message>(was_);
        condense::set_mark(marked, "summary");
        auto wanted = was_;
        wanted.mark = "summary";
        if (forms::to_chat(marked) != wanted) broken_.insert("set_mark: not the mark, or not the mark alone");
    }

    Message const& m_;
    chat_message was_;
    broken broken_;
};

}  // namespace laws
