// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <condense/core/alternation.hpp>
#include <condense/core/render.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/source.hpp>

// What a session sends, kept from turn to turn: originals by index, and the messages that edits made,
// which are made once. A turn that edits nothing adds its own message and no more.

namespace condense {
inline namespace v1 {
namespace detail {

/// The messages of a session by the index that they were given, also after some were given back.
template <class Messages>
struct originals {
    Messages const* all;
    std::vector<std::uint32_t> const* places;  ///< by index; empty while none has been given back

    decltype(auto) operator[](std::size_t index) const {
        auto const at = places->empty() ? index : (*places)[index];
        return ranges_access::begin_of(*all)[static_cast<std::ptrdiff_t>(at)];
    }
};

template <class Message>
class request {
public:
    /// Sends neighbouring user messages as one; `frame` is what a summary's message costs beside its text.
    void alternate(v1::cost frame) noexcept {
        alternates_ = true;
        summary_frame_ = frame;
    }

    constexpr std::size_t size() const noexcept { return alternates_ ? runs_.size() : places_.size(); }

    /// Source gives originals by index.
    template <class Source>
    Message const& at(Source const& source, std::size_t index) const {
        return alternates_ ? message_of(source, runs_[index]) : message_at(source, index);
    }

    /// What is saved by sending neighbouring user messages as one.
    v1::cost joined_frames(outline const& facts, view const& edits) noexcept {
        return alternates_ ? joined_frames_(facts, edits, summary_frame_) : v1::cost{};
    }

    /// Room for one message more; after it `add` and `change` cannot fail.
    void reserve_message() {
        grow(places_, 1);
        grow(unmade_, 1);
    }
    void add(std::uint32_t index) noexcept { places_.push_back({index}); }
    /// Says that steps from `mark` on were made.
    void change(outline const& facts, view const& edits, std::size_t mark) noexcept {
        joined_frames_.change(edits, mark);
        if (!stale_ && only_newest(facts, edits, mark)) {
            unmade_.push_back(places_.size() - 1);
            return;
        }
        if (!stale_ && only_drops(edits, mark)) return;  // seen by the number of messages
        stale_ = true;
        for (; made_holds_ && mark < edits.steps().size(); ++mark) made_holds_ = !edits.steps()[mark].on_part;
    }
    void forget() noexcept {
        stale_ = true;
        made_holds_ = false;
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
    struct place {
        std::uint32_t index = 0;
        std::uint32_t made = none32;
    };
    /// Places that are sent as one message: from `first` up to the next run's.
    struct run {
        std::size_t first = 0;
        std::uint32_t joined = none32;  ///< index of the joined message; none for one place alone
    };

    template <class Source>
    Message const& message_at(Source const& source, std::size_t at) const {
        auto const& found = places_[at];
        if (found.made != none32) return made_[found.made];
        return source[found.index];
    }
    template <class Source>
    Message const& message_of(Source const& source, run const& which) const {
        return which.joined != none32 ? joined_[which.joined] : message_at(source, which.first);
    }

    template <class Source>
    void update_places(Source const& source, outline const& facts, view const& edits, bool amid) {
        auto const fewer = [&] { return places_.size() != edits.sums().messages; };
        if (stale_ || (amid && (fewer() || !unmade_.empty()))) remake(source, facts, edits, amid);
        for (; !unmade_.empty(); unmade_.pop_back()) {
            auto& changed = places_[unmade_.back()];
            // What was done was undone by the same run, or its group has gone since, and may have been released.
            if (!is_edited(facts, edits, changed.index) || !edits.sends(facts, changed.index)) continue;
            made_.push_back(render<Message>(source[changed.index], facts, edits, changed.index, false));
            changed.made = static_cast<std::uint32_t>(made_.size() - 1);
            newest_changed_ = true;
        }
        if (!fewer()) return;
        stale_ = 2 * thin(facts, edits) < made_.size();  // most of what was made is not sent any more
        if (stale_) remake(source, facts, edits, false);
    }

    /// Joins the places that came since, and the newest run again where its last message has changed.
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
        for (auto at = joined_end_; at < places_.size(); ++at) {
            auto both = runs_.empty() ? std::nullopt : joined(message_of(source, runs_.back()), message_at(source, at));
            if (!both) {
                runs_.push_back({at});
                continue;
            }
            if (runs_.back().joined != none32) joined_.pop_back();
            joined_.push_back(std::move(*both));
            runs_.back().joined = static_cast<std::uint32_t>(joined_.size() - 1);
        }
        joined_end_ = places_.size();
        newest_changed_ = runs_stale_ = false;
    }

    /// Nothing but parts of the newest message has changed, which is sent as it came.
    bool only_newest(outline const& facts, view const& edits, std::size_t mark) const noexcept {
        auto const& newest = facts.message_at(facts.size() - 1);
        if (places_.empty() || places_.back().index + 1 != facts.size() || places_.back().made != none32) return false;
        for (; mark < edits.steps().size(); ++mark) {
            auto const& made = edits.steps()[mark];
            if (!made.on_part || made.kind == edit_kind::repair || made.target < newest.first_part) return false;
        }
        return unmade_.empty() || unmade_.back() + 1 != places_.size();
    }

    /// Nothing but groups has gone, and all that is sent is known by its index: neither summaries nor answers.
    bool only_drops(view const& edits, std::size_t mark) const noexcept {
        for (auto const end = edits.steps().size(); mark < end; ++mark)
            if (edits.steps()[mark].kind != edit_kind::drop || group{edits.steps()[mark].target}.is_summary())
                return false;
        for (auto const& found : places_)
            if (found.index == none32) return false;
        return true;
    }
    /// Takes out the places of groups that are gone; how many of the made messages are sent still.
    std::size_t thin(outline const& facts, view const& edits) noexcept {
        std::size_t live = 0;
        auto to = places_.begin();
        for (auto const& found : places_) {
            if (found.index != none32 && !edits.sends(facts, found.index)) continue;
            live += found.made != none32 ? 1u : 0u;
            *to++ = found;
        }
        places_.erase(to, places_.end());
        runs_stale_ = true;
        return live;
    }

    template <class Source>
    void remake(Source const& source, outline const& facts, view const& edits, bool amid) {
        std::vector<place> places;
        std::vector<Message> made;
        places.reserve(facts.size() + 1);
        auto const add = [&](Message m, std::uint32_t index = none32) {
            made.push_back(std::move(m));
            places.push_back({index, static_cast<std::uint32_t>(made.size() - 1)});
        };
        auto const kept = [&](std::uint32_t index) { places.push_back({index}); };
        // What was made of a message is moved over where no step on a part has been made since.
        bool const holds = std::exchange(made_holds_, false) && !amid;
        auto before = places_.begin();
        auto const changed = [&](std::uint32_t index) {
            while (before != places_.end() && (before->index == none32 || before->index < index)) ++before;
            if (holds && before != places_.end() && before->index == index && before->made != none32)
                add(std::move(made_[before->made]), index);
            else add(render<Message>(source[index], facts, edits, index, false), index);
        };
        auto const summary = [&](group which) {
            if constexpr (composable<Message>) add(render_summary<Message>(edits, which, false));
        };
        auto const answer = [&](std::uint32_t part_id) {
            add(render_answer<Message>(source[facts.part_at(part_id).message_index], facts, edits, part_id));
        };
        each_place(facts, edits, kept, changed, summary, answer);
        places_.swap(places);
        made_.swap(made);
        runs_stale_ = true;
        unmade_.clear();
        stale_ = amid;
        made_holds_ = !amid;
    }

    std::vector<place> places_;
    std::vector<Message> made_;
    std::vector<std::size_t> unmade_;  ///< places that edits have changed since
    bool stale_ = true;
    bool made_holds_ = false;  ///< what was made is of the edits that are in force
    bool alternates_ = false;
    v1::cost summary_frame_ = {};
    bool runs_stale_ = true;
    bool newest_changed_ = false;  ///< since the runs were joined
    std::size_t joined_end_ = 0;  ///< places before it are in runs
    std::vector<run> runs_;  ///< filled only where it alternates, as is the next
    std::vector<Message> joined_;
    detail::joined_frames joined_frames_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
