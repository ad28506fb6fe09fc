// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/quantity.hpp>

// What the tests of replays share: a clock that ticks, a message type of their own, and hostile texts.

namespace talk {

using condense::part_view;
using condense::role;

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

/// Texts that programs meet sooner or later.
inline std::vector<std::string> hostile_texts() {
    std::vector<std::string> all{"", "\\", "a\\", "\"", "a_\"b\\"};
    for (auto const& [size, byte] :
         {std::pair{100'000u, '\0'}, {300'000u, 'x'}, {100'000u, '\\'}, {100'000u, '"'}, {50'000u, '1'}})
        all.emplace_back(size, byte);
    std::string slashes, quotes;
    for (int place = 0; place < 20'000; ++place) slashes += "a/", quotes += place % 3 == 0 ? "\"x" : "'";
    for (auto const& text :
         {"\xFF\xFE\x80" + std::string(2'000, '\xC3'), "://" + std::string(1'000, ':') + "//", slashes, quotes})
        all.push_back(text);
    return all;
}

}  // namespace talk
