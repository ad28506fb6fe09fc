// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

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

/// What an implementation with one fault, of this number, must be told: these laws, and this text among the violations.
void check_told(auto const& violations, int fault, std::string_view laws, std::string_view text) {
    INFO("fault " << fault << "\n" << text_of(violations).substr(0, 2'000));
    CHECK(laws_of(violations) == laws);
    CHECK(text_of(violations).find(text) != std::string::npos);
}
