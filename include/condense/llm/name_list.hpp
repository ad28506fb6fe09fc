// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/braces.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/names.hpp>

// Writes a list of names under their labels, with paths folded by folder, and lines as they stood; and reads it again.

namespace condense {
inline namespace v1 {
namespace detail {

inline constexpr std::string_view index_head =
    "Names in what has left, behind the word that stood before them, and lines of it:";
/// Of summaries that were written when lines had a head of their own.
inline constexpr std::string_view older_index_head = "Names in what has left, behind the word that stood before them:";

/// What a text costs in a list, in half tokens: two for each run of letters, and for each hump in it, one for each
/// digit and sign, one for the space. A mean error of 1.3 tokens against o200k, without looking at a vocabulary.
constexpr std::uint64_t half_tokens(std::string_view text) noexcept {
    std::uint64_t sum = 1;
    unsigned previous = 0;
    for (char const byte : text) {
        auto const kind = unsigned{kind_of(byte)};
        bool const letter = (kind & (lower_letter | upper_letter)) != 0;
        if (!letter) sum += 1;
        else if ((previous & (lower_letter | upper_letter)) == 0 || (kind == upper_letter && previous == lower_letter))
            sum += 2;
        previous = kind;
    }
    return sum;
}

/// True for a name that can stand in a list: it cannot close a fence, nor the quotes that it may need.
constexpr bool is_listable(std::string_view text) noexcept {
    return !text.empty() && text.size() <= item_most && text.find_first_of("<\"\t") == std::string_view::npos &&
           is_plain(text);
}
/// True for a line that tells a time and nothing else: "Sat, 9 March 2026 at 14:05".
constexpr bool is_time_alone(std::string_view line) noexcept {
    constexpr std::string_view names[] = {
        "january",   "february", "march",    "april",    "may",    "june",    "july",      "august",
        "september", "october",  "november", "december", "monday", "tuesday", "wednesday", "thursday",
        "friday",    "saturday", "sunday",   "utc",      "gmt",    "of",      "on",        "at",
        "am",        "pm",       "st",       "nd",       "rd",     "th",      "t",         "z"};
    bool has_digit = false;
    for (std::size_t at = 0; at < line.size();) {
        auto end = at;
        while (end < line.size() && (kind_of(line[end]) & (lower_letter | upper_letter | wide_byte)) != 0) ++end;
        auto const word = line.substr(at, end - at);
        bool known = word.empty();
        for (auto const name : names)  // as a whole, or the first three letters of a longer one
            known = known || ((word.size() == name.size() || (word.size() == 3 && name.size() > 3)) &&
                              begins_with_word(word, name.substr(0, word.size())));
        if (!known) return false;
        has_digit = has_digit || is_digit(line[at]);
        at = word.empty() ? at + 1 : end;
    }
    return has_digit;
}
/// True for a line that can stand alone and says something: it has three letters, and is no time.
constexpr bool is_quotable(std::string_view line) noexcept {
    int letters = 0;
    for (std::size_t at = 0; at < line.size() && letters < 3; ++at)
        letters += (kind_of(line[at]) & (lower_letter | upper_letter | wide_byte)) != 0 ? 1 : 0;
    if (letters < 3 || line.size() > quoted_line_most || !is_plain(line) || is_time_alone(line)) return false;
    for (auto sign = line.find('<'); sign != std::string_view::npos; sign = line.find('<', sign + 1)) {
        auto const rest = line.substr(sign + 1);
        for (std::string_view const word : {"/", "summary", "transcript"})
            if (begins_with_word(rest, word)) return false;
    }
    return true;
}

/// Collects names and lines while they fit; refers to their texts.
class name_list {
public:
    /// `room` is in half tokens; `most` labels are told apart.
    explicit name_list(std::uint64_t room, std::size_t most) : room_{room}, slots_(2 * most + 2) {}

    std::uint64_t room() const noexcept { return room_; }

    /// False if the line does not fit.
    bool take_room(std::string_view line) { return take(half_tokens(line) + 3); }
    /// Adds a line for which there was room.
    void add_line(std::string_view line) { lines_.push_back(line); }
    /// False if the name does not fit with a new label and the signs around it.
    bool add(item_kind kind, std::string_view name, std::string_view label) {
        auto& slot = slots_[slot_of(label)];
        auto const label_cost = slot != 0 ? 0 : half_tokens(label) + 2;
        if (slot == 0 && 2 * labels_.size() + 2 > slots_.size()) return false;
        bool const folds = kind == item_kind::path && is_foldable(name);
        auto const folder = folds && slot != 0 ? place(labels_[slot - 1], name) : placement{};
        auto const rest = name.substr(folder.matched);
        bool const branches = folder.node != 0 && labels_[slot - 1].tree[folder.node].children.size() == 1;
        auto const signs = (branches ? 2u : 0u) + (needs_quotes(name) ? 2u : 0u);
        if (!take(half_tokens(rest) + label_cost + signs)) return false;
        if (slot == 0) {
            labels_.push_back({label, {{}}, {}});
            slot = static_cast<std::uint32_t>(labels_.size());
        }
        auto& group = labels_[slot - 1];
        if (folds && !folder.complete) grow(group, folder.node, rest);
        else group.others.push_back(name);
        return true;
    }

    std::string text() const {
        std::string out{index_head};
        out.push_back('\n');
        for (auto const& group : labels_) {
            out.append(group.label.empty() ? "others" : group.label).append(":");
            for (auto const child : group.tree[0].children) {
                out.push_back(' ');
                write(out, group.tree, child);
            }
            for (auto const name : group.others) {
                auto const* const quote = needs_quotes(name) ? "\"" : "";
                out.append(" ").append(quote).append(name).append(quote);
            }
            out.push_back('\n');
        }
        if (labels_.empty() && lines_.empty()) out.append("(none)\n");
        for (auto const line : lines_) out.append("> ").append(line).append("\n");
        return out;
    }

    /// Calls f(kind, name, name_context, label) for what a list in a text holds; nothing if there is none.
    template <class Function>
    static void read(std::string_view text, Function&& f) {
        auto const list = behind_head(text, index_head);
        text = list.empty() ? behind_head(text, older_index_head) : list;
        while (!text.empty()) {
            auto const line = take_line(text);
            if (line.starts_with("> ")) {
                read_line(line.substr(2), f);
                continue;
            }
            auto const colon = line.find(": ");
            if (colon == std::string_view::npos) continue;
            auto const label = line.substr(0, colon);
            bool const unlabelled = label == "others";
            if (!unlabelled && (label.empty() || !is_name_label(label))) continue;
            each_listed(line.substr(colon + 2), [&](item_kind kind, std::string_view name) {
                f(kind, name, name_context{{}, {}, false, 0}, unlabelled ? std::string_view{} : label);
            });
        }
    }

private:
    struct folder_node {
        std::string_view name = {};
        std::vector<std::uint32_t> children = {};
    };
    struct label_group {
        std::string_view label;
        std::vector<folder_node> tree;  ///< of paths; the first node is the root
        std::vector<std::string_view> others;
    };
    /// How far a path is in a tree already: up to a node, which took so many bytes of it.
    struct placement {
        std::uint32_t node = 0;
        std::size_t matched = 0;
        bool complete = false;  ///< a path of the list ends there, so that this one cannot be folded under it
    };

    /// Calls f(kind, name) for names between spaces, in quotes where they need them, or folded.
    template <class Function>
    static void each_listed(std::string_view names, Function&& f) {
        while (!names.empty()) {
            bool const quoted = names.front() == '"';
            auto const end = quoted ? names.find('"', 1) : names.find(' ');
            auto const item_text = names.substr(0, end);
            names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
            if (quoted) {
                if (auto const name = within_words(item_text.substr(1)); !name.empty()) f(item_kind::quoted, name);
                continue;
            }
            auto const expanded =
                item_text.find("/{") == std::string_view::npos ? std::string{item_text} : expand_braces(item_text);
            for (std::string_view rest = expanded; !rest.empty();) {
                auto const part = rest.substr(0, rest.find(' '));
                rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
                auto const name = within_words(part);
                bool has_digit = false;
                bool has_letter = false;
                for (char const byte : name) {
                    has_digit = has_digit || is_digit(byte);
                    has_letter = has_letter || is_letter(byte);
                }
                auto const kind = name.find('/') != std::string_view::npos ? item_kind::path
                                  : has_digit && !has_letter               ? item_kind::number
                                                                           : item_kind::word;
                if (!name.empty()) f(kind, name);
            }
        }
    }
    template <class Function>
    static void read_line(std::string_view line, Function& f) {
        auto const pass_on = [&](item_kind kind, std::string_view item) {
            name_context const beside{line, {}, false, static_cast<std::size_t>(item.data() - line.data())};
            f(kind, item, beside, beside.label());
        };
        each_item_of(line, pass_on);
        each_prose_name(line, [&](std::string_view name) { pass_on(item_kind::quoted, name); });
    }

    bool take(std::uint64_t cost) noexcept {
        if (cost > room_) return false;
        room_ -= cost;
        return true;
    }
    std::size_t slot_of(std::string_view label) const noexcept {
        auto slot = as_size(fnv1a(label) % slots_.size());
        while (slots_[slot] != 0 && labels_[slots_[slot] - 1].label != label) slot = (slot + 1) % slots_.size();
        return slot;
    }
    /// Quotes hold a name together that has a space or a sign in it.
    static constexpr bool needs_quotes(std::string_view name) noexcept {
        for (char const byte : name)
            if (kind_of(byte) == 0) return true;
        return false;
    }
    static constexpr bool is_foldable(std::string_view path) noexcept {
        return path.find(',') == std::string_view::npos && path.find("//") == std::string_view::npos;
    }
    static placement place(label_group const& group, std::string_view path) {
        placement result;
        for (;;) {
            auto const rest = path.substr(result.matched);
            auto const part = rest.substr(0, rest.find('/'));
            std::uint32_t next = 0;
            for (auto const child : group.tree[result.node].children)
                if (group.tree[child].name == part) next = child;
            if (next == 0) return result;
            result.node = next;
            result.matched += part.size() < rest.size() ? part.size() + 1 : part.size();
            result.complete = group.tree[next].children.empty() || part.size() == rest.size();
            if (result.complete) return {0, 0, true};
        }
    }
    static void grow(label_group& group, std::uint32_t node, std::string_view rest) {
        while (!rest.empty()) {
            auto const part = rest.substr(0, rest.find('/'));
            rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
            auto const child = static_cast<std::uint32_t>(group.tree.size());
            group.tree[node].children.push_back(child);
            group.tree.push_back({part, {}});
            node = child;
        }
    }
    static void write(std::string& out, std::vector<folder_node> const& tree, std::uint32_t node) {
        out.append(tree[node].name);
        auto const& children = tree[node].children;
        if (children.empty()) return;
        out.push_back('/');
        if (children.size() > 1) out.push_back('{');
        for (std::size_t child = 0; child < children.size(); ++child) {
            if (child != 0) out.push_back(',');
            write(out, tree, children[child]);
        }
        if (children.size() > 1) out.push_back('}');
    }

    std::uint64_t room_;
    std::vector<label_group> labels_;
    std::vector<std::uint32_t> slots_;  ///< open addressing; the index of a label plus one, 0 for none
    std::vector<std::string_view> lines_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
