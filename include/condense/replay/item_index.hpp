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
// for all mixes.

namespace condense {
inline namespace v1 {
namespace detail {

/// Calls f(text) for what a message says; of media the text is no words of it.
template <message Message, class Function>
void each_text(Message const& m, Function&& f) {
    each_part(m, [&](part_view const& part) {
        if (part.kind != part_kind::media) f(part.text);
    });
}

class item_index {
public:
    item_index() = default;
    template <class Script>
    explicit item_index(Script const& script) {
        std::vector<std::vector<std::uint32_t>> taken;
        for (auto const& answer : script.answers()) {
            taken.emplace_back();
            for (auto at = answer.first; at < answer.past; ++at) add_items(script.at(at), taken.back());
            keep_one_each(taken.back());
        }
        first_.assign(words_.size(), none32);
        for (std::size_t at = 0; at < script.size(); ++at) {
            held_.push_back(in_message(script.at(at)));
            for (auto const item : held_.back())
                if (first_[item] == none32) first_[item] = static_cast<std::uint32_t>(at);
        }
        auto tools = names_of_tools(script);
        for (std::size_t place = 0; place < taken.size(); ++place)
            needed_.push_back(from_earlier(taken[place], script.answers()[place].first, tools));
    }

    std::size_t size() const noexcept { return words_.size(); }
    item_kind kind(std::uint32_t item) const noexcept { return words_.kind(item); }
    /// The items that a message holds, each once, in order.
    std::vector<std::uint32_t> const& held(std::size_t message) const noexcept { return held_[message]; }
    /// The items that an answer has from messages before it.
    std::vector<std::uint32_t> const& needed(std::size_t answer) const noexcept { return needed_[answer]; }
    /// The first message that holds it.
    std::uint32_t first_holder(std::uint32_t item) const noexcept { return first_[item]; }
    bool holds(std::size_t message, std::uint32_t item) const noexcept {
        return std::binary_search(held_[message].begin(), held_[message].end(), item);
    }

    /// The items of a text or a message from elsewhere. For one thread at a time.
    std::vector<std::uint32_t> in_text(std::string_view text) const {
        std::vector<std::uint32_t> found;
        words_.each_in(text, [&](std::uint32_t item) { found.push_back(item); });
        keep_one_each(found);
        return found;
    }
    template <message Message>
    std::vector<std::uint32_t> in_message(Message const& m) const {
        std::vector<std::uint32_t> found;
        each_text(m, [&](std::string_view text) {
            words_.each_in(text, [&](std::uint32_t item) { found.push_back(item); });
        });
        keep_one_each(found);
        return found;
    }

private:
    static void keep_one_each(std::vector<std::uint32_t>& items) {
        std::sort(items.begin(), items.end());
        items.erase(std::unique(items.begin(), items.end()), items.end());
    }

    template <class Message>
    void add_items(Message const& m, std::vector<std::uint32_t>& taken) {
        each_part(m, [&](part_view const& part) {
            if (part.kind != part_kind::text && part.kind != part_kind::tool_call) return;
            each_item(part.text,
                      [&](item_kind kind, std::string_view item) { taken.push_back(words_.add(kind, item)); });
        });
    }

    /// Names of tools count once in the conversation, because an agent always knows its tools.
    enum class tool_name : std::uint8_t { no, fresh, counted };

    /// By item.
    template <class Script>
    std::vector<tool_name> names_of_tools(Script const& script) const {
        std::vector<tool_name> found(words_.size());
        for (std::size_t at = 0; at < script.size(); ++at)
            each_part(script.at(at), [&](part_view const& part) {
                if (part.kind == part_kind::tool_call)
                    words_.each_in(part.tool, [&](std::uint32_t item) { found[item] = tool_name::fresh; });
            });
        return found;
    }

    std::vector<std::uint32_t> from_earlier(std::vector<std::uint32_t> const& taken, std::size_t before,
                                            std::vector<tool_name>& tools) const {
        std::vector<std::uint32_t> found;
        for (auto const item : taken) {
            if (first_[item] >= before || tools[item] == tool_name::counted) continue;
            found.push_back(item);
            if (tools[item] == tool_name::fresh) tools[item] = tool_name::counted;
        }
        return found;
    }

    item_vocabulary words_;
    std::vector<std::vector<std::uint32_t>> held_;
    std::vector<std::vector<std::uint32_t>> needed_;
    std::vector<std::uint32_t> first_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
