// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/extract_facts.hpp>

struct memory {
    condense::store_error add(std::vector<std::string> const&) const { return {}; }
};

auto hook() { return condense::extract_facts{.to = memory{}}; }
