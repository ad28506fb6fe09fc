// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/edit_log.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/reduce.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/reject.hpp>
#include <condense/session/message_container.hpp>
#include <condense/session/reported_baseline.hpp>
#include <condense/session/request.hpp>
#include <condense/session/state.hpp>
#include <condense/session/statistics.hpp>

// What a session is made of: messages, what is known of them, the edits in force, and how these change
// together or not at all. When to run, and what to say of it, is the session's.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Messages, class Mix, class Estimator, class Options>
class session_core {
    static_assert(check_estimator<Estimator>());

protected:
    using held_type = message_container<Messages>;

public:
    using container = typename held_type::container;
    using message_type = element_of<container const>;
    static_assert(v1::message<message_type>,
                  "condense: session: the elements of the container must be messages: give message_traits role_of and "
                  "each_part (see message)");
    static_assert(std::random_access_iterator<decltype(ranges_access::begin_of(std::declval<container const&>()))>,
                  "condense: session: the container must have random access, such as std::vector (see session)");

    session_core(session_core const&) = delete;
    session_core& operator=(session_core const&) = delete;

    /// The messages to send, in order, by const reference; valid until the session changes.
    class request_range {
    public:
        class iterator {
        public:
            using value_type = message_type;
            using difference_type = std::ptrdiff_t;
            using reference = message_type const&;
            using pointer = message_type const*;
            using iterator_category = std::forward_iterator_tag;

            iterator() = default;
            iterator(session_core const& from, std::size_t at) noexcept : from_{address_of(from)}, at_{at} {}
            message_type const& operator*() const { return from_->sent_.at(from_->source(), at_); }
            message_type const* operator->() const { return address_of(**this); }
            iterator& operator++() noexcept {
                ++at_;
                return *this;
            }
            iterator operator++(int) noexcept { return {*from_, at_++}; }
            friend bool operator==(iterator const& left, iterator const& right) noexcept {
                return left.at_ == right.at_;
            }

        private:
            session_core const* from_ = nullptr;
            std::size_t at_ = 0;
        };

        explicit request_range(session_core const& from) noexcept : from_{address_of(from)} {}
        iterator begin() const noexcept { return {*from_, 0}; }
        iterator end() const noexcept { return {*from_, size()}; }
        std::size_t size() const noexcept { return from_->sent_.size(); }
        bool empty() const noexcept { return size() == 0; }
        /// The message at `at`, below size().
        message_type const& operator[](std::size_t at) const { return from_->sent_.at(from_->source(), at); }
        message_type const& front() const { return (*this)[0]; }
        message_type const& back() const { return (*this)[size() - 1]; }

    private:
        session_core const* from_;
    };

    /// What the layers have come to, over all runs and arrivals.
    v1::statistics<Mix::size> const& statistics() const noexcept { return statistics_; }

    /// The originals, untouched, but for those released.
    container const& history() const noexcept { return messages_.get(); }
    v1::outline const& outline() const noexcept { return facts_; }
    view const& edits() const noexcept { return edits_; }

    /// By estimates, or where a provider has reported, by its figure and what has come since; after an edit by
    /// estimates in proportion to the report before it. All layers of a run measure in this scale.
    usage used() const noexcept {
        auto now = edits_.used(limits_);
        now.tokens = anchor_.holds() ? anchored(counted()) : expected();
        if (anchor_.is_exact()) now.source = usage_source::reported;
        else if (!anchor_.holds() && edits_.sums().cost == v1::cost{} && edits_.sums().messages != 0)
            now.source = usage_source::none;
        return now;
    }

protected:
    session_core(Messages first, Mix mix, budget limits, Estimator count, Options options)
        : messages_(std::move(first)), mix_(std::move(mix)), limits_{limits}, count_(std::move(count)),
          options_(std::move(options)) {
        reject_unless(!options_.alternate || shortenable<message_type>,
                      "condense: session: alternate must have messages with with_part (see shortenable)");
        if (options_.alternate) sent_.alternate();
        mix_.name_entries(blank_entries_.data());
        statistics_.add(blank_entries_);  // names alone
    }

    using source_type = originals<container>;
    source_type source() const noexcept { return {address_of(messages_.get()), address_of(places_)}; }

    std::size_t read(message_type const& m) {
        return facts_.read(m, count_, {.pinned = detail::pins(options_, sequence{facts_.size()}, m)});
    }

