// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <condense/detail/sort.hpp>
#include <condense/shorten/shortener.hpp>

// Removes reasoning from all but the newest messages that have some:
// compress{.with = old_reasoning{.keep = 1_messages, .wanted = find_model(name).facts.wanted}}.

namespace condense {
inline namespace v1 {

/// Loses whole reasoning parts, signed ones too; never shortens one, because a signature covers every byte. A message
/// that holds nothing else is dropped, unless it belongs to a pair. The open round keeps its reasoning at any pressure,
/// because providers refuse a step whose signed thinking is missing. So do all that the provider wants back, but for
/// what is bound (see part_view), which leaves from the oldest on: DeepSeek refuses a turn with calls that comes back
/// without its reasoning. Reads no text. Each halving halves `keep`; the newest message always stays, unless `keep` is
/// 0.
struct old_reasoning {
    using needs_conversation = void;
    static constexpr part_kinds applies_to = part_kind::reasoning;
    static constexpr bool any_size = true;
    static constexpr bool removes = true;

    messages keep = {1};  ///< the newest messages with reasoning that keep it
    reasoning_wanted wanted = reasoning_wanted::turns_with_calls;  ///< `model::wanted` says it of a model

    /// Lists the messages with reasoning once. The callable returns an empty text, which removes the part, for all but
    /// the newest `keep` of them.
    template <class Draft>
    auto bind(Draft const& draft) const {
        std::vector<std::uint32_t> messages_with_reasoning;  // oldest first
        std::vector<part_ref> held_parts;  // those that the provider wants back; ascending
        std::size_t first_of_turn = 0;  // of held_parts
        bool turn_has_call = false;
        auto const end_turn = [&](bool is_last) {
            bool const is_wanted = wanted == reasoning_wanted::turn ? is_last : turn_has_call;
            if (!is_wanted && (wanted == reasoning_wanted::turn || wanted == reasoning_wanted::turns_with_calls))
                held_parts.resize(first_of_turn);
            first_of_turn = held_parts.size();
            turn_has_call = false;
        };
        draft.each_message([&](sequence message) {
            if (draft.outline().message_at(message.number).plain_user) end_turn(false);
            bool has_reasoning = false;
            bool has_call = false;
            auto const first_of_message = held_parts.size();
            draft.each_part_of(message, [&](part_ref part) {  // an empty one is none
                auto const& facts = draft.outline().part_at(part.part_id);
                has_call = has_call || facts.kind == part_kind::tool_call;
                has_reasoning = has_reasoning || (facts.kind == part_kind::reasoning && facts.cost != cost{});
                if (facts.kind == part_kind::reasoning && !facts.bound) held_parts.push_back(part);
            });
            bool const needs_call = wanted == reasoning_wanted::turn || wanted == reasoning_wanted::calls;
            if (wanted == reasoning_wanted::open_round || (needs_call && !has_call))
                held_parts.resize(first_of_message);
            turn_has_call = turn_has_call || has_call;
            if (has_reasoning) messages_with_reasoning.push_back(static_cast<std::uint32_t>(message.number));
        });
        end_turn(true);
        return [keep_count = keep.count, messages_with_reasoning = std::move(messages_with_reasoning),
                held_parts = std::move(held_parts)](part_ref ref, part_view const&, cut const& context) {
            if (detail::find_part(held_parts, ref.part_id) != nullptr) return std::optional<std::string>{};
            auto const halved = keep_count >> (context.halvings < 63 ? context.halvings : 63);
            auto const newest = keep_count != 0 && halved == 0 ? 1 : halved;
            bool const is_newest =
                newest != 0 && (newest >= messages_with_reasoning.size() ||
                                ref.message_index >= messages_with_reasoning[messages_with_reasoning.size() - newest]);
            return is_newest ? std::optional<std::string>{} : std::optional<std::string>{std::in_place};
        };
    }
    friend constexpr bool operator==(old_reasoning const&, old_reasoning const&) = default;
};

}  // namespace v1
}  // namespace condense
