// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "laws/harness.hpp"
#include "laws/message.hpp"
#include "support/messages/chat.hpp"

// The laws for a message type that is not the library's own: three pipelines with all layers, a
// container for the messages, and the same conversation in chat_messages to compare with.

namespace laws {

/// Takes out media and reasoning, the oldest first.
template <class When>
struct thin {
    static constexpr auto effects = condense::shortens;
    When when;

    void reduce(auto& draft, auto& pass) const {
        for (auto const group : draft.groups())
            draft.each_part_of(group, [&](condense::part_ref part) {
                auto const kind = draft.about(part).kind;
                if (pass.enough() || (kind != part_kind::media && kind != part_kind::reasoning)) return;
                if (auto const refused = draft.remove(part)) pass.note(refused);
            });
    }
};
template <class When>
thin(When) -> thin<When>;

/// Calls f(mix); the messages of the second can lose parts where Thins says so.
template <bool Thins, class Function>
void with_few_mixes(random_source& random, Function&& f) {
    using condense::used;
    mix_values const value{random, 12'000};
    auto const& [low, high, line, over, keep, passes, window] = value;
    auto const zone =
        condense::at_most(share(random, 0, 6'000), condense::first(condense::messages{random.below(3)}) |
                                                       condense::last(condense::messages{random.below(12)}));
    condense::memory_store const store;
    switch (random.below(3)) {
        case 0:
            return f(condense::pipeline{
                condense::offload{.over = over, .preview = condense::head_tail{keep, keep}, .into = store},
                condense::compress{.when = used >= low, .over = over},
                condense::summarize{.when = used >= high || used > window},
                condense::sliding_window{.when = used >= high, .protect = condense::task | zone},
                condense::escalate{.when = used >= line, .passes = passes}});
        case 1: {
            auto const rest = [&](auto first) {
                f(condense::pipeline{first,
                                     condense::summarize{.when = used >= low,
                                                         .protect = condense::last(condense::turns{random.below(3)}),
                                                         .with = reversing_model{}},
                                     condense::sliding_window{.when = used >= high, .protect = condense::nothing_t{}},
                                     condense::escalate{.when = used >= line, .until = used <= low, .passes = passes}});
            };
            if constexpr (Thins) return rest(thin{used >= low});
            else return rest(condense::compress{.when = used >= low, .with = condense::tail{keep}});
        }
        default:
            return f(condense::pipeline{
                condense::pipeline{
                    condense::offload{.over = over, .preview = condense::head{keep}, .into = store},
                    condense::compress{.when = condense::always,
                                       .protect = zone | condense::tools("read_*") | condense::errors,
                                       .over = condense::bytes{2'000},
                                       .with = condense::head_tail{condense::bytes{500}, condense::bytes{500}}}},
                condense::sliding_window{.when = used > window || condense::headroom < low,
                                         .until = used <= condense::messages{window.count / 2},
                                         .protect = condense::newest({random.below(3'000)})},
                condense::escalate{.when = used >= line, .passes = passes, .ceiling = {10'000}}});
    }
}

/// It has media or reasoning, unless its form says otherwise, and can lose parts.
template <class Message>
constexpr bool thins = condense::detail::part_removable<Message> && !requires { forms::form<Message>::words_alone; };

/// One conversation in a History, also as a Frozen one that cannot be changed, and in chat_messages.
template <class History, class Frozen, class Estimator>
broken run_typed(std::uint64_t seed, tally& tallied, Estimator const& count) {
    using message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;
    auto const original = forms::projected<message_type>(conversation_generator{seed}.make());
    random_source random{seed ^ 0xC0FFEEu};
    auto const limits = random_budget(original, random);
    bool const marks = random.chance(60) && condense::detail::markable<message_type>;
    broken found;
    with_few_mixes<condense::detail::part_removable<message_type>>(random, [&](auto const& mix) {
        std::vector<chat_message> reduced;
        found = run_one<History>(original, mix, limits, count, marks, tallied, &reduced);
        condense::run_options<> options;
        options.marks = marks;
        auto plain = original;
        auto const report = condense::reduce(plain, mix, limits, count, options);
        if (plain != reduced) found.insert("not what comes of it in chat_messages: " + report.text());
        found.merge(walk_one<History, Frozen>(original, reduced, mix, limits, count, marks));
    });
    return found;
}

/// Random messages keep what the traits of a type promise, and come back the same from it.
template <class Message>
void check_tiers(bool with_names = true) {
    std::size_t failures = 0;
    for (std::uint64_t seed = 1; seed <= ::rounds(200) && failures < 5; ++seed) {
        auto const seen = forms::projected<Message>(conversation_generator{seed}.make());
        broken found;
        if (forms::projected<Message>(seen) != seen) found.insert("not the same when held a second time");
        for (auto m : seen) {
            if (!with_names) m.name.clear();
            found.merge(broken{tier_checker{forms::from_chat<Message>(m)}.violations()});
        }
        std::string all;
        for (auto const& one : found) all += one + "; ";
        CAPTURE(seed);
        CHECK(all == std::string{});
        failures += found.empty() ? 0u : 1u;
    }
}

/// A quarter of the conversations that chat_messages get.
template <class History, class Frozen = History const, class Estimator>
void check_type(Estimator const& count) {
    using message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;
    static_assert(condense::committable<History> && !condense::committable<Frozen>);
    auto const rounds = (rounds_asked() + 3) / 4;
    tally tallied;
    run_seeds(rounds, tallied,
              [&](std::uint64_t seed, tally& into) { return run_typed<History, Frozen>(seed, into, count); });
    CHECK(tallied.runs > 0);
    if (rounds < 500) return;
    WARN(tallied.figures());
    CHECK(tallied.changed * 10 >= tallied.runs * 6);
    for (auto const* const layer : {"offload", "compress", "summarize", "sliding_window", "escalate", "thin"})
        if (std::string_view{layer} != "thin" || thins<message_type>) CHECK(tallied.applied[layer] >= rounds / 20);
    for (auto const* const outcome : {"fits", "exhausted"}) CHECK(tallied.outcomes[outcome] >= rounds / 200);
}

}  // namespace laws
