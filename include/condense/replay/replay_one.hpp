// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/provider_usage.hpp>
#include <condense/replay/any_mix.hpp>
#include <condense/replay/edits.hpp>
#include <condense/replay/mix.hpp>
#include <condense/replay/sum.hpp>
#include <condense/replay/told.hpp>
#include <condense/replay/transcript.hpp>
#include <condense/replay/turns.hpp>
#include <condense/session/session.hpp>

// Replays one mix on one conversation, turn by turn, as an agent would have sent it; the recorded answers stand:
// replay_one(messages, "ticket 12", {.window = 32'000_tokens}, prices{}, named{"window", pipeline{sliding_window{}}}).

namespace condense {
inline namespace v1 {

/// The processor time of this thread, so that what else runs on the machine does not count; that of steady_clock where
/// a system does not tell it.
struct processor_clock {
    instant operator()() const noexcept {
#if defined(CLOCK_THREAD_CPUTIME_ID)
        std::timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return {static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec)};
#else
        return steady_clock{}();
#endif
    }
};

/// Options of the measurement. The clock times the library's own work.
template <token_estimator Estimator = default_estimator<>, class Clock = processor_clock>
struct replay_options {
    Estimator estimator = {};
    Clock clock = {};
    bool items = true;  ///< measure where the items and the old texts of edits are that answers need
    bool laws = true;   ///< judge every request with request_checker
    replay_summarizer model = {};  ///< answers the prompts of mixes in the stand-in's place
};

/// A conversation on which several mixes are replayed, read once for all of them: estimated, hashed and, if items are
/// measured, indexed. Refers to the messages, which must outlive it and may not change. For one thread at a time.
template <message Message, token_estimator Estimator, class Clock>
struct replay_source {
    replay_options<Estimator, Clock> options;
    detail::replay_script<Message, Estimator> script;
    detail::item_index items;
    detail::edit_index edits;
    detail::told_index told;

    template <class Messages>
    replay_source(Messages const& conversation, replay_options<Estimator, Clock> settings)
        : options{std::move(settings)}, script{conversation, options.estimator},
          items{options.items ? detail::item_index{script} : detail::item_index{}},
          edits{options.items ? detail::edit_index{script} : detail::edit_index{}},
          told{options.items ? detail::told_index{script} : detail::told_index{}} {}
    replay_source(replay_source const&) = delete;
    replay_source& operator=(replay_source const&) = delete;
};
template <class Messages, class Estimator, class Clock>
replay_source(Messages const&, replay_options<Estimator, Clock>)
    -> replay_source<detail::message_in<Messages>, Estimator, Clock>;

namespace detail {

/// Adds the figures of the layers, and the money for everything: input at the price of writes to the prompt cache where
/// that is higher, because each request is cached for the next; bound reasoning that has left at that of output, as the
/// model has to think again.
template <class Session>
void close_figures(replay_figures& out, Session const& session, prices const& price_list) {
    auto const& sums = session.statistics();
    for (auto const& layer : sums.layers) {
        if (layer.name.empty()) continue;
        out.layers.push_back(layer);
        out.model_calls = add_capped(out.model_calls, layer.asked);
        out.bound = out.bound + layer.bound_tokens;
    }
    out.reductions = sums.changed;
    out.model_input = sums.model_usage().request();
    out.model_output = sums.model_usage().output;
    out.model_money = money_of(sums.model_usage(), price_list);
    auto const written = price_list.input < price_list.written ? price_list.written : price_list.input;
    for (auto const share : {cost_of(out.cached, price_list.cached), cost_of(out.sent - out.cached, written),
                             cost_of(out.answered + out.bound, price_list.output), out.model_money})
        out.money = add_capped(out.money, share);
}

}  // namespace detail

/// Replays one mix on a conversation that was read before. Copies each message into a session of its own.
template <class Message, class Estimator, class Clock>
replay_figures replay_one(replay_source<Message, Estimator, Clock> const& source, std::string_view name, budget limits,
                          prices const& price_list, any_mix<Message> const& candidate) {
    static_assert(std::copy_constructible<Message>,
                  "condense: replay_one: the messages must be copyable: each mix gets its own (see transcript)");
    replay_figures out{.mix = candidate.name, .conversation = std::string{name}};
    auto const& script = source.script;
    auto const& options = source.options;
    // The stand-in counts with the estimator of the replay, so that its tokens compare with those of requests.
    replay_edges edges{.model = replay_model{script.estimator(), options.model}};
    auto mix = candidate.make(edges, out.conversation);
    run_options<> session_options;  // with a clock of its own: models are given times of the world
    session_options.conversation = out.conversation;
    session agent{std::vector<Message>{}, std::move(mix.layers), limits, script.estimator(),
                  std::move(session_options)};
    detail::replay_turns{source, agent, std::move(mix.shelf), edges, options, out}.run();
    detail::close_figures(out, agent, price_list);
    out.model_failures = edges.model.figures().failures;
    return out;
}

template <class Message, class Estimator, class Clock, class Mix>
replay_figures replay_one(replay_source<Message, Estimator, Clock> const& source, std::string_view name, budget limits,
                          prices const& price_list, named<Mix> const& candidate) {
    return replay_one(source, name, limits, price_list, any_mix<Message>{candidate});
}

/// Replays one mix on one conversation. `conversation` is any container of copyable messages; it stays unchanged.
template <class Messages, class Mix, token_estimator Estimator = default_estimator<>, class Clock = processor_clock>
replay_figures replay_one(Messages const& conversation, std::string_view name, budget limits, prices const& price_list,
                          named<Mix> const& candidate, replay_options<Estimator, Clock> const& options = {}) {
    return replay_one(replay_source{conversation, options}, name, limits, price_list, candidate);
}

/// Replays several mixes on one conversation, which is read once for all of them. In the order of `mixes`.
template <class Messages, token_estimator Estimator, class Clock, class... Mixes>
std::vector<replay_figures> replay_each(Messages const& conversation, std::string_view name, budget limits,
                                        prices const& price_list, replay_options<Estimator, Clock> const& options,
                                        named<Mixes> const&... mixes) {
    replay_source const source{conversation, options};
    std::vector<replay_figures> all;
    (all.push_back(replay_one(source, name, limits, price_list, mixes)), ...);
    return all;
}

}  // namespace v1
}  // namespace condense
