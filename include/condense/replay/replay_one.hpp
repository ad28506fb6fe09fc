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
#include <condense/replay/sum.hpp>
#include <condense/replay/transcript.hpp>
#include <condense/replay/turns.hpp>

// One mix on one conversation, turn by turn, as an agent would have sent it:
// replay_one(messages, "ticket 12", {.window = 32'000_tokens}, prices{}, named{"window", pipeline{sliding_window{}}}).

namespace condense {
inline namespace v1 {

/// How to measure, and what. The clock times the library's own work.
template <token_estimator Estimator = default_estimator<>, class Clock = steady_clock>
struct replay_options {
    Estimator estimator = {};
    Clock clock = {};
    bool items = true;  ///< where items that answers need are
    bool laws = true;   ///< judge every request
};

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
    out.model_calls = asked.calls != 0 ? asked.calls : calls;  // a model of the program's own is known by the layers alone
    out.model_input = asked.input;
    out.model_output = asked.output;
    auto const written = each.input < each.written ? each.written : each.input;
    for (auto const part : {cost_of(out.cached, each.cached), cost_of(out.sent - out.cached, written), cost_of(out.answered, each.output),
                            cost_of(asked.input, each.input), cost_of(asked.output, each.output)})
        out.money = add_capped(out.money, part);
}

/// What the mixes on one conversation share.
template <message Message, token_estimator Estimator>
struct replay_material {
    replay_script<Message, Estimator> script;
    item_index items;

    template <class Messages, class Options>
    replay_material(Messages const& told, Options const& options)
        : script{told, options.estimator}, items{options.items ? item_index{script} : item_index{}} {}
    replay_material(replay_material const&) = delete;
    replay_material& operator=(replay_material const&) = delete;
};

template <class Material, class Mix, class Options>
replay_figures replay_mix(Material const& material, std::string_view name, budget limits, prices const& each, Options const& how,
                          named<Mix> const& with) {
    using message_type = std::remove_cvref_t<decltype(material.script.at(0))>;
    static_assert(std::copy_constructible<message_type>,
                  "condense: replay_one: the messages must be copyable: each mix gets its own (see transcript)");
    replay_figures out{.mix = with.name, .conversation = std::string{name}};
    auto const& script = material.script;
    replay_edges edges{.model = replay_model{[&](std::string_view text) { return script.estimator()(text).tokens(); }}};
    auto mix = mix_for(with.mix, edges);
    auto const shelf = how.items ? shelf_of(mix, edges, out.conversation) : replay_shelf{};
    run_options<decltype(how.clock)> options{.clock = how.clock};
    options.conversation = out.conversation;
    session agent{std::vector<message_type>{}, std::move(mix), limits, script.estimator(), std::move(options)};
    replay_turns turns{material, agent, shelf, how, out};
    turns.all();
    close_figures(out, agent, edges.model.figures(), each);
    return out;
}

}  // namespace detail

/// The figures of one mix on one conversation. `told` is any container of messages; nothing in it changes.
template <class Messages, class Mix, token_estimator Estimator = default_estimator<>, class Clock = steady_clock>
replay_figures replay_one(Messages const& told, std::string_view name, budget limits, prices const& each, named<Mix> const& with,
                          replay_options<Estimator, Clock> const& options = {}) {
    detail::replay_material<detail::message_in<Messages>, Estimator> const material{told, options};
    return detail::replay_mix(material, name, limits, each, options, with);
}

/// The figures of several mixes on one conversation, which is read once for all of them.
template <class Messages, token_estimator Estimator, class Clock, class... Mixes>
std::vector<replay_figures> replay_each(Messages const& told, std::string_view name, budget limits, prices const& each,
                                        replay_options<Estimator, Clock> const& options, named<Mixes> const&... with) {
    detail::replay_material<detail::message_in<Messages>, Estimator> const material{told, options};
    std::vector<replay_figures> all;
    (all.push_back(detail::replay_mix(material, name, limits, each, options, with)), ...);
    return all;
}

}  // namespace v1
}  // namespace condense
