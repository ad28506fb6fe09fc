#pragma once
#include <optional>
#include <string_view>
#include <condense/core/quantity.hpp>
namespace condense { inline namespace v1 {
struct overflow { tokens limit = {}; tokens requested = {}; };
constexpr std::optional<overflow> overflow_of(int, std::string_view text) noexcept { if (text.find("context_length_exceeded") == text.npos) return std::nullopt; return overflow{}; }
}}
