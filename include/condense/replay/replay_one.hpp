// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/replay/mix.hpp>
#include <condense/replay/sum.hpp>
#include <condense/replay/transcript.hpp>
#include <condense/replay/turns.hpp>
#include <condense/session/session.hpp>

// Replays one mix on one conversation, turn by turn, as an agent would have sent it:
// replay_one(messages, "ticket 12", {.window = 32'000_tokens}, prices{}, named{"window", pipeline{sliding_window{}}}).

namespace condense {
inline namespace v1 {

/// Options of the measurement. The clock times the library's own work.
template <token_estimator Estimator = default_estimator<>, class Clock = steady_clock>
struct replay_options {
    Estimator estimator = {};
    Clock clock = {};
    bool items = true;  ///< where items that answers need are
    bool laws = true;   ///< judge every request
};

/// A conversation that several mixes are replayed on, read once for all of them. Refers to the messages, which must
/// outlive it and may not change; for one thread at a time.
template <message Message, token_estimator Estimator, class Clock>
struct replay_source {
    replay_options<Estimator, Clock> options;
    detail::replay_script<Message, Estimator> script;
    detail::item_index items;

    template <class Messages>
    replay_source(Messages const& told, replay_options<Estimator, Clock> how)
        : options{std::move(how)}, script{told, options.estimator},
          items{options.items ? detail::item_index{script} : detail::item_index{}} {}
    replay_source(replay_source const&) = delete;
    replay_source& operator=(replay_source const&) = delete;
};
template <class Messages, class Estimator, class Clock>
replay_source(Messages const&, replay_options<Estimator, Clock>)
    -> replay_source<detail::message_in<Messages>, Estimator, Clock>;

namespace detail {

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
    out.model_calls =
        asked.calls != 0 ? asked.calls : calls;  // a model of the program's own is known by the layers alone
    out.model_input = asked.input;
    out.model_output = asked.output;
    auto const written = each.input < each.written ? each.written : each.input;
    for (auto const part :
         {cost_of(out.cached, each.cached), cost_of(out.sent - out.cached, written), cost_of(out.answered, each.output),
          cost_of(asked.input, each.input), cost_of(asked.output, each.output)})
        out.money = add_capped(out.money, part);
}

}  // namespace detail

/// The figures of one mix on a conversation that was read before, as often as one likes.
template <class Message, class Estimator, class Clock, class Mix>
replay_figures replay_one(replay_source<Message, Estimator, Clock> const& told, std::string_view name, budget limits,
                          prices const& each, named<Mix> const& with) {
    static_assert(std::copy_constructible<Message>,
                  "condense: replay_one: the messages must be copyable: each mix gets its own (see transcript)");
    replay_figures out{.mix = with.name, .conversation = std::string{name}};
    auto const& script = told.script;
    auto const& how = told.options;
    replay_edges edges{.model = replay_model{[&](std::string_view text) { return script.estimator()(text).tokens(); }}};
    auto mix = detail::mix_for(with.mix, edges);
    auto const shelf = how.items ? detail::shelf_of(mix, edges, out.conversation) : detail::replay_shelf{};
    run_options<Clock> options{.clock = how.clock};
    options.conversation = out.conversation;
    session agent{std::vector<Message>{}, std::move(mix), limits, script.estimator(), std::move(options)};
    detail::replay_turns{told, agent, shelf, how, out}.all();
    detail::close_figures(out, agent, edges.model.figures(), each);
    return out;
}

/// The figures of one mix on one conversation. `told` is any container of messages; nothing in it changes.
template <class Messages, class Mix, token_estimator Estimator = default_estimator<>, class Clock = steady_clock>
replay_figures replay_one(Messages const& told, std::string_view name, budget limits, prices const& each,
                          named<Mix> const& with, replay_options<Estimator, Clock> const& options = {}) {
    return replay_one(replay_source{told, options}, name, limits, each, with);
}

/// The figures of several mixes on one conversation, which is read once for all of them.
template <class Messages, token_estimator Estimator, class Clock, class... Mixes>
std::vector<replay_figures> replay_each(Messages const& told, std::string_view name, budget limits, prices const& each,
                                        replay_options<Estimator, Clock> const& options, named<Mixes> const&... with) {
    replay_source const source{told, options};
    std::vector<replay_figures> all;
    (all.push_back(replay_one(source, name, limits, each, with)), ...);
    return all;
}

}  // namespace v1
}  // namespace condense
