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
    std::vector<replay_figures> all = {};  ///< of each conversation one for each mix, in the order given
    std::vector<std::string> mixes = {};

    /// One for each mix, in the order given.
    std::vector<replay_figures> totals() const {
        std::vector<replay_figures> sums;
        for (std::size_t place = 0; place < mixes.size(); ++place) {
            std::vector<replay_figures> own;
            for (auto at = place; at < all.size(); at += mixes.size()) own.push_back(all[at]);
            sums.push_back(sum_of(own));
            sums.back().mix = mixes[place];
        }
        return sums;
    }

    /// A table with one line for each mix: money in units of the currency, time in milliseconds, and of the items
    /// that answers took from earlier messages the share that was visible, recoverable, lost.
    std::string text() const {
        std::string out;
        for (std::size_t at = 0; at < titles.size(); ++at)
            detail::append_padded(out, titles[at], at == 0 ? name_width : width, at != 0);
        out.push_back('\n');
        for (auto const& sum : totals()) append_line(out, sum);
        return out;
    }

private:
    static constexpr std::size_t name_width = 20;
    static constexpr std::size_t width = 12;
    static constexpr std::array<std::string_view, 14> titles = {
        "mix",   "requests",  "over",      "exhausted", "sent",       "peak", "cached %",
        "money", "visible %", "recover %", "lost %",    "reductions", "ms",   "violations"};

    /// With one decimal.
    static std::string share(std::uint64_t part, std::uint64_t whole) {
        if (whole == 0) return "-";
        return detail::tenths(detail::share_of(part, 1'000, whole));
    }
    static std::string units(std::uint64_t millionths) {
        auto const cents = millionths / 10'000 % 100;
        return detail::grouped(millionths / 1'000'000) + "." + static_cast<char>('0' + cents / 10) +
               static_cast<char>('0' + cents % 10);
    }

    static void append_line(std::string& out, replay_figures const& sum) {
        auto const items = sum.all_items();
        detail::append_padded(out, detail::printable(sum.mix, name_width - 4), name_width);
        for (auto const& figure :
             {detail::grouped(sum.requests), detail::grouped(sum.over), detail::grouped(sum.exhausted),
              detail::grouped(sum.sent.count), detail::grouped(sum.peak.count), share(sum.cached.count, sum.sent.count),
              units(sum.money), share(items.visible, items.total()), share(items.recoverable, items.total()),
              share(items.lost, items.total()), detail::grouped(sum.reductions),
              detail::grouped(sum.time.count / 1'000'000), detail::grouped(sum.violations)})
            detail::append_padded(out, figure, width, true);
        out.push_back('\n');
    }
};

/// Replays every conversation with every mix. `transcripts` is a range of transcript<Message>, or of containers of
/// messages. Costs a copy of each message for each mix, one after the other.
template <class Transcripts, token_estimator Estimator, class Clock, class... Mixes>
comparison compare(Transcripts const& transcripts, budget limits, prices const& each,
                   replay_options<Estimator, Clock> const& options, named<Mixes> const&... with) {
    comparison made;
    (made.mixes.push_back(with.name), ...);
    std::size_t place = 0;
    for (auto const& told : transcripts) {
        auto const name = detail::name_of_transcript(told, ++place);
        for (auto& one : replay_each(detail::messages_of_transcript(told), name, limits, each, options, with...))
            made.all.push_back(std::move(one));
    }
    return made;
}
template <class Transcripts, class... Mixes>
comparison compare(Transcripts const& transcripts, budget limits, prices const& each, named<Mixes> const&... with) {
    return compare(transcripts, limits, each, replay_options<>{}, with...);
}

}  // namespace v1
}  // namespace condense
