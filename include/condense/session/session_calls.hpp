// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/llm/model_call.hpp>
#include <condense/session/session_runs.hpp>

// How a session speaks with a model: calls it, learns from what the provider reports, and recovers from an
// overflow, once.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Messages, class Mix, class Estimator, class Options>
class session_calls : public session_runs<Messages, Mix, Estimator, Options> {
    using core = session_runs<Messages, Mix, Estimator, Options>;

protected:
    using core::anchor_, core::count_, core::edits_, core::facts_, core::limits_, core::mix_, core::options_,
        core::sent_, core::sent_sum_, core::source;
    using core::borrowed;
    using core::catch_up, core::on_appended, core::jobs_, core::overflowed_, core::pace_, core::drain_deferred,
        core::tracker_, core::deferred_;

public:
    using core::due, core::prepare, core::used;
    using typename core::message_type;
    using typename core::request_range;

    /// Appends a message, tells the layers that act on arrival, and says whether a reduction is due.
    /// Costs the message. When reading it throws, nothing has changed; what a layer does on arrival
    /// fails as in a run, and the message stays as it came. From within a run it waits for its end.
    bool push(message_type m) {
        if (deferred_.busy()) {
            deferred_.push(std::move(m));
            return false;
        }
        static_cast<void>(append_and_notify(std::move(m)));
        return due();
    }

    /// Makes the messages that edits have changed, where that was not done yet; else costs nothing. What is
    /// observed next is taken to be of the request that was asked for last.
    request_range request() const {
        bool const amid = deferred_.busy();
        auto const until_made = deferred_.occupy();
        sent_.update(source(), facts_, edits_, amid);
        if (!amid) {
            edits_.note_sent(facts_.size());
            anchor_.sending(this->counted(), facts_.size());
            sent_sum_ = this->counted_sums();
        }
        return request_range{*this};
    }
    request_range request()
        requires borrowed
    {
        catch_up();
        return std::as_const(*this).request();
    }

    /// Reduces if that is due, calls the model with the request, and pushes its answer. Where the provider
    /// refuses the request as too large it is reduced further and sent once more, if nothing was
    /// shown yet and it is strictly smaller. Any other failure is the caller's as it came; exceptions pass.
    /// `show` is called with each piece that a streaming model shows.
    template <class Model, class Show>
    call_result<message_type> call(Model&& model, Show&& show) {
        auto* shown = address_of(show);  // also of a function
        auto const to = [](void* of, std::string_view piece) { (**static_cast<decltype(shown)*>(of))(piece); };
        return call_with(model, delivery{to, &shown});
    }
    template <class Model>
    call_result<message_type> call(Model&& model) {
        return call_with(model, delivery{nullptr, nullptr});
    }

    /// What the provider reported for the latest request: sums are corrected by it until an edit changes
    /// what it stood for. One that reports nothing is noted as such.
    void observe(provider_usage const& told, instant took = {}) {
        note_usage(told, took);
        if (!told.reported()) tell(options_.observer, events::usage_missing{tracker_.turns});
    }

    /// For a program that calls the model itself: what an error means, and where it is an overflow a forced
    /// reduction. `delivered`: something of an answer was shown. A limit below the window is learnt.
    recover_outcome recover(provider_error const& error, bool delivered = false) {
        return recover(error, delivered, false);
    }

    /// The model has changed: what a request may hold.
    void set_limits(budget limits) noexcept {
        anchor_.overhead(limits_.overhead, limits.overhead);
        limits_ = limits;
        pace_.changed();
    }
    budget const& limits() const noexcept { return limits_; }
    /// Another model, by name: what was reported by the one before says nothing of it, and an estimator that learns
    /// begins anew.
    void set_model(std::string_view name, budget limits) noexcept {
        set_limits(limits);
        anchor_.forget();
        sent_sum_ = {};
        if constexpr (requires { count_.use_model(name); }) count_.use_model(name);
    }
    /// With what it has learnt.
    Estimator const& estimator() const noexcept { return count_; }

