// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <condense/core/provider_usage.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>

// What turns cost, and how many fit before the window is full: tracker.begin_turn() at each turn,
// tracker.add(report, duration, estimate) at each answer, tracker.line() for display.

namespace condense {
inline namespace v1 {

/// All requests of one turn.
struct turn_cost {
    tokens input = {};           ///< sent, cached or not; what each request repeats counts again
    tokens output = {};          ///< of all answers
    tokens context = {};         ///< size of the conversation with the latest answer
    instant time = {};           ///< of all requests
    std::uint64_t requests = 0;  ///< one or more: an agent's turn has one for each round of tool calls
    bool estimated = false;      ///< some request was not reported

    constexpr tokens total() const noexcept { return input + output; }

    friend constexpr bool operator==(turn_cost const&, turn_cost const&) = default;
};

/// The newest 32 turns and the sums of all; plain data that can be saved unchanged. Sums saturate, so any figures are
/// safe.
struct turn_tracker {
    static constexpr std::size_t capacity = 32;

    std::array<turn_cost, capacity> ring = {};  ///< the turn with the number n is at (n - 1) % capacity
    std::uint64_t turns = 0;                ///< turns with an answer; the newest may go on
    tokens input = {};                      ///< of all turns
    tokens output = {};                     ///< of all turns
    instant time = {};                      ///< of all turns
    bool under_way = false;                 ///< further answers belong to the newest turn

    /// The next answer begins a new turn. A turn without an answer does not count.
    constexpr void begin_turn() noexcept { under_way = false; }

    /// Adds one answer by the provider's report, or by the estimate if nothing was reported.
    constexpr void add(provider_usage const& report, instant duration = {},
                       provider_usage const& estimate = {}) noexcept {
        auto const& cost = report.reported() ? report : estimate;
        if (!under_way || turns == 0) {
            turns = detail::add_capped(turns, 1);
            ring[place(turns)] = {};
            under_way = true;
        }
        auto& turn = ring[place(turns)];
        turn.input = turn.input + cost.request();
        turn.output = turn.output + cost.output;
        turn.context = cost.context();
        turn.time = turn.time + duration;
        turn.requests = detail::add_capped(turn.requests, 1);
        turn.estimated = turn.estimated || !report.reported();
        input = input + cost.request();
        output = output + cost.output;
        time = time + duration;
    }

    /// How many turns `newest` can return.
    constexpr std::uint64_t recent() const noexcept { return turns < capacity ? turns : capacity; }
    /// The turn `back` turns before the newest; `back` is below recent().
    constexpr turn_cost const& newest(std::uint64_t back = 0) const noexcept { return ring[place(turns - back)]; }

    /// Tokens of all turns, sent and received.
    constexpr tokens total() const noexcept { return input + output; }
    /// Tokens of a turn, rounded down; 0 before the first.
    constexpr tokens average() const noexcept { return {turns == 0 ? 0 : total().count / turns}; }

    /// The turns until the input is full, at the mean growth of the recent turns that grew; nothing if none did. A turn
    /// that shrank was reduced, and one estimated beside one reported was measured in another way: neither shows
    /// growth.
    constexpr std::optional<std::uint64_t> turns_left(usage const& current) const noexcept {
        tokens growth;
        std::uint64_t growing_turns = 0;
        for (std::uint64_t back = 0; back + 1 < recent(); ++back) {
            auto const& before = newest(back + 1);
            auto const& after = newest(back);
            if (before.context == tokens{} || after.context <= before.context) continue;
            if (before.estimated != after.estimated) continue;
            growth = growth + (after.context - before.context);
            ++growing_turns;
        }
        if (growing_turns == 0) return std::nullopt;
        return detail::share_of(current.headroom().count, growing_turns, growth.count);
    }

    /// One line for display: `turn 12: 3,456 in, 210 out, 3,666 total, 1.2 s; average 3,100`.
    std::string line() const {
        if (turns == 0) return "no turn yet";
        auto const& turn = newest();
        auto out = "turn " + detail::grouped(turns) + ": " + detail::grouped(turn.input.count) + " in, " +
                   detail::grouped(turn.output.count) + " out, " + detail::grouped(turn.total().count) + " total";
        if (turn.estimated) out += " (estimated)";
        if (turn.time != instant{}) out += ", " + detail::tenths(turn.time.count / 100'000'000) + " s";
        return out + "; average " + detail::grouped(average().count);
    }

    friend constexpr bool operator==(turn_tracker const&, turn_tracker const&) = default;

private:
    static constexpr std::size_t place(std::uint64_t turn) noexcept { return detail::as_size((turn - 1) % capacity); }
};

}  // namespace v1
}  // namespace condense
