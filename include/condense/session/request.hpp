// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <condense/core/alternation.hpp>
#include <condense/core/render.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/source.hpp>

// The messages that a session sends, kept from turn to turn: originals by index, and messages rendered from edits, once
// each. A turn without edits costs its own message and no more.

namespace condense {
inline namespace v1 {
namespace detail {

/// The messages of a session by their index in the conversation, which stays the same when others are released. Refers
/// to the container; the message at `index` must not be released itself.
template <class Messages>
struct originals {
    Messages const* all;
    std::vector<std::uint32_t> const* indices;  ///< of the messages there, ascending; null while none is released

    decltype(auto) operator[](std::size_t index) const {
        return ranges_access::begin_of(*all)[static_cast<std::ptrdiff_t>(place_of(index))];
    }
    /// The place in the container; its size for a released message. A binary search once some were released.
    std::size_t place_of(std::size_t index) const noexcept {
        if (indices == nullptr) return index;
        std::size_t begin = 0;
        for (auto end = indices->size(); begin < end;) {
            auto const middle = begin + (end - begin) / 2;
            if ((*indices)[middle] == index) return middle;
            if ((*indices)[middle] < index) begin = middle + 1;
            else end = middle;
        }
        return indices->size();
    }
};

/// The rendered request: a list of places, one for each message that is sent, in order. Owns rendered messages only;
/// the originals are passed to each call. Updated lazily: `change` says what is stale, `update` renders it.
///
/// An edit of the newest message renders that one alone, and a drop removes places; any other edit rebuilds the list.
/// Unless it edits a part, a rebuilt list takes over the rendered messages.
template <class Message>
class request {
public:
    /// Sends neighbouring user messages as one; `frame` is what a summary's message costs beside its text.
    void alternate(v1::cost frame) noexcept {
        alternates_ = true;
        summary_frame_ = frame;
    }

    /// Messages to send, as of the latest `update`.
    constexpr std::size_t size() const noexcept { return alternates_ ? runs_.size() : places_.size(); }

    /// The message to send at `index`, below size(); `source` returns originals by index. Valid until the next change.
    template <class Source>
    Message const& at(Source const& source, std::size_t index) const {
        return alternates_ ? message_of(source, runs_[index]) : message_at(source, index);
    }

    /// The frames that sending neighbouring user messages as one saves; 0 unless `alternate` was called.
    v1::cost joined_frames(outline const& facts, view const& edits) noexcept {
        return alternates_ ? joined_frames_(facts, edits, summary_frame_) : v1::cost{};
    }

    /// Room for one message more; after it one `add` and `change` cannot fail.
    void reserve_message() {
        grow(places_, 1);
        grow(pending_, 1);
    }
    /// Adds a message that was appended to the conversation.
    void add(std::uint32_t index) noexcept { places_.push_back({index}); }
    /// Notes the steps from `mark` on, without rendering anything.
    void change(outline const& facts, view const& edits, std::size_t mark) noexcept {
        joined_frames_.change(edits, mark);
        if (!stale_ && only_newest(facts, edits, mark)) {
            pending_.push_back(places_.size() - 1);
            return;
        }
        if (!stale_ && only_drops(edits, mark)) return;  // `update` sees them by the number of messages
        stale_ = true;
        for (; rendered_valid_ && mark < edits.steps().size(); ++mark) rendered_valid_ = !edits.steps()[mark].on_part;
    }
    /// Forgets the places of messages that are not sent any more, as the request may never be read.
    void release(outline const& facts, view const& edits) noexcept {
        if (!stale_ && pending_.empty()) {
            if (places_.size() != edits.sums().messages) remove_dropped(facts, edits);
            return;
        }
        stale_ = true;
        pending_.clear();
        std::erase_if(places_, [](placement const& place) { return place.rendered == none32; });
    }
    /// Everything may have changed: nothing rendered is used again.
    void forget() noexcept {
        stale_ = true;
        rendered_valid_ = false;
        joined_frames_ = {};
    }

    /// Renders pending messages. Inside a run (`amid`) the result is provisional and rendered again later.
    template <class Source>
    void update(Source const& source, outline const& facts, view const& edits, bool amid) {
        update_places(source, facts, edits, amid);
        if constexpr (shortenable<Message>)
            if (alternates_) join(source);
    }

private:
    /// One message to send.
    struct placement {
        std::uint32_t index = 0;  ///< of the original; none32 for a summary or an answer that a layer wrote
        std::uint32_t rendered = none32;  ///< index of the rendered message; none32 for the original itself
    };
    /// Neighbouring places that are sent as one message: from `first` up to the next run's.
    struct place_run {
        std::size_t first = 0;
        std::uint32_t joined = none32;  ///< index of the joined message; none32 for one place alone
    };

    template <class Source>
    Message const& message_at(Source const& source, std::size_t position) const {
        auto const& place = places_[position];
        if (place.rendered != none32) return rendered_[place.rendered];
        return source[place.index];
    }
    template <class Source>
    Message const& message_of(Source const& source, place_run const& run) const {
        return run.joined != none32 ? joined_[run.joined] : message_at(source, run.first);
    }

    template <class Source>
    void update_places(Source const& source, outline const& facts, view const& edits, bool amid) {
        auto const has_dropped = [&] { return places_.size() != edits.sums().messages; };
        if (stale_ || (amid && (has_dropped() || !pending_.empty()))) rebuild(source, facts, edits, amid);
        for (; !pending_.empty(); pending_.pop_back()) {
            auto& place = places_[pending_.back()];
            // The same run may have taken the edit back; a dropped group's original may be released by now.
            if (!is_edited(facts, edits, place.index) || !edits.sends(facts, place.index)) continue;
            rendered_.push_back(render<Message>(source[place.index], facts, edits, place.index, false));
            place.rendered = static_cast<std::uint32_t>(rendered_.size() - 1);
            newest_changed_ = true;
        }
        if (!has_dropped()) return;
        auto const rendered_count = remove_dropped(facts, edits);
        if (2 * rendered_count < rendered_.size()) free_unused(rendered_count);  // once most are unused
    }

    /// Joins the places added since the last call, and the newest run again if its last message has changed.
    template <class Source>
    void join(Source const& source) {
        if (!runs_stale_ && !newest_changed_ && joined_end_ == places_.size()) return;
        if (std::exchange(runs_stale_, true)) {
            runs_.clear();
            joined_.clear();
            joined_end_ = 0;
        } else if (newest_changed_ && !runs_.empty()) {
            joined_end_ = runs_.back().first;
            if (runs_.back().joined != none32) joined_.pop_back();
            runs_.pop_back();
        }
        for (auto position = joined_end_; position < places_.size(); ++position) {
            if (runs_.empty() || !join_newest(source, position)) runs_.push_back({position});
        }
        joined_end_ = places_.size();
        newest_changed_ = runs_stale_ = false;
    }

    /// Joins the message of a place to the newest run; false where they stay apart.
    template <class Source>
    bool join_newest(Source const& source, std::size_t position) {
        auto& run = runs_.back();
        auto const& later = message_at(source, position);
        if (run.joined != none32) return join_to_copy(joined_, later);
        auto message = joined(message_of(source, run), later);
        if (!message) return false;
        joined_.push_back(std::move(*message));
        run.joined = static_cast<std::uint32_t>(joined_.size() - 1);
        return true;
    }

    /// True if the steps from `mark` on edit nothing but parts of the newest message, which is its original so far.
    bool only_newest(outline const& facts, view const& edits, std::size_t mark) const noexcept {
        auto const& newest = facts.message_at(facts.size() - 1);
        if (places_.empty() || places_.back().index + 1 != facts.size() || places_.back().rendered != none32)
            return false;
        for (; mark < edits.steps().size(); ++mark) {
            auto const& step = edits.steps()[mark];
            if (!step.on_part || step.kind == edit_kind::repair || step.target < newest.first_part) return false;
        }
        return pending_.empty() || pending_.back() + 1 != places_.size();
    }

    /// True if the steps from `mark` on drop groups and nothing else, and each place has an index: `remove_dropped`
    /// cannot tell which summaries and written answers are still sent.
    bool only_drops(view const& edits, std::size_t mark) const noexcept {
        for (auto const end = edits.steps().size(); mark < end; ++mark)
            if (edits.steps()[mark].kind != edit_kind::drop || group{edits.steps()[mark].target}.is_summary())
                return false;
        return written_ == 0;
    }
    /// Removes the places of messages that are not sent any more; returns how many rendered messages still are. Looks
    /// no further than the last of them.
    std::size_t remove_dropped(outline const& facts, view const& edits) noexcept {
        auto to = places_.begin();
        auto from = to;
        for (auto gone = places_.size() - edits.sums().messages; gone != 0; ++from) {
            if (from->index != none32 && !edits.sends(facts, from->index)) --gone;
            else *to++ = *from;
        }
        places_.erase(to, from);
        runs_stale_ = true;
        std::size_t rendered_count = 0;
        if (!rendered_.empty())
            for (auto const& place : places_) rendered_count += place.rendered != none32 ? 1u : 0u;
        return rendered_count;
    }

    /// Frees the rendered messages that no place names; `count` are still in use.
    void free_unused(std::size_t count) {
        std::vector<Message> rendered;
        rendered.reserve(count);
        // After an exception moved messages are not used again.
        stale_ = true;
        bool const valid = std::exchange(rendered_valid_, false);
        for (auto& place : places_) {
            if (place.rendered == none32) continue;
            rendered.push_back(std::move(rendered_[place.rendered]));
            place.rendered = static_cast<std::uint32_t>(rendered.size() - 1);
        }
        rendered_.swap(rendered);
        stale_ = false;
        rendered_valid_ = valid;
    }

    /// Makes all places anew. O(messages), plus rendering those that cannot be moved over.
    template <class Source>
    void rebuild(Source const& source, outline const& facts, view const& edits, bool amid) {
        std::vector<placement> places;
        std::vector<Message> rendered;
        places.reserve(edits.sums().messages);
        std::size_t written = 0;
        auto const add = [&](Message m, std::uint32_t index = none32) {
            written += index == none32 ? 1u : 0u;
            rendered.push_back(std::move(m));
            places.push_back({index, static_cast<std::uint32_t>(rendered.size() - 1)});
        };
        // A rendered message is moved over unless some step edited a part since. Both lists ascend, so one pass matches
        // them. Reset first: after an exception moved messages are not used again.
        bool const reusable = std::exchange(rendered_valid_, false) && !amid;
        auto before = places_.begin();
        auto const rendered_before = [&](std::uint32_t index) {
            while (before != places_.end() && (before->index == none32 || before->index < index)) ++before;
            bool const found = before != places_.end() && before->index == index && before->rendered != none32;
            return reusable && found ? detail::address_of(rendered_[before->rendered]) : nullptr;
        };
        part_copies copies;
        each_place(facts, edits, [&](sent_place place) {
            if (place.kind == sent_kind::original) return places.push_back({place.index});
            auto const index = place.kind == sent_kind::changed ? place.index : none32;
            if (auto* const known = index == none32 ? nullptr : rendered_before(index)) add(std::move(*known), index);
            else add(render_place<Message>(source, facts, edits, place, false, copies), index);
        });
        places_.swap(places);
        written_ = written;
        rendered_.swap(rendered);
        runs_stale_ = true;
        pending_.clear();
        stale_ = amid;
        rendered_valid_ = !amid;
    }

    std::vector<placement> places_;
    std::vector<Message> rendered_;
    std::size_t written_ = 0;  ///< places of summaries and answers
    std::vector<std::size_t> pending_;  ///< places whose message an edit has changed, to be rendered
    bool stale_ = true;  ///< the places are to be rebuilt
    bool rendered_valid_ = false;  ///< rendered messages are those of the edits in force
    bool alternates_ = false;
    v1::cost summary_frame_ = {};
    bool runs_stale_ = true;
    bool newest_changed_ = false;  ///< since runs were joined
    std::size_t joined_end_ = 0;  ///< places before it are in runs
    std::vector<place_run> runs_;  ///< used only after `alternate`, as is `joined_`
    std::vector<Message> joined_;
    detail::joined_frames joined_frames_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
