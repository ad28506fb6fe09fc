// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include "page.hpp"  // made by CMake from page.html, page.css and page.js
#include "report_json.hpp"
#include "report_table.hpp"

// The report as one page that needs nothing else: style, script and figures are in it, and nothing is fetched.

namespace replay {

/// JSON that may stand in a script element: no `</script`, no `<!--`, whatever the names are.
inline std::string in_script(json const& data) {
    std::string out;
    for (char const byte : data.dump(-1, ' ', false, json::error_handler_t::replace)) {
        if (byte == '<') out += "\\u003c";
        else if (byte == '>') out += "\\u003e";
        else if (byte == '&') out += "\\u0026";
        else out += byte;
    }
    return out;
}

inline std::string in_html(std::string_view text) {
    std::string out;
    for (char const byte : text) {
        if (byte == '<') out += "&lt;";
        else if (byte == '>') out += "&gt;";
        else if (byte == '&') out += "&amp;";
        else out += byte;
    }
    return out;
}

/// The page with each `<!--name-->` of the template replaced, in the order of their standing there; what is put
/// in is not searched again.
inline std::string html_of(report const& found) {
    constexpr std::size_t points = 200;
    std::string out;
    std::string_view left = page::html;
    auto const put = [&](std::string_view mark, std::string_view text) {
        auto const at = left.find(mark);
        out.append(left.substr(0, at)).append(text);
        left.remove_prefix(at + mark.size());
    };
    put("<!--style-->", page::style);
    put("<!--table-->", in_html(text_of(found)));
    put("<!--data-->", in_script(as_json(found, points)));
    put("<!--script-->", page::script);
    return out.append(left);
}

}  // namespace replay
