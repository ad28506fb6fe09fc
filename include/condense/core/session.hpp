// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <condense/core/reduction.hpp>

// A conversation that goes on: each turn costs what it adds, and what is sent is a view over
// messages that are never rewritten.

namespace condense {
inline namespace v1 {

/// Owns the messages in any container with push_back and random access. Used by one thread at a time.
template <detail::history Messages, class Mix, token_estimator Estimator = default_estimator<>, class Options = run_options<>>
class session {
    using source_type = detail::source<Messages const>;

public:
    using message_type = typename source_type::message_type;
    using report_type = report<Mix::size>;
    static_assert(v1::message<message_type>,
                  "condense: session: the elements of the container must be messages: give message_traits role_of and each_part (see message)");

    session(Messages first, Mix mix, budget limits, Estimator count = {}, Options options = {})
        : mix_{std::move(mix)}, limits_{limits}, count_{std::move(count)}, options_{std::move(options)} {
        for (auto& m : first) push(std::move(m));
    }
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    /// Appends a message, tells the layers that act on arrival, and says whether a reduction is due.
    /// Costs the message. When reading or storing it throws, nothing has changed; what a layer does on
    /// arrival fails as in a run, and the message stays as it came.
    bool push(message_type m) {
        edits_.reserve_message(facts_.read(m, count_));
        detail::call_index::grow(sent_.places, 1);
        messages_.push_back(std::move(m));
        auto const mark = edits_.steps().size();
        edits_.follow(facts_, facts_.place());
        auto const index = static_cast<std::uint32_t>(facts_.size() - 1);
        sent_.places.push_back({index});
        stale_ = stale_ || edits_.steps().size() != mark;
        arrive(index);
        return due();
    }

    /// Some layer has something to do. A few comparisons: no allocation, whatever the length.
    bool due() const noexcept { return mix_.due(used()); }

    /// Runs the pipeline where it is due; else reports the usage and changes nothing.
    report_type prepare() {
        if (due()) return run();
        report_type idle;
        mix_.name_entries(idle.layers.data());
        idle.before = idle.after = used();
        for (auto& layer : idle.layers) layer.before = idle.before.tokens;
        idle.limit = idle.before.input;
        idle.outcome = idle.after.fits() ? outcome::fits : outcome::over;
        return idle;
    }

    /// Runs the pipeline now.
    report_type run() {
        detail::transaction all{facts_, edits_};
        source_type const source{messages_};
        draft whole{source, facts_, edits_, count_, limits_};
        auto const made = detail::run_pipeline(mix_, kept_, whole, options_, false, false);
        if (made.changed() || stale_) publish();
        all.keep();
        return made;
    }

    usage used() const noexcept {
        return {.tokens = (edits_.sums().cost + cost::of(limits_.overhead)).tokens(),
                .input = limits_.input(),
                .messages = {edits_.sums().messages},
                .turns = {edits_.sums().turns}};
    }

    /// The messages to send, in order: f(message const&) for each. Edits made on arrival take effect here.
    template <class Function>
    void each_request(Function&& f) const {
        if (stale_) publish();
        for (auto const& entry : sent_.places) {
            if (entry.made == detail::none32) f(original(entry.index));
            else f(sent_.made[entry.made]);
        }
    }

    /// The originals, untouched.
    Messages const& history() const noexcept { return messages_; }
    v1::outline const& outline() const noexcept { return facts_; }
    view const& edits() const noexcept { return edits_; }

private:
    /// What is sent: originals by index, and the messages that edits made.
    struct request {
        struct place {
            std::uint32_t index = 0;
            std::uint32_t made = detail::none32;
        };
        std::vector<place> places;
        std::vector<message_type> made;

        void add(message_type m) {
            places.push_back({0, static_cast<std::uint32_t>(made.size())});
            made.push_back(std::move(m));
        }
    };

    void arrive(std::uint32_t index) {
        if constexpr (Mix::acts_on_arrival) {
            detail::transaction all{facts_, edits_};
            source_type const source{messages_};
            draft whole{source, facts_, edits_, count_, limits_};
            report_type made;
            detail::run<decltype(whole), Options> shared{
                .draft = whole, .options = options_, .entries = made.layers.data()};
            auto const mark = whole.mark();
            mix_.template arrive_all<false, false>(shared, sequence{index}, 0, kept_);
            all.keep();
            stale_ = stale_ || whole.mark() != mark;
        }
    }

    /// Makes the request anew and swaps it in.
    void publish() const {
        request next;
        next.places.reserve(facts_.size() + 1);
        auto const kept = [&](std::uint32_t index) { next.places.push_back({index}); };
        auto const changed = [&](std::uint32_t index) {
            next.add(detail::render<message_type>(original(index), facts_, edits_, index, false));
        };
        auto const summary = [&](group which) {
            if constexpr (composable<message_type>)
                next.add(detail::render_summary<message_type>(edits_, which, false));
        };
        detail::each_place(facts_, edits_, kept, changed, summary);
        std::swap(sent_, next);
        stale_ = false;
    }

    decltype(auto) original(std::uint32_t index) const { return source_type{messages_}[index]; }

    Messages messages_ = {};
    Mix mix_;
    budget limits_;
    Estimator count_;
    Options options_;
    v1::outline facts_;
    view edits_;
    typename Mix::memory kept_ = {};
    mutable request sent_;
    mutable bool stale_ = false;  ///< edits have changed since the request was made
};

}  // namespace v1
}  // namespace condense
