// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/replay/arguments.hpp>
#include <condense/replay/item_index.hpp>
#include <condense/replay/reading.hpp>
#include <condense/replay/sent.hpp>

// A bound for summaries by rule: one that knows the rest of the conversation, summarize{.with = edges.oracle}.

namespace condense {
inline namespace v1 {

/// A handle to a rule that lists the items which later answers need and no message that stays holds, the one needed
/// soonest first, as many as fit. It forgets nothing: what was left out of one summary may stand in a later one. Copies
/// share what they know; outside a replay that is nothing, and its summary is empty. For one thread at a time.
class replay_oracle {
    struct knowledge {
        detail::item_index const* items = nullptr;
        std::vector<detail::message_reading> const* readings = nullptr;
        std::vector<detail::sent_message> const* request = nullptr;  ///< the latest one
        std::size_t requested = 0;  ///< messages of the conversation when it was sent
        std::size_t answer = 0;  ///< the next one
        std::unordered_map<std::uint32_t, std::string> names = {};  ///< of the items that were ever read
    };

public:
    replay_oracle() : known_{std::make_shared<knowledge>()} {}

    /// One summary.
    class notes {
    public:
        explicit notes(std::shared_ptr<knowledge> known) noexcept : known_{std::move(known)} {}

        void see(role, part_view const& part, bool) {
            if (known_->items == nullptr) return;
            leaving_.push_back(detail::print_of(part.text));
            detail::with_plain_text(part, [&](std::string_view text) {
                known_->items->each_in(
                    text, [&](std::uint32_t item, std::string_view name) { known_->names.try_emplace(item, name); });
            });
        }

        /// The names, separated by commas, of at most `limit` bytes.
        std::string text(chars limit) const {
            std::string out;
            if (known_->items == nullptr) return out;
            auto const& items = *known_->items;
            auto stands = standing();
            auto next = items.first_of(known_->answer);  // the first message that comes after the summary
            for (auto answer = known_->answer; answer < items.answers(); ++answer) {
                for (; next < items.first_of(answer); ++next) add(stands, next);
                for (auto const item : items.needed(answer)) {
                    auto const name = known_->names.find(item);
                    if (stands[item] || name == known_->names.end()) continue;
                    auto const& text = name->second;
                    if (out.size() + text.size() + 2 > limit.count) continue;
                    out.append(out.empty() ? "" : ", ").append(text);
                    stands[item] = true;
                }
            }
            return out;
        }

    private:
        void add(std::vector<bool>& stands, std::size_t message) const {
            for (auto const item : known_->items->items_of(message)) stands[item] = true;
        }

        /// By item: whether an original holds it that was in the latest request or came after it, and does not leave.
        std::vector<bool> standing() const {
            std::vector<bool> stands(known_->items->size());
            auto const add_unless_leaving = [&](std::size_t message) {
                auto const& parts = (*known_->readings)[message].parts;
                if (!std::all_of(parts.begin(), parts.end(), [&](detail::part_reading const& part) {
                        return std::find(leaving_.begin(), leaving_.end(), part.text) != leaving_.end();
                    }))
                    add(stands, message);
            };
            for (auto const& sent : *known_->request)
                if (sent.index != detail::none32) add_unless_leaving(sent.index);
            for (auto message = known_->requested; message < known_->items->first_of(known_->answer); ++message)
                add_unless_leaving(message);
            return stands;
        }

        std::shared_ptr<knowledge> known_;
        std::vector<std::uint64_t> leaving_;  ///< prints of the parts that the summary replaces
    };

    notes open() const { return notes{known_}; }

    /// Tells what the replay goes by; all of it must outlive the replay.
    void begin(detail::item_index const& items, std::vector<detail::message_reading> const& readings,
               std::vector<detail::sent_message> const& request) const {
        *known_ = {.items = &items, .readings = &readings, .request = &request};
        if (items.answers() == 0) known_->items = nullptr;
    }
    /// Tells which answer comes next, before its request is made.
    void turn(std::size_t answer) const {
        if (known_->items == nullptr) return;
        known_->requested = answer == 0 || known_->request->empty() ? 0 : known_->items->first_of(known_->answer);
        known_->answer = answer;
    }

    friend bool operator==(replay_oracle const&, replay_oracle const&) = default;

private:
    std::shared_ptr<knowledge> known_;
};

}  // namespace v1
}  // namespace condense
