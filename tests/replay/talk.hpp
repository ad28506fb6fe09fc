// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/estimator.hpp>

// What the tests of replays share: an estimator that counts one token a byte, a clock that ticks, and a
// message type of their own.

namespace talk {

using condense::chat_message;
using condense::part_kind;
using condense::part_view;
using condense::role;

/// One token a byte of text, and nothing else.
struct byte_tokens {
    condense::cost operator()(std::string_view text) const noexcept { return condense::cost::of({text.size()}); }
};

/// Every look at it takes one nanosecond.
struct ticking {
    std::uint64_t* ticks = nullptr;
    condense::instant operator()() const noexcept { return {++*ticks}; }
};

/// A message with the least that a type can say, and what joins an answer to the one before.
struct line {
    role speaker = role::user;
    std::string words = {};
    bool joined = false;

    struct condense_traits {
        static role role_of(line const& m) { return m.speaker; }
        static void each_part(line const& m, auto&& sink) {
            if (!m.words.empty()) sink(part_view{.text = m.words});
        }
        static bool joins_previous(line const& m) { return m.joined; }
    };
};

inline chat_message system(std::string words) { return chat_message::system(std::move(words)); }
inline chat_message user(std::string words) { return chat_message::user(std::move(words)); }
inline chat_message says(std::string words) { return chat_message::assistant(std::move(words)); }
inline chat_message call(std::string id, std::string arguments = "{}") {
    return chat_message::call(std::move(id), "read", std::move(arguments));
}
inline chat_message result(std::string id, std::string words) {
    return chat_message::result(std::move(id), std::move(words));
}

/// Texts that programs meet sooner or later.
inline std::vector<std::string> hostile_texts() {
    std::string slashes;
    std::string quotes;
    for (int place = 0; place < 20'000; ++place) slashes += "a/", quotes += place % 3 == 0 ? "\"x" : "'";
    return {"",
            std::string(100'000, '\0'),
            std::string(300'000, 'x'),
            std::string(100'000, '\\'),
            "\xFF\xFE\x80" + std::string(2'000, '\xC3'),
            slashes,
            quotes,
            std::string(100'000, '"'),
            std::string(50'000, '1'),
            "://" + std::string(1'000, ':') + "//",
            "\\",
            "a\\",
            "\"",
            "a_\"b\\"};
}

}  // namespace talk
