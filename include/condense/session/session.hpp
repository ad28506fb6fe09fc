// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/session/session_saving.hpp>

// A conversation that goes on: each turn costs what it adds, what is sent is a view over messages that are
// never rewritten. session.push(m), then session.call(model), or prepare() and request().

namespace condense {
inline namespace v1 {

/// Owns the messages in any container with push_back and random access, or works on the program's by
/// std::ref. Used by one thread at a time; a model that it calls may push.
template <class Messages, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
class session : public detail::session_saving<Messages, Mix, Estimator, Options> {
    using core = detail::session_saving<Messages, Mix, Estimator, Options>;
    using core::abandoned_, core::borrowed, core::count_, core::deferred_, core::edits_, core::undo_points_,
        core::facts_, core::jobs_, core::limits_, core::messages_, core::mix_, core::options_, core::pace_, core::sent_,
        core::source, core::unrecorded_;

public:
    using core::abandon;  // a job
    using typename core::container;
    using typename core::message_type;
    using typename core::report_type;

    /// The messages that are there already are recorded only where the journal does not hold them: they are
    /// those of `history()`, not of `request()`, whose summaries a journal would take for messages.
    session(Messages first, Mix mix, budget limits, Estimator count = {}, Options options = {})
        : core(std::move(first), std::move(mix), limits, std::move(count), std::move(options)) {
        for (auto const& m : messages_.get()) {
            edits_.reserve_message(this->read(m));
            this->reserve();
            messages_.note(m);
            edits_.on_message_placed(facts_, facts_.place());
        }
        this->note_pushed(0);
        edits_.note_sent(options_.sent.count < facts_.size() ? options_.sent.count : facts_.size());
        this->arrive(0, true);
    }

    /// What `run` would do: nothing is asked, kept or changed. Costs a copy of the edits.
    report_type draft() const {
        auto const until_done = deferred_.occupy();
        auto copy = edits_;
        auto const from = source();
        auto const as_used = this->in_scale(copy);
        v1::draft whole{from, facts_, copy, count_, limits_};
        typename Mix::memory none{};
        auto made = detail::run_pipeline(mix_, none, whole, options_, true, detail::run_kind::walk);
        made.before = this->used();
        if (!made.changed()) made.after.source = made.before.source;
        return made;
    }

    report_type draft()
        requires borrowed
    {
        this->catch_up();
        return std::as_const(*this).draft();
    }

    /// The message is never dropped, shortened or moved from now on, as it is sent now; where it is not, it
    /// comes back first, as it was, or is refused for want of room.
    refusal pin(sequence which) {
        if (deferred_.busy()) return refusal::gone;
        this->catch_up();
        if (which.number >= facts_.size()) return refusal::gone;
        auto const index = static_cast<std::uint32_t>(which.number);
        if (!edits_.present(group{facts_.group_of(index)}))
            if (auto const refused = bring_back(which)) return refused;
        facts_.pin(index, true);
        jobs_.touched(facts_.group_of(index));
        pace_.changed();
        return refusal::none;
    }
    void unpin(sequence which) noexcept {
        if (deferred_.busy() || which.number >= facts_.size()) return;
        facts_.pin(static_cast<std::uint32_t>(which.number), false);
        pace_.changed();
    }

    /// No result will come for the calls with this id: they block nothing any more. How many there were.
    std::size_t abandon(std::string_view call) {
        if (deferred_.busy()) return 0;
        this->catch_up();
        abandoned_call noted{std::string{call}, facts_.size()};
        detail::grow(abandoned_, 1);
        auto const found = facts_.abandon(call);
        if (found != 0) {
            abandoned_.push_back(std::move(noted));
            pace_.changed();
        }
        return found;
    }

    /// Takes back what the newest run, or arrival, that changed something did; false when there is none.
    /// Messages pushed since then stay.
    bool undo() {
        if (deferred_.busy()) return false;
        this->catch_up();
        if (undo_points_.empty()) return false;
        jobs_.touched(facts_, edits_, detail::as_size(undo_points_.back().steps));
        this->undo_newest();
        pace_.changed();
        return true;
    }

    /// Destroys originals before `before` that are not sent any more, and says how many. They are in the
    /// journal: while it could not take the latest arrival nothing is released, and after a state was adopted
    /// it is asked first what it holds. What was done before can not be undone or restored any more.
    std::size_t release(sequence before)
        requires detail::erasable<container> && (!borrowed)
    {
        static_assert(recoverable<Mix>,
                      "condense: session.release: the pipeline must be recoverable, with record before what drops (see "
                      "recoverable)");
        if (deferred_.busy()) return 0;
        this->read_journals();
        if (unrecorded_) return 0;
        auto const until_done = deferred_.occupy();
        return this->destroy(this->releasable(before));
    }

    /// Takes in what the program has done to its container: messages behind those known have come, those
    /// from `first_changed` on are others, or from the first that is seen to be. Edits in force before that stay.
    void sync(sequence first_changed)
        requires borrowed
    {
        if (deferred_.busy()) return;
        if (first_changed.number < facts_.size()) {
            auto const seen = messages_.first_difference(true);
            this->rebuild(static_cast<std::uint32_t>(seen < first_changed.number ? seen : first_changed.number));
        }
        this->catch_up();
    }

private:
    refusal bring_back(sequence which) {
        detail::grow(undo_points_, 1);
        detail::transaction all{facts_, edits_};
        auto const mark = edits_.steps().size();
        auto const before = this->counted();
        auto const refused = this->with_draft([&](auto& whole) {
            auto const no = whole.restore(which);
            if (!no) whole.settle_head();
            return no;
        });
        if (refused) return refused;
        this->changed(mark, before);
        sent_.forget();
        all.keep();
        return refusal::none;
    }
};

/// A layer alone is a pipeline of one.
template <class Messages, layer Layer, class Estimator = default_estimator<>, class Options = run_options<>>
session(Messages, Layer, budget, Estimator = {}, Options = {})
    -> session<Messages, pipeline<Layer>, Estimator, Options>;

}  // namespace v1
}  // namespace condense
