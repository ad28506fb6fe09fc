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
    std::vector<std::string> all{"", "\xFF\xFE\xC0\x80\xED\xA0\x80", "tool", "text", "4:tool,", "{\"a\":"};
    all.insert(all.end(), {std::string(1u << 16, 'x'), std::string(3, '\0'), std::string(5'000, '[')});
    return all;
}

/// The bytes of a message: they hold all of it, and neither a prefix of them nor more bytes are taken for a message.
template <class Message>
std::string bytes_of(Message const& m) {
    auto bytes = condense::to_bytes(m);
    CHECK(condense::from_bytes<Message>(bytes) == m);
    std::size_t read = 0;
    for (std::size_t size = 0; size < bytes.size(); ++size)
        read += condense::from_bytes<Message>(bytes.substr(0, size)) ? 1u : 0u;
    for (auto const* const more : {"x", "1:0,"}) read += condense::from_bytes<Message>(bytes + more) ? 1u : 0u;
    CHECK(read == 0);
    return bytes;
}

/// With one bit changed, bytes give nothing, or another whole message. How often nothing.
template <class Message>
std::size_t refused_of_changed(Message const& m) {
    auto const whole = bytes_of(m);
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

/// Each part is written and removed: the others stay as they are. Bytes hold the message.
template <class Message>
void edit_and_store(Message const& m) {
    auto const was = parts_of(m);
    for (std::size_t index = 0; index <= was.size(); ++index) {
        auto const now = parts_of(condense::with_part(m, index, "new"));
        CHECK(now.size() <= was.size() + 1);
        for (std::size_t other = 0; other < index && other < was.size(); ++other) CHECK(now[other] == was[other]);
        CHECK(parts_of(condense::without_part(m, index)).size() <= was.size());
    }
    CHECK(condense::from_bytes<Message>(condense::to_bytes(m)) == m);
}

}  // namespace foreign
