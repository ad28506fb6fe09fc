// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/edit_log.hpp>
#include <condense/core/group_results.hpp>
#include <condense/core/part_copies.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/callable_ref.hpp>

// Reads a view under construction: groups, parts, costs, and why a group could not be dropped.
// Layers, policies and shorteners see a conversation only through it.

namespace condense {
inline namespace v1 {

/// Read access for layers: the outline's facts and the originals, both seen through the edits in force. `Source` gives
/// messages by index. Refers to all of its parts, which must outlive it. Facts and costs are read without touching
/// texts; only `each_part`, `original` and `message_at` read messages.
template <class Source, token_estimator Estimator>
class draft_reader {
public:
    using reader_type = draft_reader;
    using message_type = std::remove_cvref_t<decltype(std::declval<Source const&>()[0])>;
    /// Callbacks for parts: any callable with these arguments.
    using part_sink = detail::callable_ref<void(part_ref, part_view const&)>;
    using view_sink = detail::view_sink;

    draft_reader(Source const& source, outline const& facts, view& edits, Estimator const& estimator,
                 v1::budget const& limits) noexcept
        : source_{detail::address_of(source)}, outline_{&facts}, edits_{&edits},
          estimator_{detail::address_of(estimator)}, limits_{limits} {}

    /// The groups that are present, oldest first, each summary before the group in whose place it was written. A range
    /// of positions, not of copies: it stays valid while edits are made, and groups dropped meanwhile are skipped.
    class group_range {
    public:
        group_range(draft_reader const& from, std::uint32_t first) noexcept
            : from_{detail::address_of(from)}, first_{first} {}

        struct iterator {
            draft_reader const* from;
            std::uint32_t place;  ///< twice the group_id, plus one for the group after its summary

            group operator*() const noexcept { return place % 2 == 0 ? group{place / 2}.summary() : group{place / 2}; }
            iterator& operator++() noexcept {
                ++place;
                settle();
                return *this;
            }
            bool operator!=(iterator const& other) const noexcept { return place != other.place; }
            void settle() noexcept { place = from->edits_->next_place(place); }
        };
        iterator begin() const noexcept {
            iterator first{from_, first_};
            first.settle();
            return first;
        }
        iterator end() const noexcept { return {from_, from_->end_of_groups()}; }

    private:
        draft_reader const* from_;
        std::uint32_t first_;
    };

    /// All groups that are present.
    group_range groups() const noexcept { return {*this, 0}; }
    /// The groups after `which`, which may itself have been dropped meanwhile.
    group_range groups_after(group which) const noexcept {
        return {*this, 2 * which.id() + (which.is_summary() ? 1u : 2u)};
    }
    bool present(group which) const noexcept { return edits_->present(which); }
    /// Calls f(sequence) for each message that is sent, in order.
    template <class Function>
    void each_message(Function&& f) const {
        edits_->each_sent(*outline_, [&](std::uint32_t index) { f(sequence{index}); });
    }
    /// The first place from `place` on that is sent: 2i + 1 for message i, 2i for the summary before it; twice the
    /// number of messages is the end. A walk with it costs what is sent, however long the conversation has been.
    std::uint32_t next_sent(std::uint32_t place) const noexcept { return edits_->next_sent(*outline_, place); }
    /// The last one before `place`; none32 if there is none.
    std::uint32_t previous_sent(std::uint32_t place) const noexcept { return edits_->previous_sent(*outline_, place); }
    // The parts that make the draft, for policies that need more than the facts below.
    v1::outline const& outline() const noexcept { return *outline_; }
    v1::view const& edits() const noexcept { return *edits_; }
    v1::budget const& limits() const noexcept { return limits_; }

    /// Usage of the request after the edits so far, overhead included. O(1).
    v1::usage used() const noexcept { return edits_->used(limits_); }
    /// The share that messages of this cost have in used(), on its scale and rounded upward.
    tokens measured(cost sum) const noexcept { return edits_->scale().of_messages(sum).tokens(); }
    /// The most that messages may cost to take no more than `limit` of used().
    cost within(tokens limit) const noexcept { return edits_->scale().within(limit); }

    /// The cost of the messages of one role. Before scaling, all roles add up to used() less the overhead. Reads every
    /// message's record.
    v1::cost used_by(role speaker) const noexcept {
        v1::cost sum;
        for (auto const which : groups()) {
            if (which.is_summary()) {
                if (speaker == role::user) sum += edits_->of(which).cost;
                continue;
            }
            each_member(which, [&](std::uint32_t index) {
                if (outline_->message_at(index).speaker == speaker) sum += message_cost(index);
            });
        }
        return sum;
    }

    /// Facts of a group that is present. A summary written in this run counts as a user message of one part.
    group_facts about(group which) const noexcept {
        auto const& record = outline_->group_at(which.id());
        auto const& first = outline_->message_at(record.first);
        if (which.is_summary())
            return {.first = record.first,
                    .last = record.first,
                    .count = 1,
                    .cost = edits_->of(which).cost,
                    .bytes = {edits_->of(which).bytes},
                    .speaker = role::user,
                    .summary = true};
        auto const sums = edits_->of(which);
        return {.first = record.first,
                .last = record.last,
                .count = static_cast<std::uint32_t>(sums.messages),
                .cost = sums.cost,
                .images = {sums.images},
                .bytes = {sums.bytes},
                .speaker = first.speaker,
                .system = record.system,
                .pinned = record.pinned,
                .open = outline_->open(which.id()),
                .starts_turn = first.begins(),
                .plain_user = record.plain_users != 0,
                .latest_user = holds_latest_user(which),
                .has_calls = record.has_calls,
                .has_error = record.has_error,
                .summary = record.summary};
    }

    // Single facts of the same, cheaper for walks over all groups.

    bool is_system(group which) const noexcept { return !which.is_summary() && outline_->group_at(which.id()).system; }
    /// True for summaries of this run and of earlier ones.
    bool is_summary(group which) const noexcept { return view::sums_up(*outline_, which); }
    /// A request may begin with the group after system messages: its first message is a plain user message, or it is a
    /// summary.
    bool may_begin_request(group which) const noexcept {
        if (which.is_summary()) return true;
        auto const& record = outline_->group_at(which.id());
        return record.summary || outline_->message_at(record.first).begins();
    }

    /// Dropping the group would leave only system messages, or, in a conversation without a plain user message, the
    /// last summary with which a request could begin.
    bool is_last(group which) const noexcept {
        if (edits_->sums().messages - edits_->messages_of(which) <= outline_->system_messages()) return true;
        return outline_->latest_user() == detail::none32 && is_only_summary(which);
    }

    /// The group holds the task.
    bool holds_task(group which) const noexcept {
        return !which.is_summary() && outline_->group_at(which.id()).plain_users != 0 &&
               outline_->group_of(outline_->task()) == which.id();
    }

    /// Facts of a part: kind, status, both costs and the edit in force. Default values for a part of a summary.
    part_facts about(part_ref part) const noexcept {
        if (part.part_id == detail::none32) return {};
        auto const& record = outline_->part_at(part.part_id);
        auto const* const changed = edits_->edit_of(part.part_id);
        auto const earlier = changed == nullptr ? record.earlier : detail::earlier_edit::none;
        return {.kind = record.kind,
                .status = record.status,
                .sealed = record.sealed,
                .edited = changed != nullptr || earlier != detail::earlier_edit::none,
                .externalized = changed != nullptr ? changed->kind == edit_kind::externalize
                                                   : earlier == detail::earlier_edit::externalized,
                .stored = changed != nullptr && changed->text != detail::none32 ? edits_->text_at(changed->text).stored
                                                                                : reference{},
                .stored_earlier = record.earlier == detail::earlier_edit::externalized,
                .cost = edits_->part_cost(*outline_, part.part_id),
                .original_cost = record.cost,
                .original_size = {record.size}};
    }

    /// Messages of this type have `without_part`, so that parts can be removed from them.
    static constexpr bool can_remove = detail::part_removable<message_type>;
    part_ref part_at(std::uint32_t part_id) const noexcept {
        auto const index = outline_->part_at(part_id).message_index;
        return {index, part_id - outline_->message_at(index).first_part, part_id};
    }
    bool is_removed(part_ref part) const noexcept {
        auto const* const changed = edits_->edit_of(part.part_id);
        return changed != nullptr && changed->kind == edit_kind::remove;
    }

    /// Calls f(part_ref) for each part that was not removed, without reading the message.
    template <class Function>
    void each_part_of(sequence message_seq, Function&& f) const {
        auto const index = static_cast<std::uint32_t>(message_seq.number);
        auto const& message = outline_->message_at(index);
        for (std::uint32_t part = 0; part < message.part_count; ++part) {
            auto const* const changed = edits_->edit_of(message.first_part + part);
            if (changed == nullptr || changed->kind != edit_kind::remove)
                f(part_ref{index, part, message.first_part + part});
        }
    }
    template <class Function>
    void each_part_of(group which, Function&& f) const {
        if (!which.is_summary()) each_member(which, [&](std::uint32_t index) { each_part_of(sequence{index}, f); });
    }

    /// Calls f(part_ref, part_view) for each part that was not removed, with its present text. Reads the message once;
    /// the views are valid only during the call of f. A released message has no parts to show.
    void each_part(sequence message_seq, part_sink f) const {
        read(static_cast<std::uint32_t>(message_seq.number), [&](part_ref part, part_view const& content) {
            if (!is_removed(part)) f(part, with_edit(part, content));
        });
    }
    void each_part(group which, part_sink f) const {
        if (!which.is_summary()) {
            each_member(which, [&](std::uint32_t index) { each_part(sequence{index}, f); });
            return;
        }
        f(part_ref{outline_->group_at(which.id()).first, 0, detail::none32},
          part_view{.text = edits_->summary_text(which).text});
    }

    /// Calls f(part_ref, part_view) for each part of a message as the history holds it, removed ones included.
    void each_original(sequence message_seq, part_sink f) const {
        read(static_cast<std::uint32_t>(message_seq.number), f);
    }
    /// Calls f(part_view) with the part as the history holds it, whatever the edits; not at all for a released message.
    void original(part_ref part, view_sink f) const {
        if (part.part_id == detail::none32 || part.message_index >= outline_->size()) return;
        auto const position = part.part_id - outline_->message_at(part.message_index).first_part;
        bool const is_copied = with_copies(part.message_index, [&](detail::part_copy const& parts) {
            if (position < parts.size()) f(parts.at(position));
        });
        if (is_copied) return;
        read_source(part.message_index, [&](part_view const& content, std::uint32_t candidate) {
            if (candidate == position) f(content);
        });
    }
    /// Calls f(part_view) with its present text; not at all for a part that was removed.
    void present_part(part_ref part, view_sink f) const {
        if (!is_removed(part)) original(part, [&](part_view const& content) { f(with_edit(part, content)); });
    }

    /// Calls f(part_ref) for each other part of the message that names the same call id and was not removed; not at all
    /// for a part without an id.
    void each_beside(part_ref part, detail::callable_ref<void(part_ref)> f) const {
        auto const first = outline_->message_at(part.message_index).first_part;
        auto const show = [&](std::uint32_t position) {
            part_ref const beside{part.message_index, position, first + position};
            if (beside.part_id != part.part_id && !is_removed(beside)) f(beside);
        };
        bool const is_copied = with_copies(part.message_index, [&](detail::part_copy& parts) {
            if (part.part_id - first < parts.size()) parts.each_with(parts.at(part.part_id - first).call, show);
        });
        if (is_copied) return;
        original(part, [&](part_view const& content) {
            if (content.call.empty()) return;
            read_source(part.message_index, [&](part_view const& other, std::uint32_t position) {
                if (other.call == content.call) show(position);
            });
        });
    }
    /// The part ids of all results, in the group of the part, of the call to which it belongs; valid until the next
    /// message is added.
    detail::group_results::range results_beside(part_ref part) const {
        auto const& record = outline_->part_at(part.part_id);
        return results_.of(*outline_, outline_->group_of(record.message_index), record.call);
    }

    /// Calls f(index) for each message of the group, in the order in which they joined it.
    template <class Function>
    void each_member(group which, Function&& f) const {
        for (auto const index : outline_->members_of(which.id())) f(index);
    }

    /// The original of a message, which must not have been released.
    decltype(auto) message_at(sequence message_seq) const {
        return (*source_)[static_cast<std::uint32_t>(message_seq.number)];
    }
    /// The request would hold the message, with at least one part where it had some.
    bool present(sequence message_seq) const noexcept {
        auto const index = static_cast<std::uint32_t>(message_seq.number);
        return message_seq.number < outline_->size() && present(group{outline_->group_of(index)}) &&
               !edits_->emptied(*outline_, index);
    }
    /// The cost of a message's frame and of its parts after their edits, present or not.
    v1::cost message_cost(std::uint32_t index) const noexcept {
        auto const& message = outline_->message_at(index);
        auto sum = message.frame;
        for (std::uint32_t part = 0; part < message.part_count; ++part)
            sum += edits_->part_cost(*outline_, message.first_part + part);
        return sum;
    }
    Estimator const& estimator() const noexcept { return *estimator_; }
    Source const& source() const noexcept { return *source_; }

    /// Why the group could not be dropped or summarised; none where it could, unless it is the last one (see is_last).
    refusal::reason undroppable(group which) const noexcept {
        if (which.id() >= edits_->group_count() || !present(which)) return refusal::gone;
        return view::bound(*outline_, which);
    }

    /// Tokens that no layer can drop: overhead, system messages, pins, open groups, the latest user message and its
    /// answer, and the user message or summary with which a request has to begin before them.
    tokens floor() const noexcept { return whole_floor(false); }
    /// As `floor`, and the task where it is present, which a last resort leaves where it would go in vain.
    tokens floor_with_task() const noexcept { return whole_floor(true); }
    /// A lower bound for any mix: as `floor_with_task`, but of open groups only counts what no layer can shorten
    /// either.
    tokens lowest_floor() const noexcept {
        return unreducible(true, [this](group which) {
            auto const facts = about(which);
            if (!facts.open || facts.system || facts.pinned) return facts.cost;
            v1::cost sum;
            each_member(which, [&](std::uint32_t index) {
                auto const& message = outline_->message_at(index);
                if (index == outline_->latest_user() || index == outline_->task()) {
                    sum += message_cost(index);
                    return;
                }
                sum += message.frame;
                for (auto const part_id : message.parts())
                    if (outline_->part_at(part_id).sealed && outline_->part_at(part_id).kind != part_kind::media)
                        sum += edits_->part_cost(*outline_, part_id);
            });
            return sum;
        });
    }

protected:
    tokens whole_floor(bool with_task) const noexcept {
        return unreducible(with_task, [this](group which) { return about(which).cost; });
    }
    /// Adds cost_of(group) for each group that has to stay. Where the first of those cannot begin a request, the
    /// nearest plain user message or summary before it counts, too.
    template <class Function>
    tokens unreducible(bool with_task, Function const& cost_of) const noexcept {
        auto sum = cost::of(limits_.overhead);
        bool has_head = false;
        v1::cost head;
        for (auto const which : groups()) {
            auto const facts = about(which);
            if (undroppable(which) || is_last(which) || (with_task && holds_task(which))) {
                sum += cost_of(which);
                if (!facts.system && !has_head && !facts.starts_turn && !facts.summary) sum += head;
                has_head = has_head || !facts.system;
            } else if (!has_head && (facts.starts_turn || facts.summary)) head = facts.cost;
        }
        return edits_->measured(sum);
    }

    /// The group is a summary, and no other one is present.
    bool is_only_summary(group which) const noexcept {
        if (!view::sums_up(*outline_, which)) return false;
        for (auto const other : groups())
            if (other != which && view::sums_up(*outline_, other)) return false;
        return true;
    }

    std::uint32_t end_of_groups() const noexcept { return static_cast<std::uint32_t>(edits_->group_count()) * 2; }

    bool holds_latest_user(group which) const noexcept {
        auto const latest = outline_->latest_user();
        return latest != detail::none32 && outline_->group_of(latest) == which.id();
    }

    /// The part with the text that the edit in force gave it, if there is one.
    part_view with_edit(part_ref part, part_view content) const noexcept {
        if (auto const* const changed = edits_->edit_of(part.part_id)) {
            content.text = edits_->text_at(changed->text).text;
            content.cost.reset();
        }
        return content;
    }

    /// Calls f(part_ref, part_view) for each original part of a message. Results without a tool name get that of their
    /// call. Parts beyond those that were there when the message was appended are not shown.
    void read(std::uint32_t index, part_sink f) const {
        if (index >= outline_->size()) return;
        auto const first = outline_->message_at(index).first_part;
        auto const show = [&](part_view const& content, std::uint32_t part) {
            f(part_ref{index, part, first + part}, content);
        };
        bool const is_copied = with_copies(index, [&](detail::part_copy const& parts) {
            for (std::uint32_t part = 0; part < parts.size(); ++part) show(parts.at(part), part);
        });
        if (!is_copied) read_source(index, show);
    }
    /// Calls f(part_copy&) with the parts of a message of many; false, without a call, for other messages.
    bool with_copies(std::uint32_t index, detail::callable_ref<void(detail::part_copy&)> f) const {
        if (outline_->message_at(index).part_count <= detail::part_copies::few) return false;
        auto const read_all = [&](view_sink sink) {
            read_source(index, [&](part_view const& content, std::uint32_t) { sink(content); });
        };
        return copies_.use(index, read_all, f);
    }
    /// Calls f(part_view, index) for each part that the message itself shows.
    void read_source(std::uint32_t index, detail::callable_ref<void(part_view const&, std::uint32_t)> f) const {
        auto const& message = outline_->message_at(index);
        if (message.released) return;
        std::uint32_t part = 0;
        auto&& source_message = (*source_)[index];
        v1::each_part.inlined(source_message, [&](part_view const& source_part) {
            if (part >= message.part_count) return;
            auto content = source_part;
            if (content.tool.empty()) content.tool = outline_->tool_of(outline_->part_at(message.first_part + part));
            f(content, part);
            ++part;
        });
    }

    Source const* source_;
    v1::outline const* outline_;
    view* edits_;
    Estimator const* estimator_;
    v1::budget limits_;
    mutable detail::part_copies copies_ = {};
    mutable detail::group_results results_ = {};
};

}  // namespace v1
}  // namespace condense
