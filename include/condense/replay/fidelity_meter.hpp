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
#include <condense/replay/item_index.hpp>
#include <condense/replay/sent.hpp>
#include <condense/replay/shelf.hpp>

// Measures where the items were that answers took from earlier messages: in the request, one search or one read away,
// or lost.

namespace condense {
inline namespace v1 {
namespace detail {

/// Counts the items in the current request. A request that extends the one before costs only the addition.
template <class Script>
class fidelity_meter {
public:
    /// Tokens of an original that one read returns.
    static constexpr tokens one_reading = {2'000};

    fidelity_meter(Script const& script, item_index const& items, replay_shelf shelf)
        : script_{&script}, items_{&items}, shelf_{std::move(shelf)}, visible_(items.size()), readable_(items.size()),
          recorded_(script.size()) {}

    /// A message of the request that is no original.
    template <class Message>
    void made(Message const& m, std::uint64_t print) {
        auto const [found, fresh] = made_.try_emplace(print);
        if (!fresh) return;
        found->second.items = items_->in_message(m);
        if (shelf_.stores.empty()) return;
        each_text(m, [&](std::string_view text) {
            each_word(text, [&](word_print const& word) {
                if (auto const name = reference::of(word.text)) found->second.readable.push_back(*name);
            });
        });
    }

    /// Sets the current request.
    template <class Requests>
    void sent(Requests const& requests) {
        for (auto at = requests.shared(); at < requests.before().size(); ++at) count(requests.before()[at], false);
        for (auto at = requests.shared(); at < requests.now().size(); ++at) count(requests.now()[at], true);
    }

    /// Where the items of an answer to the present request are.
    void answered(std::size_t answer, std::array<fidelity, item_kinds>& out) {
        bool read = false;  // the journals, for this answer
        for (auto const item : items_->needed(answer)) {
            auto& kind = out[static_cast<std::size_t>(items_->kind(item))];
            if (visible_[item] != 0) ++kind.visible;
            else if (readable_[item] != 0 || on_record(item, script_->answers()[answer].first, read))
                ++kind.recoverable;
            else ++kind.lost;
        }
    }

private:
    struct made_message {
        std::vector<std::uint32_t> items;
        std::vector<reference> readable;
    };

    void count(sent_message const& m, bool comes) {
        auto const add = [&](std::vector<std::uint32_t> const& some, std::vector<std::uint32_t>& counts) {
            for (auto const item : some) comes ? ++counts[item] : --counts[item];
        };
        if (m.index != none32) return add(items_->held(m.index), visible_);
        auto const& found = made_.at(m.print);
        add(found.items, visible_);
        for (auto const& name : found.readable) add(read(name), readable_);
    }

    /// The items at the beginning of a stored original.
    std::vector<std::uint32_t> const& read(reference const& name) {
        auto const [found, fresh] = read_.try_emplace(name.text());
        if (!fresh) return found->second;
        for (auto const& store : shelf_.stores) {
            auto const content = store(name);
            if (!content) continue;
            std::string_view text{*content};
            auto const whole = script_->estimator()(text).tokens();
            if (whole > one_reading)
                text =
                    text.substr(0, utf8::prefix(text, scale_down(utf8::count(text), one_reading.count, whole.count)));
            found->second = items_->in_text(text);
            break;
        }
        return found->second;
    }

    /// A search for the item itself finds a row around it, if any recorded message before has it: rows of a third of
    /// one reading are longer than items are.
    bool on_record(std::uint32_t item, std::size_t before, bool& read) {
        if (shelf_.journals.empty()) return false;
        auto const held = [&] {
            for (std::size_t at = items_->first_holder(item); at < before; ++at)
                if (recorded_[at] && items_->holds(at, item)) return true;
            return false;
        };
        if (held()) return true;
        if (std::exchange(read, true)) return false;
        for (auto const& each : shelf_.journals)
            each([&](std::uint64_t number) {
                if (number < recorded_.size()) recorded_[as_size(number)] = true;
            });
        return held();
    }

    Script const* script_;
    item_index const* items_;
    replay_shelf shelf_;
    std::vector<std::uint32_t> visible_;  ///< by item: messages of the request that hold it
    std::vector<std::uint32_t> readable_;  ///< references in the request behind which it is
    std::vector<bool> recorded_;
    std::unordered_map<std::uint64_t, made_message> made_;
    std::unordered_map<std::string, std::vector<std::uint32_t>> read_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
