// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/reduce.hpp>
#include <condense/core/request.hpp>
#include <condense/core/statistics.hpp>
#include <condense/detail/grow.hpp>

// A conversation that goes on: each turn costs what it adds, and what is sent is a view over
// messages that are never rewritten.

namespace condense {
inline namespace v1 {

/// Owns the messages in any container with push_back and random access. Used by one thread at a time;
/// a model that it calls may push.
template <detail::history Messages, class Mix, token_estimator Estimator = default_estimator<>, class Options = run_options<>>
class session {
    using source_type = detail::originals<Messages>;

public:
    using message_type = detail::element_of<Messages const>;
    using report_type = report<Mix::size>;
    static_assert(v1::message<message_type>,
                  "condense: session: the elements of the container must be messages: give message_traits role_of and each_part (see message)");
    static_assert(std::random_access_iterator<decltype(detail::begin_and_end::first(std::declval<Messages const&>()))>,
                  "condense: session: the container must have random access, such as std::vector (see session)");

    /// The messages that are there already are recorded only where the journal does not hold them: they are
    /// those of `history()`, not of `request()`, whose summaries a journal would take for messages.
    session(Messages first, Mix mix, budget limits, Estimator count = {}, Options options = {})
        : messages_(std::move(first)), mix_(std::move(mix)), limits_{limits}, count_(std::move(count)), options_(std::move(options)) {
        mix_.name_entries(idle_.data());
        for (auto const& m : messages_) {
            edits_.reserve_message(read(m));
            edits_.follow(facts_, facts_.place());
        }
        edits_.note_sent(options_.sent.count < facts_.size() ? options_.sent.count : facts_.size());
        arrive(0, true);
    }
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    /// Appends a message, tells the layers that act on arrival, and says whether a reduction is due.
    /// Costs the message. When reading it throws, nothing has changed; what a layer does on arrival
    /// fails as in a run, and the message stays as it came. From within a run it waits for its end.
    bool push(message_type m) {
        if (busy_) {
            waiting_.push_back(std::move(m));
            return false;
        }
        take_waiting();
        arrive(append(std::move(m)), false);
        take_waiting();
        return due();
    }

    /// Some layer has something to do. A few comparisons: no allocation, whatever the length.
    bool due() const noexcept { return mix_.due(used()); }

    /// Runs the pipeline where it is due; else reports the usage and changes nothing.
    report_type prepare() {
        take_waiting();
        return due() && !busy_ ? run() : unchanged();
    }

    /// Runs the pipeline now.
    report_type run() {
        if (busy_) return unchanged();
        take_waiting();
        detail::grow(events_, 1);
        on_failure whatever_happens{this};
        detail::transaction all{facts_, edits_};
        auto const mark = edits_.steps().size();
        auto const made = running([&](auto& whole) { return detail::run_pipeline(mix_, kept_, whole, options_, false, detail::run_kind::session); });
        statistics_.add(made.layers);
        ++statistics_.runs;
        statistics_.changed += made.changed() ? 1u : 0u;
        note_event(mark);
        all.keep();
        whatever_happens.of = nullptr;
        take_waiting();
        return made;
    }

    /// Takes back what the newest run, or arrival, that changed something did; false when there is none.
    /// Messages pushed since then stay.
    bool undo() {
        if (events_.empty() || busy_) return false;
        edits_.reserve_message(0);  // then nothing below fails
        edits_.take_back(facts_, events_.back().steps);
        edits_.follow_again(facts_, events_.back().messages);
        events_.pop_back();
        settle();
        return true;
    }

    /// Destroys originals before `before` that are not sent any more, and says how many. They are in the
    /// journal: while it could not take the latest arrival, nothing is released. What was done before can
    /// not be undone or restored any more.
    std::size_t release(sequence before)
        requires detail::erasable<Messages>
    {
        static_assert(recoverable<Mix>,
                      "condense: session.release: the pipeline must be recoverable, with record before what drops (see recoverable)");
        if (busy_ || unrecorded_) return 0;
        auto places = std::vector<std::uint32_t>(facts_.size(), detail::none32);
        // A call without a result may get a late one, and is sent again then.
        auto stays = std::vector<bool>(facts_.size());
        for (auto const column : facts_.dead_calls())
            if (facts_.unanswerable(facts_.part_at(column))) stays[facts_.group_of(facts_.part_at(column).message_index)] = true;
        auto const gone = [&](std::uint32_t index) { return !edits_.present(facts_, group{facts_.group_of(index)}); };
        auto const goes = [&](std::uint32_t index) {
            return index < before.number && gone(index) && !stays[facts_.group_of(index)];
        };
        // What may come back needs the turn that it belongs to before it.
        for (std::uint32_t index = 0, turn = detail::none32; index < facts_.size(); ++index) {
            if (facts_.message_at(index).released) continue;
            auto const slot = facts_.group_of(index);
            if (facts_.message_at(index).plain_user && facts_.group_at(slot).first == index) turn = slot;
            if (turn != detail::none32 && gone(index) && !goes(index)) stays[turn] = true;
        }
        std::uint32_t kept = 0;
        auto to = detail::begin_and_end::first(messages_);
        auto from = to;
        for (std::uint32_t index = 0; index < facts_.size(); ++index) {
            if (facts_.message_at(index).released) continue;
            if (goes(index)) facts_.release(index);
            else {
                places[index] = kept++;
                if (to != from) *to = std::move(*from);
                ++to;
            }
            ++from;
        }
        auto const released = static_cast<std::size_t>(from - to);
        messages_.erase(to, from);
        places_.swap(places);
        events_.clear();
        return released;
    }

    usage used() const noexcept {
        return {.tokens = (edits_.sums().cost + cost::of(limits_.overhead)).tokens(),
                .input = limits_.input(),
                .messages = {edits_.sums().messages},
                .turns = {edits_.sums().turns}};
    }

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
            iterator(session const& from, std::size_t at) noexcept : from_{detail::address_of(from)}, at_{at} {}
            message_type const& operator*() const { return from_->sent_.at(from_->source(), at_); }
            message_type const* operator->() const { return detail::address_of(**this); }
            iterator& operator++() noexcept {
                ++at_;
                return *this;
            }
            iterator operator++(int) noexcept { return {*from_, at_++}; }
            friend bool operator==(iterator const& left, iterator const& right) noexcept { return left.at_ == right.at_; }

        private:
            session const* from_ = nullptr;
            std::size_t at_ = 0;
        };

        explicit request_range(session const& from) noexcept : from_{detail::address_of(from)} {}
        iterator begin() const noexcept { return {*from_, 0}; }
        iterator end() const noexcept { return {*from_, size()}; }
        std::size_t size() const noexcept { return from_->sent_.size(); }

    private:
        session const* from_;
    };
    /// Makes the messages that edits have changed, where that was not done yet; else costs nothing.
    request_range request() const {
        sent_.update(source(), facts_, edits_, busy_);
        if (!busy_) edits_.note_sent(facts_.size());
        return request_range{*this};
    }

