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

inline constexpr std::size_t violations_shown = 8;

/// The price of tokens in millionths of the currency, rounded down.
constexpr std::uint64_t cost_of(tokens count, price each) noexcept {
    constexpr std::uint64_t million = 1'000'000;
    auto const price_whole = mul_capped(count.count, each.millionths / million);
    auto const share = each.millionths % million;
    return add_capped(price_whole, scale_down(count.count, share, million));
}

/// By name, of several with one name each with its like: mixes that choose their layers by the conversation come
/// out as well, in whatever order.
inline void add_layers(std::vector<layer_statistics>& all, std::vector<layer_statistics> const& more) {
    for (std::size_t at = 0; at < more.size(); ++at) {
        std::size_t before = 0;  // of this name
        for (std::size_t other = 0; other < at; ++other) before += more[other].name == more[at].name ? 1u : 0u;
        std::size_t place = 0;
        for (; place < all.size(); ++place)
            if (all[place].name == more[at].name && before-- == 0) break;
        if (place == all.size()) all.push_back(more[at]);
        else all[place].add(more[at]);
    }
}

inline void add_figures(replay_figures& sum, replay_figures const& one) {
    for (auto const count : {&replay_figures::conversations, &replay_figures::requests, &replay_figures::over,
                             &replay_figures::exhausted, &replay_figures::hits, &replay_figures::reductions,
                             &replay_figures::model_calls, &replay_figures::money, &replay_figures::violations})
        sum.*count = add_capped(sum.*count, one.*count);
    for (auto const count : {&replay_figures::sent, &replay_figures::answered, &replay_figures::cached,
                             &replay_figures::model_input, &replay_figures::model_output})
        sum.*count = sum.*count + one.*count;
    sum.time = sum.time + one.time;
    if (sum.peak < one.peak) sum.peak = one.peak;
    for (std::size_t kind = 0; kind < item_kinds; ++kind) sum.items[kind] += one.items[kind];
    add_layers(sum.layers, one.layers);
    for (auto const& violation : one.first_violations) {
        if (sum.first_violations.size() == violations_shown) break;
        sum.first_violations.push_back(one.conversation.empty() ? violation : one.conversation + ": " + violation);
    }
}

}  // namespace detail

/// The sum of any range of figures, under the name of the first; of none it counts no conversation.
template <class Figures>
replay_figures sum_of(Figures const& all) {
    replay_figures sum;
    sum.conversations = 0;
    for (replay_figures const& one : all) {
        if (sum.mix.empty()) sum.mix = one.mix;
        detail::add_figures(sum, one);
    }
    return sum;
}

}  // namespace v1
}  // namespace condense
