// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/saturate.hpp>
#include <condense/replay/figures.hpp>

// What a run of `replay` found, as the table, the JSON and the page read it: sums for each window and mix, and
// the conversations with the most requests one by one. Its size does not grow with the number of conversations.

namespace replay {

/// Requests of one conversation in at most `pieces` pieces of equal length; f(piece, first, end) for each.
/// With `stretch` there are always as many pieces, and short conversations give a request to several.
template <class Function>
void each_piece(std::size_t requests, std::size_t pieces, bool stretch, Function&& f) {
    if (requests == 0) return;
    if (!stretch) pieces = std::min(pieces, requests);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        auto const first = piece * requests / pieces;
        f(piece, first, std::max(first + 1, (piece + 1) * requests / pieces));
    }
}

/// The mean of one figure over some requests, rounded down.
template <class Figure>
std::uint64_t mean_of(std::vector<condense::request_figures> const& turns, std::size_t first, std::size_t end,
                      Figure figure) {
    std::uint64_t sum = 0;
    for (auto at = first; at < end; ++at) sum = condense::add_capped(sum, (turns[at].*figure).count);
    return sum / (end - first);
}

/// What requests held on average, by where they stood in their conversation; each conversation weighs the same.
struct course {
    static constexpr std::size_t positions = 100;

    std::array<std::uint64_t, positions> sent = {};  ///< sums of tokens; divide by `conversations`
    std::array<std::uint64_t, positions> cached = {};
    std::uint64_t conversations = 0;

    void add(std::vector<condense::request_figures> const& turns) {
        if (turns.empty()) return;
        ++conversations;
        each_piece(turns.size(), positions, true, [&](std::size_t at, std::size_t first, std::size_t end) {
            using condense::add_capped;
            sent[at] = add_capped(sent[at], mean_of(turns, first, end, &condense::request_figures::sent));
            cached[at] = add_capped(cached[at], mean_of(turns, first, end, &condense::request_figures::cached));
        });
    }
};

/// One mix under one window, on all conversations.
struct mix_totals {
    condense::replay_figures figures = {};
    course along = {};
};

/// One conversation: every window, and in each every mix in order.
struct kept_conversation {
    std::string name = {};
    std::uint64_t place = 0;  ///< in the order of reading
    std::vector<condense::replay_figures> figures = {};

    std::uint64_t requests() const { return figures.empty() ? 0 : figures.front().requests; }
};

struct skipped_conversation {
    std::string name = {};
    std::string reason = {};
};

struct report {
    std::vector<condense::tokens> windows = {};
    std::vector<std::string> mixes = {};
    condense::prices prices = {};
    std::string currency = "$";
    std::string summariser = {};  ///< the model's name; empty for the stand-in

    std::uint64_t conversations = 0;
    std::vector<mix_totals> totals = {};          ///< one for each window and in it each mix
    std::vector<kept_conversation> kept = {};     ///< those with the most requests, those first
    std::size_t keep = 20;                        ///< so many of them
    std::uint64_t skipped = 0;
    std::vector<skipped_conversation> first_skipped = {};  ///< one hundred at most

    mix_totals const& total(std::size_t window, std::size_t mix) const { return totals[window * mixes.size() + mix]; }

    /// Of the items that the oracle shows beyond plain dropping to the same depth, the share that a mix shows: below 0
    /// where it shows less than dropping. Nothing unless both were replayed and differ.
    std::optional<double> gap_closed(std::size_t window, std::size_t mix) const {
        auto const visible = [&](std::string_view name) -> std::optional<double> {
            auto const found = std::find(mixes.begin(), mixes.end(), name);
            if (found == mixes.end()) return std::nullopt;
            auto const place = static_cast<std::size_t>(found - mixes.begin());
            return static_cast<double>(total(window, place).figures.all_items().visible);
        };
        auto const low = visible("drop_50");
        auto const high = visible("oracle");
        if (!low || !high || *low == *high) return std::nullopt;
        return (*visible(mixes[mix]) - *low) / (*high - *low);
    }

    void skip(std::string name, std::string reason) {
        ++skipped;
        if (first_skipped.size() < 100) first_skipped.push_back({std::move(name), std::move(reason)});
    }

    /// Which conversations stay does not depend on the order in which they come.
    void keep_if_long(kept_conversation one) {
        auto const longer = [](kept_conversation const& left, kept_conversation const& right) {
            return left.requests() != right.requests() ? left.requests() > right.requests() : left.place < right.place;
        };
        kept.insert(std::upper_bound(kept.begin(), kept.end(), one, longer), std::move(one));
        if (kept.size() > keep) kept.pop_back();
    }
};

/// "word", and so on, in the order of replay_figures::items.
inline std::string_view item_name(std::size_t kind) { return condense::name(static_cast<condense::item_kind>(kind)); }

}  // namespace replay