    turn_tracker const& turns() const noexcept { return tracker_; }
    std::optional<std::uint64_t> turns_left() const noexcept { return tracker_.turns_left(used()); }
    /// The least use at which a layer with a limit in tokens is due; 0 for none. Layers that are due at any do not
    /// count.
    tokens threshold() const noexcept {
        auto now = usage{.input = limits_.input(), .cached = used().cached};
        auto const always = mix_.due_layers(now);
        auto const due_at = [&](std::uint64_t count) {
            return now.tokens = {count}, (mix_.due_layers(now) & ~always) != 0;
        };
        if (!due_at(now.input.count)) return {};
        std::uint64_t below = 0;
        auto at = now.input.count;
        while (at - below > 1) (due_at(below + (at - below) / 2) ? at : below) = below + (at - below) / 2;
        return {at};
    }
    /// Why a reduction that is due does not run by itself, and why the latest one left it due; empty where none waits.
    /// Layers that are due at any use do not count.
    std::string waits() const {
        auto const now = used();
        auto const always = mix_.due_layers({.input = limits_.input(), .cached = now.cached});
        auto const due_now = mix_.due_layers(now) & ~always;
        if (due_now == 0 || deferred_.busy() || !limits_.is_possible()) return {};
        auto why = pace_
                       .pause_of(options_.pacing, now, due_now, due_now & this->due_by_count(now),
                                 [&] { return this->reducible(); })
                       .text();
        if (why.empty()) return why;
        if (!pace_.cause.empty()) why.append(" (").append(std::string_view{pace_.cause}).append(")");
        if (jobs_.under_way()) why += "; a summary is under way";
        return why;
    }
    /// One line for display.
    std::string status() const { return usage_line(used(), threshold(), turns_left(), waits()); }

protected:
    using core::core;

private:
    /// Whatever has come since, the second attempt is the last.
    recover_outcome recover(provider_error const& error, bool delivered, bool again) {
        auto const found = overflow_of(error.status, error.text);
        if (!found) return recover_outcome::not_overflow;
        if (delivered) return recover_outcome::delivered;
        if (deferred_.busy()) return recover_outcome::exhausted;
        catch_up();
        if (std::exchange(overflowed_, true) || again) return recover_outcome::repeated;
        tell(options_.observer, events::overflow{found->limit, found->requested});
        return shrink(*found) ? recover_outcome::retry : recover_outcome::exhausted;
    }

    void note_usage(provider_usage const& told, instant took) noexcept {
        tracker_.add(told, took, {.input = this->expected()});
        edits_.note_cached(told.cache_read);
        if (!told.reported()) return;
        anchor_.observe(told.request());
        if constexpr (core::learns)
            if (sent_sum_.messages != 0) count_.observe(sent_sum_, told.request());
        sent_sum_ = {};
        overflowed_ = false;
    }

    template <class Model>
    call_result<message_type> call_with(Model& model, delivery sink) {
        call_result<message_type> result;
        if (deferred_.busy()) {
            result.error.text = "condense: call: the session must not be in a run (see call_result)";
            return result;
        }
        result.reduction = prepare().outcome;
        if (!used().fits() || !limits_.is_possible()) {
            result.outcome = call_outcome::too_large;
            if (!limits_.is_possible()) result.error.text = budget_refused;
            return result;
        }
        while (true) {
            bool const again = ++result.attempts > 1;
            auto const began = options_.clock();
            auto given = ask(model, sink, again);
            if (given.message) {
                note_usage(given.usage, options_.clock() - began);  // of what was sent: without the answer
                events::usage_missing const missing{tracker_.turns};
                auto const index = append_and_notify(std::move(*given.message));
                if (!given.usage.reported()) tell(options_.observer, missing);
                result.answer = address_of(source()[index]);
                result.outcome = call_outcome::answered;
                result.error = {};
                return result;
            }
            result.error = std::move(given.error);
            auto const next = recover(result.error, sink.delivered(), again);
            if (next == recover_outcome::retry) continue;
            result.outcome = next == recover_outcome::not_overflow ? call_outcome::failed : call_outcome::overflow;
            if (!result.error) result.error.text = "the model gave neither a message nor an error";
            return result;
        }
    }

    /// Appends a message, with what is done on arrival, and what waited; gives its index.
    std::uint32_t append_and_notify(message_type&& m) {
        catch_up();
        auto const index = this->append(std::move(m));
        on_appended(index);
        drain_deferred();
        return index;
    }

    /// Calls the model; of what it throws only an overflow that can be helped is taken for its reply.
    template <class Model>
    reply<message_type> ask(Model& model, delivery& sink, [[maybe_unused]] bool again) {
        auto const sent = request();
#if defined(__cpp_exceptions)
        try {
            return ask_model<message_type>(model, sent, sink);
        } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
            if (options_.stop.stop_requested() || wraps_cancellation(problem)) throw;
            if (again || overflowed_ || sink.delivered() || !overflow_of(0, problem.what())) throw;
            return {.error = {.status = 0, .text = problem.what() }};
        }
#else
        return ask_model<message_type>(model, sent, sink);
#endif
    }

    static constexpr std::uint64_t least_window = 256;  // tokens; what names less is not believed

    /// After an overflow: learns what it names, and reduces under pressure. True when the request is smaller.
    bool shrink(overflow const& told) {
        auto const before = this->counted();
        if (told.limit.count >= least_window && told.limit < limits_.window) {
            limits_.output = {share_of(limits_.output.count, told.limit.count, limits_.window.count)};
            limits_.window = told.limit;
        }
        bool const measured = told.requested.count != 0 && anchor_.observe(told.requested);
        auto const now = used().tokens;
        tokens target{scale_down(limits_.input().count, 8, 10)};
        // Without a figure, or with one that explains nothing, the count may be wrong by more than two.
        if (!measured || target >= now)
            target = {scale_down(now < limits_.input() ? now.count : limits_.input().count, 4, 10)};
        pace_.changed();
        static_cast<void>(this->run({.forced = true, .target = target}, true));
        return this->counted() < before;
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
