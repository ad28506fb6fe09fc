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
#include <condense/detail/json_members.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/sort.hpp>
#include <condense/llm/name_table.hpp>

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

namespace detail {

inline constexpr std::string_view index_head = "Names in what has left, behind the word that stood before them:";

/// The word before the item at `begin`, on its line: a key, or a word of prose. Quotes, brackets and the signs between
/// a key and its value may stand between them. Empty if there is none.
constexpr std::string_view label_before(std::string_view text, std::size_t begin) noexcept {
    constexpr std::string_view between = " \t\"'`:=([{#*<>@$\\-/.";
    auto end = begin;
    while (end != 0 && begin - end < 8 && !is_word_byte(text[end - 1]) &&
           between.find(text[end - 1]) != std::string_view::npos)
        --end;
    auto first = end;
    while (first != 0 && end - first <= name_table::label_most && name_table::is_label_byte(text[first - 1])) --first;
    auto const word = text.substr(first, end - first);
    for (char const byte : word)
        if (is_letter(byte)) return name_table::is_label(word) ? word : std::string_view{};
    return {};
}

/// Calls f(kind, item, label) for the items of a part; label() looks for the label. Items of arguments are taken from
/// their decoded values, so that no escape becomes part of a name; their label is the word before them, else the key.
template <class Function>
void each_name(part_view const& part, Function&& f) {
    if (part.kind == part_kind::media) return;
    auto const each_in = [&](std::string_view text, std::string_view key) {
        each_item(text, [&](item_kind kind, std::string_view item) {
            f(kind, item, [&] {
                auto const word = label_before(text, static_cast<std::size_t>(item.data() - text.data()));
                return word.empty() && name_table::is_label(key) ? key : word;
            });
        });
    };
    if (part.kind != part_kind::tool_call || !json::valid(part.text)) return each_in(part.text, {});
    json::scanner scan{part.text};
    std::string_view key;
    for (auto token = scan.next(); token != json::token::done; token = scan.next()) {
        if (token == json::token::key) {
            key = scan.text().substr(1, scan.text().size() - 2);
            each_in(key, {});
        } else if (token == json::token::string) {
            auto const quoted = scan.text();
            if (quoted.find('\\') == std::string_view::npos) each_in(quoted.substr(1, quoted.size() - 2), key);
            else each_in(json::string_value(quoted), key);
            // A value that is one short string is an item as a whole, as it is in the text of the arguments.
            auto const inner = within_words(quoted.substr(1, quoted.size() - 2));
            if (inner.size() >= quoted_least && inner.size() <= quoted_most &&
                inner.find('\\') == std::string_view::npos)
                f(item_kind::quoted, inner, [&] { return name_table::is_label(key) ? key : std::string_view{}; });
        } else if (token != json::token::object && token != json::token::array && token != json::token::close)
            each_in(scan.text(), key);
    }
}

/// A list of names under their labels, in order of the first name of each label.
class name_list {
public:
    /// True if the name was added: what it costs, with a new label and the signs around it, is within `room` half
    /// tokens, from which it is taken.
    bool add(std::string_view name, std::string_view label, std::uint64_t& room) {
        auto& slot = slots_[slot_of(label)];
        auto const cost = half_tokens(name) + 1 + (slot != 0 ? 0 : half_tokens(label) + 3);
        if (cost > room || lines_.size() * 2 > slots_.size()) return false;
        room -= cost;
        if (slot == 0) {
            lines_.push_back({std::string{label}, {}});
            slot = static_cast<std::uint32_t>(lines_.size());
        }
        auto& names = lines_[slot - 1].names;
        if (!names.empty()) names.append(", ");
        names.append(name);
        return true;
    }
    std::string text() const {
        std::string out{index_head};
        out.push_back('\n');
        for (auto const& [label, names] : lines_)
            out.append(label.empty() ? "others" : label).append(": ").append(names).push_back('\n');
        if (lines_.empty()) out.append("(none)\n");
        return out;
    }

private:
    struct line {
        std::string label;
        std::string names;
    };
    std::size_t slot_of(std::string_view label) const noexcept {
        auto const mask = slots_.size() - 1;
        auto slot = static_cast<std::size_t>(fnv1a(label)) & mask;
        while (slots_[slot] != 0 && lines_[slots_[slot] - 1].label != label) slot = (slot + 1) & mask;
        return slot;
    }

    std::vector<line> lines_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(4 * name_table::most);  ///< lines by label
};

}  // namespace detail

/// Lists the names of all that has left a session, best first by their score, as far as they fit a share of the input;
/// those that stand in what stays are not listed. Costs a look at each message when it leaves, and at what stays; the
/// memory holds at most 4,096 names. Names cut out of messages that stay (by compress, by offload) are listed as well.
/// In a run on its own (`reduce`) the names of an earlier list are taken from its text.
template <class Score = name_score>
struct name_index {
    percent share = {2'000};  ///< of the input; halved with each step of pressure
    Score score = {};  ///< std::int64_t(name_facts const&); higher is kept rather

    using memory = detail::name_table;

    constexpr void validate() const {
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= 5'000,
                              "condense: name_index: the share must be above 0 and at most 50 % (see name_index)");
    }

