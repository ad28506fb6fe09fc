// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <condense/core/usage.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/llm/provider_usage.hpp>

// What turns cost, and how many are left: tracker.begin_turn() at each of them, tracker.add(reported,
// time, estimate) at each answer, tracker.line() to show it. Row D2.

namespace condense {
inline namespace v1 {

/// All requests of one turn.
struct turn_cost {
    tokens input = {};       ///< sent, cached or not; what each request repeats counts again
    tokens output = {};
    tokens context = {};     ///< what the conversation came to with the latest answer
    instant time = {};
    std::uint64_t requests = 0;
    bool estimated = false;  ///< some request was not reported

    constexpr tokens total() const noexcept { return input + output; }

    friend constexpr bool operator==(turn_cost const&, turn_cost const&) = default;
};

/// The newest 32 turns and the sums of all; plain data, to be saved as it is, and safe with any figures.
struct turn_tracker {
    static constexpr std::size_t kept = 32;

    std::array<turn_cost, kept> ring = {};  ///< the turn with the number n is at (n - 1) % kept
    std::uint64_t turns = 0;                ///< that had an answer; the newest may go on
    tokens input = {};
    tokens output = {};
    instant time = {};
    bool under_way = false;                 ///< further answers belong to the newest turn

    /// What comes next belongs to a turn of its own. One without any answer does not count.
    constexpr void begin_turn() noexcept { under_way = false; }

    /// One answer: as it was reported, or as estimated where it was not.
    constexpr void add(provider_usage const& told, instant took = {}, provider_usage const& estimate = {}) noexcept {
        auto const& cost = told.reported() ? told : estimate;
        if (!under_way || turns == 0) {
            turns = detail::add_capped(turns, 1);
            ring[place(turns)] = {};
            under_way = true;
        }
        auto& turn = ring[place(turns)];
        turn.input = turn.input + cost.request();
        turn.output = turn.output + cost.output;
        turn.context = cost.context();
        turn.time = turn.time + took;
        turn.requests = detail::add_capped(turn.requests, 1);
        turn.estimated = turn.estimated || !told.reported();
        input = input + cost.request();
        output = output + cost.output;
        time = time + took;
    }

    /// How many turns there are to look at.
    constexpr std::uint64_t recent() const noexcept { return turns < kept ? turns : kept; }
    /// A recent turn, the newest at 0.
    constexpr turn_cost const& newest(std::uint64_t back = 0) const noexcept { return ring[place(turns - back)]; }

    constexpr tokens total() const noexcept { return input + output; }
    /// Of a turn, rounded down.
    constexpr tokens average() const noexcept { return {turns == 0 ? 0 : total().count / turns}; }

    /// The turns until the input is full, at the mean growth of the recent ones that grew; unknown where none is
    /// known to have. One that shrank was reduced and says nothing of growth.
    constexpr std::optional<std::uint64_t> turns_left(usage const& now) const noexcept {
        tokens grown;
        std::uint64_t counted = 0;
        for (std::uint64_t back = 0; back + 1 < recent(); ++back) {
            auto const& before = newest(back + 1);
            auto const& after = newest(back);
            if (before.context == tokens{} || after.context <= before.context) continue;
            if (before.estimated != after.estimated) continue;  // by two measures
            grown = grown + (after.context - before.context);
            ++counted;
        }
        if (counted == 0) return std::nullopt;
        return detail::share_of(now.headroom().count, counted, grown.count);
    }

    /// For display: `turn 12: 3,456 in, 210 out, 3,666 total, 1.2 s; average 3,100`.
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
    static constexpr std::size_t place(std::uint64_t turn) noexcept { return detail::as_size((turn - 1) % kept); }
};

}  // namespace v1
}  // namespace condense
