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

/// No index: the default of `summarize::leaves`.
struct no_index {
    using memory = detail::no_memory;
    friend constexpr bool operator==(no_index const&, no_index const&) = default;
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
    template <class Draft>
    std::string write(Draft const& draft, memory& names, std::vector<group> const& leaving, tokens limit) const {
        auto const input = draft.limits().input().count;
        auto const score_of = [&](typename memory::entry const& name) {
            auto const since = names.left() - name.left;
            return score(name_facts{.kind = name.kind,
                                    .text = name.text,
                                    .label = name.label,
                                    .uses = name.uses,
                                    .age = input == 0 ? 0 : detail::mul_capped(since, 100) / input,
                                    .size = detail::half_tokens(own_part(name))});
        };
        auto const prune = [&] { names.prune(score_of); };
        leaving_set const leaves{draft, leaving};
        note_edits(draft, names, leaves, prune);
        for (auto const which : leaving) note_group(draft, names, which, prune);
        names.prune(score_of, true);
        for (auto& name : names.entries()) name.visible = false;
        for (auto const which : draft.groups())
            if (!leaves.holds(which))
                draft.each_part(which, [&](part_ref, part_view const& part) {
                    if (part.kind != part_kind::media) names.mark_visible(part.text);
                });
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
            if (size <= limit && (whole || attempt == 5 || size.count >= limit.count - limit.count / 32)) break;
            room = detail::scale_down(room, limit.count, size.count);
            room -= room / 64;
        }
        return best;
    }

    friend constexpr bool operator==(name_index const&, name_index const&) = default;

private:
    /// Names that do not fit, or lines, before no more are tried.
    static constexpr int misses_most = 50;

    /// The groups that are about to leave, ascending as `draft.groups()` shows them.
    class leaving_set {
    public:
        template <class Draft>
        leaving_set(Draft const& draft, std::vector<group> const& groups) {
            for (auto const which : groups) {
                places_.push_back(place_of(which));
                if (which.is_summary()) continue;
                auto const last = std::uint64_t{draft.outline().group_at(which.id()).last} + 1;
                if (last > end_of_messages_) end_of_messages_ = last;
            }
            detail::sort(places_, [](std::uint32_t a, std::uint32_t b) { return a < b; });
        }
        /// The newest message of them, plus one.
        std::uint64_t end_of_messages() const noexcept { return end_of_messages_; }
        bool holds(group which) const noexcept {
            std::size_t begin = 0;
            for (auto end = places_.size(); begin < end;) {
                auto const middle = begin + (end - begin) / 2;
                if (places_[middle] == place_of(which)) return true;
                if (places_[middle] < place_of(which)) begin = middle + 1;
                else end = middle;
            }
            return false;
        }

    private:
        static std::uint32_t place_of(group which) noexcept { return 2 * which.id() + (which.is_summary() ? 0u : 1u); }

        std::vector<std::uint32_t> places_;
        std::uint64_t end_of_messages_ = 0;
    };

    /// What a name costs beside others: paths share their folders.
    static constexpr std::string_view own_part(typename memory::entry const& name) noexcept {
        std::string_view const text = name.text;
        return name.kind == item_kind::path ? text.substr(text.rfind('/') + 1) : text;
    }

    /// Notes the messages that other layers have dropped since the last time, as far as they were not released, and the
    /// parts that layers have cut in what stays. Costs a look at what came since the last time and at what is sent, and
    /// at the originals of what was cut since.
    template <class Draft, class Prune>
    static void note_edits(Draft const& draft, memory& names, leaving_set const& leaving, Prune const& prune) {
        names.each_staying(leaving.end_of_messages(), [&](auto& staying) {
            auto const index = static_cast<std::uint32_t>(staying.number);
            group const which{draft.outline().group_of(index)};
            if (leaving.holds(which)) return false;
            if (draft.edits().is_dropped(which.id())) {
                note_message(draft, names, index, prune);
                return false;
            }
            auto const present = draft.message_cost(index).steps;
            if (present < staying.cost) note_cuts(draft, names, index, prune);
            staying.cost = present;
            return true;
        });
    }
    template <class Draft, class Prune>
    static void note_cuts(Draft const& draft, memory& names, std::uint32_t index, Prune const& prune) {
        auto const& message = draft.outline().message_at(index);
        for (std::uint32_t part = 0; part < message.part_count; ++part) {
            auto const part_id = message.first_part + part;
            auto const* const edit = draft.edits().edit_of(part_id);
            if (edit == nullptr || edit->kind == edit_kind::restore) continue;
            part_ref const place{index, part, part_id};
            draft.original(place,
                           [&](part_view const& original) { note_part(draft, names, place, original, false, prune); });
        }
    }
    template <class Draft, class Prune>
    static void note_group(Draft const& draft, memory& names, group which, Prune const& prune) {
        if (which.is_summary() || draft.is_summary(which)) return note_list(draft, names, which, prune);
        draft.each_member(which, [&](std::uint32_t index) { note_message(draft, names, index, prune); });
    }
    template <class Draft, class Prune>
    static void note_message(Draft const& draft, memory& names, std::uint32_t index, Prune const& prune) {
        if (draft.outline().message_at(index).released) return;
        names.add_tokens(draft.measured(draft.message_cost(index)).count);
        draft.each_original(sequence{index}, [&](part_ref ref, part_view const& part) {
            note_part(draft, names, ref, part, true, prune);
        });
    }
    /// `leaves`: its message does; else only names that are not known yet are noted. Calls prune() after each name.
    template <class Draft, class Prune>
    static void note_part(Draft const& draft, memory& names, part_ref ref, part_view const& part, bool leaves,
                          Prune const& prune) {
        bool const by_assistant = draft.outline().message_at(ref.message_index).speaker == role::assistant;
        detail::each_name(part, [&](item_kind kind, std::string_view item, detail::name_context const& beside) {
            if (leaves || names.find(item) == nullptr)
                names.add(kind, item, beside, {}, ref.message_index, by_assistant);
            prune();
        });
    }
    /// Takes the names that are not known from the list in a summary.
    template <class Draft, class Prune>
    static void note_list(Draft const& draft, memory& names, group which, Prune const& prune) {
        draft.each_part(which, [&](part_ref, part_view const& part) {
            detail::name_list::read(part.text, [&](item_kind kind, std::string_view item,
                                                   detail::name_context const& beside, std::string_view label) {
                if (names.find(item) == nullptr) names.add(kind, item, beside, label, 0, false);
                prune();
            });
        });
    }
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
            if (left.newest != right.newest) return left.newest > right.newest;
            return left.text.size() != right.text.size() ? left.text.size() < right.text.size()
                                                         : left.text < right.text;
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
            auto const& name = names.entries()[place.second];
            if (name.visible) continue;
            if (listed.add(name.kind, name.text, name.label)) {
                names.mark_visible(name.text);
                names.mark_visible(name.label);
            } else {
                whole = false;
                if (++misses == misses_most) break;
            }
        }
        return listed.text();
    }
};

}  // namespace v1
}  // namespace condense
