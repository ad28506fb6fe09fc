// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>

// What a layer may do. It declares a set of these; its draft and pass have no other verbs, so the
// properties of a pipeline follow from the declarations.

namespace condense {
inline namespace v1 {

enum class effect : std::uint16_t {
    none = 0,
    shortens = 1,       ///< replaces or removes parts; the original is lost to the conversation
    externalizes = 2,   ///< replaces parts whose original is stored
    drops = 4,          ///< takes groups out
    summarizes = 8,     ///< writes one message in place of groups
    keeps = 16,         ///< keeps content in a store or a journal
    asks = 32,          ///< calls a model
    reads_clock = 64,   ///< its result may depend on time
    restores = 256,     ///< puts dropped or edited messages back, inside the budget
    reruns = 128,       ///< runs the layers before it again
    repairs = 512,      ///< answers dead calls, takes out orphaned results
};

constexpr effect operator|(effect left, effect right) noexcept {
    return static_cast<effect>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
/// True where the two sets have something in common.
constexpr bool operator&(effect left, effect right) noexcept {
    return (static_cast<unsigned>(left) & static_cast<unsigned>(right)) != 0;
}

inline constexpr effect no_effects = effect::none;
inline constexpr effect shortens = effect::shortens;
inline constexpr effect externalizes = effect::externalizes;
inline constexpr effect drops = effect::drops;
inline constexpr effect summarizes = effect::summarizes;
inline constexpr effect keeps = effect::keeps;
inline constexpr effect asks = effect::asks;
inline constexpr effect reads_clock = effect::reads_clock;
inline constexpr effect restores = effect::restores;
inline constexpr effect reruns = effect::reruns;
inline constexpr effect repairs = effect::repairs;

namespace detail {

/// Effects that take content away from the conversation without keeping it elsewhere.
inline constexpr effect losing = shortens | drops | summarizes;

template <class Layer>
concept declares_effects = requires {
    { Layer::effects } -> std::convertible_to<effect>;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
