// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <condense/detail/saturate.hpp>
#include <condense/replay/figures.hpp>

// Sums figures over conversations: sum_of(figures of one mix).

namespace condense {
inline namespace v1 {
namespace detail {

/// Texts of violations that figures keep; the others are only counted.
inline constexpr std::size_t violations_shown = 8;

/// Adds statistics of layers by name; the second layer of a name is added to the second, and so on. So mixes that
/// choose their layers by the conversation are summed too, in whatever order their layers come.
inline void add_layers(std::vector<layer_statistics>& sums, std::vector<layer_statistics> const& added) {
    for (std::size_t index = 0; index < added.size(); ++index) {
        std::size_t skip = 0;  // sums of this name that earlier layers have been added to
        for (std::size_t other = 0; other < index; ++other) skip += added[other].name == added[index].name ? 1u : 0u;
        std::size_t match = 0;
        for (; match < sums.size(); ++match)
            if (sums[match].name == added[index].name && skip-- == 0) break;
        if (match == sums.size()) sums.push_back(added[index]);
        else sums[match].add(added[index]);
    }
}

/// Adds one conversation's figures to a sum. Sums saturate; peaks are compared; turns are left out.
inline void add_figures(replay_figures& sum, replay_figures const& added) {
    for (auto const member :
         {&replay_figures::conversations, &replay_figures::requests, &replay_figures::over, &replay_figures::exhausted,
          &replay_figures::hits, &replay_figures::reductions, &replay_figures::model_calls,
          &replay_figures::model_failures, &replay_figures::money, &replay_figures::model_money,
          &replay_figures::violations, &replay_figures::edits, &replay_figures::edits_visible, &replay_figures::tasks,
          &replay_figures::tasks_visible, &replay_figures::words, &replay_figures::words_visible,
          &replay_figures::actions, &replay_figures::actions_visible})
        sum.*member = add_capped(sum.*member, added.*member);
    for (auto const member : {&replay_figures::sent, &replay_figures::answered, &replay_figures::cached,
                              &replay_figures::bound, &replay_figures::model_input, &replay_figures::model_output})
        sum.*member = sum.*member + added.*member;
    sum.time = sum.time + added.time;
    if (sum.peak < added.peak) sum.peak = added.peak;
    for (std::size_t kind = 0; kind < item_kinds; ++kind) sum.items[kind] += added.items[kind];
    add_layers(sum.layers, added.layers);
    for (auto const& violation : added.first_violations) {
        if (sum.first_violations.size() == violations_shown) break;
        sum.first_violations.push_back(added.conversation.empty() ? violation : added.conversation + ": " + violation);
    }
}

}  // namespace detail

/// The sum of any range of figures, under the mix name of the first. Of an empty range all figures are 0.
template <class Figures>
replay_figures sum_of(Figures const& all) {
    replay_figures sum;
    sum.conversations = 0;
    for (replay_figures const& figures : all) {
        if (sum.mix.empty()) sum.mix = figures.mix;
        detail::add_figures(sum, figures);
    }
    return sum;
}

}  // namespace v1
}  // namespace condense
