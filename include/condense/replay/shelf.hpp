// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/core/pipeline.hpp>
#include <condense/core/store.hpp>
#include <condense/layer/fallback.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/replay/mix.hpp>

// The journals and stores of a mix, found in the members `to` and `into` of its layers, to measure what an agent could
// still look up.

namespace condense {
inline namespace v1 {
namespace detail {

/// Content that a mix has moved out of the request, where an agent can look it up. Holds copies of the handles to
/// journals and stores.
struct replay_shelf {
    /// Each calls f(number) for every original in its journal.
    std::vector<std::function<void(std::function<void(std::uint64_t)> const&)>> journals = {};
    /// Each returns the content behind a reference, if its store has it.
    std::vector<std::function<std::optional<std::string>(reference const&)>> stores = {};
};

/// A layer that records originals in the journal of its member `to`.
template <class Layer>
concept writes_journal = requires(Layer const& layer) { requires journal<std::remove_cvref_t<decltype(layer.to)>>; } &&
                         flag_records<Layer>();

/// A layer that externalizes content into the store of its member `into`.
template <class Layer>
concept fills_store = requires(Layer const& layer, reference const& name) {
    { layer.into.get(name) } -> std::same_as<std::optional<std::string>>;
};

/// A journal that cannot be read has nothing to offer: its error is ignored.
template <journal Journal>
void add_journal(replay_shelf& shelf, Journal const& to, std::string const& conversation) {
    shelf.journals.push_back([to, conversation](std::function<void(std::uint64_t)> const& f) {
        static_cast<void>(static_cast<bool>(to.read(conversation, [&](journal_entry const& entry, std::string_view) {
            if (!entry.is_derived) f(entry.number);
        })));
    });
}
template <class Store>
void add_store(replay_shelf& shelf, Store const& into) {
    shelf.stores.push_back([into](reference const& name) { return into.get(name); });
}

/// Adds the journals, read under the conversation's id, and the stores of the layers of `mix`.
template <class Mix>
void add_to_shelf(replay_shelf& shelf, Mix const& mix, std::string const& conversation) {
    mix.each([&](auto const& layer) {
        using layer_type = std::remove_cvref_t<decltype(layer)>;
        if constexpr (writes_journal<layer_type>) add_journal(shelf, layer.to, conversation);
        if constexpr (fills_store<layer_type>) add_store(shelf, layer.into);
    });
}

/// A mix chosen at run time hides its layers: all edges are taken then, whether it uses them or not.
template <class Mix>
replay_shelf shelf_of(Mix const& mix, replay_edges const& edges, std::string const& conversation) {
    replay_shelf shelf;
    if constexpr (requires { Mix::stands_for_pipelines; })
        add_to_shelf(shelf, pipeline{record{.to = edges.journal}, offload{.into = edges.store}}, conversation);
    else add_to_shelf(shelf, mix, conversation);
    return shelf;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
