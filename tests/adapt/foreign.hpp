// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/catch.hpp"
#include "support/messages/form.hpp"

// What is asked of the adapter of every message type that another library defines.

namespace foreign {

/// The parts, with texts of their own.
template <class Message>
std::vector<condense::chat_part> parts_of(Message const& m) {
    return forms::to_chat(m).parts;
}

/// Empty, huge, ill-formed, and what reads like the formats that are in use.
inline std::vector<std::string> hostile_texts() {
    return {"",
            std::string(1u << 16, 'x'),
            "\xFF\xFE\xC0\x80\xED\xA0\x80",
            std::string(3, '\0'),
            "tool",
            "text",
            "4:tool,",
            "{\"a\":",
            std::string(5'000, '[')};
}

/// True if no prefix of the bytes, nor bytes after them, are taken for a message.
template <class Message>
bool cut_or_longer_is_refused(std::string const& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size)
        if (condense::from_bytes<Message>(bytes.substr(0, size))) return false;
    return !condense::from_bytes<Message>(bytes + "x") && !condense::from_bytes<Message>(bytes + "1:0,");
}

/// With one bit changed, bytes give nothing, or another whole message. How often nothing.
template <class Message>
std::size_t refused_of_changed(Message const& m) {
    auto const whole = condense::to_bytes(m);
    CHECK(cut_or_longer_is_refused<Message>(whole));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (unsigned flip = 1; flip < 256; flip *= 2) {
            auto changed = whole;
            changed[at] = static_cast<char>(static_cast<unsigned>(changed[at]) ^ flip);
            if (auto const found = condense::from_bytes<Message>(changed)) {
                static_cast<void>(condense::to_bytes(*found));
                CHECK(*found != m);
            } else ++refused;
        }
    return refused;
}

/// Each part is written and removed: the others stay as they are.
template <class Message>
void edits_of_every_part(Message const& m) {
    auto const was = parts_of(m);
    for (std::size_t index = 0; index <= was.size(); ++index) {
        auto const now = parts_of(condense::with_part(m, index, "new"));
        CHECK(now.size() <= was.size() + 1);
        for (std::size_t other = 0; other < index && other < was.size(); ++other) CHECK(now[other] == was[other]);
        CHECK(parts_of(condense::without_part(m, index)).size() <= was.size());
    }
}

}  // namespace foreign
