// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>

#include "support/catch.hpp"

// What tests of journals append and read.

namespace store_tests {

using lines = std::vector<std::pair<condense::journal_entry, std::string>>;

inline lines lines_of(condense::journal auto const& from, std::string_view conversation) {
    lines all;
    auto const problem = from.read(conversation, [&](condense::journal_entry const& entry, std::string_view content) {
        all.emplace_back(entry, content);
    });
    CHECK_FALSE(problem);
    return all;
}

/// The error where there is one.
inline std::string add(condense::journal auto const& to, std::string_view conversation, std::uint64_t number,
                       std::string_view content) {
    return std::string{std::string_view{to.append(conversation, {to.name(content), number, false}, content).reason}};
}

/// Ids and numbers of entries, the latest append first.
inline std::vector<std::pair<std::string, std::uint64_t>> conversations_in(
    condense::listable_journal auto const& from) {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    CHECK_FALSE(from.each_conversation(
        [&](condense::journal_conversation const& each) { all.emplace_back(each.id, each.entries); }));
    return all;
}

}  // namespace store_tests
