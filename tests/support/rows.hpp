// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

/// The JSON document `name` beside a source file: rows_beside(__FILE__, "answers.json"). Read it once. A compiler cache
/// may make __FILE__ relative to the folder of the build, so each folder above the current one is tried.
inline nlohmann::ordered_json rows_beside(std::string_view source, std::string_view name) {
    auto const wanted = std::filesystem::path{source}.parent_path() / name;
    for (auto from = std::filesystem::current_path();; from = from.parent_path()) {
        if (std::ifstream file{from / wanted, std::ios::binary}; file) return nlohmann::ordered_json::parse(file);
        if (from == from.parent_path()) throw std::runtime_error{"no file " + wanted.string() + " from here upward"};
    }
}
