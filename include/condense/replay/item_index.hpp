// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/replay/items.hpp>
#include <condense/replay/script.hpp>
#include <condense/replay/vocabulary.hpp>

// The items of a conversation: those in each message, and those that each answer takes from earlier ones. Computed once
// for all mixes; only items that some answer mentions are counted.

namespace condense {
inline namespace v1 {
namespace detail {

/// Calls f(text) for each part but media, whose text is a name or data rather than words of the conversation.
template <message Message, class Function>
void each_text(Message const& m, Function&& f) {
    each_part(m, [&](part_view const& part) {
        if (part.kind != part_kind::media) f(part.text);
    });
}

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
        for (std::size_t index = 0; index < script.size(); ++index) {
            by_message_.push_back(in_message(script.at(index)));
            for (auto const item : by_message_.back())
                if (first_holder_[item] == none32) first_holder_[item] = static_cast<std::uint32_t>(index);
        }
        // In order of the answers: the first one that mentions a tool counts it.
        auto tools = names_of_tools(script);
        for (std::size_t answer = 0; answer < mentioned.size(); ++answer)
            needed_.push_back(from_earlier(mentioned[answer], script.answers()[answer].first, tools));
    }

    std::size_t size() const noexcept { return vocabulary_.size(); }
    item_kind kind(std::uint32_t item) const noexcept { return vocabulary_.kind(item); }
    /// The items that a message holds, each once, in order.
    std::vector<std::uint32_t> const& items_of(std::size_t message) const noexcept { return by_message_[message]; }
    /// The items of an answer that messages before it hold, each once, in order.
    std::vector<std::uint32_t> const& needed(std::size_t answer) const noexcept { return needed_[answer]; }
    /// The first message that holds the item; some message always does.
    std::uint32_t first_holder(std::uint32_t item) const noexcept { return first_holder_[item]; }
    /// Costs the logarithm of the message's items.
    bool holds(std::size_t message, std::uint32_t item) const noexcept {
        return std::binary_search(by_message_[message].begin(), by_message_[message].end(), item);
    }

    /// The items of a text or a message from elsewhere, each once, in order. Only known items are looked for.
    std::vector<std::uint32_t> in_text(std::string_view text) const {
        std::vector<std::uint32_t> items;
        vocabulary_.each_in(text, [&](std::uint32_t item) { items.push_back(item); });
        sort_unique(items);
        return items;
    }
    template <message Message>
    std::vector<std::uint32_t> in_message(Message const& m) const {
        std::vector<std::uint32_t> items;
        each_text(m, [&](std::string_view text) {
            vocabulary_.each_in(text, [&](std::uint32_t item) { items.push_back(item); });
        });
        sort_unique(items);
        return items;
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
            each_item(part.text,
                      [&](item_kind kind, std::string_view item) { items.push_back(vocabulary_.add(kind, item)); });
        });
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
                    vocabulary_.each_in(part.tool, [&](std::uint32_t item) { tools[item] = tool_name::fresh; });
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
    std::vector<std::uint32_t> first_holder_;  ///< by item
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
