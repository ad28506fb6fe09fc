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
