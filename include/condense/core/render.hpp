// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/message.hpp>
#include <condense/core/outline.hpp>
#include <condense/core/part_copies.hpp>
#include <condense/core/report.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/index_iterator.hpp>

// The messages that would be sent, rendered on demand: originals with the edits in force, summaries and written
// results; and the list of what was cut from them.

namespace condense {
inline namespace v1 {

/// Where a message to send comes from: a message of the history, unchanged or with edits, a summary, or a written
/// result.
enum class sent_kind : std::uint8_t { original, changed, summary, answer };
/// One message to send, by its origin; `make` renders those that are not kept.
struct sent_place {
    sent_kind kind = sent_kind::original;
    std::uint32_t index = 0;  ///< of the message, of the summary's group, or the part_id of the answered call
    friend constexpr bool operator==(sent_place, sent_place) = default;
};

namespace detail {

/// The mark of a message with edits: "short.0,stored.2" says that part 0 was shortened and part 2 has its original in a
/// store, by this run or an earlier one. Parts are numbered as the rendered message has them, without removed ones.
template <class Message>
std::string new_mark(outline const& facts, view const& edits, std::uint32_t index) {
    std::string mark;
    std::size_t place = 0;
    for (auto const part_id : facts.message_at(index).parts()) {
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

/// Some part of the message has an edit in force.
template <class View>
constexpr bool is_edited(outline const& facts, View const& edits, std::uint32_t index) noexcept {
    for (auto const part_id : facts.message_at(index).parts())
        if (edits.edit_of(part_id) != nullptr) return true;
    return false;
}

/// Calls f(sent_place) for each message to send, in order. Written results follow the message with their calls. Renders
/// nothing.
template <class Function>
constexpr void each_place(outline const& facts, view const& edits, Function&& f) {
    auto const end = static_cast<std::uint32_t>(2 * facts.size());
    for (auto place = edits.next_sent(facts, 0); place < end; place = edits.next_sent(facts, place + 1)) {
        auto const index = place / 2;
        if (place % 2 == 0) {  // a group has the index of its first message, so its summary stands here
            f(sent_place{sent_kind::summary, group{index}.summary().index});
            continue;
        }
        f(sent_place{is_edited(facts, edits, index) ? sent_kind::changed : sent_kind::original, index});
        if (!edits.has_answers(facts.group_of(index))) continue;
        for (auto const part_id : facts.message_at(index).parts())
            if (edits.answer_at(part_id) != 0) f(sent_place{sent_kind::answer, part_id});
    }
}

/// Applies all edits of a message one by one: texts are replaced first, then parts are removed, from the last to the
/// first, so that the indices of the others stay valid.
template <class Message>
constexpr Message render_one_by_one(Message const& original, outline const& facts, view const& edits,
                                    std::uint32_t index) {
    auto const& message = facts.message_at(index);
    std::optional<Message> result;
    auto const current = [&]() -> Message const& { return result ? *result : original; };
    // The message that an adapter changes in place.
    auto const copied = [&]() -> Message& {
        if constexpr (std::copy_constructible<Message>)
            if (!result) result.emplace(original);
        return *result;
    };
    for (std::uint32_t part = 0; part < message.part_count; ++part) {
        auto const* const changed = edits.edit_of(message.first_part + part);
        if (changed == nullptr || changed->kind == edit_kind::remove) continue;
        auto const& text = edits.text_at(changed->text).text;
        if constexpr (replaces_in_place<Message>)
            if (result) {
                traits_of<Message>::with_part(*result, part, text);
                continue;
            }
        if constexpr (shortenable<Message>) result.emplace(v1::with_part(current(), part, text));
    }
    // Results are removed last, as other parts may have their place inside one, and their indices depend on it.
    auto const goes = [&](std::uint32_t part, bool results) {
        auto const* const changed = edits.edit_of(message.first_part + part);
        bool const is_result = facts.part_at(message.first_part + part).kind == part_kind::tool_result;
        return changed != nullptr && changed->kind == edit_kind::remove && is_result == results;
    };
    std::uint32_t removed_below = 0;
    if constexpr (part_removable<Message>) {
        auto const remove = [&](std::uint32_t part) {
            if constexpr (removes_in_place<Message>) traits_of<Message>::without_part(copied(), part);
            else result.emplace(v1::without_part(current(), part));
        };
        for (auto part = message.part_count; part-- > 0;)
            if (goes(part, false)) remove(part), ++removed_below;
        for (auto part = message.part_count; part-- > 0;) {
            removed_below -= goes(part, false) ? 1u : 0u;  // now the number of removed parts before `part`
            if (goes(part, true)) remove(part - removed_below);
        }
    }
    return std::move(*result);
}

/// A copy of a message that has edits, with all of them applied.
template <class Message>
constexpr Message render(Message const& original, outline const& facts, view const& edits, std::uint32_t index,
                         bool marks) {
    auto const& message = facts.message_at(index);
    auto result = [&]() -> Message {
        if constexpr (edits_together<Message>)
            if (message.part_count > part_copies::few) {
                std::vector<part_edit> list;
                for (std::uint32_t part = 0; part < message.part_count; ++part) {
                    auto const* const changed = edits.edit_of(message.first_part + part);
                    if (changed == nullptr) continue;
                    bool const removed = changed->kind == edit_kind::remove;
                    list.push_back({part, removed, removed ? std::string_view{} : edits.text_at(changed->text).text});
                }
                Message copy(original);
                v1::with_edits(copy, list);
                return copy;
            }
        return render_one_by_one(original, facts, edits, index);
    }();
    if constexpr (markable<Message>)
        if (marks) v1::set_mark(result, new_mark<Message>(facts, edits, index));
    return result;
}

/// The message that holds a summary, marked so that later runs recognise it. It has the form of the first message that
/// is sent.
template <class Message, class Source>
constexpr Message render_summary(Source const& source, outline const& facts, view const& edits, group which,
                                 bool marks) {
    auto result = [&]() -> Message {
        auto text = edits.summary_text(which).text;
        if constexpr (composable_like<Message>) {
            auto const end = static_cast<std::uint32_t>(2 * facts.size());
            for (auto place = edits.next_sent(facts, 0); place < end; place = edits.next_sent(facts, place + 1))
                if (place % 2 != 0) return make_fn::make<Message>(role::user, std::move(text), source[place / 2]);
        }
        return make_fn::make<Message>(role::user, std::move(text));
    }();
    if constexpr (markable<Message>)
        if (marks) v1::set_mark(result, "summary");
    return result;
}

/// The message with a written result, as the adapter makes it from the message with the call. `copies` are those of the
/// same history, so that a message with many calls is read once for all.
template <class Message>
constexpr Message render_answer(Message const& original, outline const& facts, view const& edits, std::uint32_t part_id,
                                part_copies& copies) {
    std::optional<Message> result;
    auto const index = facts.part_at(part_id).message_index;
    auto const& message = facts.message_at(index);
    auto const position = part_id - message.first_part;
    auto const answer = [&](part_view const& call) {
        if constexpr (answerable<Message>)
            result.emplace(v1::make_result(original, call, edits.answer_text(part_id).text, position));
    };
    auto const read = [&](auto const& sink) { v1::each_part(original, sink); };
    if (message.part_count > part_copies::few &&
        copies.use(index, read, [&](auto const& parts) { answer(parts.at(position)); }))
        return std::move(*result);
    std::uint32_t current = 0;
    read([&](part_view const& part) {
        if (current++ == position) answer(part);
    });
    return std::move(*result);
}

/// The message of a place that is no original. `source` gives messages by index; `copies` are those of the same
/// history.
template <class Message, class Source>
constexpr Message render_place(Source const& source, outline const& facts, view const& edits, sent_place place,
                               bool marks, part_copies& copies) {
    if constexpr (composable<Message>)
        if (place.kind == sent_kind::summary)
            return render_summary<Message>(source, facts, edits, group{place.index}, marks);
    if constexpr (answerable<Message>)
        if (place.kind == sent_kind::answer)
            return render_answer<Message>(source[facts.part_at(place.index).message_index], facts, edits, place.index,
                                          copies);
    return render<Message>(source[place.index], facts, edits, place.index, marks);
}

/// Calls original(index) for each message to send as it is, made(place, message) for each other, in order.
template <class Message, class Source, class Original, class Made>
constexpr void render_into(Source const& source, outline const& facts, view const& edits, bool marks,
                           Original const& original, Made const& made) {
    part_copies copies;
    each_place(facts, edits, [&](sent_place place) {
        if (place.kind == sent_kind::original) original(place.index);
        else made(place, render_place<Message>(source, facts, edits, place, marks, copies));
    });
}

/// Calls f(sequence, null) for each message to send as it is, f(sequence, bytes) for each other, in order. The number
/// of a summary is that of the first message it stands for, that of a written result is its call's.
template <class Draft>
void each_sent(Draft const& draft, bool marks, callable_ref<void(sequence, std::string const*)> f) {
    using message_type = typename Draft::message_type;
    auto const& facts = draft.outline();
    auto const original = [&](std::uint32_t index) { f(sequence{index}, nullptr); };
    auto const made = [&](sent_place place, message_type const& m) {
        auto const bytes = v1::to_bytes(m);
        auto const number = place.kind == sent_kind::answer    ? facts.part_at(place.index).message_index
                            : place.kind == sent_kind::summary ? facts.group_at(group{place.index}.id()).first
                                                               : place.index;
        f(sequence{number}, &bytes);
    };
    render_into<message_type>(draft.source(), facts, draft.edits(), marks, original, made);
}

/// A range of `Message const&`. Messages without edits are those of the history, which must outlive it unchanged.
template <class Message>
class message_list {
    struct entry {
        Message const* original = nullptr;  ///< null for one that is rendered
        std::size_t place = 0;  ///< among those
    };

public:
    void refer(Message const& original) { entries_.push_back({.original = detail::address_of(original)}); }
    void own(Message&& rendered) {
        entries_.push_back({.place = rendered_.size()});
        rendered_.push_back(std::move(rendered));
    }
    Message const& operator[](std::size_t index) const noexcept {
        auto const& at = entries_[index];
        return at.original != nullptr ? *at.original : rendered_[at.place];
    }
    using iterator = index_iterator<message_list, (&message_list::operator[])>;
    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size()}; }
    std::size_t size() const noexcept { return entries_.size(); }

private:
    std::vector<Message> rendered_;
    std::vector<entry> entries_;
};

/// The messages that a draft would send as it is, for a layer that asks a model behind them. Costs a pointer for each,
/// and a copy of each that has edits.
template <class Draft>
auto rendered_request(Draft const& draft) {
    using message_type = typename Draft::message_type;
    message_list<message_type> result;
    auto const& source = draft.source();
    auto const original = [&](std::uint32_t index) {
        if constexpr (std::is_lvalue_reference_v<decltype(source[index])>) result.refer(source[index]);
        else result.own(source[index]);
    };
    auto const made = [&](sent_place, message_type&& m) { result.own(std::move(m)); };
    render_into<message_type>(source, draft.outline(), draft.edits(), false, original, made);
    return result;
}

/// The step contributed to the present state of its part: no later restore has undone it.
template <class View>
constexpr bool led_to_present(View const& edits, std::size_t index) noexcept {
    auto step_number = edits.edit_at(edits.steps()[index].target);
    while (step_number > index + 1) step_number = edits.steps()[step_number - 1].previous;
    return step_number == index + 1;
}

/// Calls f(truncation) for each edit of a part that a layer has made from step `mark` on, in order, where its message
/// is still sent. Reads the texts, to count their characters. `layers` are the entries of the report.
template <class Source, class View, class Layers, class Function>
constexpr void each_truncation(Source const& source, outline const& facts, View const& edits, std::size_t mark,
                               Layers const& layers, bool recorded, Function&& f) {
    for (auto index = mark; index < edits.steps().size(); ++index) {
        auto const& edit = edits.steps()[index];
        bool const is_cut =
            edit.kind == edit_kind::shorten || edit.kind == edit_kind::externalize || edit.kind == edit_kind::remove;
        // Only what layers did is reported, and only if it is part of what the model will read.
        if (!is_cut || edit.author == 0 || edit.author > layers.size() || !led_to_present(edits, index)) continue;
        auto const& part = facts.part_at(edit.target);
        auto const number = part.message_index;
        if (edits.is_dropped(facts.group_of(number)) || facts.message_at(number).released) continue;
        truncation entry{.message = {number},
                         .part = edit.target - facts.message_at(number).first_part,
                         .kind = part.kind,
                         .layer = layers[edit.author - 1].name,
                         .recorded = recorded};
        // Lengths are measured against the step before, which may be another layer's, else against the original.
        auto const text_of = [&](auto const& step) -> auto const& { return edits.text_at(step.text); };
        if (edit.text != none32) {
            entry.after = {utf8::count(text_of(edit).text)};
            entry.stored = text_of(edit).stored;
        }
        if (edit.previous != 0) {
            auto const& previous = text_of(edits.steps()[edit.previous - 1]);
            entry.before = {utf8::count(previous.text)};
            if (!entry.stored) entry.stored = previous.stored;
        } else {
            auto&& m = source[number];
            std::uint32_t position = 0;
            v1::each_part(m, [&](part_view const& content) {
                if (position++ == entry.part) entry.before = {utf8::count(content.text)};
            });
        }
        f(entry);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
