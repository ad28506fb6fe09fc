// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/shorten/by_content.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/shorten_arguments.hpp>
#include <condense/shorten/superseded_reads.hpp>

#include "conversation.hpp"
#include "summary.hpp"

// The pipeline `folding` of pairs.hpp, by hand: large results are stored as they come; at 90 % of the input what a
// later result makes needless goes, then results are cut by what they look like, until 25 %; at 95 % the oldest become
// a summary by the model, or by rule where it fails; at 98 % the oldest go. No provider reports what it has cached.
// Shorteners are the library's, as functions of text. What takes reasoning out, and what runs the layers harder above
// 98 %, is not written: it is checked that nobody comes there.

namespace by_hand {

/// Results that a later one makes needless: of a file that was read again or written since, or the same once more.
class needless {
public:
    needless(run const& r) : run_{r}, fates_(r.now.parts.size()) {
        find_old_reads();
        find_same();
    }

    /// What to say in place of a result; nothing where it says something new.
    std::optional<std::string> note(std::uint32_t index, std::uint32_t place, condense::cut const& how) const {
        auto const& found = fates_[run_.now.kept.notes[index].first_part + place];
        std::string_view const whole = run_.history[index].parts[place].text;
        auto const text = run_.text_of(index, place);
        if (found.use != nobody && whole.size() > condense::omission_limit) {
            auto const& use = uses_[found.use];
            return condense::omission_of_all(
                whole, use.file, use.rewritten ? " was written since, read it again" : " was read again further on",
                how.how);
        }
        if (found.same.message == nobody) return std::nullopt;
        auto const [later, at] = found.same;
        if (run_.text_of(later, at) != text) return std::nullopt;  // shortened since
        auto const tool = run_.view(later, at).tool;
        bool const same = run_.history[later].parts[at].text == whole;
        return condense::omission_of_all(
            same ? whole : text, tool,
            tool.empty() ? "a later result is the same" : ": a later result of it is the same", how.how);
    }

private:
    struct spot {
        std::uint32_t message = nobody;
        std::uint32_t part = 0;
    };
    struct fate {
        std::uint32_t use = nobody;  ///< that is old
        spot same = {};              ///< the newest result that is the same
    };
    /// A call that reads or writes a file, with its newest result.
    struct file_use {
        std::string file;
        std::string_view tool;  ///< none for writes
        std::string range;      ///< none where all is read
        std::uint32_t answer = nobody;
        bool failed = false;
        bool rewritten = false;
    };
    /// The newest answers for a file.
    struct newest_of {
        struct piece {
            std::string_view tool;
            std::string_view range;
            std::uint32_t read;  ///< one past its part_id
        };
        std::uint32_t written = 0;
        std::vector<piece> pieces;
    };