    /// While it lasts the session is busy: what code of the program's, an estimator or a layer, pushes waits.
    class occupied {
    public:
        explicit occupied(session_core const& of) noexcept
            : flag_{address_of(of.busy_)}, before_{std::exchange(of.busy_, true)} {}
        occupied(occupied const&) = delete;
        occupied& operator=(occupied const&) = delete;
        ~occupied() { *flag_ = before_; }

    private:
        bool* flag_;
        bool before_;
    };

    /// Takes the message in and gives its index; when that fails, the message is not moved from.
    std::uint32_t append(message_type&& m) {
        occupied const until_in{*this};
        edits_.reserve_message(read(m));
        reserve();
        messages_.note(m);
        if constexpr (held_type::borrowed) {
            struct unless_taken {
                held_type* of;
                ~unless_taken() {
                    if (of != nullptr) of->take_back();
                }
            } noted{address_of(messages_)};
            messages_.get().push_back(std::move(m));
            noted.of = nullptr;
        } else messages_.get().push_back(std::move(m));
        return register_last();
    }

    /// Room for one message more in what is kept of it here.
    void reserve() {
        sent_.reserve_message();
        grow(undo_points_, 1);
        if (!places_.empty()) grow(places_, 1);
        messages_.reserve();
    }

    /// The message that was read, and is in the container.
    std::uint32_t register_last() {
        auto const index = static_cast<std::uint32_t>(facts_.size());
        auto const place =
            static_cast<std::uint32_t>(static_cast<std::size_t>(ranges_access::end_of(messages_.get()) -
                                                                ranges_access::begin_of(messages_.get())) -
                                       1);
        if (!places_.empty()) places_.push_back(place);
        auto const mark = edits_.steps().size();
        auto const before = counted();
        edits_.on_message_placed(facts_, facts_.place());
        sent_.add(index);
        if (edits_.steps().size() != mark) {  // it brought others back
            edited(first_changed_since(mark), before);
            settle();
        }
        return index;
    }

    /// Takes back what the newest event did; messages that came since stay, and what was pinned since.
    void undo_newest() {
        occupied const until_done{*this};
        std::size_t bound = 0;
        for (std::uint32_t group_id = 0; group_id < facts_.group_count(); ++group_id)
            bound += view::bound(facts_, group{group_id}) ? 1u : 0u;
        edits_.reserve_message(bound);  // then nothing below fails
        edited(first_changed_since(as_size(undo_points_.back().steps)), counted());
        edits_.take_back(facts_, as_size(undo_points_.back().steps));
        edits_.follow_again(facts_, as_size(undo_points_.back().messages));
        for (std::uint32_t group_id = 0; group_id < facts_.group_count(); ++group_id) {
            auto const& found = facts_.group_at(group_id);
            if (found.count != 0 && !found.unsendable && view::bound(facts_, group{group_id}) &&
                !edits_.present(group{group_id}))
                edits_.undrop(group{group_id});
        }
        undo_points_.pop_back();
        settle();
    }

    /// Which originals before `before` nothing needs any more, by index.
    std::vector<bool> releasable(sequence before) const {
        // A call without a result may get a late one, and is sent again then.
        auto stays = std::vector<bool>(facts_.size());
        for (auto const part_id : facts_.dead_calls())
            if (facts_.unanswerable(facts_.part_at(part_id)))
                stays[facts_.group_of(facts_.part_at(part_id).message_index)] = true;
        auto const gone = [&](std::uint32_t index) { return !edits_.present(group{facts_.group_of(index)}); };
        auto goes = std::vector<bool>(facts_.size());
        auto const may_go = [&](std::uint32_t index) {
            return index < before.number && gone(index) && !stays[facts_.group_of(index)];
        };
        // What may come back needs the turn that it belongs to before it.
        for (std::uint32_t index = 0, turn = none32; index < facts_.size(); ++index) {
            if (facts_.message_at(index).released) continue;
            auto const group_id = facts_.group_of(index);
            if (facts_.message_at(index).plain_user && facts_.group_at(group_id).first == index) turn = group_id;
            if (turn != none32 && gone(index) && !may_go(index)) stays[turn] = true;
        }
        for (std::uint32_t index = 0; index < facts_.size(); ++index)
            goes[index] = !facts_.message_at(index).released && may_go(index);
        return goes;
    }

    /// What has to be known of those originals when they are gone.
    std::vector<released_message> facts_of(std::vector<bool> const& goes) const {
        std::vector<released_message> all;
        message_scan fresh;
        for (std::uint32_t index = 0; index < facts_.size(); ++index) {
            if (!goes[index]) continue;
            fresh.read(source()[index], count_, {});
            all.push_back(fresh.facts());
            all.back().index = index;
            all.back().messages = facts_.size();
        }
        return all;
    }

