// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <condense/core/any_pipeline.hpp>
#include <condense/core/message.hpp>
#include <condense/replay/mix.hpp>
#include <condense/replay/shelf.hpp>

// Named mixes as one type, to choose them at run time: std::vector<any_mix<my_message>> mixes{named{"window", ...},
// ...}.

namespace condense {
inline namespace v1 {
namespace detail {

/// A mix as it is replayed on one conversation, and what of it an agent can look up.
template <message Message>
struct mix_for_replay {
    any_pipeline<Message, 32> layers;
    replay_shelf shelf;
};

}  // namespace detail

/// A named mix whose type is hidden: session, judge and meter are compiled once for all mixes of a message type, and a
/// unit that makes one compiles its layers alone. At most 32 layers, those of nested pipelines counted.
template <message Message>
struct any_mix {
    std::string name;
    /// The mix for the conversation with this id; it may refer to the edges.
    std::function<detail::mix_for_replay<Message>(replay_edges&, std::string const& conversation)> make;

    template <class Mix>
    any_mix(named<Mix> const& candidate)
        : name{candidate.name}, make{[mix = candidate.mix](replay_edges& edges, std::string const& conversation) {
              auto layers = detail::mix_for(mix, edges);
              auto shelf = detail::shelf_of(layers, edges, conversation);
              return detail::mix_for_replay<Message>{std::move(layers), std::move(shelf)};
          }} {}
};

}  // namespace v1
}  // namespace condense
