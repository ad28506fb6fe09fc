// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

/// The violations that a check of laws has returned, a line each: CHECK(text_of(check_store_laws(make)) == "").
inline std::string text_of(auto const& violations) {
    std::string out;
    for (auto const& each : violations) out += each.text() + "\n";
    return out;
}

/// The laws that they break, each once, in order: "gives_back lists".
inline std::string laws_of(auto const& violations) {
    std::string laws;
    for (auto const& each : violations)
        if (!laws.ends_with(each.law)) laws += (laws.empty() ? "" : " ") + std::string{each.law};
    return laws;
}

/// What an implementation with this one fault must be told: these laws, and this text among the violations.
template <class Fault>
struct told_of {
    Fault fault;
    std::string_view laws;
    std::string_view text;
};

/// violations_of(fault) returns the violations; the enumerators of Fault count from 0 to `last`.
template <class Fault>
void check_told(std::vector<told_of<Fault>> const& answers, Fault last, auto const& violations_of) {
    CHECK(answers.size() == static_cast<std::size_t>(last) + 1);
    for (auto const& [fault, laws, text] : answers) {
        auto const all = violations_of(fault);
        INFO("fault " << static_cast<int>(fault) << "\n" << text_of(all).substr(0, 2'000));
        CHECK(laws_of(all) == laws);
        CHECK(text_of(all).find(text) != std::string::npos);
    }
}
