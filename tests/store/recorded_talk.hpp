// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "support/catch.hpp"

// A session whose journal something happens to.

namespace store_tests {

/// Records in a journal, and sends the four latest messages.
template <class Journal>
class recorded_talk {
    using mix_type =
        decltype(condense::pipeline{condense::record{.to = std::declval<Journal const&>()},
                                    condense::sliding_window{.when = condense::used > condense::messages{4}}});

public:
    explicit recorded_talk(Journal const& to)
        : session{{},
                  condense::pipeline{condense::record{.to = to},
                                     condense::sliding_window{.when = condense::used > condense::messages{4}}},
                  condense::budget{.window = {100'000}}} {}

    /// A message and its answer.
    void say(int number) {
        for (auto const& m : {condense::chat_message::user("message " + std::to_string(number)),
                              condense::chat_message::assistant("answer " + std::to_string(number))}) {
            session.push(m);
            all.push_back(condense::to_bytes(m));
        }
    }

    condense::session<std::vector<condense::chat_message>, mix_type> session;
    std::vector<std::string> all = {};  ///< what the journal should hold
};

/// Contents of the entries that are messages.
inline std::vector<std::string> originals_in(condense::journal auto const& from) {
    std::vector<std::string> contents;
    CHECK_FALSE(from.read("", [&](condense::journal_entry const& entry, std::string_view content) {
        if (!entry.is_derived) contents.emplace_back(content);
    }));
    return contents;
}

}  // namespace store_tests
