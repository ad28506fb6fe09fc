// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/session.hpp>
#include <condense/replay/mix.hpp>
#include <condense/replay/sent.hpp>
#include <condense/replay/sum.hpp>
#include <condense/replay/transcript.hpp>

// One mix on one conversation, turn by turn, as an agent would have sent it:
// replay_one(messages, "ticket 12", {.window = 32'000_tokens}, prices{}, named{"window", pipeline{sliding_window{}}}).

namespace condense {
inline namespace v1 {

/// How to measure. The clock times the library's own work.
template <token_estimator Estimator = default_estimator<>, class Clock = steady_clock>
struct replay_options {
    Estimator estimator = {};
    Clock clock = {};
};

namespace detail {

template <class Options>
inline constexpr bool is_replay_options = false;
template <class Estimator, class Clock>
inline constexpr bool is_replay_options<replay_options<Estimator, Clock>> = true;

template <class Script, class Session, class Clock>
class replay_turns {
public:
    replay_turns(Script const& script, Session& session, prices asked, Clock const& clock, replay_figures& out)
        : script_{&script}, session_{&session}, prices_{asked}, clock_{&clock}, out_{&out}, sent_{script} {}

    void all() {
        auto answer = script_->answers().begin();
        for (std::size_t at = 0; at < script_->size();) {
            auto past = at + 1;
            if (answer != script_->answers().end() && answer->first == at) {
                past = answer->past;
                ++answer;
                if (at != 0) ask(at, past);  // a greeting answers no request
            }
            for (; at < past; ++at) timed([&] { static_cast<void>(session_->push(script_->at(at))); });
            if (waiting_) observe();
        }
    }

private:
    void ask(std::size_t first, std::size_t past) {
        auto const runs = session_->statistics().runs;
        bool reduced = false;
        timed([&] {
            auto const made = session_->prepare();
            reduced = made.changed();
            if (session_->statistics().runs != runs) exhausted_ = made.outcome == outcome::exhausted;
        });
        timed([&] { static_cast<void>(session_->request()); });
        auto const request = std::as_const(*session_).request();
        sent_.take(request, session_->history(), [](auto&&...) {});
        v1::cost output;
        for (auto at = first; at < past; ++at) output += script_->cost(at);
        note(first, output.tokens(), reduced);
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
        auto const begin = (*clock_)();
        f();
        out_->time = out_->time + ((*clock_)() - begin);
    }

    Script const* script_;
    Session* session_;
    prices prices_;
    Clock const* clock_;
    replay_figures* out_;
    sent_requests<Script> sent_;
    provider_usage told_ = {};
    bool waiting_ = false;
    bool exhausted_ = false;  ///< said by the latest run
};

/// What the layers have come to, and what all of it costs.
template <class Session>
void close_figures(replay_figures& out, Session const& session, replay_model_figures const& asked, prices const& each) {
    std::uint64_t calls = 0;
    for (auto const& layer : session.statistics().layers) {
        if (layer.name.empty()) continue;
        out.layers.push_back(layer);
        calls = add_capped(calls, layer.asked);
    }
    out.reductions = session.statistics().changed;
    out.model_calls = asked.calls != 0 ? asked.calls : calls;  // a model of the program's own is known by the layers alone
    out.model_input = asked.input;
    out.model_output = asked.output;
    auto const written = each.input < each.written ? each.written : each.input;
    for (auto const part : {cost_of(out.cached, each.cached), cost_of(out.sent - out.cached, written), cost_of(out.answered, each.output),
                            cost_of(asked.input, each.input), cost_of(asked.output, each.output)})
        out.money = add_capped(out.money, part);
}

template <class Script, class Mix, class Clock>
replay_figures replay_script_with(Script const& script, std::string_view name, budget limits, prices const& each, Clock const& clock,
                                  named<Mix> const& with) {
    using message_type = std::remove_cvref_t<decltype(script.at(0))>;
    static_assert(std::copy_constructible<message_type>,
                  "condense: replay_one: the messages must be copyable, each mix gets its own (see transcript)");
    replay_figures out{.mix = with.name, .conversation = std::string{name}};
    replay_edges edges{.model = replay_model{[&](std::string_view text) { return script.estimator()(text).tokens(); }}};
    auto mix = mix_for(with.mix, edges);
    run_options<Clock> options{.clock = clock};
    options.conversation = out.conversation;
    session agent{std::vector<message_type>{}, std::move(mix), limits, script.estimator(), std::move(options)};
    replay_turns<Script, decltype(agent), Clock>{script, agent, each, clock, out}.all();
    close_figures(out, agent, edges.model.figures(), each);
    return out;
}

}  // namespace detail

/// The figures of one mix on one conversation. `told` is any container of messages; nothing in it changes.
template <class Messages, class Mix, token_estimator Estimator = default_estimator<>, class Clock = steady_clock>
replay_figures replay_one(Messages const& told, std::string_view name, budget limits, prices const& each, named<Mix> const& with,
                          replay_options<Estimator, Clock> const& options = {}) {
    using message_type = detail::message_in<Messages>;
    detail::replay_script<message_type, Estimator> const script{told, options.estimator};
    return detail::replay_script_with(script, name, limits, each, options.clock, with);
}

/// The figures of several mixes on one conversation, which is read once for all of them.
template <class Messages, token_estimator Estimator, class Clock, class... Mixes>
std::vector<replay_figures> replay_each(Messages const& told, std::string_view name, budget limits, prices const& each,
                                        replay_options<Estimator, Clock> const& options, named<Mixes> const&... with) {
    using message_type = detail::message_in<Messages>;
    detail::replay_script<message_type, Estimator> const script{told, options.estimator};
    std::vector<replay_figures> all;
    (all.push_back(detail::replay_script_with(script, name, limits, each, options.clock, with)), ...);
    return all;
}

}  // namespace v1
}  // namespace condense
