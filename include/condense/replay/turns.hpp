// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/core/provider_usage.hpp>
#include <condense/core/report.hpp>
#include <condense/replay/checker.hpp>
#include <condense/replay/edits.hpp>
#include <condense/replay/fidelity_meter.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/mix.hpp>
#include <condense/replay/oracle.hpp>
#include <condense/replay/sent.hpp>
#include <condense/replay/sum.hpp>
#include <condense/replay/told.hpp>

// The turns of a replay: messages are pushed in order. Before each answer the request that it would have answered is
// rendered and measured; its usage is reported to the session as a provider would.

namespace condense {
inline namespace v1 {
namespace detail {

/// Drives one session through one conversation and adds to `out`. All that the constructor takes by reference must
/// outlive this.
template <class Source, class Session, class Options>
class replay_turns {
    using script_type = decltype(Source::script);

public:
    replay_turns(Source const& source, Session& session, replay_shelf shelf, replay_edges const& edges,
                 Options const& options, replay_figures& out)
        : script_{&source.script}, session_{&session}, options_{&options}, edits_{&source.edits}, told_{&source.told},
          oracle_{edges.oracle}, out_{&out}, sent_{source.script},
          meter_{source.script, source.items, std::move(shelf)} {
        oracle_.begin(source.items, source.script.readings(), sent_.current());
        edges.model.begin(sent_.current(), session.limits());
    }
    replay_turns(replay_turns const&) = delete;
    replay_turns& operator=(replay_turns const&) = delete;

    /// Replays the whole conversation; call once.
    void run() {
        std::size_t answer = 0;
        for (std::size_t index = 0; index < script_->size();) {
            auto end = index + 1;
            if (answer < script_->answers().size() && script_->answers()[answer].first == index) {
                end = script_->answers()[answer].past;
                if (index != 0) request_answer(answer);  // a greeting answers no request
                ++answer;
            }
            for (; index < end; ++index) push(index);
            if (unreported_) observe();
        }
        if (options_->laws) judge_history();
    }

private:
    /// Pushes a copy of one message: other mixes need the original as it was.
    void push(std::size_t index) {
        if (options_->laws) checker_.push(script_->reading(index), is_pinned(script_->at(index)));
        auto copy = script_->at(index);
        timed([&] { static_cast<void>(session_->push(std::move(copy))); });
    }

    /// Renders the request before answer number `answer`, adds its figures and judges it.
    void request_answer(std::size_t answer) {
        auto const& [first, end] = script_->answers()[answer];
        auto const runs = session_->statistics().runs;
        bool reduced = false;
        oracle_.turn(answer);
        timed([&] {
            auto const report = session_->prepare();
            reduced = report.changed();
            // Without a new run the outcome of the run before still holds.
            if (session_->statistics().runs != runs) exhausted_ = report.outcome == outcome::exhausted;
            static_cast<void>(session_->request());
        });
        sent_.set_current(session_->request(), session_->history(), [&](auto const& m, std::uint64_t print) {
            if (options_->items) meter_.add_derived(m, print, first);
        });
        v1::cost output;
        for (auto index = first; index < end; ++index) output += script_->cost(index);
        bool const sendable = add_request(first, output.tokens(), reduced);
        if (options_->items) count_needed(answer, sendable);
        if (options_->laws) judge();
    }

    /// Adds where the items and the old texts of edits are that an answer needs.
    void count_needed(std::size_t answer, bool sendable) {
        meter_.set_request(sent_);
        meter_.count_needed(answer, sendable, out_->items);
        for (auto const& edit : edits_->needed(answer)) {
            ++out_->edits;
            out_->edits_visible += sendable && shows_edit(edit, sent_, session_->request()) ? 1u : 0u;
        }
        auto const first = script_->answers()[answer].first;
        told_->count(sent_, session_->request(), first, sendable, told_in_derived_, *out_);
    }

    /// Judges the current request. Originals are passed by index, so that equal messages cannot be mistaken for each
    /// other.
    void judge() {
        entries_.clear();
        for (auto const& sent : sent_.current())
            entries_.push_back({sent.index, sent.index == none32 ? &sent_.reading(sent.derived) : nullptr});
        for (auto const& violation : checker_.judge(entries_))
            add_violation("request " + std::to_string(out_->requests) + ": " + violation);
    }
    /// Requests name originals by their position, so that the checker relies on them: none may have changed in place.
    void judge_history() {
        std::size_t index = 0;
        for (auto const& m : session_->history()) {
            if (index == script_->size() || read_message(m).print != script_->reading(index).print)
                add_violation("original " + std::to_string(index) + " is changed");
            ++index;
        }
        if (index != script_->size())
            add_violation(std::to_string(index) + " originals of " + std::to_string(script_->size()) + " are left");
    }
    /// Counts a violation, and keeps the texts of the first few.
    void add_violation(std::string text) {
        ++out_->violations;
        if (out_->first_violations.size() < violations_shown) out_->first_violations.push_back(std::move(text));
    }

    /// Adds the figures of the current request, and keeps its usage until the answer has been pushed. False if it is
    /// above the input, so that a provider refuses it.
    bool add_request(std::size_t first, tokens output, bool reduced) {
        auto const& limits = session_->limits();
        auto const sent = (sent_.sum() + v1::cost::of(limits.overhead)).tokens();
        // The overhead (system prompt and schemas of tools) stands before the messages, so it is cached too.
        auto const prefix = sent_.prefix_cost() + v1::cost::of(limits.overhead);
        tokens const cached{sent_.first() ? 0 : prefix.steps / v1::cost::per_token};
        bool const hit = !sent_.first() && sent_.prefix_size() == sent_.previous().size();
        ++out_->requests;
        out_->sent = out_->sent + sent;
        out_->cached = out_->cached + cached;
        out_->answered = out_->answered + output;
        if (out_->peak < sent) out_->peak = sent;
        out_->hits += hit ? 1u : 0u;
        // Too large: the fault of the mix, unless nothing more could be removed.
        bool const sendable = sent <= limits.input();
        if (!sendable) ++(exhausted_ ? out_->exhausted : out_->over);
        out_->turns.push_back({.message = first, .sent = sent, .cached = cached, .reduced = reduced});
        usage_ = {.input = sent - cached, .output = output, .cache_read = cached};
        unreported_ = true;
        return sendable;
    }

    /// Reports the usage of the latest request to the session, after its answer as in an agent's loop.
    void observe() {
        timed([&] { session_->observe(usage_); });
        unreported_ = false;
    }

    /// Calls f and adds the time it takes: of the library's work only, without the measurements of the replay.
    template <class Function>
    void timed(Function&& f) {
        auto const begin = options_->clock();
        f();
        out_->time = out_->time + (options_->clock() - begin);
    }

    script_type const* script_;
    Session* session_;
    Options const* options_;
    edit_index const* edits_;
    told_index const* told_;
    std::unordered_map<std::uint64_t, std::vector<bool>> told_in_derived_;
    replay_oracle oracle_;
    replay_figures* out_;
    sent_requests<script_type> sent_;
    fidelity_meter<script_type> meter_;
    request_checker checker_;
    std::vector<request_checker::entry> entries_;
    provider_usage usage_ = {};
    bool unreported_ = false;  ///< the usage of the latest request was not observed yet
    bool exhausted_ = false;  ///< the outcome of the latest run
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
