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
        detail::reject_unless(lines.basis_points <= percent::one_hundred,
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
        for (auto& name : names.entries()) name.visible = false;
        for (auto const which : draft.groups())
            if (!leaves.holds(which))
                draft.each_part(which, [&](part_ref, part_view const& part) {
                    if (part.kind != part_kind::media) names.mark(part.text, &memory::entry::visible);
                });
        names.mark(before, &memory::entry::visible);
        ranking order{names, score_of};
        // Half tokens are a guess, corrected by the list before: this one is written again where it does not fit, or
        // leaves much room.
        auto room = detail::scale_down(limit.count, names.halves_in_64, 64);
        std::string best;
        for (int attempt = 0; attempt < 6; ++attempt) {
            auto next = list(names, order, room);
            auto const size = draft.measured(draft.estimator()(next.text)).count;
            names.learn(next.half_tokens, size);
            bool const fits = size <= limit.count;
            if (fits && next.text.size() > best.size()) best = std::move(next.text);
            if (fits && (next.is_whole || size >= limit.count - limit.count / 16)) break;
            room = detail::scale_down(limit.count, names.halves_in_64, 64);
            room -= room / 64 * static_cast<unsigned>(attempt);
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

        void message(std::uint32_t index) const {
            names.add_tokens(draft.measured(draft.message_cost(index)).count);
            draft.each_original(sequence{index}, [&](part_ref, part_view const& part) { note(index, part, true); });
        }
        /// Of what was cut only names are noted that are not known yet.
        void cut(part_ref place, part_view const& original) const { note(place.message_index, original, false); }
        /// The same of the list in a summary, which may be of a run without a memory, or of another layer.
        void summary(group which) const {
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

    /// The names that are not visible, the best first. Sorted no further than they are asked for.
    class ranking {
    public:
        template <class ScoreOf>
        ranking(memory& names, ScoreOf const& score_of) {
            auto const& all = names.entries();
            for (std::uint32_t index = 0; index < all.size(); ++index)
                if (!all[index].visible) heap_.push_back({score_of(all[index]), all[index].newest, index});
            size_ = heap_.size();
            for (auto parent = size_ / 2; parent-- != 0;) sink(parent);
        }
        std::size_t size() const noexcept { return size_; }
        /// The index of a name.
        std::uint32_t operator[](std::size_t rank) {
            while (best_.size() <= rank) {
                best_.push_back(heap_[0].index);
                heap_[0] = heap_.back();
                heap_.pop_back();
                if (!heap_.empty()) sink(0);
            }
            return best_[rank];
        }

    private:
        struct place {
            std::int64_t score = 0;
            std::uint64_t newest = 0;
            std::uint32_t index = 0;

            /// Of equal names the newer goes first, then the one that was known first.
            bool before(place const& other) const noexcept {
                if (score != other.score) return score > other.score;
                return newest != other.newest ? newest > other.newest : index < other.index;
            }
        };
        void sink(std::size_t parent) noexcept {
            auto const moved = heap_[parent];
            for (auto child = 2 * parent + 1; child < heap_.size(); child = 2 * parent + 1) {
                if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
                if (!heap_[child].before(moved)) break;
                heap_[parent] = heap_[child];
                parent = child;
            }
            heap_[parent] = moved;
        }

        std::vector<place> heap_;
        std::vector<std::uint32_t> best_;
        std::size_t size_ = 0;
    };
    struct written_list {
        std::string text = {};
        std::uint64_t half_tokens = 0;
        bool is_whole = true;  ///< no name was left out
    };
    /// The list of those that fit: lines first, then names that stand in none of them.
    written_list list(memory& names, ranking& order, std::uint64_t room) const {
        auto const of_lines = detail::scale_down(room, lines.basis_points, percent::one_hundred);
        for (auto& name : names.entries()) name.listed = false;
        detail::name_list listed{room, 2 * memory::most};
        int misses = 0;
        for (std::size_t rank = 0; rank < order.size() && misses < misses_most; ++rank) {
            auto const& name = names.entries()[order[rank]];
            if (name.listed || name.line.empty()) continue;
            bool const fits = room - listed.room() + detail::half_tokens(name.line) <= of_lines;
            if (fits && listed.add_line(name.line)) names.mark(name.line, &memory::entry::listed);
            else ++misses;
        }
        written_list result;
        misses = 0;
        for (std::size_t rank = 0; rank < order.size() && misses < misses_most; ++rank) {
            auto& name = names.entries()[order[rank]];
            if (name.listed) continue;
            if (listed.add(name.kind, name.text, name.label)) names.mark_listed(name);
            else ++misses;
        }
        result.is_whole = misses == 0;
        result.half_tokens = room - listed.room();
        result.text = listed.text();
        return result;
    }
};

}  // namespace v1
}  // namespace condense