    /// What the layers have come to, over all runs and arrivals.
    v1::statistics<Mix::size> const& statistics() const noexcept { return statistics_; }

    /// The originals, untouched, but for those released.
    Messages const& history() const noexcept { return messages_; }
    v1::outline const& outline() const noexcept { return facts_; }
    view const& edits() const noexcept { return edits_; }

private:
    /// A run or an arrival that can be undone: how many steps, and messages, there were.
    struct event {
        std::size_t steps = 0;
        std::size_t messages = 0;
    };

    source_type source() const noexcept { return {detail::address_of(messages_), detail::address_of(places_)}; }

    std::size_t read(message_type const& m) {
        return facts_.read(m, count_, {.pinned = detail::pins(options_, sequence{facts_.size()}, m)});
    }

    /// Takes the message in and gives its index; when that fails, the message is not moved from.
    std::uint32_t append(message_type&& m) {
        edits_.reserve_message(read(m));
        sent_.reserve_message();
        detail::grow(events_, 1);
        if (!places_.empty()) detail::grow(places_, 1);
        messages_.push_back(std::move(m));
        auto const index = static_cast<std::uint32_t>(facts_.size());
        auto const place = static_cast<std::uint32_t>(static_cast<std::size_t>(
            detail::begin_and_end::past(messages_) - detail::begin_and_end::first(messages_)) - 1);
        if (!places_.empty()) places_.push_back(place);
        auto const mark = edits_.steps().size();
        edits_.follow(facts_, facts_.place());
        sent_.add(index);
        if (edits_.steps().size() != mark) settle();  // it brought others back
        return index;
    }

