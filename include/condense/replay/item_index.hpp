// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/detail/braces.hpp>
#include <condense/detail/item_vocabulary.hpp>
#include <condense/detail/items.hpp>
#include <condense/replay/arguments.hpp>
#include <condense/replay/lines.hpp>
#include <condense/replay/script.hpp>

// The items of a conversation: those in each message, and those that each answer takes from earlier ones. Computed once
// for all mixes; only items that some answer mentions are counted.

namespace condense {
inline namespace v1 {
namespace detail {

/// The items that a message shows, each once, in order: all, those that stand behind a label that they had
/// in the conversation, and those in a line of it.
struct shown_items {
    std::vector<std::uint32_t> all = {};
    std::vector<std::uint32_t> labelled = {};
    std::vector<std::uint32_t> in_line = {};
};

/// Items by number: which messages hold each, and which each answer needs. Building costs one pass over all text.
class item_index {
public:
    item_index() = default;  ///< of no conversation: for replays that do not measure items
    template <class Script>
    explicit item_index(Script const& script) {
        std::vector<std::vector<std::uint32_t>> mentioned;
        for (auto const& span : script.answers()) {
            mentioned.emplace_back();
            for (auto index = span.first; index < span.past; ++index) add_items(script.at(index), mentioned.back());
            sort_unique(mentioned.back());
        }
        first_holder_.assign(vocabulary_.size(), none32);
        labels_.resize(vocabulary_.size());
        for (std::size_t index = 0; index < script.size(); ++index) {
            add_message(script.at(index), static_cast<std::uint32_t>(index));
        }
        // In order of the answers: the first one that mentions a tool counts it.
        auto tools = names_of_tools(script);
        for (std::size_t answer = 0; answer < mentioned.size(); ++answer) {
            first_of_.push_back(script.answers()[answer].first);
            needed_.push_back(from_earlier(mentioned[answer], first_of_.back(), tools));
        }
    }

    std::size_t size() const noexcept { return vocabulary_.size(); }
    item_kind kind(std::uint32_t item) const noexcept { return vocabulary_.kind(item); }
    /// The items that a message holds, each once, in order.
    std::vector<std::uint32_t> const& items_of(std::size_t message) const noexcept { return by_message_[message]; }
    std::size_t answers() const noexcept { return needed_.size(); }
    /// The items of an answer that messages before it hold, each once, in order.
    std::vector<std::uint32_t> const& needed(std::size_t answer) const noexcept { return needed_[answer]; }
    /// The first message of an answer.
    std::size_t first_of(std::size_t answer) const noexcept { return first_of_[answer]; }
    /// The first message that holds the item; some message always does.
    std::uint32_t first_holder(std::uint32_t item) const noexcept { return first_holder_[item]; }
    /// Costs the logarithm of the message's items.
    bool holds(std::size_t message, std::uint32_t item) const noexcept {
        return std::binary_search(by_message_[message].begin(), by_message_[message].end(), item);
    }

    /// The items of a text or a message from elsewhere, each once, in order. Only known items are looked for.
    std::vector<std::uint32_t> in_text(std::string_view text) const {
        std::vector<std::uint32_t> items;
        each_in(text, [&](std::uint32_t item, std::string_view) { items.push_back(item); });
        sort_unique(items);
        return items;
    }
    /// Calls f(item, text) for each occurrence of a known item.
    template <class Function>
    void each_in(std::string_view text, Function&& f) const {
        vocabulary_.each_in(text, f);
    }

    /// What a message derived from those before number `before` shows.
    template <message Message>
    shown_items in_derived(Message const& m, std::size_t before) const {
        shown_items shown;
        std::vector<std::size_t> seen(label_words_.size());  // by label: the latest line that has it
        std::size_t line = 0;
        each_text(m, [&](std::string_view given) {
            // The lines of a summary are its own, but for those that it quotes, and it may write paths with braces.
            bool const summary = given.substr(0, given.find_last_not_of('\n') + 1).ends_with("</summary>");
            std::string const expanded = summary ? expand_braces(given) : std::string{};
            auto const text = summary ? std::string_view{expanded} : given;
            line_cursor cursor{text};
            std::uint64_t latest = 0;  // the word, which may be the label of those after it
            std::size_t checked = 0;  // the line for which `is_original` holds
            bool is_original = false;
            ++line;
            vocabulary_.each_in(
                text,
                [&](std::uint32_t item, std::string_view) {
                    shown.all.push_back(item);
                    if (is_labelled(item, before, [&](std::uint32_t label) { return seen[label] == line; }))
                        shown.labelled.push_back(item);
                    if (summary && !cursor.is_quotation()) return;
                    if (checked != line) is_original = is_line(cursor.line_print(summary), before);
                    checked = line;
                    if (is_original) shown.in_line.push_back(item);
                },
                [&](word_print const& word) {
                    if (cursor.next(word.text)) ++line;
                    else if (auto const label = label_words_.of_word(latest); label != none32) seen[label] = line;
                    latest = word.word;
                });
        });
        for (auto* const items : {&shown.all, &shown.labelled, &shown.in_line}) sort_unique(*items);
        return shown;
    }

private:
    /// Items are sets, in vectors for binary search.
    static void sort_unique(std::vector<std::uint32_t>& items) {
        std::sort(items.begin(), items.end());
        items.erase(std::unique(items.begin(), items.end()), items.end());
    }

    /// Appends the items that the text and the calls of a message mention, which become known if they are new.
    template <class Message>
    void add_items(Message const& m, std::vector<std::uint32_t>& items) {
        each_part(m, [&](part_view const& part) {
            if (part.kind != part_kind::text && part.kind != part_kind::tool_call) return;
            with_plain_text(part, [&](std::string_view text) {
                each_item(text,
                          [&](item_kind kind, std::string_view item) { items.push_back(vocabulary_.add(kind, item)); });
            });
        });
    }

    /// What stood before an item somewhere in the conversation.
    struct item_label {
        std::uint32_t word = none32;  ///< none32 for an occurrence without a label
        std::uint32_t message = 0;  ///< the first one
    };

    /// Reads a message of the conversation, whose words are all known: its items with their labels, and their lines.
    template <class Message>
    void add_message(Message const& m, std::uint32_t index) {
        auto& items = by_message_.emplace_back();
        each_text(m, [&](std::string_view text) {
            line_cursor cursor{text};
            std::size_t latest_line = text.size();
            vocabulary_.each_in(
                text,
                [&](std::uint32_t item, std::string_view occurrence) {
                    items.push_back(item);
                    auto const words = cursor.label_of(occurrence);
                    auto const word = words.empty() ? none32 : label_words_.add(item_kind::word, words);
                    if (known_labels_.insert(std::uint64_t{item} << 32 | word).second)
                        labels_[item].push_back({word, index});
                    if (std::exchange(latest_line, cursor.line()) != cursor.line())
                        lines_.try_emplace(cursor.line_print(), index);
                },
                [&](word_print const& word) { cursor.next(word.text); });
        });
        sort_unique(items);
        for (auto const item : items)
            if (first_holder_[item] == none32) first_holder_[item] = index;
    }
    /// True for the print of a line of a message before that one.
    bool is_line(std::uint64_t print, std::size_t before) const {
        auto const line = lines_.find(print);
        return line != lines_.end() && line->second < before;
    }
    /// True if one of the item's labels before that message is seen, or one occurrence had none.
    template <class Seen>
    bool is_labelled(std::uint32_t item, std::size_t before, Seen&& seen) const {
        for (auto const& [word, message] : labels_[item])
            if (message < before && (word == none32 || seen(word))) return true;
        return false;
    }

    /// Names of tools count once in the conversation, because an agent always knows its tools.
    enum class tool_name : std::uint8_t { no, fresh, counted };

    /// By item: whether some call of the conversation has a tool of that name.
    template <class Script>
    std::vector<tool_name> names_of_tools(Script const& script) const {
        std::vector<tool_name> tools(vocabulary_.size());
        for (std::size_t index = 0; index < script.size(); ++index)
            each_part(script.at(index), [&](part_view const& part) {
                if (part.kind == part_kind::tool_call)
                    vocabulary_.each_in(part.tool,
                                        [&](std::uint32_t item, std::string_view) { tools[item] = tool_name::fresh; });
            });
        return tools;
    }

    /// Those of `mentioned` that a message before number `before` holds. Marks the names of tools among them as
    /// counted.
    std::vector<std::uint32_t> from_earlier(std::vector<std::uint32_t> const& mentioned, std::size_t before,
                                            std::vector<tool_name>& tools) const {
        std::vector<std::uint32_t> items;
        for (auto const item : mentioned) {
            if (first_holder_[item] >= before || tools[item] == tool_name::counted) continue;
            items.push_back(item);
            if (tools[item] == tool_name::fresh) tools[item] = tool_name::counted;
        }
        return items;
    }

    item_vocabulary vocabulary_;
    std::vector<std::vector<std::uint32_t>> by_message_;  ///< items of each message, ascending
    std::vector<std::vector<std::uint32_t>> needed_;  ///< items by answer, ascending
    std::vector<std::size_t> first_of_;  ///< by answer
    std::vector<std::uint32_t> first_holder_;  ///< by item
    item_vocabulary label_words_;
    std::vector<std::vector<item_label>> labels_;  ///< by item, in order of their messages
    std::unordered_set<std::uint64_t> known_labels_;  ///< items with their labels, so that each is kept once
    std::unordered_map<std::uint64_t, std::uint32_t> lines_;  ///< of the lines that hold items: print, first message
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
