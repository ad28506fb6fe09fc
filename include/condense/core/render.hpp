// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <condense/core/edit_log.hpp>
#include <condense/core/message.hpp>
#include <condense/core/outline.hpp>
#include <condense/core/report.hpp>

// The messages that would be sent: the originals with the edits in force, summaries and answers; and what was cut of
// them.

namespace condense {
inline namespace v1 {
namespace detail {

/// The mark of a message after the edits in force: what it was, and what has been added.
template <class Message>
std::string new_mark(outline const& facts, view const& edits, std::uint32_t index) {
    std::string mark;
    auto const& found = facts.message_at(index);
    std::size_t place = 0;
    for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id) {
        auto earlier = facts.part_at(part_id).earlier;
        if (auto const* const changed = edits.edit_of(part_id)) {
            if (changed->kind == edit_kind::remove) continue;
            earlier = changed->kind == edit_kind::externalize ? earlier_edit::externalized : earlier_edit::shortened;
        }
        if (earlier != earlier_edit::none) {
            if (!mark.empty()) mark.push_back(',');
            mark.append(earlier == earlier_edit::externalized ? "stored." : "short.").append(std::to_string(place));
        }
        ++place;
    }
    return mark;
}

template <class View>
constexpr bool is_edited(outline const& facts, View const& edits, std::uint32_t index) noexcept {
    auto const& found = facts.message_at(index);
    for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id)
        if (edits.edit_of(part_id) != nullptr) return true;
    return false;
}

/// Calls kept(index), changed(index), summary(group) or answer(part_id of the call) for each message that
/// would be sent, in order.
template <class Kept, class Changed, class Summary, class Answer>
constexpr void each_place(outline const& facts, view const& edits, Kept& kept, Changed& changed, Summary& summary,
                          Answer& answer) {
    for (std::uint32_t index = 0; index < facts.size(); ++index) {
        // Groups have the index of the message with which they began.
        if (edits.present(group{index}.summary())) summary(group{index}.summary());
        auto const group_id = facts.group_of(index);
        if (edits.gone(group_id) || edits.emptied(facts, index)) continue;
        if (is_edited(facts, edits, index)) changed(index);
        else kept(index);
        if (!edits.has_answers(group_id)) continue;
        auto const& found = facts.message_at(index);
        for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id)
            if (edits.answer_at(part_id) != 0) answer(part_id);
    }
}

/// A message with its edits; it has some.
template <class Message>
constexpr Message render(Message const& original, outline const& facts, view const& edits, std::uint32_t index,
                         bool marks) {
    auto const& found = facts.message_at(index);
    std::optional<Message> made;
    auto const now = [&]() -> Message const& { return made ? *made : original; };
    for (std::uint32_t part = 0; part < found.part_count; ++part) {
        auto const* const changed = edits.edit_of(found.first_part + part);
        if (changed == nullptr || changed->kind == edit_kind::remove) continue;
        if constexpr (shortenable<Message>) made.emplace(v1::with_part(now(), part, edits.text_at(changed->text).text));
    }
    // Results last, as what came with one has its place in it.
    auto const goes = [&](std::uint32_t part, bool results) {
        auto const* const changed = edits.edit_of(found.first_part + part);
        bool const is_result = facts.part_at(found.first_part + part).kind == part_kind::tool_result;
        return changed != nullptr && changed->kind == edit_kind::remove && is_result == results;
    };
    std::uint32_t gone = 0;
    if constexpr (part_removable<Message>) {
        for (auto part = found.part_count; part-- > 0;)
            if (goes(part, false)) made.emplace(v1::without_part(now(), part)), ++gone;
        for (auto part = found.part_count; part-- > 0;) {
            gone -= goes(part, false) ? 1u : 0u;  // to those below it
            if (goes(part, true)) made.emplace(v1::without_part(now(), part - gone));
        }
    }
    if constexpr (markable<Message>)
        if (marks && made) v1::set_mark(*made, new_mark<Message>(facts, edits, index));
    return std::move(*made);
}

