// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <condense/shorten/shortener.hpp>

// Takes reasoning out of all but the newest messages that have some:
// compress{.with = old_reasoning{.keep = 1_messages}}, or .keep = 0_messages for models that use none.

namespace condense {
inline namespace v1 {

/// Loses whole reasoning parts, signed ones too (C12); none is ever shortened. A message of its own that
/// held nothing else goes; one that is part of a pair keeps it. The round that is still open keeps its
/// reasoning under any pressure, because providers refuse a step whose signed thinking is missing. Reads no
/// text; halvings halve `keep`, of which the newest message stays.
struct old_reasoning {
    using needs_conversation = void;
    static constexpr part_kinds applies_to = part_kind::reasoning;
    static constexpr bool any_size = true;
    static constexpr bool removes = true;

    messages keep = {1};

    template <class Draft>
    constexpr auto bind(Draft const& seen) const {
        std::vector<std::uint32_t> thinking;  // messages, oldest first
        for (std::uint32_t index = 0; index < seen.outline().size(); ++index) {
            if (!seen.present(sequence{index})) continue;
            bool found = false;
            seen.each_part_of(sequence{index}, [&](part_ref part) {
                found = found || seen.outline().part_at(part.part_id).kind == part_kind::reasoning;
            });
            if (found) thinking.push_back(index);
        }
        return [kept = keep.count, thinking = std::move(thinking)](part_ref at, part_view const&, cut const& how) {
            auto const eased = kept >> (how.halvings < 63 ? how.halvings : 63);
            auto const newest = kept != 0 && eased == 0 ? 1 : eased;
            bool const stays =
                newest != 0 && (newest >= thinking.size() || at.message_index >= thinking[thinking.size() - newest]);
            return stays ? std::optional<std::string>{} : std::optional<std::string>{std::in_place};
        };
    }
    friend constexpr bool operator==(old_reasoning const&, old_reasoning const&) = default;
};

}  // namespace v1
}  // namespace condense