    /// Destroys those originals; says how many. What was done before can not be undone any more.
    std::size_t destroy(std::vector<bool> const& goes) {
        auto gone = facts_of(goes);
        grow(released_, gone.size());
        auto places = std::vector<std::uint32_t>(facts_.size(), none32);
        std::uint32_t kept = 0;
        auto& all = messages_.get();
        auto to = ranges_access::begin_of(all);
        auto from = to;
        for (std::uint32_t index = 0; index < facts_.size(); ++index) {
            if (facts_.message_at(index).released) continue;
            if (goes[index]) facts_.release(index);
            else {
                places[index] = kept++;
                if (to != from) *to = std::move(*from);
                ++to;
            }
            ++from;
        }
        auto const released = static_cast<std::size_t>(from - to);
        all.erase(to, from);
        for (auto& each : gone) released_.push_back(std::move(each));
        places_.swap(places);
        undo_points_.clear();
        return released;
    }

    /// After steps that no layer made a request begins as it has to.
    void settle() {
        auto const from = source();
        draft whole{from, facts_, edits_, count_, limits_};
        sent_.forget();
        whole.settle_head();
    }

    /// Sums of these edits, which come to `counted`, are measured as `used` does while it lasts.
    calibration_scope<view> in_scale(view& edits) const noexcept {
        return {edits, (edits.sums().cost + v1::cost::of(limits_.overhead)).tokens(), used().tokens, limits_.overhead};
    }

    /// Calls f with the draft of a run; what is pushed meanwhile waits.
    template <class Function>
    auto with_draft(Function&& f) {
        occupied const until_done{*this};
        auto const from = source();
        auto const as_used = in_scale(edits_);
        draft whole{from, facts_, edits_, count_, limits_};
        return f(whole);
    }

    /// The first message that steps from `mark` on have changed; 2^64 - 1 for none.
    std::uint64_t first_changed_since(std::size_t mark) const noexcept {
        auto const first = first_changed(facts_, edits_, mark);
        return first ? *first : u64_limit;
    }

    /// Steps from `mark` on stand; the sum was `before`.
    void note_event(std::size_t mark, v1::cost before) noexcept {
        if (edits_.steps().size() == mark) return;
        undo_points_.push_back({mark, facts_.size()});
        edited(first_changed_since(mark), before);
        sent_.change(facts_, edits_, mark);
    }

    void edited(std::uint64_t first, v1::cost before) noexcept {
        anchor_.edited(first, before, anchor_.holds() ? anchored(before) : tokens{});
    }

    static constexpr bool learns = learning_estimator<Estimator>;

    /// What the edits in force come to, by estimates alone, without the frames of messages that are sent in another.
    v1::cost counted_messages() const noexcept {
        return edits_.sums().cost - sent_.joined_frames(facts_, edits_, frame_cost(count_, role::user));
    }
    /// The same with what is known apart.
    v1::cost counted() const noexcept { return counted_messages() + v1::cost::of(limits_.overhead); }
    request_count counted_sums() const noexcept {
        return {.counted = counted_messages(),
                .messages = edits_.sums().messages,
                .overhead = v1::cost::of(limits_.overhead)};
    }
    /// The same as it is expected to be reported, by an estimator that learns.
    tokens expected() const noexcept { return detail::corrected(count_, counted_sums()).tokens(); }
    /// What a sum of all messages counts for by the latest report.
    tokens anchored(v1::cost sum) const noexcept {
        auto const since = facts_.size() - anchor_.messages();
        return anchor_.used(sum, limits_.overhead, [&](v1::cost each) {
            return detail::corrected(count_, {.counted = each, .messages = since}).tokens();
        });
    }

    held_type messages_;
    Mix mix_;
    budget limits_;
    Estimator count_;
    Options options_;
    v1::outline facts_;
    mutable view edits_;  ///< only what was sent is noted by a request
    typename Mix::memory kept_ = {};
    std::vector<std::uint32_t> places_;  ///< in the container, by index, once some were released
    std::vector<undo_point> undo_points_;
    std::vector<abandoned_call> abandoned_;
    std::vector<released_message> released_;
    std::array<layer_report, Mix::size> blank_entries_ = {};
    v1::statistics<Mix::size> statistics_ = {};
    mutable request<message_type> sent_;
    mutable reported_baseline anchor_;
    mutable request_count sent_sum_;  ///< of the latest request; no messages where it was reported, or none was made
    mutable bool busy_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
