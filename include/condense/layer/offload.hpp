// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/arrival_memory.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/head_tail.hpp>

// Stores large tool results and leaves a preview with a reference: offload{.over = 10'000_chars,
// .into = condense::memory_store{}}.

namespace condense {
inline namespace v1 {

namespace detail {

/// False where a text over the limit could be kept whole by a preview of `most`. A character is at least
/// a byte; how long lines are, and what a token holds, is not known.
constexpr bool fits_below(text_limit const& most, part_limit const& limit) noexcept {
    auto const& over = limit.text;
    auto const bounded = [](std::uint64_t count) { return count != u64_limit; };
    auto const least_bytes = most.bytes.count < most.chars.count ? most.bytes.count : most.chars.count;
    if (bounded(over.chars.count) && bounded(most.chars.count) && most.chars >= over.chars) return false;
    if (bounded(over.bytes.count) && bounded(least_bytes) && least_bytes >= over.bytes.count) return false;
    return !bounded(over.lines.count) || !bounded(most.lines.count) || most.lines < over.lines;
}

}  // namespace detail

/// Loses nothing that the store keeps; costs one pass over each result that is over the limit and one
/// put. What the store does not take stays as it is, what it has taken stays with its preview. Acts on arrival
/// and in reduce, also in open groups; with `always` it comes back in a session to what a tail protected on
/// arrival. Results of a retrieval tool belong into
/// `protect`, else what the agent reads back is stored again.
template <condition When = trigger, protection Protect = nothing_t, class Worth = least_gain, class Preview = head_tail,
          class Store = detail::unset>
struct offload {
    When when = detail::slot_default<When>(always);
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    part_limit over = chars{10'000};  ///< C1; V1 has 20'000_tokens
    /// Rows A2 and C1: 2,000 characters of either end, 4,000 together.
    Preview preview = detail::slot_default<Preview>(head_tail{chars{2'000}, chars{2'000}, {}});
    Store into = detail::slot_default<Store>();
    wording words = {};  ///< of the preview's marker: before the reference
    std::string_view label = {};  ///< in reports, in place of its type's name; must outlive them

    static_assert(detail::check_shortener<Preview>());
    static_assert(!std::is_same_v<Store, detail::unset>,
                  "condense: offload: `into` must name a store, such as condense::memory_store{} (see artifact_store)");
    static_assert(std::is_same_v<Store, detail::unset> || detail::check_store<Store>());

    static constexpr effect effects = externalizes | keeps;
    static constexpr bool durable = requires { requires Store::durable; };
    /// With `always`: messages that it was not free to edit when they arrived.
    using memory = detail::arrival_memory<When>;

    constexpr void validate() const {
        detail::check_target(when, until);
        if constexpr (requires { preview.validate(); }) preview.validate();
        words.validate();
        if constexpr (requires { preview.most(); })
            detail::reject_unless(detail::fits_below(preview.most(), over),
                                  "condense: offload: the preview must be smaller than `over` (see offload)");
    }

    constexpr void arrive(auto& draft, sequence arrived, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        auto const act = [&](sequence at) {
            bool later = false;
            draft.each_part_of(at, [&](part_ref part) {
                static_cast<void>(store(draft, part, kept, pass));
                later = later || waits(draft, part, kept);
            });
            return later;
        };
        detail::each_arrived(when, pass.memory, draft, kept, arrived, true, act);
    }

    constexpr void reduce(auto& draft, auto& pass) const {
        if (nothing_left(draft, pass)) return pass.idle_as(none_left);
        if (pass.enough()) return pass.idle_as(detail::target_reached);
        auto const kept = detail::bind_protection(protect, draft, pass);
        bool elsewhere = false;  // not by its distance from the end alone
        bool spared = false;
        for (auto const which : draft.groups()) {
            if (pass.enough()) return;
            draft.each_part_of(which, [&](part_ref part) {
                if (pass.enough() || !store(draft, part, kept, pass)) return;
                spared = true;
                elsewhere = elsewhere || !kept.holds_for_now(part.message_index);
            });
        }
        if (!spared) pass.idle_as(none_left);
        else if (elsewhere) pass.idle_as(detail::all_protected);
        else pass.idle_as(detail::all_newest, kept.newest());
    }

    friend bool operator==(offload const&, offload const&) = default;

private:
    /// All that is large has been stored, as it is where results are stored when they come.
    constexpr bool nothing_left(auto const& draft, auto const& pass) const noexcept {
        auto const& facts = draft.outline();
        for (std::uint32_t part_id = 0, end = static_cast<std::uint32_t>(facts.part_count()); part_id < end;
             ++part_id) {
            if (!may_be_over(draft, facts.part_at(part_id))) continue;
            if (pass.pressure() != 0 || !draft.about(draft.part_at(part_id)).externalized) return false;
        }
        return true;
    }

    constexpr bool may_be_over(auto const& draft, auto const& part) const noexcept {
        bool const by_tokens = over.tokens.count != detail::u64_limit;
        return detail::may_exceed(by_tokens ? over.of_text(part.cost, draft) : over.text, bytes{part.size});
    }

    /// Large, inline, and free to be stored once the conversation has gone on.
    constexpr bool waits(auto const& draft, part_ref part, auto const& kept) const noexcept {
        if (!may_be_over(draft, draft.outline().part_at(part.part_id)) || draft.about(part).externalized) return false;
        return kept.holds_for_now(part.message_index) || part.message_index == draft.outline().latest_user();
    }

    static constexpr std::string_view none_left = "nothing to do: no result over `over` is left";

    /// True where it would, but for what is protected.
    constexpr bool store(auto& draft, part_ref part, auto const& kept, auto& pass) const {
        if (!may_be_over(draft, draft.outline().part_at(part.part_id))) return false;
        auto const facts = draft.about(part);
        if (facts.kind != part_kind::tool_result || facts.sealed || facts.status == part_status::cancelled)
            return false;
        // What an earlier run stored is a preview now; what this run stored may get a shorter one.
        if (facts.stored_earlier || (facts.externalized && pass.pressure() == 0)) return false;
        if (kept.holds(part.message_index)) return true;
        bool spared = false;
        draft.original(part, [&](part_view const& seen) {
            if (over.of_text(facts.original_cost, draft).holds(seen.text)) return;
            if (spared = kept.holds(seen); spared) return;
            auto const name = into.name(seen.text);
            auto shorter = preview(seen, {detail::halvings_of(pass), {name, false, false, words}});
            if (!shorter) return;
            auto const refused = draft.externalize(part, std::move(*shorter), name);
            if (refused) pass.note(refused);
            else pass.keep(into, name, part);
        });
        return spared;
    }
};

}  // namespace v1
}  // namespace condense
