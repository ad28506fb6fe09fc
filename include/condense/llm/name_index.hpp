// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/edit.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/core/pass.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sort.hpp>
#include <condense/llm/name_list.hpp>
#include <condense/llm/name_table.hpp>
#include <condense/llm/names.hpp>

// What leaves the conversation leaves its names: ids, paths, numbers, quoted strings and names of code, in one list
// inside the summary: summarize{.with = no_prose{}, .leaves = name_index{}}.

namespace condense {
inline namespace v1 {

/// A rule that writes nothing: the summary is what the layer's index lists.
struct no_prose {
    struct notes {
        static constexpr void see(role, part_view const&, bool) noexcept {}
        static std::string text(chars) { return {}; }
    };
    static constexpr notes open() noexcept { return {}; }
    friend constexpr bool operator==(no_prose const&, no_prose const&) = default;
};

/// Lists the names of all that has left a session, the best first by their score, as far as they fit a share of the
/// input, and quotes the lines of the very best. What stands in what stays is not repeated. Names that layers such as
/// compress and offload have cut out of messages that stay are listed as well. Costs a look at each message when it
/// leaves, and at what stays; the memory holds at most 4,096 names with a label and a line. In a run on its own
/// (`reduce`) the names of an earlier list are taken from its text.
template <class Score = name_score>
struct name_index {
    percent share = {2'000};  ///< of the input; halved with each step of pressure
    percent lines = {2'500};  ///< of the list, at most, for whole lines of at most 160 bytes
    Score score = {};  ///< std::int64_t(name_facts const&); higher is kept rather

    using memory = detail::name_table;

    constexpr void validate() const {
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= 5'000,
                              "condense: name_index: the share must be above 0 and at most 50 % (see name_index)");
        detail::reject_unless(lines.basis_points <= percent::whole,
                              "condense: name_index: the lines must be at most 100 % of the list (see name_index)");
    }

    /// Notes what has left since the last time and what is about to leave, and returns the list, of at most `limit`.
    /// What stands in `before`, the summary so far, is not repeated.
    template <class Draft>
    std::string write(Draft const& draft, memory& names, std::vector<group> const& leaving, tokens limit,
                      std::string_view before = {}) const {
        auto const input = draft.limits().input().count;
        auto const score_of = [&](typename memory::entry const& name) {
            auto const since = names.left() - name.left;
            return score(name_facts{.kind = name.kind,
                                    .text = name.text,
                                    .label = name.label,
                                    .uses = name.uses,
                                    .age = input == 0 ? 0 : detail::mul_capped(since, 100) / input,
                                    .size = name.size});
        };
        auto const prune = [&] { names.prune(score_of); };
        detail::leaving_groups const leaves{leaving};
        names.gone.visit(draft, leaves, noter<Draft, decltype(prune)>{draft, names, prune});
        names.prune(score_of, true);
        for (auto& name : names.entries()) name.visible = false;
        for (auto const which : draft.groups())
            if (!leaves.holds(which))
                draft.each_part(which, [&](part_ref, part_view const& part) {
                    if (part.kind != part_kind::media) names.mark_visible(part.text);
                });
        names.mark_visible(before);
        auto const order = ranking(names, score_of);
        // Half tokens are a guess: the list is written again where the estimator leaves much room, or none.
        auto room = detail::mul_capped(limit.count, 2);
        std::string best;
        for (int attempt = 0; attempt < 6; ++attempt) {
            for (auto const& place : order) names.entries()[place.second].visible = false;
            bool whole = true;
            auto text = list(names, order, room, whole);
            auto const size = draft.measured(draft.estimator()(text));
            if (size <= limit && text.size() > best.size()) best = std::move(text);
            if (size <= limit && (whole || attempt == 5 || size.count >= limit.count - limit.count / 16)) break;
            room = detail::scale_down(room, limit.count, size.count);
            room -= room / 64;
        }
        return best;
    }

    friend constexpr bool operator==(name_index const&, name_index const&) = default;

private:
    /// Names that do not fit, or lines, before no more are tried.
    static constexpr int misses_most = 50;

    /// Notes the names of what has left; calls prune() after each.
    template <class Draft, class Prune>
    struct noter {
        Draft const& draft;
        memory& names;
        Prune const& prune;
        bool remembers = names.left() != 0;  ///< then the memory has what earlier lists had

        void message(std::uint32_t index) const {
            names.add_tokens(draft.measured(draft.message_cost(index)).count);
            draft.each_original(sequence{index}, [&](part_ref, part_view const& part) { note(index, part, true); });
        }
        /// Of what was cut only names are noted that are not known yet.
        void cut(part_ref place, part_view const& original) const { note(place.message_index, original, false); }
        /// The same of the list in a summary, which a run without a memory has left.
        void summary(group which) const {
            if (remembers) return;
            draft.each_part(which, [&](part_ref, part_view const& part) {
                detail::name_list::read(part.text, [&](item_kind kind, std::string_view item,
                                                       detail::name_context const& beside, std::string_view label) {
                    if (names.find(item) == nullptr) names.add(kind, item, beside, label, 0, false);
                    prune();
                });
            });
        }

    private:
        void note(std::uint32_t index, part_view const& part, bool leaves) const {
            bool const by_assistant = draft.outline().message_at(index).speaker == role::assistant;
            detail::each_name(part, [&](item_kind kind, std::string_view item, detail::name_context const& beside) {
                if (leaves || names.find(item) == nullptr) names.add(kind, item, beside, {}, index, by_assistant);
                prune();
            });
        }
    };

    /// The names that are not visible, as (score, index), the best first.
    template <class ScoreOf>
    static std::vector<std::pair<std::int64_t, std::uint32_t>> ranking(memory& names, ScoreOf const& score_of) {
        auto& all = names.entries();
        std::vector<std::pair<std::int64_t, std::uint32_t>> order;
        for (std::uint32_t index = 0; index < all.size(); ++index)
            if (!all[index].visible) order.push_back({score_of(all[index]), index});
        detail::sort(order, [&](auto const& a, auto const& b) {
            if (a.first != b.first) return a.first > b.first;
            auto const& left = all[a.second];
            auto const& right = all[b.second];
            return left.newest != right.newest ? left.newest > right.newest : left.size < right.size;
        });
        return order;
    }
    /// The list of those that fit: lines first, then names that stand in none of them. `whole`: all do.
    std::string list(memory& names, std::vector<std::pair<std::int64_t, std::uint32_t>> const& order,
                     std::uint64_t room, bool& whole) const {
        auto const of_lines = detail::scale_down(room, lines.basis_points, percent::whole);
        detail::name_list listed{room, memory::most};
        int misses = 0;
        for (auto const& place : order) {
            auto const& name = names.entries()[place.second];
            if (name.visible || name.line.empty()) continue;
            bool const fits = room - listed.room() + detail::half_tokens(name.line) <= of_lines;
            if (fits && listed.add_line(name.line)) names.mark_visible(name.line);
            else if (++misses == misses_most) break;
        }
        misses = 0;
        for (auto const& place : order) {
            auto& name = names.entries()[place.second];
            if (name.visible) continue;
            if (listed.add(name.kind, name.text, name.label)) names.mark_listed(name);
            else {
                whole = false;
                if (++misses == misses_most) break;
            }
        }
        return listed.text();
    }
};

}  // namespace v1
}  // namespace condense