    /// Notes what has left since the last time and what is about to leave, and returns the list, of at most `limit`.
    template <class Draft>
    std::string write(Draft const& draft, memory& names, std::vector<group> const& leaving, tokens limit) const {
        auto const age_base = draft.used().tokens.count;
        auto const input = draft.limits().input().count;
        auto const facts_of = [&](typename memory::entry const& name) {
            auto const since = detail::add_capped(names.left() - name.left, age_base);
            return name_facts{.kind = name.kind,
                              .text = name.text,
                              .label = name.label,
                              .uses = name.uses,
                              .age = input == 0 ? 0 : detail::mul_capped(since, 100) / input,
                              .size = detail::half_tokens(name.text)};
        };
        auto const score_of = [&](typename memory::entry const& name) { return score(facts_of(name)); };
        auto const prune = [&] { names.prune(score_of); };
        leaving_set const leaves{draft, leaving};
        note_edits(draft, names, leaves, prune);
        for (auto const which : leaving) note_group(draft, names, which, prune);
        for (auto& name : names.entries()) name.visible = false;
        mark_visible(draft, names, leaves);
        auto order = ranking(names, score_of);
        std::string text;
        auto room = detail::mul_capped(limit.count, 2);
        for (int attempt = 0; attempt < 6; ++attempt) {
            for (auto const& place : order) names.entries()[place.second].visible = false;
            text = list(names, order, room);
            auto const size = draft.measured(draft.estimator()(text));
            if (size <= limit) break;
            room = detail::scale_down(room, limit.count, size.count) / 16 * 15;
            text.clear();
        }
        names.prune(score_of, true);
        return text;
    }

    friend constexpr bool operator==(name_index const&, name_index const&) = default;

private:
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

    /// Notes the messages that other layers have dropped since the last time, as far as they were not released, and the
    /// parts that layers have cut in what stays. Costs a look at what came since the last time, and at what is sent.
    template <class Draft, class Prune>
    static void note_edits(Draft const& draft, memory& names, leaving_set const& leaving, Prune const& prune) {
        names.each_staying(leaving.end_of_messages(), [&](std::uint64_t index) {
            auto const number = static_cast<std::uint32_t>(index);
            group const which{draft.outline().group_of(number)};
            if (leaving.holds(which)) return false;
            if (!draft.edits().is_dropped(which.id())) return true;
            note_message(draft, names, number, prune);
            return false;
        });
        for (auto const which : draft.groups()) {
            if (leaving.holds(which)) continue;
            draft.each_part_of(which, [&](part_ref part) {
                auto const* const edit = draft.edits().edit_of(part.part_id);
                if (edit != nullptr && edit->kind != edit_kind::restore)
                    draft.original(part, [&](part_view const& original) {
                        note_part(draft, names, part, original, false, prune);
                    });
            });
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
        detail::each_name(part, [&](item_kind kind, std::string_view item, auto const& label) {
            if (leaves || names.find(item) == nullptr) names.add(kind, item, label, ref.message_index, by_assistant);
            prune();
        });
    }
    /// Takes the names that are not known from the list in a summary.
    template <class Draft, class Prune>
    static void note_list(Draft const& draft, memory& names, group which, Prune const& prune) {
        draft.each_part(which, [&](part_ref, part_view const& part) {
            auto const head = part.text.rfind(detail::index_head);
            if (head == std::string_view::npos) return;
            auto text = part.text.substr(head + detail::index_head.size());
            while (!text.empty()) {
                auto const line = text.substr(0, text.find('\n'));
                text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
                auto const colon = line.find(": ");
                if (colon == std::string_view::npos || !memory::is_label(line.substr(0, colon))) continue;
                auto const label = line.substr(0, colon);
                v1::each_item(line.substr(colon + 2), [&](item_kind kind, std::string_view item) {
                    if (names.find(item) == nullptr) names.add(kind, item, [&] { return label; }, 0, false);
                    prune();
                });
            }
        });
    }
    /// Marks the names that stand in what stays.
    template <class Draft>
    static void mark_visible(Draft const& draft, memory& names, leaving_set const& leaving) {
        for (auto const which : draft.groups()) {
            if (leaving.holds(which)) continue;
            draft.each_part(which, [&](part_ref, part_view const& part) {
                detail::each_name(part,
                                  [&](item_kind kind, std::string_view item, auto const&) { mark(names, kind, item); });
            });
        }
    }
    /// Marks a name as visible, and those that are part of it.
    static void mark(memory& names, item_kind kind, std::string_view item) {
        if (auto* const name = names.find(item)) name->visible = true;
        auto inner = item;
        if (kind == item_kind::path) inner = item.substr(item.rfind('/') + 1);
        else if (kind != item_kind::quoted) return;
        v1::each_item(inner, [&](item_kind, std::string_view part) {
            if (auto* const name = names.find(part)) name->visible = true;
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
    /// The list of those that fit; ends after fifty that do not.
    static std::string list(memory& names, std::vector<std::pair<std::int64_t, std::uint32_t>> const& order,
                            std::uint64_t room) {
        detail::name_list listed;
        int misses = 0;
        for (auto const& place : order) {
            auto& name = names.entries()[place.second];
            if (name.visible) continue;
            if (listed.add(name.text, name.label, room)) mark(names, name.kind, name.text);
            else if (++misses == 50) break;
        }
        return listed.text();
    }
};

}  // namespace v1
}  // namespace condense
