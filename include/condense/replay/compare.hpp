// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/replay/replay_one.hpp>

// Replays several mixes on several conversations: compare(transcripts, {.window = 32'000_tokens}, prices{},
// named{"a", mix_a}, named{"b", mix_b}).text().

namespace condense {
inline namespace v1 {

/// The figures of each mix on each conversation.
struct comparison {
    /// Conversation by conversation, each with every mix in the order of `mixes`.
    std::vector<replay_figures> all = {};
    std::vector<std::string> mixes = {};   ///< names of the mixes, in the order given

    /// The sum over all conversations, one for each mix, in the order of `mixes`.
    std::vector<replay_figures> totals() const {
        std::vector<replay_figures> sums;
        for (std::size_t mix = 0; mix < mixes.size(); ++mix) {
            std::vector<replay_figures> of_mix;
            for (auto index = mix; index < all.size(); index += mixes.size()) of_mix.push_back(all[index]);
            sums.push_back(sum_of(of_mix));
            sums.back().mix = mixes[mix];
        }
        return sums;
    }

    /// A table with one line for each mix: money in units of the currency, time in milliseconds, and the shares of the
    /// items taken from earlier messages that were visible, recoverable and lost.
    std::string text() const {
        std::string out;
        for (std::size_t column = 0; column < titles.size(); ++column)
            detail::append_padded(out, titles[column], column == 0 ? name_width : width, column != 0);
        out.push_back('\n');
        for (auto const& sum : totals()) append_line(out, sum);
        return out;
    }

private:
    // Columns of text(), in characters.
    static constexpr std::size_t name_width = 20;
    static constexpr std::size_t width = 12;
    static constexpr std::array<std::string_view, 15> titles = {
        "mix",       "requests",  "over",      "exhausted", "sent",       "peak", "cached %",  "money",
        "of models", "visible %", "recover %", "lost %",    "reductions", "ms",   "violations"};

    /// A percentage with one decimal; "-" where there is nothing to take a share of.
    static std::string share(std::uint64_t part, std::uint64_t total) {
        if (total == 0) return "-";
        return detail::tenths(detail::share_of(part, 1'000, total));
    }
    /// Whole units of the currency and cents, rounded down.
    static std::string units(std::uint64_t millionths) {
        auto const cents = millionths / 10'000 % 100;
        return detail::grouped(millionths / 1'000'000) + "." + static_cast<char>('0' + cents / 10) +
               static_cast<char>('0' + cents % 10);
    }

    /// One line of the table, in the order of `titles`.
    static void append_line(std::string& out, replay_figures const& sum) {
        auto const items = sum.all_items();
        detail::append_padded(out, detail::printable(sum.mix, name_width - 4), name_width);
        for (auto const& figure :
             {detail::grouped(sum.requests), detail::grouped(sum.over), detail::grouped(sum.exhausted),
              detail::grouped(sum.sent.count), detail::grouped(sum.peak.count), share(sum.cached.count, sum.sent.count),
              units(sum.money), units(sum.model_money), share(items.visible, items.total()),
              share(items.recoverable, items.total()), share(items.lost, items.total()),
              detail::grouped(sum.reductions), detail::grouped(sum.time.count / 1'000'000),
              detail::grouped(sum.violations)})
            detail::append_padded(out, figure, width, true);
        out.push_back('\n');
    }
};

/// Replays every conversation with every mix. `transcripts` is a range of transcript<Message>, or of containers of
/// messages, which are named by their position, from 1. Each mix runs on its own copy of the messages; the copies exist
/// one after the other.
template <class Transcripts, token_estimator Estimator, class Clock, class... Mixes>
comparison compare(Transcripts const& transcripts, budget limits, prices const& price_list,
                   replay_options<Estimator, Clock> const& options, named<Mixes> const&... mixes) {
    comparison result;
    (result.mixes.push_back(mixes.name), ...);
    std::size_t position = 0;
    for (auto const& conversation : transcripts) {
        auto const name = detail::name_of_transcript(conversation, ++position);
        for (auto& figures :
             replay_each(detail::messages_of_transcript(conversation), name, limits, price_list, options, mixes...))
            result.all.push_back(std::move(figures));
    }
    return result;
}
/// The same with the default estimator and clock, measuring items and judging every request.
template <class Transcripts, class... Mixes>
comparison compare(Transcripts const& transcripts, budget limits, prices const& price_list,
                   named<Mixes> const&... mixes) {
    return compare(transcripts, limits, price_list, replay_options<>{}, mixes...);
}

}  // namespace v1
}  // namespace condense