    void find_old_reads() {
        struct result {
            std::uint32_t part_id;
            std::uint32_t use;
        };
        condense::superseded_reads<> const rule;
        std::unordered_map<std::string_view, std::uint32_t> by_id;
        std::vector<result> results;
        each_part([&](std::uint32_t index, std::uint32_t place, std::uint32_t part_id) {
            auto const& part = run_.history[index].parts[place];
            if (part.kind == part_kind::tool_result) {
                auto const asking = by_id.find(part.call);
                if (part.call.empty() || asking == by_id.end()) return;
                auto& use = uses_[asking->second];
                use.answer = part_id;
                use.failed = use.failed || part.status != condense::part_status::ok;
                results.push_back({part_id, asking->second});
                return;
            }
            if (part.kind != part_kind::tool_call) return;
            auto const call = view_of(part, run_.text_of(index, place));
            bool const reads = part.status == condense::part_status::ok && rule.reads.holds(call);
            bool const writes = !reads && part.status == condense::part_status::ok && rule.writes.holds(call);
            auto file = reads || writes ? rule.key(call) : std::nullopt;
            if (!file || file->empty()) {
                by_id.erase(part.call);
                return;
            }
            by_id.insert_or_assign(part.call, static_cast<std::uint32_t>(uses_.size()));
            uses_.push_back({std::move(*file), reads ? std::string_view{part.tool} : std::string_view{},
                             reads ? rule.range(call) : std::string{}});
        });

        std::unordered_map<std::string_view, newest_of> files;
        for (auto const& use : uses_) {
            if (use.answer == nobody || use.failed) continue;
            auto& newest = files[use.file];
            if (use.tool.empty()) newest.written = std::max(newest.written, use.answer + 1);
            else {
                auto const same = [&](newest_of::piece const& one) {
                    return one.tool == use.tool && one.range == use.range;
                };
                auto const found = std::find_if(newest.pieces.begin(), newest.pieces.end(), same);
                if (found == newest.pieces.end()) newest.pieces.push_back({use.tool, use.range, use.answer + 1});
                else found->read = std::max(found->read, use.answer + 1);
            }
        }
        std::vector<bool> old(uses_.size());
        for (std::size_t at = 0; at < uses_.size(); ++at) {
            auto& use = uses_[at];
            if (use.answer == nobody || use.failed || use.tool.empty()) continue;
            auto const& newest = files[use.file];
            std::uint32_t read = 0;
            for (auto const& one : newest.pieces)
                if (one.tool == use.tool && (one.range.empty() || one.range == use.range))
                    read = std::max(read, one.read);
            auto const mine = use.answer + 1;
            bool const again = read > mine && read > newest.written;
            use.rewritten = !again;
            old[at] = again || newest.written > mine;
        }
        for (auto const& each : results)
            if (old[each.use]) fates_[each.part_id].use = each.use;
    }

    /// Only texts of the same size are compared.
    void find_same() {
        struct candidate {
            std::uint32_t message;
            std::uint32_t part;
            std::uint32_t part_id;
            std::string_view text;
        };
        std::vector<candidate> found;
        each_part([&](std::uint32_t index, std::uint32_t place, std::uint32_t part_id) {
            auto const& part = run_.history[index].parts[place];
            if (part.kind != part_kind::tool_result || part.sealed || part.status == condense::part_status::pending)
                return;
            auto const text = run_.text_of(index, place);
            if (text.size() <= condense::omission_limit || run_.now.kept.notes[run_.now.kept.notes[index].group].orphan)
                return;
            found.push_back({index, place, part_id, text});
        });
        std::sort(found.begin(), found.end(), [](candidate const& left, candidate const& right) {
            if (left.text.size() != right.text.size()) return left.text.size() < right.text.size();
            auto const order = left.text.compare(right.text);
            return order != 0 ? order < 0 : left.part_id < right.part_id;
        });
        for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
            for (end = begin + 1; end < found.size() && found[end].text == found[begin].text;) ++end;
            for (auto at = begin; at + 1 < end; ++at)
                fates_[found[at].part_id].same = {found[end - 1].message, found[end - 1].part};
        }
    }

    template <class Function>
    void each_part(Function const& f) const {
        for (std::uint32_t index = 0; index < run_.now.size(); ++index) {
            if (!run_.now.kept.there(index)) continue;
            auto const first = run_.now.kept.notes[index].first_part;
            for (std::uint32_t place = 0; place < run_.history[index].parts.size(); ++place)
                f(index, place, first + place);
        }
    }

    run const& run_;
    std::vector<file_use> uses_;
    std::vector<fate> fates_;  ///< by part_id
};

template <class Journal, class Store, class Model>
struct folding_layers {
    Journal journal;
    Store store;
    Model model;

