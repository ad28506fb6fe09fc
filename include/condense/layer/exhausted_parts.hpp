// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/edit.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/sort.hpp>
#include <condense/layer/arrival_memory.hpp>
#include <condense/shorten/shortener.hpp>

// The parts from which a layer could cut nothing more, so that the next run of a session does not read and shorten them
// all again to find that out. Forgetting an entry costs time only: the result of a run never depends on them.

namespace condense {
inline namespace v1 {
namespace detail {

/// All that the outcome for a part that may be shortened depends on: its original, which never changes, its text and
/// cost as they are, the text from which the layer cuts, and the context. Shorteners, estimators and protections by
/// content answer the same for the same text.
struct part_attempt {
    /// A text of the part.
    struct version {
        std::uint32_t step = 0;  ///< the number of the edit that wrote it; 0 for the original
        std::uint64_t hash = 0;  ///< of what the edit wrote: one that was taken back leaves its number to another

        template <class Draft>
        static version of(Draft const& draft, std::uint32_t step) {
            if (step == 0) return {};
            auto const& edits = draft.edits();
            return {step, fnv1a(edits.text_at(edits.steps()[step - 1].text).text)};
        }
        friend constexpr bool operator==(version const&, version const&) = default;
    };

    std::uint32_t part_id = 0;
    version present = {};
    version input = {};  ///< that from which the layer cuts
    v1::cost cost = {};
    text_limit over = {};
    bytes window = {};
    unsigned halvings = 0;
    reference stored = {};
    bool recorded = false;

    template <class Draft>
    static part_attempt of(Draft const& draft, part_ref part, v1::cost cost, cut const& context) {
        auto const present = version::of(draft, draft.edits().edit_at(part.part_id));
        auto const input_step = draft.input_step(part);
        return {.part_id = part.part_id,
                .present = present,
                .input = input_step == present.step ? present : version::of(draft, input_step),
                .cost = cost,
                .over = context.over,
                .window = context.window,
                .halvings = context.halvings,
                .stored = context.how.stored,
                .recorded = context.how.recorded};
    }
    friend constexpr bool operator==(part_attempt const&, part_attempt const&) = default;
};

/// The attempts that cut nothing, or nothing but what is there, of the latest pass with each number of halvings.
class exhausted_parts {
public:
    struct entry : part_attempt {
        refusal refused = refusal::not_smaller;
        bool tried = false;  ///< there was a shorter text, but its cost is not
        /// The present text is what this attempt cuts from its input; whether more can be cut from it is not known.
        bool written = false;
    };

    /// The entry of this attempt; null without one.
    constexpr entry const* find(part_attempt const& attempt) const noexcept {
        if (attempt.halvings >= passes_.size()) return nullptr;
        auto const* const latest = find_part(passes_[attempt.halvings], attempt.part_id);
        return latest != nullptr && static_cast<part_attempt const&>(*latest) == attempt ? latest : nullptr;
    }
    /// Remembers the attempts of a pass, at most one for each part, in place of those of the pass before with as many
    /// halvings.
    constexpr void replace(unsigned halvings, std::vector<entry> entries) {
        constexpr unsigned most = 64;  // texts have become empty long before
        if (halvings > most) return;
        bool sorted = true;  // as they are where the oldest come first
        for (std::size_t index = 1; index < entries.size(); ++index)
            sorted = sorted && entries[index - 1].part_id < entries[index].part_id;
        if (!sorted) detail::sort(entries, [](entry const& a, entry const& b) { return a.part_id < b.part_id; });
        if (halvings >= passes_.size()) passes_.resize(halvings + 1);
        passes_[halvings] = std::move(entries);
    }

private:
    std::vector<std::vector<entry>> passes_;  ///< by halvings, each by part_id
};

/// The memory of `compress`: that of its arrivals, which is saved, and the parts that are exhausted, which are not.
template <class When>
struct compress_memory {
    arrival_memory<When> arrivals = {};
    exhausted_parts exhausted = {};

    std::string save() const {
        if constexpr (requires { arrivals.save(); }) return arrivals.save();
        else return {};
    }
    bool load(std::string_view text, std::size_t message_count) {
        exhausted = {};
        if constexpr (requires { arrivals.load(text, message_count); }) return arrivals.load(text, message_count);
        else return text.empty();
    }
    void rewind(std::uint64_t first) noexcept {
        exhausted = {};
        if constexpr (requires { arrivals.rewind(first); }) arrivals.rewind(first);
    }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