    /// Tells the layers of the messages from `first` on.
    void arrive(std::uint32_t first, bool resumes) {
        if constexpr (Mix::acts_on_arrival) {
            if (first == facts_.size()) return;
            detail::grow(events_, 1);
            on_failure whatever_happens{this};
            detail::transaction all{facts_, edits_};
            auto entries = idle_;
            auto const mark = edits_.steps().size();
            running([&](auto& whole) {
                detail::run<std::remove_reference_t<decltype(whole)>, Options> shared{
                    .draft = whole, .options = options_, .entries = entries.data(), .begun = mark, .resumes = resumes};
                unrecorded_ = true;  // until it is known
                for (auto index = first; index < facts_.size(); ++index)
                    mix_.template arrive_all<false, false>(shared, sequence{index}, 0, kept_);
                unrecorded_ = shared.unrecorded;
            });
            statistics_.add(entries);
            note_event(mark);
            all.keep();
            whatever_happens.of = nullptr;
        }
    }

    /// After steps that no layer made a request begins as it has to.
    void settle() {
        auto const from = source();
        draft whole{from, facts_, edits_, count_, limits_};
        whole.settle_head();
        sent_.forget();
    }

    template <class Function>
    auto running(Function&& f) {
        struct busy {
            bool* flag;
            explicit busy(bool& on) noexcept : flag{detail::address_of(on)} { on = true; }
            busy(busy const&) = delete;
            busy& operator=(busy const&) = delete;
            ~busy() { *flag = false; }
        } const until_done{busy_};
        auto const from = source();
        draft whole{from, facts_, edits_, count_, limits_};
        return f(whole);
    }

    void note_event(std::size_t mark) noexcept {
        if (edits_.steps().size() == mark) return;
        events_.push_back({mark, facts_.size()});
        sent_.change(facts_, edits_, mark);
    }

    /// What was pushed meanwhile is there also when a run is left by an exception, after its edits are gone.
    struct on_failure {
        session* of;
        ~on_failure() {
            if (of != nullptr) of->keep_waiting();
        }
    };
    /// Layers see these messages when they next run; what does not fit into memory waits for the next call.
    void keep_waiting() noexcept {
#if defined(__cpp_exceptions)
        try {
            for (; taken_ < waiting_.size(); ++taken_) append(std::move(waiting_[taken_]));
        } catch (...) {
            return;
        }
        waiting_.clear();
        taken_ = 0;
        unrecorded_ = true;
#endif
    }

    /// Appends what was pushed during a run or an arrival. One that fails stays with those behind it; what
    /// an arrival here pushes is in as well, but seen by layers when they next run, so that this ends.
    void take_waiting() {
        if (busy_) return;
        for (auto const told = waiting_.size(); taken_ < waiting_.size();) {
            auto const index = append(std::move(waiting_[taken_]));
            if (taken_++ < told) arrive(index, false);
            else unrecorded_ = true;
        }
        waiting_.clear();
        taken_ = 0;
    }

    report_type unchanged() const noexcept {
        report_type idle;
        idle.layers = idle_;
        idle.before = idle.after = used();
        for (auto& layer : idle.layers) layer.before = idle.before.tokens;
        idle.limit = idle.before.input;
        idle.outcome = idle.after.fits() ? outcome::fits : outcome::over;
        return idle;
    }

    Messages messages_;
    Mix mix_;
    budget limits_;
    Estimator count_;
    Options options_;
    v1::outline facts_;
    mutable view edits_;  ///< only what was sent is noted by `request`
    typename Mix::memory kept_ = {};
    std::vector<std::uint32_t> places_;   ///< in messages_, by index, once some were released
    std::vector<event> events_;
    std::vector<message_type> waiting_;   ///< pushed during a run
    std::size_t taken_ = 0;               ///< of those, how many are in
    std::array<layer_report, Mix::size> idle_ = {};
    v1::statistics<Mix::size> statistics_ = {};
    mutable detail::request<message_type> sent_;
    bool busy_ = false;
    bool unrecorded_ = false;  ///< no journal has taken the latest arrival
};

}  // namespace v1
}  // namespace condense
