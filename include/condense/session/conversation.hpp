// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/draft.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/index_iterator.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/session/forget_released.hpp>
#include <condense/session/message_container.hpp>
#include <condense/session/metering.hpp>
#include <condense/session/rebase_edits.hpp>
#include <condense/session/request.hpp>
#include <condense/session/restored_conversation.hpp>
#include <condense/session/state.hpp>

// The messages of a session with everything derived from them: outline, edits, usage and the rendered request. They
// change together or not at all. The session decides when to edit.

namespace condense {
inline namespace v1 {
namespace detail {

/// The messages to send, in order, by const reference; valid until the conversation changes.
template <class Conversation>
class request_range {
public:
    using message_type = typename Conversation::message_type;
    using iterator = index_iterator<Conversation, &Conversation::request_at>;

    explicit request_range(Conversation const& owner) noexcept : owner_{address_of(owner)} {}
    iterator begin() const noexcept { return {*owner_, 0}; }
    iterator end() const noexcept { return {*owner_, size()}; }
    std::size_t size() const noexcept { return owner_->request_size(); }
    bool empty() const noexcept { return size() == 0; }
    /// The message at `index`, below size().
    message_type const& operator[](std::size_t index) const { return owner_->request_at(index); }
    message_type const& front() const { return (*this)[0]; }
    message_type const& back() const { return (*this)[size() - 1]; }

private:
    Conversation const* owner_;
};

/// Each verb is strong: it reserves all memory first, so that the parts cannot come apart. An index is a message's
/// number in the conversation, which stays the same when others are dropped or released. Drafts refer to the members,
/// so the object can be neither copied nor moved.
template <class Messages, class Estimator>
class conversation {
    using storage_type = message_container<Messages>;

public:
    using container = typename storage_type::container;
    using message_type = element_of<container const>;
    using source_type = originals<container>;
    static constexpr bool borrowed = storage_type::borrowed;
    // Debug builds look at every message of the program's container, so that a change without `sync` is found in tests.
#if defined(NDEBUG)
    static constexpr bool in_debug = false;
#else
    static constexpr bool in_debug = true;
#endif

    /// Reads the messages of the container; rule.pins(sequence, message) says which are pinned.
    template <class Pins>
    conversation(Messages first, budget limits, Estimator estimator, Pins const& rule,
                 bound_parts bound = bound_parts::leave)
        : messages_(std::move(first)), meter_{limits, std::move(estimator)} {
        edits_.bind(outline_, bound == bound_parts::leave);
        for (auto const& m : messages_.get()) {
            read(m, rule);
            messages_.add_digest(m);
            edits_.on_message_placed(outline_, outline_.place());
        }
    }
    /// Sends neighbouring user messages as one from now on.
    void alternate() { request_.alternate(frame_cost(meter_.estimator(), role::user)); }
    conversation(conversation const&) = delete;
    conversation& operator=(conversation const&) = delete;

    /// Messages that were appended, also those that were dropped or released since.
    std::size_t size() const noexcept { return outline_.size(); }
    /// The originals, without those released.
    container const& history() const noexcept { return messages_.get(); }
    /// The originals by index; refers to this object.
    source_type source() const noexcept {
        return {address_of(messages_.get()), outline_.has_released() ? &indices_ : nullptr};
    }
    v1::outline const& outline() const noexcept { return outline_; }
    view const& edits() const noexcept { return edits_; }
    /// The number of steps so far: those from here on belong to whatever comes next.
    std::size_t mark() const noexcept { return edits_.steps().size(); }
    std::vector<undo_point> const& undo_points() const noexcept { return undo_points_; }

    metering<Estimator> const& meter() const noexcept { return meter_; }
    metering<Estimator>& meter() noexcept { return meter_; }
    /// The estimate of the request with the overhead, whatever was reported.
    cost counted() const noexcept { return meter_.counted(current_request()); }
    usage used() const noexcept { return meter_.used(current_request()); }
    void observe(provider_usage const& report, instant duration) noexcept {
        meter_.observe(report, duration, current_request());
        edits_.note_cached(report.cache_read);
    }
    tokens learn(overflow const& error) noexcept { return meter_.learn(error, current_request()); }

    /// The cost of a message with its frame: of the original, or `as_sent`, with its edits.
    cost cost_of(std::uint32_t index, bool as_sent) const noexcept {
        auto const& record = outline_.message_at(index);
        auto sum = record.frame;
        for (auto const part_id : record.parts())
            sum += as_sent ? edits_.part_cost(outline_, part_id) : outline_.part_at(part_id).cost;
        return sum;
    }
    /// The tokens that no law protects. O(messages).
    tokens reducible() const {
        return with_draft_on(edits_, [](auto const& draft) { return draft.used().tokens - draft.floor(); });
    }

    /// Appends a message and returns its index; if that fails, the message is not moved from.
    template <class Pins>
    std::uint32_t append(Pins const& rule, message_type&& m) {
        read(m, rule);
        messages_.append(std::move(m));
        return register_last();
    }
    /// The same for a message that the program has appended to its own container.
    template <class Pins>
    std::uint32_t append(Pins const& rule)
        requires borrowed
    {
        auto const& m = ranges_access::begin_of(messages_.get())[static_cast<std::ptrdiff_t>(size())];
        read(m, rule);
        messages_.add_digest(m);
        return register_last();
    }
    /// How many messages the program's container has, read or not.
    std::size_t external_size() const noexcept
        requires borrowed
    {
        return messages_.size();
    }
    /// The first message that the program has changed; size() for none. Compares samples, or all messages if
    /// `thorough`.
    std::size_t first_difference(bool thorough = in_debug) const
        requires borrowed
    {
        return messages_.first_difference(thorough);
    }

    /// Pins a message, which comes back if it is not sent, and settles the beginning of the request: a pinned summary
    /// no longer keeps another from coming back. Changes nothing where it is refused.
    template <class Draft>
    refusal pin(sequence which, Draft& draft) {
        auto const index = static_cast<std::uint32_t>(which.number);
        scope_exit failed{[&, start = draft.mark(), before = outline_.pinned(index)]() noexcept {
            outline_.pin(index, before);
            draft.take_back(start);
        }};
        if (!edits_.present(group{outline_.group_of(index)}))
            if (auto const refused = draft.restore(which)) return refused;
        if (!edits_.sends(outline_, index)) return refusal::gone;
        outline_.pin(index, true);
        auto const start = draft.mark();
        draft.settle_head();
        if (draft.mark() != start && draft.used().tokens > meter_.limits().input()) return refusal::no_room;
        failed.release();
        return refusal::none;
    }
    /// Takes back a pin; what pins the message by itself, its traits or the rule, is asked once more and stays.
    template <class Pins>
    void unpin(std::uint32_t index, Pins const& rule) {
        auto const& record = outline_.message_at(index);
        if (!record.pinned || record.released) return;
        auto const& m = source()[index];
        outline_.pin(index, v1::is_pinned(m) || rule.pins(sequence{index}, m));
        if (outline_.group_at(outline_.group_of(index)).summary) settle_head();  // another may have to leave
    }
    /// False where the message cannot be the task.
    bool name_task(std::uint64_t index) noexcept {
        if (!outline_.name_task(index)) return false;
        if (!edits_.present(group{outline_.group_of(outline_.task())})) edits_.note_task_taken(true);
        return true;
    }
    /// No result will come for the calls with this id; returns their number. Recorded with the number of messages,
    /// because a later call may have the same id, until messages are released.
    std::size_t abandon(std::string_view call) {
        abandoned_call record{std::string{call}, size()};
        grow(abandoned_, 1);
        auto const count = outline_.abandon(call);
        if (count != 0 && !outline_.has_released()) abandoned_.push_back(std::move(record));
        return count;
    }

    /// Calls f(draft): its edits are in force together and can be undone together, or are taken back if it throws.
    template <class Function>
    auto transact(Function&& f) {
        grow(undo_points_, 1);  // first, so that nothing fails once f has made its edits
        auto const start = mark();
        scope_exit failed{[&]() noexcept { edits_.take_back(outline_, start); }};
        auto const before = counted();
        auto result = with_draft(f);
        remove_unbound(outline_, edits_, start);
        if (mark() != start) {
            undo_points_.push_back({start, size()});
            if constexpr (requires { result.first_changed; }) edited(result.first_changed, before);  // of a run
            else edited(first_changed(outline_, edits_, start), before);
            request_.change(outline_, edits_, start);
        }
        failed.release();
        return result;
    }
    /// Calls f(draft), which makes no edits that are to stay.
    template <class Function>
    auto with_draft(Function&& f) {
        return with_draft_on(edits_, f);
    }
    /// Calls f(draft) on a copy of the edits: they are lost with it.
    template <class Function>
    auto rehearse(Function&& f) const {
        auto copy = edits_;
        return with_draft_on(copy, f);
    }

    /// Takes back the newest transaction with edits; there must be one. Messages appended since stay, and what no layer
    /// may drop by now, such as a message pinned since, is present afterwards whatever the earlier edits were.
    void undo() {
        std::size_t bound_count = 0;
        outline_.each_record(
            [&](std::uint32_t group_id) { bound_count += view::bound(outline_, group{group_id}) ? 1u : 0u; });
        edits_.reserve_message(bound_count);
        auto const bound_parts_sent = edits_.bound_parts();  // then nothing below fails
        auto const newest = undo_points_.back();
        // Looks at the steps, so it comes before they are taken back.
        auto const unbound = first_unbound(outline_, edits_, as_size(newest.edits));
        edited(first_changed(outline_, edits_, as_size(newest.edits)), counted());
        edits_.take_back(outline_, as_size(newest.edits));
        edits_.follow_again(outline_, as_size(newest.messages));
        outline_.each_record([&](std::uint32_t group_id) {
            auto const& record = outline_.group_at(group_id);
            if (record.count != 0 && !record.unsendable && view::bound(outline_, group{group_id}) &&
                edits_.is_dropped(group_id))
                edits_.undrop(outline_, group{group_id});
        });
        edits_.keep_bound(outline_, unbound, bound_parts_sent);
        undo_points_.pop_back();
        settle_head();
    }

    /// Destroys the groups of originals before `before` that nothing needs any more, and all that is known of them;
    /// returns the number of messages. Earlier edits can no longer be undone, unless nothing is destroyed. Changes
    /// nothing if it fails. Costs a look at the originals that are there, and at their edits.
    std::size_t release(sequence before) {
        auto const selected = releasable(before);
        auto outline = outline_;
        std::vector<std::uint32_t> left;
        for (std::size_t position = 0; position < selected.size(); ++position)
            if (selected[position]) outline.release(index_of(position));
            else left.push_back(index_of(position));
        auto const count = selected.size() - left.size();
        if (count == 0) return 0;
        auto edits = edits_;
        released_forgetter::forget(outline, edits);

        auto& all = messages_.get();
        auto to = ranges_access::begin_of(all);
        auto from = to;
        for (std::size_t position = 0; position < selected.size(); ++position, ++from) {
            if (selected[position]) continue;
            if (to != from) *to = std::move(*from);
            ++to;
        }
        all.erase(to, from);
        indices_.swap(left);
        outline_ = std::move(outline);
        edits_ = std::move(edits);
        undo_points_.clear();
        abandoned_.clear();
        request_.release(outline_, edits_);
        return count;
    }

    /// Reads all messages again, because those from `first` on have changed. Edits of older messages stay in force
    /// where laws allow; nothing can be undone any more. Messages before `first` keep their pins, whatever the rule
    /// says now.
    template <class Pins>
    void reread(std::uint32_t first, Pins const& rule)
        requires borrowed
    {
        v1::outline outline;
        view edits;
        edits.bind(outline, edits_.binds());
        auto const before = counted();
        auto const old_size = size();
        std::uint32_t index = 0;
        std::size_t abandoned_count = 0;
        auto const abandon_again = [&] {
            for (;
                 abandoned_count < abandoned_.size() && index <= first && abandoned_[abandoned_count].messages == index;
                 ++abandoned_count)
                outline.abandon(abandoned_[abandoned_count].id);
        };
        for (auto const& m : messages_.get()) {
            if (index == size()) break;  // messages appended meanwhile are read by `append`
            abandon_again();
            bool const pinned = index < first ? outline_.pinned(index) : rule.pins(sequence{index}, m);
            edits.reserve_message(outline.read(m, meter_.estimator(), {.marks = true, .pinned = pinned}));
            edits.on_message_placed(outline, outline.place());
            if (outline.message_at(index).pinned != pinned && index < first) outline.pin(index, pinned);
            ++index;
        }
        abandon_again();
        if (outline_.named_task() < first) outline.name_task(outline_.named_task());
        auto const lost = edit_rebaser{outline_, edits_, outline, edits, first}.all();
        auto const changed = first < lost ? first : lost;
        if (changed < outline.size()) edits.remove_bound(outline, outline.message_at(changed).first_part);
        // Changes before a compaction did not count; before another, or none, they do.
        if (outline.compaction() != outline_.compaction()) remove_unbound(outline, edits, 0);
        edits.reserve_message(0);  // then nothing below fails once the digests are replaced
        edits.follow(edits_);
        edits.note_sent(first < edits_.sent() ? first : edits_.sent());
        edits.note_task_taken(edits_.task_taken());
        edited_since_sent_ = edited_since_sent_ || changed < edits_.sent();  // of the messages before
        messages_.replace_digests(first, outline.size());
        outline_ = std::move(outline);
        edits_ = std::move(edits);
        undo_points_.clear();
        abandoned_.resize(abandoned_count);
        meter_.edited(first, before, old_size);
        settle_head();
    }

    /// Some request has held the first `count` messages.
    void note_sent(std::uint64_t count) noexcept { edits_.note_sent(count); }
    /// Renders messages that edits have changed since the last call. Inside a run (`amid`) the result is provisional,
    /// and does not count as a request.
    void render(bool amid) const {
        request_.update(source(), outline_, edits_, amid);
        if (amid) return;
        edits_.note_sent(size());
        edited_since_sent_ = false;
        meter_.sending(current_request());
    }
    std::size_t request_size() const noexcept { return request_.size(); }
    /// A message of the rendered request, below request_size(); valid until the conversation changes.
    message_type const& request_at(std::size_t index) const { return request_.at(source(), index); }

    /// Copies everything that `restored_conversation` reads.
    void save(session_state& state) const {
        for (auto const& m : messages_.get()) state.messages.push_back(v1::to_bytes(m));
        state.numbers.assign(indices_.begin(), indices_.end());
        state.size = size();
        state.released = outline_.released();
        state.abandoned = abandoned_;
        outline_.each_record([&](std::uint32_t index) {
            if (outline_.pinned(index)) state.pins.push_back(index);
        });
        state.edits = saved_edits::of(outline_, edits_);
        state.undos = undo_points_;
        state.sent = edits_.sent();
        state.cached = edits_.cached();
        state.edited_since_sent = edited_since_sent_;
        state.task = outline_.named_task() == none32 ? 0 : std::uint64_t{outline_.named_task()} + 1;
        state.task_taken = edits_.task_taken();
        meter_.save(state);
    }
    /// Whether bound parts leave with what stood before them, from here on. Where that ends nothing can be undone any
    /// more, so that those that have left do not come back.
    void bind(bound_parts bound) {
        if (edits_.binds() && bound == bound_parts::stay) undo_points_.clear();
        edits_.bind(outline_, bound == bound_parts::leave);
    }
    /// Takes over what was restored; the conversation must be empty.
    void adopt(restored_conversation<Messages>&& restored, session_state const& state) noexcept {
        messages_.adopt(restored.messages, std::move(restored.digests));
        meter_.adopt(state, restored.learnt);
        indices_.swap(restored.indices);
        outline_ = std::move(restored.outline);
        edits_ = std::move(restored.edits);
        undo_points_.swap(restored.undo_points);
        abandoned_.swap(restored.abandoned);
        edited_since_sent_ = state.edited_since_sent;
        request_.forget();
    }

private:
    /// The request with all edits so far, rendered or not. Refers to the edits.
    request_state current_request() const noexcept {
        return {edits_, size(), request_.joined_frames(outline_, edits_)};
    }

    /// Reads a message into the outline and reserves memory for it everywhere, so that `register_last` cannot fail.
    template <class Pins>
    void read(message_type const& m, Pins const& rule) {
        bool const pinned = rule.pins(sequence{size()}, m);
        edits_.reserve_message(outline_.read(m, meter_.estimator(), {.marks = true, .pinned = pinned}));
        request_.reserve_message();
        grow(undo_points_, 1);
        if (outline_.has_released()) grow(indices_, 1);
        messages_.reserve();
    }

    /// Registers the message that was read and is now the last of the container.
    std::uint32_t register_last() {
        auto const index = static_cast<std::uint32_t>(size());
        if (outline_.has_released()) indices_.push_back(index);
        auto const start = mark();
        auto const before = counted();
        edits_.on_message_placed(outline_, outline_.place());
        // It answers another request than the one that its bound parts would be sent back in.
        if (edited_since_sent_) edits_.remove_bound(outline_, outline_.message_at(index).first_part);
        remove_unbound(outline_, edits_, start);
        request_.add(index);
        auto const& its_group = outline_.group_at(outline_.group_of(index));
        bool const begins_no_more =
            its_group.count > 1 && (its_group.system || outline_.message_at(its_group.first).summary);
        if (mark() != start) edited(first_changed(outline_, edits_, start), before);  // it restored its dropped group
        if (mark() != start || begins_no_more) settle_head();
        return index;
    }

    /// Calls f(draft) with a draft on these edits, which measures in the scale of `used`.
    template <class Function>
    auto with_draft_on(view& edits, Function&& f) const {
        auto const originals = source();
        auto const calibration = meter_.in_scale(edits, current_request());
        v1::draft draft{originals, outline_, edits, meter_.estimator(), meter_.limits()};
        return f(draft);
    }

    /// Edits from message `first` on are final; `before` was the estimate without them.
    void edited(std::optional<std::uint64_t> first, cost before) noexcept {
        edited_since_sent_ = edited_since_sent_ || (first && *first < edits_.sent());
        meter_.edited(first ? *first : u64_limit, before, size());
    }
    /// Makes the request begin as laws demand, after edits outside a draft.
    void settle_head() {
        auto const originals = source();
        auto const start = mark();
        auto const before = counted();
        request_.forget();
        v1::draft{originals, outline_, edits_, meter_.estimator(), meter_.limits()}.settle_head();
        remove_unbound(outline_, edits_, start);
        if (mark() != start) edited(first_changed(outline_, edits_, start), before);
    }

    /// The index of a message by its position in the container.
    std::uint32_t index_of(std::size_t position) const noexcept {
        return outline_.has_released() ? indices_[position] : static_cast<std::uint32_t>(position);
    }

    /// By position in the container: the originals of groups before `before` that are dropped and that nothing can
    /// bring back.
    std::vector<bool> releasable(sequence before) const {
        auto const count = outline_.has_released() ? indices_.size() : size();
        auto const originals = source();
        auto needed = std::vector<bool>(count);  // by position, as all of a group is
        auto const need = [&](std::uint32_t group_id) {
            for (auto const index : outline_.members_of(group_id))
                if (auto const place = originals.place_of(index); place != count) needed[place] = true;
        };
        // A call without a result may get a late one, and is sent again then.
        auto const may_be_answered = [&](v1::outline::message_record const& message) {
            for (auto const part_id : message.parts())
                if (outline_.unanswerable(outline_.part_at(part_id))) return true;
            return false;
        };
        for (std::size_t position = 0; position < count; ++position)
            if (auto const group_id = outline_.group_of(index_of(position));
                !needed[position] &&
                (outline_.is_needed(group_id) || outline_.group_at(group_id).last >= before.number ||
                 may_be_answered(outline_.message_at(index_of(position)))))
                need(group_id);
        auto const is_dropped = [&](std::uint32_t index) { return edits_.is_dropped(outline_.group_of(index)); };
        auto const may_release = [&](std::size_t position) {
            return is_dropped(index_of(position)) && !needed[position];
        };
        // A dropped message that may be restored needs the user message that begins its turn.
        auto turn = none32;
        bool turn_needed = false;
        for (std::size_t position = 0; position < count; ++position) {
            auto const index = index_of(position);
            auto const group_id = outline_.group_of(index);
            if (outline_.message_at(index).plain_user && outline_.group_at(group_id).first == index)
                turn = group_id, turn_needed = false;
            if (turn == none32 || turn_needed || !is_dropped(index) || may_release(position)) continue;
            need(turn);
            turn_needed = true;
        }
        auto result = std::vector<bool>(count);
        for (std::size_t position = 0; position < count; ++position) result[position] = may_release(position);
        return result;
    }

    storage_type messages_;
    v1::outline outline_;
    mutable view edits_;  ///< mutable, because rendering notes what was sent
    std::vector<std::uint32_t> indices_;  ///< by place in the container; used once a message is released
    std::vector<undo_point> undo_points_;  ///< ascending
    std::vector<abandoned_call> abandoned_;
    mutable bool edited_since_sent_ = false;  ///< what the latest request held; mutable as it is rendered lazily
    mutable request<message_type> request_;  ///< a cache, filled when the request is read
    mutable metering<Estimator> meter_;  ///< mutable, because rendering notes what was sent
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
