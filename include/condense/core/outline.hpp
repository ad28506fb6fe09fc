// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/estimator.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/message.hpp>
#include <condense/core/outline_records.hpp>
#include <condense/detail/call_index.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/place_set.hpp>
#include <condense/detail/sparse_vector.hpp>

// What the library knows of a conversation without touching its text: costs, roles, pairs of calls and results, groups.
// It grows with `append`, which reads each message once and changes nothing when it fails.

namespace condense {
inline namespace v1 {

/// Records of all messages, parts and groups, in the order of the conversation; edits are not in it (see view).
/// Messages are grouped by shared calls, transitively: a result joins the message with its call, and groups linked by a
/// message become one, in the place of the oldest. Groups keep their indices, so those that joined another stay as
/// empty entries that forward to it. Appending costs O(parts), amortised; nothing is removed. A template, so that a
/// program that only includes it instantiates nothing of it.
template <class = void>
class basic_outline {
public:
    using message_record = detail::message_record;
    using part_record = detail::part_record;
    using group_record = detail::group_record;

    constexpr std::size_t size() const noexcept { return messages_.size(); }
    /// Increases with every change, so that cached results can be checked against it.
    constexpr std::uint64_t version() const noexcept { return version_; }
    constexpr std::size_t group_count() const noexcept { return groups_.size(); }
    constexpr std::size_t part_count() const noexcept { return parts_.size(); }
    constexpr message_record const& message_at(std::size_t index) const noexcept { return messages_[index]; }
    constexpr part_record const& part_at(std::size_t part_id) const noexcept { return parts_[part_id]; }
    constexpr group_record const& group_at(std::size_t index) const noexcept { return groups_[index]; }

    /// The group of a message, which has the index of its first message.
    constexpr std::uint32_t group_of(std::size_t index) const noexcept {
        return root(static_cast<std::uint32_t>(index) - messages_[index].back);
    }

    /// The indices of a group's messages, in the order in which they joined it; its own iterator.
    class member_range {
    public:
        constexpr member_range(basic_outline const& of, std::uint32_t group_id) noexcept
            : of_{&of}, index_{of.groups_[group_id].first}, remaining_{of.groups_[group_id].count} {}
        constexpr member_range begin() const noexcept { return *this; }
        constexpr detail::range_end end() const noexcept { return {}; }
        constexpr std::uint32_t operator*() const noexcept { return index_; }
        constexpr member_range& operator++() noexcept {
            if (--remaining_ != 0) index_ = of_->messages_[index_].next_in_group;
            return *this;
        }
        friend constexpr bool operator==(member_range const& at, detail::range_end) noexcept {
            return at.remaining_ == 0;
        }

    private:
        basic_outline const* of_;
        std::uint32_t index_;
        std::uint32_t remaining_;
    };
    constexpr member_range members_of(std::uint32_t group_id) const noexcept { return {*this, group_id}; }

    /// The messages of the group were released, so that it is never sent again.
    constexpr bool gone(std::uint32_t group_id) const noexcept { return messages_[group_id].released; }

    constexpr std::size_t system_messages() const noexcept { return system_messages_; }
    // Indices of messages; none32 where there is none. The task is the first plain user message that asks for anything,
    // or the one that was named.
    constexpr std::uint32_t task() const noexcept { return named_task_ == detail::none32 ? task_ : named_task_; }
    constexpr std::uint32_t named_task() const noexcept { return named_task_; }
    /// Names the task, if it is a plain user message; false if not.
    constexpr bool name_task(std::uint64_t index) noexcept {
        if (index >= size() || !messages_[detail::as_size(index)].plain_user) return false;
        named_task_ = static_cast<std::uint32_t>(index);
        return true;
    }
    constexpr std::uint32_t latest_user() const noexcept { return last_plain_user_; }
    /// The newest message with a compaction of its provider, see part_view.
    constexpr std::uint32_t compaction() const noexcept { return compaction_; }

    /// The last group before `index` that can begin a request after system messages, as its first message is a plain
    /// user message or an earlier run's summary, and that can still be sent as a whole.
    constexpr std::uint32_t beginning_before(std::uint32_t index) const noexcept { return beginnings_.previous(index); }

    constexpr std::uint32_t latest_answer() const noexcept { return last_assistant_; }
    /// The group holds the newest assistant message, if that follows the latest plain user message.
    constexpr bool answers_latest_user(std::uint32_t index) const noexcept {
        return last_assistant_ <= groups_[index].last && last_plain_user_ < last_assistant_ &&
               group_of(last_assistant_) == index;
    }

    /// The model has not yet read all of the group: a call of it still waits for its result, or no assistant message
    /// follows and it is the newest group with calls, or holds results whose call is missing and is the newest there
    /// is.
    constexpr bool open(std::uint32_t index) const noexcept { return open(groups_[index], index); }
    constexpr bool open(group_record const& group, std::uint32_t index) const noexcept {
        if (group.waiting != 0) return true;
        if (last_assistant_ != detail::none32 && last_assistant_ > group.last) return false;
        return (group.orphan && (last_plain_user_ == detail::none32 || last_plain_user_ <= group.last)) ||
               (newest_call_group_ != detail::none32 && root(newest_call_group_) == index);
    }

    /// The part_id of the call to which a part belongs; none32 where it belongs to none.
    constexpr std::uint32_t call_part_id(part_record const& part) const noexcept {
        return part.call == detail::none32 ? detail::none32 : calls_[part.call].part_id;
    }
    /// The part is a call that has no result and will get none: it was cancelled or found dead.
    constexpr bool unanswerable(part_record const& part) const noexcept {
        if (part.kind != part_kind::tool_call || part.call == detail::none32) return false;
        auto const& call = calls_[part.call];
        return !call.has_result && (call.dead || part.status == part_status::cancelled);
    }
    /// The part is a call without a result that may still get one.
    constexpr bool waits(part_record const& part) const noexcept {
        return part.kind == part_kind::tool_call && part.call != detail::none32 && !calls_[part.call].has_result &&
               !unanswerable(part);
    }
    /// The part is a call that has a result, and none that is an error or pending.
    constexpr bool succeeded(part_record const& part) const noexcept {
        if (part.kind != part_kind::tool_call || part.call == detail::none32) return false;
        return calls_[part.call].has_result && !calls_[part.call].failed;
    }
    /// The part is a pending call without an id, which any later result without an id could answer.
    constexpr bool waits_without_id(part_record const& part) const noexcept {
        if (part.kind != part_kind::tool_call || part.call == detail::none32) return false;
        auto const& call = calls_[part.call];
        return call.id_size == 0 && call.waits && !call.answered;
    }
    /// Part ids of calls that were cancelled or found dead. Some may have got a result later.
    constexpr detail::part_list const& dead_calls() const noexcept { return dead_calls_; }
    /// Part ids of results whose call is nowhere.
    constexpr detail::part_list const& orphans() const noexcept { return orphans_; }
    /// Part ids of results whose call, found by its id, already has a result in an earlier message.
    constexpr detail::part_list const& repeats() const noexcept { return repeats_; }

    /// The tool name of a part: its own, or that of its call.
    constexpr std::string_view tool_of(part_record const& part) const noexcept {
        return part.call == detail::none32 ? std::string_view{} : calls_.tool(part.call);
    }

    /// The id of a call, or of the call that a result answers.
    constexpr std::string_view call_id_of(part_record const& part) const noexcept {
        return part.call == detail::none32 ? std::string_view{} : calls_.id(part.call);
    }

    /// Reserves room for so many messages of one part each, so that reading a history allocates less often.
    constexpr void expect(std::size_t count) {
        messages_.reserve_more(count), groups_.reserve_more(count), parts_.reserve_more(count);
        beginnings_.reserve_more(count);
        calls_.expect(count / 2, count * 16);  // each call has a result; an id and a name are some 30 bytes
    }

    /// Reads one message, counts its tokens and reserves room for it; returns the number of its parts. Everything that
    /// can fail happens here; after a failure the outline is as it was. To be followed by `place`.
    template <message Message, token_estimator Estimator>
    constexpr std::size_t read(Message const& m, Estimator const& estimator, detail::read_options options = {}) {
        if (messages_.size() != 0) options.previous = messages_[messages_.size() - 1].speaker;  // `other` if released
        scan_.read(m, estimator, options);
        reserve();
        return scan_.parts().size();
    }

    /// The same for a released message, which is known by its facts only.
    std::size_t read(released_message const& m, bool keep_pinned, bool part_removable) {
        scan_.take(m, keep_pinned, part_removable);
        reserve();
        return scan_.parts().size();
    }

    /// Adds the message that was read: matches its results with calls and puts it into its group. Returns how many
    /// other groups were joined with the message's own.
    constexpr std::size_t place() noexcept {
        joins_ = 0;
        place_message();
        return joins_;
    }

    /// Notes that the program has given the message back, so that it cannot be read any more. Its group can never be
    /// sent as a whole again.
    constexpr void release(std::uint32_t index) noexcept {
        messages_[index].released = true;
        groups_[group_of(index)].unsendable = true;
        beginnings_.erase(group_of(index));
        ++version_;
    }
    /// Messages that come may depend on it: it holds the task or the latest answer.
    constexpr bool is_needed(std::uint32_t group_id) const noexcept {
        auto const holds = [&](std::uint32_t index) { return index != detail::none32 && group_of(index) == group_id; };
        return holds(task()) || holds(last_assistant_);
    }
    /// A copy without the records of released messages, of which there must be some; they read as released, without
    /// parts. Those of `places`, which ascend, stay as empty ones. O(records).
    constexpr basic_outline without_released(std::vector<std::uint32_t> const& places) const {
        auto const layout = layout_left(places);
        std::uint32_t first_gone = 0;
        while (!messages_[first_gone].released) ++first_gone;
        std::vector<std::uint32_t> calls;
        auto result = *this;
        result.calls_ = calls_.with_only([this](std::uint32_t message) { return !messages_[message].released; }, calls);
        result.messages_ = messages_.with_only(layout, {.released = true});
        result.groups_ = groups_.with_only(layout, {.unsendable = true});
        result.parts_ = parts_.with_only(parts_left(layout), {.message_index = first_gone});
        result.messages_.each([&](std::uint32_t index) {
            auto& message = result.messages_[index];
            for (auto const part_id : message.parts())
                if (!message.released) result.renumber(result.parts_[part_id].call, calls);
                else if (part_id >= result.parts_.layout().dense)
                    result.parts_[part_id] = {.message_index = first_gone};
            if (message.released) result.hold(index);
        });
        result.beginnings_ = {static_cast<std::uint32_t>(layout.dense), layout.early};
        result.beginnings_.reserve_more(size());
        result.beginnings_.extend_to(static_cast<std::uint32_t>(size()));
        beginnings_.each([&](std::uint32_t group_id) { result.beginnings_.insert(group_id); });
        for (auto* const list : {&result.dead_calls_, &result.orphans_, &result.repeats_})
            list->keep([this](std::uint32_t id) { return !messages_[parts_[id].message_index].released; });
        result.first_undecided_ = 0;
        for (std::uint32_t call = 0; call < first_undecided_; ++call)
            result.first_undecided_ += calls[call] == detail::none32 ? 0u : 1u;
        result.in_order_ = {};
        if (newest_call_group_ != detail::none32 && gone(root(newest_call_group_)))
            result.newest_call_group_ = detail::none32;
        result.latest_release_ = static_cast<std::uint32_t>(size());
        ++result.version_;
        return result;
    }

    // For saved states of conversations that have released messages.

    /// Facts that do not follow from the messages that are left; empty where none was released. `all`: of each result,
    /// and each part that came with one, the call is named, as others than those left may have its id.
    release_record released(bool all = false) const {
        release_record result;
        if (!has_released()) return result;
        result.latest = latest_release_;
        if (newest_call_group_ != detail::none32) result.newest_calls = root(newest_call_group_) + std::uint64_t{1};
        result.gone = {dead_calls_.first(), orphans_.first(), repeats_.first()};
        for (auto const part_id : dead_calls_)
            result.dead_calls.push_back({place_of(part_id), calls_[parts_[part_id].call].dead});
        each_record([&](std::uint32_t index) {
            for (auto const part_id : messages_[index].parts()) {
                auto const& part = parts_[part_id];
                bool const is_result = part.kind == part_kind::tool_result;
                auto const call = part.kind == part_kind::tool_call ? detail::none32 : call_part_id(part);
                if (!part.of_released && !(is_result && !part.by_id) && !(all && (is_result || call != detail::none32)))
                    continue;
                result.matches.push_back({place_of(part_id), call != detail::none32,
                                          call == detail::none32 ? part_place{} : place_of(call), part.of_released});
            }
        });
        return result;
    }
    /// An empty outline, to be filled in order with the messages that are left: `skip_to` comes before each that does
    /// not follow the one before it.
    basic_outline(detail::sparse_layout const& left, release_record const& released)
        : messages_{left, {.released = true}}, groups_{left, {.unsendable = true}},
          beginnings_{static_cast<std::uint32_t>(left.dense), left.early}, dead_calls_{released.gone.dead_calls},
          orphans_{released.gone.orphans}, repeats_{released.gone.repeats}, matches_{released.matches} {}
    constexpr basic_outline() = default;
    /// The next message has this index; those between were released.
    constexpr void skip_to(std::uint32_t index) {
        beginnings_.reserve_more(index - size());
        beginnings_.extend_to(index);
        messages_.skip_to(index), groups_.skip_to(index);
    }
    /// Puts a released message at the end, before which a summary may stand.
    constexpr void place_released() {
        reserve();
        auto const index = static_cast<std::uint32_t>(size());
        messages_.push_back({});
        groups_.push_back({});
        messages_[index].first_part = static_cast<std::uint32_t>(parts_.size());
        hold(index);
        beginnings_.extend_to(index + 1);
    }
    /// Takes over what the record says of calls, once all messages are there; false where it cannot be of them.
    bool take_calls(release_record const& released) {
        if (next_match_ != matches_.size()) return false;
        matches_ = {};
        next_match_ = 0;
        latest_release_ = static_cast<std::uint32_t>(released.latest);
        constexpr auto most = detail::u64_limit / 2;
        if (released.gone.dead_calls > most || released.gone.orphans > most || released.gone.repeats > most)
            return false;
        detail::part_list dead{released.gone.dead_calls};
        for (auto const& [at, is_dead] : released.dead_calls) {
            auto const part_id = part_id_at(at);
            if (part_id == detail::none32 || parts_[part_id].kind != part_kind::tool_call) return false;
            auto& call = calls_[parts_[part_id].call];
            if (is_dead && !call.answered && !call.dead) stop_waiting(call);
            call.dead = call.dead || is_dead;
            dead.push_back(part_id);
        }
        dead.reserve_more(waiting_);
        dead_calls_ = std::move(dead);
        if (released.newest_calls > size()) return false;
        newest_call_group_ = static_cast<std::uint32_t>(released.newest_calls) - 1;  // none32 for 0
        return released.newest_calls == 0 || (has_record(newest_call_group_) && groups_[newest_call_group_].has_calls);
    }

    /// Messages were released, and their records are gone.
    constexpr bool has_released() const noexcept { return latest_release_ != 0; }
    /// Which messages have records.
    constexpr detail::sparse_layout const& layout() const noexcept { return messages_.layout(); }
    constexpr std::size_t record_count() const noexcept { return messages_.count(); }
    constexpr detail::sparse_vector<part_record> const& parts() const noexcept { return parts_; }
    constexpr bool has_record(std::uint64_t index) const noexcept {
        return index < size() && messages_.contains(detail::as_size(index));
    }
    /// The first message from `index` on that has a record; size() where there is none.
    constexpr std::uint64_t next_record(std::uint64_t index) const noexcept {
        return messages_.next(detail::as_size(index));
    }
    /// Calls f(index) for each message that has a record, ascending.
    template <class Function>
    constexpr void each_record(Function&& f) const {
        messages_.each(f);
    }

    /// The program or the message's traits pin it.
    constexpr bool pinned(std::uint32_t index) const noexcept {
        return index == compaction_ ? pins_compaction_ : messages_[index].pinned;
    }
    /// Pins or unpins a message; its group is pinned while one of its messages is. None is before a compaction that
    /// must come first, as the provider would refuse it.
    constexpr void pin(std::uint32_t index, bool value) noexcept {
        if (messages_[index].released) return;
        if (index == compaction_) pins_compaction_ = value;
        bool const may_stay = index >= compaction_ || compaction_ == detail::none32 ||
                              messages_[compaction_].compaction != compaction_place::first;
        messages_[index].pinned = (value && may_stay) || index == compaction_;
        auto& group = groups_[group_of(index)];
        group.pinned = false;
        for (auto const member : members_of(group_of(index))) group.pinned = group.pinned || messages_[member].pinned;
        ++version_;
    }

    /// Declares all unanswered calls with this id dead and returns their number. Changes nothing when it fails. Linear
    /// in the calls with this id.
    constexpr std::size_t abandon(std::string_view id) {
        std::size_t count = 0;
        calls_.each_unanswered(id, [&](std::uint32_t call) { count += calls_[call].dead ? 0u : 1u; });
        if (count == 0) return 0;
        dead_calls_.reserve_more(waiting_);
        calls_.each_unanswered(id, [&](std::uint32_t call) {
            if (!calls_[call].dead) stop_waiting(calls_[call]);
        });
        // A group whose calls are all dead holds nothing that the model has yet to read, so it need not stay open.
        if (newest_call_group_ != detail::none32 && !awaits_reader(root(newest_call_group_)))
            newest_call_group_ = detail::none32;
        ++version_;
        return count;
    }

    template <message Message, token_estimator Estimator>
    constexpr void append(Message const& m, Estimator const& estimator) {
        read(m, estimator);
        place();
    }

private:
    // The messages of a group form a list, through next_in_group; groups form a forest, through merged_into, whose
    // roots are the groups that still have messages.
    using read_part = detail::message_scan::read_part;

    constexpr std::uint32_t root(std::uint32_t index) const noexcept {
        while (groups_[index].merged_into != detail::none32) index = groups_[index].merged_into;
        return index;
    }

    /// As group_of, but shortens the path to the root by half on the way, so that chains of joined groups stay short.
    constexpr std::uint32_t find_group(std::uint32_t index) noexcept {
        auto const start = index - messages_[index].back;
        auto group_id = start;
        while (groups_[group_id].merged_into != detail::none32) {
            auto const next = groups_[group_id].merged_into;
            if (groups_[next].merged_into != detail::none32) groups_[group_id].merged_into = groups_[next].merged_into;
            group_id = next;
        }
        if (group_id != start) messages_[index].back = index - group_id;
        return group_id;
    }

    /// Which messages keep their records.
    constexpr detail::sparse_layout layout_left(std::vector<std::uint32_t> const& places) const {
        std::vector<std::uint32_t> left;
        std::size_t place = 0;
        each_record([&](std::uint32_t index) {
            while (place < places.size() && places[place] < index) ++place;
            if (!messages_[index].released || (place < places.size() && places[place] == index)) left.push_back(index);
        });
        return detail::sparse_layout::of(std::move(left), size(), layout().dense);
    }
    /// And which parts.
    constexpr detail::sparse_layout parts_left(detail::sparse_layout const& left) const {
        detail::sparse_layout result;
        for (auto const index : left.early)
            if (!messages_[index].released)
                for (auto const part_id : messages_[index].parts()) result.early.push_back(part_id);
        result.dense = left.dense == size() ? part_count() : messages_[left.dense].first_part;
        return result;
    }
    static constexpr void renumber(std::uint32_t& call, std::vector<std::uint32_t> const& numbers) noexcept {
        if (call != detail::none32) call = numbers[call];
    }
    /// Leaves of a released message the place before it.
    constexpr void hold(std::uint32_t index) noexcept {
        messages_[index] = {.first_part = messages_[index].first_part, .released = true};
        groups_[index] = {.first = index, .last = index, .tail = index, .unsendable = true};
    }
    part_place place_of(std::uint32_t part_id) const noexcept {
        auto const index = parts_[part_id].message_index;
        return {index, part_id - messages_[index].first_part};
    }
    /// none32 where there is no such part.
    std::uint32_t part_id_at(part_place const& at) const noexcept {
        if (!has_record(at.message)) return detail::none32;
        auto const& message = messages_[detail::as_size(at.message)];
        return at.part < message.part_count ? message.first_part + at.part : detail::none32;
    }
    /// The call that a saved state names for the part being placed; null for none.
    constexpr call_match const* listed() noexcept {
        auto const& match = matches_[next_match_];
        auto const index = messages_.size() - 1;
        if (match.result.message != index || match.result.part != parts_.size() - messages_[index].first_part)
            return nullptr;
        ++next_match_;
        return &match;
    }
    /// The call that it names; none32 where there is none, or nothing like a call.
    constexpr std::uint32_t call_of(call_match const& match) const noexcept {
        auto const part_id = match.has_call ? part_id_at(match.call) : detail::none32;
        return part_id < parts_.size() ? parts_[part_id].call : detail::none32;
    }
    /// The part belongs to a call that was released: it names one that is nowhere, or one that has its result, from
    /// before the latest release: a later call with this id may have been there.
    constexpr bool is_of_released(part_record const& part, std::uint32_t index) noexcept {
        if (part.call == detail::none32) return has_released();
        auto const& call = calls_[part.call];
        if (groups_[find_group(call.message)].unsendable) return true;
        return call.message < latest_release_ && call.answered && call.result_in != detail::none32 &&
               call.result_in != index;
    }

    constexpr void reserve() {
        auto const more = scan_.parts().size();
        messages_.reserve_more(1);
        groups_.reserve_more(1);
        beginnings_.reserve_more(1);
        parts_.reserve_more(more);
        dead_calls_.reserve_more(waiting_ + more);
        if (!scan_.has_pairs()) return;
        calls_.reserve_more(more, scan_.text_size());
        orphans_.reserve_more(more), repeats_.reserve_more(more);
    }

    // From here on nothing allocates and nothing throws: `reserve` has made the room.
    constexpr void place_message() noexcept {
        auto const index = static_cast<std::uint32_t>(messages_.size());
        scan_.record.first_part = static_cast<std::uint32_t>(parts_.size());
        scan_.record.part_count = static_cast<std::uint32_t>(scan_.parts().size());
        messages_.push_back(scan_.record);
        groups_.push_back({.cost = scan_.record.frame,
                           .first = index,
                           .last = index,
                           .tail = index,
                           .count = 1,
                           .plain_users = scan_.record.plain_user ? 1u : 0u,
                           .system = scan_.record.speaker == role::system,
                           .pinned = scan_.record.pinned,
                           .summary = scan_.record.summary});
        beginnings_.extend_to(index + 1);
        placing_ = index;
        if (scan_.joins_previous && index > 0 && !groups_[find_group(index - 1)].unsendable)
            join(find_group(index - 1));
        late_ = 0;
        for (std::size_t part = 0; part < scan_.parts().size(); ++part) place_part(part, index);
        messages_[index].back = index - placing_;
        auto& group = groups_[placing_];
        bool const alone = group.count == 1 && !group.has_calls;
        bool const stays_late = !scan_.part_removable || late_ == scan_.parts().size();
        group.unsendable = group.unsendable || (late_ != 0 && group.plain_users == 0 && (alone || stays_late));
        bool const begins = group.summary || messages_[group.first].begins();
        if (begins && !group.system && !group.unsendable) beginnings_.insert(placing_);
        else beginnings_.erase(placing_);
        note_speaker(index);
        ++version_;
        if (scan_.record.compaction != compaction_place::none) hold_compaction(index);
    }

    /// Pins it in the place of the one before.
    constexpr void hold_compaction(std::uint32_t index) noexcept {
        auto const before = std::exchange(compaction_, index);
        if (before != detail::none32) pin(before, pins_compaction_);
        pin(index, messages_[index].pinned);
        if (messages_[index].compaction != compaction_place::first) return;
        each_record([&](std::uint32_t earlier) {
            if (earlier < index && messages_[earlier].pinned) pin(earlier, false);
        });
    }

    /// Adds part `position` of the message being placed, which has this index: a call opens a pair, a result or what
    /// came with one joins the group of its call.
    constexpr void place_part(std::size_t position, std::uint32_t index) {
        auto const& part = scan_.parts()[position];
        auto record = part.record;
        record.message_index = index;
        auto const is_result = record.kind == part_kind::tool_result;
        record.by_id = is_result && part.id_size != 0;
        if (record.kind == part_kind::tool_call) place_call(part, record, index);
        else if (is_result || part.id_size != 0) {
            auto const* const match = next_match_ < matches_.size() ? listed() : nullptr;
            record.call = match != nullptr ? call_of(*match) : call_of(position);
            bool const of_released = match != nullptr ? match->late : is_of_released(record, index);
            if (of_released) {
                record.call = detail::none32;
                record.of_released = true;
                record.late = scan_.part_removable;
                ++late_;
            }
            if (record.call != detail::none32) {
                join(find_group(calls_[record.call].message));
                if (is_result) record.repeats = answer(record);
            } else if (is_result && !of_released) {
                groups_[placing_].orphan = true;
                orphans_.push_back(static_cast<std::uint32_t>(parts_.size()));
            }
        }
        auto& group = groups_[placing_];
        group.cost += record.cost;
        group.has_error = group.has_error || record.status == part_status::error;
        parts_.push_back(record);
    }

    constexpr void place_call(read_part const& part, part_record& record, std::uint32_t index) {
        record.call = calls_.add(scan_.id_of(part), scan_.name_of_tool(part), index);
        auto& call = calls_[record.call];
        call.part_id = static_cast<std::uint32_t>(parts_.size());
        auto& group = groups_[placing_];
        group.has_calls = true;
        newest_call_group_ = placing_;
        if (record.status == part_status::cancelled) {
            call.answered = true;
            dead_calls_.push_back(call.part_id);
        } else {
            call.waits = record.status == part_status::pending;
            ++group.waiting;
            ++waiting_;
        }
    }

    /// The call to which part `position` of the message being placed belongs, for a result or what came with one. By
    /// its id: the call of a result in the same message that has this id, else the nearest earlier call with it.
    constexpr std::uint32_t call_of(std::size_t position) {
        auto const& part = scan_.parts()[position];
        if (part.id_size == 0) return answered_by_order(part);
        if (auto const earlier = scan_.earlier_result(position); earlier != detail::none32)
            return parts_[parts_.size() - position + earlier].call;
        return calls_.nearest(scan_.id_of(part));
    }

    /// The call of a result without an id: in the newest group with calls, the first unanswered one of this tool, those
    /// without an id before those with one. Where all are answered, the newest of them, as long as no assistant message
    /// has followed: a further result of it.
    constexpr std::uint32_t answered_by_order(read_part const& part) noexcept {
        if (newest_call_group_ == detail::none32) return detail::none32;
        auto const newest = root(newest_call_group_);
        auto const first_message = groups_[newest].first;
        if (in_order_.group != newest) {
            auto const first = calls_.first_in(first_message);
            in_order_ = {newest, {first, first}};
        }
        auto const is_its = [&](std::uint32_t call) {
            return group_of(calls_[call].message) == newest &&
                   (part.tool_size == 0 || calls_.tool(call) == scan_.name_of_tool(part));
        };
        for (std::size_t with_id = 0; with_id < 2; ++with_id) {
            auto& begin = in_order_.begin[with_id];
            for (auto call = begin; call < calls_.size(); ++call) {
                bool const waits = !calls_[call].answered && (calls_[call].id_size != 0) == (with_id != 0);
                if (waits && is_its(call)) return call;
                if (begin == call && !(waits && group_of(calls_[call].message) == newest)) ++begin;
            }
        }
        if (last_assistant_ != detail::none32 && last_assistant_ > groups_[newest].last) return detail::none32;
        for (auto call = static_cast<std::uint32_t>(calls_.size());
             call-- > 0 && calls_[call].message >= first_message;)
            if (is_its(call)) return call;
        return detail::none32;
    }

    /// Notes a result for its call. A pending result reopens the call. True for a repeat: one by id in a second
    /// message.
    constexpr bool answer(part_record const& record) {
        auto& call = calls_[record.call];
        auto& group = groups_[group_of(call.message)];
        auto const was_waiting = !call.answered && !call.dead;
        if (record.status != part_status::pending) call.answered = true;
        else if (call.answered) {
            calls_.reopen(record.call);
            for (auto& begin : in_order_.begin) begin = begin < record.call ? begin : record.call;
        }
        if (record.by_id && call.result_in == detail::none32) call.result_in = record.message_index;
        bool const repeats = record.by_id && call.result_in != record.message_index;
        if (repeats) repeats_.push_back(static_cast<std::uint32_t>(parts_.size()));
        call.has_result = true;
        call.failed = call.failed || record.status != part_status::ok;
        if (!call.answered) {
            call.waits = true;
            call.dead = false;
        }
        auto const is_waiting = !call.answered && !call.dead;
        if (is_waiting && !was_waiting) ++group.waiting, ++waiting_;
        if (was_waiting && !is_waiting) --group.waiting, --waiting_;
        return repeats;
    }

    /// The call is dead: no result is expected any more, so that its group need not stay open for it.
    constexpr void stop_waiting(detail::call_record& call) noexcept {
        --groups_[find_group(call.message)].waiting;
        --waiting_;
        call.dead = true;
        dead_calls_.push_back(call.part_id);
    }

    /// Joins the group of the message being placed with another; the older of the two takes over the members. O(1).
    constexpr void join(std::uint32_t other) noexcept {
        auto const current = placing_;
        if (current == other) return;
        ++joins_;
        auto const older = current < other ? current : other;
        auto const newer = current < other ? other : current;
        placing_ = older;
        auto& into = groups_[older];
        auto& from = groups_[newer];
        if (into.has_calls && from.has_calls) in_order_ = {};
        messages_[into.tail].next_in_group = from.first;
        into.tail = from.tail;
        into.take(from);
        from.merged_into = older;
        beginnings_.erase(newer);
    }

    /// Some call of the group has a result, or may still get one.
    constexpr bool awaits_reader(std::uint32_t group_id) const noexcept {
        for (auto const index : members_of(group_id))
            for (auto const part_id : messages_[index].parts()) {
                if (parts_[part_id].kind != part_kind::tool_call) continue;
                auto const& call = calls_[parts_[part_id].call];
                if (call.has_result || !call.dead) return true;
            }
        return false;
    }

    /// Updates what depends on who speaks: the task, the latest user and assistant messages, and calls that a new turn
    /// has left behind.
    constexpr void note_speaker(std::uint32_t index) {
        auto const& placed = messages_[index];
        system_messages_ += placed.speaker == role::system ? 1u : 0u;
        if (placed.plain_user) {
            if (task_ == detail::none32 || messages_[task_].asks_nothing) task_ = index;
            last_plain_user_ = index;
        }
        if (placed.speaker != role::assistant) return;
        last_assistant_ = index;
        if (last_plain_user_ == detail::none32) return;
        // The model has answered a later turn without the result of an earlier call: none will come for it any more.
        // Calls are decided in order, so that each is looked at once.
        for (; first_undecided_ < calls_.size(); ++first_undecided_) {
            auto& call = calls_[first_undecided_];
            if (call.message >= last_plain_user_) break;
            if (!call.answered && !call.waits && !call.dead) stop_waiting(call);
        }
    }

    detail::sparse_vector<message_record> messages_;
    detail::sparse_vector<part_record> parts_;
    detail::sparse_vector<group_record> groups_;
    detail::place_set beginnings_;  ///< groups, see beginning_before
    detail::call_index calls_;
    detail::part_list dead_calls_;
    detail::part_list orphans_;
    detail::part_list repeats_;
    std::uint32_t latest_release_ = 0;  ///< messages when some were released the last time; 0 where none was
    std::vector<call_match> matches_;  ///< while a saved state is read
    std::size_t next_match_ = 0;
    std::uint32_t first_undecided_ = 0;  ///< calls before it are answered, pending or dead
    std::size_t waiting_ = 0;  ///< unanswered calls that are not dead
    std::uint32_t task_ = detail::none32;  ///< unless one was named
    std::uint32_t named_task_ = detail::none32;
    std::uint32_t last_plain_user_ = detail::none32;
    std::uint32_t last_assistant_ = detail::none32;
    std::uint32_t newest_call_group_ = detail::none32;
    std::uint32_t compaction_ = detail::none32;
    bool pins_compaction_ = false;  ///< the program pins it as well
    /// Where the search for the call of a result without id begins: calls of the group before are answered.
    struct order_search {
        std::uint32_t group = detail::none32;
        std::uint32_t begin[2] = {};  ///< for calls without an id, and for those with one
    };
    order_search in_order_ = {};
    std::uint64_t version_ = 0;
    std::size_t joins_ = 0;
    std::size_t system_messages_ = 0;

    detail::message_scan scan_;
    std::uint32_t placing_ = 0;  ///< the group of the message being placed
    std::size_t late_ = 0;  ///< parts of the message being placed whose call was released
};

using outline = basic_outline<>;

}  // namespace v1
}  // namespace condense
