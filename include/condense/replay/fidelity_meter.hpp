// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/item_index.hpp>
#include <condense/replay/sent.hpp>
#include <condense/replay/shelf.hpp>

// Measures where the items were that answers took from earlier messages: in the request, one search or one read away,
// or lost.

namespace condense {
inline namespace v1 {
namespace detail {

/// Counts how many messages of the current request hold each item, and how many references in it lead to each. A
/// request costs only the messages by which it differs from the one before.
template <class Script>
class fidelity_meter {
public:
    /// Tokens of an original that one read returns.
    static constexpr tokens one_reading = {2'000};

    /// `script` and `items` must outlive the meter.
    fidelity_meter(Script const& script, item_index const& items, replay_shelf shelf)
        : script_{&script}, items_{&items}, shelf_{std::move(shelf)}, originals_(items.size()),
          derived_items_(items.size()), labelled_(items.size()), in_line_(items.size()), readable_(items.size()),
          recorded_(script.size()) {}

    /// Indexes a message of the request that is no original, once for each content; must come before set_request. It is
    /// derived from messages before number `before`.
    template <class Message>
    void add_derived(Message const& m, std::uint64_t print, std::size_t before) {
        auto const [entry, inserted] = derived_.try_emplace(print);
        if (!inserted) return;
        entry->second.items = items_->in_derived(m, before);
        if (shelf_.stores.empty()) return;
        each_text(m, [&](std::string_view text) {
            each_word(text, [&](word_print const& word) {
                if (auto const name = reference::of(word.text)) entry->second.readable.push_back(*name);
            });
        });
    }

    /// Moves the counts from the previous request to the current one.
    template <class Requests>
    void set_request(Requests const& requests) {
        for (auto index = requests.prefix_size(); index < requests.previous().size(); ++index)
            update(requests.previous()[index], false);
        for (auto index = requests.prefix_size(); index < requests.current().size(); ++index)
            update(requests.current()[index], true);
    }

    /// Adds to `out`, by kind, where the items are that an answer to the current request needs. None is visible in a
    /// request that cannot be sent.
    void count_needed(std::size_t answer, bool sendable, std::array<fidelity, item_kinds>& out) {
        bool journals_read = false;  // at most once for each answer
        for (auto const item : items_->needed(answer)) {
            auto& kind = out[static_cast<std::size_t>(items_->kind(item))];
            if (sendable && originals_[item] + derived_items_[item] != 0) {
                ++kind.visible;
                kind.labelled += originals_[item] + labelled_[item] != 0 ? 1u : 0u;
                kind.in_line += originals_[item] + in_line_[item] != 0 ? 1u : 0u;
            } else if (readable_[item] != 0 || is_recorded(item, script_->answers()[answer].first, journals_read))
                ++kind.recoverable;
            else ++kind.lost;
        }
    }

private:
    struct derived_message {
        shown_items items;
        std::vector<reference> readable;
    };

    /// Adds a message of the request to the counts, or takes it out.
    void update(sent_message const& m, bool enters) {
        auto const apply = [&](std::vector<std::uint32_t> const& items, std::vector<std::uint32_t>& counts) {
            for (auto const item : items) enters ? ++counts[item] : --counts[item];
        };
        if (m.index != none32) return apply(items_->items_of(m.index), originals_);
        auto const& derived = derived_.at(m.print);
        apply(derived.items.all, derived_items_);
        apply(derived.items.labelled, labelled_);
        apply(derived.items.in_line, in_line_);
        for (auto const& name : derived.readable) apply(items_behind(name), readable_);
    }

    /// The items in the first 2,000 tokens of the original behind a reference; none if no store has it.
    std::vector<std::uint32_t> const& items_behind(reference const& name) {
        auto const [entry, inserted] = behind_reference_.try_emplace(name.text());
        if (!inserted) return entry->second;
        for (auto const& store : shelf_.stores) {
            auto const content = store(name);
            if (!content) continue;
            std::string_view text{*content};
            auto const size = script_->estimator()(text).tokens();
            if (size > one_reading)
                text = text.substr(0, utf8::prefix(text, scale_down(utf8::count(text), one_reading.count, size.count)));
            entry->second = items_->in_text(text);
            break;
        }
        return entry->second;
    }

    /// True if a recorded message before number `end` holds the item: a search for the item then returns a row around
    /// it. Rows are a third of one reading and so longer than any item.
    bool is_recorded(std::uint32_t item, std::size_t end, bool& journals_read) {
        if (shelf_.journals.empty()) return false;
        auto const is_held = [&] {
            for (std::size_t index = items_->first_holder(item); index < end; ++index)
                if (recorded_[index] && items_->holds(index, item)) return true;
            return false;
        };
        if (is_held()) return true;
        // A journal only grows: it is read again only when what is known of it does not hold the item.
        if (std::exchange(journals_read, true)) return false;
        for (auto const& read_journal : shelf_.journals)
            read_journal([&](std::uint64_t number) {
                if (number < recorded_.size()) recorded_[as_size(number)] = true;
            });
        return is_held();
    }

    Script const* script_;
    item_index const* items_;
    replay_shelf shelf_;
    // By item: messages of the request that hold it, originals and derived ones, and of these those that show it with a
    // label and in a line of the conversation.
    std::vector<std::uint32_t> originals_;
    std::vector<std::uint32_t> derived_items_;
    std::vector<std::uint32_t> labelled_;
    std::vector<std::uint32_t> in_line_;
    std::vector<std::uint32_t> readable_;  ///< by item: references in the request that lead to it
    std::vector<bool> recorded_;  ///< by message: whether a journal is known to have it
    std::unordered_map<std::uint64_t, derived_message> derived_;  ///< by print
    std::unordered_map<std::string, std::vector<std::uint32_t>> behind_reference_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
