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
#include <condense/detail/address.hpp>

// For chat templates that refuse two user messages in a row: neighbouring user messages are sent as one. Only what
// is sent is joined. The conversation and its edits know the messages apart, so a later run finds its summary again.

namespace condense {
inline namespace v1 {
namespace detail {

/// Where the text of a user message is, and whether it holds anything else.
struct text_parts {
    std::size_t first = 0;  ///< index of the first text part; meaningless where `count` is 0
    std::size_t last = 0;
    std::size_t count = 0;
    bool only_text = true;  ///< no media, results, sealed parts or parts with a call id

    constexpr void see(std::size_t index, bool is_text) noexcept {
        only_text = only_text && is_text;
        if (!is_text) return;
        if (count++ == 0) first = index;
        last = index;
    }
};

/// Two neighbours can be sent as one if both hold text and one of them holds nothing else: its text is then added to a
/// text part of the other, which keeps all its other parts.
constexpr bool can_join(text_parts const& earlier, text_parts const& later) noexcept {
    return earlier.count != 0 && later.count != 0 && (earlier.only_text || later.only_text);
}

/// A copy of `m` with the text of one part replaced; nothing where the adapter has not written it.
template <shortenable Message>
std::optional<Message> with_checked_part(Message const& m, std::size_t part, std::string const& text) {
    std::optional<Message> result{std::in_place, v1::with_part(m, part, text)};
    bool written = false;
    std::size_t index = 0;
    v1::each_part(*result,
                  [&](part_view const& current) { written = written || (index++ == part && current.text == text); });
    if (!written) result.reset();  // with_part may return the message unchanged where it cannot write the text
    return result;
}

/// One user message in place of two, with a blank line between their texts; nothing where they cannot be joined.
/// Neither argument is changed.
template <shortenable Message>
std::optional<Message> joined_texts(Message const& earlier, Message const& later) {
    if (v1::role_of(earlier) != role::user || v1::role_of(later) != role::user) return {};
    constexpr std::string_view gap = "\n\n";
    text_parts before;
    text_parts after;
    std::string text;
    std::string tail;   // of the earlier message
    std::string start;  // of the later one
    auto const read = [&](Message const& m, text_parts& parts, auto const& use) {
        std::size_t index = 0;
        v1::each_part(m, [&](part_view const& part) {
            bool const is_text = part.kind == part_kind::text && !part.sealed && part.call.empty();
            parts.see(index++, is_text);
            if (is_text) use(part.text, parts.count == 1);
        });
    };
    auto const add = [&](std::string_view part) { text.append(text.empty() ? "" : gap).append(part); };
    read(earlier, before, [&](std::string_view part, bool) { tail = part, add(part); });
    auto const earlier_size = text.size();
    read(later, after, [&](std::string_view part, bool first) {
        if (first) start = part;
        add(part);
    });
    if (!can_join(before, after)) return {};
    if (after.only_text) return with_checked_part(earlier, before.last, tail + text.substr(earlier_size));
    return with_checked_part(later, after.first, text.substr(0, earlier_size).append(gap).append(start));
}

/// True for two messages of the user, or of the assistant.
template <message Message>
bool has_one_author(Message const& earlier, Message const& later) {
    auto const speaker = v1::role_of(earlier);
    return speaker == v1::role_of(later) && (speaker == role::user || speaker == role::assistant);
}

/// One message in place of two of the same author; nothing where they cannot be joined.
template <shortenable Message>
std::optional<Message> joined(Message const& earlier, Message const& later) {
    if constexpr (appendable<Message>) {
        if (!has_one_author(earlier, later)) return {};
        std::optional<Message> result{std::in_place, earlier};
        if (!append_fn::append(*result, later)) result.reset();
        return result;
    } else return joined_texts(earlier, later);
}

/// Joins a message to the one that stands for those before it, which is a copy already: without copying it again where
/// message_traits has append.
template <shortenable Message>
bool join_to_copy(std::vector<Message>& copies, Message const& later) {
    if constexpr (appendable<Message>)
        return has_one_author(copies.back(), later) && append_fn::append(copies.back(), later);
    else {
        auto both = joined_texts(copies.back(), later);
        if (!both) return false;
        copies.pop_back();
        copies.push_back(std::move(*both));
        return true;
    }
}

/// Adds up the message frames that joining saves: a message sent inside its neighbour needs no frame of its own. Each
/// call reads the messages appended since the last one; after an edit that did more than replace a text it starts again
/// from the first. Allocates nothing.
template <class = void>
class basic_joined_frames {
public:
    /// The cost saved up to now. `frame` is what a summary's message costs beside its text.
    constexpr cost operator()(outline const& facts, view const& edits, cost frame) noexcept {
        auto const end = static_cast<std::uint32_t>(2 * facts.size());
        for (auto place = edits.next_sent(facts, next_place_); place < end; place = edits.next_sent(facts, place + 1)) {
            if (place % 2 == 0) see_user({.count = 1}, frame);  // a summary
            else see_message(facts, edits, place / 2);
        }
        next_place_ = end;
        return saved_;
    }
    /// To be called after steps from `mark` on were added to the view. Replaced texts change no frame, so only other
    /// kinds of edits invalidate the sum.
    constexpr void change(view const& edits, std::size_t mark) noexcept {
        for (; mark < edits.steps().size(); ++mark) {
            auto const kind = edits.steps()[mark].kind;
            if (kind == edit_kind::shorten || kind == edit_kind::externalize) continue;
            *this = {};
            return;
        }
    }

private:
    constexpr void see_message(outline const& facts, view const& edits, std::uint32_t index) noexcept {
        auto const& m = facts.message_at(index);
        bool answered = false;
        text_parts parts;
        for (auto const part_id : m.parts()) {
            answered = answered || edits.answer_at(part_id) != 0;
            auto const* const edit = edits.edit_of(part_id);
            if (edit != nullptr && edit->kind == edit_kind::remove) continue;
            auto const& part = facts.part_at(part_id);
            parts.see(part_id, part.kind == part_kind::text && !part.sealed && part.call == none32);
        }
        if (m.speaker == role::user) see_user(parts, m.frame);
        else after_user_ = false;
        after_user_ = after_user_ && !answered;  // a result of its own follows
    }

    /// Applies the same rule as `joined`, by the outline alone: the joined message keeps the frame of the one that
    /// holds more than text, so that of the other is saved.
    constexpr void see_user(text_parts const& next, cost frame) noexcept {
        if (after_user_ && can_join(latest_, next)) {
            saved_ += next.only_text ? frame : frame_;
            if (!next.only_text) frame_ = frame;
            latest_.only_text = latest_.only_text && next.only_text;
            return;
        }
        after_user_ = true;
        latest_ = next;
        frame_ = frame;
    }

    cost saved_ = {};
    std::uint32_t next_place_ = 0;
    bool after_user_ = false;  ///< the latest message sent is a user message, made of `latest_`
    text_parts latest_ = {};
    cost frame_ = {};  ///< of that message
};
using joined_frames = basic_joined_frames<>;

}  // namespace detail

/// Calls f(message const&) for each message of a range, in order, with neighbouring user messages joined into one: for
/// chat templates that require user and assistant to alternate. A joined message lives only during the call of f.
/// Where message_traits has append, that decides, of neighbouring answers too. Else two neighbours stay apart if
/// each holds more than text, or one holds no text, and the joined message has the other members of the one that holds
/// more than text, else of the first. Do not reduce its output again: a summary joined to a user message is no longer
/// recognised as a summary.
template <class Messages, class Function>
void each_alternating(Messages const& range, Function&& f) {
    using message_type = std::remove_cvref_t<decltype(*range.begin())>;
    static_assert(std::is_lvalue_reference_v<decltype(*range.begin())>,
                  "condense: each_alternating: the range must hold its messages (see each_alternating)");
    static_assert(shortenable<message_type>,
                  "condense: each_alternating: the messages must have with_part (see shortenable)");
    message_type const* pending = nullptr;
    std::vector<message_type> copy;  // at most one, of the messages that are joined
    for (message_type const& m : range) {
        if (!copy.empty() && pending == detail::address_of(copy.back())) {
            if (detail::join_to_copy(copy, m)) {
                pending = detail::address_of(copy.back());
                continue;
            }
        } else if (pending != nullptr)
            if (auto both = detail::joined(*pending, m)) {
                copy.clear();
                copy.push_back(std::move(*both));
                pending = detail::address_of(copy.back());
                continue;
            }
        if (pending != nullptr) f(*pending);
        pending = detail::address_of(m);
    }
    if (pending != nullptr) f(*pending);
}

}  // namespace v1
}  // namespace condense
