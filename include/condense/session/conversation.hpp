// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/draft.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/session/message_container.hpp>
#include <condense/session/metering.hpp>
#include <condense/session/rebase_edits.hpp>
#include <condense/session/request.hpp>
#include <condense/session/restored_conversation.hpp>
#include <condense/session/state.hpp>

// The messages of a session with everything derived from them: outline, edits, use and the rendered request. They
// change together or not at all. The session decides when to edit.

namespace condense {
inline namespace v1 {
namespace detail {

/// The messages to send, in order, by const reference; valid until the conversation changes.
template <class Conversation>
class request_range {
public:
    using message_type = typename Conversation::message_type;

    class iterator {
    public:
        using value_type = message_type;
        using difference_type = std::ptrdiff_t;
        using reference = message_type const&;
        using pointer = message_type const*;
        using iterator_category = std::forward_iterator_tag;

        iterator() = default;
        iterator(Conversation const& of, std::size_t at) noexcept : of_{address_of(of)}, at_{at} {}
        message_type const& operator*() const { return of_->request_at(at_); }
        message_type const* operator->() const { return address_of(**this); }
        iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        iterator operator++(int) noexcept { return {*of_, at_++}; }
        friend bool operator==(iterator const& left, iterator const& right) noexcept { return left.at_ == right.at_; }

    private:
        Conversation const* of_ = nullptr;
        std::size_t at_ = 0;
    };

    explicit request_range(Conversation const& of) noexcept : of_{address_of(of)} {}
    iterator begin() const noexcept { return {*of_, 0}; }
    iterator end() const noexcept { return {*of_, size()}; }
    std::size_t size() const noexcept { return of_->request_size(); }
    bool empty() const noexcept { return size() == 0; }
    /// The message at `at`, below size().
    message_type const& operator[](std::size_t at) const { return of_->request_at(at); }
    message_type const& front() const { return (*this)[0]; }
    message_type const& back() const { return (*this)[size() - 1]; }

private:
    Conversation const* of_;
};

template <class Messages, class Estimator>
class conversation {
    using held_type = message_container<Messages>;

public:
    using container = typename held_type::container;
    using message_type = element_of<container const>;
    using source_type = originals<container>;
    static constexpr bool borrowed = held_type::borrowed;
#if defined(NDEBUG)
    static constexpr bool in_debug = false;
#else
    static constexpr bool in_debug = true;
#endif

    /// Reads the messages that are there; by.pins(sequence, message) says which are pinned.
    template <class Pins>
    conversation(Messages first, budget limits, Estimator count, Pins const& by)
        : messages_(std::move(first)), meter_{limits, std::move(count)} {
        for (auto const& m : messages_.get()) {
            read(m, by);
            messages_.note(m);
            edits_.on_message_placed(outline_, outline_.place());
        }
    }
    /// Sends neighbouring user messages as one.
    void alternate() { request_.alternate(frame_cost(meter_.estimator(), role::user)); }
    conversation(conversation const&) = delete;
    conversation& operator=(conversation const&) = delete;

    std::size_t size() const noexcept { return outline_.size(); }
    /// The originals, but for those released.
    container const& history() const noexcept { return messages_.get(); }
    /// The originals by index.
    source_type source() const noexcept { return {address_of(messages_.get()), address_of(places_)}; }
    v1::outline const& outline() const noexcept { return outline_; }
    view const& edits() const noexcept { return edits_; }
    std::size_t mark() const noexcept { return edits_.steps().size(); }
    std::vector<undo_point> const& undo_points() const noexcept { return undo_points_; }

    metering<Estimator> const& meter() const noexcept { return meter_; }
    metering<Estimator>& meter() noexcept { return meter_; }
    cost counted() const noexcept { return meter_.counted(sent()); }
    usage used() const noexcept { return meter_.used(sent()); }
    void observe(provider_usage const& told, instant took) noexcept {
        meter_.observe(told, took, sent());
        edits_.note_cached(told.cache_read);
    }
    tokens learn(overflow const& told) noexcept { return meter_.learn(told, sent()); }

    /// The cost of a message with its frame, as it came or as it is sent.
    cost cost_of(std::uint32_t index, bool as_sent) const noexcept {
        auto const& record = outline_.message_at(index);
        auto sum = record.frame;
        for (auto part_id = record.first_part; part_id < record.first_part + record.part_count; ++part_id)
            sum += as_sent ? edits_.part_cost(outline_, part_id) : outline_.part_at(part_id).cost;
        return sum;
    }
    /// The tokens that no law protects.
    tokens reducible() const {
        return on(edits_, [](auto const& whole) { return whole.used().tokens - whole.floor(); });
    }

    /// Appends a message and returns its index; if that fails, the message is not moved from.
    template <class Pins>
    std::uint32_t append(Pins const& by, message_type&& m) {
        read(m, by);
        messages_.append(std::move(m));
        return register_last();
    }
    /// The same for a message that the program has appended to its own container.
    template <class Pins>
    std::uint32_t append(Pins const& by)
        requires borrowed
    {
        auto const& m = ranges_access::begin_of(messages_.get())[static_cast<std::ptrdiff_t>(size())];
        read(m, by);
        messages_.note(m);
        return register_last();
    }
    /// How many messages the program's container has.
    std::size_t external_size() const noexcept
        requires borrowed
    {
        return messages_.size();
    }
    /// The first message that the program has changed; size() for none. Thorough: compares all messages.
    std::size_t first_difference(bool thorough = in_debug) const
        requires borrowed
    {
        return messages_.first_difference(thorough);
    }

    void pin(std::uint32_t index, bool keep) noexcept { outline_.pin(index, keep); }
    std::size_t abandon(std::string_view call) {
        abandoned_call noted{std::string{call}, size()};
        grow(abandoned_, 1);
        auto const count = outline_.abandon(call);
        if (count != 0) abandoned_.push_back(std::move(noted));
        return count;
    }

    /// Calls f(draft): its edits stand together and can be undone together, or are taken back if it throws.
    template <class Function>
    auto transact(Function&& f) {
        grow(undo_points_, 1);
        auto const start = mark();
        scope_exit failed{[&]() noexcept { edits_.take_back(outline_, start); }};
        auto const before = counted();
        auto result = with_draft(f);
        if (mark() != start) {
            undo_points_.push_back({start, size()});
            edited(start, before);
            request_.change(outline_, edits_, start);
        }
        failed.release();
        return result;
    }
    /// Calls f(draft), which makes no edits.
    template <class Function>
    auto with_draft(Function&& f) {
        return on(edits_, f);
    }
    /// Calls f(draft) on a copy of the edits.
    template <class Function>
    auto rehearse(Function&& f) const {
        auto copy = edits_;
        return on(copy, f);
    }

    /// Takes back the newest transaction with edits. Messages that came since stay, and so do those pinned since.
    void undo() {
        std::size_t bound = 0;
        for (std::uint32_t group_id = 0; group_id < outline_.group_count(); ++group_id)
            bound += view::bound(outline_, group{group_id}) ? 1u : 0u;
        edits_.reserve_message(bound);  // then nothing below fails
        auto const newest = undo_points_.back();
        edited(as_size(newest.steps), counted());
        edits_.take_back(outline_, as_size(newest.steps));
        edits_.follow_again(outline_, as_size(newest.messages));
        for (std::uint32_t group_id = 0; group_id < outline_.group_count(); ++group_id) {
            auto const& record = outline_.group_at(group_id);
            if (record.count != 0 && !record.unsendable && view::bound(outline_, group{group_id}) &&
                !edits_.present(group{group_id}))
                edits_.undrop(group{group_id});
        }
        undo_points_.pop_back();
        settle();
    }

    /// Destroys originals before `before` that nothing needs any more, and returns their number. Earlier edits can no
    /// longer be undone.
    std::size_t release(sequence before) {
        auto const goes = releasable(before);
        auto records = records_of(goes);
        grow(released_, records.size());
        auto places = std::vector<std::uint32_t>(size(), none32);
        std::uint32_t left = 0;
        auto& all = messages_.get();
        auto to = ranges_access::begin_of(all);
        auto from = to;
        for (std::uint32_t index = 0; index < size(); ++index) {
            if (outline_.message_at(index).released) continue;
            if (goes[index]) outline_.release(index);
            else {
                places[index] = left++;
                if (to != from) *to = std::move(*from);
                ++to;
            }
            ++from;
        }
        auto const count = static_cast<std::size_t>(from - to);
        all.erase(to, from);
        for (auto& each : records) released_.push_back(std::move(each));
        places_.swap(places);
        undo_points_.clear();
        return count;
    }

    /// Reads all messages again, as those from `first` on have changed. Edits of older ones stay where laws allow.
    template <class Pins>
    void reread(std::uint32_t first, Pins const& by)
        requires borrowed
    {
        v1::outline outline;
        view edits;
        auto const before = counted();
        auto const old_size = size();
        std::uint32_t index = 0;
        std::size_t abandoned = 0;
        auto const abandon_again = [&] {
            for (; abandoned < abandoned_.size() && index <= first && abandoned_[abandoned].messages == index;
                 ++abandoned)
                outline.abandon(abandoned_[abandoned].id);
        };
        for (auto const& m : messages_.get()) {
            if (index == size()) break;
            abandon_again();
            bool const pinned = index < first ? outline_.message_at(index).pinned : by.pins(sequence{index}, m);
            edits.reserve_message(outline.read(m, meter_.estimator(), {.pinned = pinned}));
            edits.on_message_placed(outline, outline.place());
            if (outline.message_at(index).pinned != pinned && index < first) outline.pin(index, pinned);
            ++index;
        }
        abandon_again();
        edit_rebaser{outline_, edits_, outline, edits, first}.all();
        edits.reserve_message(0);  // then nothing fails before all is as it has to be
        edits.note_sent(first < edits_.sent() ? first : edits_.sent());
        messages_.note_anew(first, outline.size());
        outline_ = std::move(outline);
        edits_ = std::move(edits);
        undo_points_.clear();
        abandoned_.resize(abandoned);
        meter_.edited(first, before, old_size);
        settle();
    }

    /// How many of the first messages some request has held.
    void note_sent(std::uint64_t count) noexcept { edits_.note_sent(count); }
    /// Renders messages that edits have changed since the last call. `amid` a run the result is provisional, and counts
    /// as no request.
    void render(bool amid) const {
        request_.update(source(), outline_, edits_, amid);
        if (amid) return;
        edits_.note_sent(size());
        meter_.sending(sent());
    }
    std::size_t request_size() const noexcept { return request_.size(); }
    message_type const& request_at(std::size_t at) const { return request_.at(source(), at); }

    void save(session_state& to) const {
        for (auto const& m : messages_.get()) to.messages.push_back(v1::to_bytes(m));
        to.released = released_;
        to.abandoned = abandoned_;
        for (std::uint32_t index = 0; index < size(); ++index)
            if (outline_.message_at(index).pinned) to.pins.push_back(index);
        to.steps = edits_.steps();
        to.texts = edits_.texts();
        to.undos = undo_points_;
        to.sent = edits_.sent();
        to.cached = edits_.cached();
        meter_.save(to);
    }
    /// Replaces a conversation without messages.
    void adopt(restored_conversation<Messages>&& from, session_state const& state) noexcept {
        messages_.adopt(from.messages, std::move(from.noted));
        meter_.adopt(state, from.learnt);
        places_.swap(from.places);
        outline_ = std::move(from.outline);
        edits_ = std::move(from.edits);
        undo_points_.swap(from.undo_points);
        abandoned_.swap(from.abandoned);
        released_.swap(from.released);
        request_.forget();
    }

private:
    request_state sent() const noexcept { return {edits_, size(), request_.joined_frames(outline_, edits_)}; }

    template <class Pins>
    void read(message_type const& m, Pins const& by) {
        bool const pinned = by.pins(sequence{size()}, m);
        edits_.reserve_message(outline_.read(m, meter_.estimator(), {.pinned = pinned}));
        request_.reserve_message();
        grow(undo_points_, 1);
        if (!places_.empty()) grow(places_, 1);
        messages_.reserve();
    }

    /// Registers the message that was read and is now the last of the container.
    std::uint32_t register_last() {
        auto const index = static_cast<std::uint32_t>(size());
        auto const& all = messages_.get();
        auto const there = static_cast<std::size_t>(ranges_access::end_of(all) - ranges_access::begin_of(all));
        if (!places_.empty()) places_.push_back(static_cast<std::uint32_t>(there - 1));
        auto const start = mark();
        auto const before = counted();
        edits_.on_message_placed(outline_, outline_.place());
        request_.add(index);
        if (mark() != start) {  // it brought others back
            edited(start, before);
            settle();
        }
        return index;
    }

    template <class Function>
    auto on(view& edits, Function&& f) const {
        auto const from = source();
        auto const as_used = meter_.in_scale(edits, sent());
        v1::draft whole{from, outline_, edits, meter_.estimator(), meter_.limits()};
        return f(whole);
    }

    /// Steps from `start` on are final; the sum was `before`.
    void edited(std::size_t start, cost before) noexcept {
        auto const first = first_changed(outline_, edits_, start);
        meter_.edited(first ? *first : u64_limit, before, size());
    }
    /// Makes the request begin as laws demand, after edits that no draft closed.
    void settle() {
        auto const from = source();
        request_.forget();
        v1::draft{from, outline_, edits_, meter_.estimator(), meter_.limits()}.settle_head();
    }

    /// Which originals before `before` nothing needs any more, by index.
    std::vector<bool> releasable(sequence before) const {
        // A call without a result may get a late one, and is sent again then.
        auto stays = std::vector<bool>(size());
        for (auto const part_id : outline_.dead_calls())
            if (outline_.unanswerable(outline_.part_at(part_id)))
                stays[outline_.group_of(outline_.part_at(part_id).message_index)] = true;
        auto const gone = [&](std::uint32_t index) { return !edits_.present(group{outline_.group_of(index)}); };
        auto goes = std::vector<bool>(size());
        auto const may_go = [&](std::uint32_t index) {
            return index < before.number && gone(index) && !stays[outline_.group_of(index)];
        };
        // What may come back needs the turn that it belongs to before it.
        for (std::uint32_t index = 0, turn = none32; index < size(); ++index) {
            if (outline_.message_at(index).released) continue;
            auto const group_id = outline_.group_of(index);
            if (outline_.message_at(index).plain_user && outline_.group_at(group_id).first == index) turn = group_id;
            if (turn != none32 && gone(index) && !may_go(index)) stays[turn] = true;
        }
        for (std::uint32_t index = 0; index < size(); ++index)
            goes[index] = !outline_.message_at(index).released && may_go(index);
        return goes;
    }

    /// Records that stand for these originals once they are gone.
    std::vector<released_message> records_of(std::vector<bool> const& goes) const {
        std::vector<released_message> all;
        message_scan fresh;
        for (std::uint32_t index = 0; index < size(); ++index) {
            if (!goes[index]) continue;
            fresh.read(source()[index], meter_.estimator(), {});
            all.push_back(fresh.facts());
            all.back().index = index;
            all.back().messages = size();
        }
        return all;
    }

    held_type messages_;
    v1::outline outline_;
    mutable view edits_;  ///< rendering only notes what was sent
    std::vector<std::uint32_t> places_;  ///< in the container, by index, once some were released
    std::vector<undo_point> undo_points_;
    std::vector<abandoned_call> abandoned_;
    std::vector<released_message> released_;
    mutable request<message_type> request_;
    mutable metering<Estimator> meter_;  ///< rendering only notes what was sent
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