    bool arrive(run& r, std::uint32_t index, bool) const {
        auto const& parts = r.history[index].parts;
        bool done = true;
        for (std::uint32_t place = 0; place < parts.size(); ++place) {
            auto const& part = parts[place];
            if (part.kind != part_kind::tool_result || part.text.size() <= 10'000) continue;
            if ((part.tool.empty() ? r.tool_of(index, part.call) : part.tool) == "read_artifact") continue;
            done = store_large(r, index, place, store) && done;
        }
        return done;
    }

    bool due(run const& r) const { return r.reaches(90); }

    void reduce(run& r) const {
        if (r.reaches(90)) fold(r);
        if (r.reaches(90)) shorten(r);
        if (r.reaches(95)) {
            auto const some = cost::of({floor_share(r.limits.input().count, 15)});
            auto const recent = newest(r.now, [&](std::uint64_t, cost sum) { return sum <= some; });
            zone const spared{0, std::min(recent, r.now.kept.unanswered()), r.now.kept.task};
            summary_layer layer{r, spared, 25};
            if (!layer.write(asked<Model>{model})) layer.write(ruled{});
        }
        if (r.reaches(98)) {
            auto const target = condense::percent{7'840}.of(r.limits.input()).count;
            drop_oldest(r, {0, r.now.kept.unanswered(), r.now.kept.task}, [&] { return r.used() <= target; });
        }
        if (r.reaches(98)) throw not_by_hand{"folding by hand: over 98 % is left"};
    }

private:
    static zone recent(run const& r) {
        return {0, newest(r.now, [](std::uint64_t count, cost) { return count <= 8; }), r.now.kept.task};
    }

    /// Calls f(index, place) for each part that is in no zone until 25 % is reached.
    template <class Function>
    static void each_old_part(run& r, Function const& f) {
        auto const spared = recent(r);
        for (std::uint32_t index = 0; index < r.now.size() && !r.within(25); ++index) {
            if (!r.may_cut(index) || spared.holds(index)) continue;
            auto const parts = r.history[index].parts.size();
            for (std::uint32_t place = 0; place < parts && !r.within(25); ++place) f(index, place);
        }
    }

    static void fold(run& r) {
        needless const old{r};
        each_old_part(r, [&](std::uint32_t index, std::uint32_t place) {
            auto const& part = r.history[index].parts[place];
            auto& note = r.now.part(index, place);
            if (part.kind == part_kind::reasoning) throw not_by_hand{"folding by hand: there is reasoning"};
            if (part.sealed) return;
            condense::cut const how{.how = {.stored = note.stored, .recorded = true}};
            if (part.kind == part_kind::tool_call) {
                if (part.text.size() <= 2'000) return;
                if (auto shorter = condense::shorten_arguments<>{}(view_of(part, part.text), how))
                    r.replace(index, place, std::move(*shorter), note.stored);
            } else if (part.kind == part_kind::tool_result &&
                       !condense::text_limit{condense::chars{200}}.holds(part.text))
                if (auto said = old.note(index, place, how);
                    said && r.replace(index, place, std::move(*said), note.stored))
                    note.settled = true;
        });
    }

    /// Both ends of a text, 250 characters each; of JSON and logs what is rare in them.
    static auto by_look() {
        constexpr condense::head_tail ends{condense::chars{250}, condense::chars{250}, {}};
        return condense::by_content{.diff = ends, .search_hits = ends, .code = ends, .prose = ends, .binary = ends};
    }

    static void shorten(run& r) {
        auto const cut = by_look();
        each_old_part(r, [&](std::uint32_t index, std::uint32_t place) {
            auto const& part = r.history[index].parts[place];
            auto& note = r.now.part(index, place);
            if (note.settled || part.kind != part_kind::tool_result || part.sealed || part.text.size() <= 500) return;
            condense::cut const how{.how = {.stored = note.stored, .recorded = true}, .over = condense::chars{500}};
            // Until it makes no more of its own output, so that a later run finds nothing to do.
            auto const settled = [&](condense::part_view seen) {
                std::optional<std::string> shorter;
                for (auto next = cut(seen, how); next && (!shorter || next->size() < shorter->size());
                     next = cut(seen, how)) {
                    shorter = std::move(next);
                    seen.text = *shorter;
                }
                return shorter;
            };
            auto const put = [&](std::string_view text) {
                auto shorter = settled(view_of(part, text));
                return shorter && r.replace(index, place, std::move(*shorter), note.stored);
            };
            if (!put(part.text) && note.edited) put(r.text_of(index, place));
            note.settled = true;
        });
    }
};

template <class Journal, class Store, class Model>
folding_layers(Journal, Store, Model) -> folding_layers<Journal, Store, Model>;

}  // namespace by_hand
