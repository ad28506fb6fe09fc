// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <condense/replay/model.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

// What is compared: named{"window", pipeline{sliding_window{}}}, or, where layers want a journal, a store or a
// model, named{"cascade", [](auto& edges) { return presets::cascade(edges.journal, edges.store, edges.model); }}.

namespace condense {
inline namespace v1 {

/// Journal, store and model for one mix on one conversation, new for each.
struct replay_edges {
    memory_journal journal{};
    memory_store store{};
    replay_model model{};
};

/// A mix with the name that figures are given under: a pipeline, or a callable that makes one of replay_edges.
/// An empty pipeline sends everything as it is. A pipeline whose journal or store holds something keeps it
/// from one conversation to the next: give a callable for those.
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

template <class Mix>
auto mix_for(Mix const& given, replay_edges& edges) {
    if constexpr (makes_mix<Mix>) return given(edges);
    else return given;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