template <class Message>
constexpr Message render_summary(view const& edits, group which, bool marks) {
    auto made = make_fn::make<Message>(role::user, edits.summary_text(which).text);
    if constexpr (markable<Message>)
        if (marks) v1::set_mark(made, "summary");
    return made;
}

/// The answer to a call, as the adapter makes it of the message with the call.
template <class Message>
constexpr Message render_answer(Message const& original, outline const& facts, view const& edits,
                                std::uint32_t part_id) {
    std::optional<Message> made;
    auto at = facts.message_at(facts.part_at(part_id).message_index).first_part;
    v1::each_part(original, [&](part_view const& part) {
        if constexpr (answerable<Message>)
            if (at++ == part_id) made.emplace(v1::make_result(original, part, edits.answer_text(part_id).text));
    });
    return std::move(*made);
}

/// Calls f(sequence) for each message that would be sent as it is, f(sequence, bytes) for each other, in order.
template <class Draft, class Function>
constexpr void each_sent(Draft const& whole, bool marks, Function& f) {
    using message_type = typename Draft::message_type;
    auto const& facts = whole.outline();
    auto const& edits = whole.edits();
    auto const kept = [&](std::uint32_t index) { f(sequence{index}); };
    auto const changed = [&](std::uint32_t index) {
        f(sequence{index},
          v1::to_bytes(render<message_type>(whole.message_at(sequence{index}), facts, edits, index, marks)));
    };
    auto const summary = [&](group which) {
        if constexpr (composable<message_type>)
            f(sequence{facts.group_at(which.id()).first},
              v1::to_bytes(render_summary<message_type>(edits, which, marks)));
    };
    auto const answer = [&](std::uint32_t part_id) {
        auto const index = facts.part_at(part_id).message_index;
        f(sequence{index},
          v1::to_bytes(render_answer<message_type>(whole.message_at(sequence{index}), facts, edits, part_id)));
    };
    each_place(facts, edits, kept, changed, summary, answer);
}

/// The step is one of those that led to what is left of its part: nothing has put the part back since.
template <class View>
constexpr bool led_to_present(View const& edits, std::size_t index) noexcept {
    auto at = edits.edit_at(edits.steps()[index].target);
    while (at > index + 1) at = edits.steps()[at - 1].previous;
    return at == index + 1;
}

/// Calls f(truncation) for each edit of a part that layers have made from step `mark` on, in their order, where
/// its message is still sent. Reads the texts. `layers` are the entries of the report.
template <class Source, class View, class Layers, class Function>
constexpr void each_truncation(Source const& source, outline const& facts, View const& edits, std::size_t mark,
                               Layers const& layers, bool recorded, Function&& f) {
    for (auto index = mark; index < edits.steps().size(); ++index) {
        auto const& cut = edits.steps()[index];
        bool const cuts =
            cut.kind == edit_kind::shorten || cut.kind == edit_kind::externalize || cut.kind == edit_kind::remove;
        if (!cuts || cut.author == 0 || cut.author > layers.size() || !led_to_present(edits, index)) continue;
        auto const& part = facts.part_at(cut.target);
        auto const number = part.message_index;
        if (edits.gone(facts.group_of(number)) || facts.message_at(number).released) continue;
        truncation made{.message = {number},
                        .part = cut.target - facts.message_at(number).first_part,
                        .kind = part.kind,
                        .layer = layers[cut.author - 1].name,
                        .recorded = recorded};
        auto const text_of = [&](auto const& one) -> auto const& { return edits.text_at(one.text); };
        if (cut.text != none32) {
            made.after = {utf8::count(text_of(cut).text)};
            made.stored = text_of(cut).stored;
        }
        if (cut.previous != 0) {
            auto const& found = text_of(edits.steps()[cut.previous - 1]);
            made.before = {utf8::count(found.text)};
            if (!made.stored) made.stored = found.stored;
        } else {
            auto&& m = source[number];
            std::uint32_t at = 0;
            v1::each_part(m, [&](part_view const& seen) {
                if (at++ == made.part) made.before = {utf8::count(seen.text)};
            });
        }
        f(made);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
