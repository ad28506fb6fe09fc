// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/core/part.hpp>

// What the tests of JSON messages share: values from text, and parts spelt out.

namespace adapt_tests {

using list = std::vector<std::string>;

template <class Json>
Json read(std::string_view text) {
    return Json::parse(text.begin(), text.end());
}

template <class Json>
std::string dump(Json const& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "tool result lookup #c1 error sealed =1600: text"
inline std::string spelt(condense::part_view const& part) {
    std::string out{name(part.kind)};
    if (!part.tool.empty()) out.append(" ").append(part.tool);
    if (!part.call.empty()) out.append(" #").append(part.call);
    if (part.status == condense::part_status::error) out += " error";
    if (part.sealed) out += " sealed";
    if (part.cost) out += " =" + std::to_string((*part.cost).tokens().count);
    return out.append(": ").append(part.text);
}

}  // namespace adapt_tests
