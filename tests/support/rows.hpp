// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

/// The JSON document `name` beside a test: rows_beside(__FILE__, "answers.json"). Read it once.
inline nlohmann::ordered_json rows_beside(std::string_view test, std::string_view name) {
    auto const path = std::filesystem::path{test}.parent_path() / name;
    INFO(path.string());
    std::ifstream file{path, std::ios::binary};
    REQUIRE(file.good());
    return nlohmann::ordered_json::parse(file);
}
