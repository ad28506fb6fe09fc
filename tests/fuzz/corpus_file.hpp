// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.hpp"

// Reads corpus.json. Part of the program that drives a target, so that targets compile without a JSON library.

namespace fuzz {

std::vector<std::string> listed(std::string_view target, std::string_view list) {
    using json = nlohmann::ordered_json;
    static auto const all = json::parse(bytes_of(CONDENSE_SHAPES "/../../fuzz/corpus.json"));
    std::vector<std::string> texts;
    for (json const& each : all.at(std::string{target}).at(std::string{list}))
        texts.push_back(each.is_string() ? each.get<std::string>() : each.dump());
    return texts;
}

}  // namespace fuzz
