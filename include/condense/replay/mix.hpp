// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <condense/replay/model.hpp>
#include <condense/replay/oracle.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

// What is compared: named{"window", pipeline{sliding_window{}}}, or, where layers want a journal, a store or a
// model, named{"cascade", [](auto& edges) { return presets::cascade(edges.journal, edges.store, edges.model); }}.

namespace condense {
inline namespace v1 {

/// Journal, store, model and oracle for one mix on one conversation, new for each.
struct replay_edges {
    memory_journal journal{};
    memory_store store{};
    replay_model model{};
    replay_oracle oracle{};
};

/// A mix and the name of its figures: a pipeline, or a callable that makes one from replay_edges. An empty pipeline
/// sends everything unchanged. A pipeline is copied for each conversation, but its journal and store are handles whose
/// content stays from one conversation to the next: use a callable for those.
template <class Mix>
struct named {
    std::string name = {};
    Mix mix;
};
template <class Mix>
named(std::string, Mix) -> named<Mix>;

namespace detail {

template <class Mix>
concept makes_mix = std::invocable<Mix const&, replay_edges&>;

/// The pipeline for one conversation. What a callable makes may refer to `edges`, which must outlive it.
template <class Mix>
auto mix_for(Mix const& mix, replay_edges& edges) {
    if constexpr (makes_mix<Mix>) return mix(edges);
    else return mix;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
