// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <limits>

#include <condense/adapt/json.hpp>

#include "support/rows.hpp"

// Shared by the tests of JSON messages: values from text, parts spelt out, tables of messages, and the law of every
// message. Tables are read as ordered_json alone: that no code depends on the order of members, the law shows of both.

namespace adapt_tests {

using list = std::vector<std::string>;

template <class Json = nlohmann::ordered_json>
Json read(std::string_view text) {
    return Json::parse(text.begin(), text.end());
}

template <class Json>
std::string dump(Json const& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A table of json_messages.json. Rows are messages, or arrays:
/// "parts": a message, its parts; "odd": likewise of one that is not understood; "places": a message, for each part its
/// text and what goes with it; "written": a message, an index or several, a text or several, the message with it, if it
/// changes; "removed" likewise; "media": a block, what it says of itself; "beside": a message, one that is made to
/// stand beside it; "answers": a message, the answers to its calls; "results": a message, its parts and those of the
/// last call's result; "joined": two messages, what they are as one, if they can be; "rounds": by shape, the messages
/// of a round, in which "ID", "OUT" and "Q" stand for what differs.
inline nlohmann::ordered_json const& table(char const* name) {
    static auto const all = rows_beside(__FILE__, "json_messages.json");
    return all.at(name);
}
/// The elements of a row from `first` on.
inline list rest_of(nlohmann::ordered_json const& row, std::size_t first = 1) {
    return {row.begin() + static_cast<std::ptrdiff_t>(first), row.end()};
}

/// "tool result lookup #c1 error sealed =1600: text"
inline std::string spelt(condense::part_view const& part) {
    std::string out{name(part.kind)};
    if (!part.tool.empty()) out.append(" ").append(part.tool);
    if (!part.call.empty()) out.append(" #").append(part.call);
    if (part.status == condense::part_status::error) out += " error";
    using condense::compaction_place;
    if (part.compaction != compaction_place::none)
        out += part.compaction == compaction_place::first ? " first compaction" : " compaction";
    else out += part.bound ? " bound" : part.sealed ? " sealed" : "";
    if (part.cost) out += " =" + std::to_string((*part.cost).tokens().count);
    return out.append(": ").append(part.text);
}

/// Calls the function with each part. The enumeration is large, so that it is compiled once for all these functions.
template <class Json>
void each_part(Json const& m, std::function<void(condense::part_view const&)> const& sink) {
    condense::each_part(m, sink);
}

template <class Json>
list parts(Json const& m) {
    list out;
    each_part(m, [&](condense::part_view const& part) { out.push_back(spelt(part)); });
    return out;
}

/// Whether all other parts are of no known kind, so that this one has to stay.
template <class Json>
bool removes_the_last_known(Json const& m, std::size_t index) {
    std::size_t at = 0, known = 0;
    each_part(
        m, [&](condense::part_view const& part) { known += at++ != index && part.kind != condense::part_kind::other; });
    return known == 0;
}

/// What with_edits has to give.
template <class Json>
Json edited_one_by_one(Json m, std::vector<condense::part_edit> const& edits, std::vector<bool> const& result) {
    for (auto const& edit : edits)
        if (!edit.removed) m = condense::with_part(m, edit.index, std::string{edit.text});
    std::vector<std::size_t> gone;
    for (bool const results : {false, true})
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
            if (!edit->removed || result[edit->index] != results) continue;
            auto const before = [&](std::size_t index) { return index < edit->index; };
            auto const shift = results ? std::count_if(gone.begin(), gone.end(), before) : 0;
            m = condense::without_part(m, edit->index - static_cast<std::size_t>(shift));
            if (!results) gone.push_back(edit->index);
        }
    return m;
}

/// Edits of some of so many parts, removals of a third of them.
inline std::vector<condense::part_edit> some_edits(std::size_t parts, std::uint32_t& state) {
    std::vector<condense::part_edit> edits;
    for (std::size_t index = 0; index < parts; ++index) {
        state = state * 1'664'525u + 1'013'904'223u;
        auto const choice = (state >> 16) % 3;
        if (choice != 0) edits.push_back({index, choice == 1, choice == 1 ? "" : "null"});
    }
    return edits;
}

/// What an adapter owes for any message at all; says which promise is broken, or nothing.
template <class Json>
std::string broken(Json const& m) try {
    if (auto const wrong = condense::shape_error_of(m)) {
        try {
            parts(m);
        } catch (condense::unknown_shape const& thrown) {
            return thrown.error().text() == wrong.text() ? "" : "another error is thrown";
        }
        return "a message that is not understood is read";
    }
    auto const whole = dump(m);
    auto const before = parts(m);
    condense::role_of(m);
    condense::name_of(m);
    list texts;
    std::vector<bool> fixed;
    std::vector<bool> result;
    std::vector<bool> media;
    each_part(m, [&](condense::part_view const& part) {
        texts.emplace_back(part.text);
        fixed.push_back(part.sealed);
        result.push_back(part.kind == condense::part_kind::tool_result);
        media.push_back(part.kind == condense::part_kind::media);
    });
    for (std::size_t at = 0; at < before.size(); ++at) {
        if (dump(condense::with_part(m, at, texts[at])) != whole) return "the same text changes the message";
        auto const after = parts(condense::with_part(m, at, "null"));
        auto wanted = before;
        if (media[at]) {
            if (after.size() != before.size()) return "a text in place of media changes what is shown";
            if (after[at] != before[at] && !after[at].ends_with(": null")) return "media become something else";
            wanted[at] = after[at];
        }
        if (!fixed[at]) wanted[at] = before[at].substr(0, before[at].size() - texts[at].size()) + "null";
        if (after != wanted) return "a new text lands elsewhere";
        auto const thinner = condense::without_part(m, at);
        if (thinner == m && removes_the_last_known(m, at)) continue;
        auto const less = parts(thinner);
        wanted = before;
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(at));
        if (!result[at] && less != wanted) return "removal takes something else";
    }
    for (std::uint32_t number = 0, state = static_cast<std::uint32_t>(whole.size()); number < 6; ++number) {
        auto const edits = some_edits(before.size(), state);
        auto together = m;
        condense::with_edits(together, edits);
        if (dump(together) != dump(edited_one_by_one(m, edits, result))) return "edits together differ from one by one";
    }
    if (dump(condense::with_part(m, before.size(), "null")) != whole)
        return "an index past the end changes the message";
    if (dump(condense::without_part(m, before.size())) != whole) return "an index past the end removes something";
    auto marked = m;
    condense::set_mark(marked, "short.0");
    if (condense::mark_of(marked) != (m.is_object() ? "short.0" : "")) return "the mark is lost";
    if (parts(marked) != before) return "the mark is a part";
    auto unmarked = marked;
    condense::without_marks(unmarked);
    condense::set_mark(marked, "");
    if (dump(marked) != dump(unmarked)) return "the mark stays";
    if (!m.contains("condense") && dump(marked) != whole) return "taking the mark back changes the message";
    return {};
} catch (std::exception const& failure) { return failure.what(); }

}  // namespace adapt_tests
