// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/layer.hpp>
#include <condense/core/pass.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/arrival_memory.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/order.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/shortener.hpp>

// Shortens parts in place: compress{.when = used >= 65_pct, .with = first_of(json_sample{}, head_tail{})}.
// Which kinds of parts, the shortener says: tool results where it says nothing.

namespace condense {
inline namespace v1 {

/// Loses what the shortener leaves out; costs one pass over each part that is over the limit. Acts on
/// arrival, where a shortener does not look at the whole conversation, and in reduce, in the order given. With
/// `always` it comes back in a session to what was protected or open on arrival, as soon as that is free.
/// Begins with what layers before it have left of a part, so that two compose; each pressure step halves what
/// is kept, and begins where the layer itself has begun.
template <condition When = trigger, protection Protect = task_t, class Worth = least_gain, class Shortener = head_tail>
struct compress {
    When when = detail::slot_default<When>(used >= percent{6'500});
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    candidate_order order = oldest_first;
    part_limit over = chars{10'000};  ///< C3; texts within it are left alone by shorteners without a limit of their own
    Shortener with = detail::slot_default<Shortener>();
    wording words = {};  ///< of markers: where the rest is
    std::string_view label = {};  ///< in reports, in place of its type's name; must outlive them

    static_assert(detail::check_shortener<Shortener>());

    static constexpr effect effects = shortens;
    /// With `always`: messages that it was not free to edit when they arrived.
    using memory = detail::arrival_memory<When>;

    constexpr void validate() const {
        detail::check_target(when, until);
        if constexpr (requires { with.validate(); }) with.validate();
        words.validate();
    }

    /// What looks at all messages has not been done when each has arrived.
    constexpr bool due(usage const& now) const noexcept
        requires(detail::sees_others<Shortener>())
    {
        return when.due(now);
    }

    constexpr void arrive(auto& draft, sequence arrived, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        auto const shortened = detail::bind_shortener(with, detail::no_conversation{});
        auto const act = [&](sequence at) {
            bool later = false;
            draft.each_part_of(at, [&](part_ref part) {
                auto const left = shorten(draft, part, kept, shortened, pass);
                later = later || left == skip_reason::bound ||
                        (left == skip_reason::spared && kept.holds_for_now(part.message_index));
            });
            return later;
        };
        detail::each_arrived(when, pass.memory, draft, kept, arrived, draft.open_allowed(), act);
    }

    constexpr void reduce(auto& draft, auto& pass) const {
        if (pass.enough()) return pass.idle_as(detail::target_reached);
        auto const kept = detail::bind_protection(protect, draft, pass);
        auto const shortened = detail::bind_shortener(with, draft);
        bool elsewhere = false;  // not by its distance from the end alone
        bool spared = false;
        bool within = false;
        for (auto const& next : candidates(draft, order)) {
            if (pass.enough()) break;
            auto const left = shorten(draft, next.part, kept, shortened, pass);
            spared = spared || left == skip_reason::spared;
            elsewhere = elsewhere || (left == skip_reason::spared && !kept.holds_for_now(next.part.message_index));
            within = within || left == skip_reason::within;
        }
        if (elsewhere) pass.idle_as(detail::all_protected);
        else if (spared) pass.idle_as(detail::all_newest, kept.newest());
        else if (within) pass.idle_as(detail::all_within_over);
        else pass.idle_as("nothing to do: no part is one that it shortens any further");
    }

    friend bool operator==(compress const&, compress const&) = default;

private:
    enum class skip_reason { tried, spared, within, bound };

    constexpr skip_reason shorten(auto& draft, part_ref part, auto const& kept, auto const& shortened,
                                  auto& pass) const {
        auto const facts = draft.about(part);
        auto const halvings = detail::halvings_of(pass);
        cut how{
            halvings, {facts.stored, pass.recorded(), false, words}, over.halved(halvings).of_text(facts.cost, draft)};
        if (facts.stored_earlier) return skip_reason::tried;
        if (!detail::may_apply(with, facts.kind, facts.sealed, facts.original_size, how))
            return detail::may_apply(with, facts.kind, facts.sealed, bytes{detail::u64_limit}, how)
                       ? skip_reason::within
                       : skip_reason::tried;
        if (kept.holds(part.message_index)) return skip_reason::spared;
        bool spared = false;
        std::optional<std::string> shorter;
        auto const settle = [&](part_view const& seen) {
            shorter.reset();
            spared = kept.holds(seen);
            if (spared) return;
            shorter = settled(seen, [&](part_view const& text) {
                auto next = shortened(part, text, how);
                how.how.shortened = how.how.shortened || next;
                return next;
            });
        };
        auto const edit = [&]() -> refusal {
            if (!shorter) return refusal::not_smaller;
            if constexpr (detail::removes_parts<Shortener>())
                if (shorter->empty()) return draft.remove(part);
            return draft.shorten(part, std::move(*shorter));
        };
        auto const count_original = [&] {
            if (draft.outline().part_at(part.part_id).earlier == detail::earlier_edit::none)
                draft.original(part, [&](part_view const& seen) { how.how.original = detail::utf8::count(seen.text); });
        };
        draft.layer_input(part, [&](part_view const& seen, bool cut_before) {
            how.how.shortened = cut_before;
            if (cut_before) count_original();
            settle(seen);
        });
        bool const found = shorter.has_value();
        auto refused = edit();
        // Nor what an earlier turn made of the part: a later run may see no more than that.
        if (refused == refusal::not_smaller && halvings == 0 && draft.edits().edit_at(part.part_id) != 0) {
            how.how.shortened = true;
            count_original();
            draft.each_part(sequence{part.message_index}, [&](part_ref other, part_view const& seen) {
                if (other.part_id == part.part_id)
                    settle(seen.kind == part_kind::media
                               ? part_view{.text = seen.text, .tool = seen.tool, .call = seen.call}
                               : seen);
            });
            if (shorter) refused = edit();
        }
        if (found || !refused) pass.note(refused);
        if (refused == refusal::open || refused == refusal::latest_user) return skip_reason::bound;
        return spared ? skip_reason::spared : skip_reason::tried;
    }
};

}  // namespace v1
}  // namespace condense
