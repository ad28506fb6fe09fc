// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <condense/core/report.hpp>
#include <condense/llm/provider_usage.hpp>
#include <condense/replay/checker.hpp>
#include <condense/replay/fidelity_meter.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/sent.hpp>
#include <condense/replay/sum.hpp>

// The turns of a replay: messages are pushed in order, and before each answer the request is made that it
// would have been given to, measured, and reported to the session as a provider would.

namespace condense {
inline namespace v1 {
namespace detail {

template <class Material, class Session, class Options>
class replay_turns {
    using script_type = decltype(Material::script);

public:
    replay_turns(Material const& material, Session& session, replay_shelf shelf, Options const& how,
                 replay_figures& out)
        : script_{&material.script}, session_{&session}, how_{&how}, out_{&out}, sent_{material.script},
          meter_{material.script, material.items, std::move(shelf)} {}

    void all() {
        std::size_t answer = 0;
        for (std::size_t at = 0; at < script_->size();) {
            auto past = at + 1;
            if (answer < script_->answers().size() && script_->answers()[answer].first == at) {
                past = script_->answers()[answer].past;
                if (at != 0) ask(answer);  // a greeting answers no request
                ++answer;
            }
            for (; at < past; ++at) push(at);
            if (waiting_) observe();
        }
        if (how_->laws) judge_history();
    }

private:
    void push(std::size_t at) {
        if (how_->laws) checker_.push(script_->reading(at), is_pinned(script_->at(at)));
        auto copy = script_->at(at);
        timed([&] { static_cast<void>(session_->push(std::move(copy))); });
    }

    void ask(std::size_t answer) {
        auto const& [first, past] = script_->answers()[answer];
        auto const runs = session_->statistics().runs;
        bool reduced = false;
        timed([&] {
            auto const made = session_->prepare();
            reduced = made.changed();
            if (session_->statistics().runs != runs) exhausted_ = made.outcome == outcome::exhausted;
            static_cast<void>(session_->request());
        });
        sent_.take(session_->request(), session_->history(), [&](auto const& m, std::uint64_t print) {
            if (how_->items) meter_.made(m, print);
        });
        v1::cost output;
        for (auto at = first; at < past; ++at) output += script_->cost(at);
        note(first, output.tokens(), reduced);
        if (how_->items) {
            meter_.sent(sent_);
            meter_.answered(answer, out_->items);
        }
        if (how_->laws) judge();
    }

    void judge() {
        given_.clear();
        for (auto const& one : sent_.now())
            given_.push_back({one.index, one.index == none32 ? &sent_.made(one.made) : nullptr});
        for (auto const& broken : checker_.judge(given_))
            found("request " + std::to_string(out_->requests) + ": " + broken);
    }
    /// An original is known by its place: none of them has changed there.
    void judge_history() {
        std::size_t at = 0;
        for (auto const& m : session_->history()) {
            if (at == script_->size() || read_message(m).print != script_->reading(at).print)
                found("original " + std::to_string(at) + " is changed");
            ++at;
        }
        if (at != script_->size())
            found(std::to_string(at) + " originals of " + std::to_string(script_->size()) + " are left");
    }
    void found(std::string what) {
        ++out_->violations;
        if (out_->first_violations.size() < violations_shown) out_->first_violations.push_back(std::move(what));
    }

    void note(std::size_t first, tokens output, bool reduced) {
        auto const& limits = session_->limits();
        auto const sent = (sent_.sum() + v1::cost::of(limits.overhead)).tokens();
        auto const kept = sent_.shared_cost() + v1::cost::of(limits.overhead);
        tokens const cached{sent_.first() ? 0 : kept.steps / v1::cost::per_token};
        bool const hit = !sent_.first() && sent_.shared() == sent_.before().size();
        ++out_->requests;
        out_->sent = out_->sent + sent;
        out_->cached = out_->cached + cached;
        out_->answered = out_->answered + output;
        if (out_->peak < sent) out_->peak = sent;
        out_->hits += hit ? 1u : 0u;
        if (sent > limits.input()) ++(exhausted_ ? out_->exhausted : out_->over);
        out_->turns.push_back({.message = first, .sent = sent, .cached = cached, .reduced = reduced});
        told_ = {.input = sent - cached, .output = output, .cache_read = cached};
        waiting_ = true;
    }

    void observe() {
        timed([&] { session_->observe(told_); });
        waiting_ = false;
    }

    template <class Function>
    void timed(Function&& f) {
        auto const begin = how_->clock();
        f();
        out_->time = out_->time + (how_->clock() - begin);
    }

    script_type const* script_;
    Session* session_;
    Options const* how_;
    replay_figures* out_;
    sent_requests<script_type> sent_;
    fidelity_meter<script_type> meter_;
    request_checker checker_;
    std::vector<request_checker::given> given_;
    provider_usage told_ = {};
    bool waiting_ = false;    ///< what was sent is not observed yet
    bool exhausted_ = false;  ///< said by the latest run
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
