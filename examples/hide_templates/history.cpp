// SPDX-License-Identifier: BSL-1.0

#include "history.hpp"

#include <utility>

#include <condense/condense.hpp>

template <>
struct condense::message_traits<chat::message> {
    static role role_of(chat::message const& m) {
        return m.from == chat::speaker::user        ? role::user
               : m.from == chat::speaker::assistant ? role::assistant
                                                    : role::tool;
    }
    static void each_part(chat::message const& m, auto&& sink) {
        auto const answers = m.from == chat::speaker::tool;
        sink(part_view{answers ? part_kind::tool_result : part_kind::text, m.text, answers ? m.tool : "",
                       answers ? m.call : ""});
        if (!answers && !m.call.empty()) sink(part_view{part_kind::tool_call, "", m.tool, m.call});
    }
    static void with_part(chat::message& m, std::size_t index, std::string text) {
        if (index == 0) m.text = std::move(text);  // the call's part has no text
    }
};

chat::outcome chat::fit(history& messages, std::uint64_t window) {
    using namespace condense::literals;
    condense::pipeline const mix{condense::compress{.when = condense::used >= 70_pct},
                                 condense::sliding_window{.when = condense::used >= 90_pct}};
    auto const done = condense::reduce(messages, mix, {.window = {window}});
    return {done.fits(), done.after.tokens.count};
}
