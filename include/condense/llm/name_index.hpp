// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/edit.hpp>
#include <condense/core/file_of_call.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/core/pass.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/heap.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/edits_of_call.hpp>
#include <condense/llm/name_list.hpp>
#include <condense/llm/name_table.hpp>
#include <condense/llm/names.hpp>
#include <condense/llm/record_line.hpp>

// What leaves the conversation leaves its names: ids, paths, numbers, quoted strings and names of code, in one list
// inside the summary: summarize{.with = no_prose{}, .leaves = name_index{}}.

namespace condense {
inline namespace v1 {

/// A rule that writes nothing: the summary is what the layer's index lists.
struct no_prose {
    struct notes {
        static constexpr bool reads_nothing = true;
        static constexpr void see(role, part_view const&, bool) noexcept {}
        static std::string text(chars) { return {}; }
    };
    static constexpr notes open() noexcept { return {}; }
    friend constexpr bool operator==(no_prose const&, no_prose const&) = default;
};

/// Lists the names of all that has left a session, the best first by their score, as far as they fit a share of the
/// input, and quotes the lines of the very best. What stands in what stays is not repeated. Names that layers such as
/// compress and offload have cut out of messages that stay are listed as well. A line is not quoted where a later call
/// has changed what it names, or has written another text in its place, as far as `each_edit` can read that. Costs a
/// look at each message when it leaves, and at what stays; the memory holds at most 4,096 names with a label and a
/// line. In a run on its own (`reduce`) the names of an earlier list are taken from its text.
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

    /// Notes the names in a part; of one that was cut those that are not known yet, as of the list in a summary, which
    /// is passed over where this memory has seen what it stands for.
    void see(memory& names, leaving_part const& seen) const {
        if (seen.why == departure::summary) {
            if (seen.is_known) return;
            return detail::name_list::read(
                seen.part.text,
                [&](item_kind kind, std::string_view item, detail::name_context const& beside, std::string_view label) {
                    if (names.find(item) == nullptr) names.add(kind, item, beside, label, {});
                    prune(names, seen.input);
                });
        }
        names.add_tokens(seen.size.count);
        detail::name_source from{seen.message, seen.speaker == role::assistant};
        auto const of_file = [&](part_view const& call) {
            auto const script = detail::script_in(call);
            from.file = file_hash(file_of_call{}(call).value_or(std::string{detail::file_shown_by(script)}));
        };
        if (seen.part.kind == part_kind::tool_call) of_file(seen.part);
        bool const is_result = seen.part.kind == part_kind::tool_result;
        bool const succeeded =
            is_result && seen.part.status != part_status::error && !detail::is_error_text(seen.part.text);
        if (is_result) seen.call(of_file);
        if (succeeded) seen.call([&](part_view const& call) { see_change(names, call, seen.message); });
        detail::each_name(seen.part, [&](item_kind kind, std::string_view item, detail::name_context const& beside) {
            if (seen.why == departure::left || names.find(item) == nullptr) names.add(kind, item, beside, {}, from);
            prune(names, seen.input);
        });
        if (!succeeded) return;
        seen.call([&](part_view const& call) {
            detail::each_edit(call, usual_edit_members, [&](file_edit const& edit) {
                from.file = file_hash(edit.file);
                names.see_edit(edit, from);
            });
        });
    }
    /// The list, of at most `room.limit`. Names in the summary so far are not repeated.
    std::string write(memory& names, index_room const& given) const {
        auto const limit = given.limit;
        auto const score_of = scorer(names, given.input);
        for (auto& name : names.entries()) name.visible = false;
        given.each_kept([&](std::string_view text) { names.mark(text, &memory::entry::visible); });
        names.mark(given.before, &memory::entry::visible);
        for (auto beside = given.beside; !beside.empty();)
            if (auto const line = detail::take_line(beside); line.starts_with("> "))
                names.each_in(line, [&](std::uint32_t number) {
                    if (names.entries()[number].line == line.substr(2)) names.mark(line, &memory::entry::visible);
                });
        ranking order{names, score_of};
        auto const quoted = quotable(names, order, score_of, given);
        // Half tokens are a guess, corrected by the list before: this one is written again where it does not fit, or
        // leaves much room.
        auto room = detail::scale_down(limit.count, names.halves_in_64, 64);
        std::string best;
        for (int attempt = 0; attempt < 6; ++attempt) {
            auto next = list(names, order, quoted, room);
            auto const size = given.tokens_of(next.text);
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
    /// Of the last part of a path, as the folder may be written or not; 0 for none.
    static constexpr std::uint64_t file_hash(std::string_view path) noexcept {
        return path.empty() ? 0 : detail::fnv1a(path.substr(path.rfind('/') + 1));
    }
    /// Lines with the subject of a call that changed something are stale from now on.
    static void see_change(memory& names, part_view const& call, std::uint64_t message) {
        names.each_in(detail::changing_call_of(call).subject, [&](std::uint32_t number) {
            auto& latest = names.entries()[number].changed;
            latest = latest < message ? message : latest;
        });
    }
    /// Names that do not fit, or lines, before no more are tried.
    static constexpr int misses_most = 50;
    /// Lines that are weighed against each other, in times of the room for them.
    static constexpr std::uint64_t lines_read = 4;

    /// The score of an entry of the memory.
    auto scorer(memory const& names, tokens input) const {
        return [this, &names, input = input.count](typename memory::entry const& name) {
            auto const since = names.left() - name.left;
            return score(name_facts{.kind = name.kind,
                                    .text = name.text,
                                    .label = name.label,
                                    .uses = name.uses,
                                    .age = input == 0 ? 0 : detail::mul_capped(since, 100) / input,
                                    .size = name.size});
        };
    }

    /// The names that are not visible, the best first. Sorted no further than they are asked for.
    class ranking {
    public:
        template <class ScoreOf>
        ranking(memory& names, ScoreOf const& score_of) {
            auto const& all = names.entries();
            for (std::uint32_t index = 0; index < all.size(); ++index)
                if (!all[index].visible) heap_.push_back({score_of(all[index]), all[index].newest, index});
            size_ = heap_.size();
            detail::make_heap(heap_);
        }
        std::size_t size() const noexcept { return size_; }
        /// The index of a name.
        std::uint32_t operator[](std::size_t rank) {
            while (best_.size() <= rank) {
                best_.push_back(heap_[0].index);
                detail::pop_first(heap_);
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

        std::vector<place> heap_;
        std::vector<std::uint32_t> best_;
        std::size_t size_ = 0;
    };
    /// Leaves the best names of twice as many.
    void prune(memory& names, tokens input) const {
        if (names.entries().size() <= 2 * memory::most) return;
        for (auto& name : names.entries()) name.visible = name.listed = false;
        ranking order{names, scorer(names, input)};
        for (std::size_t rank = 0; rank < memory::most; ++rank) names.entries()[order[rank]].listed = true;
        names.keep([](typename memory::entry const& name) { return name.listed; });
    }
    struct written_list {
        std::string text = {};
        std::uint64_t half_tokens = 0;
        bool is_whole = true;  ///< no name was left out
    };
    /// A line that may be quoted, and the names in it that stand nowhere else.
    struct quotable_line {
        std::string_view text;
        std::uint64_t place = 0;  ///< in the conversation
        std::uint64_t size = 0;
        std::vector<std::pair<std::uint32_t, std::uint64_t>> worth = {};  ///< of each name, by its number

        /// Of the names that are not listed, for each half token.
        std::uint64_t density(memory& names) const {
            std::uint64_t sum = 0;
            for (auto const& [number, worth_of_name] : worth)
                if (!names.entries()[number].listed) sum = detail::add_capped(sum, worth_of_name);
            return sum / size;
        }
    };
    struct ranked_line {
        std::uint64_t rank = 0;
        std::size_t index = 0;

        bool before(ranked_line const& other) const noexcept {
            return rank != other.rank ? rank > other.rank : index < other.index;
        }
    };
    /// The lines of the best names, some four times as much as there is room for.
    template <class ScoreOf>
    std::vector<quotable_line> quotable(memory& names, ranking& order, ScoreOf const& score_of,
                                        index_room const& given) const {
        std::vector<quotable_line> found;
        auto most = detail::scale_down(detail::mul_capped(given.limit.count, lines_read), names.halves_in_64, 64);
        most = detail::scale_down(most, lines.basis_points, percent::one_hundred);
        for (auto& name : names.entries()) name.listed = false;
        for (std::size_t rank = 0; rank < order.size() && most != 0; ++rank) {
            auto const& name = names.entries()[order[rank]];
            if (name.line.empty() || name.listed) continue;
            quotable_line line{.text = name.line,
                               .place = (name.quoted << 32) + (name.place & detail::none32),
                               .size = detail::half_tokens(name.line) + 3};
            bool is_stale = false;
            names.each_in(name.line, [&](std::uint32_t number) {
                auto& other = names.entries()[number];
                is_stale = is_stale || other.changed > name.quoted;
                if (other.visible) return;
                for (auto const& known : line.worth)
                    if (known.first == number) return;
                line.worth.emplace_back(number, worth_of(score_of(other), other.size));
                other.listed = other.listed || other.line == name.line;
            });
            if (is_stale) continue;
            most = detail::sub_capped(most, line.size);
            found.push_back(std::move(line));
        }
        return found;
    }
    /// Two points of a score are a worth that is twice as high for each half token.
    static constexpr std::uint64_t worth_of(std::int64_t score, std::uint32_t size) noexcept {
        auto const shift = (score < -40 ? -40 : score > 40 ? 40 : score) + 40;
        return (std::uint64_t{size} << (shift / 2)) * (shift % 2 == 0 ? 128u : 181u);  // 128 times the root of 2
    }

    /// The list of those that fit: lines first, those whose names are worth most for their length, then names that
    /// stand in none of them.
    written_list list(memory& names, ranking& order, std::vector<quotable_line> const& quoted,
                      std::uint64_t room) const {
        auto of_lines = detail::scale_down(room, lines.basis_points, percent::one_hundred);
        for (auto& name : names.entries()) name.listed = false;
        detail::name_list listed{room, 2 * memory::most};
        // A line that was taken lessens the worth of others, so each is weighed again when it comes first.
        std::vector<ranked_line> heap, chosen;
        heap.reserve(quoted.size());
        for (std::size_t index = 0; index < quoted.size(); ++index)
            heap.push_back({quoted[index].density(names), index});
        detail::make_heap(heap);
        int misses = 0;
        while (!heap.empty() && misses < misses_most) {
            auto const& line = quoted[heap[0].index];
            auto const density = line.density(names);
            if (density < heap[0].rank) {
                heap[0].rank = density;
                detail::sink(heap, 0);
                continue;
            }
            if (density == 0) break;
            if (line.size <= of_lines && listed.take_room(line.text)) {
                of_lines -= line.size;
                chosen.push_back({~line.place, heap[0].index});
                for (auto const& known : line.worth) names.entries()[known.first].listed = true;
            } else ++misses;
            detail::pop_first(heap);
        }
        detail::make_heap(chosen);
        for (; !chosen.empty(); detail::pop_first(chosen)) listed.add_line(quoted[chosen[0].index].text);
        written_list result;
        misses = 0;
        for (std::size_t rank = 0; rank < order.size() && misses < misses_most; ++rank) {
            auto& name = names.entries()[order[rank]];
            if (name.listed || name.visible) continue;
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
